"""A number over two parameters: few values as a table in colours, many as a map with contours."""

import math
from decimal import ROUND_CEILING
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.sweeps.shown import shown_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

Array = NDArray[np.float64]

FEW = 8
"""Values of a parameter up to which each has a cell of its own size and its number in it."""

_DIGITS = 3
_PLAIN = 1e-3, 1e5  # numbers that are read more easily without powers of ten
_NOTHING = "#d5d8dc"  # colour of cells without a finite number


def heat_map_of(
    axes: "Axes",
    across: Array,
    down: Array,
    values: Array,
    norm: "Normalize | None",
    sign: str,
    scales: tuple[str, str],
    written: "Callable[[float], str]",
) -> None:
    """Draw values at the places (across, down) in the colours of the norm; without one nothing is finite."""
    columns, rows = np.unique(across), np.unique(down)
    grid = np.full((rows.size, columns.size), np.nan)
    grid[np.searchsorted(rows, down), np.searchsorted(columns, across)] = values
    axes.set_facecolor(_NOTHING)
    axes.grid(False)
    few = max(grid.shape) <= FEW
    if few:
        edges = np.arange(columns.size + 1) - 0.5, np.arange(rows.size + 1) - 0.5
        axes.set_xticks(np.arange(columns.size), [shown_value(value) for value in columns])
        axes.set_yticks(np.arange(rows.size), [shown_value(value) for value in rows])
    else:
        axes.set_xscale(scales[0])
        axes.set_yscale(scales[1])
        edges = _heat_map_edges(columns, scales[0]), _heat_map_edges(rows, scales[1])
    axes.set_xlim(edges[0][0], edges[0][-1])
    axes.set_ylim(edges[1][0], edges[1][-1])
    shown = np.ma.masked_invalid(grid)
    if norm is not None and shown.count():
        colours = axes.pcolormesh(*edges, shown, norm=norm, cmap="viridis_r", shading="flat", linewidth=0, rasterized=True)
        bar = axes.figure.colorbar(colours, ax=axes, pad=0.02, label=sign)
        if _PLAIN[0] <= shown.min() and shown.max() <= _PLAIN[1] and bar.ax.get_yscale() == "log":
            bar.ax.yaxis.set_major_formatter(_plain_log_ticks())
            bar.ax.yaxis.set_minor_formatter(_plain_log_ticks())
    if few:
        _write_heat_map_numbers(axes, grid, norm, written)
    elif not shown.count():
        said = f"no finite {sign}" if np.isinf(grid).any() else "no answer"
        axes.text(0.5, 0.5, said, ha="center", va="center", transform=axes.transAxes)
    elif min(grid.shape) >= 3:
        _draw_heat_map_contours(axes, columns, rows, shown)


def upper_end_shown(value: float) -> str:
    """Return an upper end in a few digits."""
    return decimal_rounded(value, _DIGITS, ROUND_CEILING)


def _plain_log_ticks() -> Any:
    """Return a formatter that labels the ticks that a logarithmic axis labels, with 0.6 in place of 6×10⁻¹."""
    from matplotlib.ticker import LogFormatterSciNotation

    class PlainLogFormatter(LogFormatterSciNotation):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    return PlainLogFormatter()


def _write_heat_map_numbers(axes: "Axes", grid: Array, norm: "Normalize | None", written: "Callable[[float], str]") -> None:
    for (row, column), value in np.ndenumerate(grid):
        dark = norm is not None and math.isfinite(value) and float(norm(value)) > 0.5
        text = "–" if math.isnan(value) else "∞" if math.isinf(value) else written(float(value))
        axes.text(column, row, text, ha="center", va="center", fontsize=9, color="white" if dark else "black")


def _draw_heat_map_contours(axes: "Axes", across: Array, down: Array, shown: Any) -> None:
    from matplotlib.patheffects import withStroke
    from matplotlib.ticker import LogLocator, MaxNLocator

    low, high = float(shown.min()), float(shown.max())
    if not high > low:
        return
    logarithmic = low > 0.0 and high > 30.0 * low
    locator: Any = LogLocator(subs=(1.0, 2.0, 5.0), numticks=12) if logarithmic else MaxNLocator(8)
    levels = [level for level in locator.tick_values(low, high) if low < level < high]
    if not levels:
        return
    drawn, heights = (np.ma.log(shown), np.log(levels)) if logarithmic else (shown, np.array(levels))
    lines = axes.contour(across, down, drawn, levels=heights, colors="black", linewidths=0.9, linestyles="solid")
    names = {height: f"{level:.10g}" for height, level in zip(lines.levels, levels, strict=True)}
    for text in axes.clabel(lines, fmt=names, fontsize=8):
        text.set_path_effects([withStroke(linewidth=2.4, foreground="white")])


def _heat_map_edges(values: Array, scale: str) -> Array:
    """Return where cells round the values begin and end, half-way between neighbours; none goes below 0 by itself."""
    at = np.log(values) if scale == "log" else values
    inner = (at[1:] + at[:-1]) / 2.0
    edges = np.concatenate([[at[0] - (inner[0] - at[0])], inner, [at[-1] + (at[-1] - inner[-1])]])
    if scale == "log":
        return np.asarray(np.exp(edges))
    return np.maximum(edges, 0.0) if values[0] >= 0.0 else edges
