"""How often a mechanism is run: dp_accounting says it by a mean and a shape, we by gamma and eta."""

import math

from tightbudget.errors import InvalidParameter

LEAST_GAMMA = 1e-12  # that `repeat_and_select` takes
_ROUNDED = 1e-13  # relative: what a mean is computed to, and more


def gamma_for(mean: float, shape: float) -> float:
    """Return the largest float gamma found for which the mean is certainly at least this one; more runs reveal more."""
    if not 1.0 <= mean < 1e12:
        raise InvalidParameter("mean", mean, "a number from 1, below 1e12: some run is always there")
    if mean == 1.0:
        return 1.0
    if mean > (most := mean_of(LEAST_GAMMA, shape) * (1.0 - _ROUNDED)):
        hint = "More runs on average come by a few that are too many to be answered for."
        raise InvalidParameter("mean", mean, f"at most {most:.6g} for a shape of {shape:g}", hint)
    low, high = 0.0, -math.log(LEAST_GAMMA)  # of -log gamma: at the upper one there are enough runs
    while low < (middle := 0.5 * (low + high)) < high:
        enough = mean_of(math.exp(-middle), shape) * (1.0 - _ROUNDED) >= mean
        low, high = (low, middle) if enough else (middle, high)
    return max(LEAST_GAMMA, math.exp(-high))


def mean_of(gamma: float, shape: float) -> float:
    """Return the mean of a truncated negative binomial number of runs."""
    if gamma == 1.0:
        return 1.0
    if gamma == 0.0:
        return math.inf
    log = math.log(gamma)
    if shape == 0.0:
        return (1.0 - gamma) / (gamma * -log)
    return shape * (1.0 - gamma) / (gamma * -math.expm1(shape * log))
