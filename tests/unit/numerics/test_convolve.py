"""Convolutions against exact rational arithmetic: the distance never exceeds what is stated.

The stated bound has two parts, `error` in L1 norm and `noise` in 2-norm; a distance d that is the sum of two such parts
has |d|_1 <= error + sqrt(n) noise and |d|_2 <= error + noise.

Tails are cut so generously here (up to a third of the mass) that forgetting any part of the bound would show.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from tests.support import exact

from tightbudget.numerics import convolve
from tightbudget.numerics.convolve import convolve_powers

SEED = 4


def smooth(n: int, centre: float = 0.4, width: float = 0.1) -> np.ndarray:
    x = np.arange(n) / n
    return _to_mass(np.exp(-0.5 * ((x - centre) / width) ** 2))


def heavy(n: int) -> np.ndarray:
    """Tails that fall only like 1/x^2, on both sides."""
    return _to_mass(1.0 / (1.0 + (np.arange(n) - n // 2) ** 2))


def spiky(n: int) -> np.ndarray:
    return _to_mass(np.exp(np.random.default_rng(SEED).normal(0.0, 8.0, n)))


def nearly_certain(n: int) -> np.ndarray:
    """All mass but a millionth at one index: its spectrum does not fall off, which is the worst case for rounding."""
    values = np.full(n, 1e-6 / n)
    values[n // 3] += 1.0
    return _to_mass(values)


def far_point(n: int) -> np.ndarray:
    """A little mass at the far end, where Chernoff's bound is sharp."""
    values = np.zeros(n)
    values[0], values[-1] = 0.95, 0.05
    return values


def _to_mass(values: np.ndarray) -> np.ndarray:
    # few bits, so that the exact arithmetic stays small; still a fair sample of roundings in what is computed from them
    return np.round(values / values.sum() * 2.0**40) / 2.0**40


class Found(NamedTuple):
    """Distances from the exact product and what was stated, for one row."""

    one_norm: float
    two_norm: float
    one_bound: float
    two_bound: float


def compared(stacks: Sequence[np.ndarray], counts: Sequence[int], product: convolve.Product) -> list[Found]:
    found = []
    for row, computed in enumerate(product.rows):
        gaps = exact.gaps(computed, product.first, exact.product([stack[row] for stack in stacks], counts))
        error, noise = float(product.error[row]), float(product.noise[row])
        found.append(Found(math.fsum(gaps), math.hypot(*gaps), error + math.sqrt(len(gaps)) * noise, error + noise))
    return found


CASES = {
    "direct": ([np.stack([smooth(30), spiky(30)])], [4]),
    "direct, one after another": ([smooth(20)[None], heavy(31)[None], spiky(10)[None]], [2, 1, 3]),
    "smooth": ([smooth(100)[None]], [8]),
    "smooth, cut": ([smooth(400)[None]], [3]),
    "heavy": ([heavy(301)[None]], [2]),
    "heavy, many": ([heavy(61)[None]], [16]),
    "two rows": ([np.stack([smooth(200), heavy(200)])], [3]),
    "stacks": (
        [np.stack([smooth(90), spiky(90)]), np.stack([heavy(70), smooth(70)]), far_point(40)[None].repeat(2, 0)],
        [2, 3, 1],
    ),
    "spiky": ([spiky(120)[None]], [5]),
    "nearly certain": ([nearly_certain(170)[None]], [9]),
    "nearly certain, often": ([nearly_certain(9)[None]], [200]),
    "far point": ([far_point(300)[None]], [2]),
}


@pytest.fixture
def _short_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short products are kept whole to save time; here they are cut, so that exact arithmetic can follow."""
    monkeypatch.setattr(convolve, "_WHOLE_LENGTH", 0)


@pytest.mark.usefixtures("_short_windows")
@pytest.mark.parametrize("tail", [0.3, 1e-2, 1e-6, 1e-15])
@pytest.mark.parametrize("case", CASES)
def test_the_stated_error_holds(case: str, tail: float):
    stacks, counts = CASES[case]
    for found in compared(stacks, counts, convolve_powers(stacks, counts, tail)):
        assert found.one_norm <= found.one_bound
        assert found.two_norm <= found.two_bound


@pytest.mark.parametrize("case", CASES)
def test_the_stated_error_is_small(case: str):
    stacks, counts = CASES[case]
    product = convolve_powers(stacks, counts, 1e-15)
    # what rounding does to sums of a few hundred terms, or to transforms of a few thousand points, and nothing else
    assert product.error.max() <= 1e-11
    assert product.noise.max() <= 1e-11


@pytest.mark.parametrize("case", ["direct", "smooth", "spiky"])
def test_there_is_rounding_to_be_stated(case: str):
    """A bound of zero would be wrong, on either path: the computed product is not exact."""
    stacks, counts = CASES[case]
    assert all(found.one_norm > 1e-18 for found in compared(stacks, counts, convolve_powers(stacks, counts, 1e-15)))


def test_both_paths_are_taken():
    assert convolve_powers([smooth(40)[None]], [3], 1e-9).noise[0] == 0.0  # sums: no transform, no noise
    cut = convolve_powers([smooth(4000)[None]], [8], 1e-9)
    assert cut.noise[0] > 0.0
    assert cut.first > 0
    assert cut.rows.shape[1] < 8 * 3999 + 1


def test_what_wraps_around_counts_twice():
    """Mass outside the window is missing where it belongs and comes back where it does not."""
    stack, counts = smooth(161, 0.5, 0.15)[None], [2]
    # 162 is a length that transforms have and that holds a factor: nothing of what wraps is cut off again
    low, high = 80, 80 + 162 - 1
    truth, shift = exact.product([stack[0]], counts)
    outside = float(exact.to_fraction(sum(truth[:low]) + sum(truth[high + 1 :]), shift))
    product = convolve._by_fft([stack], counts, low, high, np.array([outside]))
    (found,) = compared([stack], counts, product)
    assert outside > 1e-3
    assert 1.99 * outside < found.one_norm <= found.one_bound


@pytest.mark.parametrize("tail", [0.3, 1e-3, 1e-9])
@pytest.mark.parametrize("case", [name for name in CASES if not name.startswith("direct")])
def test_the_window_covers_what_it_says(case: str, tail: float):
    stacks, counts = CASES[case]
    length = sum(count * (stack.shape[1] - 1) for stack, count in zip(stacks, counts, strict=True)) + 1
    low, high, outside = convolve._convolution_window(stacks, counts, length, tail)
    assert 0 <= low < high <= length - 1
    for row, stated in enumerate(outside.tolist()):
        numbers, shift = exact.product([stack[row] for stack in stacks], counts)
        left, right = exact.to_fraction(sum(numbers[:low]), shift), exact.to_fraction(sum(numbers[high + 1 :]), shift)
        assert left + right <= stated
        # "at most about tail at either end"
        assert left <= 2 * tail
        assert right <= 2 * tail


def test_both_ends_of_the_window_are_booked():
    """Most of what is cut lies to the left here, and to the right in the mirror image."""
    values = np.append(np.full(1, 0.04), smooth(300, 0.8, 0.02) * 0.96)
    for stack in (values[None], values[None, ::-1].copy()):
        low, high, outside = convolve._convolution_window([stack], [1], 301, 0.2)
        missing = stack[0, :low].sum() + stack[0, high + 1 :].sum()
        assert missing > 0.03
        assert outside[0] >= missing * (1.0 - 1e-12)


@pytest.mark.parametrize("make", [smooth, heavy, spiky, nearly_certain, far_point])
@pytest.mark.parametrize("n", [100, 257, 3000])
def test_the_majorant_has_larger_moments(make, n: int):
    stack = np.stack([make(n), make(n)[::-1]])
    mass, nodes = convolve._convolution_majorant(stack)
    index = np.arange(n)
    for s in (-0.3, -0.01, -1e-4, 1e-4, 0.01, 0.3):
        shift = max(s * (n - 1), 0.0)
        truth = stack @ np.exp(s * index - shift)
        majorant = mass @ np.exp(s * nodes - shift)
        assert (majorant >= truth * (1.0 - 1e-12)).all()
    np.testing.assert_allclose(mass.sum(axis=1), stack.sum(axis=1), rtol=1e-12)
