"""Discretised pairs side by side on one grid, with what their characteristic functions ask for (M19)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.discretise import DiscretisedPair
from tightbudget.numerics.characteristic import padded_rows
from tightbudget.numerics.rounding import GENEROUS, U, raised_by

Array = NDArray[np.float64]

_MOST_ENTRIES = 2**18  # of a block
_MOST_USED = 0.5  # of all columns, for the others to be worth leaving out


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some discretised pairs on the common grid: rows 3i, 3i + 1 and 3i + 2 belong to pair i."""

    rows: Array
    folded: Array  # the same, as `transform` likes them
    counts: Array
    means: Array  # of each row, roughly
    variances: Array  # at least
    mean_place: Array  # mean of |k| in each row, at most

    def total(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over all pairs, each with its count, of values by row: one for each kind of row."""
        if self.counts.size == 1:
            single: NDArray[Any] = self.counts[0] * values
            return single
        each: NDArray[Any] = np.einsum("i,i...->...", self.counts, values.reshape(self.counts.size, 3, *values.shape[1:]))
        return each


def blocks_of(discretised: Sequence[DiscretisedPair], counts: Sequence[int], places: Array, begin: int) -> Iterator[Block]:
    """Return the discretised pairs side by side, as many in a block as fit."""
    most = max(1, _MOST_ENTRIES // (3 * places.size))
    for i in range(0, len(discretised), most):
        some = discretised[i : i + most]
        rows = np.zeros((3 * len(some), places.size))
        for j, one in enumerate(some):
            columns = slice(one.begin - begin, one.begin - begin + one.spread.size)
            rows[3 * j, columns] = one.spread.rows[0]
            rows[3 * j + 1 : 3 * j + 3, columns] = one.merged.rows
        yield block_of(rows, np.array(counts[i : i + most], dtype=np.float64), places)


def no_gaps(places: Array) -> bool:
    """Whether the places, which increase, are neighbours."""
    return bool(places[-1] - places[0] == places.size - 1.0)


def without_empty_columns(places: Array, blocks: list[Block]) -> tuple[Array, list[Block]]:
    """Return places and blocks without the columns in which no row has anything, if these are many.

    Few events, such as those of noise on the integers, take few places of a fine grid. If only neighbours are left, all
    stay: places without a gap are taken for numbers of columns, from 0 on, and these begin elsewhere.
    """
    used = np.logical_or.reduce([block.rows.any(axis=0) for block in blocks])
    if np.count_nonzero(used) > _MOST_USED * places.size or no_gaps(places[used]):
        return places, blocks
    return places[used], [block_of(block.rows[:, used], block.counts, places[used]) for block in blocks]


def block_of(rows: Array, counts: Array, places: Array) -> Block:
    """Return the rows with the moments of each that bound its characteristic function."""
    means = rows @ places
    squares = rows @ (places * places) - means * means
    # rounding of the difference is at the size of its terms; a larger variance is sound
    wide = float(np.abs(places).max())
    variances = np.maximum(squares, 0.0) + GENEROUS + 64.0 * places.size * U * (means * means + wide * np.abs(means))
    return Block(rows, padded_rows(rows), counts, means, variances, raised_by(rows @ np.abs(places), GENEROUS))
