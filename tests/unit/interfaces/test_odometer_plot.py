"""Pictures of odometers: every curve has a style of its own, legends are whole, and any game can be drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

from tightbudget.interfaces import odometer_plot
from tightbudget.interfaces.cli import main
from tightbudget.research.games import players
from tightbudget.research.games.separation import separation

pytestmark = pytest.mark.slow

EVERY = players.every_odometer()
UNSOUND = set(players.unsound_odometers())


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep every figure that is drawn."""
    kept: list[Any] = []
    real = odometer_plot.figure_bytes

    def keep(figure: Any, file_format: str) -> bytes:
        kept.append(figure)
        return real(figure, file_format)

    monkeypatch.setattr(odometer_plot, "figure_bytes", keep)
    return kept


def paths(rounds: int) -> None:
    losses = np.zeros((3, rounds + 1))
    bounds = {name: np.linspace(0.0, 1.0 + place, rounds + 1) for place, name in enumerate(EVERY)}
    odometer_plot.draw_paths(losses, bounds, UNSOUND, 0.1, "title", runs=123456)


def widths(rounds: int) -> None:
    odometer_plot.draw_separation(separation(dict(reversed(EVERY.items())), 0.1, 0.05, rounds), UNSOUND)


@pytest.mark.parametrize("draw", mostly_slow([paths, widths], every=2))
def test_the_legend_is_inside_the_picture(draw: Any, figures: list[Any]) -> None:
    draw(30)
    (figure,) = figures
    (legend,) = figure.legends
    box, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0
    assert box.x1 <= whole.x1
    assert whole.y0 <= box.y0
    assert box.y1 <= figure.axes[0].get_window_extent().y0
    assert len(legend.get_texts()) == len(EVERY) + 1
    for text in legend.get_texts():
        assert text.get_window_extent().x1 <= whole.x1


@pytest.mark.parametrize("draw", mostly_slow([paths, widths], every=2, first=1))
def test_no_two_curves_share_a_style(draw: Any, figures: list[Any]) -> None:
    draw(30)
    for axes in figures[0].axes:
        lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
        # colours and dashes as drawn
        styles = [(line.get_color(), str(line._unscaled_dash_pattern), line.get_marker()) for line in lines]
        assert len(lines) >= len(EVERY)
        assert len(set(styles)) == len(styles)


@pytest.mark.slow
def test_a_curve_looks_the_same_in_every_picture(figures: list[Any]) -> None:
    paths(30)
    widths(30)
    first, second = (
        {line.get_label().partition(",")[0].partition(" (")[0]: line.get_color() for line in figure.axes[0].get_lines()}
        for figure in figures
    )
    assert all(first[name] == second[name] for name in EVERY)


@pytest.mark.parametrize("rounds", mostly_slow(["1", "2", "31"], every=3, first=2))
@pytest.mark.parametrize("epsilon", mostly_slow(["1e-100", "0.1", "1e3", "1e100"], every=4, first=1))
@pytest.mark.parametrize("command", mostly_slow(["simulate", "separation"], every=2))
def test_short_and_extreme_games_can_be_drawn(command: str, epsilon: str, rounds: str, tmp_path: Path) -> None:
    target = tmp_path / "p.png"
    every = ["--all", "--runs", "3"] if command == "simulate" else []
    assert main(["odometer", command, *every, "--rounds", rounds, "--epsilon-each", epsilon, "--plot", str(target)]) == 0
    assert target.read_bytes().startswith(b"\x89PNG")


def test_every_width_is_in_the_picture(figures: list[Any]) -> None:
    widths(3)
    axes = figures[0].axes[1]
    bottom, _ = axes.get_ylim()
    assert all(np.min(line.get_ydata()) >= bottom for line in axes.get_lines())
