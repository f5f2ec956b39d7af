"""epsilon at delta = 0 is the largest loss; its lower end lay above it for subsampled noise, up to 19-fold at q =
1e-15.
"""

from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb

BASES = {
    "laplace": (tb.Laplace(scale=1), mpf(1)),
    "laplace 3": (tb.Laplace(scale=3, sensitivity=0.7), mpf(0.7) / 3),
    "large": (tb.Laplace(scale=0.001), mpf(1) / mpf(0.001)),
    "range": (tb.BoundedRange(0.5), mpf(0.5)),
    "response": (tb.RandomizedResponse(0.75), mpmath.log(3)),
    "promise": (tb.PureDP(2.0), mpf(2)),
    "discrete": (tb.DiscreteLaplace(scale=2), mpf(1) / 2),
}


def subsampled(loss: mpf, q: float) -> mpf:
    """Return the largest loss of the subsampled pair, in the worse direction (M3)."""
    with mpmath.workdps(700):
        rate = mpf(q)
        return max(mpmath.log1p(rate * mpmath.expm1(loss)), -mpmath.log1p(rate * mpmath.expm1(-loss)))


@pytest.mark.parametrize("q", mostly_slow([0.999, 0.5, 1e-2, 1e-3, 1e-8, 1e-12, 1e-15, 1e-40, 1e-300, 5e-324], every=3))
@pytest.mark.parametrize(
    ("name", "count"),
    [(name, count) for name in BASES for count in (1, 7, 10**15) if name != "range" or count == 1],  # several are a class
)
def test_both_ends_of_a_subsampled_largest_loss(name: str, q: float, count: int):
    mechanism, loss = BASES[name]
    answer = (tb.Poisson(mechanism, q=q, mix_relations=True) * count).epsilon(0)
    with mpmath.workdps(700):
        true = count * subsampled(loss, q)
        assert mpf(answer.lower) <= true <= mpf(answer.upper)
        assert mpf(answer.upper) - mpf(answer.lower) <= true * mpf(10) ** -11 + count * mpf(10) ** -321


@pytest.mark.parametrize(
    ("sensitivity", "scale"), [(1.0, 3.0), (0.7, 0.3), (5.0, 7.0), (1.0, 0.1), (1.5e-323, 2.4446619239560814)]
)
@pytest.mark.parametrize("count", [1, 4, 10**15])
def test_quotients_that_no_float_is(sensitivity: float, scale: float, count: int):
    true = Fraction(sensitivity) / Fraction(scale) * count
    found = (tb.Laplace(scale, sensitivity) * count).epsilon(0)
    assert Fraction(found.lower) <= true <= Fraction(found.upper)
    assert found.upper - found.lower <= 1e-15 * found.upper + count * 5e-324


@pytest.mark.parametrize("rates", [(1e-3, 1e-3), (1e-9, 0.5), (1e-160, 1e-160)])
def test_sampled_twice(rates: tuple[float, float]):
    inner, outer = rates
    answer = tb.Poisson(tb.Poisson(tb.Laplace(scale=1), q=inner), q=outer).epsilon(0)
    with mpmath.workdps(700):
        true = mpmath.log1p(mpf(outer) * mpf(inner) * mpmath.expm1(1))
        assert mpf(answer.lower) <= true <= mpf(answer.upper)
        assert mpf(answer.upper) - mpf(answer.lower) <= true * mpf(10) ** -11 + mpf(10) ** -321


@pytest.mark.parametrize("mechanism", [tb.TruncatedGaussian(1.0, 3.0), tb.ClampedGaussian(5.0, 3.0, 1.0)])
def test_truncated_and_clamped(mechanism: tb.Mechanism):
    """Losses that are unbounded or infinite in one direction make epsilon infinite, for certain."""
    for composition in (mechanism, tb.Poisson(mechanism, q=1e-12), tb.Poisson(mechanism, q=1e-12) * 1000):
        assert composition.epsilon(0).lower == float("inf")
