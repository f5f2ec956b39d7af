"""A mixture of few normal laws at one place: the formulas for arrays without their cost, for one step (M27).

The functions of `math` are as accurate as those of NumPy, so that the bounds on the errors are the same.
"""

import math

import numpy as np

from tightbudget.numerics.normal import log_normal_mass_at
from tightbudget.numerics.rounding import AMPLE, U
from tightbudget.pairs.mixtures import HALF, IRRELEVANT, OVERFLOW, Mixture

FEW = 24
"""Components of a mixture that are likelier than e^-80, up to which this is the quicker way."""

_LITTLE = math.exp(-IRRELEVANT)


def log_ratio_at(mixture: Mixture, y: float) -> tuple[float, float]:
    """Return what `Mixture.log_ratio` does, at one place.

    Components that are left out have t < 0, so that they move the sum by at most their weights: by the same share of
    the stated error as those that are left out for arrays.
    """
    s = slope = floor = 0.0
    for c, w, rest in mixture.weights_away:
        t = c * (y - 0.5 * c)
        if t > OVERFLOW:
            return _by_arrays(mixture, y)
        if t < 0.0 and rest <= _LITTLE * floor:
            break
        growth = w * math.expm1(t)
        s += growth
        slope += c * (growth + w)
        floor += 0.5 * c * c * (growth + w)
    return (math.log1p(s), slope / (1.0 + s)) if s > HALF else _by_arrays(mixture, y)


def _by_arrays(mixture: Mixture, y: float) -> tuple[float, float]:
    f, slope = mixture.log_ratio(np.array([y]))
    return float(f[0]), float(slope[0])


def log_mass_at(mixture: Mixture, start: float, end: float) -> tuple[float, float]:
    """Return what `Mixture.log_masses` does, between two places."""
    width, middle = abs(end - start), 0.5 * (start + end)
    logs, errors = list[float](), list[float]()
    peak, margin = -math.inf, IRRELEVANT + math.log(len(mixture.centres))
    for c, log_weight, error in zip(mixture.centres, mixture.log_weights, mixture.errors, strict=True):
        if log_weight + error < peak - margin:  # all of these together have less than e^-45 of the largest
            continue
        log, rounding = log_normal_mass_at(middle - c, width)
        log += log_weight
        # the middle is good to u|y|, a centre to 6u of itself: log phi moves by at most 8u (|y| + c)^2
        moved = 8.0 * (abs(middle) + c) ** 2 + 16.0
        peak = max(peak, log)
        logs.append(log)
        errors.append(rounding + error + U * (moved + abs(log_weight) + min(abs(log), 1e5)))
    if len(logs) == 1:
        return logs[0], errors[0]
    return _joined(logs, errors)


def _joined(logs: list[float], errors: list[float]) -> tuple[float, float]:
    """Return what `joined_masses` does of one column."""
    peak, worst = max(logs), max(errors)
    if peak == -math.inf:
        return peak, (1.0 + AMPLE) * worst + U * (8.0 + 2.0 * len(logs) + 4e4)
    shares = [math.exp(log - peak) for log in logs]
    total = sum(shares)
    joined = peak + math.log(total)
    error = sum(share * math.expm1(min(one, 700.0)) for share, one in zip(shares, errors, strict=True)) / total
    return joined, (1.0 + AMPLE) * error + U * (8.0 + 2.0 * len(logs) + 4.0 * min(abs(joined), 1e4))
