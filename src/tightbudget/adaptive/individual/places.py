"""Which filters are charged in which memory. Those in the same must mean the same by it and wait for each other.

Balances count units of one budget. Read in the units of another they are another sum, of which nothing could be said.
"""

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.sharing import Locks
from tightbudget.errors import CannotShare


class Place:
    """The memory of one filter, while the filter has it; `meaning` is its kind and settings, `home` the process."""

    def __init__(self, balances: NDArray[np.float64], meaning: Any, locks: Locks, home: object) -> None:
        self.balances, self.meaning, self.locks, self.home = balances, meaning, locks, home


TAKEN: weakref.WeakSet[Place] = weakref.WeakSet()


def take_place(place: Place) -> Place:
    """Return the place, for which others are now looked after; refuse another's. Call it under one lock for all."""
    for other in list(TAKEN):
        # a fork's memory is its own, and what was made elsewhere is not charged here
        if other.home == place.home and np.shares_memory(other.balances, place.balances):
            _check_alike(other, place)
    TAKEN.add(place)
    return place


def _check_alike(other: Place, place: Place) -> None:
    if other.locks is not place.locks:
        problem = "These are the own balances of another filter, which would not wait for this one."
        raise CannotShare(problem, "Charge that one, or make both of an array of yours.")
    if other.meaning != place.meaning:
        problem = "Another filter charges the same array in other units: its kind, budget or order differs."
        raise CannotShare(problem, "Give each its own array.")
