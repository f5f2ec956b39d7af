"""Neighbouring relations: which steps may be added up, and what a step knows of relations it was not stated for.

Decisions 0009 and 0027.
"""

from collections.abc import Iterable

from tightbudget.errors import InvalidParameter, MixedRelations, UnknownRelation

ADD_REMOVE, REPLACE_ONE, ZERO_OUT = "add_remove", "replace_one", "zero_out"
RELATIONS = (ADD_REMOVE, REPLACE_ONE, ZERO_OUT)
"""One record more or less; one in the place of another; one in the place of a record that contributes nothing."""

DEFAULT = ADD_REMOVE
ANY = "any"
"""Of a promise: it is made for whatever relation the other steps are meant for."""

Relations = frozenset[str]

_MOVED_BY = {(ADD_REMOVE, ZERO_OUT): 1, (ADD_REMOVE, REPLACE_ONE): 2, (ZERO_OUT, REPLACE_ONE): 2}


def moved_by(stated: str, asked: str) -> int | None:
    """Return how many sensitivities a query moves under a relation that may not be the one stated; None if not known.

    A record that contributes nothing might as well be absent, and to replace one is to remove it and to add another.
    What a replacement moves says nothing of records that come and go.

    >>> moved_by("add_remove", "replace_one"), moved_by("replace_one", "add_remove")
    (2, None)
    """
    return 1 if stated == asked else _MOVED_BY.get((stated, asked))


def relation_named(relation: object) -> str:
    """Return the relation if it is one."""
    if not isinstance(relation, str) or relation not in RELATIONS:
        raise InvalidParameter("relation", relation, f"one of {', '.join(RELATIONS)}")
    return str(relation)


def stated_relation(neighbours: str) -> Relations:
    """Return the relation as a set; nothing for a promise."""
    return frozenset() if neighbours == ANY else frozenset({neighbours})


def relation_label(relations: Relations) -> str:
    """Return the relation that answers name."""
    return "+".join(sorted(relations)) or DEFAULT


def check_one_relation(steps: Iterable[tuple[object, Relations]], shared: Iterable[str] = ()) -> None:
    """Raise MixedRelations if the steps, each with its relations, are meant for more than one; name two that differ.

    `shared` are the relations under which all of them could be asked about.
    """
    first: tuple[object, Relations] | None = None
    for step, relations in steps:
        if len(relations) > 1:
            raise MixedRelations(relations, f"{step} is for {' and '.join(sorted(relations))}", shared)
        if first is None and relations:
            first = step, relations
        elif first is not None and relations and relations != first[1]:
            why = f"{first[0]} is for {relation_label(first[1])} and {step} for {relation_label(relations)}"
            raise MixedRelations(first[1] | relations, why, shared)


def check_known(step: object, known: Relations, relation: str, hint: str) -> None:
    """Raise UnknownRelation if a step says nothing of a relation."""
    if relation not in known:
        raise UnknownRelation(relation, step, sorted(known), hint)


def mix_relations_asked(mix_relations: object) -> bool:
    """Return the flag; anything but a truth value is a mistake."""
    if not isinstance(mix_relations, bool):
        raise InvalidParameter("mix_relations", mix_relations, "True or False")
    return mix_relations
