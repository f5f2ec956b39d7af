"""Counts of two samples over the same cells, checked."""

from collections.abc import Iterable

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import whole_count

MOST_CELLS = 1_000  # confident bounds are computed in exact fractions

Counts = tuple[int, ...]


def checked_counts(a: Iterable[float], b: Iterable[float]) -> tuple[Counts, Counts]:
    """Return the counts as whole numbers: as many in both lists, not all 0 in either, and not too many."""
    first, second = _whole_counts("a", a), _whole_counts("b", b)
    if len(first) != len(second):
        raise InvalidParameter(
            "b", f"{len(second)} cells", f"as long as a, which has {len(first)} cells", "Give empty cells as 0."
        )
    for name, counts in (("a", first), ("b", second)):
        if sum(counts) == 0:
            raise InvalidParameter(name, "an empty histogram", "a list with at least one positive number")
    if len(first) > MOST_CELLS:
        raise InvalidParameter("a", f"{len(first)} cells", f"at most {MOST_CELLS} cells", "Merge some.")
    return first, second


def _whole_counts(name: str, counts: Iterable[float]) -> Counts:
    if isinstance(counts, str | np.ma.MaskedArray) or not isinstance(counts, Iterable):  # what is masked would be read as 0
        raise InvalidParameter(name, counts, "a list of counts")
    return tuple(map(whole_count, counts))
