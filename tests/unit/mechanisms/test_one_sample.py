"""Several releases on one sample: composed first, then sampled once (M3)."""

import pickle
from fractions import Fraction
from itertools import product

import mpmath
import pytest

import tightbudget as tb
from tightbudget.pairs.base import Direction
from tightbudget.pairs.points import PointPair
from tightbudget.pairs.product import product_pair

TWO = tb.Poisson(tb.Gaussian(sigma=1) * 2, q=0.1)


@pytest.mark.slow
def test_two_normal_releases_are_one_with_a_larger_shift() -> None:
    """Two samples reveal far less: composing sampled pairs would be unsound."""
    found = TWO.delta(1.0, rtol=1e-9)
    assert found.lower <= 0.0036636549589791 <= found.upper
    assert found.upper - found.lower <= 1e-9 * found.upper
    apart = (tb.Poisson(tb.Gaussian(sigma=1), q=0.1) * 2).delta(1.0, rtol=1e-9, direction="remove")
    assert apart.lower <= 0.000514160429 * (1 + 1e-9)
    assert apart.upper >= 0.000514160429 * (1 - 1e-9)


@pytest.mark.parametrize("q", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0])
def test_different_normal_releases(q: float, epsilon: float) -> None:
    found = tb.Poisson(tb.Gaussian(sigma=3) + tb.Gaussian(sigma=2, sensitivity=0.5) * 3, q).delta(
        epsilon, rtol=1e-9, direction="remove"
    )
    with mpmath.workdps(40):
        m = mpmath.sqrt(mpmath.mpf(1) / 9 + 3 * mpmath.mpf(1) / 16)
        inner = (mpmath.exp(epsilon) - 1) / mpmath.mpf(q) + 1
        x = mpmath.log(inner) / m
        truth = q * (mpmath.ncdf(m / 2 - x) - inner * mpmath.ncdf(-m / 2 - x))
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower <= 1e-9 * found.upper


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("e", [Fraction(1), Fraction(9, 8), Fraction(3, 2)])
def test_finite_releases_exactly(remove: bool, e: Fraction) -> None:
    """Three histograms on one sample, by sums of fractions over all outcomes."""
    a, b, q = [6, 3, 1], [5, 3, 2], Fraction(1, 4)
    laws = [(Fraction(x, 10), Fraction(y, 10)) for x, y in zip(a, b, strict=True)]
    truth = Fraction(0)
    for cells in product(laws, repeat=3):
        with_it, without = Fraction(1), Fraction(1)
        for one, other in cells:
            with_it, without = with_it * one, without * other
        sampled = q * with_it + (1 - q) * without
        first, second = (sampled, without) if remove else (without, sampled)
        truth += max(Fraction(0), first - e * second)
    found = tb.Poisson(tb.Histograms(a, b) * 3, q=0.25).delta(
        mpmath.log(mpmath.mpf(e.numerator) / e.denominator).__float__(), rtol=1e-9, direction="remove" if remove else "add"
    )
    # the float nearest to log e moves delta by a few roundings
    assert found.lower <= float(truth) * (1 + 1e-13) + 1e-16
    assert found.upper >= float(truth) * (1 - 1e-13) - 1e-16


def test_errors_of_a_product_add_up() -> None:
    first, second = (tb.Histograms(a, b).pair(Direction.REMOVE) for a, b in (([6, 4], [5, 5]), ([1, 2, 7], [2, 2, 6])))
    assert isinstance(first, PointPair)
    assert isinstance(second, PointPair)
    both = product_pair([first, second])
    assert both is not None
    assert both.losses.size == 6
    assert both.error.min() > first.error.min() + second.error.min()
    assert both.loss_shift(0.0) > first.loss_shift(0.0) + second.loss_shift(0.0)


def test_edges() -> None:
    assert (
        tb.Poisson(tb.Gaussian(sigma=2) * 1, q=0.1).delta(0.5).upper == tb.Poisson(tb.Gaussian(sigma=2), q=0.1).delta(0.5).upper
    )
    assert tb.Poisson(tb.compose([]), q=0.1).epsilon(1e-6).upper == 0.0
    assert tb.Poisson(tb.Gaussian(sigma=1) * 2, q=1.0).delta(1.0) == (tb.Gaussian(sigma=1) * 2).delta(1.0)
    assert tb.Poisson(tb.Gaussian(sigma=1) * 2, q=0.0).delta(0.0).upper == 0.0
    assert tb.Poisson(tb.Gaussian(sigma=0) * 2, q=0.5).delta(5.0).lower == pytest.approx(0.5)


def test_it_is_written_read_copied_and_kept() -> None:
    assert str(TWO) == "poisson(gaussian(sigma=1) * 2, q=0.1)"
    assert tb.parse(str(TWO)) == TWO == pickle.loads(pickle.dumps(TWO))
    assert TWO.under("zero_out").delta(1.0).upper == TWO.delta(1.0).upper
    assert (
        tb.divergences.renyi(TWO, orders=[2.0])[0]
        > tb.divergences.renyi(tb.Poisson(tb.Gaussian(sigma=1), q=0.1), orders=[2.0])[0]
    )


@pytest.mark.parametrize(
    "several",
    [
        tb.Laplace(scale=1) * 2,
        tb.Gaussian(sigma=1) + tb.Laplace(scale=1),
        tb.RandomizedResponse(p=0.6) * 13,
        tb.ApproximateDP(1, 0.1) * 2,
    ],
    ids=str,
)
def test_what_has_no_pair_of_its_own_is_refused(several: tb.Composition) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"outside the brackets|one relation"):
        tb.Poisson(several, q=0.1)


def test_steps_for_two_relations_are_refused_on_a_sample_too() -> None:
    with pytest.raises(tb.MixedRelations):
        tb.Poisson(tb.Gaussian(sigma=1) + tb.RandomizedResponse(p=0.6), q=0.1)
