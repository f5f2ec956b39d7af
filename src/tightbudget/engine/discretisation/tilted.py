"""Exponentially tilted privacy loss distributions on a grid, with the two numbers that certify them (M7).

A row stores m_k e^{t k step} / Z, where index k has loss anchor + k step, and sums to 1; log_scale is log Z. The exact
row, divided by the same Z, differs from the stored one by a part of L1 norm at most `error` and a part of 2-norm at
most `noise`, whose L1 norm is at most `noise_mass`. Rows of one stack share their indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.convolve import TINY, Product, TooWide, convolve_powers, flush_denormals
from tightbudget.numerics.rounding import U, raised

Array = NDArray[np.float64]

_BATCH = 2**15  # entries of units that go through one transform together: they should stay in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class TiltedPMF:
    """Probability mass functions of the tilted loss, a row each; rows[:, i] belongs to index first + i."""

    rows: Array
    first: int
    anchor: float
    log_scale: Array
    error: Array
    noise: Array
    noise_mass: Array

    @property
    def size(self) -> int:
        return int(self.rows.shape[1])


def normalised_rows(
    rows: Array, first: int, anchor: float, log_scale: Array, error: Array, noise: Array, noise_mass: Array
) -> TiltedPMF:
    """Return the stack with each row divided by its sum; the certificates are in the units of the rows given."""
    total = rows.sum(axis=1)
    # A row that vanished altogether carries no information; its error says so.
    total = np.where(total > 0.0, total, 1.0)
    rows = rows / total[:, None]
    flush_denormals(rows)
    log_total = np.log(total)
    # the quotient and the logarithm are rounded, small entries flushed
    error = raised(error / total, 8) + 8.0 * U * (1.0 + np.abs(log_total)) + rows.shape[1] * TINY
    scale = raised(1.0, 8) / total
    return TiltedPMF(rows, first, anchor, log_scale + log_total, error, noise * scale, noise_mass * scale)


def composed_pmf(parts: Sequence[tuple[TiltedPMF, int]], tail: float) -> TiltedPMF:
    """Return the composition of the parts, each repeated its count; about `tail` of mass is left out at an end."""
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    product = convolve_powers([part.rows for part, _ in parts], [count for _, count in parts], tail)
    first = sum(count * part.first for part, count in parts) + product.first
    anchor = math.fsum(count * part.anchor for part, count in parts)
    return _certified_product(parts, product, first, anchor)


def _certified_product(parts: Sequence[tuple[TiltedPMF, int]], product: Product, first: int, anchor: float) -> TiltedPMF:
    """Return the product with what the parts' certificates, and its own, amount to.

    Stored rows have mass 1 up to 64 roundings, exact ones at most 1 + E + noise_mass. Parts without noise multiply to
    (1 + E1)^d1 (1 + E2)^d2 ... - 1 in L1; one noisy factor times all others is bounded in 2-norm and in L1 (M7).
    """
    error_bounds = np.sum([count * np.log1p(part.error + part.noise_mass) for part, count in parts], axis=0)
    total = 64.0 * U * sum(count for _, count in parts)
    if float(error_bounds.max()) + total > 1.0:  # what is certified only up to its own mass is not worth composing
        raise TooWide
    mass = math.exp(total)
    error = mass * np.expm1(np.sum([count * np.log1p(part.error) for part, count in parts], axis=0))
    others = mass * np.exp(error_bounds)
    noise = others * np.sum([count * part.noise for part, count in parts], axis=0)
    noise_mass = others * np.sum([count * part.noise_mass for part, count in parts], axis=0)
    log_scales = [count * part.log_scale for part, count in parts]
    return normalised_rows(
        product.rows,
        first,
        anchor,
        np.sum(log_scales, axis=0),
        error + product.error + (4.0 + len(parts)) * U * np.sum(np.abs(log_scales), axis=0),
        noise + product.noise,
        noise_mass + math.sqrt(product.rows.shape[1]) * product.noise,
    )


def pmf_powers(units: Sequence[TiltedPMF], count: int, tail: float) -> list[TiltedPMF]:
    """Return each unit composed with itself, `count` times: one call of the transform serves them all."""
    if count == 1:
        return list(units)
    done: list[TiltedPMF] = []
    for batch in _batches_of_tilted(units):
        low, high = min(unit.first for unit in batch), max(unit.first + unit.size for unit in batch)
        height = batch[0].rows.shape[0]
        rows = np.zeros((height * len(batch), high - low))
        for i, unit in enumerate(batch):
            rows[i * height : (i + 1) * height, unit.first - low : unit.first - low + unit.size] = unit.rows
        product = convolve_powers([rows], [count], tail)
        together = TiltedPMF(
            rows,
            low,
            0.0,
            *(np.concatenate([getattr(u, name) for u in batch]) for name in ("log_scale", "error", "noise", "noise_mass")),
        )
        result = _certified_product([(together, count)], product, count * low + product.first, 0.0)
        for i, unit in enumerate(batch):
            part = slice(i * height, (i + 1) * height)
            done.append(
                TiltedPMF(
                    result.rows[part],
                    result.first,
                    count * unit.anchor,
                    result.log_scale[part],
                    result.error[part],
                    result.noise[part],
                    result.noise_mass[part],
                )
            )
    return done


def _batches_of_tilted(units: Sequence[TiltedPMF]) -> list[list[TiltedPMF]]:
    """Group neighbouring units of about the same length, so that little is padded and memory stays small."""
    batches: list[list[TiltedPMF]] = []
    for unit in units:
        last = batches[-1] if batches else []
        alike = last and 2 * last[0].size > unit.size > last[0].size // 2 and (len(last) + 1) * unit.size < _BATCH
        if alike:
            last.append(unit)
        else:
            batches.append([unit])
    return batches


def kept_columns(stack: TiltedPMF, tail: float) -> tuple[int, int]:
    """Return the columns outside which each end holds at most `tail` of every row, or no more than its error."""
    limit = np.maximum(tail, 0.02 * (stack.error + stack.noise))[:, None]
    below = np.cumsum(stack.rows, axis=1)
    start = int(np.argmax(below > limit, axis=1).min())
    above = below[:, -1:] - below  # mass beyond each column
    stop = int(np.argmax(above <= limit, axis=1).max()) + 1
    return (start, stop) if start < stop else (0, stack.size)


def sliced_columns(stack: TiltedPMF, start: int, stop: int, error: Array) -> TiltedPMF:
    return replace(stack, rows=stack.rows[:, start:stop], first=stack.first + start, error=error)
