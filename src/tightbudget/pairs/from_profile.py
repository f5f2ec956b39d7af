"""A dominating pair from bounds on a privacy profile: the convex hull of dots, and its point masses (M32)."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics import double_double
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import TINIEST, U, strictly_raised
from tightbudget.pairs.base import Array
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import PointPair, point_pair
from tightbudget.pairs.revealing import revealing_pair

LEAST = 1e-290
"""Dots below this have too few digits for second differences: they are raised to it, or left out."""

_LEAST_TURN = 2.0**-36  # of the slopes on both sides of a dot: where they turn less, the dot is left out
_FARTHEST = 2.0**1000  # from one dot to the next, as a quotient: floats do not hold the slopes of such chords
_MOST_RATIO = 2.0**938  # above e^650: its products with masses are floats
_ROUNDS = 4  # of leaving out dots that bend the wrong way, until the hull of the rest is found at once
_MASS_ERROR = 16.0 * U  # of a mass: less than 2^-36+96-1 from its quotients, and a few roundings


def losses_below(ratios: Array) -> Array:
    """Return floats no larger than log g, which differ from it by a few roundings."""
    logs = np.log(ratios)
    return logs - 4.0 * U * np.abs(logs) - TINIEST


def pair_from_profile(key: tuple[object, ...], ratios: Array, bounds: Array, reverse: Array) -> PointPair | None:
    """Return a pair that dominates every pair with the bounded profiles; None if that reveals nothing.

    ratios   g > 1, increasing, from above 1 to at most e^650
    bounds   bounds[i] >= H_g(A||B) for g = 1 and then at each of the ratios
    reverse  the same of H_g(B||A)

    Guarantee: H_g(A||B) is at most that of the pair at every g >= 0.
    """
    assert not ratios.size or (ratios[0] > 1.0 and ratios[-1] <= _MOST_RATIO)
    if not min(bounds[0], reverse[0]) > 0.0:
        return None  # equal distributions
    below = np.nextafter(1.0 / ratios[::-1], 0.0)  # so that 1/g is at least the ratio
    put = strictly_raised(below * reverse[:0:-1], 4)
    places = np.concatenate([below, [1.0], ratios])
    values = np.concatenate([put, [min(bounds[0], reverse[0])], bounds[1:]])  # H_1 is the same both ways
    values = np.minimum(np.maximum(values, LEAST), np.minimum(places, 1.0))
    sound = (places >= 1.0) | (values > LEAST)
    places, values = places[sound], values[sound]
    masses, certain = _masses_from_profile(places, values)
    rounds = 0
    while not certain.all():  # any dot may be left out: chords of fewer dots lie higher
        rounds += 1
        kept = _hull(places, values) if rounds == _ROUNDS else np.flatnonzero(certain)
        places, values = places[kept], values[kept]
        if not places.size or places[-1] < 1.0:  # the bounds say next to nothing
            return revealing_pair()
        masses, certain = _masses_from_profile(places, values)
    losses, log_b = np.log(places), np.log(masses)
    return point_pair(
        key,
        losses,
        log_b,
        log_b - losses,
        error=_MASS_ERROR + 8.0 * U * (np.abs(log_b) + np.abs(losses)),
        infinity=InfiniteMass(Mass.exactly(_profile_bound_at(places, values, -1))),
        minus_infinity=InfiniteMass(Mass.exactly(1 - (1 - _profile_bound_at(places, values, 0)) / Fraction(places[0]))),
    )


def _profile_bound_at(places: Array, values: Array, index: int) -> Fraction:
    """Return the bound on H_g at one of the places, exactly."""
    place, value = Fraction(places[index]), Fraction(values[index])
    return value + max(1 - place, Fraction(0))


def _hull(places: Array, values: Array) -> NDArray[np.intp]:
    """Return which dots lie on the lower convex hull of all, up to rounding; those on a chord of others do not.

    Slopes at a dot are taken of H_g from 1 on, and of H_g - (1-g) below, as in `_masses_from_profile`.
    """
    put = places < 1.0
    x = [0.0, *places.tolist()]
    below = [0.0, *np.where(put, values, values + (places - 1.0)).tolist()]
    above = [1.0, *np.where(put, values + (1.0 - places), values).tolist()]
    kept = [0]
    for new in range(1, len(x)):
        while len(kept) > 1:
            before, last = kept[-2:]
            y = below if x[last] < 1.0 else above
            if (y[last] - y[before]) / (x[last] - x[before]) < (y[new] - y[last]) / (x[new] - x[last]):
                break
            kept.pop()
        kept.append(new)
    return np.array(kept[1:], dtype=np.intp) - 1


def _masses_from_profile(places: Array, values: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the masses of A at the dots of the chords through (0, 1) and all dots, and which are certainly positive.

    `values` are H_g at places from 1 on, and H_g - (1-g) below. The mass of B is by how much the slope turns at the
    dot, that of A is g times as much. Slopes are taken of whichever of the two the dot itself is given as.
    """
    exponents = np.frexp(places)[1]
    with np.errstate(over="ignore", invalid="ignore"):
        before, after = _profile_chord_slopes(places, values, exponents)
        turn = double_double.double_less(after, before)
        certain = turn > _LEAST_TURN * (np.abs(before.high) + np.abs(after.high))
        apart = np.flatnonzero(places[1:] / places[:-1] > _FARTHEST)
    certain[: apart[-1] + 1 if apart.size else 0] = False
    return np.ldexp(places, -exponents) * turn, certain


def _profile_chord_slopes(
    places: Array, values: Array, exponents: NDArray[np.int32]
) -> tuple[double_double.Double, double_double.Double]:
    """Return the slopes of the chords before and after the dots, times 2^exponent; after the last one H is flat."""
    other, value = np.append(0.0, places[:-1]), np.append(0.0, values[:-1])
    before = _slopes_to(other, value, places, values, exponents)
    # the chord after a dot is the one before the next, in the unit of this one
    unit = exponents[:-1] - exponents[1:]
    after = double_double.Double(*(np.append(np.ldexp(part[1:], unit), 0.0) for part in before))
    # but for the one to the first dot from 1 on: that is given as H_g, and what lies before it as put = H_g - (1-g)
    first = int(np.searchsorted(places, 1.0))
    to, last = slice(first, first + 1), slice(first - 1, first)
    to_first = _slopes_to(other[to], value[to], places[to], values[to], exponents[to], put=1.0)
    before.high[to], before.low[to] = to_first
    if first:
        from_last = _slopes_to(places[to], values[to], places[last], values[last], exponents[last], put=-1.0)
        after.high[last], after.low[last] = from_last
    return before, after


def _slopes_to(
    other: Array, value: Array, places: Array, values: Array, exponents: NDArray[np.int32], put: float = 0.0
) -> double_double.Double:
    """Return the slopes between dots and others, times 2^exponent; 1 - other is added to their values `put` times."""
    rise = double_double.double_difference(value, values)
    if put:
        rest = double_double.double_difference(np.ones(other.size), other)
        rise = double_double.double_plus(double_double.double_plus(rise, put * rest.high), put * rest.low)
    run = double_double.double_difference(np.ldexp(other, -exponents), np.ldexp(places, -exponents))
    return double_double.double_quotient(rise, run)
