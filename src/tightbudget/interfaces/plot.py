"""δ(ε) drawn: the two bounds as a band on a log scale, and below it how wide the band is.

The band holds between the points of the curve too. A bracket is usually thinner than a line can be, so its relative
width has a panel of its own.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tightbudget.interfaces import band
from tightbudget.interfaces.figures import BAND_COLOUR, LOWER_COLOUR, QUIET_COLOUR, UPPER_COLOUR, rendered, set_title
from tightbudget.mechanisms.answers import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALLEST_SHOWN = 1e-300  # the axis works with logarithms of normal floats


def draw(curve: Curve, expression: str, file_format: str = "png") -> bytes:
    """Return the picture of the curve as the bytes of a PNG or SVG file."""

    def paint(figure: "Figure") -> None:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[3.2, 1])
        _draw_band(top, curve)
        _draw_width(bottom, curve)
        bottom.set_xlabel("ε")
        set_title(top, expression)

    return rendered(paint, (7.2, 5.2), file_format)


def _draw_band(axes: "Axes", curve: Curve) -> None:
    points = band.increasing_places(curve.epsilons)
    epsilons, lower, upper = (np.ravel(values)[points] for values in (curve.epsilons, curve.lower, curve.upper))
    axes.set_ylabel("δ")
    if not (upper > SMALLEST_SHOWN).any():
        _say(axes, "δ is 0 on this whole range")
        return
    floor = _floor(upper[upper > SMALLEST_SHOWN])
    places = band.places_between(epsilons)
    lower = np.maximum(band.lower_line(places, epsilons, lower, upper), floor)
    upper = np.maximum(band.upper_line(places, epsilons, upper), floor)
    end = int(np.count_nonzero(upper > floor)) + 1  # both fall: what follows lies on the floor
    places, lower, upper = places[:end], lower[:end], upper[:end]
    axes.set_yscale("log")
    axes.fill_between(places, lower, upper, color=BAND_COLOUR, alpha=0.6, linewidth=0, label="between the bounds")
    axes.plot(places, upper, color=UPPER_COLOUR, linewidth=2.2, label="upper bound")
    axes.plot(places, lower, color=LOWER_COLOUR, linewidth=1.2, linestyle=(0, (3, 3)), label="lower bound")
    axes.set_ylim(floor, min(1.3, 3.0 * float(upper.max())))
    axes.legend(frameon=False, loc=_quiet_corner(upper, floor), title=f"certified, {curve.relation}")


def _quiet_corner(upper: NDArray[np.float64], floor: float) -> Literal["lower left", "upper right"]:
    """Return the corner for the legend: above the curve, which falls, unless it hardly does; then below."""
    height = np.log(upper[3 * upper.size // 5 :].max() / floor) / np.log(3.0 * upper.max() / floor)
    return "lower left" if height > 0.6 else "upper right"


def _floor(upper: NDArray[np.float64]) -> float:
    """Return the lowest δ of the axis; a bound of exactly 0 is drawn there."""
    return max(SMALLEST_SHOWN, float(upper.min()) / 3.0)


def _draw_width(axes: "Axes", curve: Curve) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    shown = np.isfinite(curve.epsilons) & (curve.upper > SMALLEST_SHOWN)
    axes.set_ylabel("relative width")
    width = (curve.upper[shown] - curve.lower[shown]) / curve.upper[shown]
    if not (width > 0).any():
        _say(axes, "both bounds are the same float")
        return
    positive = width > 0
    axes.set_yscale("log")
    axes.plot(curve.epsilons[shown][positive], width[positive], color=UPPER_COLOUR, linewidth=1.4)
    # Whole powers of ten, with room on both sides: the ticks then read 1e-4, 1e-3 and not 2e-4, 3e-4.
    axes.set_ylim(10.0 ** np.floor(np.log10(width[positive].min()) - 0.3), 10.0 ** np.ceil(np.log10(width.max()) + 0.3))
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title("(upper − lower) / upper", fontsize=9, loc="right", pad=3, color=QUIET_COLOUR)


def _say(axes: "Axes", sentence: str) -> None:
    axes.text(0.5, 0.5, sentence, ha="center", va="center", transform=axes.transAxes, color=QUIET_COLOUR)
    axes.set_yticks([])
    axes.grid(False)
