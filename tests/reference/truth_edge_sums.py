"""Truth for compositions at the edges of float64: enclosures of delta(epsilon), the best of what can be had.

Always: infinite masses and largest losses of the steps in closed form, a step's delta from below, basic composition
from above. Where there is more: one step, whole Gaussians of any count, products of a few events, and the top of a
two-point pair's lattice for any count.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, prod

from flint import arb, fmpq
from tests.reference.truth_edges import INF, Event, Side, excess, gaussian_ball, infinite, max_ball, one_less, side
from tests.reference.truth_numbers import rational

import tightbudget as tb
from tightbudget.pairs.base import Direction

MOST_PRODUCTS = 400
MOST_TERMS = 120
Delta = Callable[[arb], arb]


@dataclass(frozen=True)
class Steps:
    """One direction of a composition; mechanisms that reveal nothing left out."""

    items: tuple[tuple[tb.Mechanism, Side, int], ...]

    @property
    def reveals(self) -> bool:
        return any(one.reveals for _, one, _ in self.items)

    @property
    def bounded(self) -> bool:
        return all(one.top is not None for _, one, _ in self.items)

    @property
    def total(self) -> int:
        return sum(count for _, _, count in self.items)

    @property
    def sharp(self) -> bool:
        """Whether delta can be had to as many digits as one likes."""
        return not self.items or (self.exact is not None and all(one.sharp for _, one, _ in self.items))

    def infinity(self) -> arb:
        """1 - prod (1 - m)^count, relatively accurate for small m."""
        logs = arb(0)
        for _, one, count in self.items:
            mass = one.infinity()
            if not mass < 1:
                return arb(1) if mass == 1 else arb(0).union(arb(1))
            logs += count * (-mass).log1p()
        return (-logs.expm1()).nonnegative_part()

    def largest(self) -> arb:
        """Supremum of the finite losses."""
        return sum((count * one.top() for _, one, count in self.items if one.top is not None), arb(0))

    @cached_property
    def exact(self) -> Delta | None:
        """delta(epsilon) to as many digits as one likes, where that can be had."""
        if self.total == 1:
            return self.items[0][1].delta
        if all(isinstance(mechanism, tb.Gaussian | tb.GaussianDP) for mechanism, _, _ in self.items):
            return gaussian_ball(lambda: sum((count * arb(_square(m)) for m, _, count in self.items), arb(0)).sqrt()).delta
        return self._products

    @cached_property
    def _products(self) -> Delta | None:
        if any(one.events is None or count > MOST_TERMS for _, one, count in self.items):
            return None
        sizes = [comb(len(one.events()) + count - 1, min(count, len(one.events()) - 1)) for _, one, count in self.items]
        if prod(sizes) > MOST_PRODUCTS:
            return None
        return lambda x: sum((excess(event, x) for event in self._events()), arb(0))

    def _events(self) -> list[Event]:
        found = [Event(arb(1), arb(1), arb(0))]
        for _, one, count in self.items:
            found = [_both(p, r) for p in found for r in _repeated(one.events(), count)]
        return found

    def near_top(self, x: arb) -> arb | None:
        """delta near the largest loss of one pair with two finite losses, repeated: the sum of its last terms."""
        if len(self.items) != 1 or self.items[0][1].events is None:
            return None
        _, one, count = self.items[0]
        finite = sorted(
            (event for event in one.events() if not infinite(event.loss)), key=lambda event: float(event.loss.mid())
        )
        if len(finite) != 2 or not all(event.loss.is_finite() for event in finite):
            return None
        low, high = finite
        gap = high.loss - low.loss
        if not gap > 0:
            return None
        last = ((count * high.loss - x) / gap).upper()
        if not last < MOST_TERMS:
            return None
        total = self.infinity()
        for place in range(min(count, max(0, int(float(last)) + 1)) + 1):
            loss = (count - place) * high.loss + place * low.loss
            if not x >= loss:
                total += comb_ball(count, place) * high.a ** (count - place) * low.a**place * one_less(x - loss)
        return total

    def delta(self, x: arb) -> arb:
        """An enclosure of delta(x), x finite."""
        if not self.items:
            return arb(0)
        if self.bounded and x >= self.largest():
            return self.infinity()
        if self.exact is not None:
            return clipped(self.exact(x))
        found = self.near_top(x)
        return self.between(x) if found is None else clipped(found)

    def between(self, x: arb) -> arb:
        lower = max_ball([self.infinity().lower(), *(one.delta(x).lower() for _, one, _ in self.items)])
        # every step may use its share of x (basic composition)
        upper = sum((count * one.delta(x / self.total) for _, one, count in self.items), arb(0)).upper()
        return clipped(lower).union(clipped(upper)) if lower.is_finite() and upper.is_finite() else arb(0).union(arb(1))


def clipped(x: arb) -> arb:
    """Within [0, 1], which every delta is; a ball that says nothing becomes all of it."""
    return x.nonnegative_part().min(arb(1)) if x.is_finite() else arb(0).union(arb(1))


def comb_ball(n: int, k: int) -> arb:
    value = arb(1)
    for i in range(k):
        value = value * (n - i) / (i + 1)
    return value


def _square(mechanism: tb.Mechanism) -> fmpq:
    if isinstance(mechanism, tb.GaussianDP):
        return rational(mechanism.mu) ** 2
    return (rational(mechanism.sensitivity) / rational(mechanism.sigma)) ** 2


def _both(p: Event, r: Event) -> Event:
    if INF in (p.loss, r.loss) or -INF in (p.loss, r.loss):
        loss = INF if INF in (p.loss, r.loss) else -INF
        return Event(p.a * r.a, p.b * r.b, loss)
    return Event(p.a * r.a, p.b * r.b, p.loss + r.loss)


def _repeated(events: Sequence[Event], count: int) -> list[Event]:
    found = []
    for chosen in combinations_with_replacement(range(len(events)), count):
        times = [chosen.count(i) for i in range(len(events))]
        ways = factorial(count) // prod(factorial(n) for n in times)
        a, b, loss = arb(ways), arb(ways), arb(0)
        beyond = [events[i].loss for i, n in enumerate(times) if n and infinite(events[i].loss)]
        for event, n in zip(events, times, strict=True):
            a, b = a * event.a**n, b * event.b**n
            loss = loss if infinite(event.loss) else loss + n * event.loss
        if beyond:  # an event of both kinds has no mass at all
            loss = INF if INF in beyond else -INF
        found.append(Event(a, b, loss))
    return found


def directions(composition: tb.Mechanism | tb.Composition) -> list[Steps]:
    counts: dict[tb.Mechanism, int] = {}
    for mechanism, count in composition._parts:
        counts[mechanism] = counts.get(mechanism, 0) + count
    both = []
    for direction in Direction:
        sides = ((mechanism, side(mechanism, direction), count) for mechanism, count in counts.items())
        both.append(Steps(tuple((mechanism, one, count) for mechanism, one, count in sides if one is not None)))
    return both
