"""The least mu for which mu-GDP dominates: a normal trade-off curve above a polygon of certified lines (M23)."""

import math
from decimal import ROUND_FLOOR
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.engine.reasons import OF_A_CLASS, ROUNDING
from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.questions import NEGLIGIBLE_WIDTH
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.numerics.rounding import AMPLE, U, lowered, lowered_by, raised
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
_DEEPER = (1e-96, 1e-192, 1e-300)
"""The same, for tests that are still likely to succeed at all of these."""
_LIKELY = 0.5
_NO_DIGITS = 0.5  # heights above this are known by what they leave of 1: a float near 1 says little of that
_MIDWAY = (0.125, 0.25, 0.5, 0.75, 1.0)  # of the epsilon over which delta halves
_SMALLEST_RATE = 1e-290
_TAIL_ERROR = 1e-9  # relative, of a normal tail: ndtr is good to some z^2 u, z below 40


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


def _mu_of_errors(fpr: float, fnr: float) -> float:
    """Return the mu of the normal curve through (fpr, 1 - fnr), rounded up; a small fnr keeps its digits."""
    if fnr <= 0.0:
        return math.inf
    first, second = _upper_normal_quantile(fpr), _upper_normal_quantile(fnr)
    return max(0.0, first + second + _QUANTILE * (abs(first) + abs(second)) + 2.0 * _NEAR_ZERO)


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
        middle = max(least, _rate_before_middle(epsilons, deltas))
        # The curve meets its mirror image at `middle` or right of it, at (a, 1 - a): what lies between is no higher
        # than 1 - middle, and every normal curve that is as high at `middle` is above it.
        top = _mu_of_errors(middle, middle) if middle > 0.0 else math.inf
        places = _trade_off_corners(epsilons, deltas, least, middle)
        if places.size == 1:
            return [Cell(top, middle, middle, float(epsilons[0]))]
        heights, rests = _trade_off_line_heights(epsilons, deltas, places)
        worst = np.maximum(heights[:, :-1], heights[:, 1:] * (places[:-1] / places[1:]))  # only to choose a line
        rest = np.sqrt(rests[:, :-1]) * np.sqrt(rests[:, 1:])
        rest = np.where(rest.max(axis=0) > 0.0, rest, rests[:, :-1])
        chosen = np.where(worst.min(axis=0) > _NO_DIGITS, np.argmax(rest, axis=0), np.argmin(worst, axis=0))
        found = []
        for i, line in enumerate(chosen.tolist()):
            mu = max(_mu_of_end(float(places[j]), float(heights[line, j]), float(rests[line, j])) for j in (i, i + 1))
            if places[i] > 0.0:  # up to its mirror image the curve is no higher than 1 - middle
                mu = min(mu, _mu_of_errors(float(places[i]), middle))
            found.append(Cell(mu, float(places[i]), float(places[i + 1]), float(epsilons[line])))
        return [*found[:-1], found[-1]._replace(mu=max(found[-1].mu, top))]

    def beside(self, epsilon: float) -> list[float]:
        """Return the epsilons halfway to both neighbours of a line, and of the last one as far again."""
        epsilons = sorted(self._lines)
        i = epsilons.index(epsilon)
        found = [0.5 * (epsilon + epsilons[j]) for j in (i - 1, i + 1) if 0 <= j < len(epsilons)]
        if epsilon == epsilons[-1] < self._trade_off.max_loss:
            found.append(min(2.0 * epsilon - epsilons[i - 1], self._trade_off.max_loss))
        return found


def _mu_of_end(fpr: float, height: float, rest: float) -> float:
    """Return the mu of the normal curve as high as a line at a rate, by the height or by what it leaves of 1."""
    if fpr == 0.0:
        return 0.0 if height == 0.0 else math.inf
    return mu_of_test(fpr, height, 1.0) if height <= _NO_DIGITS else _mu_of_errors(fpr, rest)


def _rate_before_middle(epsilons: Array, deltas: Array) -> float:
    """Return a rate at or before that at which the curve meets its mirror image.

    A line at or above the curve meets the antidiagonal there or before. Where delta(0) is so near 1 that nothing is
    left, lines of larger epsilons still know the size of the rate.
    """
    with np.errstate(over="ignore"):
        crossings = (1.0 - deltas) / (1.0 + np.exp(epsilons))
    return _tail_below(float(crossings.max()), AMPLE)


def _tail_below(rate: float, error: float) -> float:
    """Return a rate no larger than the exact one, given its relative error; 0 where floats are about to lose digits."""
    return lowered_by(rate, error) if rate > _SMALLEST_RATE else 0.0


def _trade_off_corners(epsilons: Array, deltas: Array, least: float, middle: float) -> Array:
    """Return where neighbouring lines cross, in increasing order, with both ends; any places would do."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rise = np.exp(-epsilons[1:]) / -np.expm1(epsilons[:-1] - epsilons[1:])
        crossings = (deltas[:-1] - deltas[1:]) * rise
    inside = crossings[(crossings > least) & (crossings < middle)]
    return np.unique(np.concatenate([[least], inside, [max(least, middle)]]))


def _trade_off_line_heights(epsilons: Array, deltas: Array, places: Array) -> tuple[Array, Array]:
    """Return the heights of all lines (rows) at the places, rounded up, and what they leave of 1, rounded down."""
    with np.errstate(divide="ignore"):
        logs = np.log(places)
    exponents = np.minimum(epsilons[:, None] + logs[None, :], 1.0)
    with np.errstate(invalid="ignore"):
        error = AMPLE + 4.0 * U * (epsilons[:, None] + np.where(np.isfinite(logs), np.abs(logs), 0.0)[None, :])
    rises = np.exp(exponents) * (1.0 + error)
    risen: Array = deltas[:, None] + rises
    left: Array = (1.0 - deltas)[:, None]
    rests = left - rises - 4.0 * U * (left + rises)
    return np.minimum(1.0, raised(risen, 4)), np.maximum(0.0, rests)


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
    least, most = trade_off.normal_shift
    known = min(known, most)
    if down_to > 0.0:
        _check_some_test_remains(trade_off, down_to, advantage, known)
    # there the curve meets its mirror image, on a line of slope 1
    lower = max(_from_advantage(advantage.lower), least)
    if most < math.inf or _mu_is_narrow(lower, known, rtol):  # a normal curve, or a class whose hull is one
        return _checked_power(lower, known, "" if _mu_is_narrow(lower, known, rtol) else OF_A_CLASS)
    if down_to == 0.0 and (trade_off.max_loss == math.inf or high > 0.0):
        return _by_theorem(trade_off, rtol, lower, known)
    return _by_polygon(trade_off, rtol, lower, known, down_to)


def _check_some_test_remains(trade_off: TradeOff, down_to: float, advantage: Bracket, known: float) -> None:
    """Refuse a rate unless the curve certainly meets its mirror image beyond it: else it may leave out every test."""
    rate = max(lowered(0.5 * (1.0 - advantage.upper), 2), _tail_below(float(special.ndtr(-0.5 * known)), _TAIL_ERROR))
    if not down_to < rate:
        epsilons = np.array(_MIDWAY) * trade_off.scale
        deltas = [trade_off.delta_upper(epsilon, _SHARE) for epsilon in epsilons.tolist()]
        rate = max(rate, _rate_before_middle(epsilons, np.array(deltas)))
    if down_to < rate:
        return
    allowed = f"below {decimal_rounded(rate, 3, ROUND_FLOOR)}" if rate else "0"
    none_left = down_to >= raised(0.5 * (1.0 - advantage.lower), 2)
    hint = "No optimal test has both error rates this large."
    raise InvalidParameter(
        "down_to",
        down_to,
        allowed,
        hint if none_left else "It is not known whether an optimal test has both error rates this large.",
    )


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
        if rate > 0.0 and not _mu_is_narrow(lower, upper, rtol):
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
    power = 1.0
    for rate in (*DEEP, *_DEEPER):
        if _mu_is_narrow(lower, upper, rtol) or (rate in _DEEPER and power < _LIKELY):
            break
        power = trade_off.power_attained(rate, ROUGH)
        lower = max(lower, mu_of_test(rate, power, -1.0))
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
