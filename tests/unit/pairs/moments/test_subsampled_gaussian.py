"""Moments of Poisson samples at whole orders, against binomial sums in 40 digits."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tightbudget.pairs.moments.subsampled_gaussian import sampled_log_moment, sampled_log_moments


@pytest.mark.parametrize("seed", range(12))
def test_each_order_is_its_binomial_sum_rounded_up(seed: int) -> None:
    source = np.random.default_rng(seed)
    largest, q = int(source.choice([2, 3, 9, 60, 300])), float(10 ** source.uniform(-8, -0.01))
    exponent = np.sort(10 ** source.uniform(-6, 2.5, largest - 1))
    orders = np.unique(source.integers(2, largest + 1, 5))
    found = sampled_log_moments(exponent, q, orders)
    with mpmath.workdps(40):
        for order, bound in zip(orders.tolist(), found.tolist(), strict=True):
            terms = (
                mpmath.binomial(order, k) * mpf(q) ** k * (1 - mpf(q)) ** (order - k) * mpmath.exp(mpf(x))
                for k, x in enumerate([0.0, 0.0, *exponent[: order - 1].tolist()])
            )
            true = mpmath.log(mpmath.fsum(terms))
            assert true <= mpf(bound) <= true * (1 + mpf(1e-9))
            assert bound == pytest.approx(sampled_log_moment(exponent[: order - 1], q), rel=1e-13)


def test_what_no_float_holds_is_no_bound() -> None:
    found = sampled_log_moments(np.array([1.0, 2.0, math.inf, 5.0]), 0.1, np.array([2, 3, 4, 5]))
    assert np.isfinite(found[:2]).all()
    assert np.isinf(found[2:]).all()
