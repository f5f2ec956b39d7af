"""The central limit theorem for Gaussian differential privacy: an approximation, not a bound.

Many small losses add up to nearly a normal law, so the composition is nearly mu-GDP with mu = 2 sum E[l_i] / sqrt(sum
Var[l_i]), l_i the loss of step i under the first distribution. The answer may lie on either side of the truth.
Reference: Dong, Roth, Su 2022, Theorem 3.4.
"""

import math

import numpy as np

from tightbudget.classic.number_bound import NumberBound
from tightbudget.classic.promises import Promises
from tightbudget.divergences import gdp_delta, gdp_epsilon
from tightbudget.errors import DoesNotApply
from tightbudget.pairs.base import Direction, Pair


def _central_limit_mu(promises: Promises) -> float:
    """Return the mu of the worse direction."""
    if any(step.reveals for step in promises.steps):
        raise DoesNotApply("a step may reveal everything, so its loss has no mean")
    largest = 0.0
    for direction in Direction:
        mean = variance = 0.0
        for step, count in zip(promises.steps, promises.counts, strict=True):
            pair = step.mechanism.pair(direction)
            if pair is not None:
                first, second = _central_limit_moments(pair)
                mean, variance = mean + count * first, variance + count * second
        if variance > 0.0:
            largest = max(largest, 2.0 * mean / math.sqrt(variance))
    return largest


def _central_limit_moments(pair: Pair) -> tuple[float, float]:
    """Return mean and variance of the loss under A, from its few hundred coarse cells."""
    cells = pair.coarse_cells()
    mass = np.exp(cells.log_a)
    loss = cells.mean_losses
    mass, loss = mass[mass > 0.0], loss[mass > 0.0]
    mean = float(mass @ loss)
    return mean, float(mass @ (loss - mean) ** 2)


central_limit = NumberBound(
    "GDP, central limit", "Dong, Roth, Su 2022, Thm 3.4", _central_limit_mu, gdp_delta, gdp_epsilon, kind="approximation"
)
