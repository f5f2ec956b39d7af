"""Shuffled reports of many users: those that might as well be of one user, its clones, hide which of two it made (M37).

C ~ Bin(n-1, q) others are clones, each of which makes either report with probability 1/2; the user makes the first with
probability E/(E+1), or else the second. What is seen is how many reports (a, b) of either kind there are: the loss
log((Ea+b)/(a+Eb)) of an event is that of a share a/(a+b), and (b, a) mirrors (a, b).
"""

import math
from typing import NamedTuple

import numpy as np

from tightbudget.numerics.binomial import Binomial, binomial
from tightbudget.numerics.fair_coins import log_fair
from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import NEGLIGIBLE, Array
from tightbudget.pairs.many_clones import LARGEST_EPSILON, LEAST_MEAN, many_clones_pair
from tightbudget.pairs.points import PointPair, point_pair

MOST_USERS = 10**9
MOST_EPSILON = 600.0
"""What a report promises: e^-600 and its products are floats."""

_LEAST_EPSILON = 1e-290
_FEW_EVENTS = 20_000  # so many are kept as they are; more are spread onto dots
_DOTS = 2**12  # of either part
_INNER = 12.0  # standard deviations that half of the dots are for
_LEAST = 1e-305
_BEYOND = 4.0 * NEGLIGIBLE
_FAR = 37.5  # standard deviations of a sum of fair coins: beyond lies less than 2 e^-703
_WORK = 1e6  # events to add up, or a few times as many
_LOOSER = 8e-4  # four times the share of epsilon that groups of clones may cost where they need not be as large
_BULK = 9.0  # standard deviations of the number of clones that get most of the work


class Clones(NamedTuple):
    """Numbers of clones with the logs of their probabilities, and bounds on the errors of these."""

    numbers: Array
    logs: Array
    errors: Array


def clone_pair(key: tuple[object, ...], epsilon: float, users: int, share: float) -> PointPair:
    """Return the pair of n users whose reports are epsilon-private, each other one a clone with probability `share`.

    For 1e-290 < epsilon < 600 and 0 < share < 1. A share that was rounded down is safe: fewer clones hide less.
    """
    assert _LEAST_EPSILON < epsilon < MOST_EPSILON
    assert 0.0 < share < 1.0
    law = binomial(users - 1, share) if users > 1 else Binomial(0, np.zeros(1), np.zeros(1))
    numbers = law.first + np.arange(law.logs.size, dtype=np.float64)
    complete = law.logs.size == users
    clones = Clones(numbers, law.logs, law.errors)
    if complete and float(numbers.sum()) <= 2 * _FEW_EVENTS:
        return _pair_of_all(key, epsilon, clones)
    mean = (users - 1) * share
    if mean >= LEAST_MEAN and epsilon <= LARGEST_EPSILON:
        return many_clones_pair(key, epsilon, law, mean, math.sqrt(mean * (1.0 - share)))
    return _pair_on_dots(key, epsilon, _grouped_clones(clones, mean, users * share * (1.0 - share)))


def _clone_events(epsilon: float, clones: int) -> tuple[Array, Array, Array]:
    """Return losses, logs of masses of A and their errors of the events with a >= b; only where a = b is the loss 0."""
    reports = clones + 1
    most = min(reports, math.ceil(0.5 * (reports + _FAR * math.sqrt(reports))))
    a = np.arange((reports + 1) // 2, most + 1, dtype=np.float64)
    b = reports - a
    inverse = math.exp(-epsilon)
    losses = np.minimum(np.log1p((a - b) * -math.expm1(-epsilon) / (b + inverse * a)), epsilon)
    log_fairs, errors = log_fair(reports, a)
    log_a = log_fairs + np.log(2.0 * ((a + inverse * b) / reports) / (1.0 + inverse))
    return losses, log_a, errors + 32.0 * U


def _pair_of_all(key: tuple[object, ...], epsilon: float, clones: Clones) -> PointPair:
    """Return the pair with every event as it is."""
    parts = []
    for number, log, error in zip(*clones, strict=True):
        losses, log_a, errors = _clone_events(epsilon, int(number))
        parts.append((losses, log_a + log, errors + error + 2.0 * U * np.abs(log_a + log)))
    losses, log_a, errors = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    log_b, odd = log_a - losses, losses > 0.0
    return point_pair(
        key,
        np.concatenate([losses, -losses[odd]]),
        np.concatenate([log_a, log_b[odd]]),
        np.concatenate([log_b, log_a[odd]]),
        error=np.concatenate([errors, errors[odd]]) + 8.0 * U * epsilon,
        top=(epsilon, epsilon),
        loss_error=_loss_error(epsilon),
    )


def _loss_error(epsilon: float) -> float:
    return 32.0 * U * epsilon


def _grouped_clones(clones: Clones, mean: float, variance: float) -> Clones:
    """Return fewer numbers of clones, each for some neighbours, all of which hide more."""
    numbers, bulk = clones.numbers, _BULK * math.sqrt(variance)
    most = max(12, int(_WORK / (1.0 + 0.5 * min(mean, _FAR * math.sqrt(mean + 1.0)))))
    # a loss is about as large as 1/sqrt(clones): k in a group, of which the fewest count, raise it by (k-1)/(4 mean)
    together = math.floor(1.0 + _LOOSER * mean)
    if together > 1:
        most = min(most, max(12, math.ceil(2.0 * bulk / together)))
    if numbers.size <= most:
        return clones
    rare = 2 + most // 16
    ends = np.searchsorted(numbers, [mean - bulk, mean + bulk])
    starts = np.concatenate(
        [np.linspace(0, ends[0], rare), np.linspace(ends[0], ends[1], most), np.linspace(ends[1], numbers.size, rare)]
    )
    places = np.unique(starts.astype(np.intp))
    places = places[places < numbers.size]
    sizes = np.diff(places, append=numbers.size)
    errors = np.maximum.reduceat(clones.errors, places) + U * (32.0 + 2.0 * sizes)
    return Clones(numbers[places], group_log_sum(clones.logs, places), errors)


def _pair_on_dots(key: tuple[object, ...], epsilon: float, clones: Clones) -> PointPair:
    """Return a pair with the mass of every event on the two dots around its loss, so that A and B keep theirs.

    What is not worth a term, of coins or of clones, has less than 1e-300 of A, and is put at the largest loss.
    """
    dots = _clone_dots(epsilon, clones)
    gaps = np.expm1(np.diff(dots))
    masses, doubts = np.zeros(dots.size), np.zeros(dots.size)
    for number, log, error in zip(*clones, strict=True):
        losses, log_a, errors = _clone_events(epsilon, int(number))
        mass = np.exp(log_a + log) * np.where(losses > 0.0, 1.0, 0.5)  # that at 0 is its own mirror image
        place = np.clip(np.searchsorted(dots, losses, side="right") - 1, 0, dots.size - 2)
        to_next, each = np.expm1(dots[place + 1] - losses), mass / gaps[place]
        below, above = each * to_next, each * ((1.0 + to_next) * np.expm1(losses - dots[place]))
        # losses increase: only a stretch of the dots is met
        first, width = int(place[0]), int(place[-1]) - int(place[0]) + 2
        place -= first
        crowd = float(np.bincount(place).max())  # events that one dot gets: each is added with a rounding
        doubt = errors + error + U * (32.0 + np.abs(log_a + log) + 2.0 * crowd)
        for moved, shift in ((below, 0), (above, 1)):
            masses[first : first + width] += np.bincount(place + shift, moved, width)
            doubts[first : first + width] += np.bincount(place + shift, moved * doubt, width)
    masses[-1] += _BEYOND
    return _mirrored_clone_pair(key, epsilon, dots, masses, doubts, clones.numbers.size)


def _clone_dots(epsilon: float, clones: Clones) -> Array:
    """Return losses from 0 to the largest one, half of them where most of the mass is. Any would do."""
    usual, fewest = (clones.numbers[np.argmax(clones.logs >= least)] for least in (clones.logs.max(), -700.0))
    last = float(_clone_events(epsilon, int(fewest))[0][-1])
    inner = min(last, _INNER / _FAR * float(_clone_events(epsilon, int(usual))[0][-1]))
    return np.unique(np.concatenate([np.linspace(0.0, inner, _DOTS), np.linspace(inner, last, _DOTS), [epsilon]]))


def _mirrored_clone_pair(
    key: tuple[object, ...], epsilon: float, dots: Array, masses: Array, doubts: Array, terms: int
) -> PointPair:
    """Return the pair with these masses of A at the dots, and as much of B at their negatives; at 0 with twice that."""
    kept = masses > _LEAST  # all others together have less than is put at the largest loss
    losses, mass = dots[kept], masses[kept]
    log_a = np.log(mass) + np.where(losses == 0.0, math.log(2.0), 0.0)
    error = 2.0 * doubts[kept] / mass + U * (32.0 + 4.0 * terms + 8.0 * (np.abs(log_a) + losses))
    odd = losses > 0.0
    return point_pair(
        key,
        np.concatenate([losses, -losses[odd]]),
        np.concatenate([log_a, (log_a - losses)[odd]]),
        np.concatenate([log_a - losses, log_a[odd]]),
        error=np.concatenate([error, error[odd]]),
        top=(epsilon, epsilon),
        loss_error=_loss_error(epsilon),
    )
