"""The neighbouring relations, by the names that dp_accounting gives them and by ours."""

from typing import Any

from tightbudget.errors import InvalidParameter

OURS = {"ADD_OR_REMOVE_ONE": "add_remove", "REPLACE_ONE": "replace_one", "REPLACE_SPECIAL": "zero_out"}
THEIRS = {ours: theirs for theirs, ours in OURS.items()}


def our_relation(relation: Any) -> str:
    """Return our name of a relation: given as a member of NeighboringRelation, its name, or ours."""
    name = getattr(relation, "name", relation)
    if isinstance(name, str) and (name in OURS or name in THEIRS):
        return OURS.get(name, name)
    allowed = f"one of {', '.join(OURS)} (a NeighboringRelation), or {', '.join(THEIRS)}"
    raise InvalidParameter("relation", relation, allowed)
