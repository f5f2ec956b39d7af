"""The optimal composition of different promises, bracketed by the engine.

The worst mechanism with promise (epsilon_i, delta_i) is randomised response that fails with probability delta_i, so the
optimum is delta of a product of such pairs (M12). Its exact value is #P-hard to compute; the engine composes the pairs
and gives both ends, where the published algorithm rounds the epsilons up to a grid.
Reference: Murtagh, Vadhan 2016, Theorem 1.5.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import EdgeAnswers, PromiseBound, prepared_promises
from tightbudget.classic.failure_probability import slack_left, some_step_fails, with_slack
from tightbudget.classic.kov import kov
from tightbudget.classic.promises import Promises
from tightbudget.divergences import rdp_delta
from tightbudget.errors import DoesNotApply
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked
from tightbudget.mechanisms.composition import Composable, Composition, compose
from tightbudget.mechanisms.promise import ApproximateDP
from tightbudget.numerics.bracket import Bracket

Array = NDArray[np.float64]

_ROUGH = 1e-2  # enough to see which of two choices is better
_RTOL = 1e-3
_LEAST_ALONG, _MOST_ALONG = 3, 8  # epsilons of a curve for which promises are chosen,
_SEARCHED = 240  # fewer where there are many different steps, which take long to choose for
_BEYOND = 1.25  # times the last of them: one more, since those chosen for a larger epsilon often serve best
_PARTS = 4  # into which the way from one choice to the next is divided
_SERVE_BELOW, _SERVE_ABOVE = 6, 2  # neighbours down to and up to whose epsilons a choice is tried
_STRIDES = (8, 4, 2, 1)
_ORDERS = 1.0 + np.geomspace(0.02, 1e4, 48)


def composition_of_promises(promises: Sequence[tuple[float, float]], counts: Sequence[int]) -> Composition:
    """Return the composition of mechanisms of which only the promises (epsilon_i, delta_i) are known."""
    pairs = zip(promises, counts, strict=True)
    return compose([ApproximateDP(epsilon, delta) * count for (epsilon, delta), count in pairs])


def _composed_promises(promises: Promises, epsilons: Array) -> Composition:
    deltas = promises.deltas(epsilons[None, :])[0].tolist()
    return composition_of_promises(list(zip(epsilons.tolist(), deltas, strict=True)), promises.counts)


@dataclass(frozen=True)
class OptimalBound(EdgeAnswers[None]):
    name: str = "Murtagh-Vadhan, optimal"
    reference: str = "Murtagh, Vadhan 2016, Thm 1.5"
    kind: str = "upper bound"

    def _told(self, promises: Promises) -> None:
        return None

    def _delta(self, promises: Promises, told: None, epsilon: float) -> float:
        return self.delta_bracket(promises, epsilon).upper

    def _epsilon(self, promises: Promises, told: None, delta: float) -> float:
        return self.epsilon_bracket(promises, delta).upper

    def _delta_at_infinity(self, promises: Promises, told: None) -> float:
        return self.delta_bracket(promises, math.inf).upper

    def _curve(self, promises: Promises, told: None, epsilons: Sequence[float]) -> list[float]:
        if _theorem_for_promises(promises) is kov:  # for equal promises the optimum has a formula
            return kov.curve(promises, epsilons)
        places = np.asarray(epsilons, dtype=np.float64)
        rows, anchors = _rows_along(promises, places)
        least = np.ones(places.size)
        for index, row in enumerate(rows):
            # any row holds at every epsilon; it is tried where it may serve best
            first, last = anchors[max(0, index - _SERVE_BELOW)], anchors[min(len(rows) - 1, index + _SERVE_ABOVE)]
            near = (places >= first) & (places <= last)
            if near.any():
                least[near] = np.minimum(least[near], _composed_promises(promises, row).curve(places[near], _ROUGH).upper)
        # delta falls as epsilon grows, so what holds at one epsilon holds at every larger one
        order = np.argsort(places, kind="stable")
        least[order] = np.minimum.accumulate(least[order])
        return [float(delta) for delta in least]

    def delta_bracket(self, asked: Composable | Promises, epsilon: float, rtol: float = _RTOL) -> Bracket:
        """Return a bracket of the optimal delta for the best promises found."""
        promises, epsilon = prepared_promises(asked), epsilon_asked(epsilon)
        if not promises.steps:
            return Bracket(0.0, 0.0)
        if math.isinf(epsilon):
            row = np.array([step.grid[-1] for step in promises.steps])
            return _composed_promises(promises, row).delta(epsilon, rtol)
        row = _promises_climbed(
            promises,
            _theorem_for_promises(promises).best_for_delta(promises, epsilon)[1],
            lambda tried: _composed_promises(promises, tried).delta(epsilon, _ROUGH).upper,
        )
        return _composed_promises(promises, row).delta(epsilon, rtol)

    def epsilon_bracket(self, asked: Composable | Promises, delta: float, rtol: float = _RTOL) -> Bracket:
        """Return a bracket of the optimal epsilon for the best promises found."""
        promises, delta = prepared_promises(asked), delta_asked(delta)
        if not promises.steps or delta == 1.0:
            return Bracket(0.0, 0.0)
        _, row = _theorem_for_promises(promises).best_for_epsilon(promises, delta)
        row = _promises_climbed(promises, row, lambda tried: _composed_promises(promises, tried).epsilon(delta, _ROUGH).upper)
        return _composed_promises(promises, row).epsilon(delta, rtol)


def _rows_along(promises: Promises, epsilons: Array) -> tuple[list[Array], list[float]]:
    """Return promises that suit a few of the epsilons, and rows between them; with the epsilons they are for.

    At infinity the best promises are those that fail least.
    """
    finite = np.unique(epsilons[np.isfinite(epsilons)])
    number = min(max(_SEARCHED // len(promises.steps), _LEAST_ALONG), _MOST_ALONG, finite.size)
    along = finite[np.linspace(0, finite.size - 1, number).round().astype(int)].tolist() if number else []
    along += [_BEYOND * epsilon for epsilon in along[-1:]]
    guide = _theorem_for_promises(promises)
    rows: list[Array] = []
    anchors: list[float] = []
    for epsilon in along:
        row = guide.best_for_delta(promises, epsilon)[1]
        parts = np.arange(1, _PARTS) / _PARTS if rows else np.empty(0)
        rows += [*(rows[-1] + part * (row - rows[-1]) for part in parts), row]
        anchors += [*(anchors[-1] + part * (epsilon - anchors[-1]) for part in parts.tolist()), epsilon]
    if finite.size < np.unique(epsilons).size:
        rows.append(np.array([step.grid[-1] for step in promises.steps]))
        anchors.append(math.inf)
    return rows, anchors


def _theorem_for_promises(promises: Promises) -> PromiseBound:
    """Return the theorem that says which promises to choose: for equal steps the optimum itself is one."""
    if len(promises.steps) == 1:
        try:
            kov.check(promises)
        except DoesNotApply:
            return _guide
        return kov
    return _guide


def _response_concentration(promises: Promises, epsilons: Array) -> Array:
    """Return rho a for each row and order: randomised response is epsilon tanh(epsilon/2)-zCDP (Steinke 2024)."""
    rho: Array = (epsilons * np.tanh(0.5 * epsilons)) @ np.array(promises.counts, dtype=np.float64)
    return rho[:, None] * _ORDERS[None, :]


def _guide_delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    slack = rdp_delta(_ORDERS[None, :], _response_concentration(promises, epsilons), epsilon).min(axis=1)
    return with_slack(promises, deltas, np.where(promises.weighted(epsilons) <= epsilon, 0.0, slack))


def _guide_epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    left = slack_left(promises, deltas, delta)
    a = _ORDERS[None, :]
    with np.errstate(all="ignore"):
        tails = (
            _response_concentration(promises, epsilons) + np.log1p(-1.0 / a) - (np.log(left)[:, None] + np.log(a)) / (a - 1.0)
        )
    tail = np.where(left > 0.0, np.maximum(tails.min(axis=1), 0.0), np.inf)
    return np.minimum(tail, np.where(some_step_fails(promises, deltas) <= delta, promises.weighted(epsilons), np.inf))


# Only a guide to good promises: it follows the optimum closely, and the engine gives the value.
_guide = PromiseBound("guide", "", _guide_delta, _guide_epsilon, at_infinity=some_step_fails)


def _promises_climbed(promises: Promises, row: Array, value: Callable[[Array], float]) -> Array:
    """Move all promises along their grids together, while that makes the value smaller."""
    if len(promises.steps) == 1:
        return row
    places = [int(np.searchsorted(step.grid, epsilon)) for step, epsilon in zip(promises.steps, row.tolist(), strict=True)]

    def moved(shift: int) -> Array:
        return np.array(
            [
                step.grid[min(max(place + shift, 0), step.grid.size - 1)]
                for step, place in zip(promises.steps, places, strict=True)
            ]
        )

    shift, least = 0, value(row)
    for stride in _STRIDES:
        for direction in (-stride, stride):
            tried = value(moved(shift + direction))
            while tried < least:
                shift, least = shift + direction, tried
                tried = value(moved(shift + direction))
    return row if shift == 0 else moved(shift)


murtagh_vadhan = OptimalBound()
