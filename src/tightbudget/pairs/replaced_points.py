"""Noise on the integers on a Poisson sample in which one record is another: the pair of its replacement (M28)."""

import math
from typing import NamedTuple

import numpy as np

from tightbudget.numerics.log_mixture import log_mixture, mixture_slope
from tightbudget.numerics.rounding import GENEROUS, U
from tightbudget.pairs.base import NEGLIGIBLE, Array
from tightbudget.pairs.moments.events import Tail
from tightbudget.pairs.points import PointPair, point_pair


class ShiftedNoise(NamedTuple):
    """Noise f at some integers x, beside the same noise moved down and up by D.

    log_mass  log f(x), with a bound `error` on its absolute error
    down, up  log f(x + D) / f(x) and log f(x - D) / f(x), with a bound `ratio_error` on theirs
    """

    log_mass: Array
    error: Array
    down: Array
    up: Array
    ratio_error: Array


def replaced_points(key: tuple[object, ...], noise: ShiftedNoise, q: float, tail: Tail | None = None) -> PointPair:
    """Return ((1-q) f + q f(. + D), (1-q) f + q f(. - D)); with a tail, of noise that goes on beyond the list.

    Its masses are f times 1 - q + q e^ratio, its losses differences of the logarithms of these.
    """
    (down, down_error), (up, up_error) = log_mixture(noise.down, q), log_mixture(noise.up, q)
    down_error += mixture_slope(noise.down, down, q) * noise.ratio_error
    up_error += mixture_slope(noise.up, up, q) * noise.ratio_error
    log_a, log_b = noise.log_mass + down, noise.log_mass + up
    losses = down - up
    return point_pair(
        ("replaced", *key, q),
        losses,
        log_a,
        log_b,
        error=noise.error + np.maximum(down_error, up_error) + 2.0 * U * np.maximum(np.abs(log_a), np.abs(log_b)),
        unresolved=0.0 if tail is None else NEGLIGIBLE,
        unbounded=tail is not None,
        loss_error=float((down_error + up_error).max()),
        tail=None if tail is None else _sampled_tail(tail, q, float(losses.max())),
        lists_b=True,  # which is A mirrored
    )


def _sampled_tail(whole: Tail, q: float, largest: float) -> Tail:
    """Return the tail of a sample, given that of the noise moved down by D against the same moved up.

    (A, B) -> A^a B^(1-a) is convex in both, and 1e-300 is more than what f holds there (M28).
    """
    log_q, log_rest = math.log(q), math.log(NEGLIGIBLE)

    def log_moment(orders: Array) -> Array:
        return np.logaddexp(log_rest, whole.log_moment(orders) + log_q + 4.0 * U * abs(log_q)) + GENEROUS

    return Tail(largest * (1.0 - GENEROUS), log_moment)
