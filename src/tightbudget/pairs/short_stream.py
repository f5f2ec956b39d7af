"""A short stream of queries beside a noisy threshold: a member of what the sparse vector technique stands for (M33)."""

import math
from itertools import pairwise

import numpy as np

from tightbudget.pairs.base import Array
from tightbudget.pairs.points import PointPair, point_pair

_QUERIES = 8  # alike, before the last one
_LOW, _HIGH = -0.25, 0.5  # these and the last one, in scales of their noise above the threshold
_ERROR = 2e-12  # of each probability (M33)
_LEAST = 1e-4  # answers that are rarer are left out
RATES = 1e-4, 1e4
"""Scales of the queries' noise in one of the threshold's, for which the errors of the probabilities are bounded."""
MOVES = 1e-5, 25.0
"""The same of moves by a record, in scales of the queries' noise."""


def short_stream_pair(rate: float, move: float, still_first: bool) -> PointPair:
    """Return what eight queries alike and a last one answer, against the answers where all of them have moved.

    The noise of queries is of scale 1, that of the threshold of scale 1 / rate. A record moves the first eight up and
    the last one down, each by `move`. Rare answers are left out, which can only lower what the pair tells. With
    `still_first` the queries that did not move are A.
    """
    assert RATES[0] <= rate <= RATES[1]
    assert MOVES[0] <= move <= MOVES[1]
    still, moved = _answers(rate, _LOW, _HIGH), _answers(rate, _LOW + move, _HIGH - move)
    some = np.minimum(still, moved) > _LEAST
    log_a, log_b = np.log(still[some]), np.log(moved[some])
    if not still_first:
        log_a, log_b = log_b, log_a
    return point_pair(
        ("short stream", rate, move, still_first),
        log_a - log_b,
        log_a,
        log_b,
        error=2.0 * _ERROR / np.minimum(still, moved)[some],
        loss_error=4.0 * _ERROR / _LEAST,
    )


def _answers(rate: float, low: float, high: float) -> Array:
    """Return the probabilities that the first query above the threshold is the 1st, ..., the 8th, the last, or none.

    Between neighbours of 0, low and high a query is below a threshold at y with a probability that is half of
    e^-|y - low|, or 1 less that: a polynomial. So are products of such probabilities, and their integrals are sums.
    """
    found = np.zeros(_QUERIES + 2)
    for start, end in pairwise([-math.inf, *sorted((0.0, low, high)), math.inf]):
        integrals = _integrals(rate, low, high, start, end)
        below, above = np.array([[1.0, -0.5], [0.0, 0.5]] if start >= low else [[0.0, 0.5], [1.0, -0.5]])
        last_above, last_below = np.array([[0.0, 0.5], [1.0, -0.5]] if start >= high else [[1.0, -0.5], [0.0, 0.5]])
        all_below = np.array([1.0])
        for j in range(_QUERIES):
            found[j] += np.convolve(all_below, above) @ integrals[: j + 2, 0]
            all_below = np.convolve(all_below, below)
        found[_QUERIES] += all_below @ integrals @ last_above
        found[_QUERIES + 1] += all_below @ integrals @ last_below
    return found


def _integrals(rate: float, low: float, high: float, start: float, end: float) -> Array:
    """Return the integrals of (rate / 2) e^-(rate |y| + n |y - low| + m |y - high|) from start to end.

    n is from 0 to 8, m from 0 to 1.
    """
    n, m = np.arange(_QUERIES + 1)[:, None], np.arange(2)

    def exponents(y: float) -> Array:
        return rate * abs(y) + n * abs(y - low) + m * abs(y - high)

    if math.isinf(start) or math.isinf(end):
        return 0.5 * rate * np.exp(-exponents(end if math.isinf(start) else start)) / (rate + n + m)
    first, last = exponents(start), exponents(end)
    apart = np.maximum(np.abs(last - first), np.finfo(float).tiny)
    return 0.5 * rate * (end - start) * np.exp(-np.minimum(first, last)) * (-np.expm1(-apart) / apart)
