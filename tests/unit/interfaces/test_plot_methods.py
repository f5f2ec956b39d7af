"""`curve.plot(ax=None)`: draws on any axes and leaves no trace elsewhere."""

import builtins
import gc
import weakref
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tests.support.loaded import loaded_after

import tightbudget as tb

pytestmark = pytest.mark.slow

CURVE = (tb.Gaussian(sigma=20) * 512).curve(np.linspace(0.0, 7.0, 15))
LONG = (tb.Gaussian(sigma=20) * 512 + tb.Laplace(scale=30) * 99 + tb.PureDP(0.001) * 7).curve([0.0, 1.0, 2.0])
ZERO = tb.Composition().curve([0.0, 1.0])
ONE = tb.Gaussian(sigma=1).curve([1.0])


def shown_inside(figure: Figure) -> None:
    """Every legend lies on the figure, whole."""
    figure.draw_without_rendering()
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend() is not None)]
    for legend in legends:
        box = legend.get_window_extent()
        assert figure.bbox.x0 - 1 <= box.x0 <= box.x1 <= figure.bbox.x1 + 1
        assert figure.bbox.y0 - 1 <= box.y0 <= box.y1 <= figure.bbox.y1 + 1


@pytest.mark.parametrize("curve", [CURVE, LONG, ZERO, ONE])
def test_new_axes_are_shown_and_given_ones_are_returned(curve: tb.Curve) -> None:
    axes = curve.plot()
    assert isinstance(axes, Axes)
    assert axes._repr_png_().startswith(b"\x89PNG")
    assert curve.plot()._repr_png_() == curve.plot()._repr_png_()
    shown_inside(axes.get_figure())
    given = Figure().subplots()
    assert curve.plot(given) is given
    assert curve.plot(ax=given) is given


@pytest.mark.parametrize("size", [(6.4, 4.8), (2.4, 1.8), (12.0, 1.5)])
def test_legends_are_not_clipped_on_small_figures(size: tuple[float, float]) -> None:
    figure = Figure(figsize=size)
    axes = figure.subplots()
    for curve in (CURVE, LONG, ZERO):
        curve.plot(axes)
    shown_inside(figure)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(set(names)) == 3


def test_curves_drawn_together_have_a_colour_each_and_all_are_in_view() -> None:
    axes = Figure().subplots()
    tiny = tb.Gaussian(sigma=1).curve([0.0, 12.0])
    for curve in (CURVE, tiny, CURVE):
        curve.plot(axes)
    low, high = axes.get_ylim()
    assert low <= tiny.upper.min()
    assert high >= CURVE.upper.max()
    colours = {line.get_color() for line in axes.get_lines()}
    assert len(colours) == 3


def test_nothing_global_changes_and_nothing_is_left() -> None:
    before = dict(matplotlib.rcParams), pyplot.get_fignums()
    axes = CURVE.plot()
    assert (dict(matplotlib.rcParams), pyplot.get_fignums()) == before
    figure = weakref.ref(axes.get_figure())
    del axes
    gc.collect()
    assert figure() is None


def test_pyplot_is_not_used() -> None:
    program = "import tightbudget as tb; tb.Gaussian(sigma=1).curve([0.0, 1.0]).plot()._repr_png_()"
    loaded = loaded_after(program)
    assert "matplotlib.axes" in loaded
    assert "matplotlib.pyplot" not in loaded


def test_matplotlib_is_loaded_only_to_draw() -> None:
    assert "matplotlib" not in loaded_after("import tightbudget as tb; print(tb.Gaussian(sigma=1).curve([0.0, 1.0]))")


@pytest.mark.parametrize("ax", ["axes", 1, np.array([None, None]), Figure()])
def test_what_are_no_axes_is_refused(ax: Any) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"ax is .*Matplotlib axes"):
        CURVE.plot(ax)


def test_a_missing_matplotlib_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_matplotlib(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real_import(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(tb.MissingExtra, match="plot"):
        CURVE.plot()


def test_lines_that_differ_in_their_noise_have_different_names() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    for sigma in (1, 2, 4):
        (tb.Poisson(tb.Gaussian(sigma), q=0.01) * 1000).curve([0.5, 1.0]).plot(axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(set(names)) == len(names) == 3


def test_axes_side_by_side_name_the_same_lines_once() -> None:
    left, right = Figure(figsize=(9, 4)).subplots(1, 2)
    for axes in (left, right):
        CURVE.plot(axes)
    assert left.get_legend() is not None
    assert right.get_legend() is None
    ZERO.plot(right)  # which the left ones do not name
    assert right.get_legend() is not None


def test_the_legend_of_narrow_axes_leaves_room_for_the_curve() -> None:
    figure = Figure(figsize=(9, 4))
    left, _ = figure.subplots(1, 2)
    CURVE.plot(left)
    figure.draw_without_rendering()
    assert left.get_legend().get_window_extent().width <= 0.7 * left.get_window_extent().width
