"""Axes that a notebook shows as a picture, on a figure of their own.

pyplot does not know the figure: nothing global is changed, nothing has to be closed, and it is gone with its axes.
"""

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tightbudget.interfaces.figures import figure_bytes, whole_figure


class ShownAxes(Axes):
    """Axes that are shown where they end a cell."""

    def _repr_png_(self) -> bytes:
        return figure_bytes(whole_figure(self), "png")


def new_axes(size: tuple[float, float]) -> Axes:
    """Return axes on a figure of so many inches."""
    return new_figure(size).add_subplot(axes_class=ShownAxes)


def new_figure(size: tuple[float, float]) -> Figure:
    """Return a figure of so many inches that nothing else knows of."""
    figure = Figure(figsize=size, dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    return figure
