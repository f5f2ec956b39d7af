"""The assumption on the FFT library, measured against arithmetic with 128 bits.

M4 assumes that one transform of length N errs, in 2-norm, by at most FFT_CONSTANT u log2(N) of its result, and M19 that
each entry errs by at most as much of the sum of all inputs. No theorem covers the library's mixed radices, so both are
measured here, and must hold with a factor of 4 to spare.
"""

import math

import numpy as np
import pytest
from flint import acb, ctx
from scipy import fft
from tests.support.lanes import mostly_slow

from tightbudget.numerics import convolve
from tightbudget.numerics.characteristic import LONGEST_PERIOD
from tightbudget.numerics.convolve import FFT_CONSTANT
from tightbudget.numerics.rounding import U

# powers of 2, 3 and 5, mixtures (as next_fast_len gives them), and factors 7 and 11, which it also uses
LENGTHS = [8, 9, 16, 25, 27, 64, 81, 125, 128, 240, 243, 360, 486, 500, 512, 600, 625, 720, 729, 750, 1024, 1331, 2401]
LONG = [2048, 2160, 2187, 3125, 4096, 4320]
MARGIN = 4.0


def smooth(n: int) -> np.ndarray:
    x = np.linspace(-6.0, 6.0, n)
    values = np.exp(-0.5 * x * x)
    return values / values.sum()


def spiky(n: int) -> np.ndarray:
    values = np.exp(np.random.default_rng(n).normal(0.0, 10.0, n))
    return values / values.sum()


def uniform(n: int) -> np.ndarray:
    values = np.random.default_rng(n).random(n)
    return values / values.sum()


KINDS = {"smooth": smooth, "spiky": spiky, "uniform": uniform}


def exact_dft(values: list[acb]) -> list[acb]:
    """Return the transform in balls of 128 bits."""
    with ctx.workprec(128):
        return acb.dft(values)


def distance(computed: np.ndarray, truth: list[acb]) -> tuple[float, float]:
    """Return the 2-norms of the difference and of the truth."""
    with ctx.workprec(128):
        gaps = [
            float(abs(acb(value.real, value.imag) - exact).upper())
            for value, exact in zip(computed.tolist(), truth, strict=True)
        ]
        sizes = [float(abs(exact).mid()) for exact in truth]
    return math.hypot(*gaps), math.hypot(*sizes)


def allowed(n: int) -> float:
    return FFT_CONSTANT * U * math.log2(n) / MARGIN


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", mostly_slow(LENGTHS + LONG, every=3))
def test_forward(n: int, kind: str):
    values = KINDS[kind](n)
    truth = exact_dft([acb(value) for value in values.tolist()])
    off, size = distance(fft.rfft(values[None, :], n, axis=1)[0], truth[: n // 2 + 1])
    # the half spectrum has at least half of the norm squared, so this is the sterner comparison
    assert off <= allowed(n) * size


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", mostly_slow([2, 12, 100], every=3, first=1))
@pytest.mark.parametrize("n", [105, 225, 441, 675, 945, 1323, 2025, 2187, 3125, 3675])
def test_every_entry(n: int, size: int, kind: str):
    """Short rows of non-negative numbers, filled up with zeros to an odd length."""
    values = KINDS[kind](size)
    truth = exact_dft([acb(value) for value in values.tolist()] + [acb(0)] * (n - size))[: n // 2 + 1]
    with ctx.workprec(128):
        off = max(
            float(abs(acb(value.real, value.imag) - exact).upper())
            for value, exact in zip(fft.rfft(values[None, :], n, axis=1)[0].tolist(), truth, strict=True)
        )
    assert off <= allowed(n) * math.fsum(values)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", mostly_slow(LENGTHS + LONG, every=3))
def test_backward(n: int, kind: str):
    spectrum = np.fft.rfft(KINDS[kind](n)) ** 2
    spectrum[0] = spectrum[0].real
    if n % 2 == 0:
        spectrum[-1] = spectrum[-1].real
    half = [acb(value.real, value.imag) for value in spectrum.tolist()]
    mirrored = [acb(value.real, -value.imag) for value in half[1 : (n + 1) // 2]][::-1]
    with ctx.workprec(128):
        truth = acb.dft(half + mirrored, inverse=True)
    off, size = distance(fft.irfft(spectrum[None, :], n, axis=1)[0].astype(complex), truth)
    assert off <= allowed(n) * size


def test_the_assumption_is_not_idle():
    """Rounding does happen: an error of exactly zero would mean that this file measures nothing."""
    values = uniform(1331)
    off, _ = distance(fft.rfft(values), exact_dft([acb(value) for value in values.tolist()])[:666])
    assert off > 0.0


LONGEST_ODD, LONGEST_EVEN = 3**12, 2**21
"""The longest transforms there are: of all frequencies of a period (M19), and of a product (M4)."""


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs numbers of 64 bits to compare with")
@pytest.mark.parametrize("kind", ["spike", "spiky", "uniform"])
@pytest.mark.parametrize("n", mostly_slow([3**11, LONGEST_ODD, 7**6 * 3, 2**17, 10**6, LONGEST_EVEN], every=6))
def test_the_longest_lengths(n: int, kind: str):
    """Against the same transform with 64 bits; single spikes, which every pass turns, are off the most."""
    values = np.zeros(n)
    if kind == "spike":
        values[n // 3 + 1] = 1.0
    else:
        values[: n // 2] = KINDS[kind](n // 2)
    found, truth = fft.rfft(values), fft.rfft(values.astype(np.longdouble))
    off = np.abs(found - truth).astype(np.float64)
    assert off.max() <= allowed(n) * math.fsum(values)
    assert math.sqrt(float(off @ off)) <= allowed(n) * float(np.sqrt((np.abs(truth) ** 2).sum()))
    back, true_back = fft.irfft(found, n), fft.irfft(found.astype(np.clongdouble), n)
    off = np.abs(back - true_back).astype(np.float64)
    assert math.sqrt(float(off @ off)) <= allowed(n) * float(np.sqrt((true_back**2).sum()))


def test_no_transform_is_longer():
    assert max(convolve.LONGEST, LONGEST_PERIOD) == LONGEST_EVEN
    assert LONGEST_PERIOD == LONGEST_ODD
