"""Two pairs, one of which an analyst chooses for each step after the answers so far: tests from below (M31).

A test accepts with probability alpha under A and beta under B, and delta(eps) >= alpha - e^eps beta for each of them.
After one more step, chosen first, a test is one of the earlier tests for each answer: alpha and beta are sums of
positive products, and any choice is sound.
"""

import math
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import TINIEST, U, lowered, strictly_raised
from tightbudget.pairs.base import Array, Cells, Pair

_ANSWERS = 250  # cells that the answers of a step are merged into, and as many more for the usual ones
_THRESHOLDS = 4000  # for each of which a test is kept
_TAIL, _UNUSUAL = 1e-30, 1e-3  # of a distribution beyond the outermost cells, and beyond the narrow ones
_DEVIATIONS = 15.0  # of the sum of losses, for which there are thresholds
_MOST_LOSS = 600.0


class AnalystAnswers(NamedTuple):
    """Events of one step: masses of A rounded down, of B rounded up, and about their losses."""

    a: Array
    b: Array
    losses: Array


class Tests(NamedTuple):
    """With which probabilities tests accept: under A rounded down, under B rounded up."""

    alpha: Array
    beta: Array


class ChoosingAnalyst:
    """What an analyst attains in some steps, who chooses for each one of several pairs."""

    def __init__(self, pairs: tuple[Pair, ...], count: int) -> None:
        self._pairs, self._count = pairs, count

    def delta(self, epsilon: float) -> float:
        """Return a lower bound on delta(epsilon), epsilon >= 0, of the steps together."""
        if not epsilon < _MOST_LOSS:
            return 0.0
        attained = 0.0
        for alpha, beta in (self._last(one, epsilon) for one in self._answers):
            spent = strictly_raised(strictly_raised(math.exp(epsilon), 8) * beta, 4)
            attained = max(attained, lowered(alpha, 4) - spent - 2.0 * U * alpha)
        return attained

    def epsilon(self, delta: float) -> float:
        """Return an epsilon below which more than this delta is attained; 0 if none is found."""
        low, high = 0.0, min(_MOST_LOSS, self._end + 1.0)
        if not self.delta(low) > delta:
            return 0.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return low

    @cached_property
    def _answers(self) -> list[AnalystAnswers]:
        return [_analyst_answers(pair) for pair in self._pairs]

    @cached_property
    def _end(self) -> float:
        """The largest threshold for which there are tests."""
        widest = max(float(np.abs(one.losses[np.isfinite(one.losses)]).max(initial=0.0)) for one in self._answers)
        usual = max(float(one.a @ np.minimum(np.abs(one.losses), widest) ** 2) for one in self._answers)
        spread = math.sqrt(usual * self._count)
        return min(_MOST_LOSS, self._count * widest, _DEVIATIONS * spread + self._count * usual) + TINIEST

    @cached_property
    def _thresholds(self) -> Array:
        return np.append(np.linspace(-self._end, self._end, _THRESHOLDS + 1), np.inf)

    @cached_property
    def _earlier(self) -> Tests:
        """The tests for all thresholds after all steps but one."""
        accepted = np.where(self._thresholds < 0.0, 1.0, 0.0)
        tests = Tests(accepted, accepted.copy())
        for _ in range(self._count - 1):
            tests = reduce(self._better, (self._tests_after(one, tests) for one in self._answers))
        return tests

    def _steps(self, losses: Array) -> NDArray[np.intp]:
        """Return about how many steps between thresholds each loss has; so many that nothing is left if it is inf."""
        steps = np.rint(losses * (0.5 * _THRESHOLDS / self._end))
        return np.clip(steps, -_THRESHOLDS - 1.0, 2.0 * _THRESHOLDS).astype(np.intp)

    def _tests_after(self, one: AnalystAnswers, earlier: Tests) -> Tests:
        """Return tests for all thresholds after one more step, each about the best for its threshold."""
        shifts, of_shift = np.unique(self._steps(one.losses), return_inverse=True)
        found = []
        for masses, tests in ((one.a, earlier.alpha), (one.b, earlier.beta)):
            # below the thresholds every answer is accepted, above them only those that tell all
            wide = np.concatenate([np.ones(2 * _THRESHOLDS), tests[:-1], np.full(_THRESHOLDS + 1, tests[-1])])
            total, told = np.zeros(_THRESHOLDS + 1), np.isinf(one.losses)
            for shift, mass in zip(shifts.tolist(), np.bincount(of_shift, weights=masses).tolist(), strict=True):
                begin = 2 * _THRESHOLDS - shift
                total += mass * wide[begin : begin + _THRESHOLDS + 1]
            found.append(np.append(total, masses[told].sum() + masses[~told].sum() * tests[-1]))
        return self._rounded(one, *found)

    def _last(self, one: AnalystAnswers, threshold: float) -> tuple[float, float]:
        """Return one test after all steps, for a threshold between others."""
        place = np.clip((threshold + self._end) * (0.5 * _THRESHOLDS / self._end), 0.0, _THRESHOLDS + 1.0)
        index = np.clip(int(np.rint(place)) - self._steps(one.losses) + 1, 0, _THRESHOLDS + 2)
        tests = (float(masses @ np.append(1.0, side)[index]) for masses, side in zip(one[:2], self._earlier, strict=True))
        alpha, beta = self._rounded(one, *(np.array([test]) for test in tests))
        return float(alpha[0]), float(beta[0])

    def _rounded(self, one: AnalystAnswers, alpha: Array, beta: Array) -> Tests:
        terms = 4.0 * one.a.size + 16.0
        return Tests(_lowered_sums(alpha, terms), _raised_sums(beta, terms))

    def _better(self, one: Tests, other: Tests) -> Tests:
        """Return the better of two tests at every threshold: each is sound."""
        ratios = np.exp(np.minimum(self._thresholds, 700.0))
        first = one.alpha - ratios * one.beta >= other.alpha - ratios * other.beta
        return Tests(np.where(first, one.alpha, other.alpha), np.where(first, one.beta, other.beta))


def _analyst_answers(pair: Pair) -> AnalystAnswers:
    """Return a pair with its losses merged into cells, which is post-processing."""
    points = pair.points()
    edges = np.unique([np.linspace(*_analyst_loss_ends(pair.coarse_cells(), tail), _ANSWERS) for tail in (_TAIL, _UNUSUAL)])
    between = pair.cells(np.concatenate([[-np.inf], edges, [np.inf]]))
    cells = Cells.join(between, points)
    place = np.concatenate([np.arange(between.size), np.searchsorted(edges, points.low)])
    with np.errstate(invalid="ignore"):
        least, most = cells.log_a - cells.error, np.minimum(cells.log_b + cells.error, 0.0)  # no mass is above 1
    # whichever of the two is nothing stays nothing, whatever its error; the other one is as uncertain as it says
    least, most = (np.where(known > -np.inf, end, -np.inf) for known, end in ((cells.log_a, least), (cells.log_b, most)))
    a: Array = np.bincount(place, weights=np.exp(least)).astype(np.float64)
    b: Array = np.bincount(place, weights=np.exp(most)).astype(np.float64)
    roundings = 2.0 * cells.size + 2000.0  # of sums, and of exponents up to 700
    a = np.append(_lowered_sums(a, roundings), pair.infinity.at(_MOST_LOSS).lower)
    b = np.append(_raised_sums(b, roundings), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.where(b > 0.0, np.log(a) - np.log(b), np.inf)
    some = a > 0.0
    return AnalystAnswers(a[some], b[some], losses[some])


def _raised_sums(sums: Array, terms: float) -> Array:
    """Return sums of so many terms, rounded up; each term may have underflowed."""
    above: Array = strictly_raised(sums, terms) + terms * TINIEST
    return above


def _lowered_sums(sums: Array, terms: float) -> Array:
    """Return sums of so many terms, rounded down; each term may have been a denormal that was rounded up."""
    below: Array = np.maximum(0.0, lowered(sums, terms) - terms * TINIEST)
    return below


def _analyst_loss_ends(coarse: Cells, tail: float) -> tuple[float, float]:
    """Return losses between which all lies but a tail of A above, and of B below."""
    above = np.flatnonzero(np.cumsum(np.exp(coarse.log_a)[::-1])[::-1] > tail)
    below = np.flatnonzero(np.cumsum(np.exp(coarse.log_b)) > tail)
    return float(coarse.low[below[0]]), float(coarse.high[above[-1]])
