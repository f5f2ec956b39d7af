"""Bounded range: the exponential mechanism and its like (theory D.3)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import ANY
from tightbudget.mechanisms.stated import Ratio
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.exponential import ExponentialPair
from tightbudget.pairs.moments.closed import gaussian_log_moment
from tightbudget.pairs.moments.concentrated import half_square

_RANGES = (1e-150, 1e150)  # of bounded ranges whose quotients have digits


@dataclass(frozen=True)
class BoundedRange(Mechanism):
    """Any mechanism whose loss varies by at most eta, as the exponential one.

    eta  0 or more; epsilon itself for the exponential mechanism

    Neighbours: any relation. It stands for a class. A single step attains
    the pair that dominates the class; a composition need not: there the upper
    end holds for every mechanism of the class, and the lower end is that of
    one member, whose losses are +-eta/2 (decision 0008).

    >>> from tightbudget import BoundedRange
    >>> print((BoundedRange(eta=0.1) * 100).epsilon(delta=1e-6))
    [2.2..., 2.6...]
    """

    name: ClassVar[str] = "bounded_range"
    neighbours: ClassVar[str] = ANY
    promises: ClassVar[tuple[str, ...]] = ("eta",)
    reveal_more: ClassVar[tuple[str, ...]] = ("eta",)

    eta: float

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("eta", self.eta, zero=True)

    def member(self) -> Mechanism:
        return PureDP(0.5 * self.eta)  # its worst case has just two losses, eta apart

    @property
    def orders_exchanged(self) -> bool:
        return True  # members attain the curve at every rate, and it is its own mirror image (M23)

    def pair(self, direction: Direction) -> Pair | None:
        if self.eta == 0:
            return None
        return ExponentialPair(top=self.eta, reach=self.eta, log_weight=-math.log(-math.expm1(-self.eta)))

    @property
    def stated_epsilon(self) -> Ratio:
        return Ratio(self.eta)

    @property
    def loss_range(self) -> float:
        return float(self.eta)

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        return worst_log_moment(float(self.eta), orders)

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return 0.25 * half_square(float(self.eta))  # eta^2 / 8, as by Hoeffding's lemma


def worst_log_moment(eta: float, orders: Array) -> Array:
    """Return the largest moment of any pair whose losses lie in some [t - eta, t]; at most a (a-1) eta^2 / 8.

    It is that of two points, t - eta and t, at the worst t. With x = (1 - e^{-a eta}) / (1 - e^{-eta}) and
    y = x e^{-eta} - e^{-a eta} it is e^{at} (x e^{-t} - y), largest at e^t = (a-1) x / (a y).
    """
    thetas = orders - 1.0
    concentrated = gaussian_log_moment(0.5 * eta, orders)
    if not _RANGES[0] < eta < _RANGES[1]:  # the quotients below have no digits
        return concentrated
    x = np.expm1(-orders * eta) / math.expm1(-eta)
    # y = (e^{-eta} - e^{-a eta}) / (1 - e^{-eta}), a quotient without cancellation
    log_y = np.log(-np.expm1(-thetas * eta)) - eta - math.log(-math.expm1(-eta))
    log_ratio = np.log(thetas) - np.log(orders) + np.log(x) - log_y
    error_bound = 32.0 * U * orders * (4.0 + eta + np.abs(np.log(thetas)) + np.log(orders) + abs(math.log(-math.expm1(-eta))))
    return np.minimum(concentrated, log_y - np.log(thetas) + orders * log_ratio + error_bound)
