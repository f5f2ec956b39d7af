"""Balances as a state, for people who can be counted on a page: read as strictly as the states of other filters.

A state is trusted as the balances themselves are: whoever can change it can also forget what was spent. The checks are
against accidents.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tightbudget.adaptive.states import check_state_keys
from tightbudget.errors import InvalidParameter

VERSION = 1

FRAME = {"version", "kind", "digits", "spent"}


def filter_from_state(state: object, kinds: Mapping[str, Any]) -> Any:
    """Return the individual filter that the state was taken of."""
    if not isinstance(state, dict):
        raise InvalidParameter("state", state, "a dictionary that an individual filter's state() returned")
    version, kind = state.get("version"), state.get("kind")
    if version != VERSION or type(version) is not int:
        raise InvalidParameter("version", version, f"{VERSION}", "The state was written by another version of the package.")
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidParameter("kind", kind, f"one of {', '.join(kinds)}")
    settings = {name: value for name, value in state.items() if name not in FRAME}
    wrote = f"as an individual {kind} filter wrote it"
    check_state_keys("state", state, FRAME | set(kinds[kind].settings), wrote)
    spent = state["spent"]
    if not isinstance(spent, dict) or len(spent) != 1:
        raise InvalidParameter("spent", type(spent).__name__, wrote)
    made = kinds[kind](**settings, balances=_read_balances(next(iter(spent.values()))))
    check_state_keys("spent", spent, made.sums, wrote)
    if type(state["digits"]) is not int or state["digits"] != made.units.digits:
        raise InvalidParameter("digits", state["digits"], f"{made.units.digits}, the unit of this budget")
    return made


def _read_balances(balances: object) -> Any:
    """Return whole numbers as the array that a filter keeps; which of them are possible, the filter checks."""
    if not isinstance(balances, list) or not all(type(each) is int and 0 <= each < 2**53 for each in balances):
        raise InvalidParameter("spent", "no list of whole numbers", "a list with one whole number for each person")
    return np.array(balances, dtype=np.float64)
