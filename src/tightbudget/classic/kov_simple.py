r"""The simpler theorem of Kairouz, Oh and Viswanath for different promises: the least of three epsilons.

With V = sum epsilon_i^2 and S = sum epsilon_i tanh(epsilon_i / 2), at delta = 1 - (1 - d') prod (1 - delta_i):

$$\varepsilon = \min\{\textstyle\sum\varepsilon_i,\ S + \sqrt{2V\ln(e+\sqrt V/d')},\ S + \sqrt{2V\ln(1/d')}\}$$

Reference: Kairouz, Oh, Viswanath 2015/2017, Theorem 3.5 (Theorem 3.4 for equal promises).
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, PromiseBound
from tightbudget.classic.concentration import epsilon_at, exponent_at, product_up, slack_at
from tightbudget.classic.failure_probability import slack_left, some_step_fails, with_slack
from tightbudget.classic.promises import Promises
from tightbudget.numerics.rounding import raised_by
from tightbudget.pairs.base import NEGLIGIBLE

Array = NDArray[np.float64]


def _kov_simple_moments(promises: Promises, epsilons: Array) -> tuple[Array, Array]:
    counts = np.array(promises.counts, dtype=np.float64)
    drift = product_up(epsilons, np.tanh(0.5 * epsilons)) @ counts
    return raised_by(drift, ROUNDING), raised_by(product_up(epsilons, epsilons) @ counts, ROUNDING)


def _kov_simple_delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    drift, variance = _kov_simple_moments(promises, epsilons)
    slack = slack_at(drift, variance, epsilon)
    # log(e + sqrt(V)/d') = x  <=>  d' = sqrt(V) e^-x / (1 - e^(1-x)), for x > 1
    exponent = exponent_at(drift, variance, epsilon)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        middle = raised_by(np.sqrt(variance) * np.exp(-exponent) / -np.expm1(1.0 - exponent), ROUNDING) + NEGLIGIBLE
    # close to x = 1 the denominator is all rounding; leaving the middle form out there costs nothing but tightness
    slack = np.where(exponent > 1.0 + 1e-3, np.minimum(slack, middle), slack)
    slack = np.where(promises.weighted(epsilons) <= epsilon, 0.0, slack)
    return with_slack(promises, deltas, slack)


def _kov_simple_epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    drift, variance = _kov_simple_moments(promises, epsilons)
    slack = slack_left(promises, deltas, delta)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        middle = raised_by(drift + np.sqrt(2.0 * variance * np.log(np.e + np.sqrt(variance) / slack)), ROUNDING)
    tails = np.minimum(epsilon_at(drift, variance, slack), np.where(slack > 0.0, middle, np.inf))
    return np.minimum(tails, np.where(some_step_fails(promises, deltas) <= delta, promises.weighted(epsilons), np.inf))


kov_simple = PromiseBound(
    name="KOV, simple form",
    reference="Kairouz, Oh, Viswanath 2017, Thm 3.5",
    delta_formula=_kov_simple_delta,
    epsilon_formula=_kov_simple_epsilon,
    at_infinity=some_step_fails,
)
