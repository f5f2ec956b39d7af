"""The residual filter: what is left of the budget is a pair, and a step must leave room for a smaller one (M15)."""

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tightbudget.adaptive.amounts import Amount, amount_to_float, exact, exact_probability, show
from tightbudget.adaptive.filters.base import Filter, Sums
from tightbudget.adaptive.filters.concentration import check_guarantee
from tightbudget.adaptive.filters.limits import Limit
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.residual_grid import Spread, Spreads, gaussian_profile, spread_to_grid
from tightbudget.adaptive.filters.thresholds import most_mu
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import TOLERANCE, State, check_spent, written_at_most
from tightbudget.adaptive.ticks import Tick, read_ticks
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Mechanism, PureDP
from tightbudget.numerics.byte_cache import ByteCache
from tightbudget.numerics.rounding import float_below, lowered, raised
from tightbudget.pairs.base import Direction

POINTS_PER_MU = 256
SHARE_AT_INFINITY = 1e-3  # of delta', kept as mass at infinite loss, so that the far tails need no comparison
RESOLVED = 1e-9  # of that mass: tails are followed so far down
MOST_POINTS, WIDEST = 2**22, 512  # of the grid: 32 megabytes for an array, and e^512 is a float
FINEST = 2**17  # points of a grid that is refined for a small step: a decision takes a tenth of a second then
NARROWEST = 2e-5  # width of a grid in parts of mu: one that was refined, down to 5e-5, can be read back
RESOLVES = 2.0  # a grid is fine enough for a step whose variance is so many squares of its width
MOST_BYTES = 2**27  # of steps that are remembered on the grid
MOST_COUNTED = 1000  # `remaining` carries out the decisions, one by one
MOST_WORK = 6000  # comparisons before `best` stops counting, a few seconds: time would not give the same table twice
_LEAST = 1e-17  # parts below 1e-14 of what is left are not looked for
_CLOSE = 1e-3  # what is left is found to this part of what the step takes


class ResidualFilter(Filter):
    """Admit a step if, for some smaller budget, step and smaller budget together are dominated by what is left.

    Budgets are Gaussian pairs with a little mass at infinite loss, read on a grid of losses of width `step`, a power of
    two. After the step the smaller budget is what is left. A step may be any mechanism of the engine, whatever its
    kind. A decision takes milliseconds, after a step much smaller than the grid, which refines it for good, up to a
    tenth of a second; `remaining` counts no further than 1000.
    """

    kind: ClassVar[str] = "residual"

    @formerly_positional("delta_for_steps", "step")
    def __init__(
        self, epsilon: Any, delta: Any, *, delta_for_steps: Any = 0, step: Any = None, mix_relations: bool = False
    ) -> None:
        super().__init__(epsilon, delta, mix_relations=mix_relations)
        self._for_steps = exact_probability("delta_for_steps", delta_for_steps)
        check_guarantee(self._epsilon, self._delta, self._for_steps)
        self._tick = Tick.beside(self._delta)
        self._tail = float_below(self._delta - self._for_steps)
        largest = most_mu(self._epsilon, self._delta - self._for_steps)
        self._h = _grid_step(step, largest)
        if self._h > WIDEST or self._points(self._h, largest) > MOST_POINTS:
            if step is None:
                raise InvalidParameter("epsilon", show(self._epsilon), "at most about 1e8 for this filter")
            raise InvalidParameter("step", step, f"at most {WIDEST}, and wide enough for {MOST_POINTS} grid points to do")
        self._start = self._largest_start(float_below(self._epsilon), largest)
        self._sums = (self._start, 0, self._h)
        self._known: ByteCache[Spreads] = ByteCache(MOST_BYTES)
        self._work = 0.0

    @property
    def sums(self) -> tuple[str, ...]:
        return "mu left", "delta"

    @property
    def spent(self) -> dict[str, Amount]:
        """The squared mu given up so far, exact, and the deltas of steps."""
        left, delta, _ = self._sums
        return {"squared mu": Fraction(self._start) ** 2 - Fraction(left) ** 2, "delta": delta}

    def _at_infinity(self, mu: float) -> float:
        """Return the mass at infinite loss of the budget; this float, as it is computed, is its definition."""
        return SHARE_AT_INFINITY * self._tail * (mu / self._start) ** 2

    def _largest_start(self, epsilon: float, largest: float) -> float:
        """Return the largest mu whose budget leaves delta(epsilon) within the tail, chords between points included."""
        knot = math.floor(epsilon / self._h) * self._h
        ends = np.array([knot, knot + self._h])
        share = lowered(math.expm1(max(epsilon - knot, 0.0)) / math.expm1(self._h), 16)

        def fits(mu: float) -> bool:
            upper = gaussian_profile(mu, ends)[1]
            chord = raised(float(upper[0] * (1.0 - share) + upper[1] * share), 16)
            return chord + raised(SHARE_AT_INFINITY * self._tail, 4) <= lowered(self._tail, 4)

        low, high = 0.0, largest
        while high - low > 1e-9 * largest:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if fits(middle) else (low, middle)
        if low == 0.0:
            raise InvalidParameter("step", self._h, "smaller for this epsilon and delta")
        return low

    def _points(self, h: float, mu: float) -> int:
        """Return the number of grid points up to a loss beyond which the budget of `mu` holds next to nothing."""
        far = mu * (math.sqrt(-2.0 * math.log(RESOLVED * SHARE_AT_INFINITY * self._tail)) + 0.5 * mu)
        return math.ceil(far / h) + 1

    def _weigh(self, increment: Increment) -> tuple[Quote, Sums]:
        mu, delta, h = float(self._sums[0]), self._sums[1], float(self._sums[2])
        for mechanism, count in _parts_of_step(increment):
            promise = mechanism.promise
            if promise is not None and promise.delta:  # an epsilon-private step after removal of an event (M14)
                delta += count * exact("delta", promise.delta)
                mechanism = PureDP(promise.epsilon)
            h = self._fine_enough(mechanism, h)
            for _ in range(count):
                left = self._room(mechanism, mu, h)
                if left is None:
                    return self._quoted(increment, False, mu, self._asked(mechanism, mu, h), delta), self._sums
                mu = left
        delta = self._tick.raised(delta)
        return self._quoted(increment, True, mu, 0.0, delta), (mu, delta, h)

    def _quoted(self, increment: Increment, accepted: bool, left: float, more: float, delta: Amount) -> Quote:
        """Return the quote of a step after which mu is left and, if it is refused, `more` squared mu is needed."""
        before = self._limits(float(self._sums[0]), self._sums[1])
        after = self._limits(left, delta, more)
        if accepted and after[1].exceeded:
            return Quote(False, increment, self.kind, before, after, place=1)
        return Quote(accepted, increment, self.kind, before, after)

    def _limits(self, left: float, delta: Amount, more: float = 0.0) -> tuple[Limit, Limit]:
        whole = self._start**2
        used = whole - left**2 + more
        return Limit("the sum of squared mu", used, whole), Limit("the delta of steps", delta, self._for_steps)

    def remaining(self, increment: Increment | str) -> int:
        """Return how many more such steps would be admitted; 1000 stands for that many or more."""
        return self._count(increment, math.inf)[0]

    def counted(self, increment: Increment) -> tuple[int, bool]:
        return self._count(increment, MOST_WORK)

    def note(self, increment: Increment, count: int, or_more: bool) -> str:
        return "or more: counting stopped" if or_more else ""

    def _count(self, increment: Increment | str, most_work: float) -> tuple[int, bool]:
        """Return how many more such steps are admitted, and whether counting was cut off, so that there may be more.

        It ends after 1000 steps, and is taken to get there once a tenth of what is left would pay each of them ten
        times the price of the last: prices change little while most is left. Or it ends as soon as so many profiles
        were compared, those on a finer grid counting for more: some steps need ten times as many.
        """
        step = self._checked(increment)
        trial = copy.copy(self)  # of one moment; meanwhile others may spend
        trial._known = self._known
        trial._work = 0.0
        for count in range(MOST_COUNTED):
            if trial._work >= most_work:
                return count, True
            before, delta = float(trial._sums[0]), trial._sums[1]
            quote, trial._sums = trial._weigh(step)
            if not quote.accepted:
                return count, False
            after, charged = float(trial._sums[0]), trial._sums[1] - delta
            cheap = 10.0 * MOST_COUNTED * (before - after) * (before + after) <= 0.1 * after**2
            if cheap and delta + MOST_COUNTED * charged <= self._for_steps:
                break
        return MOST_COUNTED, True

    def _fine_enough(self, mechanism: Mechanism, h: float) -> float:
        """Return the width of a grid on which the step does not look much larger than it is.

        Budgets on a finer grid are dominated by those on this one (M15), so it may be refined at any time, but not
        widened.
        """
        while self._points(0.5 * h, self._start) <= FINEST:
            spreads = self._spreads(mechanism, h)
            if max((_mu_squared_taken(one, h) for one in spreads), default=math.inf) >= RESOLVES * h**2:
                return h
            h *= 0.5
        return h

    def _room(self, mechanism: Mechanism, mu: float, h: float) -> float | None:
        """Return about the largest mu that, after the step, stays within the budget of `mu`; None if there is none.

        The path of the search depends on nothing but the step, mu and the grid, so that a restored filter decides
        alike.
        """
        spreads = self._spreads(mechanism, h)
        if not spreads:
            return mu
        if mu == 0.0:
            return None
        guess = min(0.5, max(_mu_squared_taken(one, h) for one in spreads) / mu**2)
        part = _least_part_given_up(lambda given_up: self._excess(spreads, mu, _mu_left(mu, given_up), h), guess)
        return None if part is None else _mu_left(mu, part)

    def _excess(self, spreads: tuple[Spread, ...], mu: float, left: float, h: float) -> float:
        """Return by how much, in logarithms, the step followed by the budget of `left` exceeds the budget of `mu`.

        Not above 0 it is dominated (M15): both profiles are linear in e^x between grid points, so the points decide.
        Losses below 0 are those above 0 of the other direction. Beyond the last point the left side falls further, and
        the right side never falls below its mass at infinity.
        """
        worst = -math.inf
        self._work += len(spreads) * self._h / h
        kept, inherited = self._at_infinity(mu), self._at_infinity(left)
        for step in spreads:
            last = step.first + step.masses.size - 1
            count = self._points(h, self._start) + max(0, last) + 1
            x = h * np.arange(-last, count - step.first, dtype=np.float64)
            after = inherited + (1.0 - inherited) * gaussian_profile(left, x)[1]
            both = raised(np.convolve(step.masses, after, "valid"), 4.0 * (step.masses.size + 8)) + step.infinity
            whole = kept + (1.0 - kept) * gaussian_profile(mu, h * np.arange(count, dtype=np.float64))[0]
            ratio = raised(max(float((both / whole).max()), float(both[-1]) / kept), 16)
            worst = max(worst, math.log(ratio) if ratio != 1.0 else 0.0)
        return worst

    def _asked(self, mechanism: Mechanism, mu: float, h: float) -> float:
        """Return about the squared mu that would have to be left to admit the step; inf beyond four times all."""
        spreads, low, high = self._spreads(mechanism, h), mu, 2.0 * self._start
        if self._excess(spreads, high, 0.0, h) > 0.0:
            return math.inf
        while high - low > 0.01 * high:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._excess(spreads, middle, 0.0, h) <= 0.0 else (middle, high)
        return high**2

    def _spreads(self, mechanism: Mechanism, h: float) -> tuple[Spread, ...]:
        """Return the step on the grid in both directions; nothing if it reveals nothing."""
        known = self._known.get((mechanism, h))
        if known is None:
            pairs = dict.fromkeys(mechanism.pair(direction) for direction in Direction)
            reach = h * self._points(h, self._start)
            negligible = RESOLVED * SHARE_AT_INFINITY * self._tail
            known = Spreads(tuple(spread_to_grid(pair, h, negligible, reach) for pair in pairs if pair is not None))
            with suppress(Exception):  # what cannot be copied is not remembered: it would keep all it ever computed
                self._known.put((copy.deepcopy(mechanism), h), known)
        return known.each

    def _constants(self) -> State:
        return {"mu": repr(self._start), "ticks": {"delta": str(self._tick)}}

    def _upgraded(self, constants: State) -> State:
        return {**constants, "ticks": {"delta": str(self._tick)}}

    def _use_constants(self, constants: State) -> None:
        (self._tick,) = read_ticks(constants["ticks"], {"delta": self._tick})
        self._start = amount_to_float(written_at_most("mu", constants["mu"], self._start))
        if self._start == 0.0:
            raise InvalidParameter("mu", constants["mu"], "above 0")

    def _restore(self, spent: object) -> None:
        if not isinstance(spent, dict) or set(spent) != set(self.sums):
            raise InvalidParameter("spent", spent, f"a dictionary of {', '.join(self.sums)}")
        mu = amount_to_float(exact("spent", spent["mu left"]))  # the float whose decimal form was written
        delta = self._tick.read_sum("spent", spent["delta"])
        if mu > self._start * (1.0 + float(TOLERANCE)):
            raise InvalidParameter("spent", f"{mu!r} of mu left", f"at most {self._start!r}, all there is")
        self._sums = (min(mu, self._start), delta, self._h)
        check_spent(self._limits(mu, delta)[1])

    def _settings(self) -> State:
        settings = {"epsilon": self._epsilon, "delta": self._delta, "delta_for_steps": self._for_steps}
        return {**{name: show(value) for name, value in settings.items()}, "step": repr(self._sums[2])}

    def _written(self) -> State:
        return {"mu left": repr(self._sums[0]), "delta": self._tick.written(self._tick.up(self._sums[1]))}


def _parts_of_step(increment: Increment) -> Iterator[tuple[Mechanism, int]]:
    if sum(count for _, count in increment._parts) > MOST_COUNTED:
        raise InvalidParameter("increment", str(increment), f"at most {MOST_COUNTED} steps at once", "Spend it in parts.")
    return iter(increment._parts)


def _least_part_given_up(excess: Callable[[float], float], guess: float) -> float | None:
    """Return about the least part from 0 to 1 whose excess is not above 0, if any; the excess falls with the part.

    Only parts that were tried are returned. A line says where to look, a little to either side of it: through the two
    ends or, if the last two tries lie on one side, through those.
    """
    low, high = 0.0, 1.0
    at_low, at_high = math.inf, excess(1.0)
    if at_high > 0.0:
        return None
    part, tries, last = guess, 0, (1.0, at_high)
    while high - low > _CLOSE * high > _LEAST:
        value = excess(part)
        low, at_low, high, at_high = (low, at_low, part, value) if value <= 0.0 else (part, value, high, at_high)
        tries += 1
        ends = (low, at_low, high, at_high) if tries == 1 or (value > 0.0) != (last[1] > 0.0) else (*last, part, value)
        last = (part, value)
        line = _zero_of_line(*ends) if at_low < math.inf else 0.5 * high
        part = line * (1.0 + 0.4 * _CLOSE) if value > 0.0 else min(line, high) * (1.0 - 0.4 * _CLOSE)
        if tries > 12 or not low < part < high:
            part = 0.5 * (low + high) if high <= 2.0 * low else math.sqrt(low * high) if low > 0.0 else 0.5 * high
    return high


def _zero_of_line(one: float, at_one: float, other: float, at_other: float) -> float:
    """Return where the line through two points is 0; the first of them if it is nowhere."""
    return one + (other - one) * at_one / (at_one - at_other) if at_one != at_other else one


def _mu_left(mu: float, part: float) -> float:
    """Return mu after a part of its square was given up."""
    return mu * math.sqrt(1.0 - part)


def _mu_squared_taken(step: Spread, h: float) -> float:
    """Return about what the step takes of mu^2 when there is much left."""
    losses = h * (step.first + np.arange(step.masses.size))
    return float(step.masses @ losses**2) - float(step.masses @ losses) ** 2


def _grid_step(step: Any, mu: float) -> float:
    if step is None:
        return 2.0 ** round(math.log2(mu / POINTS_PER_MU))
    h = amount_to_float(exact("step", step, "a power of two"))
    if not (0.0 < h < math.inf and math.frexp(h)[0] == 0.5 and NARROWEST * mu <= h <= mu):
        raise InvalidParameter("step", step, f"a power of two from {NARROWEST * mu:.3g} to {mu:.3g} for this budget")
    return h
