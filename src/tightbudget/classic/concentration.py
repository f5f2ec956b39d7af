"""The tail bound that the advanced theorems share: epsilon = drift + sqrt(2 V log(1/d'))."""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, PromiseBound
from tightbudget.classic.failure_probability import summed_deltas
from tightbudget.classic.promises import Promises
from tightbudget.numerics.rounding import U, lowered_by, raised_by
from tightbudget.pairs.base import NEGLIGIBLE

Array = NDArray[np.float64]

_SMALLEST = 16.0 * sys.float_info.min  # so much that an eighth of it is still exact to the last digit


def product_up(first: Array, second: Array) -> Array:
    """Return products that are never lost: what is below the smallest float counts as that much; 0 stays 0.

    Without it no step of an epsilon below 1e-162 would ever lose anything.
    """
    found: Array = first * second
    return np.where((first > 0.0) & (second > 0.0), found + _SMALLEST, found)


def epsilon_at(drift: Array, variance: Array, slack: Array) -> Array:
    """Return the epsilon at slack d', rounded up; inf where d' is not positive and something could be lost."""
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = np.sqrt(2.0 * variance * -np.log(np.clip(slack, 0.0, 1.0)))
        value = np.where(variance == 0.0, 0.0, raised_by(drift + roots, ROUNDING))
    found: Array = np.where((slack > 0.0) | ((slack == 0.0) & (variance == 0.0)), value, np.inf)
    return found


def exponent_at(drift: Array, variance: Array, epsilon: float) -> Array:
    """Return (epsilon - drift)^2 / (2 V), rounded down; -1 where epsilon is below the drift, inf where V is 0."""
    above = epsilon - raised_by(drift, ROUNDING) - 4.0 * U * epsilon
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        exponent = lowered_by(above * above / (2.0 * variance), ROUNDING)
    found: Array = np.where(variance == 0.0, np.inf, np.where(above >= 0.0, exponent, -1.0))
    return found


def slack_at(drift: Array, variance: Array, epsilon: float) -> Array:
    """Return the slack d' at epsilon, rounded up; inf where the bound says nothing, 0 where nothing can be lost."""
    exponent = exponent_at(drift, variance, epsilon)
    # NEGLIGIBLE stands for exponentials too small for a float
    slack: Array = np.where(np.isinf(exponent) & (variance == 0.0), 0.0, raised_by(np.exp(-exponent), ROUNDING) + NEGLIGIBLE)
    return np.where(exponent < 0.0, np.inf, slack)


def concentration_bound(
    name: str,
    reference: str,
    moments: Callable[[Promises, Array], tuple[Array, Array]],
    check: Callable[[Promises], None] = lambda promises: None,
) -> PromiseBound:
    """Return the bound of a theorem that gives the loss a drift and a variance, and adds up the deltas."""

    def delta_formula(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
        return summed_deltas(promises, deltas) + slack_at(*moments(promises, epsilons), epsilon)

    def epsilon_formula(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
        slack = delta - summed_deltas(promises, deltas) - 4.0 * U * delta
        return epsilon_at(*moments(promises, epsilons), slack)

    return PromiseBound(name, reference, delta_formula, epsilon_formula, at_infinity=summed_deltas, check=check)
