"""The one game that can be worked out for many rounds: the same epsilon each round against a running bound.

The loss is epsilon times a random walk, the bound after round t is a number, so the probability of ever being above it
is a sum over t * (2 t + 1) states: 20000 rounds take about a second.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tightbudget.mechanisms.checks import positive
from tightbudget.research.games.exceeds import TIE
from tightbudget.research.games.shared_states import PlayedOdometer
from tightbudget.research.games.steps import Response, response

NEGLIGIBLE = 1e-18  # mass dropped at the low end of the walk, in total at most this for each round


def odometer_bounds(meter: PlayedOdometer, epsilon: float, rounds: int) -> NDArray[np.float64]:
    """Return what the odometer shows after each of `rounds` steps of epsilon-DP; the odometer is spent."""
    increment = response(epsilon).increment
    return np.array([meter.spend(increment) for _ in range(rounds)])


def crossing_probabilities(epsilon: float, bounds: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each t, the probability that the loss was above its bound after some round up to t.

    Rounding: sums of positive products, so the relative error is below 4 t 2^-53; on top of it at most t * 1e-18 of
    mass is dropped far below every bound (that can only lower the answer).

    >>> crossing_probabilities(1.0, [0.9, 5.0]).round(6).tolist()  # e/(1+e): the first answer tells
    [0.731059, 0.731059]
    """
    positive("epsilon", epsilon)
    limits = np.floor(np.asarray(bounds, dtype=float) * (1.0 + TIE) / epsilon)
    up = Response(epsilon).likely
    down = math.exp(-epsilon) * up
    result = np.empty(limits.size)
    mass, lowest, crossed = np.ones(1), 0, 0.0  # mass[i] is at the walk's place lowest + 2 i
    for t, limit in enumerate(limits):
        following = np.empty(mass.size + 1)
        following[0], following[-1] = mass[0] * down, mass[-1] * up
        following[1:-1] = mass[1:] * down + mass[:-1] * up
        mass, lowest = following, lowest - 1
        kept = mass.size if limit >= lowest + 2 * mass.size else max(0, math.floor((limit - lowest) / 2.0) + 1)
        if kept < mass.size:
            crossed += math.fsum(mass[kept:].tolist())
            mass = mass[:kept]
        result[t] = crossed
        if mass.size == 0:
            result[t:] = crossed
            break
        if t % 64 == 63:
            mass, lowest = _without_dust(mass, lowest)
    return result


def _without_dust(mass: NDArray[np.float64], lowest: int) -> tuple[NDArray[np.float64], int]:
    """Drop the low end that holds less than NEGLIGIBLE: it keeps the arrays short and cannot matter."""
    skip = int(np.searchsorted(np.cumsum(mass), NEGLIGIBLE))
    skip = min(skip, mass.size - 1)
    return mass[skip:], lowest + 2 * skip


def needed_width(epsilon: float, delta: float, rounds: int, tolerance: float = 1e-4) -> float:
    """Return the c for which drift + c sqrt(V) is crossed with probability delta within `rounds` rounds of epsilon.

    No odometer of this shape can be narrower (Theorem 6.1): c grows like sqrt(2 log(log(rounds) / delta)).
    """
    times = np.arange(1, rounds + 1)
    drift, root = times * epsilon * math.tanh(epsilon / 2.0), epsilon * np.sqrt(times)
    low, high = 0.0, 10.0
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        if crossing_probabilities(epsilon, drift + middle * root)[-1] > delta:
            low = middle
        else:
            high = middle
    return high
