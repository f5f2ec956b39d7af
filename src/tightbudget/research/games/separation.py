"""Theorem 6.1 in numbers: what a fixed-time bound loses when the adversary may stop, and what an odometer must pay."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.research.games import walk
from tightbudget.research.games.shared_states import PlayedOdometer


@dataclass(frozen=True, eq=False)
class Separation:
    """The same epsilon in every round; entry t - 1 of an array is after round t."""

    epsilon: float
    delta: float
    failing: dict[str, NDArray[np.float64]]  # probability of a loss above the bound by then, exactly
    widths: dict[str, NDArray[np.float64]]  # (bound - mean loss) / sqrt(V)
    needed_rounds: NDArray[np.int64]
    needed: NDArray[np.float64]  # the width below which no constant width is right for so many rounds


def separation(
    meters: Mapping[str, Callable[[float], PlayedOdometer]],
    epsilon: float,
    delta: float,
    rounds: int,
    progress: Callable[[int], None] | None = None,
) -> Separation:
    """Work out how each odometer fares, and the least constant width that does for 10, 30, 100, ... and all rounds."""
    times = np.arange(1, rounds + 1)
    mean, root = times * epsilon * math.tanh(epsilon / 2.0), epsilon * np.sqrt(times)
    failing, widths = {}, {}
    for done, (name, make) in enumerate(meters.items()):
        bounds = walk.odometer_bounds(make(delta), epsilon, rounds)
        failing[name], widths[name] = walk.crossing_probabilities(epsilon, bounds), (bounds - mean) / root
        if progress is not None:
            progress(done + 1)
    usual = [mark for power in range(1, 9) for mark in (10**power, 3 * 10**power) if mark < rounds]
    marks = np.array([*(usual or range(1, rounds)), rounds], np.int64)
    needed = np.array([walk.needed_width(epsilon, delta, int(mark), tolerance=1e-3) for mark in marks])
    return Separation(epsilon, delta, failing, widths, marks, needed)
