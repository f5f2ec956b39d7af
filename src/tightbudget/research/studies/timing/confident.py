"""Bounds that hold with a stated confidence for the distributions behind two samples."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import Contradiction
from tightbudget.mechanisms import Composition
from tightbudget.mechanisms.checks import whole_count
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.clopper_pearson import clopper_pearson
from tightbudget.pairs.base import Array
from tightbudget.research.studies.timing import roc
from tightbudget.research.studies.timing.counts import checked_counts
from tightbudget.research.studies.timing.limits import confidence_asked, each_error


@dataclass(frozen=True)
class Confident:
    """Bounds for `rounds` observations, each from distributions whose cell probabilities lie within confidence limits.

    Guarantee: with probability `confidence` over the samples, all brackets hold at once, for the distributions sampled
    from and even if each observation comes from another pair within the limits. Assumed: the values of each sample are
    independent and equally distributed, and the cells were fixed before looking.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    rounds: int
    confidence: float

    def __post_init__(self) -> None:
        a, b = checked_counts(self.a, self.b)
        asked = {"a": a, "b": b, "rounds": whole_count(self.rounds), "confidence": confidence_asked(self.confidence)}
        for name, value in asked.items():
            object.__setattr__(self, name, value)

    def delta(self, epsilon: float, rtol: float = 1e-3) -> Bracket:
        return self._between(lambda composition: composition.delta(epsilon, rtol=rtol))

    def epsilon(self, delta: float, rtol: float = 1e-3) -> Bracket:
        return self._between(lambda composition: composition.epsilon(delta, rtol=rtol))

    @property
    def revealing(self) -> float:
        """The largest mass of infinite losses within the limits, in one observation and the worse direction."""
        infinity, last = self._upper_curve[0][1], 1 - min(x for x, y in self._upper_curve if y == 1)
        return float(max(infinity, last))

    def _between(self, ask: Callable[[Composition], Bracket]) -> Bracket:
        lower, upper = ask(self._least), ask(self._most)
        # Each is a bracket of one extreme pair; only the outer ends bound the truth.
        if lower.lower > upper.upper:
            raise Contradiction(lower.lower, upper.upper)
        converged, reason = lower.converged and upper.converged, lower.reason or upper.reason
        return Bracket(lower.lower, upper.upper, converged, reason, roc.CurvePair.neighbours)

    @cached_property
    def _limits(self) -> tuple[Array, Array, Array, Array]:
        error = each_error(self.confidence, len(self.a))
        return (*clopper_pearson(np.array(self.a), error), *clopper_pearson(np.array(self.b), error))

    @cached_property
    def _most(self) -> Composition:
        return roc.CurvePair(tuple(self._upper_curve)) * self.rounds

    @cached_property
    def _least(self) -> Composition:
        return roc.CurvePair(tuple(self._lower_curve)) * self.rounds

    @cached_property
    def _upper_curve(self) -> list[roc.Point]:
        """A curve above that of every pair in the limits: accepted mass is bounded directly and through its rest."""
        a_low, a_high, b_low, b_high = (_exact_confidence_limits(limits) for limits in self._limits)
        zero = Fraction(0)
        rest_a, rest_b = 1 - sum(a_low, zero), 1 - sum(b_high, zero)
        return roc.lowest_roc(
            [
                roc.roc_curve(b_low, a_high),
                roc.roc_curve(b_low, a_low, start=(zero, rest_a)),
                roc.roc_curve(b_high, a_high, start=(rest_b, zero)),
                roc.roc_curve(b_high, a_low, start=(rest_b, rest_a)),
            ]
        )

    @cached_property
    def _lower_curve(self) -> list[roc.Point]:
        """A curve below that of every pair in the limits: any set of cells gives a point, whichever are tried."""
        a_low, a_high, b_low, b_high = (_exact_confidence_limits(limits) for limits in self._limits)
        # by the ratio of counts, from cells typical of A to cells typical of B; the set grows one by one
        order = sorted(range(len(self.a)), key=lambda cell: -(self.a[cell] + 1) / (self.b[cell] + 1))
        zero = Fraction(0)
        inside, outside = (zero, zero), (sum(a_high, zero), sum(b_low, zero))
        points = []
        for cell in order[:-1]:
            inside = inside[0] + a_low[cell], inside[1] + b_high[cell]
            outside = outside[0] - a_high[cell], outside[1] - b_low[cell]
            points.append((min(inside[1], 1 - outside[1]), max(inside[0], 1 - outside[0])))
        return roc.roc_hull((beta, alpha) for beta, alpha in points if alpha > beta)


def _exact_confidence_limits(limits: Array) -> list[Fraction]:
    return [Fraction(limit) for limit in limits.tolist()]
