"""δ(ε) by every bound that says something, with our band below them all, on a log scale."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic import ALL
from tightbudget.comparison import Comparison, Curves
from tightbudget.comparison.table import OURS
from tightbudget.interfaces import band
from tightbudget.interfaces.comparison_view import TOP, ComparisonView, view_around
from tightbudget.interfaces.figures import (
    BAND_COLOUR,
    DASHED,
    LOWER_COLOUR,
    QUIET_COLOUR,
    UPPER_COLOUR,
    drawn_on,
    is_dark,
    legend_below,
    legend_inside,
    rendered_figure,
    set_title,
    whole_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

# Colours that differ in lightness too, for those who see few hues and for print.
_COLOURS = (
    "#b03a2e", "#7d3c98", "#117864", "#b9770e", "#2874a6", "#6e2c00", "#616a6b",
    "#c2185b", "#d68910", "#558b2f", "#00838f", "#8d6e63", "#af7ac5", "#212f3c",
)  # fmt: skip
_DASHES: tuple[object, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
_DOTTED = (0, (1, 1.5))
_PLACES = {bound.name: place for place, bound in enumerate(ALL)}  # a bound looks the same in every picture
_SIZE = (7.8, 5.6)
_THIN = 0.006  # of the picture's height or width: lines so near to each other are seen as one
_LABEL_WIDTH, _NOTE_WIDTH = 44, 110


def draw_comparison(view: ComparisonView, file_format: str = "png") -> bytes:
    """Return the picture as the bytes of a PNG or SVG file."""

    def paint(figure: "Figure") -> None:
        _paint_whole(figure.subplots(), view)

    return rendered_figure(paint, _SIZE, file_format)


def plot_comparison(table: Comparison, ax: "Axes | None" = None, every: bool = False) -> "Axes":
    """Draw it on the axes given, or on new ones; return them."""

    def paint(axes: "Axes") -> None:
        view = view_around(table, every=every)
        if ax is None:
            _paint_whole(axes, view)
            return
        _draw_comparison_on_axes(axes, view)
        legend_inside(axes, loc="best", frameon=True, framealpha=0.7, edgecolor="none")

    return drawn_on(ax, paint, _SIZE)


def _paint_whole(axes: "Axes", view: ComparisonView) -> None:
    _draw_comparison_on_axes(axes, view)
    set_title(axes, view.curves.expression)
    legend_below(whole_figure(axes), title="\n".join(textwrap.wrap(view.left_out, _NOTE_WIDTH)))


def _draw_comparison_on_axes(axes: "Axes", view: ComparisonView) -> None:
    _draw_lines(axes, view.curves, view.floor)
    _draw_question(axes, view.table)
    axes.set_yscale("log")
    axes.set_ylim(view.floor, TOP)
    axes.set_xlim(float(view.curves.band.epsilons.min()), float(view.curves.band.epsilons.max()))
    axes.set_xlabel("ε")
    axes.set_ylabel(f"δ, upper bounds ({view.curves.band.relation})")


class Drawn(NamedTuple):
    """A line: its names, since lines that coincide have one label, and whether it is no bound."""

    names: tuple[str, ...]
    values: Array
    approximate: bool = False

    @property
    def label(self) -> str:
        return "\n".join(textwrap.wrap(" / ".join(self.names), _LABEL_WIDTH))


def _draw_lines(axes: "Axes", curves: Curves, floor: float) -> None:
    points = band.increasing_places(curves.band.epsilons)
    epsilons, lower, upper = (
        np.ravel(values)[points] for values in (curves.band.epsilons, curves.band.lower, curves.band.upper)
    )
    places, least = band.places_between(epsilons), 0.1 * floor
    below = np.maximum(band.lower_line(places, epsilons, lower, upper), least)
    lines = [Drawn((OURS,), np.maximum(band.upper_line(places, epsilons, upper), least))]
    for line in curves.lines:
        approximate = line.kind == "approximation"
        values = band.upper_line(places, epsilons, np.asarray(line.deltas)[points])
        name = f"{line.name} (no bound)" if approximate else line.name
        lines.append(Drawn((name,), np.maximum(values, least), approximate))
    ours, *others = drawn_together(lines, floor)
    # first in the legend, and on top of lines that coincide with it
    axes.fill_between(places, below, ours.values, color=BAND_COLOUR, alpha=0.6, linewidth=0, zorder=3)
    dark = is_dark(axes)
    axes.plot(places, ours.values, color=BAND_COLOUR if dark else UPPER_COLOUR, linewidth=2.4, label=ours.label, zorder=4)
    axes.plot(places, below, color=LOWER_COLOUR, linewidth=1.2, linestyle=DASHED, label=f"{OURS}, lower bound", zorder=5)
    for other in others:
        place = _PLACES[other.names[0].removesuffix(" (no bound)")]
        axes.plot(
            places,
            other.values,
            color=f"C{place % 10}" if dark else _COLOURS[place % len(_COLOURS)],
            linestyle=_DOTTED if other.approximate else _DASHES[place % len(_DASHES)],
            linewidth=1.4,
            label=other.label,
        )


def drawn_together(lines: Sequence[Drawn], floor: float) -> list[Drawn]:
    """Return the lines with those that cannot be told from an earlier one named there instead."""
    found: list[Drawn] = []
    for line in lines:
        for place, earlier in enumerate(found):
            if _drawn_lines_coincide(line.values, earlier.values, floor):
                found[place] = earlier._replace(names=(*earlier.names, *line.names))
                break
        else:
            found.append(line)
    return found


def _drawn_lines_coincide(line: Array, other: Array, floor: float) -> bool:
    """Whether no point of the line, in view, is further from the other than the eye sees, up or down or sideways."""
    height = np.log(TOP / floor)
    first, second = (np.log(np.clip(values, floor, TOP)) / height for values in (line, other))
    aside = max(1, round(_THIN * line.size))
    before = np.concatenate([np.full(aside, second[0]), second[:-aside]])  # both fall
    after = np.concatenate([second[aside:], np.full(aside, second[-1])])
    return bool(((first <= before + _THIN) & (first >= after - _THIN)).all())


def _draw_question(axes: "Axes", table: Comparison) -> None:
    """A thin line where the table was asked."""
    if table.delta is not None and table.delta > 0.0:
        axes.axhline(table.delta, color=QUIET_COLOUR, linewidth=0.8)
    if table.epsilon is not None and np.isfinite(table.epsilon):
        axes.axvline(table.epsilon, color=QUIET_COLOUR, linewidth=0.8)
