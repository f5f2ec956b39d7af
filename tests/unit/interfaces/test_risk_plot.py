"""The trade-off curve drawn: what lies between the points holds too, and the picture is the same each time."""

import mpmath
import numpy as np
import pytest
from matplotlib.figure import Figure
from mpmath import mpf
from tests.support import roc_truth

import tightbudget as tb
from tightbudget.interfaces import risk_plot, roc_band


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 7, 40])
def test_lines_hold_between_the_points(count: int) -> None:
    rates = np.geomspace(1e-6, 1.0, count)
    roc = tb.risk(tb.Gaussian(sigma=1.0)).roc(rates)
    places = roc_band.roc_places_between(rates)
    assert set(rates) <= set(places)
    assert (np.diff(places) > 0.0).all()
    lower = roc_band.roc_lower_line(places, rates, roc.lower)
    upper = roc_band.roc_upper_line(places, rates, roc.lower, roc.upper)
    with mpmath.workdps(20):
        for k in range(0, places.size - 1, 7):
            for rate in (places[k], np.sqrt(places[k] * places[k + 1])):  # at a place, and between it and the next
                power = roc_truth.gaussian(mpf(1))(mpf(float(rate))) if rate < 1.0 else mpf(1)
                assert lower[k + 1] <= power <= upper[k]  # all that is drawn between the two lies between these
    assert (np.diff(lower) >= 0.0).all()
    assert (np.diff(upper) >= 0.0).all()


def test_new_axes_are_named_and_scaled() -> None:
    axes = tb.risk(tb.Laplace(scale=1.0)).plot()
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_xlabel() == "false positive rate"
    assert axes.get_ylabel() == "true positive rate (add_remove)"
    assert axes.get_title(loc="left") == "laplace(scale=1.0)"


def test_several_curves_share_axes() -> None:
    axes = Figure().subplots()
    for scale in (1.0, 2.0):
        assert tb.risk(tb.Laplace(scale=scale)).plot(ax=axes) is axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["guessing", "laplace(scale=1.0) (add_remove)", "laplace(scale=2.0) (add_remove)"]


def test_what_are_no_axes_is_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match="Matplotlib axes"):
        tb.risk(tb.Laplace(scale=1.0)).plot(ax=3)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("c", [tb.Gaussian(sigma=0.0), tb.compose([]), tb.Gaussian(sigma=1e-3), tb.PureDP(0.1) * 10])
def test_extremes_can_be_drawn(c: tb.Mechanism) -> None:
    picture = risk_plot.draw_side_by_side(tb.risk(c), "png")
    assert picture.startswith(b"\x89PNG")
    assert picture == risk_plot.draw_side_by_side(tb.risk(c), "png")
