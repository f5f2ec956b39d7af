"""Optimal composition of promises, by sums over all outcomes in many digits."""

import itertools
from collections.abc import Sequence

import mpmath
from mpmath import mpf

DIGITS = 60


def kov_excess(steps: int, promised: float, epsilon: float) -> mpf:
    """Return sum over l of b_l (1 - e^(epsilon - (k - 2l) epsilon_0))_+, all terms that matter to 50 digits.

    Terms are summed from the largest l downwards; once the ratio of neighbours is below 1 the rest is geometric.
    """
    with mpmath.workdps(DIGITS):
        e0, e, k = mpf(promised), mpf(epsilon), mpf(steps)
        last = int(mpmath.ceil((k - e / e0) / 2)) - 1
        last = min(last, steps)
        if last < 0:
            return mpf(0)
        p = 1 / (1 + mpmath.exp(e0))
        log_term = (
            mpmath.loggamma(k + 1)
            - mpmath.loggamma(last + 1)
            - mpmath.loggamma(k - last + 1)
            + last * mpmath.log(p)
            + (k - last) * mpmath.log1p(-p)
        )
        mass, total, odds = mpmath.exp(log_term), mpf(0), mpmath.exp(e0)
        gap = mpmath.exp(e - (k - 2 * last) * e0)
        shrink = mpmath.exp(-2 * e0)
        for place in range(last, -1, -1):
            total += mass * max(mpf(0), 1 - gap)
            if place < k * p and mass < total * mpf(10) ** -52 * (k * p - place) / k:
                break
            mass *= mpf(place) / (steps - place + 1) * odds
            gap *= shrink
        return total


def optimal_delta(promises: Sequence[tuple[float, float]], epsilon: float) -> mpf:
    """Return the optimal delta of steps with promises (epsilon_i, delta_i): a sum over all 2^k signs of the losses."""
    with mpmath.workdps(DIGITS):
        total = mpf(0)
        for signs in itertools.product((1, -1), repeat=len(promises)):
            loss, mass = mpf(0), mpf(1)
            for sign, (e, _) in zip(signs, promises, strict=True):
                loss += sign * mpf(e)
                mass /= 1 + mpmath.exp(-sign * mpf(e))
            total += mass * max(mpf(0), 1 - mpmath.exp(mpf(epsilon) - loss))
        survival = mpmath.fprod(1 - mpf(d) for _, d in promises)
        return 1 - survival * (1 - total)
