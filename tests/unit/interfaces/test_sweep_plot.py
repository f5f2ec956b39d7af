"""Pictures of sweeps: one parameter or two, with points that failed or have no finite answer, always the same bytes."""

from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.interfaces import sweep_plot
from tightbudget.sweeps.plan import read_sweep_plan
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
        picture = sweep_plot.draw_sweep(result, file_format)
        assert picture.startswith(start)
        assert sweep_plot.draw_sweep(result, file_format) == picture


def test_points_that_are_no_grid_have_gaps() -> None:
    points = [{"sigma": sigma, "n": n} for sigma, n in ((1.0, 1), (2.0, 2), (4.0, 1))]
    given = {key: value for key, value in plan({}).items() if key != "grid"} | {"points": points}
    assert sweep_plot.draw_sweep(sweep(given, workers=1)).startswith(b"\x89PNG")


@pytest.mark.parametrize("grid", [{"sigma": [1], "n": [1]}, {"sigma": ["1", "2"], "n": [1]}])
def test_what_cannot_be_drawn_is_refused_before_it_is_computed(grid: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidParameter, match="--plot"):
        sweep_plot.check_drawable(read_sweep_plan(plan(grid)))
    many = [{"ask": "epsilon", "delta": [10.0**-n for n in range(1, 9)]}]
    with pytest.raises(tb.InvalidParameter, match="8 panels"):
        sweep_plot.check_drawable(read_sweep_plan(plan(TWO, *many)))
    sweep_plot.check_drawable(read_sweep_plan(plan(ONE, *many)))  # eight lines in one panel


@pytest.mark.parametrize(
    ("values", "scale"), [([1, 2, 3, 4], "linear"), ([1, 2, 4, 8], "log"), ([0, 1, 10, 100], "linear"), ([1, 2], "linear")]
)
def test_an_axis_is_spaced_as_its_values_are(values: list[float], scale: str) -> None:
    assert sweep_plot._sweep_axis_scale(np.array(values, dtype=float)) == scale


MANY = {"sigma": np.geomspace(0.5, 8.0, 9), "n": [1, 10, 100, 1000]}


def painted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is given to pcolormesh from now on, with the scale of its colours."""
    from matplotlib.axes import Axes

    seen: list[Any] = []
    paint = Axes.pcolormesh

    def keep(self: Axes, *given: Any, **named: Any) -> Any:
        if "rasterized" in named:  # else it is a scale of colours
            seen.append((*given, named["norm"]))
        return paint(self, *given, **named)

    monkeypatch.setattr(Axes, "pcolormesh", keep)
    return seen


def test_the_largest_answer_stands_in_its_own_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = painted(monkeypatch)
    result = sweep(plan(MANY), workers=1)
    sweep_plot.draw_sweep(result)
    across, down, shown, _ = seen[0]
    assert (across.size, down.size) == (10, 5)
    for sigma, n, upper in zip(result["sigma"], result["n"], result["upper"], strict=True):
        cell = shown[np.searchsorted(down, n) - 1, np.searchsorted(across, sigma) - 1]
        assert cell == upper


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_few_values_are_written_in_cells_of_one_size_at_their_own_names() -> None:
    result = sweep(plan({"sigma": [1, 2, 1000], "n": [10, 100]}), workers=1)
    axes = result.plot()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "1000"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["10", "100"]
    assert (axes.get_xlim(), axes.get_ylim()) == ((-0.5, 2.5), (-0.5, 1.5))
    assert len(texts(axes)) == 6
    by_cell = {(sigma, n): upper for sigma, n, upper in zip(result["sigma"], result["n"], result["upper"], strict=True)}
    for text in axes.texts:
        column, row = text.get_position()
        upper = by_cell[([1, 2, 1000][int(column)], [10, 100][int(row)])]
        assert upper <= float(text.get_text()) <= 1.01 * upper  # rounded up


def test_panels_of_one_number_share_their_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = painted(monkeypatch)
    sweep_plot.draw_sweep(sweep(plan(TWO, {"ask": "epsilon", "delta": [1e-3, 1e-9]}, {"ask": "advantage"}), workers=1))
    first, second, other = (norm for *_, norm in seen)
    assert first is second
    assert other is not first
    assert max(float(shown.max()) for *_, shown, norm in seen if norm is first) == first.vmax


def test_what_is_infinite_everywhere_is_said() -> None:
    few = sweep(plan({"sigma": [1, 2], "n": [1, 2]}, {"ask": "epsilon", "delta": 0}), workers=1).plot()
    assert texts(few) == ["∞"] * 4
    many = sweep(plan(MANY, {"ask": "epsilon", "delta": 0}), workers=1).plot()
    assert texts(many) == ["no finite ε"]
    assert many.get_xlim()[0] > 0.4
    line = sweep(plan(ONE, {"ask": "epsilon", "delta": 0}), workers=1).plot()
    assert texts(line) == ["no finite answer"]


def test_what_is_calibrated_has_its_name() -> None:
    asked = {"ask": "calibrate", "epsilon": [1, 2], "delta": 1e-6}
    for open_number, name in (("gaussian(sigma=?) * {n}", "sigma"), ("poisson(gaussian(sigma={n}), q=?) * 10", "q")):
        result = sweep({"composition": open_number, "grid": {"n": [1, 10]}, "questions": [asked]}, workers=1)
        axes = result.plot()
        assert axes.get_ylabel() == name
        legend = [text.get_text() for text in axes.get_legend().get_texts()]
        assert legend == [f"{name} for ε = 1, δ = 1e-06", f"{name} for ε = 2, δ = 1e-06"]


def test_what_is_calibrated_is_written_with_all_digits() -> None:
    """Rounded up, the largest rate that keeps a target no longer keeps it."""
    asked = {"ask": "calibrate", "epsilon": 1, "delta": 1e-6}
    given = {"composition": "poisson(gaussian(sigma={s}), q=?) * {n}", "grid": {"s": [1, 2], "n": [10, 20]}}
    result = sweep(given | {"questions": [asked]}, workers=1)
    assert sorted(float(text) for text in texts(result.plot())) == sorted(result["value"])


def test_no_axis_reaches_below_zero_by_itself() -> None:
    axes = sweep(plan({"sigma": np.linspace(0.1, 8.0, 9), "n": [0, 1, 2, 3]}), workers=1).plot()
    assert axes.get_ylim()[0] == 0.0
    assert axes.get_xlim()[0] >= 0.0


def test_a_sweep_is_drawn_on_axes_of_its_own_or_on_those_given() -> None:
    from matplotlib.figure import Figure

    two = sweep(plan(TWO, EPSILON, {"ask": "advantage"}), workers=1)
    drawn = two.plot()
    assert drawn._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    assert len(drawn.figure.axes) == 4  # two panels, two scales of colour
    with pytest.raises(tb.InvalidParameter, match="2 panels"):
        two.plot(Figure().subplots())
    for one in (plan(ONE), plan(TWO)):
        given = Figure().subplots()
        assert sweep(one, workers=1).plot(given) is given
        assert given.get_xlabel() == "sigma"
    with pytest.raises(tb.InvalidParameter, match="ax"):
        sweep(plan(ONE), workers=1).plot(3)  # type: ignore[arg-type]


def test_a_notebook_shows_the_answers() -> None:
    html = sweep(plan({"sigma": [-1, 2], "n": [10]}), workers=1)._repr_html_()
    assert "epsilon at delta=1e-06" in html
    assert "failed: sigma is -1" in html
    assert str(tb.parse("gaussian(sigma=2) * 10").epsilon(1e-6)) in html
    assert "2 answers at 2 points, 1 failed." in html
    long = sweep(plan({"sigma": np.linspace(1, 2, 100), "n": [10]}), workers=1)._repr_html_()
    assert long.count("<tr>") < 50
    assert "61 more" in long


def test_colours_are_labelled_with_plain_numbers() -> None:
    figure: Any = sweep(plan({"sigma": [1.0, 2.0, 4.0, 16.0], "n": [1, 2]}), workers=1).plot().figure
    figure.canvas.draw()
    bar = figure.axes[-1]
    said = [label.get_text() for label in [*bar.get_yticklabels(), *bar.get_yticklabels(minor=True)] if label.get_text()]
    assert said
    assert all(float(text) > 0 for text in said), said
