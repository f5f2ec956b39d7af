"""Neighbouring relations: which steps may be added up (decision 0009)."""

from collections.abc import Iterable

from tightbudget.errors import InvalidParameter, MixedRelations

DEFAULT = "add_remove"
ANY = "any"
"""Of a promise: it is made for whatever relation the other steps are meant for."""

Relations = frozenset[str]


def stated_relation(neighbours: str) -> Relations:
    """Return the relation as a set; nothing for a promise."""
    return frozenset() if neighbours == ANY else frozenset({neighbours})


def relation_label(relations: Relations) -> str:
    """Return the relation that answers name."""
    return "+".join(sorted(relations)) or DEFAULT


def check_one_relation(steps: Iterable[tuple[object, Relations]]) -> None:
    """Raise MixedRelations if the steps, each with its relations, are meant for more than one; name two that differ."""
    first: tuple[object, Relations] | None = None
    for step, relations in steps:
        if len(relations) > 1:
            raise MixedRelations(relations, f"{step} is for {' and '.join(sorted(relations))}")
        if first is None and relations:
            first = step, relations
        elif first is not None and relations and relations != first[1]:
            why = f"{first[0]} is for {relation_label(first[1])} and {step} for {relation_label(relations)}"
            raise MixedRelations(first[1] | relations, why)


def mix_relations_asked(mix_relations: object) -> bool:
    """Return the flag; anything but a truth value is a mistake."""
    if not isinstance(mix_relations, bool):
        raise InvalidParameter("mix_relations", mix_relations, "True or False")
    return mix_relations
