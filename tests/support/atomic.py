"""Privacy buckets event by event, in exact rational arithmetic: Definitions 6, 8 and 9 of "Tight on Budget?",
corrected.

Nothing here looks at bucket lists. Every atomic event of the product space is kept with its two probabilities, its
index and its two error-correction terms; the bucket factor f is a fraction.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath

INFINITY = math.inf


@dataclass(frozen=True)
class Event:
    """An atomic event x: P_A(x), P_B(x), its index, and the real and virtual terms of Definition 8."""

    a: Fraction
    b: Fraction
    index: float
    real: Fraction
    virtual: Fraction


@dataclass(frozen=True)
class Atomic:
    """All events of a composition tree with factor f and last index n; u as in Definition 7 (corrected)."""

    f: Fraction
    n: int
    u: int
    events: tuple[Event, ...]

    def sum(self, index: float, what: str) -> Fraction:
        return sum((getattr(event, what) for event in self.events if event.index == index), start=Fraction(0))


def leaf(a: Sequence[Fraction], b: Sequence[Fraction], f: Fraction, n: int) -> Atomic:
    events = []
    for p, q in zip(a, b, strict=True):
        if p == 0:  # adds nothing to B and l, and is left out of l~ (it would only weaken the lower bound)
            continue
        index = _leaf_index(p, q, f, n)
        virtual = q - p / f ** int(index) if index != INFINITY else Fraction(0)
        events.append(Event(p, q, index, virtual if index not in (-n, INFINITY) else Fraction(0), virtual))
    return Atomic(f, n, 1, tuple(events))


def _leaf_index(p: Fraction, q: Fraction, f: Fraction, n: int) -> float:
    if p > f**n * q:
        return INFINITY
    if p <= f**-n * q:
        return -n
    return next(i for i in range(-n + 1, n + 1) if f ** (i - 1) * q < p <= f**i * q)


def compose(first: Atomic, second: Atomic) -> Atomic:
    f, n = first.f, first.n
    events = [_pair(x, y, f, n) for x in first.events for y in second.events]
    return Atomic(f, n, first.u + second.u, tuple(events))


def _pair(x: Event, y: Event, f: Fraction, n: int) -> Event:
    a, b, total = x.a * y.a, x.b * y.b, x.index + y.index
    if total > n:
        return Event(a, b, INFINITY, Fraction(0), Fraction(0))
    index = max(total, -n)
    virtual = b - a / f ** int(index)  # Lemma 11; the printed recursion gives b - a / f^total, which differs below -n
    real = printed_term(x, y, x.real, y.real, f) if index != -n else Fraction(0)
    return Event(a, b, index, real, virtual)


def printed_term(x: Event, y: Event, term_x: Fraction, term_y: Fraction, f: Fraction) -> Fraction:
    """Return V of Definition 7 for two events."""
    return x.a / f ** int(x.index) * term_y + y.a / f ** int(y.index) * term_x + term_x * term_y


def square(child: Atomic) -> Atomic:
    f, n = child.f, child.n
    events = []
    for x in child.events:
        if x.index == INFINITY:
            events.append(x)
            continue
        index = math.ceil(Fraction(int(x.index), 2))
        step = x.a / f ** int(x.index) - x.a / f ** (2 * index)
        real = Fraction(0) if x.index == -n else x.real + step
        events.append(Event(x.a, x.b, index, real, x.virtual + step))
    return Atomic(f * f, n, child.u // 2 + 1, tuple(events))


def delta(tree: Atomic, g: Fraction) -> Fraction:
    """Return the truth of Lemma 1 in this direction: the sum of max(0, P_A - g P_B)."""
    return sum((max(Fraction(0), x.a - g * x.b) for x in tree.events), start=Fraction(0))


def delta_without_ec(tree: Atomic, g: Fraction) -> Fraction:
    """Return Definition 5."""
    return sum((_plain(x, tree.f, g) for x in tree.events), start=Fraction(0))


def delta_with_ec(tree: Atomic, g: Fraction) -> Fraction:
    """Return Definition 9."""
    start = first_index(tree.f, g) + tree.u
    total = Fraction(0)
    for x in tree.events:
        if start <= x.index < INFINITY:
            total += x.a - g * (x.a / tree.f ** int(x.index) + x.real)
        else:
            total += _plain(x, tree.f, g)
    return total


def _plain(x: Event, f: Fraction, g: Fraction) -> Fraction:
    return x.a if x.index == INFINITY else max(Fraction(0), x.a * (1 - g / f ** int(x.index)))


def delta_low(tree: Atomic, g: Fraction) -> Fraction:
    """Return Theorem 2's lower bound with bucket infinity (theory F.1e): every index is one event."""
    total = Fraction(0)
    for index in {x.index for x in tree.events if x.index != INFINITY}:
        lumped = tree.sum(index, "a") - g * (tree.sum(index, "a") / tree.f ** int(index) + tree.sum(index, "virtual"))
        total += max(Fraction(0), lumped)
    over = [x for x in tree.events if x.index == INFINITY]
    certain = sum((x.a for x in over if x.b == 0), start=Fraction(0))
    return total + max(certain, sum((x.a - g * x.b for x in over), start=Fraction(0)))


def first_index(f: Fraction, g: Fraction) -> int:
    """Return j_eps, the smallest j with f^j >= g."""
    j = 0
    while f**j < g:
        j += 1
    return j


def exponential(epsilon: float) -> Fraction:
    """Return e^epsilon to 60 digits."""
    with mpmath.workdps(60):
        value = mpmath.exp(mpmath.mpf(epsilon))
        return Fraction(int(mpmath.floor(value * mpmath.mpf(10) ** 55)), 10**55)
