"""Discrete Gaussian noise on vectors of integers: the pair of one shift, and one that dominates all of them (M38).

The noise is told apart from its shift by v through K = <v, X> alone, whose law is e^{-k^2 / (2 n sigma^2)} times a
function of k mod n, n = |v|^2. That function is summed up where k is small; all other masses follow from it.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from tightbudget.numerics.byte_cache import ByteCache
from tightbudget.numerics.remembered import remembered
from tightbudget.numerics.rounding import GENEROUS, U, lowered, lowered_by
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Array
from tightbudget.pairs.from_profile import losses_below, pair_from_profile
from tightbudget.pairs.moments.closed import gaussian_log_moment
from tightbudget.pairs.moments.events import Tail
from tightbudget.pairs.points import REMEMBERED, PointPair, point_pair
from tightbudget.pairs.profile_grid import MOST_LOSS
from tightbudget.pairs.profile_of import profile_above

Shift = tuple[int, ...]
"""The sizes of the entries of a shift other than 0, in falling order: signs and places do not matter."""

_MOST_SHIFTS = 160
_MOST_SQUARE = 10_000
_MOST_POINTS = 400_000  # of one shift
_MOST_IN_ALL = 5_000_000  # points of all shifts
_MOST_WORK = 3e8  # products in the sums of one shift
_AT_ONCE = 2**16  # products that are summed by one call, those with 0 included
_MOST_RATIO = 30.0  # of |v| to sigma: beyond, next to everything is revealed
_LEVELS = (60.0, 700.0)  # exponents that are summed: what has less than e^-level is left out
_LEAST_SUM = 1e-270  # sums below have lost terms to underflow
_LEFT_OUT = 1e-17  # of a sum; more is too much
_MOST_MEMBERS = 3
_ALIKE = 1e-9  # profiles that differ by less, relatively, need no dot where they cross
_SEEN = 1e-12  # shifts are compared where the profile is above this


def maximal_shifts(square: int, dimension: int) -> list[Shift] | None:
    """Return all shifts of squared length up to `square` that no other exceeds in every entry; None if too many.

    What is shifted by less in every entry is told apart less: the pair of the larger shift dominates (M38).
    """
    if square > _MOST_SQUARE:
        return None
    found = list(islice(_maximal_shifts(square, dimension, math.isqrt(square), ()), _MOST_SHIFTS + 1))
    return found if len(found) <= _MOST_SHIFTS else None


def _maximal_shifts(rest: int, places: int, largest: int, taken: Shift) -> Iterator[Shift]:
    """Yield the maximal shifts that begin with `taken`, go on with at most `places` entries and use at most `rest`."""
    if rest == 0 or (places == 0 and rest < 2 * taken[-1] + 1):
        yield taken
    if rest == 0 or places == 0:
        return
    for entry in range(min(largest, math.isqrt(rest)), 0, -1):
        yield from _maximal_shifts(rest - entry * entry, places - 1, entry, (*taken, entry))


@remembered(256)
def known_shifts(sigma: float, square: int, dimension: int) -> tuple[Shift, ...] | None:
    """Return the maximal shifts if each can be listed; None if they are too many, or the noise too small or large."""
    shifts = maximal_shifts(square, dimension)
    if shifts is None or len(shifts) * _points_of_shift(sigma, square) > _MOST_IN_ALL:
        return None
    return tuple(shifts) if all(can_be_listed(sigma, shift) for shift in shifts) else None


def can_be_listed(sigma: float, shift: Shift) -> bool:
    """Tell whether the noise and its shift have a list of masses that is short enough and has all its digits."""
    square = _squared_shift(shift)
    if not shift or math.sqrt(square) > _MOST_RATIO * sigma or _points_of_shift(sigma, square) > _MOST_POINTS:
        return False
    return _work_of_shift(sigma, shift) <= _MOST_WORK and _log_periodic(sigma, shift) is not None


def _points_of_shift(sigma: float, square: int) -> float:
    return 2.0 * REACH * sigma * math.sqrt(square) + square


def _work_of_shift(sigma: float, shift: Shift) -> float:
    reach, total, work = _shift_reach(sigma, _LEVELS[0]), 0, 0.0
    for entry in shift:
        total += entry * entry
        work += (2.0 * reach + 1.0) * (2.0 * reach * math.sqrt(total) + 1.0)
    return work


def _shift_reach(sigma: float, level: float) -> int:
    return math.ceil(sigma * math.sqrt(2.0 * level)) + 1


@REMEMBERED.remember
def shift_pair(sigma: float, shift: Shift) -> PointPair:
    """Return the pair of the noise and its shift, which `can_be_listed`: the same in both orders."""
    found, square = _log_periodic(sigma, shift), _squared_shift(shift)
    assert found is not None
    periodic, sum_error = found
    reach = math.ceil(REACH * sigma * math.sqrt(square)) + 2
    k = np.arange(-reach, reach + square + 1)
    k = k[np.isfinite(periodic[k % square])]  # multiples of the greatest common divisor
    x = k.astype(np.float64)
    exponent_a, exponent_b = (-0.5 * (at / sigma) ** 2 / square for at in (x, x - square))
    log_norm = len(shift) * _log_norm(sigma)
    size = 8.0 * len(shift) + np.abs(exponent_a) + np.abs(exponent_b) + 2.0 * abs(log_norm)
    return point_pair(
        ("shifted", sigma, shift),
        (square - 2.0 * x) / (2.0 * sigma * sigma),
        exponent_a + periodic[k % square] - log_norm,
        exponent_b + periodic[k % square] - log_norm,
        error=sum_error + 8.0 * U * size,
        unresolved=NEGLIGIBLE,
        unbounded=True,
        period=math.gcd(*shift) / (sigma * sigma),
        tail=_integer_shift_tail(math.sqrt(square) / sigma, reach / (sigma * math.sqrt(square))),
    )


def _squared_shift(shift: Shift) -> int:
    return sum(entry * entry for entry in shift)


def _log_norm(sigma: float) -> float:
    """Return log of the sum of e^{-x^2 / (2 sigma^2)} over all integers, good to 8 roundings of 1 and of itself."""
    x = np.arange(1.0, _shift_reach(sigma, _LEVELS[0]))
    return math.log1p(2.0 * math.fsum(np.exp(-0.5 * (x / sigma) ** 2).tolist()))


@remembered(1024)
def _log_periodic(sigma: float, shift: Shift) -> tuple[Array, float] | None:
    """Return log of the sum of e^{-|x - k v/n|^2 / (2 sigma^2)} over <v, x> = k, for k = 0 ... n-1, and its error.

    None if a sum has too few digits.
    """
    square, entries = _squared_shift(shift), len(shift)
    for level in _LEVELS:
        sums, first = _shift_class_sums(sigma, shift, level)
        k = np.arange(first, first + square)
        possible = k % math.gcd(*shift) == 0
        least = float(sums[possible].min())
        left_out = 4.0 * entries * math.exp(entries * _log_norm(sigma) - level)
        if least < _LEAST_SUM or left_out > _LEFT_OUT * least:
            continue
        periodic = np.full(square, -np.inf)
        periodic[k[possible] % square] = np.log(sums[possible]) + 0.5 * (k[possible] / sigma) ** 2 / square
        reach = _shift_reach(sigma, level)
        of_one = 2.0 * reach + 8.0 + 2.0 * (reach / sigma) ** 2  # roundings of a sum, and of the exponents in it
        size = float(np.abs(np.log(sums[possible])).max()) + square / (sigma * sigma)
        return periodic, 2.0 * _LEFT_OUT + U * (entries * of_one + 8.0 * size)
    return None


def _shift_class_sums(sigma: float, shift: Shift, level: float) -> tuple[Array, int]:
    """Return sums of e^{-|x|^2 / (2 sigma^2)} over <v, x> = k for one k of each class mod n, and the first k.

    Left out are entries, and sums of the first entries, that the noise has with less than e^-level (M38).
    """
    square, reach = _squared_shift(shift), _shift_reach(sigma, level)
    noise = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    masses, end, total = np.ones(1), 0, 0
    for entry in shift:
        total += entry * entry
        longer = _with_entry(masses, noise, entry)
        end += reach * entry
        cut = max(0, end - max(math.ceil(reach * math.sqrt(total)), square))
        masses, end = longer[cut : longer.size - cut], end - cut
    first = -(square // 2)
    missing = max(0, -first - end)
    masses = np.pad(masses, missing)
    return masses[end + missing + first : end + missing + first + square], first


def _with_entry(masses: Array, noise: Array, entry: int) -> Array:
    """Return the masses of k + entry x, of the masses of k and those of x: sums of as many products as x has masses."""
    longer = np.zeros(masses.size + (noise.size - 1) * entry)
    if masses.size * (longer.size - masses.size) <= _AT_ONCE:
        apart = np.zeros((noise.size - 1) * entry + 1)
        apart[::entry] = noise
        at_once: Array = np.convolve(masses, apart)
        return at_once
    for x in range(noise.size):
        longer[x * entry : x * entry + masses.size] += noise[x] * masses
    return longer


def _integer_shift_tail(m: float, gap_at_one: float) -> Tail:
    """Return K < -R: at most e^{a(a-1)m^2/2} times the noise beyond (R - (a-1)n) / (sigma |v|) deviations (M38)."""

    def log_moment(orders: Array) -> Array:
        gap = gap_at_one - (orders - 1.0) * m
        far = -lowered(0.5 * gap * gap, 16) + GENEROUS
        return gaussian_log_moment(m, orders) + np.where(gap > 0.0, np.minimum(far, 0.0), 0.0)

    return Tail(lowered_by(m * gap_at_one, GENEROUS), log_moment)


@REMEMBERED.remember
def dominating_pair(sigma: float, shifts: tuple[Shift, ...]) -> PointPair:
    """Return the pair whose profile is the largest of those of all shifts, where one of them bends or two cross."""
    ratios, profiles = _shift_profiles(sigma, shifts)
    crossings = _shift_profile_crossings(ratios, profiles)
    if crossings.size:
        ratios = np.union1d(ratios, crossings)
        profiles = _profiles_at(sigma, shifts, ratios)
    largest = profiles.max(axis=0)
    made = pair_from_profile(("all shifts", sigma, shifts), ratios, largest, largest)
    assert made is not None  # some shift is not 0
    return made if crossings.size else replace(made, period=0.5 / (sigma * sigma))


def _shift_profile_crossings(ratios: Array, profiles: Array) -> Array:
    """Return about where another profile becomes the largest: between two dots all of them are straight lines."""
    places = np.append(1.0, ratios)
    largest = profiles.argmax(axis=0)
    at = np.flatnonzero(largest[1:] != largest[:-1])
    one, other = largest[at], largest[at + 1]
    ahead, behind = profiles[one, at] - profiles[other, at], profiles[other, at + 1] - profiles[one, at + 1]
    share = ahead / np.maximum(ahead + behind, np.finfo(float).tiny)
    crossings: Array = places[at] + share * (places[at + 1] - places[at])
    inside = (crossings > places[at]) & (crossings < places[at + 1])
    kept: Array = crossings[inside & (ahead + behind > _ALIKE * profiles[one, at])]
    return kept


@remembered(64)
def telling_shifts(sigma: float, shifts: tuple[Shift, ...]) -> tuple[Shift, ...]:
    """Return a few shifts that are told best at some loss: any are sound, and these make good lower ends."""
    _, profiles = _shift_profiles(sigma, shifts)
    largest = profiles.max(axis=0)
    seen = largest > _SEEN * largest[0]
    decades = -np.diff(np.log(np.append(largest[seen], largest[seen][-1])))  # how far the profile falls under each
    shares = np.bincount(profiles[:, seen].argmax(axis=0), weights=decades, minlength=len(shifts))
    best = np.argsort(-shares, kind="stable")[:_MOST_MEMBERS]
    return tuple(shifts[i] for i in best.tolist() if shares[i] > 0.0) or shifts[:1]


class _ShiftProfiles(NamedTuple):
    """Ratios above 1, and for each shift bounds on its profile at 1 and at each of them."""

    ratios: Array
    profiles: Array

    @property
    def nbytes(self) -> int:
        return self.ratios.nbytes + self.profiles.nbytes


_PROFILES: ByteCache[_ShiftProfiles] = ByteCache(most_bytes=2**26)


@_PROFILES.remember  # the dominating pair and its members go by the same
def _shift_profiles(sigma: float, shifts: tuple[Shift, ...]) -> _ShiftProfiles:
    twice = 2.0 * sigma * sigma
    pairs = [shift_pair(sigma, shift) for shift in shifts]
    places = np.unique(np.concatenate([np.rint(pair.losses * twice) for pair in pairs]))
    places = places[(places > 0.0) & (places <= MOST_LOSS * twice)]
    ratios = np.unique(np.exp(places / twice))
    ratios = ratios[ratios > 1.0]
    return _ShiftProfiles(ratios, _profiles_at(sigma, shifts, ratios))


def _profiles_at(sigma: float, shifts: tuple[Shift, ...], ratios: Array) -> Array:
    losses = np.maximum(0.0, np.append(0.0, losses_below(ratios)))
    return np.array([profile_above(shift_pair(sigma, shift))(losses) for shift in shifts])
