"""What is drawn between the points of a curve holds too, against closed forms of δ."""

import math

import mpmath
import numpy as np
import pytest
from matplotlib.figure import Figure

import tightbudget as tb
from tightbudget.interfaces import comparison_plot, plot

pytestmark = pytest.mark.slow

STEPS, LARGEST, REVEALED = 3, 1.0, 1e-5


def promised(epsilon: float, revealed: float = REVEALED) -> float:
    """δ of `approximate_dp(epsilon=1, delta=1e-5) * 3`: randomised response, unless everything is revealed."""
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(-LARGEST))
        pairs = [(p**k * (1 - p) ** (STEPS - k), p ** (STEPS - k) * (1 - p) ** k) for k in range(STEPS + 1)]
        hidden = sum(math.comb(STEPS, k) * max(0, a - mpmath.exp(epsilon) * b) for k, (a, b) in enumerate(pairs))
        kept = (1 - mpmath.mpf(revealed)) ** STEPS
        return float(1 - kept * (1 - hidden))


def normal(epsilon: float) -> float:
    """δ of `gaussian(sigma=0.5)`."""
    with mpmath.workdps(40):
        mu = mpmath.mpf(2)
        return float(mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu))


CASES = [
    (tb.ApproximateDP(LARGEST, REVEALED) * STEPS, promised, np.linspace(0.0, 4.0, 9)),
    (tb.ApproximateDP(LARGEST, REVEALED) * STEPS, promised, np.linspace(0.0, 3.1, 101)),
    (tb.PureDP(LARGEST) * STEPS, lambda epsilon: promised(epsilon, 0.0), np.linspace(0.0, 4.0, 30)),
    (tb.Gaussian(0.5), normal, np.linspace(0.0, 14.0, 4)),
    (tb.Gaussian(0.5), normal, np.array([9.0, 0.0, 3.0, 3.0, 14.0, np.inf, 3.1])),
    (tb.Gaussian(0.5), normal, np.linspace(0.0, 14.0, 101)),
    (tb.Gaussian(0.5), normal, np.linspace(0.0, 14.0, 2001)),
]


def lines(curve: tb.Curve) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    axes = Figure().subplots()
    plot.draw_band(axes, curve)
    drawn = {line.get_label(): np.asarray(line.get_data(), dtype=np.float64) for line in axes.get_lines()}
    return tuple((drawn[name][0], np.log(drawn[name][1])) for name in ("upper bound", "lower bound"))


@pytest.mark.parametrize(("private", "delta", "epsilons"), CASES)
def test_the_band_holds_between_the_points(private: tb.Composition, delta: object, epsilons: np.ndarray) -> None:
    assert callable(delta)
    upper, lower = lines(private.curve(epsilons))
    floor = lower[1].min()
    seed = np.random.default_rng(0)
    corners = np.array([1.0, 2.985, 2.999, 3.0])
    asked = np.concatenate([seed.uniform(upper[0][0], upper[0][-1], 300), corners[corners < upper[0][-1]]])
    truth = np.log([max(delta(float(epsilon)), 1e-300) for epsilon in asked])
    assert (np.interp(asked, *upper) >= truth - 1e-12).all()
    below = np.interp(asked, *lower)
    assert ((below <= truth + 1e-12) | (below <= floor)).all()


def test_the_band_is_narrow_where_points_are_close() -> None:
    upper, lower = lines((tb.Gaussian(0.5)).curve(np.linspace(0.0, 14.0, 401)))
    assert np.max(upper[1] - lower[1]) < 0.1


def test_lines_end_at_the_last_values() -> None:
    curve = (tb.ApproximateDP(LARGEST, REVEALED) * STEPS).curve(np.linspace(0.0, 3.0, 9))
    upper, lower = lines(curve)
    assert (upper[0][-1], lower[0][-1]) == (3.0, 3.0)
    assert np.exp([lower[1][-1], upper[1][-1]]) == pytest.approx([curve.lower[-1], curve.upper[-1]], rel=1e-12)


def test_the_line_goes_down_to_the_axis_where_delta_is_zero() -> None:
    curve = (tb.PureDP(LARGEST) * STEPS).curve(np.linspace(0.0, 4.0, 9))
    (epsilons, upper), _ = lines(curve)
    assert 2.5 < epsilons[-1] < 3.0
    assert upper[-1] == pytest.approx(math.log(curve.upper[curve.upper > 0.0].min() / 3.0))
    assert (np.diff(upper) <= 0.0).all()


def test_the_band_of_a_comparison_holds_between_the_points() -> None:
    private = tb.ApproximateDP(LARGEST, REVEALED) * STEPS
    curves = tb.compare_curves(private, np.linspace(0.0, 4.0, 9))
    axes = Figure().subplots()
    comparison_plot._draw_lines(axes, curves, 1e-10)
    asked = np.linspace(0.0, 4.0, 333)
    truth = np.log([promised(float(epsilon)) for epsilon in asked])
    for line in axes.get_lines():
        label = str(line.get_label())
        epsilons, drawn = np.asarray(line.get_data(), dtype=np.float64)
        if "lower" in label:
            assert (np.interp(asked, epsilons, np.log(drawn)) <= truth + 1e-12).all()
        elif "no bound" not in label:
            assert (np.interp(asked, epsilons, np.log(drawn)) >= truth - 1e-12).all(), label
