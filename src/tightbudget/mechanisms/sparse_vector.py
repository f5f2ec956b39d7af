"""The sparse vector technique: which queries are above a noisy threshold (M33)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.laplace import Laplace
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import ANY
from tightbudget.numerics.rounding import float_above
from tightbudget.pairs.base import Direction, Pair


@dataclass(frozen=True)
class SparseVector(Mechanism):
    """Tell which queries are above a threshold, until c of them are.

    threshold_epsilon  0 or more: the threshold has Laplace noise of scale
                       1 / threshold_epsilon, drawn once
    query_epsilon      0 or more: each query has Laplace noise of scale
                       2 c / query_epsilon, and c / query_epsilon where a
                       record moves all queries one way

    Neighbours: any relation under which a record moves each query by at most
    1. An upper end only: the lower end is that of nothing.

    >>> from tightbudget import SparseVector
    >>> print(SparseVector(0.5, query_epsilon=0.5).delta(epsilon=0.5).upper)
    0.22119921692...
    """

    name: ClassVar[str] = "sparse_vector"
    neighbours: ClassVar[str] = ANY
    attains_pair: ClassVar[bool] = False
    promises: ClassVar[tuple[str, ...]] = ("threshold_epsilon", "query_epsilon")
    reveal_more: ClassVar[tuple[str, ...]] = ("threshold_epsilon", "query_epsilon")

    threshold_epsilon: float
    query_epsilon: float

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("threshold_epsilon", self.threshold_epsilon, zero=True)
        positive("query_epsilon", self.query_epsilon, zero=True)

    def member(self) -> Mechanism:
        return PureDP(0.0)

    @property
    def _dominating(self) -> Mechanism:
        total = float_above(Fraction(self.threshold_epsilon) + Fraction(self.query_epsilon))
        # where queries take more than the threshold the Laplace pair is no bound, and a pure promise is
        return Laplace(scale=1.0, sensitivity=total) if self.query_epsilon <= self.threshold_epsilon else PureDP(total)

    def pair(self, direction: Direction) -> Pair | None:
        return self._dominating.pair(direction)
