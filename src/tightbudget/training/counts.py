"""How often each mechanism was run: counts added up, never more than can be counted."""

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composition, Mechanism
from tightbudget.mechanisms.checks import MOST_REPETITIONS

Counts = dict[Mechanism, int]
Counted = tuple[tuple[Mechanism, int], ...]
"""A step as it was told: mechanisms with how often each is run; one of them may stand there twice."""


def total_counts(counts: Counts, parts: Counted, times: int) -> Counts:
    """Return the counts that change, with the parts added so many times; refuse more than can be counted."""
    changed: Counts = {}
    for mechanism, count in parts:
        total = changed.get(mechanism, counts.get(mechanism, 0)) + count * times
        if total > MOST_REPETITIONS:
            raise InvalidParameter("count", total, f"at most {MOST_REPETITIONS} of one mechanism, with those counted before")
        if total:
            changed[mechanism] = total
    return changed


def times_countable(counts: Counts, parts: Counted) -> int:
    """Return how many times the parts could be counted."""
    each = total_counts({}, parts, 1)
    return min(((MOST_REPETITIONS - counts.get(one, 0)) // n for one, n in each.items()), default=MOST_REPETITIONS)


def joined_counts(taken: Composition, parts: Counted, times: int) -> Composition:
    """Return the composition of steps that are all different with these; mixed relations were refused before."""
    counts = dict(taken.items)
    counts.update(total_counts(counts, parts, times))
    return Composition(tuple(counts.items()), mix_relations=True)
