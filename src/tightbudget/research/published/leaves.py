"""Leaves of a composition tree: the buckets of one pair of distributions (Definitions 4 and 7)."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import GENEROUS, U, raised_by
from tightbudget.pairs.base import NEGLIGIBLE, Array, Cells, Pair
from tightbudget.research.published.buckets import A, Buckets, bucket_list

_ON_EDGE = 1e-9  # a loss this close above i log f (in buckets) is put in bucket i; the displacement is part of the loss_shift
_LARGE = 50.0  # error of a logarithm: nothing is known


def leaf_buckets(pair: Pair, log_factor: float, n: int) -> Buckets:
    """Return the buckets of a pair: index i for losses in ((i-1) log f, i log f], -n for all below, inf for all above.

    Notation:  column i + n of `a` and `b` is bucket i, the last column what lies beyond n; as in M11.
    Rounding:  edges and losses go into `loss_shift`, masses into `error`.
    """
    a, b, error = np.zeros(2 * n + 2), np.zeros(2 * n + 2), np.zeros(3)
    edges = np.concatenate([[-np.inf], log_factor * np.arange(-n, n + 1, dtype=np.float64), [np.inf]])
    cells = pair.cells(edges)
    if cells.size:
        _add_to_buckets(a, b, error, cells, np.arange(2 * n + 2), 1)
    points, moved = pair.points(), 0.0
    if points.size:
        column, moved = _bucket_columns(points.low, log_factor, n)
        _add_to_buckets(a, b, error, points, column, int(np.bincount(column).max()))
    error += NEGLIGIBLE  # what underflows
    error[A] += raised_by(pair.unresolved, GENEROUS)
    error[A] += pair.infinity.upper - pair.infinity.infinite.lower  # bucket infinity holds the most it may be

    used = np.flatnonzero(a[:-1]) - n
    reach = log_factor * (2.0 + float(np.abs(used).max(initial=0)))  # no loss in the list is larger
    loss_shift = 1.01 * (pair.loss_shift(reach) + moved + 4.0 * U * reach)
    real = b[:-1].copy()
    real[0] = uncorrected_mass(float(a[0]), float(error[A]), n * log_factor, loss_shift)

    return bucket_list(
        log_factor=log_factor,
        n=n,
        u=1,
        first=-n,
        rows=np.stack([a[:-1], real, b[:-1]]),
        infinity=pair.infinity.upper + float(a[-1]),
        distinguishing=pair.infinity.infinite.lower,
        over_b=float(b[-1]),
        loss_shift=loss_shift,
        error=raised_by(error, GENEROUS),
    )


def _add_to_buckets(a: Array, b: Array, error: Array, cells: Cells, column: NDArray[np.intp], crowd: int) -> None:
    """Add the cells' masses to their columns; `crowd` of them at most share one."""
    mass_a, mass_b = np.exp(cells.log_a), np.exp(cells.log_b)
    a += np.bincount(column, mass_a, a.size)
    b += np.bincount(column, mass_b, b.size)
    stated = np.where(np.maximum(cells.log_a, cells.log_b) > -np.inf, cells.error, 0.0)
    known = float(stated.max(initial=0.0)) < _LARGE
    relative = np.expm1(np.minimum(stated, _LARGE) + (8.0 + crowd) * U)
    # neither the masses nor their truth add up to more than 1, however little is known of each
    error += np.minimum([mass_a @ relative, mass_b @ relative, mass_b @ relative], 1.01) if known else 1.01


def _bucket_columns(losses: Array, log_factor: float, n: int) -> tuple[NDArray[np.intp], float]:
    """Return the columns of point masses, and how far a loss lies above its bucket at most."""
    with np.errstate(over="ignore"):
        where = np.clip(losses / log_factor, -n - 2.0, n + 2.0)  # farther away makes no difference
    nearest = np.round(where)
    index = np.where(np.abs(where - nearest) <= _ON_EDGE, nearest, np.ceil(where))
    moved = np.where(np.abs(index) <= n, losses - index * log_factor, 0.0)
    column = np.clip(index, -n, n + 1).astype(np.intp) + n
    return column, max(0.0, float(moved.max()))


def uncorrected_mass(mass: float, error: float, log_scale: float, loss_shift: float) -> float:
    """Return B(-n) f^n, the B-mass of bucket -n that is certain though nobody knows how far below -n its events are."""
    certain = mass - error
    if certain <= 0.0:
        return 0.0
    return math.exp(min(math.log(certain) + log_scale - loss_shift - 16.0 * U * (1.0 + log_scale), 0.0))
