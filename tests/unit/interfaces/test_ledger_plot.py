"""`budget.plot`: everything is in view, and the legend names what is drawn."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import tightbudget as tb
from tightbudget.interfaces.ledger_plot import draw_budget
from tightbudget.ledger import Budget, Ledger


@pytest.fixture
def budget(tmp_path: Path) -> Budget:
    made = Ledger(tmp_path / "budget.db").create_budget("a $budget_ with a long name" * 3, epsilon=1, delta=1e-6)
    made.charge("gaussian(sigma=50)")
    made.reserve("gaussian(sigma=50)")
    with pytest.raises(tb.BudgetRefused):
        made.charge("gaussian(sigma=1)")
    made.close()
    return made


def names(legend: Any) -> list[str]:
    return [text.get_text() for text in legend.get_texts()]


def test_the_legend_is_whole_and_says_what_is_drawn(budget: Budget) -> None:
    axes = budget.plot()
    figure = axes.get_figure()
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert names(legend) == ["committed", "reserved", "used", "cap, 0.02436", "1 step refused", "closed"]
    box, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0 <= box.x1 <= whole.x1
    assert whole.y0 <= box.y0 <= box.y1 <= axes.get_window_extent().y0
    assert axes.get_ylim()[1] > 0.0243
    assert axes._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("size", [(6.4, 4.8), (2.4, 1.8)])
def test_axes_of_others_are_drawn_on_and_returned(budget: Budget, size: tuple[float, float]) -> None:
    figure = Figure(figsize=size)
    axes = figure.subplots()
    assert budget.plot(axes) is axes
    assert budget.status().plot(ax=axes) is axes
    assert isinstance(axes, Axes)
    box = axes.get_legend().get_window_extent()
    assert figure.bbox.x0 - 1 <= box.x0 <= box.x1 <= figure.bbox.x1 + 1


@pytest.mark.slow
def test_the_same_budget_gives_the_same_file(budget: Budget) -> None:
    assert draw_budget(budget, "svg") == draw_budget(budget, "svg")


def test_a_fresh_budget_can_be_drawn(tmp_path: Path) -> None:
    fresh = Ledger(tmp_path / "other.db").create_budget("fresh", epsilon=0, delta=0, filter="basic")
    assert draw_budget(fresh).startswith(b"\x89PNG")
