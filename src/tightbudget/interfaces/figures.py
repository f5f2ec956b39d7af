"""Pictures in house style as the bytes of a file. The same input gives the same bytes.

matplotlib is imported only when something is drawn, and nothing here needs NumPy: whether a picture can be drawn is
known before anything is computed for it.
"""

import io
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tightbudget.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
TITLE_LINE = 72
STYLE: Any = {
    "font.size": 10,
    "axes.grid": True,
    "grid.color": "#e5e7e9",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "tightbudget",
    "axes.axisbelow": True,
    "axes.xmargin": 0.01,
}
UPPER_COLOUR, LOWER_COLOUR, BAND_COLOUR, QUIET_COLOUR = "#1b4f72", "#e67e22", "#85c1e9", "#566573"


def require() -> None:
    """Raise MissingExtra unless matplotlib is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("plot", "matplotlib") from None


def rendered(paint: "Callable[[Figure], None]", size: tuple[float, float], file_format: str) -> bytes:
    """Return what `paint` puts on a figure of so many inches, in house style, as the bytes of a PNG or SVG file."""
    require()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(matplotlib.rcParamsDefault), matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, dpi=144, layout="constrained")
        FigureCanvasAgg(figure)
        paint(figure)
        return as_bytes(figure, file_format)


def as_bytes(figure: "Figure", file_format: str) -> bytes:
    """Return the picture as a file without a date in it: the same figure gives the same bytes."""
    picture = io.BytesIO()
    metadata = {"Date": None} if file_format == "svg" else {"Software": None}
    figure.savefig(picture, format=file_format, metadata=metadata)
    return picture.getvalue()


def set_title(axes: "Axes", expression: str) -> None:
    """Put the expression above the axes, in at most two lines."""
    axes.set_title(_title(expression), fontsize=10, loc="left", family="monospace", pad=10, parse_math=False)


def _title(expression: str) -> str:
    lines = textwrap.wrap(expression, TITLE_LINE, break_long_words=True)
    return "\n".join(lines) if len(lines) <= 2 else f"{lines[0]}\n{lines[1][: TITLE_LINE - 2]} …"
