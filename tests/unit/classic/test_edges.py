"""Legal edge input has an answer for every bound that applies; illegal input is refused."""

import math
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget import classic
from tightbudget.classic.promises import Promises, sum_up

pytestmark = pytest.mark.slow

ALL = [pytest.param(bound, id=bound.name) for bound in classic.ALL]


@pytest.mark.parametrize("bound", ALL)
def test_nothing_composed(bound: classic.Bound) -> None:
    for nothing in (tb.Composition(), tb.PureDP(0.0) * 3, tb.Gaussian(math.inf)):
        assert bound.delta(nothing, 0.0) == 0.0
        assert bound.delta(nothing, math.inf) == 0.0
        assert bound.epsilon(nothing, 0.0) == 0.0
        assert bound.epsilon(nothing, 1.0) == 0.0
        assert bound.curve(nothing, [0.0, 1.0]) == [0.0, 0.0]


@pytest.mark.parametrize("bound", ALL)
def test_no_noise(bound: classic.Bound) -> None:
    for composed in (tb.Gaussian(0.0), tb.Laplace(0.0) * 5):
        try:
            assert bound.delta(composed, 1.0) == 1.0
            assert bound.delta(composed, math.inf) == 1.0
            assert bound.epsilon(composed, 0.5) == math.inf
            assert bound.curve(composed, [0.0, 2.0]) == [1.0, 1.0]
        except tb.DoesNotApply as problem:
            assert problem.reason  # noqa: PT017


@pytest.mark.parametrize("bound", ALL)
@pytest.mark.parametrize(
    "text", ["pure_dp(0.1) * 10", "gaussian(3) * 4", "approximate_dp(0.1, 1e-3) * 5", "laplace(2) + gaussian(9)"]
)
def test_the_ends_of_the_scales(bound: classic.Bound, text: str) -> None:
    composed = tb.parse(text)
    try:
        assert bound.epsilon(composed, 1.0) == 0.0
        at_zero, everything = bound.epsilon(composed, 0.0), bound.delta(composed, math.inf)
        assert bound.delta(composed, 0.0) <= 1.0
    except tb.DoesNotApply as problem:
        assert problem.reason  # noqa: PT017
        return
    if bound.kind == "approximation":
        return
    ours = composed.epsilon(0.0)
    assert at_zero >= ours.lower
    assert everything >= composed.delta(math.inf).lower
    assert everything <= 5.1e-3 or composed.delta(math.inf).lower > 0.0


def test_pure_promises_at_delta_zero() -> None:
    composed = tb.PureDP(0.125) * 8 + tb.Laplace(2.0)
    for bound in (classic.naive, classic.adaptive, classic.kov_simple, classic.bounded_range):
        assert bound.epsilon(composed, 0.0) == 1.5
        assert bound.delta(composed, 1.5) == 0.0
        assert bound.delta(composed, math.nextafter(1.5, 0.0)) > 0.0
    for bound in (classic.advanced, classic.heterogeneous):
        assert bound.epsilon(tb.PureDP(0.125) * 8, 0.0) == math.inf


def test_a_million_steps() -> None:
    composed = tb.Gaussian(1000.0) * 10**6
    ours = composed.epsilon(1e-6)
    for bound in classic.ALL:
        try:
            found = bound.epsilon(composed, 1e-6)
        except tb.DoesNotApply:
            continue
        assert math.isfinite(found)
        assert bound.kind == "approximation" or found >= ours.lower


@pytest.mark.parametrize("bound", ALL)
def test_illegal_input(bound: classic.Bound) -> None:
    for epsilon in (-1.0, math.nan, "one"):
        with pytest.raises(tb.InvalidParameter, match="epsilon"):
            bound.delta(tb.PureDP(0.1), epsilon)
    for delta in (-0.1, 1.1, math.nan, None):
        with pytest.raises(tb.InvalidParameter, match="delta"):
            bound.epsilon(tb.PureDP(0.1), delta)
    with pytest.raises(tb.InvalidParameter, match="composition"):
        bound.delta(0.1, 1.0)  # type: ignore[arg-type]


def test_promises_are_those_of_the_step() -> None:
    """delta_i is the step's own delta, in the worse direction, and equal steps are counted together."""
    promises = Promises(tb.Laplace(2.0) * 3 + tb.PureDP(0.0) + tb.Poisson(tb.Gaussian(1.0), 0.1) + tb.Laplace(2.0) * 2)
    assert promises.counts == (5, 1)
    laplace, subsampled = promises.steps
    assert laplace.pure == 0.5
    assert subsampled.pure == math.inf
    for epsilon, delta in zip(laplace.grid.tolist(), laplace.grid_deltas.tolist(), strict=True):
        assert delta == pytest.approx(-math.expm1((epsilon - 0.5) / 2), rel=1e-9, abs=1e-16)
    assert laplace.grid[-1] == 0.5
    assert laplace.grid_deltas[-1] == 0.0
    # removing a record loses up to log(1 + q (e^epsilon - 1)), adding one up to -log(1 - q (1 - e^-epsilon)), which is
    # less
    (halved,) = Promises(tb.Poisson(tb.PureDP(1.0), 0.5)).steps
    assert halved.pure == pytest.approx(math.log1p(0.5 * math.expm1(1.0)), rel=1e-12)
    assert classic.bounded_range.epsilon(halved.mechanism, 0.0) == halved.pure
    q, m = mpf(0.1), mpf(1)
    with mpmath.workdps(60):
        for epsilon, delta in zip(subsampled.grid.tolist()[::20], subsampled.grid_deltas.tolist()[::20], strict=True):
            # removal is the worse direction: q times delta of the whole at log(1 + (e^epsilon - 1)/q)
            x = mpmath.log1p(mpmath.expm1(mpf(epsilon)) / q)
            whole = mpmath.ncdf(m / 2 - x / m) - mpmath.exp(x) * mpmath.ncdf(-m / 2 - x / m)
            assert q * whole <= mpf(delta) <= q * whole * (1 + mpf("1e-6")) + mpf("1e-280")


@pytest.mark.parametrize(
    "parts", [[(0.1, 3)], [(0.1, 1), (0.2, 1)], [(1e-300, 7), (1.0, 1)], [(1e308, 2)], [(math.inf, 1)], []]
)
def test_sums_are_exact_and_rounded_up(parts: list[tuple[float, int]]) -> None:
    found = sum_up(parts)
    if any(value * count == math.inf for value, count in parts):
        assert found == math.inf
        return
    exact = sum((Fraction(value) * count for value, count in parts), start=Fraction(0))
    assert exact <= Fraction(found)
    assert Fraction(math.nextafter(found, -math.inf)) < exact or found == 0.0


# Murtagh and Vadhan's optimum is an answer of the engine, whose brackets have tests of their own.
THEOREMS = [case for case in ALL if case.values[0].kind != "approximation" and case.values[0] is not classic.murtagh_vadhan]


@pytest.mark.parametrize("bound", THEOREMS)
@pytest.mark.parametrize("epsilon", mostly_slow([1e-120, 1e-154, 1e-157, 1e-162, 1e-170, 1e-300], every=5, first=2))
def test_squares_below_the_smallest_float(bound: classic.Bound, epsilon: float) -> None:
    """Of k equal steps delta(0) is exact by enumeration; at delta = 0 only the sum of the epsilons is left."""
    for count in (1, 3, 40):
        composed = tb.PureDP(epsilon) * count
        with mpmath.workdps(400):
            p = 1 / (1 + mpmath.exp(-mpf(epsilon)))
            likely = [mpmath.binomial(count, j) * p**j * (1 - p) ** (count - j) for j in range(count + 1)]
            exact = mpmath.fsum(abs(a - b) for a, b in zip(likely, reversed(likely), strict=True)) / 2
            delta, at_none = bound.delta(composed, 0.0), bound.epsilon(composed, 1e-310)
            curve = bound.curve(composed, [0.0])
            assert mpf(delta) >= exact
            assert mpf(curve[0]) >= exact
            # delta(e) >= p^k (1 - e^(e - k epsilon)) >= 2^-k (k epsilon - e) / 2, so e >= k epsilon - 2^(k + 1) delta
            assert mpf(at_none) >= count * mpf(epsilon) - 2 ** (count + 1) * mpf(1e-310)


def test_a_tiny_range() -> None:
    step = tb.BoundedRange(1e-170)
    assert classic.bounded_range.epsilon(step, 1e-310) >= 1e-170 * (1 - 1e-15)
    assert classic.bounded_range.delta(step, 0.0) >= 2.4e-171
