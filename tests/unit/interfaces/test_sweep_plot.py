"""Pictures of sweeps: one parameter or two, with points that failed or have no finite answer, always the same bytes."""

from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.interfaces import sweep_plot
from tightbudget.sweeps.plan import read_plan
from tightbudget.sweeps.run import sweep

pytestmark = pytest.mark.slow

EPSILON = {"ask": "epsilon", "delta": 1e-6}
ONE = {"sigma": [0.5, 1.0, 2.0, 4.0], "n": [10]}
TWO = {"sigma": [0.5, 1.0, 2.0, 4.0], "n": [1, 10, 100, 1000]}


def plan(grid: dict[str, Any], *questions: dict[str, Any]) -> dict[str, Any]:
    return {"composition": "gaussian(sigma={sigma}) * {n}", "grid": grid, "questions": list(questions) or [EPSILON]}


@pytest.mark.parametrize(
    "drawn",
    [
        plan(ONE),
        plan(ONE, {"ask": "epsilon", "delta": [1e-6, 1e-3]}, {"ask": "delta", "epsilon": 1}, {"ask": "advantage"}),
        plan({"sigma": [-1, 0, 1], "n": [10]}),
        {
            "composition": "gaussian(sigma=?) * {n}",
            "grid": {"n": [1, 10, 100]},
            "questions": [{"ask": "calibrate", "epsilon": [1, 2], "delta": 1e-6}],
        },
        plan({"sigma": [-1, -2], "n": [10]}),
        plan({"sigma": [0, 1], "n": [0]}),
        plan({"sigma": np.linspace(1, 9, 60), "n": [10]}),
        plan(TWO),
        plan(TWO, EPSILON, {"ask": "advantage"}, {"ask": "tpr", "fpr": 0.01}),
        plan({"sigma": [-1, 0, 1, 2], "n": [1, 2, 3]}),
        plan({"sigma": [-1, -2], "n": [1, 2]}),
        plan({"sigma": [1, 2], "n": [0, 1]}),
    ],
)
def test_any_sweep_of_one_or_two_parameters_can_be_drawn(drawn: dict[str, Any]) -> None:
    result = sweep(drawn, workers=1)
    for file_format, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        picture = sweep_plot.draw(result, file_format)
        assert picture.startswith(start)
        assert sweep_plot.draw(result, file_format) == picture


def test_points_that_are_no_grid_have_gaps() -> None:
    points = [{"sigma": sigma, "n": n} for sigma, n in ((1.0, 1), (2.0, 2), (4.0, 1))]
    given = {key: value for key, value in plan({}).items() if key != "grid"} | {"points": points}
    assert sweep_plot.draw(sweep(given, workers=1)).startswith(b"\x89PNG")


@pytest.mark.parametrize("grid", [{"sigma": [1], "n": [1]}, {"sigma": ["1", "2"], "n": [1]}])
def test_what_cannot_be_drawn_is_refused_before_it_is_computed(grid: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidParameter, match="--plot"):
        sweep_plot.check_drawable(read_plan(plan(grid)))
    many = [{"ask": "epsilon", "delta": [10.0**-n for n in range(1, 9)]}]
    with pytest.raises(tb.InvalidParameter, match="8 panels"):
        sweep_plot.check_drawable(read_plan(plan(TWO, *many)))
    sweep_plot.check_drawable(read_plan(plan(ONE, *many)))  # eight lines in one panel


@pytest.mark.parametrize(
    ("values", "scale"), [([1, 2, 3, 4], "linear"), ([1, 2, 4, 8], "log"), ([0, 1, 10, 100], "linear"), ([1, 2], "linear")]
)
def test_an_axis_is_spaced_as_its_values_are(values: list[float], scale: str) -> None:
    assert sweep_plot._scale(np.array(values, dtype=float)) == scale


def test_the_largest_answer_stands_in_its_own_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    from matplotlib.axes import Axes

    paint = Axes.pcolormesh
    monkeypatch.setattr(Axes, "pcolormesh", lambda self, *given, **named: seen.append(given) or paint(self, *given, **named))
    result = sweep(plan(TWO), workers=1)
    sweep_plot.draw(result)
    across, down, shown = seen[0]
    assert (across.size, down.size) == (5, 5)
    for sigma, n, upper in zip(result["sigma"], result["n"], result["upper"], strict=True):
        cell = shown[np.searchsorted(down, n) - 1, np.searchsorted(across, sigma) - 1]
        assert cell == upper
