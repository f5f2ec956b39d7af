"""Who gets which slot: the parts of one step, asked at once, share what is free (M15).

Each part takes the kinds it likes best. Where that leaves none for a part, others of the same step move to kinds they
like less, along augmenting paths: a step is refused only if no assignment of its parts exists. Steps admitted before
keep theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shortage:
    """Parts that together need more than is free of all the kinds that would do for any of them (Hall)."""

    parts: tuple[int, ...]
    kinds: tuple[int, ...]


def assigned_slots(needs: Sequence[int], choices: Sequence[Sequence[int]], free: Sequence[int]) -> list[int] | Shortage:
    """Return how many of each kind the parts take; part p needs `needs[p]` of the kinds `choices[p]`, the best first.

    >>> assigned_slots([1, 1], [[0, 1], [0]], [1, 1]), assigned_slots([2, 1], [[0], [0]], [2])
    ([1, 1], Shortage(parts=(1, 0), kinds=(0,)))
    """
    left = list(free)
    taken: list[dict[int, int]] = [{} for _ in needs]
    for part, need in enumerate(needs):
        for kind in choices[part]:
            share = min(need, left[kind])
            need -= share
            left[kind] -= share
            taken[part][kind] = share
        while need:
            moved = _augment_slot_path(part, need, choices, taken, left)
            if isinstance(moved, Shortage):
                return moved
            need -= moved
    return [before - after for before, after in zip(free, left, strict=True)]


def _augment_slot_path(
    start: int, need: int, choices: Sequence[Sequence[int]], taken: list[dict[int, int]], left: list[int]
) -> int | Shortage:
    """Free as much as one shortest path allows for the part that lacks it: it takes from another, and so on."""
    wanted_by: dict[int, int] = {}  # a kind, and the part that would take it
    given_up: dict[int, int] = {}  # a part, and the kind it would give up
    parts = [start]
    for part in parts:
        for kind in choices[part]:
            if kind in wanted_by:
                continue
            wanted_by[kind] = part
            if left[kind]:
                return _move_along_slot_path(start, kind, need, wanted_by, given_up, taken, left)
            for other in range(start):
                if taken[other].get(kind) and other not in given_up:
                    given_up[other] = kind
                    parts.append(other)
    return Shortage(tuple(parts), tuple(wanted_by))


def _move_along_slot_path(
    start: int,
    last: int,
    need: int,
    wanted_by: dict[int, int],
    given_up: dict[int, int],
    taken: list[dict[int, int]],
    left: list[int],
) -> int:
    """Shift along the path that ends at a kind which is still free; return by how much."""
    path = [(wanted_by[last], last)]
    while path[-1][0] != start:
        kind = given_up[path[-1][0]]
        path.append((wanted_by[kind], kind))
    moved = min([need, left[last], *(taken[part][given_up[part]] for part, _ in path[:-1])])
    left[last] -= moved
    for part, kind in path:
        taken[part][kind] = taken[part].get(kind, 0) + moved
        if part != start:
            taken[part][given_up[part]] -= moved
    return moved
