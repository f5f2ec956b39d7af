"""Many clones: what is seen is an average of fair signs, spread onto few dots that mean as much (M37).

Of s reports, a of one kind and b of the other, only y = (a-b)/s matters: A and B have 1 + gamma y and 1 - gamma y times
what s fair coins have there, gamma = (E-1)/(E+1). So the pair is a symmetric law of y, and any that is larger in
convex order dominates. Near 0 numbers of clones are taken together by a few; far out, where probabilities are tiny, by
more.
"""

import math
from typing import NamedTuple

import numpy as np

from tightbudget.numerics.binomial import Binomial
from tightbudget.numerics.fair_coins import log_fair
from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.rounding import U, lowered, raised
from tightbudget.pairs.base import NEGLIGIBLE, Array
from tightbudget.pairs.points import PointPair, point_pair

LEAST_MEAN, LARGEST_EPSILON = 16.0, 8.0
"""Where these dots serve: clones on average at least, and the largest loss of a report, near which y is too coarse."""

_GAP = 0.04  # of the dots, in standard deviations of y, or half as much; it raises epsilon by gap^2/8 of itself
_ZONES = ((7.5, 1, 1), (math.inf, 4, 8))  # up to so many deviations: how many gaps make one, and how many rows
_THIN = 16.0, 4  # from so many deviations on, how many gaps of the last zone make one
_FAR = 37.5  # deviations of a sum of fair coins: beyond lies less than 2 e^-703
_LOOSER = 8e-4  # four times the share of epsilon that taking numbers of clones together may cost
_USUAL = 6.0, 4.5  # deviations of the number of clones below the mean, and above, that get most of the rows
_BEND, _FEW = 1.5, 2500.0  # from so many deviations on rows are for more numbers; farther out where clones are few
_WIDER = 1.2  # how the rows below that grow
_LOWEST_LOG = -703.0  # what is less likely is not worth a term
_BLOCK = 12_000  # masses that are computed at a time: longer arrays take longer to get than to fill
_LEAST = 1e-305
_BEYOND = 4.0 * NEGLIGIBLE


class Rows(NamedTuple):
    """Numbers of reports s, increasing, with logs of their probabilities and bounds on the errors of those."""

    reports: Array
    logs: Array
    errors: Array
    rare: int  # how many of the first are rare

    def every(self, step: int) -> "Rows":
        """Return the rare rows and every so manieth of the others, each for those up to the next, which hide more."""
        places = np.concatenate([np.arange(self.rare), np.arange(self.rare, self.reports.size, step)])
        errors = np.maximum.reduceat(self.errors, places) + U * (32.0 + 2.0 * step)
        return Rows(self.reports[places], group_log_sum(self.logs, places), errors, self.rare)


class Zone(NamedTuple):
    """Dots k / scale for first <= k <= last."""

    first: int
    last: int
    scale: int


class Spread(NamedTuple):
    """Masses at the dots of a zone, bounds on their errors, and one on all the mass that lies farther out."""

    masses: Array
    doubts: Array
    beyond: float


def many_clones_pair(key: tuple[object, ...], epsilon: float, law: Binomial, mean: float, deviation: float) -> PointPair:
    """Return the pair of one report more than the law has clones, for an epsilon up to LARGEST_EPSILON.

    Their mean and standard deviation, or about that, say where to look closely.
    """
    assert epsilon <= LARGEST_EPSILON
    rows = _clone_rows(law, mean, deviation)
    zones = _clone_zones(mean, min(1.0, _FAR / math.sqrt(float(rows.reports[0]))))
    parts = list[Array]()  # rows are dots, masses and their doubts, from the outermost zone on
    outside = 0.0  # at least so much lies beyond the zone
    for zone, (_, _, step) in reversed(list(zip(zones, _ZONES, strict=False))):
        found = _spread_over(zone, rows if step == 1 else rows.every(step))
        found.masses[-1] += max(0.0, found.beyond - outside)
        outside += lowered(float(found.masses.sum() - found.doubts.sum()), 16.0 + 2.0 * found.masses.size)
        part = np.stack([np.arange(zone.first, zone.last + 1) / zone.scale, found.masses, found.doubts])
        if parts:  # zones share a dot
            parts[-1][1:, 0] += part[1:, -1]
            parts.append(part[:, :-1])
        else:
            parts.append(_thinned(part, _THIN[0] / math.sqrt(mean + 1.0)))
    if parts[0][0, -1] < 1.0:
        parts.insert(0, np.array([[1.0], [0.0], [0.0]]))
    parts[0][1, -1] += _BEYOND  # what is not worth a term
    return _mirrored_pair(key, epsilon, *np.concatenate(parts[::-1], axis=1))


def _thinned(part: Array, begin: float) -> Array:
    """Return dots, masses and doubts with fewer dots from `begin` on: each goes to its two neighbours that are kept."""
    intervals = part.shape[1] - 1
    kept = min(intervals, int(np.searchsorted(part[0], begin)))
    kept += (intervals - kept) % _THIN[1]
    inner, outer, last = part[:, :kept], part[:, kept:-1], part[:, -1:]
    each = outer.reshape(3, -1, _THIN[1])
    share = np.arange(_THIN[1]) / _THIN[1]
    thin = np.concatenate([each @ (1.0 - share), last], axis=1)
    thin[:, 1:] += each @ share
    thin[0] = np.append(each[0, :, 0], last[0])
    return np.concatenate([inner, thin], axis=1)


def _clone_rows(law: Binomial, mean: float, deviation: float) -> Rows:
    """Return some numbers of reports, each for itself and those up to the next, which hide more. Any would do."""
    likely = law.logs >= _LOWEST_LOG
    begin = int(np.argmax(likely))
    logs, errors = law.logs[likely], law.errors[likely]
    centre = mean - law.first - begin
    # a loss is about as large as 1/sqrt(clones): k in a group, of which the fewest count, raise it by (k-1)/(4 mean)
    width = math.floor(1.0 + _LOOSER * mean) / max(deviation, 1e-9)
    bend = max(_BEND, _FEW / mean)
    low, high = (bend * math.asinh(end / bend) for end in _USUAL)
    usual = bend * np.sinh(np.arange(-low, high, min(width, 1.0)) / bend)
    reach = centre / (_USUAL[0] * deviation + 1e-9)
    rare = -_USUAL[0] * _WIDER ** np.arange(1.0, 2.0 + max(0.0, math.log(reach, _WIDER)))
    places = np.floor(centre + deviation * np.concatenate([rare, usual]))
    places = np.unique(np.append(places[(places > 0.0) & (places < logs.size)], 0.0)).astype(np.intp)
    bounds = np.maximum.reduceat(errors, places) + U * (32.0 + 2.0 * np.diff(places, append=logs.size))
    unlikely = int(np.searchsorted(places, centre - _USUAL[0] * deviation))
    return Rows(1.0 + law.first + begin + places, group_log_sum(logs, places), bounds, min(unlikely, places.size - 1))


def _clone_zones(mean: float, end: float) -> list[Zone]:
    """Return zones from 0 to at least `end`. Dots are whole over a power of two: comparisons with them are exact."""
    deviation = 1.0 / math.sqrt(mean + 1.0)
    finest = 2 ** math.ceil(-math.log2(_GAP * deviation))
    coarsest = max(1, finest // _ZONES[-1][1])  # all zones end at one of its dots
    zones, first = list[Zone](), 0
    for reach, coarser, _ in _ZONES:
        last = min(coarsest, math.ceil(min(reach * deviation, end) * coarsest))
        if last > first:
            scale = max(coarsest, finest // coarser)
            zones.append(Zone(first * scale // coarsest, last * scale // coarsest, scale))
            first = last
    return zones


def _spread_over(zone: Zone, rows: Rows) -> Spread:
    """Return the masses of a >= b on the dots around them, so that the mean is kept; half of that where a = b."""
    reports = rows.reports
    # products of whole numbers below 2^53 and a power of two: exact
    first, last = (np.ceil(0.5 * (reports + reports * k / zone.scale)) for k in (zone.first, zone.last))
    if zone.last == zone.scale:
        last = reports + 1.0  # all heads are in no other zone
    worth = np.sqrt(2.0 * np.maximum(rows.logs - _LOWEST_LOG, 0.0) / reports)
    count = np.maximum(np.minimum(last, np.ceil(0.5 * reports * (1.0 + worth)) + 1.0) - first, 0.0)
    logs, errors = log_fair(reports, np.minimum(first, reports))
    logs += rows.logs
    width, size = int(count.max()) + 1, zone.last - zone.first
    errors += rows.errors + U * (80.0 + 3.0 * width + 4.0 * np.abs(logs))
    masses, doubts, beyond = np.zeros(size + 1), np.zeros(size + 1), 0.0
    block = max(1, _BLOCK // width)
    for begin in (*range(0, rows.rare, block), *range(rows.rare, reports.size, block)):
        part = slice(begin, min(begin + block, rows.rare if begin < rows.rare else reports.size))
        found, farther = _block_of_masses(zone, reports[part], first[part], count[part], np.exp(logs[part]))
        error = float(errors[part].max()) + U * (16.0 + 2.0 * reports.size * (2.0 + float(reports[-1]) / zone.scale))
        masses += found
        doubts += error * found
        beyond += farther * (1.0 + 2.0 * error)
    return Spread(masses, doubts, raised(beyond, 16.0 + 2.0 * reports.size))


def _block_of_masses(zone: Zone, reports: Array, first: Array, count: Array, start: Array) -> tuple[Array, float]:
    """Return the masses at the dots, and about how much lies farther out at the most.

    One row for each number of reports: so many masses of heads from the first on, each from the one before.
    """
    coins, heads = reports[:, np.newaxis], first[:, np.newaxis]
    column = np.arange(int(count.max()) + 1, dtype=np.float64)
    mass = np.empty((reports.size, column.size))
    mass[:, 0] = start
    np.divide((coins - heads) - column[:-1], (heads + 1.0) + column[:-1], out=mass[:, 1:])
    mass[:, 1:] *= column[:-1] < count[:, np.newaxis]  # zeros are multiplied faster than denormals
    np.cumprod(mass, axis=1, out=mass)
    # what lies farther out is less than a geometric series
    end = np.arange(reports.size), count.astype(np.intp)
    ratio = np.maximum(reports - first - count, 0.0) / (first + count + 1.0)
    farther = float((mass[end] / (1.0 - ratio)).sum())
    mass[end] = 0.0
    if zone.first == 0:
        mass[:, 0] *= np.where(2.0 * first == reports, 0.5, 1.0)
    # from the first dot on, in units of the gap: whole numbers, divided once
    place = ((2.0 * heads - coins) * zone.scale - zone.first * coins + (2.0 * zone.scale) * column) / coins
    size = zone.last - zone.first
    index = np.minimum(place.astype(np.intp), size - 1)
    place -= index
    upper = mass * place
    mass *= np.subtract(1.0, place, out=place)
    masses = np.zeros(size + 1)
    masses[:-1] = np.bincount(index.ravel(), mass.ravel(), size)
    masses[1:] += np.bincount(index.ravel(), upper.ravel(), size)
    return masses, farther


def _mirrored_pair(key: tuple[object, ...], epsilon: float, dots: Array, masses: Array, doubts: Array) -> PointPair:
    """Return the pair of these masses at the dots y, and as much at their negatives; at 0 with twice that."""
    kept = masses > _LEAST  # all others together have less than is put at the largest loss
    y, mass = dots[kept], masses[kept]
    inverse = math.exp(-epsilon)
    ahead, behind = (1.0 + y) + inverse * (1.0 - y), (1.0 - y) + inverse * (1.0 + y)
    losses = np.minimum(np.log1p(2.0 * y * -math.expm1(-epsilon) / behind), epsilon)
    log_a = np.log(mass * np.where(y == 0.0, 2.0, 1.0)) + np.log(ahead / (1.0 + inverse))
    # a place y is off by two roundings of itself, and its loss by sinh(epsilon) times as much
    loss_error = 32.0 * U * math.sinh(epsilon)
    error = 2.0 * doubts[kept] / mass + loss_error + U * (32.0 + 8.0 * (np.abs(log_a) + losses))
    odd = losses > 0.0
    return point_pair(
        key,
        np.concatenate([losses, -losses[odd]]),
        np.concatenate([log_a, (log_a - losses)[odd]]),
        np.concatenate([log_a - losses, log_a[odd]]),
        error=np.concatenate([error, error[odd]]),
        top=(epsilon, epsilon),
        loss_error=loss_error,
    )
