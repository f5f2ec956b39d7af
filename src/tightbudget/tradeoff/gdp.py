"""The least mu for which mu-GDP dominates: a normal trade-off curve above a polygon of certified lines (M23)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.engine.reasons import ROUNDING
from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.questions import NEGLIGIBLE_WIDTH
from tightbudget.numerics.rounding import AMPLE, U, raised
from tightbudget.tradeoff.both_directions import TradeOff
from tightbudget.tradeoff.signed import ROUGH
from tightbudget.tradeoff.touching import Power

Array = NDArray[np.float64]

_LINES = 25  # at first
_MOST_LINES = 400
_ROUNDS = 12
_SHARE = 0.25  # of the tolerance, for each delta
_QUANTILE = 4.0 * AMPLE  # relative error of a quantile with much room: ndtri_exp is good to 2^14 u (M1)
_NEAR_ZERO = 1e-15  # absolute error of a quantile near 0, where the probability is near 1/2
TAILS = "tests with ever smaller error rates decide; gdp_mu(down_to=1e-5) asks about those that occur"
DEEP = (0.1, 1e-3, 1e-6, 1e-12, 1e-24, 1e-48)
"""False positive rates at which a lower bound is looked for where no rate ends the search."""


class Cell(NamedTuple):
    """A piece of the polygon between two false positive rates, and the mu that is above it."""

    mu: float
    left: float
    right: float
    epsilon: float


def mu_of_test(fpr: float, tpr: float, side: float) -> float:
    """Return the mu of the normal curve through (fpr, tpr), rounded up for side 1 and down for side -1; from 0."""
    if tpr >= 1.0:
        return math.inf if side > 0.0 else _mu_of_power(fpr, math.nextafter(1.0, 0.0), side)
    return _mu_of_power(fpr, tpr, side) if tpr > fpr else 0.0


def _mu_of_power(fpr: float, tpr: float, side: float) -> float:
    first, second = _upper_normal_quantile(fpr), _upper_normal_quantile(tpr)
    return max(0.0, first - second + side * (_QUANTILE * (abs(first) + abs(second)) + 2.0 * _NEAR_ZERO))


def _upper_normal_quantile(p: float) -> float:
    """Return z with P(Z > z) = p, for 0 < p < 1."""
    if p <= 0.5:
        return -float(special.ndtri_exp(math.log(p)))
    return float(special.ndtri_exp(math.log(1.0 - p)))  # 1 - p is exact


class Polygon:
    """The lines delta + e^epsilon fpr above a trade-off curve, and how large a mu must be to stay above them."""

    def __init__(self, trade_off: TradeOff, rtol: float) -> None:
        self._trade_off, self._rtol = trade_off, _SHARE * rtol
        self._lines: dict[float, float] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, epsilon: float) -> None:
        self._lines[epsilon] = self._trade_off.delta_upper(epsilon, self._rtol)

    def cells(self, least: float) -> list[Cell]:
        """Return the pieces from the rate `least` to where the curve meets its mirror image, each with its mu.

        Guarantee: the normal curve of a mu lies above the piece if mu is at least that of the cell: a concave curve is
        above a line between two places if it is at both.
        """
        epsilons = np.array(sorted(self._lines))
        deltas = np.array([self._lines[epsilon] for epsilon in epsilons])
        middle = min(1.0, raised(0.5 * (1.0 - float(deltas[0])), 4))
        places = _trade_off_corners(epsilons, deltas, least, middle)
        heights = _trade_off_line_heights(epsilons, deltas, places)
        worst = np.maximum(heights[:, :-1], heights[:, 1:] * (places[:-1] / places[1:]))  # only to choose a line
        chosen = np.argmin(worst, axis=0)
        found = []
        for i, line in enumerate(chosen.tolist()):
            ends = ((float(places[j]), float(heights[line, j])) for j in (i, i + 1))
            mu = max(mu_of_test(fpr, tpr, 1.0) if fpr > 0.0 else 0.0 if tpr == 0.0 else math.inf for fpr, tpr in ends)
            found.append(Cell(mu, float(places[i]), float(places[i + 1]), float(epsilons[line])))
        # the curve meets its mirror image at the last place or right of it: there it is as high as the line of slope 1
        # is here, at most, and so is what lies between
        top = mu_of_test(float(places[-1]), float(heights[0, -1]), 1.0)
        return [*found[:-1], found[-1]._replace(mu=max(found[-1].mu, top))]

    def beside(self, epsilon: float) -> list[float]:
        """Return the epsilons halfway to both neighbours of a line, and of the last one as far again."""
        epsilons = sorted(self._lines)
        i = epsilons.index(epsilon)
        found = [0.5 * (epsilon + epsilons[j]) for j in (i - 1, i + 1) if 0 <= j < len(epsilons)]
        if epsilon == epsilons[-1] < self._trade_off.max_loss:
            found.append(min(2.0 * epsilon - epsilons[i - 1], self._trade_off.max_loss))
        return found


def _trade_off_corners(epsilons: Array, deltas: Array, least: float, middle: float) -> Array:
    """Return where neighbouring lines cross, in increasing order, with both ends; any places would do."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rise = np.exp(-epsilons[1:]) / -np.expm1(epsilons[:-1] - epsilons[1:])
        crossings = (deltas[:-1] - deltas[1:]) * rise
    inside = crossings[(crossings > least) & (crossings < middle)]
    return np.unique(np.concatenate([[least], inside, [max(least, middle)]]))


def _trade_off_line_heights(epsilons: Array, deltas: Array, places: Array) -> Array:
    """Return the heights of all lines (rows) at the places, rounded up and at most 1."""
    with np.errstate(divide="ignore"):
        logs = np.log(places)
    exponents = np.minimum(epsilons[:, None] + logs[None, :], 1.0)
    with np.errstate(invalid="ignore"):
        error = AMPLE + 4.0 * U * (epsilons[:, None] + np.where(np.isfinite(logs), np.abs(logs), 0.0)[None, :])
    risen: Array = deltas[:, None] + np.exp(exponents) * (1.0 + error)
    return np.minimum(1.0, raised(risen, 4))


def least_mu(c: Composable, rtol: float, effort: float | None, down_to: float, known: float) -> Power:
    """Return bounds on the least mu whose normal curve is above that of the composition.

    Only tests with error rates (false positive and false negative) from `down_to` on count. `known` is a mu that a
    theorem gives for all tests, inf if there is none.
    """
    trade_off, advantage = TradeOff(c, effort), c.delta(0.0, _SHARE * rtol, NEGLIGIBLE_WIDTH, effort)
    low, high = trade_off.at_infinity
    if advantage.upper == 0.0:
        return Power(0.0, 0.0, "")
    if advantage.lower == 1.0 or (down_to == 0.0 and low > 0.0):
        return Power(math.inf, math.inf, "")
    if not down_to < 0.5 * (1.0 - advantage.upper):
        most = 0.5 * (1.0 - advantage.upper)
        raise InvalidParameter("down_to", down_to, f"below {most:.3g}", "No test that is worth it has two larger error rates.")
    # there the curve meets its mirror image, on a line of slope 1
    lower = _from_advantage(advantage.lower)
    if down_to == 0.0 and (trade_off.max_loss == math.inf or high > 0.0):
        return _by_theorem(trade_off, rtol, lower, known)
    return _by_polygon(trade_off, rtol, lower, known, down_to)


def _by_polygon(trade_off: TradeOff, rtol: float, lower: float, upper: float, down_to: float) -> Power:
    """Return bounds from lines above the curve, more of them where it matters, and from the tests that are worst."""
    polygon, reason = Polygon(trade_off, rtol), ""
    last = trade_off.touching_epsilon(down_to) if down_to > 0.0 else trade_off.max_loss
    for epsilon in np.linspace(0.0, last, _LINES).tolist():
        polygon.add(epsilon)
    for _ in range(_ROUNDS):
        cells = polygon.cells(down_to)
        worst = max(cells)
        upper = min(upper, worst.mu)
        rate = worst.right if worst.left == 0.0 else math.sqrt(worst.left) * math.sqrt(worst.right)
        if not _mu_is_narrow(lower, upper, rtol):
            shown, reason = _mu_shown_by_test(trade_off, rate, _SHARE * rtol)
            lower = max(lower, shown)
        if _mu_is_narrow(lower, upper, rtol):
            return _checked_power(lower, upper, "")
        high = {cell.epsilon for cell in cells if cell.mu > lower * (1.0 + 0.5 * rtol)}
        new = {epsilon for one in high for epsilon in polygon.beside(one)}
        if len(polygon) + len(new) > _MOST_LINES:
            break
        for epsilon in new:
            polygon.add(epsilon)
    return _checked_power(lower, upper, reason or ROUNDING)


def _mu_shown_by_test(trade_off: TradeOff, rate: float, rtol: float) -> tuple[float, str]:
    """Return the mu that a test shows, rounded down; its power is asked as narrowly as what exceeds the rate."""
    rough = trade_off.tpr(rate, rtol)
    excess = max(rough.upper - rate, 0.0) / rough.upper
    found = trade_off.tpr(rate, rtol * excess) if excess else rough
    return mu_of_test(rate, found.lower, -1.0), found.reason


def _checked_power(lower: float, upper: float, reason: str) -> Power:
    if lower > upper:
        raise Contradiction(lower, upper)
    return Power(lower, upper, reason)


def _by_theorem(trade_off: TradeOff, rtol: float, lower: float, upper: float) -> Power:
    """Return what a theorem gives, with the best lower bound that some test shows: losses have no bound."""
    for rate in DEEP:
        if _mu_is_narrow(lower, upper, rtol):
            break
        lower = max(lower, mu_of_test(rate, trade_off.power_attained(rate, ROUGH), -1.0))
    return _checked_power(lower, upper, "" if _mu_is_narrow(lower, upper, rtol) else TAILS)


def _mu_is_narrow(lower: float, upper: float, rtol: float) -> bool:
    return upper - lower <= max(rtol * upper, NEGLIGIBLE_WIDTH) < math.inf


def _from_advantage(advantage: float) -> float:
    """Return mu with 2 Phi(mu/2) - 1 = advantage, rounded down."""
    if advantage <= 0.0:
        return 0.0
    if advantage >= 1.0:
        return mu_of_test(0.5, 1.0, -1.0)
    return max(0.0, 2.0 * math.sqrt(2.0) * float(special.erfinv(advantage)) * (1.0 - _QUANTILE))
