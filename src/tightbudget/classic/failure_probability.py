"""The failure probability of promises: the sum of the delta_i, or the chance that some step fails."""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING
from tightbudget.classic.promises import Promises
from tightbudget.numerics.rounding import lowered_by, raised_by

Array = NDArray[np.float64]


def summed_deltas(promises: Promises, deltas: Array) -> Array:
    """Return sum of count_i * delta_i for each row, the exact sum rounded up once."""
    return promises.weighted(deltas)


def log_survival(promises: Promises, deltas: Array) -> Array:
    """Return sum of count_i * log(1 - delta_i) for each row, rounded down."""
    with np.errstate(divide="ignore"):
        logs: Array = np.log1p(-deltas) @ np.array(promises.counts, dtype=np.float64)
    return logs * (1.0 + ROUNDING)  # a factor above 1 lowers what is below 0  # a factor above 1 lowers what is below 0


def some_step_fails(promises: Promises, deltas: Array) -> Array:
    """Return 1 - prod (1 - delta_i)^count_i for each row, rounded up."""
    return with_slack(promises, deltas, np.zeros(deltas.shape[0]))


def with_slack(promises: Promises, deltas: Array, slack: Array) -> Array:
    """Return 1 - (1 - slack) prod (1 - delta_i)^count_i for each row, rounded up; inf where slack is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log1p(-np.minimum(slack, 1.0)) + log_survival(promises, deltas)
    totals: Array = np.where(np.isinf(slack), np.inf, raised_by(-np.expm1(logs), ROUNDING))
    return totals + 0.0  # no negative zero


def slack_left(promises: Promises, deltas: Array, delta: float) -> Array:
    """Return d' with 1 - (1 - d') prod (1 - delta_i)^count_i <= delta for each row, rounded down; negative if none."""
    spent, allowed = log_survival(promises, deltas), float(np.log1p(-delta))
    # the difference is moved by the rounding of both terms, so that what cancels is paid for
    left: Array = lowered_by(-np.expm1(allowed - spent + ROUNDING * (np.abs(spent) - allowed)), ROUNDING)
    return left
