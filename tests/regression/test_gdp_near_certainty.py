"""`gdp_mu` where tests are all but certain: delta(0) is 1 but for rounding, and what it leaves of 1 decides."""

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from mpmath import mpf
from tests.support import roc_truth

import tightbudget as tb

Point = tuple[Fraction, Fraction]


def test_many_steps_of_gaussian_noise_have_the_root_of_their_number() -> None:
    for composition, mu in ((tb.Gaussian(1.0) * 400, 20.0), (tb.Gaussian(0.05), 20.0), (tb.Gaussian(1e-3), 1000.0)):
        found = tb.risk(composition).gdp_mu()
        assert found.lower <= mu <= found.upper
        assert found.converged
        assert found.width <= 1e-12 * mu


@pytest.mark.parametrize(("down_to", "kept"), [(1e-30, True), (7.6e-24, True), (7.7e-24, False), (1e-5, False)])
def test_tests_remain_below_the_rate_where_the_curve_meets_its_mirror_image(down_to: float, kept: bool) -> None:
    """Phi(-10) is 7.62e-24."""
    asked = tb.risk(tb.Gaussian(1.0) * 400)
    if kept:
        found = asked.gdp_mu(down_to=down_to)
        assert found.lower <= 20.0 <= found.upper
        assert found.converged
    else:
        with pytest.raises(tb.InvalidParameter, match=r"below 7\.61e-24"):
            asked.gdp_mu(down_to=down_to)


def test_a_rate_that_no_float_is_below_says_so() -> None:
    with pytest.raises(tb.InvalidParameter, match="must be 0"):
        tb.risk(tb.Gaussian(1e-3)).gdp_mu(down_to=1e-300)


@pytest.mark.parametrize(
    ("composition", "corner", "least", "most"),
    [
        (tb.PureDP(35.0), lambda: 1 / (1 + mpmath.exp(35)), 15.0, 15.99669058),
        (tb.PureDP(100.0), lambda: 1 / (1 + mpmath.exp(100)), 20.0, 27.7769521),
        (tb.Laplace(0.01), lambda: mpmath.exp(-50) / 2, 16.0, 23.5),
    ],
)
def test_bounded_losses_have_a_bracket(composition: tb.Mechanism, corner: Callable[[], mpf], least: float, most: float) -> None:
    """The truth is 15.99669057..., 27.77695206... and 19.49094972...: both error rates are those of the corner."""
    found = tb.risk(composition).gdp_mu()
    assert least <= found.lower <= found.upper <= most
    with mpmath.workdps(60):
        assert mpf(found.lower) <= 2 * roc_truth.normal_quantile(corner()) <= mpf(found.upper)


def test_a_class_of_normal_noise_says_that_it_is_one() -> None:
    found = tb.risk(tb.TreeAggregation(0.01, 7, 3, 3)).gdp_mu()
    assert 299.99 < found.lower <= 300.0 <= found.upper < 316.3
    assert "family" in found.reason or "class" in found.reason


def corners(a: list[Fraction], b: list[Fraction]) -> list[Point]:
    """Return the corners of the hull of both orders' curves, from (0, 0) to (1, 1)."""
    found = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    for p, q in ((a, b), (b, a)):
        rates = [Fraction(0), Fraction(0)]
        for i in sorted(range(len(p)), key=lambda i: -p[i] / q[i]):
            rates = [rates[0] + q[i], rates[1] + p[i]]
            found.add((rates[0], rates[1]))
    hull: list[Point] = []
    for point in sorted(found):
        while len(hull) > 1 and _above(hull[-2], point, hull[-1]) <= 0:
            hull.pop()
        hull.append(point)
    return hull


def _above(left: Point, right: Point, point: Point) -> Fraction:
    return (point[1] - left[1]) * (right[0] - left[0]) - (right[1] - left[1]) * (point[0] - left[0])


def least_mu(hull: list[Point], down_to: Fraction) -> mpf:
    """Return the least mu above the part of the hull where both error rates are at least `down_to`."""
    counted = [point for point in hull if point[0] > 0 and point[1] < 1 and min(point[0], 1 - point[1]) >= down_to]
    for left, right in pairwise(hull):
        slope = (right[1] - left[1]) / (right[0] - left[0]) if right[0] > left[0] else None
        if down_to and slope is not None and left[0] <= down_to <= right[0]:
            height = left[1] + slope * (down_to - left[0])
            counted.append((down_to, height))
            counted.append((1 - height, 1 - down_to))
    errors = [(point[0], 1 - point[1]) for point in counted]
    quantiles = (sum(roc_truth.normal_quantile(mpf(p.numerator) / p.denominator) for p in pair) for pair in errors)
    return max([mpf(0), *quantiles])


def random_weights(rng: random.Random) -> tuple[list[int], list[int]]:
    count = rng.randint(2, 4)
    return tuple([10 ** rng.randint(0, rng.choice((3, 12, 17))) for _ in range(count)] for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("seed", range(10))
def test_random_histograms_that_tell_all_but_everything(seed: int) -> None:
    rng = random.Random(seed)
    weights = random_weights(rng)
    a, b = ([Fraction(weight, sum(side)) for weight in side] for side in weights)
    hull = corners(a, b)
    middle = (1 - max(point[1] - point[0] for point in hull)) / 2
    down_to = float(middle) * rng.choice((0.0, 1e-9, 1e-3))
    found = tb.risk(tb.Histograms(*map(tuple, weights))).gdp_mu(down_to=down_to)
    with mpmath.workdps(60):
        truth = least_mu(hull, Fraction(down_to))
        assert mpf(found.lower) <= truth <= mpf(found.upper)
