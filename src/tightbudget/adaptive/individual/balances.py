"""Balances: how many units of its budget each person has spent, in an array that is a filter's own or a caller's."""

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter

Array = NDArray[np.float64]

CHUNK = 2**15  # the arrays of one chunk stay in a processor's cache: 10 million people cost megabytes, not gigabytes

MOST_PEOPLE = 10**10  # more than there are; their balances would fill 80 gigabytes


def fresh_balances(people: int | None) -> Array:
    if isinstance(people, bool) or not isinstance(people, int | np.integer) or not 1 <= people <= MOST_PEOPLE:
        raise InvalidParameter("people", people, f"a whole number from 1 to {MOST_PEOPLE}", "Or give their balances.")
    try:
        return np.full(int(people), 0.0)  # not zeros: its memory would only be fetched during the first charge
    except MemoryError:
        raise InvalidParameter(
            "people", people, "as many as fit in memory, 8 bytes each", "Or map a file of balances."
        ) from None


def balances_in_form(given: Array, people: int | None) -> Array:
    """Return the caller's array as the array it is, whatever else its class makes of it."""
    if not isinstance(given, np.ndarray) or isinstance(given, np.ma.MaskedArray):
        raise InvalidParameter("balances", type(given).__name__, "an array of float64 in a row, not empty")
    balances = np.asarray(given)
    if balances.dtype != np.float64 or balances.ndim != 1 or not balances.size:
        found = f"of type {balances.dtype} and shape {balances.shape}"
        raise InvalidParameter("balances", found, "an array of float64 in a row, not empty")
    if people is not None and people != len(balances):
        raise InvalidParameter("people", people, f"{len(balances)}, as there are that many balances")
    if abs(balances.strides[0]) < balances.itemsize < balances.nbytes:
        raise InvalidParameter("balances", "overlapping", "an array with a place of its own for each person")
    if not balances.flags.aligned:  # or two filters of one array could each have half of a balance
        raise InvalidParameter("balances", "not aligned", "an array that starts and goes on at multiples of 8 bytes")
    if not balances.flags.writeable:
        raise InvalidParameter("balances", "read-only", "an array that may be written to")
    return balances


def check_balances(balances: Array, limit: float) -> None:
    """Refuse balances that no filter of this limit has written."""
    for start in range(0, len(balances), CHUNK):
        part = balances[start : start + CHUNK]
        if not (np.all(part >= 0.0) and np.all(part <= limit) and np.all(part == np.rint(part))):
            raise InvalidParameter("balances", "damaged", f"whole numbers from 0 to {limit:.0f}: units of the budget")
