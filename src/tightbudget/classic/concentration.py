"""The tail bound that the advanced theorems share: epsilon = drift + sqrt(2 V log(1/d'))."""

import sys

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import NEGLIGIBLE

Array = NDArray[np.float64]

_SMALLEST = 16.0 * sys.float_info.min  # so much that an eighth of it is still exact to the last digit


def product(first: Array, second: Array) -> Array:
    """Return products that are never lost: what is below the smallest float counts as that much; 0 stays 0.

    Without it no step of an epsilon below 1e-162 would ever lose anything.
    """
    found: Array = first * second
    return np.where((first > 0.0) & (second > 0.0), found + _SMALLEST, found)


def epsilon_at(drift: Array, variance: Array, slack: Array) -> Array:
    """Return the epsilon at slack d', rounded up; inf where d' is not positive and something could be lost."""
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = np.sqrt(2.0 * variance * -np.log(np.clip(slack, 0.0, 1.0)))
        value = np.where(variance == 0.0, 0.0, (drift + roots) * (1.0 + ROUNDING))
    found: Array = np.where((slack > 0.0) | ((slack == 0.0) & (variance == 0.0)), value, np.inf)
    return found


def exponent_at(drift: Array, variance: Array, epsilon: float) -> Array:
    """Return (epsilon - drift)^2 / (2 V), rounded down; -1 where epsilon is below the drift, inf where V is 0."""
    above = epsilon - drift * (1.0 + ROUNDING) - 4.0 * U * epsilon
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        exponent = above * above / (2.0 * variance) * (1.0 - ROUNDING)
    found: Array = np.where(variance == 0.0, np.inf, np.where(above >= 0.0, exponent, -1.0))
    return found


def slack_at(drift: Array, variance: Array, epsilon: float) -> Array:
    """Return the slack d' at epsilon, rounded up; inf where the bound says nothing, 0 where nothing can be lost."""
    exponent = exponent_at(drift, variance, epsilon)
    # NEGLIGIBLE stands for exponentials too small for a float
    slack: Array = np.where(np.isinf(exponent) & (variance == 0.0), 0.0, np.exp(-exponent) * (1.0 + ROUNDING) + NEGLIGIBLE)
    return np.where(exponent < 0.0, np.inf, slack)
