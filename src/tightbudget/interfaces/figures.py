"""Pictures in house style as the bytes of a file. The same input gives the same bytes.

matplotlib is imported only when something is drawn, and nothing here needs NumPy: whether a picture can be drawn is
known before anything is computed for it.
"""

import io
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tightbudget.errors import InvalidParameter, MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
TITLE_LINE = 72
LEGEND_LINE = 36
_MOST_COVERED, _MOST_ACROSS = 0.4, 0.65  # of axes, by their legend
_LEAST_READ = 6  # size of letters that are made no smaller only to keep a legend short
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
DASHED = (0, (3, 3))
UPPER_COLOUR, LOWER_COLOUR, BAND_COLOUR, QUIET_COLOUR = "#1b4f72", "#e67e22", "#85c1e9", "#566573"


def require_matplotlib() -> None:
    """Raise MissingExtra unless matplotlib is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("plot", "matplotlib") from None


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in house style within, whatever the style outside; it is as it was afterwards."""
    from matplotlib import rc_context, rcParamsDefault

    # to ask for the backend is to choose one, for good
    usual: Any = {name: rcParamsDefault[name] for name in rcParamsDefault if name != "backend"}
    with rc_context(usual), rc_context(STYLE):
        yield


def drawn_on(ax: "Axes | None", paint: "Callable[[Axes], None]", size: tuple[float, float]) -> "Axes":
    """Return the axes with what `paint` puts on them: those given, in their own style, or new ones in house style."""
    require_matplotlib()
    from matplotlib.axes import Axes

    from tightbudget.interfaces.axes import new_axes

    if ax is not None:
        if not isinstance(ax, Axes):
            raise InvalidParameter("ax", ax, "Matplotlib axes", "Take one from plt.subplots(), or leave it out.")
        paint(ax)
        return ax
    with house_style():
        ax = new_axes(size)
        paint(ax)
        return ax


def is_dark(axes: "Axes") -> bool:
    """Whether dark lines would hardly be seen on these axes."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(axes.get_facecolor())
    return 0.3 * red + 0.6 * green + 0.1 * blue < 0.4


def whole_figure(axes: "Axes") -> "Figure":
    """Return the figure of axes that lie on no part of one; `get_figure(root=True)` is younger than 3.9."""
    from matplotlib.figure import Figure

    assert isinstance(axes.figure, Figure)
    return axes.figure


def legend_below(figure: "Figure", title: str = "") -> None:
    """Put one legend for all axes below them, in as many columns as fit; constrained layout makes room for it."""
    entries = [entry for axes in figure.axes for entry in zip(*axes.get_legend_handles_labels(), strict=True)]
    if not entries:
        return
    handles, labels = zip(*entries, strict=True)
    for columns in range(min(4, len(labels)), 0, -1):
        legend = figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            fontsize=9,
            title=title or None,
            title_fontsize=8,
        )
        if legend.get_window_extent().width <= figure.bbox.width or columns == 1:
            return
        legend.remove()


def legend_inside(axes: "Axes", **options: Any) -> None:
    """Put the legend on the axes, in letters as small as it takes for it to fit and leave most of them free.

    What other axes of the figure say of the same lines is not said again.
    """
    if _said_elsewhere(axes):
        if (own := axes.get_legend()) is not None:
            own.remove()
        return
    room = axes.get_window_extent()
    for size in (9, 8, 7, 6, 5, 4):
        box = axes.legend(**{"frameon": False, "fontsize": size, "title_fontsize": size, **options}).get_window_extent()
        fits = box.width <= room.width and box.height <= room.height
        small = box.width * box.height <= _MOST_COVERED * room.width * room.height
        if fits and small and (box.width <= _MOST_ACROSS * room.width or size <= _LEAST_READ):
            return


def _said_elsewhere(axes: "Axes") -> bool:
    """Whether the legend of other axes of the figure has all of these lines, each in its colour."""
    own = {(label, _handle_colour(handle)) for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    others = (other for other in whole_figure(axes).axes if other is not axes and other.get_legend() is not None)
    return any(
        own <= {(label, _handle_colour(handle)) for handle, label in zip(*other.get_legend_handles_labels(), strict=True)}
        for other in others
    )


def _handle_colour(handle: Any) -> str:
    return str(handle.get_color()) if hasattr(handle, "get_color") else str(handle)


def rendered_figure(paint: "Callable[[Figure], None]", size: tuple[float, float], file_format: str) -> bytes:
    """Return what `paint` puts on a figure of so many inches, in house style, as the bytes of a PNG or SVG file."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=size, dpi=144, layout="constrained")
        FigureCanvasAgg(figure)
        paint(figure)
        return figure_bytes(figure, file_format)


def figure_bytes(figure: "Figure", file_format: str) -> bytes:
    """Return the picture as a file without a date in it: the same figure gives the same bytes."""
    picture = io.BytesIO()
    metadata = {"Date": None} if file_format == "svg" else {"Software": None}
    figure.savefig(picture, format=file_format, metadata=metadata)
    return picture.getvalue()


def set_title(axes: "Axes", expression: str) -> None:
    """Put the expression above the axes, in at most two lines."""
    axes.set_title(_figure_title(expression), fontsize=10, loc="left", family="monospace", pad=10, parse_math=False)


def shortened_label(text: str, most: int = 48) -> str:
    """Return the text as a name in a legend, its middle left out if it is long; a leading "_" would hide it there.

    >>> shortened_label("laplace(scale=1) + " * 9, 20)
    'laplace(s … scale=1)'
    """
    plain = text.strip(" +_").replace("$", "\\$")
    if len(plain) <= most:
        return plain
    kept = (most - 3) // 2
    return f"{plain[: most - 3 - kept]} … {plain[len(plain) - kept :]}"


def legend_name(expression: str) -> str:
    """Return an expression as a name in a legend: two short lines at most, so that its parameters are seen."""
    return "\n".join(textwrap.wrap(shortened_label(expression, 2 * LEGEND_LINE - 8), LEGEND_LINE))


def _figure_title(expression: str) -> str:
    lines = textwrap.wrap(expression, TITLE_LINE, break_long_words=True)
    return "\n".join(lines) if len(lines) <= 2 else f"{lines[0]}\n{lines[1][: TITLE_LINE - 2]} …"
