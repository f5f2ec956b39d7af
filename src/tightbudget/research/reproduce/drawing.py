"""Panels of a figure drawn on Matplotlib axes.

Colours are those of Okabe and Ito, which differ for every kind of colour vision.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tightbudget.research.reproduce.model import Data, Panel, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
MARKS = ("o", "s", "D")
VISIBLE = 0.02  # a band thinner than this part of its height is thinner than its line
SMALLEST_SHOWN = 1e-300  # the axis works with logarithms of normal floats
TARGET = "#009e73"
WIDTH, HEIGHT = 5.0, 3.9  # inches of one panel
PER_LEGEND_ROW = 0.19


def figure_size(data: Data, columns: int) -> tuple[float, float]:
    """Return the inches that the panels need; the legend is below them."""
    wide = min(columns, len(data.panels))
    rows = math.ceil(len(data.panels) / columns)
    return WIDTH * wide, rows * (HEIGHT + PER_LEGEND_ROW * max(_legend_rows(panel) for panel in data.panels))


def _legend_rows(panel: Panel) -> int:
    return math.ceil((len(panel.series) + 1 + panel.target) / 2)


def draw_panels(canvas: "Canvas", data: Data, columns: int) -> None:
    """Draw every panel, row by row."""
    wide = min(columns, len(data.panels))
    rows = math.ceil(len(data.panels) / columns)
    axes = canvas.subplots(rows, wide, squeeze=False).ravel()
    for panel, place in zip(data.panels, axes, strict=False):
        draw_panel(panel, place)
    for place in axes[len(data.panels) :]:
        place.set_axis_off()


def draw_panel(panel: Panel, axes: "Axes") -> None:
    """Draw one panel."""
    axes.set_title(panel.title, fontsize=10, loc="left")
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.x_log:
        axes.set_xscale("log", base=2)
    if panel.y_log:
        axes.set_yscale("log")
    floor = panel.floor
    for series in panel.series:
        _draw_series(axes, series, floor)
    if panel.ticks:
        axes.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=30, ha="right", fontsize=8)
        axes.set_xlim(-0.5, len(panel.ticks) - 0.5)
    if panel.target:
        _draw_target_of_panel(axes, panel)
    if floor > 0.0:
        axes.set_ylim(bottom=floor)
    if panel.ceiling > 0.0:
        axes.set_ylim(top=panel.ceiling)
    axes.legend(
        frameon=False,
        fontsize=7.5,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.3 if panel.ticks else -0.16),
        ncols=2,
        columnspacing=1.2,
    )


def _values_to_draw(values: Sequence[float], floor: float) -> Any:
    """Return the values with infinities left out and 0 far below the floor, so that lines leave the axes."""
    array = np.array(values, dtype=float)
    array[~np.isfinite(array)] = np.nan
    return np.maximum(array, SMALLEST_SHOWN) if floor > 0.0 else array


def _draw_series(axes: "Axes", series: Series, floor: float) -> None:
    colour, dash = COLOURS[series.colour % len(COLOURS)], DASHES[series.dash % len(DASHES)]
    upper = _values_to_draw(series.upper, floor)
    lower = _values_to_draw(series.lower, floor) if series.lower is not None else None
    x = np.array(series.x, dtype=float)
    if series.kind == "point":
        axes.plot(x, upper, "o", color="#c1121f", markersize=7, label=series.name, zorder=6)
        return
    if series.kind == "area" and lower is not None:
        axes.fill_between(x, lower, upper, color=colour, alpha=0.5, linewidth=0, label=series.name)
        return
    if series.kind == "marks":
        axes.plot(x, upper, MARKS[series.dash % len(MARKS)], color=colour, markersize=7, label=series.name, zorder=4)
        if lower is not None:
            axes.vlines(x, lower, upper, color=colour, linewidth=1.0)
        return
    if series.kind == "bracket" and lower is not None:
        axes.fill_between(x, lower, upper, color=colour, alpha=0.2, linewidth=0)
        axes.plot(x, upper, color=colour, linewidth=2.0, linestyle=dash, label=series.name, zorder=4)
        if np.nanmax((upper - lower) / upper, initial=0.0) > VISIBLE:
            axes.plot(x, lower, color=colour, linewidth=0.9, linestyle=dash, zorder=4)
        return
    if series.kind == "buckets" and lower is not None:
        style: Any = {"color": colour, "linewidth": 0.9, "markersize": 3.2, "alpha": 0.75, "linestyle": ":"}
        axes.plot(x, upper, marker="v", label=series.name, **style)
        axes.plot(x, lower, marker="^", **style)
        return
    look = (0, (1, 1.5)) if series.kind == "approximation" else dash
    axes.plot(x, upper, color=colour, linewidth=1.3, linestyle=look, label=series.name)


def _draw_target_of_panel(axes: "Axes", panel: Panel) -> None:
    from matplotlib.patches import Rectangle

    bottom = panel.floor if panel.floor > 0.0 else SMALLEST_SHOWN
    patch = Rectangle(
        (1.0, bottom), 1.0, 1e-4 - bottom, facecolor=TARGET, alpha=0.10, edgecolor=TARGET, label="target: e^ε ≤ 2, δ ≤ 1e-4"
    )
    axes.add_patch(patch)
