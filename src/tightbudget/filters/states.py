"""The way back from a state, for filters and odometers alike."""

from collections.abc import Mapping
from typing import Any

from tightbudget.errors import InvalidParameter

VERSION = 1
"""Of what `state` returns; raised when an older state can no longer be read."""


def restored(state: object, kinds: Mapping[str, Any], what: str) -> Any:
    """Return the object that the state was taken of: its settings make it anew, and `_restore` takes what was spent."""
    if not isinstance(state, dict):
        raise InvalidParameter("state", state, f"a dictionary that {what}'s state() returned")
    settings: dict[str, Any] = dict(state)
    version, kind, spent = (settings.pop(name, None) for name in ("version", "kind", "spent"))
    if version != VERSION or type(version) is not int:
        raise InvalidParameter("version", version, f"{VERSION}", "The state was written by another version of the package.")
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidParameter("kind", kind, f"one of {', '.join(kinds)}")
    try:
        made = kinds[kind](**settings)
    except TypeError:
        raise InvalidParameter("state", state, f"as {what} of kind {kind} wrote it") from None
    made._restore(spent)
    return made
