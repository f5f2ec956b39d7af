"""Privacy buckets of a pair (A, B): the numbers that Definitions 4 and 7 attach to a composition tree (M11).

Stored are masses of the same events under A and under B, on the indices i = first, first + 1, ...; bucket i holds
events with P_A <= f^i P_B. The paper's error-correction terms are views of them: l(i) = b(i) - B(i) / f^i.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import GENEROUS, raised_by

Array = NDArray[np.float64]

A, REAL, VIRTUAL = 0, 1, 2
"""The rows: B(i), B(i)/f^i + l(i) and B(i)/f^i + l~(i), in the paper's letters."""

TAIL = 1e-20
"""Mass that may be cut from either end of a list; it is booked."""

MOST_ERROR = 1e-3
"""Beyond this error a list says nothing; everything is then counted as lost."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """Privacy buckets with error-correction terms, and what rounding may have done to them.

    The paper's B(inf) has two parts here: events that B cannot produce at all (`distinguishing`, a lower bound) and
    events whose loss left the list, which still have the mass `over_b` under B. Events of A-mass 0 are left out: they
    add nothing to an upper bound and would only weaken a lower one.

    Promise: true losses are at most `loss_shift` beyond what the indices say, and the exact rows (with infinity in row
    A, with over_b in row VIRTUAL) are within error[row] of those stored, in L1. Row REAL may also be smaller than the
    exact one.
    """

    log_factor: float
    n: int
    u: int
    first: int
    rows: Array
    infinity: float
    distinguishing: float
    over_b: float
    loss_shift: float
    error: Array

    @property
    def factor(self) -> float:
        """The bucket factor f."""
        return bucket_factor(self.log_factor)

    @property
    def stored(self) -> NDArray[np.int64]:
        """Indices of the stored columns."""
        return np.arange(self.first, self.first + self.rows.shape[1])

    @property
    def indices(self) -> NDArray[np.int64]:
        """The index set N = {-n, ..., n}."""
        return np.arange(-self.n, self.n + 1)

    @property
    def B(self) -> Array:
        """Bucket values B(i), i in N."""
        return self._on_all(self.rows[A])

    @property
    def ell(self) -> Array:
        """Real error-correction terms l(i), i in N; zero for what was clamped to -n."""
        return self._on_all(self.rows[REAL] - self._divided())

    @property
    def ell_virtual(self) -> Array:
        """Virtual error-correction terms l~(i), i in N."""
        return self._on_all(self.rows[VIRTUAL] - self._divided())

    def _divided(self) -> Array:
        """Return B(i) / f^i; it is at most 1, being a part of P_B, though f^n may be beyond all floats."""
        with np.errstate(divide="ignore"):
            quotient: Array = np.exp(np.minimum(np.log(self.rows[A]) - self.stored * self.log_factor, 0.0))
        return quotient

    def _on_all(self, values: Array) -> Array:
        whole = np.zeros(2 * self.n + 1)
        whole[self.first + self.n : self.first + self.n + values.size] = values
        return whole

    def __repr__(self) -> str:
        return f"Buckets(f=exp({self.log_factor:.6g}), n={self.n}, u={self.u}, B(inf)={self.infinity:.3g})"


def bucket_factor(log_factor: float) -> float:
    """Return f, inf if it is beyond all floats."""
    return math.exp(log_factor) if log_factor < 709.0 else math.inf


def bucket_list(
    *,
    log_factor: float,
    n: int,
    u: int,
    first: int,
    rows: Array,
    infinity: float,
    distinguishing: float,
    over_b: float,
    loss_shift: float,
    error: Array,
    tail: float = TAIL,
) -> Buckets:
    """Return the buckets without columns at the ends that hold at most `tail`; what is cut is booked (M11)."""
    if not float(error.max()) <= MOST_ERROR:  # written so that NaN is refused too
        rows, infinity, over_b, error = np.zeros((3, 1)), 1.0, 1.0, np.zeros(3)
    start, stop = _kept_buckets(rows, tail)
    dropped = rows[:, :start].sum(axis=1) + rows[:, stop:].sum(axis=1)
    dropped[REAL] = 0.0  # a smaller correction is sound
    rows = np.ascontiguousarray(rows[:, start:stop])
    error = error + raised_by(dropped, GENEROUS)
    for values in (rows, error):
        values.setflags(write=False)
    return Buckets(log_factor, n, u, first + start, rows, infinity, distinguishing, over_b, loss_shift, error)


def _kept_buckets(rows: Array, tail: float) -> tuple[int, int]:
    heaviest = rows.max(axis=0)  # cuts that are small in every row are small in each
    start = int(np.searchsorted(np.cumsum(heaviest), tail, side="right"))
    stop = heaviest.size - int(np.searchsorted(np.cumsum(heaviest[::-1]), tail, side="right"))
    return (start, stop) if start < stop else (0, 1)
