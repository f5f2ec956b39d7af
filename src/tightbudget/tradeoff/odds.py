"""From what is seen to what is believed: posteriors and the error of the best guess, rounded outward (M23)."""

import math

from tightbudget.numerics.rounding import AMPLE, TINIEST, U, lowered_by, raised_by


def belief_after(prior: float, log_ratio: float) -> tuple[float, float]:
    """Return bounds on the posterior prior r / (prior r + 1 - prior) for log r >= 0, and 0 < prior < 1.

    >>> belief_after(0.25, 0.0), belief_after(0.25, math.inf)
    ((0.25, 0.25), (1.0, 1.0))
    """
    if log_ratio in (0.0, math.inf):
        return (prior, prior) if log_ratio == 0.0 else (1.0, 1.0)
    log_odds = math.log(prior) - math.log1p(-prior) + log_ratio
    error = 4.0 * U * (abs(math.log(prior)) + abs(math.log1p(-prior)) + log_ratio + 1.0)
    lower = max(prior, lowered_by(_logistic_of_log_odds(log_odds - error), AMPLE) - TINIEST)
    return lower, min(1.0, raised_by(_logistic_of_log_odds(log_odds + error), AMPLE) + TINIEST)


def _logistic_of_log_odds(log_odds: float) -> float:
    if log_odds >= 0.0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)


def log_ratio(power: float, fpr: float) -> tuple[float, float]:
    """Return bounds on log(power / fpr), both above 0, at least 0."""
    if power == fpr:
        return 0.0, 0.0
    log = math.log(power) - math.log(fpr)
    error = 4.0 * U * (abs(math.log(power)) + abs(math.log(fpr)) + 1.0)
    return max(0.0, log - error), max(0.0, log + error)


def log_odds_against(chance: float) -> tuple[float, float]:
    """Return bounds on log((1 - chance) / chance) for 0 < chance <= 1/2, at least 0; exact for 1/2."""
    if chance == 0.5:
        return 0.0, 0.0
    log = math.log1p(-chance) - math.log(chance)
    error = 4.0 * U * (abs(math.log(chance)) + 1.0)
    return max(0.0, log - error), log + error


def error_of_best_guess(chance: float, delta: float) -> tuple[float, float]:
    """Return bounds on chance (1 - delta), exact where that is all or nothing."""
    if delta in (0.0, 1.0):
        return (chance, chance) if delta == 0.0 else (0.0, 0.0)
    error = chance * (1.0 - delta)
    return max(0.0, lowered_by(error, AMPLE) - TINIEST), raised_by(error, AMPLE) + TINIEST
