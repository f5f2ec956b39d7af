"""Convolutions in exact rational arithmetic, on the very floats that the engine is given."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import fmpz_poly

# Floats above 2^-1074 are whole multiples of it, but sequences made for the tests need far fewer bits.
Exact = tuple[list[int], int]  # numerators and the power of two under them


def scaled(values: np.ndarray) -> Exact:
    """Return integers n_i and a shift with values[i] = n_i / 2^shift, exactly."""
    fractions = [Fraction(value) for value in values.tolist()]
    shift = max(fraction.denominator for fraction in fractions).bit_length() - 1
    return [int(fraction * 2**shift) for fraction in fractions], shift


def product(rows: Sequence[np.ndarray], counts: Sequence[int]) -> Exact:
    """Return the convolution of the rows raised to their counts."""
    result, shift = fmpz_poly([1]), 0
    for row, count in zip(rows, counts, strict=True):
        numerators, bits = scaled(row)
        result *= fmpz_poly(numerators) ** count
        shift += bits * count
    length = sum(count * (row.size - 1) for row, count in zip(rows, counts, strict=True)) + 1
    return [int(result[i]) for i in range(length)], shift


def to_fraction(number: int, shift: int) -> Fraction:
    return Fraction(number, 2**shift)


def gaps(computed: np.ndarray, first: int, truth: Exact) -> list[float]:
    """Return |computed - truth| index by index, where computed[i] belongs to index first + i and is zero elsewhere.

    Each gap is a difference of exact fractions, rounded once.
    """
    numbers, shift = truth
    values = dict(enumerate((Fraction(value) for value in computed.tolist()), start=first))
    indices = range(min(0, first), max(len(numbers), first + computed.size))
    exact = (to_fraction(numbers[i], shift) if 0 <= i < len(numbers) else Fraction(0) for i in indices)
    return [float(abs(values.get(i, Fraction(0)) - number)) for i, number in zip(indices, exact, strict=True)]
