"""One training run under every way to sample: a bar from the lower to the upper end of epsilon for each."""

import math
from typing import TYPE_CHECKING

from tightbudget.interfaces.figures import QUIET_COLOUR, UPPER_COLOUR, drawn_on, rendered_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tightbudget.training.samplings import Samplings

_SIZE = (7.2, 4.2)
_LEAST = 0.02  # width of a bar, relatively


def plot_samplings(found: "Samplings", ax: "Axes | None") -> "Axes":
    """Draw the brackets on the axes given, or on new ones."""
    return drawn_on(ax, lambda axes: _paint_samplings(axes, found), _SIZE)


def draw_samplings(found: "Samplings", file_format: str) -> bytes:
    """Return the picture as the bytes of a file."""
    return rendered_figure(lambda figure: _paint_samplings(figure.add_subplot(), found), _SIZE, file_format)


def _paint_samplings(axes: "Axes", found: "Samplings") -> None:
    rows = list(found)[::-1]
    ends = [end for row in rows for end in (row.epsilon.lower, row.epsilon.upper) if 0.0 < end < math.inf]
    least, most = 0.6 * min(ends, default=0.1), 4.0 * max(ends, default=1.0)
    for place, row in enumerate(rows):
        lower, upper = max(row.epsilon.lower, least), min(row.epsilon.upper, most)
        # a narrow bracket is still a bar that can be seen
        axes.barh(place, max(upper - lower, _LEAST * lower), left=lower, height=0.55, color=UPPER_COLOUR)
        beside = (max(upper, lower * (1.0 + _LEAST)), place)
        axes.annotate(
            f"{row.epsilon:.3g}", beside, (4, 0), textcoords="offset points", va="center", fontsize=8, color=QUIET_COLOUR
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yticks(range(len(rows)), [f"{row.name}, {row.relation}" for row in rows])
    axes.set_xlim(least, most)
    axes.set_xlabel(f"ε at δ = {found.delta:g}")
    axes.grid(visible=False, axis="y")
