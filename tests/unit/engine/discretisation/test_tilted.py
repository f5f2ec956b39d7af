"""Composition of stored rows: the certificate covers what the parts were off, what was cut and what was rounded.

The exact rows differ from the stored ones in the worst way that the certificate of the parts allows.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.support import exact, readings

from tightbudget.engine.discretisation.tilted import TiltedPMF, composed_pmf, kept_columns, normalised_rows, pmf_powers
from tightbudget.numerics.convolve import Product, TooWide


def spike(n: int) -> np.ndarray:
    values = np.zeros(n)
    values[n // 2] = 1.0
    return values


def bell(n: int) -> np.ndarray:
    x = np.linspace(-4.0, 4.0, n)
    values = np.round(np.exp(-0.5 * x * x) * 2.0**40)
    return values / values.sum()


def distances(result: TiltedPMF, truth: np.ndarray, counts: int) -> tuple[float, float]:
    """Return L1 and 2-norm of the result less the exact power of the truth in the result's units."""
    numbers, shift = exact.product([truth], [counts])
    unit = Fraction(math.exp(float(result.log_scale[0])))  # the units themselves are good to 1e-15, the gaps are 1e-3
    inside = {result.first + i: Fraction(value) for i, value in enumerate(result.rows[0].tolist())}
    gaps = [float(abs(Fraction(number, 2**shift) / unit - inside.get(i, 0))) for i, number in enumerate(numbers)]
    return math.fsum(gaps), math.hypot(*gaps)


@pytest.mark.parametrize("n", [40, 200])  # by sums, by transforms
@pytest.mark.parametrize("count", [2, 5])
def test_errors_of_the_parts_multiply(n: int, count: int):
    """All exact rows have 1 % more mass than was stored, all in one place: the product has (1.01)^count."""
    stored, error = bell(n), 2.0**-7
    truth = stored + error * spike(n)
    result = composed_pmf([(readings.stack(stored, error=error), count)], 1e-15)
    off, _ = distances(result, truth, count)
    assert 0.999 * math.expm1(count * math.log1p(error)) <= off
    assert off <= float(result.error[0]) + math.sqrt(result.size) * float(result.noise[0])


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize("count", [2, 5])
def test_noise_of_the_parts_adds_up(n: int, count: int):
    """Noise spread evenly over a row is small in 2-norm and large in L1: both enter the product."""
    stored, noise = spike(n), 0.12 / math.sqrt(n)
    truth = stored + noise / math.sqrt(n)
    result = composed_pmf([(readings.stack(stored, noise=noise), count)], 1e-15)
    weighs, off = distances(result, truth, count)
    # with the parts' L1 norm left out the bound would be just count * noise
    assert off > 1.04 * count * noise
    assert off <= float(result.noise[0]) + float(result.error[0])
    assert weighs > 1.04 * count * noise * math.sqrt(n)
    assert weighs <= float(result.noise_mass[0]) + float(result.error[0])


def test_different_parts_each_count():
    parts = [
        (readings.stack(bell(30), error=0.01), 1),
        (readings.stack(bell(21), error=0.0), 2),
        (readings.stack(bell(9), error=0.1), 3),
    ]
    result = composed_pmf(parts, 1e-15)
    assert float(result.error[0]) >= 1.01 * 1.1**3 - 1.0


@pytest.mark.parametrize("count", [2, 5])
def test_powers_made_together_are_powers_made_apart(count: int):
    """Units that share a transform keep their own places, scales and certificates."""
    units = [
        readings.stack(np.stack([bell(90), bell(90)[::-1]]), first=-7, anchor=0.5, log_scale=[0.1, 0.2], error=[0.01, 0.02]),
        readings.stack(np.stack([bell(101), bell(101)]), first=20, anchor=-1.0, log_scale=[1.0, 3.0], noise=[1e-4, 1e-3]),
        readings.stack(np.stack([bell(600), bell(600)]), first=0, anchor=2.0, log_scale=[-1.0, -3.0], error=[0.03, 0.0]),
    ]
    for together, unit in zip(pmf_powers(units, count, 1e-12), units, strict=True):
        apart = composed_pmf([(unit, count)], 1e-12)
        offset = apart.first - together.first
        np.testing.assert_allclose(together.rows[:, offset : offset + apart.size], apart.rows, atol=1e-14)
        assert together.anchor == pytest.approx(apart.anchor, rel=1e-14)
        np.testing.assert_allclose(together.log_scale, apart.log_scale, rtol=1e-12)
        # padded, a transform is longer and a little noisier; what the parts were off counts in full
        assert (together.error >= apart.error * (1.0 - 1e-9)).all()
        assert (together.noise + 1e-12 >= apart.noise).all()
        assert (together.noise_mass + 1e-12 >= apart.noise_mass).all()
        np.testing.assert_allclose(together.error, apart.error, rtol=1e-6, atol=1e-12)


def test_parts_that_certify_nothing_are_refused():
    with pytest.raises(TooWide):
        composed_pmf([(readings.stack(bell(30), error=0.3), 10)], 1e-9)


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("tail", [0.25, 1e-3])
def test_what_is_cut_is_booked(n: int, tail: float, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tightbudget.numerics.convolve._WHOLE_LENGTH", 0)
    stored = bell(n)
    result = composed_pmf([(readings.stack(stored), 6)], tail)
    off, _ = distances(result, stored, 6)
    assert off <= float(result.error[0]) + math.sqrt(result.size) * float(result.noise[0])


def test_a_product_hands_on_both_parts_of_its_error(monkeypatch: pytest.MonkeyPatch):
    made = Product(np.array([[0.25, 0.75]]), 3, np.array([0.125]), np.array([0.0625]))
    monkeypatch.setattr("tightbudget.engine.discretisation.tilted.convolve_powers", lambda *_: made)
    result = composed_pmf([(readings.stack([0.5, 0.5]), 2)], 1e-9)
    assert result.error[0] >= 0.125
    assert result.noise[0] >= 0.0625
    assert result.noise_mass[0] >= 0.0625 * math.sqrt(2.0)
    assert result.first == 3


def test_anchors_scales_and_indices_add_up():
    first = readings.stack(bell(5), first=-2, anchor=0.25, log_scale=1.5)
    second = readings.stack(bell(4), first=7, anchor=-1.0, log_scale=-2.0)
    result = composed_pmf([(first, 3), (second, 2)], 1e-12)
    assert result.first == 3 * -2 + 2 * 7
    assert result.anchor == 3 * 0.25 - 2 * 1.0
    assert float(result.log_scale[0]) == pytest.approx(3 * 1.5 - 2 * 2.0, rel=1e-14)


def test_one_part_alone_stays_as_it_is():
    stack = readings.stack(bell(50), error=0.3)
    assert composed_pmf([(stack, 1)], 0.5) is stack


def test_normalising_keeps_the_meaning():
    """Rows, error and noise are divided alike, and the scale remembers by what."""
    rows, zero = np.array([[1.0, 3.0], [0.25, 0.25]]), np.zeros(2)
    result = normalised_rows(rows, 0, 0.0, zero, np.array([0.4, 0.1]), np.array([0.8, 0.2]), np.array([1.2, 0.3]))
    np.testing.assert_allclose(result.rows, [[0.25, 0.75], [0.5, 0.5]])
    np.testing.assert_allclose(np.exp(result.log_scale), [4.0, 0.5])
    assert (result.error >= [0.1, 0.2]).all()
    assert (result.noise >= [0.2, 0.4]).all()
    assert (result.noise_mass >= [0.3, 0.6]).all()
    np.testing.assert_allclose(result.error, [0.1, 0.2], rtol=1e-9)


def test_a_row_without_mass_keeps_its_error():
    result = normalised_rows(np.zeros((1, 4)), 0, 0.0, np.zeros(1), np.array([0.5]), np.zeros(1), np.zeros(1))
    assert result.error[0] >= 0.5
    assert np.isfinite(result.log_scale).all()


@pytest.mark.parametrize("tail", [1e-6, 1e-2, 0.3])
def test_trimmed_ends_hold_at_most_the_tail(tail: float):
    stack = readings.stack(np.stack([bell(100), np.roll(bell(100), 7)]))
    start, stop = kept_columns(stack, tail)
    assert 0 <= start < stop <= 100
    assert (stack.rows[:, :start].sum(axis=1) <= tail).all()
    assert (stack.rows[:, stop:].sum(axis=1) <= tail * (1.0 + 1e-12)).all()
