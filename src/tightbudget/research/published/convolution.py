"""Convolution of two bucket lists, with a bound on the L1 error of each row (M11).

The noise of a transform is proportional to the 2-norm of what is transformed. Lists often consist of a few heavy
columns (the atoms of Laplace noise or of randomised response) and a thin rest; only the rest goes through transforms.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.convolve import convolve_powers
from tightbudget.numerics.rounding import U
from tightbudget.research.published.buckets import TAIL, Array

_MOST_HEAVY = 64  # columns multiplied one by one; more would take longer than the transforms
_WORTH = 4.0  # factor by which the noise must fall to make that worthwhile


@dataclass(frozen=True, slots=True)
class Convolution:
    """Computed rows; rows[:, i] belongs to index first + i of the linear convolution, which is within `error` in L1."""

    rows: Array
    first: int
    error: Array


def bucket_convolution(p: Array, q: Array) -> Convolution:
    """Return the row-by-row convolution of two stacks of non-negative rows with sums of about 1 or less."""
    heavy_p = _heavy_columns(p)
    heavy_q = heavy_p if p is q else _heavy_columns(q)
    if heavy_p.size == 0 and heavy_q.size == 0:
        return _transformed_buckets(p, q)
    thin_p, thin_q = _without_columns(p, heavy_p), _without_columns(q, heavy_q)
    rest = _transformed_buckets(thin_p, thin_p if p is q else thin_q)
    rows = np.zeros((p.shape[0], p.shape[1] + q.shape[1] - 1))
    rows[:, rest.first : rest.first + rest.rows.shape[1]] = rest.rows
    # p * q = heavy_p * q + thin_p * heavy_q + thin_p * thin_q
    for column in heavy_p.tolist():
        rows[:, column : column + q.shape[1]] += p[:, column : column + 1] * q
    for column in heavy_q.tolist():
        rows[:, column : column + p.shape[1]] += q[:, column : column + 1] * thin_p
    # an entry is a sum of that many non-negative products, each rounded once
    relative = 1.01 * U * (heavy_p.size + heavy_q.size + 2)
    return Convolution(rows, 0, rest.error + relative * rows.sum(axis=1))


def _transformed_buckets(p: Array, q: Array) -> Convolution:
    product = convolve_powers([p], [2], TAIL) if p is q else convolve_powers([p, q], [1, 1], TAIL)
    # a vector of N entries has an L1 norm of at most sqrt(N) times its 2-norm
    return Convolution(product.rows, product.first, product.error + math.sqrt(product.rows.shape[1]) * product.noise)


def _heavy_columns(rows: Array) -> NDArray[np.intp]:
    """Return the heaviest columns, if without them the rows' 2-norm is much smaller."""
    weight = np.max(rows, axis=0)
    if weight.size <= _MOST_HEAVY:
        return np.flatnonzero(weight)
    heaviest = np.argpartition(weight, -_MOST_HEAVY)[-_MOST_HEAVY:]
    squares = weight * weight
    whole, kept = float(squares.sum()), float(squares[heaviest].sum())
    if whole - kept > whole / _WORTH**2:
        return np.empty(0, dtype=np.intp)
    # of those, only the ones that matter: each multiplication costs a rounding
    return np.sort(heaviest[squares[heaviest] > whole * 1e-9])


def _without_columns(rows: Array, columns: NDArray[np.intp]) -> Array:
    thin = rows.copy()
    thin[:, columns] = 0.0
    return thin
