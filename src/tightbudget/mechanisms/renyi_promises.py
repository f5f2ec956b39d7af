"""Promises of zCDP and of Rényi divergences, which add up before they get a pair (M34)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.gaussian import GaussianDP
from tightbudget.mechanisms.relations import ANY
from tightbudget.numerics.rounding import float_above, lowered, raised, strictly_raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.profile_grid import pair_of_profiles
from tightbudget.pairs.renyi_profile import renyi_profile, zcdp_profile
from tightbudget.pairs.revealing import revealing_pair

_MOST_RHO = 1e4  # a pair of more says no more than that all is revealed
_BETWEEN = 64  # orders tried from 1 to the smallest and between neighbours


class MomentPromise(Mechanism):
    """A promise on Rényi divergences in both directions. Those of a composition are one promise (M34)."""

    neighbours: ClassVar[str] = ANY
    attains_pair: ClassVar[bool] = False
    sums: ClassVar[bool] = True

    @property
    def curve_of_orders(self) -> tuple[tuple[float, float], ...]:
        """Orders and bounds of the divergences there; none of a promise for all orders."""
        return ()

    @property
    def rho_at_all_orders(self) -> float:
        """The rho of a promise for all orders; 0 of one for some."""
        return 0.0

    @property
    def _member_rho(self) -> float:
        """A rho so small that normal noise with it keeps the promise."""
        raise NotImplementedError

    def member(self) -> Mechanism:
        return GaussianDP(mu=lowered(math.sqrt(2.0 * self._member_rho), 8))

    def summed(self, parts: "Iterable[tuple[Mechanism, int]]") -> Mechanism:
        return PromisedBlock(tuple(parts))

    def pair(self, direction: Direction) -> Pair | None:
        return PromisedBlock(((self, 1),)).pair(direction)

    def bounds_at(self, orders: Array) -> Array:
        """Return bounds on the divergences at orders above 1, rounded up; inf where none is promised."""
        raise NotImplementedError

    def log_moment(self, direction: Direction, orders: Array) -> Array:
        return strictly_raised((orders - 1.0) * self.bounds_at(orders), 4)


@dataclass(frozen=True)
class ZCDP(MomentPromise):
    """Any mechanism that promises rho-zero-concentrated differential privacy.

    rho  0 or more: its Rényi divergence of every order a is at most rho a

    Neighbours: any relation, that of the steps it is composed with. All such
    promises of a composition are added up before they are turned into a
    pair. The lower end is that of normal noise that keeps them.

    >>> from tightbudget import ZCDP
    >>> print((ZCDP(rho=0.05) * 10).delta(epsilon=3))
    [0.0015..., 0.0051...]
    """

    name: ClassVar[str] = "zcdp"
    promises: ClassVar[tuple[str, ...]] = ("rho",)
    reveal_more: ClassVar[tuple[str, ...]] = ("rho",)

    rho: float

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("rho", self.rho, zero=True)

    @property
    def rho_at_all_orders(self) -> float:
        return float(self.rho)

    @property
    def _member_rho(self) -> float:
        return float(self.rho)

    def bounds_at(self, orders: Array) -> Array:
        return raised(self.rho * orders, 4)

    def zcdp_rho(self, direction: Direction) -> float:
        return float(self.rho)


@dataclass(frozen=True, init=False)
class RDP(MomentPromise):
    """Any mechanism that promises Rényi divergences at one order or several.

    alpha    orders above 1, one or several
    epsilon  the divergence promised at each of them, 0 or more

    Neighbours: any relation, that of the steps it is composed with; both
    directions are meant. All such promises of a composition are added up
    before they are turned into a pair. The lower end is that of normal noise
    that keeps them.

    >>> from tightbudget import RDP
    >>> step = RDP(alpha=(4, 16), epsilon=(0.1, 0.5))
    >>> print((step * 10).epsilon(delta=1e-6))
    [3.3..., 4.8...]
    """

    name: ClassVar[str] = "rdp"

    alpha: tuple[float, ...]
    divergences: tuple[float, ...] = field(metadata={"argument": "epsilon"})

    def __init__(self, alpha: "float | Iterable[float]", epsilon: "float | Iterable[float]") -> None:
        orders, values = _several(alpha), _several(epsilon)
        if not orders or len(orders) != len(values):
            raise InvalidParameter("alpha", alpha, f"one order for each epsilon, but there are {len(values)} of them")
        for order, value in zip(orders, values, strict=True):
            if not positive("alpha", order) > 1.0:
                raise InvalidParameter("alpha", order, "a number above 1")
            positive("epsilon", value, zero=True)
        pairs = sorted((float(order), float_above(Fraction(value))) for order, value in zip(orders, values, strict=True))
        if len({order for order, _ in pairs}) < len(pairs):
            raise InvalidParameter("alpha", alpha, "orders that differ from each other")
        object.__setattr__(self, "alpha", tuple(order for order, _ in pairs))
        object.__setattr__(self, "divergences", tuple(value for _, value in pairs))

    @property
    def curve_of_orders(self) -> tuple[tuple[float, float], ...]:
        return tuple(zip(self.alpha, self.divergences, strict=True))

    @property
    def _member_rho(self) -> float:
        return lowered(min(value / order for order, value in self.curve_of_orders), 4)

    def bounds_at(self, orders: Array) -> Array:
        # (a-1) D_a is convex in a and 0 at a = 1: it lies below its chords; beyond the largest order nothing is known
        places = np.array([1.0, *self.alpha])
        with np.errstate(over="ignore", invalid="ignore"):
            heights = (places - 1.0) * np.array([0.0, *self.divergences])
            between = np.nan_to_num(np.interp(orders, places, heights, right=np.inf), nan=np.inf, posinf=np.inf)
        exact = dict(self.curve_of_orders)
        given = np.array([exact.get(order, math.inf) for order in orders.tolist()])
        error = 1e-14 * float(heights.max())  # of the chords, in which a few terms of that size are added
        bounds: Array = np.minimum(given, raised((between + error) / (orders - 1.0), 8))
        return bounds


@dataclass(frozen=True)
class PromisedBlock(Mechanism):
    """All promises on Rényi divergences of a composition, as one."""

    name: ClassVar[str] = "promised_block"
    neighbours: ClassVar[str] = ANY

    parts: tuple[tuple[Mechanism, int], ...]

    def pair(self, direction: Direction) -> Pair | None:
        rho, orders, bounds = self._sum()
        if rho > _MOST_RHO or (orders and not math.isfinite(min(bounds))):
            return revealing_pair()
        if rho == 0.0 and not any(bounds):
            return None
        return _promised_pair(rho, orders, bounds)

    def _sum(self) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
        """Return the rho of the promises for all orders, and the sums at the orders that the others name."""
        promises = [(step, count) for step, count in self.parts if isinstance(step, MomentPromise)]
        rho = float_above(sum((Fraction(step.rho_at_all_orders) * count for step, count in promises), start=Fraction(0)))
        named = sorted({order for step, _ in promises for order, _ in step.curve_of_orders})
        if not named:
            return rho, (), ()
        ends = [1.0, *named]
        orders = np.unique(np.concatenate([np.geomspace(1e-3, 1.0, _BETWEEN)[:, None] * np.diff(ends) + ends[:-1]], axis=None))
        orders = np.union1d(orders[orders > 1.0], named)
        total = np.zeros(orders.size)
        with np.errstate(over="ignore"):
            for step, count in promises:
                total = raised(total + raised(count * step.bounds_at(orders), 4), 4)
        kept = np.isfinite(total)
        if not kept.any():  # bounds that no float holds are none
            return math.inf, (), ()
        return rho, tuple(orders[kept].tolist()), tuple(total[kept].tolist())


@REMEMBERED.remember
def _promised_pair(rho: float, orders: tuple[float, ...], bounds: tuple[float, ...]) -> PointPair:
    profile = renyi_profile(np.array(orders), np.array(bounds)) if orders else zcdp_profile(rho)
    made = pair_of_profiles(("promised", rho, orders, bounds), profile)
    assert made is not None  # the promise allows for some loss
    return made


def _several(value: object) -> list[float]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]  # type: ignore[list-item]
