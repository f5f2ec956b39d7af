"""Pairs that reveal everything: infinite privacy loss, with some probability or always."""

import math
from fractions import Fraction

import numpy as np

from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import PointPair, point_pair

_EMPTY = np.empty(0)


def revealing_pair(mass: float | Fraction = 1.0) -> PointPair:
    """Return the pair of a release that, with the given probability, shows everything and otherwise nothing."""
    infinity = InfiniteMass(Mass.exactly(mass))
    if mass == 1:
        return point_pair(("revealing", 1.0), _EMPTY, _EMPTY, _EMPTY, error=0.0, infinity=infinity, minus_infinity=infinity)
    log_rest = np.array([log_fraction(1 - Fraction(mass))])
    return point_pair(
        ("revealing", mass),
        np.zeros(1),
        log_rest,
        log_rest,
        error=16.0 * U * (1.0 + float(-log_rest[0])),
        infinity=infinity,
        minus_infinity=infinity,
    )


def all_but_revealing(least: float) -> PointPair:
    """Return the pair of a release whose losses are finite but, all but 1e-300 of them, above `least`: beyond use."""
    nearly = InfiniteMass(Mass(-2.0 * U, 0.0), least)
    return point_pair(
        ("all but revealing", least),
        _EMPTY,
        _EMPTY,
        _EMPTY,
        error=0.0,
        infinity=nearly,
        minus_infinity=nearly,
    )


def all_but_revealing_sample(least: float, q: float) -> PointPair:
    """Return the same on a Poisson sample in which a record is replaced: all shows if it is drawn."""
    log_q, log_rest = math.log(q), np.array([math.log1p(-q)])
    # no float q above 0 has a larger -log q
    drawn = InfiniteMass(Mass.about(log_q, 8.0 * U * (1.0 + abs(log_q))), least - 750.0)
    return point_pair(
        ("all but revealing sample", least, q),
        np.zeros(1),
        log_rest,
        log_rest,
        error=8.0 * U * (1.0 + float(-log_rest[0])),
        infinity=drawn,
        minus_infinity=drawn,
    )


BEYOND = 1e300
"""A loss that no float holds is larger than this, by far."""
