"""Compositions of a few point masses, whose delta can be summed exactly."""

import math
from collections import Counter
from itertools import product

import mpmath
from mpmath import mpf
from tests.support.doubles import Spikes

from tightbudget.engine.steps import Steps


def mirrored(large: float, rare: float, small: float = 0.125, often: float = 0.2) -> Spikes:
    """Return a pair whose B is A mirrored: a large loss, rarely, and a small one, often, with either sign; else
    none.
    """
    weights = {-large: rare * math.exp(-large / 2), large: rare * math.exp(large / 2)}
    weights |= {-small: often * math.exp(-small / 2), small: often * math.exp(small / 2)}
    weights[0.0] = 1.0 - sum(weights.values())
    losses = tuple(sorted(weights))
    return Spikes(losses, tuple(weights[loss] for loss in losses))


def composed(steps: Steps) -> list[tuple[mpf, mpf]]:
    """Return losses and masses of the composition, by counting how often each loss occurs."""
    with mpmath.workdps(50):
        sums: Counter[float] = Counter({0.0: mpf(1)})
        for pair, count in steps.items:
            assert isinstance(pair, Spikes)
            for _ in range(count):
                following: Counter[float] = Counter()
                for (loss, mass), (other, more) in product(sums.items(), zip(pair.losses, pair.masses, strict=True)):
                    following[loss + other] += mass * mpf(more)  # sums of eighths are exact
                sums = following
        return sorted((mpf(loss), mass) for loss, mass in sums.items())
