"""The trade-off curve drawn: how many are found at each rate of false alarms, as a band on log scales."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.interfaces import roc_band
from tightbudget.interfaces.figures import (
    BAND_COLOUR,
    DASHED,
    LOWER_COLOUR,
    QUIET_COLOUR,
    TITLE_LINE,
    UPPER_COLOUR,
    drawn_on,
    legend_below,
    legend_inside,
    legend_name,
    rendered_figure,
    set_title,
    shortened_label,
    whole_figure,
)
from tightbudget.interfaces.plot import draw_band
from tightbudget.interfaces.refined import refined_curve
from tightbudget.tradeoff import Risk, Roc

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

LEAST_RATE = 1e-6
POINTS = 49


def usual_roc(attack: Risk) -> Roc:
    """Return the curve at rates from one in a million on, closer together towards 1."""
    rates = np.concatenate([np.geomspace(LEAST_RATE, 0.5, POINTS), [0.6, 0.7, 0.8, 0.9, 1.0]])
    return attack.roc(rates)


def plot_risk(attack: Risk, ax: "Axes | None" = None) -> "Axes":
    """Draw the band on the axes given, in the next of their colours, or on new ones; return them."""
    roc = usual_roc(attack)

    def paint(axes: "Axes") -> None:
        if ax is not None:
            _add_roc_band(axes, roc, f"{legend_name(str(attack.composition))} ({attack.relation})")
            return
        _draw_band(axes, roc)
        set_title(axes, str(attack.composition))
        legend_below(whole_figure(axes))

    return drawn_on(ax, paint, (6.0, 5.2))


def draw_side_by_side(attack: Risk, file_format: str = "png") -> bytes:
    """Return the trade-off curve beside the privacy profile, as the bytes of a PNG or SVG file."""
    roc, coarse = usual_roc(attack), attack.composition.curve(rtol=attack.rtol, effort=attack.effort)
    curve = refined_curve(coarse, attack.rtol, attack.effort)

    def paint(figure: "Figure") -> None:
        left, right = figure.subplots(1, 2)
        _draw_band(left, roc)
        draw_band(right, curve)
        right.set_xlabel("ε")
        for line in right.get_lines():  # both panels have the same lines; the legend names each once
            line.set_label("")
        for area in right.collections:
            area.set_label("")
        set_title(left, shortened_label(str(attack.composition), 2 * TITLE_LINE))
        legend_below(figure)

    return rendered_figure(paint, (10.4, 5.2), file_format)


class _RocBand(NamedTuple):
    """The two bounds between the points too."""

    places: Array
    lower: Array
    upper: Array


def _roc_band(roc: Roc) -> _RocBand:
    places = roc_band.roc_places_between(roc.fprs)
    lower = roc_band.roc_lower_line(places, roc.fprs, roc.lower)
    return _RocBand(places, lower, roc_band.roc_upper_line(places, roc.fprs, roc.lower, roc.upper))


def _draw_band(axes: "Axes", roc: Roc) -> None:
    places, lower, upper = _roc_band(roc)
    _prepare_roc_axes(axes, roc)
    axes.fill_between(places, lower, upper, color=BAND_COLOUR, alpha=0.6, linewidth=0, label="between the bounds")
    axes.plot(places, upper, color=UPPER_COLOUR, linewidth=2.2, label="upper bound")
    axes.plot(places, lower, color=LOWER_COLOUR, linewidth=1.2, linestyle=DASHED, label="lower bound")


def _add_roc_band(axes: "Axes", roc: Roc, name: str) -> None:
    """Add the band to what is on the axes: one colour and one entry of the legend for each."""
    places, lower, upper = _roc_band(roc)
    _prepare_roc_axes(axes, roc)
    (line,) = axes.plot(places, upper, linewidth=1.8, label=name)
    axes.plot(places, lower, color=line.get_color(), linewidth=1.0, linestyle=DASHED)
    axes.fill_between(places, lower, upper, color=line.get_color(), alpha=0.3, linewidth=0)
    legend_inside(axes, loc="best", frameon=True, framealpha=0.7, edgecolor="none")


def _prepare_roc_axes(axes: "Axes", roc: Roc) -> None:
    """Scale and name the axes, and draw what guessing achieves; once, however many curves there will be."""
    if axes.get_xscale() == "log" and axes.has_data():
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.plot([LEAST_RATE, 1.0], [LEAST_RATE, 1.0], color=QUIET_COLOUR, linewidth=0.9, linestyle=":", label="guessing")
    axes.set_xlim(LEAST_RATE, 1.0)
    axes.set_ylim(LEAST_RATE, 1.3)
    axes.set_xlabel("false positive rate")
    axes.set_ylabel(f"true positive rate ({roc.relation})")
