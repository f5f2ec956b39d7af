"""The sparse vector technique: which queries are above a noisy threshold (M33)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.laplace import Laplace
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import ANY
from tightbudget.numerics.rounding import float_above
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.hollow_laplace import HollowLaplacePair
from tightbudget.pairs.revealing import revealing_pair
from tightbudget.pairs.short_stream import MOVES, RATES, short_stream_pair

_LEAST_HOLE = 1e-290  # of which half is a normal float
_MOST_TOTAL = 1e6  # beyond, all is revealed as far as floats can tell


@dataclass(frozen=True)
class SparseVector(Mechanism):
    """Tell which queries are above a threshold, until c of them are.

    threshold_epsilon  0 or more: the threshold has Laplace noise of scale
                       1 / threshold_epsilon, drawn once
    query_epsilon      0 or more: each query has Laplace noise of scale
                       2 c / query_epsilon, and c / query_epsilon where a
                       record moves all queries one way

    Neighbours: any relation under which a record moves each query by at most
    1. The lower end is that of nine queries, of which the last one moves down
    and the others up, with c = 1.

    >>> from tightbudget import SparseVector
    >>> print(SparseVector(0.5, query_epsilon=0.5).delta(epsilon=0.5).upper)
    0.22119921692...
    """

    name: ClassVar[str] = "sparse_vector"
    neighbours: ClassVar[str] = ANY
    attains_pair: ClassVar[bool] = False
    promises: ClassVar[tuple[str, ...]] = ("threshold_epsilon", "query_epsilon")
    often_called: ClassVar[Mapping[str, str]] = dict.fromkeys(("epsilon", "eps"), "threshold_epsilon and query_epsilon")
    reveal_more: ClassVar[tuple[str, ...]] = ("threshold_epsilon", "query_epsilon")

    threshold_epsilon: float
    query_epsilon: float

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("threshold_epsilon", self.threshold_epsilon, zero=True)
        positive("query_epsilon", self.query_epsilon, zero=True)

    def member(self) -> Mechanism:
        if self.query_epsilon == 0.0:
            return PureDP(0.0)
        rate, move = 2.0 * float(self.threshold_epsilon) / float(self.query_epsilon), 0.5 * float(self.query_epsilon)
        usual = RATES[0] <= rate <= RATES[1] and MOVES[0] <= move <= MOVES[1]
        return ShortStream(rate, move) if usual else PureDP(0.0)

    def pair(self, direction: Direction) -> Pair | None:
        threshold, queries = Fraction(self.threshold_epsilon), Fraction(self.query_epsilon)
        total = float_above(threshold + queries)
        if queries <= threshold:
            return Laplace(scale=1.0, sensitivity=total).pair(direction) if total < math.inf else revealing_pair()
        # below the difference of the two the Laplace profile is no bound; a wider hole dominates a narrower one
        hole = float_above(queries - threshold)
        return HollowLaplacePair(total, hole) if _LEAST_HOLE < hole < total < _MOST_TOTAL else PureDP(total).pair(direction)


@dataclass(frozen=True)
class ShortStream(Mechanism):
    """Nine queries against one threshold, until one of them is above it."""

    name: ClassVar[str] = "short_stream"
    neighbours: ClassVar[str] = ANY

    rate: float
    move: float

    def pair(self, direction: Direction) -> Pair | None:
        return short_stream_pair(self.rate, self.move, direction is Direction.REMOVE)
