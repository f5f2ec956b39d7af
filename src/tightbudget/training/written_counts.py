"""Counts of mechanisms written down and read back: notation and whole numbers, exact and fit for JSON."""

from collections.abc import Iterator

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Mechanism
from tightbudget.mechanisms.histograms import accepted_before
from tightbudget.notation import MAX_CHARACTERS, parse
from tightbudget.training.counts import Counts


def written_counts(counts: Counts) -> list[list[str | int]]:
    """Return a pair of notation and count for each mechanism."""
    return [[_written_mechanism(mechanism), count] for mechanism, count in counts.items()]


def read_counts(counts: object, mix_relations: bool) -> Iterator[tuple[Mechanism, int]]:
    """Yield the mechanisms with their counts; anything that `written_counts` would not have written is refused."""
    allowed = "a list of pairs of a mechanism's notation and a whole number from 1"
    if not isinstance(counts, list):
        raise InvalidParameter("counts", counts, allowed)
    seen: set[Mechanism] = set()
    for entry in counts:
        if not (isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[0], str)):
            raise InvalidParameter("counts", entry, allowed)
        text, count = entry
        with accepted_before():
            mechanism = parse(text, mix_relations)
        if type(count) is not int or count < 1 or not isinstance(mechanism, Mechanism) or mechanism in seen:
            raise InvalidParameter("counts", entry, f"{allowed}, each mechanism once")
        seen.add(mechanism)
        yield mechanism, count


def _written_mechanism(mechanism: Mechanism) -> str:
    """Return the notation, with the numbers of a file in it: the file may be gone when the state is read."""
    text = str(mechanism.in_numbers())
    if len(text) > MAX_CHARACTERS:
        raise InvalidParameter("state", f"{len(text)} characters for one step", f"at most {MAX_CHARACTERS}, to be read back")
    return text
