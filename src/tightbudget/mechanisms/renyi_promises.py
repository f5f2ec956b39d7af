"""Promises of zCDP and of Rényi divergences, which add up before they get a pair (M34)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tightbudget.deprecated import renamed_argument
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.exact_numbers import exact, exact_probability
from tightbudget.mechanisms.gaussian import GaussianDP
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ANY
from tightbudget.numerics.rounding import float_above, float_below, lowered, raised, strictly_raised
from tightbudget.pairs.base import Array, Direction, Pair

_MEMBER_RHO = 1e300  # of normal noise that reveals everything, as far as floats can tell


class MomentPromise(Mechanism):
    """A promise on Rényi divergences in both directions, after removal of an event of probability `promised_delta`.

    Those of a composition are one promise (M34). Numbers are kept as they were typed, without rounding: filters and
    odometers add them up exactly.
    """

    neighbours: ClassVar[str] = ANY
    attains_pair: ClassVar[bool] = False
    takes_text: ClassVar[bool] = True

    promised_delta: Fraction

    @property
    def moment_promise(self) -> "MomentPromise":
        return self

    @property
    def stated_rho(self) -> Fraction | None:
        """A rho that bounds all orders; None of a promise for some."""
        return None

    @property
    def for_all_orders(self) -> bool:
        """Whether rho says all of it; else it is asked at `stated_orders` and between them."""
        return False

    @property
    def stated_orders(self) -> tuple[float, ...]:
        """Orders, as floats, that say most of a promise for some orders; none of one for all."""
        return ()

    def at(self, order: Fraction) -> Fraction | None:
        """Return a bound on the Rényi divergence at an order above 1, or None if the promise implies none."""
        raise NotImplementedError

    def bounds_at(self, orders: Array) -> Array:
        """Return the same at many orders, rounded up; inf where none is promised."""
        raise NotImplementedError

    @property
    def _member_rho(self) -> float:
        """A rho so small that normal noise with it keeps the promise."""
        raise NotImplementedError

    def member(self) -> Mechanism:
        return GaussianDP(mu=lowered(math.sqrt(2.0 * min(self._member_rho, _MEMBER_RHO)), 8))

    def summed(self, parts: "Iterable[tuple[MomentPromise, int]]") -> Mechanism:
        """Return one step for all promises of a composition, this one among them."""
        from tightbudget.mechanisms.promised_block import PromisedBlock

        return PromisedBlock(tuple(parts))

    def pair(self, direction: Direction) -> Pair | None:
        return self.summed([(self, 1)]).pair(direction)

    def log_moment(self, direction: Direction, orders: Array) -> Array:
        if self.promised_delta:  # whatever is removed may have an infinite loss
            return np.full(orders.size, np.inf)
        return strictly_raised((orders - 1.0) * self.bounds_at(orders), 4)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{str(self).removeprefix(self.name)}"


@dataclass(frozen=True, init=False, repr=False)
class ZCDP(MomentPromise):
    """Any mechanism that promises rho-zero-concentrated differential privacy.

    rho    0 or more: its Rényi divergence of every order a is at most rho a
    delta  from 0 to 1: after removal of an event of this probability

    Neighbours: any relation, that of the steps it is composed with. All such
    promises of a composition are added up before they are turned into a
    pair; filters and odometers add up rho as it was typed, text such as "1/3"
    included. The lower end is that of normal noise that keeps them. What
    `delta` says is kept as `promised_delta`, because `delta` is the question
    that every mechanism answers.

    >>> from tightbudget import ZCDP
    >>> print((ZCDP(rho=0.05) * 10).delta(epsilon=3))
    [0.0015..., 0.0051...]
    >>> print(ZCDP(rho="1/3", delta=1e-9))
    zcdp(rho="1/3", delta=1e-09)
    """

    name: ClassVar[str] = "zcdp"
    reveal_more: ClassVar[tuple[str, ...]] = ("rho", "delta")

    rho: Fraction
    promised_delta: Fraction = field(default=0, metadata={"argument": "delta"})  # type: ignore[assignment]

    def __init__(self, rho: Any, delta: Any = 0) -> None:
        object.__setattr__(self, "rho", exact("rho", rho))
        object.__setattr__(self, "promised_delta", exact_probability("delta", delta))

    @property
    def stated_rho(self) -> Fraction:
        return self.rho

    @property
    def for_all_orders(self) -> bool:
        return True

    def at(self, order: Fraction) -> Fraction:
        return order * self.rho

    @property
    def _member_rho(self) -> float:
        return float_below(self.rho)

    def bounds_at(self, orders: Array) -> Array:
        return raised(float_above(self.rho) * orders, 4)

    def zcdp_rho(self, direction: Direction) -> float:
        return math.inf if self.promised_delta else float_above(self.rho)

    def known_to_dominate(self, step: Mechanism) -> bool:
        # whatever is rho-zCDP is one of those that this stands for
        promised = step.moment_promise
        if promised is not None and promised.stated_rho is not None:
            return promised.stated_rho <= self.rho and promised.promised_delta <= self.promised_delta
        known = max(step.zcdp_rho(direction) for direction in Direction)
        return known < math.inf and Fraction(known) <= self.rho


@dataclass(frozen=True, init=False, repr=False)
class RDP(MomentPromise):
    """Any mechanism that promises Rényi divergences at one order or several.

    alpha    orders above 1, one or several
    epsilon  the divergence promised at each of them, 0 or more
    delta    from 0 to 1: after removal of an event of this probability

    Neighbours: any relation, that of the steps it is composed with; both
    directions are meant. All such promises of a composition are added up
    before they are turned into a pair; filters and odometers add them up as
    they were typed. The lower end is that of normal noise that keeps them.

    >>> from tightbudget import RDP
    >>> step = RDP(alpha=(4, 16), epsilon=(0.1, 0.5))
    >>> print((step * 10).epsilon(delta=1e-6))
    [3.3..., 4.8...]
    """

    name: ClassVar[str] = "rdp"
    reveal_more: ClassVar[tuple[str, ...]] = ("delta",)
    formerly: ClassVar[Mapping[str, str]] = {"order": "alpha", "value": "epsilon"}

    alpha: tuple[Fraction, ...]
    divergences: tuple[Fraction, ...] = field(metadata={"argument": "epsilon"})
    promised_delta: Fraction = field(default=0, metadata={"argument": "delta"})  # type: ignore[assignment]

    @renamed_argument("orders", "alpha")
    @renamed_argument("values", "epsilon")
    def __init__(self, alpha: Any, epsilon: Any, delta: Any = 0) -> None:
        orders = [exact_order(order, "alpha") for order in _listed_promises(alpha)]
        bounds = [exact("epsilon", value) for value in _listed_promises(epsilon)]
        if not orders:
            raise InvalidParameter("alpha", alpha, "an order above 1, or a list of them")
        if len(orders) != len(bounds):
            allowed = f"a list of as many divergences as alpha has orders, which is {len(orders)}"
            raise InvalidParameter("epsilon", epsilon, allowed)
        if len(set(orders)) < len(orders):
            raise InvalidParameter("alpha", alpha, "orders that differ from each other")
        pairs = sorted(zip(orders, bounds, strict=True))
        object.__setattr__(self, "alpha", tuple(order for order, _ in pairs))
        object.__setattr__(self, "divergences", tuple(value for _, value in pairs))
        object.__setattr__(self, "promised_delta", exact_probability("delta", delta))

    @property
    def orders(self) -> tuple[Fraction, ...]:
        """The same as `alpha`."""
        return self.alpha

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The same as `divergences`."""
        return self.divergences

    @property
    def _in_floats(self) -> list[tuple[float, float]]:
        """Orders and bounds: a divergence grows with its order, so that of an order holds for the float below it."""
        curve: dict[float, float] = {}
        for order, value in zip(self.alpha, self.divergences, strict=True):
            place, bound = float_below(order), float_above(value)
            if place > 1.0:
                curve[place] = min(bound, curve.get(place, math.inf))
        return sorted(curve.items())

    @property
    def stated_orders(self) -> tuple[float, ...]:
        return tuple(order for order, _ in self._in_floats)

    @property
    def _member_rho(self) -> float:
        return float_below(min(value / order for order, value in zip(self.alpha, self.divergences, strict=True)))

    def at(self, order: Fraction) -> Fraction | None:
        # (a-1) D_a is convex in a and 0 at a = 1: it lies below its chords; beyond the largest order nothing is known
        below, curve_below = Fraction(1), Fraction(0)
        for above, value in zip(self.alpha, self.divergences, strict=True):
            curve_above = (above - 1) * value
            if order <= above:
                share = (order - below) / (above - below)
                return (curve_below + share * (curve_above - curve_below)) / (order - 1)
            below, curve_below = above, curve_above
        return None

    def bounds_at(self, orders: Array) -> Array:
        exact_bounds = dict(self._in_floats)
        places = np.array([1.0, *exact_bounds])
        with np.errstate(over="ignore", invalid="ignore"):
            heights = (places - 1.0) * np.array([0.0, *exact_bounds.values()])
            between = np.nan_to_num(np.interp(orders, places, heights, right=np.inf), nan=np.inf, posinf=np.inf)
        given = np.array([exact_bounds.get(order, math.inf) for order in orders.tolist()])
        error = 1e-14 * float(heights.max())  # of the chords, in which a few terms of that size are added
        bounds: Array = np.minimum(given, raised((between + error) / (orders - 1.0), 8))
        return bounds


def exact_order(value: Any, name: str = "order") -> Fraction:
    order = exact(name, value, "a finite number above 1")
    if order <= 1:
        raise InvalidParameter(name, value, "a finite number above 1", "For order 1 give a slightly larger one.")
    return order


def _listed_promises(value: Any) -> list[Any]:
    """Return the items of a list; text and arrays of one number are no lists."""
    if isinstance(value, str) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return [value]
    return list(value) if isinstance(value, Iterable) else [value]
