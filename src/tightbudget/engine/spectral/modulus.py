"""Bounds on the modulus of a characteristic function between angles at which it is known (M19)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.spectral.blocks import Block, block_of
from tightbudget.numerics.characteristic import Turns, transform
from tightbudget.numerics.rounding import AMPLE, GENEROUS, U, lowered_by, raised, raised_by

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Transforms = list[tuple[Complex, Array]]
"""Of each block, some angles in columns: the values, and a bound on their error (one column may serve all)."""

_FEW_POINTS = 64  # of a core


def between_angles_bound(blocks: Sequence[Block], angles: Array, transforms: Transforms) -> Array:
    """Return bounds on the log modulus of the product between neighbouring angles, kind by kind of row."""
    return log_bound(blocks, angles, transforms, np.arange(angles.size - 1))


def log_bound(blocks: Sequence[Block], angles: Array, transforms: Transforms, low: NDArray[np.intp]) -> Array:
    """Return bounds on the log modulus of the product between the angles numbered `low` and those that follow them."""
    log_modulus = np.zeros((3, low.size))
    for block, (values, error) in zip(blocks, transforms, strict=True):
        # rows sum to 1 up to 64 roundings
        logs = np.log(np.minimum(_square_bound(block, angles, values, error, low), raised(1.0, 256)))
        log_modulus += 0.5 * block.total(logs)
    return log_modulus


def _square_bound(block: Block, angles: Array, values: Complex, error: Array, low: NDArray[np.intp]) -> Array:
    """Return bounds on the squared modulus of each row between the angles numbered `low` and those that follow them.

    |phi|^2 = E cos u(X - X') has a second derivative of at least -2 Var X, so that between two angles it exceeds its
    chord by at most c t (1 - t), c the variance times the squared distance and t from 0 to 1. That sum is largest where
    it exceeds the larger end by (c - d)^2 / 4c, d the difference of the ends, or, if c < d, at that end.
    """
    gaps = raised_by((angles[low + 1] - angles[low]) ** 2, GENEROUS)
    square = raised_by((np.abs(values) + error) ** 2, AMPLE)
    left, right = square[:, low], square[:, low + 1]
    most = np.multiply.outer(block.variances, gaps) + 1e-300
    rest = np.maximum(most - np.abs(left - right), 0.0)
    # differences are rounded at the size of their terms, and ends reach a little farther, as they are rounded too
    rounding = 1e-13 + 16.0 * U * most + 64.0 * U * np.sqrt(block.variances)[:, None]
    bound: Array = np.maximum(left, right) + raised_by(rest * rest / (4.0 * most), GENEROUS) + rounding
    return bound


class LawCore(NamedTuple):
    """The laws given that k is one of few neighbouring points: weight * law is a part of each row."""

    few: slice
    places: Array
    blocks: list[tuple[Block, Array]]  # conditional laws, and their weights
    deviation: float  # the largest


def law_core(blocks: Sequence[Block], places: Array) -> LawCore:
    """Return the laws on the points around the peak."""
    peak = int(np.argmax(sum(block.counts @ block.rows[::3] for block in blocks)))
    # few points take many angles to get from, many to get to
    size = _FEW_POINTS if places.size < 16 * _FEW_POINTS else 4 * _FEW_POINTS
    begin = max(0, min(peak - size // 2, places.size - size))
    return core_on(blocks, places, slice(begin, begin + size))


def core_on(blocks: Sequence[Block], places: Array, few: slice) -> LawCore:
    """Return the laws on the points given."""
    parts = []
    for block in blocks:
        weights = block.rows[:, few].sum(axis=1)
        rows = block.rows[:, few] / np.maximum(weights, 1e-300)[:, None]
        parts.append((block_of(rows, block.counts, places[few]), lowered_by(weights, GENEROUS)))
    return LawCore(few, places[few], parts, math.sqrt(max(float(part.variances.max()) for part, _ in parts)))


def core_bound(core: LawCore, at: Turns, low: NDArray[np.intp]) -> Array:
    """Return bounds on the log modulus of the product between some neighbours: |phi| <= 1 - w + w |phi_core|."""
    log_modulus = np.zeros((3, low.size))
    for block, weights in core.blocks:
        values, error = transform(block.folded, block.mean_place, at)
        modulus = np.sqrt(np.minimum(_square_bound(block, at.angles, values, error, low), 1.0))
        # a row sums to 1 up to 64 roundings; what is below 0 is raised by a factor below 1
        logs = np.log1p(weights[:, None] * (modulus - 1.0) * (1.0 - GENEROUS) + 128.0 * U)
        log_modulus += block.total(logs)
    return log_modulus


def exp_up(logs: Array) -> Array:
    """Return e^logs, rounded up, of negative numbers: a factor below 1 raises them."""
    exponentials: Array = raised_by(np.exp(logs * (1.0 - GENEROUS)), GENEROUS)
    return exponentials
