"""Products of powers of non-negative sequences under convolution, with a bound on the L1 error of the result (M4).

All functions work on stacks: an array of shape (rows, n) is `rows` sequences on the same indices 0..n-1, each summing
to about 1. The exact convolution p_1^{*d_1} * ... * p_k^{*d_k} is compared with the one computed; what is not returned
(window) or comes back in the wrong place (wrap-around) is part of the error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from tightbudget.numerics.rounding import GENEROUS, U

Array = NDArray[np.float64]

FFT_CONSTANT = 4.0
"""Assumed: the 2-norm error of one transform of length N is at most FFT_CONSTANT * u * log2(N) times the 2-norm of its
result. Proven for radix 2 with correctly rounded twiddles (3.95, theory E.7); measured 5 times smaller for the
library's mixed radices, at lengths up to the longest there are, in tests/unit/numerics/test_fft.py."""

_COMPLEX_PRODUCT = math.sqrt(5.0) * U  # relative error of one complex multiplication
_DIRECT_LENGTH = 256  # up to this length the schoolbook sum is as fast, and relatively accurate
_WHOLE_LENGTH = 8192  # up to this length the whole product costs less than finding out which part matters
_FLAT_SLOPES = np.array([0.25, 0.5, 1.0, 2.0])  # relative to log(1/tail) over the length of the longest list
_MOST_FACTORS = 10**11  # the slop of _fft_noise is proven up to here
_SHORT = 384  # lists up to this length need no binning to estimate their tails
_DISTANCES = np.unique(np.concatenate([np.arange(1, 32), np.geomspace(32.0, 2.0**26, 110)]).astype(np.intp))
_SLOPES = np.geomspace(1.0 / 64.0, 1.5, 9)  # of Chernoff bounds, relative to the best one for a normal law
LONGEST = 2**21
"""Longest transform: keeps the memory of one composition below 300 MB."""
TINY = 1e-70
"""Entries below this are set to zero; a list of a million of them weighs 1e-64."""


class TooWide(Exception):
    """The tails of a product are too heavy for the longest transform we make."""


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """The computed product; rows[:, i] belongs to index first + i of the full linear convolution.

    The exact product differs from it by two parts, bounded row by row: one of L1 norm at most `error` and one, the
    noise of the transforms, of 2-norm at most `noise`.
    """

    rows: Array
    first: int
    error: Array
    noise: Array


def convolve_powers(stacks: Sequence[Array], counts: Sequence[int], tail: float) -> Product:
    """Return the product of the stacks raised to their counts, leaving out about `tail` of mass at either end."""
    length = sum(count * (stack.shape[1] - 1) for stack, count in zip(stacks, counts, strict=True)) + 1
    if length <= _DIRECT_LENGTH:
        return _direct_convolution(stacks, counts)
    if sum(counts) > _MOST_FACTORS:
        raise TooWide
    if length <= _WHOLE_LENGTH:
        return _by_fft(stacks, counts, 0, length - 1, np.zeros(stacks[0].shape[0]))
    return _by_fft(stacks, counts, *_convolution_window(stacks, counts, length, tail))


def _direct_convolution(stacks: Sequence[Array], counts: Sequence[int]) -> Product:
    results = [_direct_row([stack[row] for stack in stacks], counts) for row in range(stacks[0].shape[0])]
    rows = np.array([row for row, _ in results])
    relative = math.expm1(1.01 * max(roundings for _, roundings in results) * U)
    return Product(rows, 0, relative * rows.sum(axis=1), np.zeros(len(results)))


def _direct_row(sequences: Sequence[Array], counts: Sequence[int]) -> tuple[Array, float]:
    """Return the product by schoolbook sums, and how many roundings each of its entries has suffered at most.

    An entry of p * q is a sum of at most min(|p|, |q|) products of non-negative numbers: one rounding each and one for
    every addition, on top of those that p and q brought along.
    """

    def times(p: tuple[Array, float], q: tuple[Array, float]) -> tuple[Array, float]:
        return np.convolve(p[0], q[0]), p[1] + q[1] + min(p[0].size, q[0].size)

    result: tuple[Array, float] | None = None
    for sequence, count in zip(sequences, counts, strict=True):
        square, left = (sequence, 0.0), count
        while left:
            if left & 1:
                result = square if result is None else times(result, square)
            left >>= 1
            if left:
                square = times(square, square)
    assert result is not None
    return result


def _by_fft(stacks: Sequence[Array], counts: Sequence[int], low: int, high: int, outside: Array) -> Product:
    width = high - low + 1
    size = fft.next_fast_len(max(width, max(stack.shape[1] for stack in stacks)), real=True)
    if size > LONGEST:
        raise TooWide
    spectrum: NDArray[np.complex128] | None = None
    lengths = np.zeros(stacks[0].shape[0])
    for stack, count in zip(stacks, counts, strict=True):
        factor = _convolution_power(fft.rfft(stack, size, axis=1), count)
        spectrum = factor if spectrum is None else np.multiply(spectrum, factor, out=factor)
        lengths += count * np.sqrt(np.einsum("ij,ij->i", stack, stack))
    assert spectrum is not None
    full = fft.irfft(spectrum, size, axis=1, overwrite_x=True)
    start = low % size
    rows = full if start == 0 else np.roll(full, -start, axis=1)
    rows = rows[:, :width]
    noise = _fft_noise(lengths, np.sqrt(np.einsum("ij,ij->i", full, full)), sum(counts), size)
    # What is outside the window is missing there and, by wrap-around, too much inside. The truth is non-negative, so
    # setting negative entries to zero brings none farther from it; their error is already booked.
    return Product(np.maximum(rows, 0.0), low, 2.0 * outside + 8.0 * size * sum(counts) * TINY, noise)


def _fft_noise(lengths: Array, result: Array, factors: int, size: int) -> Array:
    """Return the 2-norm error of forward transforms, products and backward transform (M4).

    Forward: each of the d factors of p is off by eta |p|_2 in 2-norm (unitary scaling), the others are at most 1 in
    modulus. Products: sqrt(5) u each, relative to the result. Backward: eta |result|_2.
    """
    eta = FFT_CONSTANT * U * math.log2(size)
    slop = 1.01 * (1.0 + GENEROUS * factors)  # second-order terms; entries of the spectrum may exceed 1 by rounding
    noise: Array = slop * (eta * lengths + (eta + factors * _COMPLEX_PRODUCT) * result)
    return noise


def _convolution_power(spectrum: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    result: NDArray[np.complex128] | None = None
    squarings = 0
    while True:
        if exponent & 1:
            result = spectrum.copy() if result is None else np.multiply(result, spectrum, out=result)
        exponent >>= 1
        if not exponent:
            assert result is not None
            flush_denormals(result.view(np.float64))
            return result
        if squarings % 2 == 0:  # two squarings of 1e-70 stay clear of denormal numbers
            flush_denormals(spectrum.view(np.float64))
        np.multiply(spectrum, spectrum, out=spectrum)
        squarings += 1


def flush_denormals(values: Array) -> None:
    """Set entries below TINY to zero, in place: denormal numbers cost a hundred times as much to work with."""
    values[np.abs(values) < TINY] = 0.0


def _convolution_window(stacks: Sequence[Array], counts: Sequence[int], length: int, tail: float) -> tuple[int, int, Array]:
    """Return indices low, high of the product and a bound on its mass outside them, row by row (Chernoff, M4)."""
    majorants = [_convolution_majorant(stack) for stack in stacks]
    variance = sum(count * _convolution_variance(*part) for part, count in zip(majorants, counts, strict=True))
    log_tail = math.log(tail)
    # for tails like a normal law's, and for those made by few large terms
    longest = max(stack.shape[1] for stack in stacks)
    slopes = np.concatenate([_SLOPES * math.sqrt(-2.0 * log_tail / max(variance, 0.01)), _FLAT_SLOPES * -log_tail / longest])
    # the log-moments are sums of this many terms, each good to a few roundings of its size
    error_bound = GENEROUS + 8.0 * U * sum(
        count * (400.0 + (1.0 + slopes) * stack.shape[1]) for stack, count in zip(stacks, counts, strict=True)
    )
    ends, outside = [], np.zeros(stacks[0].shape[0])
    for side in (-1.0, 1.0):
        log_moment = np.zeros((outside.size, slopes.size))  # log E e^{s (side * index)}
        for (mass, nodes), count in zip(majorants, counts, strict=True):
            place = side * nodes
            top = float(place.max())
            moment = np.einsum("rb,bs->rs", mass, np.exp(np.multiply.outer(place - top, slopes)))
            log_moment += count * (np.log(np.maximum(moment, 1e-300)) + top * slopes)  # a larger moment is sound
        # P(side * index >= x) <= exp(log_moment - s x); the best x over the slopes, for the worst row
        reach = float(np.min((log_moment.max(axis=0) - log_tail) / slopes))
        end = int(min(length - 1, math.ceil(reach))) if side > 0 else int(max(0, math.floor(-reach)))
        ends.append(end)
        if end != (length - 1 if side > 0 else 0):
            # the first index left out is end + side
            outside += np.exp(np.min(log_moment + error_bound - slopes * (side * end + 1.0), axis=1))
    low, high = ends
    if low >= high:  # degenerate: keep everything there is
        return 0, length - 1, np.zeros_like(outside)
    return low, high, outside


def _convolution_majorant(stack: Array) -> tuple[Array, Array]:
    """Return masses on few nodes whose moments E e^{s index} are, for every s, at least those of the stack.

    The mass of a bin goes to its two ends so that mass and mean are kept: e^{s index} lies below its chord. Bins are
    single entries around the peak and grow with the distance from it.
    """
    n = stack.shape[1]
    index = np.arange(n, dtype=np.float64)
    if n <= _SHORT:
        return stack, index
    peak = int(np.argmax(stack[0]))
    left, right = (int(np.searchsorted(_DISTANCES, length)) for length in (peak, n - peak))
    starts = np.concatenate([np.arange(min(peak, 1)), peak - _DISTANCES[:left][::-1], [peak], peak + _DISTANCES[:right]])
    sizes = np.diff(starts, append=n)
    first, width = index[starts], np.maximum(sizes - 1.0, 1.0)
    # means are taken from the start of each bin, so that nothing cancels
    up = np.add.reduceat(stack * (index - np.repeat(first, sizes)), starts, axis=1) / width
    down = np.add.reduceat(stack * (np.repeat(first + width, sizes) - index), starts, axis=1) / width
    return np.concatenate([down, up], axis=1), np.concatenate([first, first + width])


def _convolution_variance(mass: Array, nodes: Array) -> float:
    """Return the variance of the first row's index, roughly: it only guides the choice of slopes."""
    mean = float(np.einsum("i,i", mass[0], nodes))
    return float(np.einsum("i,i", mass[0], (nodes - mean) ** 2))
