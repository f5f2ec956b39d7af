"""δ(ε) drawn: the two bounds as a band on a log scale, and below it how wide the band is.

The band holds between the points of the curve too. A bracket is usually thinner than a line can be, so its relative
width has a panel of its own.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.interfaces import band
from tightbudget.interfaces.figures import (
    BAND_COLOUR,
    DASHED,
    LOWER_COLOUR,
    QUIET_COLOUR,
    UPPER_COLOUR,
    drawn_on,
    legend_below,
    legend_inside,
    legend_name,
    rendered_figure,
    set_title,
    whole_figure,
)
from tightbudget.interfaces.refined import refined_curve
from tightbudget.mechanisms.answers import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALLEST_SHOWN = 1e-300  # the axis works with logarithms of normal floats


def draw_curve(curve: Curve, expression: str, file_format: str = "png") -> bytes:
    """Return the picture of the curve as the bytes of a PNG or SVG file."""

    def paint(figure: "Figure") -> None:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[3.2, 1])
        draw_band(top, curve)
        _draw_width(bottom, curve)
        bottom.set_xlabel("ε")
        set_title(top, expression)
        legend_below(figure)

    return rendered_figure(paint, (7.2, 5.5), file_format)


def plot_curve(given: Curve, ax: "Axes | None" = None) -> "Axes":
    """Draw the band on the axes given, in the next of their colours, or on new ones; return them."""

    def paint(axes: "Axes") -> None:
        curve = refined_curve(given)
        axes.set_xlabel("ε")
        if ax is not None:
            _add_band(axes, curve)
            return
        draw_band(axes, curve)
        set_title(axes, curve.expression)
        legend_below(whole_figure(axes))

    return drawn_on(ax, paint, (7.2, 4.2))


class _CurveBand(NamedTuple):
    """The two bounds between the points too, as far as they can be shown on a log scale; where they cannot, `floor`."""

    places: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    floor: float

    @property
    def mark(self) -> str:
        """How a single point is drawn, which makes no line."""
        return "." if np.ptp(self.places) == 0.0 else ""

    @property
    def top(self) -> float:
        return min(1.3, 3.0 * float(self.upper.max()))


def _curve_band(curve: Curve) -> _CurveBand | None:
    """Return what can be drawn; None if that is nothing."""
    points = band.increasing_places(curve.epsilons)
    epsilons, lower, upper = (np.ravel(values)[points] for values in (curve.epsilons, curve.lower, curve.upper))
    if not (upper > SMALLEST_SHOWN).any():
        return None
    floor = _curve_floor(upper[upper > SMALLEST_SHOWN])
    places = band.places_between(epsilons)
    lower = np.maximum(band.lower_line(places, epsilons, lower, upper), floor)
    upper = np.maximum(band.upper_line(places, epsilons, upper), floor)
    end = int(np.count_nonzero(upper > floor)) + 1  # both fall: what follows lies on the floor
    return _CurveBand(places[:end], lower[:end], upper[:end], floor)


def draw_band(axes: "Axes", curve: Curve) -> None:
    """Draw the band in the colours of the house on axes of its own."""
    drawn = _curve_band(curve)
    axes.set_ylabel(f"δ ({curve.relation})")
    if drawn is None:
        _write_on_curve_axes(axes, "δ is 0 on this whole range")
        return
    places, lower, upper, floor = drawn
    axes.set_yscale("log")
    axes.fill_between(places, lower, upper, color=BAND_COLOUR, alpha=0.6, linewidth=0, label="between the bounds")
    axes.plot(places, upper, marker=drawn.mark, color=UPPER_COLOUR, linewidth=2.2, label="upper bound")
    axes.plot(places, lower, marker=drawn.mark, color=LOWER_COLOUR, linewidth=1.2, linestyle=DASHED, label="lower bound")
    axes.set_ylim(floor, drawn.top)


def _add_band(axes: "Axes", curve: Curve) -> None:
    """Add the band to what is on the axes: one colour and one entry of the legend for each curve."""
    before = axes.get_ylim() if axes.has_data() and axes.get_yscale() == "log" else None
    drawn = _curve_band(curve)
    axes.set_ylabel("δ")
    axes.set_yscale("log")
    name = legend_name(curve.expression) or "δ"
    if drawn is None:
        axes.plot([], [], label=f"{name}: 0 on this whole range")
    else:
        (line,) = axes.plot(drawn.places, drawn.upper, marker=drawn.mark, linewidth=1.8, label=f"{name} ({curve.relation})")
        colour = line.get_color()
        axes.plot(drawn.places, drawn.lower, marker=drawn.mark, color=colour, linewidth=1.0, linestyle=DASHED)
        axes.fill_between(drawn.places, drawn.lower, drawn.upper, color=colour, alpha=0.3, linewidth=0)
        low, high = before or (drawn.floor, drawn.top)
        axes.set_ylim(min(low, drawn.floor), max(high, drawn.top))
    legend_inside(axes, loc="best", frameon=True, framealpha=0.7, edgecolor="none")


def _curve_floor(upper: NDArray[np.float64]) -> float:
    """Return the lowest δ of the axis; a bound of exactly 0 is drawn there."""
    return max(SMALLEST_SHOWN, float(upper.min()) / 3.0)


def _draw_width(axes: "Axes", curve: Curve) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    shown = np.isfinite(curve.epsilons) & (curve.upper > SMALLEST_SHOWN)
    axes.set_ylabel("relative width")
    width = (curve.upper[shown] - curve.lower[shown]) / curve.upper[shown]
    if not (width > 0).any():
        _write_on_curve_axes(axes, "both bounds are the same float")
        return
    positive = width > 0
    axes.set_yscale("log")
    axes.plot(curve.epsilons[shown][positive], width[positive], color=UPPER_COLOUR, linewidth=1.4)
    # Whole powers of ten, with room on both sides: the ticks then read 1e-4, 1e-3 and not 2e-4, 3e-4.
    axes.set_ylim(10.0 ** np.floor(np.log10(width[positive].min()) - 0.3), 10.0 ** np.ceil(np.log10(width.max()) + 0.3))
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title("(upper − lower) / upper", fontsize=9, loc="right", pad=3, color=QUIET_COLOUR)


def _write_on_curve_axes(axes: "Axes", sentence: str) -> None:
    axes.text(0.5, 0.5, sentence, ha="center", va="center", transform=axes.transAxes, color=QUIET_COLOUR)
    axes.set_yticks([])
    axes.grid(False)
