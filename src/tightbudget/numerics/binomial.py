"""Binomial probabilities as logs, each with a bound on its error (M30)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import AMPLE, U

Array = NDArray[np.float64]

MOST_TERMS = 3_000_000
_UNLIKELY = 60.0  # e^-60 of the largest, times the most terms, is far less than a rounding
_TOO_SMALL = 1e-300  # relative to all: what lies beyond the terms is less than e^-760 of it


@dataclass(frozen=True, eq=False)
class Binomial:
    """Pr[Bin(n, q) = k] for k = first, first + 1, ...: all that is not below e^-760 of the largest.

    `errors` bound the absolute errors of `logs`.
    """

    first: int
    logs: Array
    errors: Array

    def log_sum(self) -> tuple[float, float]:
        """Return the log of the sum of all terms, before they are divided by it, and a bound on its error."""
        top = float(self.logs.max())
        some = np.flatnonzero(self.logs > top - _UNLIKELY)
        kept = slice(int(some[0]), int(some[-1]) + 1)
        shares = np.exp(self.logs[kept] - top)
        total = float(shares.sum())
        error = float(shares @ np.expm1(self.errors[kept])) / total
        rounding = U * (17.0 + self.logs.size + 4.0 * abs(top))  # and what is not kept
        return top + math.log(total), (1.0 + AMPLE) * error + rounding + _TOO_SMALL

    def log_between(self, low: int, high: int) -> tuple[float, float]:
        """Return log Pr[low <= k <= high] and a bound on its error; -inf if it is not worth a term."""
        begin, end = max(low - self.first, 0), min(high - self.first + 1, self.logs.size)
        if begin >= end:
            return -math.inf, 0.0
        log, error = Binomial(0, self.logs[begin:end], self.errors[begin:end]).log_sum()
        return min(0.0, log), error


def terms_of(n: int, q: float) -> int:
    """Return how many terms to either side of the largest are worth having (M30)."""
    return math.ceil(45.0 * math.sqrt(n * q * (1.0 - q))) + 1000


def binomial(n: int, q: float) -> Binomial:
    """Return the law of the number of successes among n that have probability 0 < q < 1 each.

    Ratios of neighbours are multiplied up from the likeliest number on, and divided by their sum: all are positive.
    """
    mode = min(int((n + 1) * q), n)
    width = terms_of(n, q)
    up, up_error = _from_mode(np.arange(mode, min(n, mode + width), dtype=np.float64), n, q, 1.0)
    below = np.arange(mode - 1, max(-1, mode - 1 - width), -1, dtype=np.float64)
    down, down_error = _from_mode(below, n, q, -1.0)
    logs = np.concatenate([down[::-1], [0.0], up])
    errors = np.concatenate([down_error[::-1], [0.0], up_error])
    whole, error = Binomial(0, logs, errors).log_sum()
    return Binomial(mode - down.size, logs - whole, errors + error + 4.0 * U * (1.0 + np.abs(logs)))


def _from_mode(k: Array, n: int, q: float, sign: float) -> tuple[Array, Array]:
    """Return logs of the masses over the largest one, going away from it, and bounds on their errors.

    Pr[k + 1] / Pr[k] = (n - k) q / ((k + 1) (1 - q)), rounded five times; sums are rounded at their size.
    """
    steps = sign * np.log((n - k) * q / ((k + 1.0) * (1.0 - q)))
    logs = np.cumsum(steps)
    errors = (1.0 + AMPLE) * U * np.cumsum(8.0 + 2.0 * np.abs(steps) + np.abs(logs))
    return logs, errors


def poisson_binomial(rates: Sequence[float]) -> Binomial:
    """Return the law of the number of successes among some of probabilities 0 < q_i < 1, all terms of it.

    One after the other: Pr'[k] = (1-q) Pr[k] + q Pr[k-1], all positive. The log of a sum moves by no more than the logs
    of its terms, so that errors never grow but by the roundings of each step, at their sizes.
    """
    logs, errors = np.zeros(1), np.zeros(1)
    for q in rates:
        parts = []
        for log_chance, before, after in ((math.log1p(-q), 0, 1), (math.log(q), 1, 0)):
            moved = logs + log_chance
            error = errors + U * (4.0 * abs(log_chance) + 2.0 * np.abs(moved))
            parts.append((np.pad(moved, (before, after), constant_values=-np.inf), np.pad(error, (before, after))))
        (stay, stay_error), (more, more_error) = parts
        logs = np.logaddexp(stay, more)
        errors = (1.0 + AMPLE) * (np.maximum(stay_error, more_error) + U * (8.0 + 2.0 * np.abs(logs)))
    return Binomial(0, logs, errors)
