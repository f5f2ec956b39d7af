"""Probabilities of fair coins against exact whole numbers."""

import math

import mpmath as mp
import numpy as np
import pytest

from tightbudget.numerics.fair_coins import log_fair


@pytest.mark.parametrize("coins", [1, 2, 3, 15, 16, 17, 31, 40, 1000, 12345])
def test_logs_are_good_to_their_errors(coins: int) -> None:
    heads = np.unique(np.linspace(0, coins, 60).astype(int))
    logs, errors = log_fair(coins, heads.astype(float))
    with mp.workdps(40):
        for head, log, error in zip(heads.tolist(), logs.tolist(), errors.tolist(), strict=True):
            truth = mp.log(mp.mpf(math.comb(coins, head))) - coins * mp.log(2)
            assert abs(truth - mp.mpf(log)) <= error <= 1e-12 * max(1.0, -float(truth))


def test_a_billion_coins() -> None:
    coins, head = 10**9, 500_200_000
    (log,), (error,) = log_fair(coins, np.array([float(head)]))
    with mp.workdps(60):
        tails = coins - head
        truth = mp.loggamma(coins + 1) - mp.loggamma(head + 1) - mp.loggamma(tails + 1) - coins * mp.log(2)
        assert abs(truth - mp.mpf(float(log))) <= error <= 1e-11
