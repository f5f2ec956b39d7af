"""Choosing the best candidate by noisy scores: the exponential mechanism, permute-and-flip, report noisy max (M33)."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from tightbudget.mechanisms.bounded_range import BoundedRange
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.laplace import Laplace
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.randomized_response import RandomizedResponse
from tightbudget.mechanisms.relations import ANY
from tightbudget.mechanisms.stated import Ratio
from tightbudget.numerics.rounding import lowered
from tightbudget.pairs.base import Array, Direction, Pair


@dataclass(frozen=True, init=False)
class Selection(Mechanism):
    """One of several candidates, chosen by scores that a record moves; known by the epsilon it is run with."""

    neighbours: ClassVar[str] = ANY
    promises: ClassVar[tuple[str, ...]] = ("promised_epsilon",)
    reveal_more: ClassVar[tuple[str, ...]] = ("epsilon",)

    promised_epsilon: float = field(metadata={"argument": "epsilon"})

    def __init__(self, epsilon: float) -> None:
        positive("epsilon", epsilon, zero=True)
        object.__setattr__(self, "promised_epsilon", epsilon)
        self._check_parameters()

    @property
    def _dominating(self) -> Mechanism:
        """A mechanism with the least pair that dominates the class."""
        raise NotImplementedError

    @property
    def orders_exchanged(self) -> bool:
        return self._dominating.orders_exchanged

    def pair(self, direction: Direction) -> Pair | None:
        return self._dominating.pair(direction)

    @property
    def stated_epsilon(self) -> Ratio:
        return Ratio(self.promised_epsilon)

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        return self._dominating.known_log_moment(pair, direction, orders)

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return self._dominating.known_rho(pair, direction)


@dataclass(frozen=True, init=False)
class Exponential(Selection):
    """Choose by the exponential mechanism: bounded_range(eta=epsilon).

    epsilon  0 or more: candidates are drawn with weights
             exp(epsilon score / 2) where a record moves scores by up to 1,
             and exp(epsilon score) where it moves all of them one way

    Neighbours: any relation, the one that scores are moved under. Its loss
    varies by at most epsilon: epsilon-bounded range, which is more than
    epsilon-differential privacy. It stands for a class, as `bounded_range`.

    >>> from tightbudget import Exponential
    >>> print(Exponential(epsilon=1.0).delta(epsilon=0.5))
    [0.0774..., 0.0774...]
    """

    name: ClassVar[str] = "exponential"

    @property
    def _dominating(self) -> Mechanism:
        return BoundedRange(eta=self.promised_epsilon)

    @property
    def loss_range(self) -> float:
        return float(self.promised_epsilon)

    def member(self) -> Mechanism:
        return self._dominating.member()


@dataclass(frozen=True, init=False)
class PermuteAndFlip(Selection):
    """Choose by permute-and-flip: the highest score with exponential noise.

    epsilon  0 or more: noise has rate epsilon / 2 where a record moves
             scores by up to 1, and epsilon where it moves all of them one way

    Neighbours: any relation, the one that scores are moved under. It stands
    for a class: at every epsilon some scores attain the upper end of a
    single step; of a composition the lower end is that of two candidates
    half-way apart.

    >>> from tightbudget import PermuteAndFlip
    >>> print(PermuteAndFlip(epsilon=1.0).delta(epsilon=0.5))
    [0.2211..., 0.2211...]
    """

    name: ClassVar[str] = "permute_and_flip"

    @property
    def _dominating(self) -> Mechanism:
        return Laplace(scale=1.0, sensitivity=float(self.promised_epsilon))

    def member(self) -> Mechanism:
        # Two candidates whose scores change places: the better one wins with probability 1 - e^{-epsilon/2} / 2.
        truth = lowered(1.0 - 0.5 * math.exp(-0.5 * float(self.promised_epsilon)), 16)
        return RandomizedResponse(p=max(0.5, truth))


@dataclass(frozen=True, init=False)
class ReportNoisyMax(PermuteAndFlip):
    """Choose the highest noisy score; noise may be exponential, Laplace or Gumbel.

    epsilon  0 or more: noise has scale 2 / epsilon where a record moves
             scores by up to 1, and 1 / epsilon where it moves all of them
             one way

    Neighbours: any relation, the one that scores are moved under. It stands
    for a class: any noise whose hazard rate is at most one over its scale.
    Exponential noise attains the upper end of a single step.

    >>> from tightbudget import ReportNoisyMax
    >>> print((ReportNoisyMax(epsilon=0.1) * 10).epsilon(delta=1e-6))
    [0.9755..., 0.9989...]
    """

    name: ClassVar[str] = "report_noisy_max"
