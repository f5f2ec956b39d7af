"""Characteristic functions of laws on a grid, at some or all frequencies of a period, with an error bound (M19)."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from tightbudget.numerics.convolve import FFT_CONSTANT
from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Nodes = NDArray[np.int64]

_BLOCK = 64  # terms summed in one go: an error grows with this and with the number of blocks
_HALF_BLOCK = _BLOCK // 2  # places, of which each makes two terms where a turn is a product
_FEW = 12  # angles that are not worth factorising
_AT_ONCE = 8  # blocks, so that what is made of them is short
_FEW_ROWS, _MANY_ANGLES = 8, 16  # for which sums take less time than a table of the turns
_HALF, _ONE_WORD = 2**20, 2**31  # periods up to 2^40 fit in two halves, those up to 2^31 in one
LONGEST_PERIOD = 3**12  # of which all frequencies are looked at: tens of milliseconds
_ODD = sorted(3**i * 5**j * 7**k for i in range(13) for j in range(9) for k in range(7) if 3**i * 5**j * 7**k <= LONGEST_PERIOD)


class Turning(Protocol):
    """Some points k (whole numbers) and angles u, at which sums of p_k e^{-iuk} can be had."""

    @property
    def angles(self) -> Array: ...

    def sums(self, blocks: Array) -> Complex:
        """Return the sums over the rows of the blocks, at each angle."""

    def table(self) -> "Turns":
        """Return all turns, for whoever needs them more than once."""


class Turns(NamedTuple):
    """cos(u k) and sin(u k) at the points k (whole numbers) and the angles u, in blocks of points."""

    angles: Array
    cosines: Array  # shape (blocks, block, angles)
    sines: Array

    def sums(self, blocks: Array) -> Complex:
        sums: Complex = _pairwise_sum(np.matmul(blocks, self.cosines)) - 1j * _pairwise_sum(np.matmul(blocks, self.sines))
        return sums

    def table(self) -> "Turns":
        return self


class EvenTurns(NamedTuple):
    """The turns at angles of one distance, the stride: each is the product of one of a few and another of a few."""

    places: Array
    angles: Array
    stride: float

    def sums(self, blocks: Array) -> Complex:
        """Return the sums; of few rows at many angles without a table: turned by a few, and all that by others."""
        if self.places.size <= _BLOCK or self.angles.size <= _MANY_ANGLES or blocks.shape[1] > _FEW_ROWS:
            return self.table().sums(blocks)
        count, few = self.angles.size, math.ceil(self.angles.size ** (1.0 / 3.0))
        width = few * math.ceil(math.sqrt(count / few))
        places = _filled_blocks(self.places).reshape(-1, _BLOCK)
        some = (slice(i, i + _AT_ONCE) for i in range(0, blocks.shape[0], _AT_ONCE))
        sums: Complex = _pairwise_sum(
            np.concatenate([self._sums_of_halves(blocks[one], places[one], few, width) for one in some])
        )
        return sums.reshape(blocks.shape[1], -1)[:, :count]

    def _sums_of_halves(self, blocks: Array, places: Array, few: int, width: int) -> Complex:
        """Return sums over halves of blocks: (halves, rows and some angles, other angles)."""
        halves, kinds = 2 * blocks.shape[0], blocks.shape[1]
        places = places.reshape(halves, _HALF_BLOCK)
        rows = blocks.reshape(-1, kinds, 2, _HALF_BLOCK).transpose(0, 2, 1, 3).reshape(halves, kinds, 1, _HALF_BLOCK)
        first = _turned(places[:, None, None] * self.angles[::width, None])
        steps = np.concatenate([np.arange(0.0, width, few), np.arange(few, dtype=np.float64)])
        then = _turned(np.multiply.outer(places, self.stride * steps))
        others = (then[:, :, :-few, None] * then[:, :, None, -few:]).reshape(halves, _HALF_BLOCK, width)
        sums: Complex = np.matmul((rows * first).reshape(halves, -1, _HALF_BLOCK), others)
        return sums

    def table(self) -> Turns:
        count = self.angles.size
        if count <= _FEW:
            return turns(self.places, self.angles)
        width = math.ceil(math.sqrt(count))
        rows = -(-count // width)
        few = np.multiply.outer(
            _filled_blocks(self.places),
            np.concatenate([self.angles[::width], self.stride * np.arange(width, dtype=np.float64)]),
        )
        factors = _turned(few)
        product = (factors[:, :rows, None] * factors[:, None, rows:]).reshape(few.shape[0], -1)[:, :count]
        return Turns(self.angles, _turns_in_blocks(product.real), _turns_in_blocks(-product.imag))


class JoinedTurns(NamedTuple):
    """Turns at the angles of several parts, one after the other."""

    parts: Sequence[Turning]

    @property
    def angles(self) -> Array:
        return np.concatenate([part.angles for part in self.parts])

    def sums(self, blocks: Array) -> Complex:
        return np.concatenate([part.sums(blocks) for part in self.parts], axis=1)

    def table(self) -> Turns:
        tables = [part.table() for part in self.parts]
        if len(tables) == 1:
            return tables[0]
        return Turns(
            self.angles,
            np.concatenate([table.cosines for table in tables], axis=2),
            np.concatenate([table.sines for table in tables], axis=2),
        )


def turns(places: Array, angles: Array) -> Turns:
    """Return the turns at angles given one by one."""
    exponent = np.multiply.outer(_filled_blocks(places), angles)
    return Turns(angles, _turns_in_blocks(np.cos(exponent)), _turns_in_blocks(np.sin(exponent)))


def even_turns(places: Array, first: int, count: int, stride: float) -> EvenTurns:
    """Return the turns at the angles (first + j) stride, j < count, which share most of the work."""
    return EvenTurns(places, stride * np.arange(first, first + count, dtype=np.float64), stride)


def shifted_turns(places: Array, begin: float, count: int, stride: float) -> EvenTurns:
    """Return the turns at the angles begin + j stride, 1 <= j <= count."""
    return EvenTurns(places, begin + stride * np.arange(1, count + 1, dtype=np.float64), stride)


def from_to(places: Array, begin: float, end: float, count: int) -> EvenTurns:
    """Return the turns at the ends of `count` equal parts of an interval."""
    stride = (end - begin) / count
    return EvenTurns(places, begin + stride * np.arange(count + 1, dtype=np.float64), stride)


def joined_turns(places: Array, parts: Sequence[Array | EvenTurns]) -> Turning:
    """Return the turns at angles given one by one or at even distances; few of these are taken one by one too."""
    joined: list[Turning] = []
    single: list[Array] = []
    for part in parts:
        if isinstance(part, EvenTurns) and part.angles.size > _FEW:
            joined += [turns(places, np.concatenate(single)), part] if single else [part]
            single = []
        else:
            single.append(part.angles if isinstance(part, EvenTurns) else part)
    if single:
        joined.append(turns(places, np.concatenate(single)))
    return joined[0] if len(joined) == 1 else JoinedTurns(joined)


def some_turns(places: Array, runs: Sequence[tuple[int, int]], stride: float) -> Turning:
    """Return the turns at the angles j stride, for the j of each run (first, count)."""
    if len(runs) == 1 or places.size > _BLOCK:
        return joined_turns(places, [even_turns(places, first, count, stride) for first, count in runs])
    return turns(places, stride * np.concatenate([np.arange(first, first + count, dtype=np.float64) for first, count in runs]))


def _turned(angles: Array) -> Complex:
    """Return e^{-i angle}."""
    turned = np.empty(angles.shape, dtype=np.complex128)
    np.cos(angles, out=turned.real)
    np.sin(angles, out=turned.imag)
    return np.conjugate(turned, out=turned)


def _filled_blocks(places: Array) -> Array:
    """Return the places, and zeros up to a whole number of blocks; a short list is a block of its own."""
    if places.size <= _BLOCK:
        return places
    full = np.zeros(-(-places.size // _BLOCK) * _BLOCK)
    full[: places.size] = places
    return full


def _turns_in_blocks(table: Array) -> Array:
    block = min(_BLOCK, table.shape[0])
    return np.ascontiguousarray(table).reshape(table.shape[0] // block, block, table.shape[1])


def padded_rows(rows: Array) -> Array:
    """Return the rows in the form `transform` takes: (blocks, rows, block)."""
    if rows.shape[1] <= _BLOCK:
        return rows[None]
    blocks = -(-rows.shape[1] // _BLOCK)
    full = np.zeros((rows.shape[0], blocks * _BLOCK))
    full[:, : rows.shape[1]] = rows
    return np.ascontiguousarray(full.reshape(rows.shape[0], blocks, _BLOCK).transpose(1, 0, 2))


def transform(blocks: Array, mean_place: Array, at: Turning) -> tuple[Complex, Array]:
    r"""Return $\varphi(u) = \sum_k p_k e^{-iuk}$ of each row, and a bound on its error.

    `blocks` holds rows that sum to 1 (up to 64 roundings), `mean_place` bounds the mean of |k| in each. Angles are good
    to two roundings, and so is their product with a place. A term suffers the roundings of its turn (two factors, each
    of an angle of at most |u k|) and of the sums: of blocks, or of halves of them, of which there are twice as many.
    """
    terms = 1.5 * (_BLOCK + math.ceil(math.log2(blocks.shape[0])) + 16.0)
    return at.sums(blocks), U * (terms + np.multiply.outer(8.0 * mean_place, np.abs(at.angles)))


def _pairwise_sum(parts: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of the parts, the two halves of which are added again and again: few roundings for each."""
    while parts.shape[0] > 1:
        half = parts.shape[0] // 2
        added = parts[:half] + parts[half : 2 * half]
        parts = added if parts.shape[0] == 2 * half else np.concatenate([added, parts[-1:]])
    total: NDArray[Any] = parts[0]
    return total


def turned_angles(steps: int, nodes: Nodes, period: int) -> Array:
    """Return the angles 2 pi steps node / period without whole turns, good to three roundings of a turn.

    Nodes are smaller than the period, and that is at most 2^40: then no product of whole numbers overflows.
    """
    steps, nodes = steps % period, np.asarray(nodes, dtype=np.int64)  # NumPy counts in 32 bits on some machines
    if period <= _ONE_WORD:
        rest = steps * nodes % period
    else:
        high, low = divmod(steps, _HALF)
        rest = (high * nodes % period * _HALF + low * nodes) % period
    return (2.0 * math.pi / period) * rest.astype(np.float64)


def odd_length(least: int) -> int:
    """Return an odd number that is no smaller, and quick to transform if it is at most LONGEST_PERIOD."""
    return _ODD[bisect_left(_ODD, least)] if least <= LONGEST_PERIOD else least | 1


def whole_transform(rows: Array, period: int) -> tuple[Complex, Array]:
    r"""Return $\varphi(2\pi j / period) = \sum_k p_k e^{-2\pi ijk / period}$, $0 \le 2j \le period$, and its error.

    `rows` sum to 1 (up to 64 roundings) and are no longer than the period; k counts their columns.
    """
    values: Complex = fft.rfft(rows, period, axis=1)
    return values, np.full((rows.shape[0], 1), 1.01 * FFT_CONSTANT * U * math.log2(period))


def wrapped_rows(rows: Array, places: Array, period: int) -> Array:
    """Return the rows at all whole numbers of a period, 0 where they have no place; no two may be a period apart."""
    around = np.zeros((rows.shape[0], period))
    around[:, places.astype(np.int64) % period] = rows
    return around
