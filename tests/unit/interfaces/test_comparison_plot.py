"""The picture of a comparison: drawn for any composition, the same again, and each line named where it is seen."""

from functools import cache

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.comparison_plot import Drawn, draw_comparison, drawn_together
from tightbudget.interfaces.comparison_view import view_around

pytestmark = pytest.mark.slow

PLACES = np.linspace(0.0, 1.0, 1600)
FALLING = 10.0 ** (-6.0 * PLACES)


@cache
def gaussians() -> tb.Comparison:
    return tb.compare(tb.Gaussian(sigma=282.84) * 512, delta=1e-5)


def labels(axes: Axes) -> list[str]:
    return [label.replace("\n", " ") for label in axes.get_legend_handles_labels()[1]]


@pytest.mark.parametrize(
    "text",
    mostly_slow(["gaussian(20) * 50", "nothing", "gaussian(0)", "laplace(5) + approximate_dp(0.1, 0.01)"], every=4, first=3),
)
@pytest.mark.parametrize("file_format", mostly_slow(["png", "svg"], every=2))
@pytest.mark.parametrize("every", mostly_slow([False, True], every=2))
def test_any_comparison_can_be_drawn(text: str, file_format: str, every: bool) -> None:
    view = view_around(tb.compare(tb.parse(text), delta=1e-3), every=every)
    first = draw_comparison(view, file_format)
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml"}[file_format])
    assert draw_comparison(view, file_format) == first


def test_bounds_that_say_little_are_named_and_not_drawn() -> None:
    axes = gaussians().plot()
    drawn, (legend,) = " / ".join(labels(axes)), axes.get_figure().legends
    assert "naive" not in drawn
    assert "naive (27.5 times)" in legend.get_title().get_text()
    assert "bounded range" in legend.get_title().get_text().replace("\n", " ")
    assert {"naive", "adaptive"} <= set(" / ".join(labels(gaussians().plot(every=True))).split(" / "))


def test_lines_that_coincide_are_named_together_in_the_order_of_the_table() -> None:
    first, second, *rest = labels(gaussians().plot())
    assert first.split(" / ") == ["tightbudget", "GDP, central limit (no bound)", "Gaussian DP"]
    assert second == "tightbudget, lower bound"
    assert rest[0].split(" / ") == ["zCDP", "Rényi DP", "CDP, affine fit"]
    assert "KOV, optimal / Murtagh-Vadhan, optimal" in rest


@pytest.mark.parametrize(
    ("other", "one"),
    [
        (FALLING * 1.01, True),
        (FALLING * 2.0, False),
        (np.interp(PLACES - 0.003, PLACES, FALLING), True),
        (np.where(PLACES < 0.5, FALLING, FALLING * 3.0), False),  # they part in the middle
        (np.where(PLACES < 0.9, FALLING, FALLING * 1e-9), True),  # out of view
    ],
)
def test_which_lines_coincide(other: np.ndarray, one: bool) -> None:
    found = drawn_together([Drawn(("first",), FALLING), Drawn(("other",), other)], floor=10.0**-5.4)
    assert [line.names for line in found] == ([("first", "other")] if one else [("first",), ("other",)])


def test_a_step_is_not_a_slope() -> None:
    step = np.where(PLACES < 0.5, 1.0, 1e-4)
    near, far = np.where(PLACES < 0.502, 1.0, 1e-4), np.where(PLACES < 0.6, 1.0, 1e-4)
    assert len(drawn_together([Drawn(("a",), step), Drawn(("b",), near)], 1e-6)) == 1
    assert len(drawn_together([Drawn(("a",), step), Drawn(("b",), far)], 1e-6)) == 2


@pytest.mark.parametrize("size", [(6.4, 4.8), (3.2, 2.4), (2.0, 2.0)])
def test_legends_lie_on_the_figure(size: tuple[float, float]) -> None:
    figure = Figure(figsize=size)
    axes = figure.subplots()
    assert gaussians().plot(axes) is axes
    figure.draw_without_rendering()
    box = axes.get_legend().get_window_extent()
    assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
    assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1
    own = gaussians().plot(every=True).get_figure()
    own.draw_without_rendering()
    box = own.legends[0].get_window_extent()
    assert own.bbox.x0 <= box.x0 <= box.x1 <= own.bbox.x1
    assert own.bbox.y0 <= box.y0 <= box.y1 <= own.bbox.y1


def test_lines_are_seen_on_dark_axes_too() -> None:
    axes = Figure().subplots()
    axes.set_facecolor("black")
    for line in gaussians().plot(axes).get_lines():
        if len(line.get_xdata()) > 2:  # not that of the question
            assert max(to_rgb(line.get_color())) > 0.5


def test_a_table_made_by_hand_has_nothing_to_draw() -> None:
    table = tb.Comparison("gaussian(1)", "add_remove", gaussians().rows, 1e-5)
    with pytest.raises(tb.InvalidParameter, match="compare"):
        table.plot()
