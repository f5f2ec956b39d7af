"""δ(ε) by every bound that applies, with our band below them all, on a log scale."""

from typing import TYPE_CHECKING

import numpy as np

from tightbudget.classic import ALL
from tightbudget.comparison import Comparison, Curves
from tightbudget.comparison.table import OURS
from tightbudget.interfaces import band
from tightbudget.interfaces.figures import BAND_COLOUR, LOWER_COLOUR, QUIET_COLOUR, UPPER_COLOUR, rendered, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that differ in lightness too, for those who see few hues and for print.
_COLOURS = (
    "#b03a2e", "#7d3c98", "#117864", "#b9770e", "#2874a6", "#6e2c00", "#616a6b",
    "#c2185b", "#d68910", "#558b2f", "#00838f", "#8d6e63", "#af7ac5", "#212f3c",
)  # fmt: skip
_DASHES: tuple[object, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
_PLACES = {bound.name: place for place, bound in enumerate(ALL)}  # a bound looks the same in every picture


def draw_comparison(curves: Curves, table: Comparison, floor: float, file_format: str = "png") -> bytes:
    """Return the picture as the bytes of a PNG or SVG file; δ below the floor is not shown."""

    def paint(figure: "Figure") -> None:
        axes = figure.subplots()
        _draw_lines(axes, curves, floor)
        _draw_question(axes, table)
        axes.set_yscale("log")
        axes.set_ylim(floor, 2.0)
        axes.set_xlim(float(curves.band.epsilons.min()), float(curves.band.epsilons.max()))
        axes.set_xlabel("ε")
        axes.set_ylabel("δ")
        set_title(axes, curves.expression)
        figure.legend(frameon=False, loc="outside right upper", title=f"upper bounds, {curves.band.relation}")

    return rendered(paint, (9.2, 5.2), file_format)


def _draw_lines(axes: "Axes", curves: Curves, floor: float) -> None:
    points = band.increasing_places(curves.band.epsilons)
    epsilons, lower, upper = (
        np.ravel(values)[points] for values in (curves.band.epsilons, curves.band.lower, curves.band.upper)
    )
    places = band.places_between(epsilons)
    below = np.maximum(band.lower_line(places, epsilons, lower, upper), 0.1 * floor)
    above = np.maximum(band.upper_line(places, epsilons, upper), 0.1 * floor)
    # first in the legend, and on top of lines that coincide with it
    axes.fill_between(places, below, above, color=BAND_COLOUR, alpha=0.6, linewidth=0, zorder=3)
    axes.plot(places, above, color=UPPER_COLOUR, linewidth=2.4, label=OURS, zorder=4)
    dashed = (0, (3, 3))
    axes.plot(places, below, color=LOWER_COLOUR, linewidth=1.2, linestyle=dashed, label=f"{OURS}, lower bound", zorder=5)
    for line in curves.lines:
        place = _PLACES[line.name]
        axes.plot(
            places,
            np.maximum(band.upper_line(places, epsilons, np.asarray(line.deltas)[points]), 0.1 * floor),
            color=_COLOURS[place % len(_COLOURS)],
            linestyle=(0, (1, 1.5)) if line.kind == "approximation" else _DASHES[place % len(_DASHES)],
            linewidth=1.4,
            label=f"{line.name} (no bound)" if line.kind == "approximation" else line.name,
        )


def _draw_question(axes: "Axes", table: Comparison) -> None:
    """A thin line where the table was asked."""
    if table.delta is not None and table.delta > 0.0:
        axes.axhline(table.delta, color=QUIET_COLOUR, linewidth=0.8)
    if table.epsilon is not None and np.isfinite(table.epsilon):
        axes.axvline(table.epsilon, color=QUIET_COLOUR, linewidth=0.8)
