"""Odometers drawn: running bounds over paths of realised losses, and the separation of Theorem 6.1."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.interfaces.figures import QUIET_COLOUR, figure_bytes, house_style, require_matplotlib
from tightbudget.research.games import players
from tightbudget.research.games.exceeds import TIE
from tightbudget.research.games.separation import Separation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1b4f72", "#148f77", "#7d3c98", "#b9770e", "#5d6d7e", "#2e86c1", "#17202a", "#6e2c00")
UNSOUND_COLOURS, PATH_COLOUR = ("#c0392b", "#e67e22"), "#aeb6bf"
# Lines that lie on each other are still seen where their dashes differ.
DASHES: tuple[Any, ...] = (
    "solid", (0, (9, 2)), (0, (9, 2, 2, 2)), (0, (6, 1.5)), (0, (4, 1, 1, 1)), (0, (9, 2, 2, 2, 2, 2)), (0, (12, 3)),
    (0, (7, 4)),
)  # fmt: skip
UNSOUND_DASHES: tuple[Any, ...] = ((0, (4, 2)), (0, (1.5, 1.5)))
FEW_ROUNDS = 30  # too few for a scale of powers of ten
POINTS_DRAWN = 1500  # a line needs no more; the file stays small

Bounds = Mapping[str, NDArray[np.float64]]


def draw_paths(
    losses: NDArray[np.float64],
    bounds: Bounds,
    unsound: set[str],
    epsilon: float,
    title: str,
    file_format: str = "png",
    runs: int | None = None,
) -> bytes:
    """Return the picture of realised losses (runs, rounds + 1) under running bounds, each of rounds + 1 numbers.

    On the left as they are; on the right in units of sqrt(V) above the mean and over the logarithm of time, where early
    rounds are seen too. Where a run first goes above a bound there is a mark in the colour of the bound; after an
    unsound one, where the adversary would stop, the run goes on faintly. `runs` is how many were played, if not all are
    drawn.
    """
    with _odometer_figure(title, (10.4, 4.8)) as figure:
        left, right = figure.subplots(1, 2)
        times = np.arange(losses.shape[1])
        mean, root = times * epsilon * np.tanh(epsilon / 2.0), np.maximum(epsilon * np.sqrt(times), 1e-300)
        marks = _odometer_crossings(losses, bounds)
        stops = [
            min((marks[name][run] for name in unsound & set(bounds) if run in marks[name]), default=None)
            for run in range(len(losses))
        ]
        _draw_runs(left, losses, stops, marks, bounds, unsound, np.linspace)
        scaled = {name: (bound - mean) / root for name, bound in bounds.items()}
        _draw_runs(right, (losses - mean) / root, stops, marks, scaled, unsound, np.geomspace)
        left.set_ylabel("privacy loss")
        left.set_ylim(*_odometer_window(losses, bounds))
        right.set_ylabel("(loss − mean loss) / √V")
        right.set_ylim(-4.0, 6.0)
        _scale_rounds(left, losses.shape[1] - 1, "linear")
        _scale_rounds(right, losses.shape[1] - 1, "log")
        drawn = f"{len(losses)} of {runs} runs drawn" if runs is not None and runs > len(losses) else f"{len(losses)} runs"
        left.plot([], [], color=PATH_COLOUR, linewidth=1.2, label=f"realised losses, {drawn}")
        _legend_below(figure, left)
        return figure_bytes(figure, file_format)


def _draw_runs(
    axes: "Axes",
    losses: NDArray[np.float64],
    stops: Sequence[int | None],
    marks: Mapping[str, Mapping[int, int]],
    bounds: Bounds,
    unsound: set[str],
    spaced: Callable[..., NDArray[np.float64]],
) -> None:
    rounds = losses.shape[1] - 1
    shown = _rounds_to_draw(rounds, spaced)
    for path, stop in zip(losses, stops, strict=True):
        faint = 0.7 if stop is None else 0.3
        axes.plot(shown, path[shown], color=PATH_COLOUR, linewidth=0.5, alpha=faint, zorder=2)
        if stop is not None:
            before = _rounds_to_draw(stop, spaced)
            axes.plot(before, path[before], color=UNSOUND_COLOURS[0], linewidth=0.8, alpha=0.7, zorder=3)
    for name, (colour, style) in _odometer_styles(bounds, unsound).items():
        label = f"{_odometer_label(name, unsound)}, {len(marks[name])} above"
        axes.plot(shown, bounds[name][shown], color=colour, linewidth=2.0, linestyle=style, label=label, zorder=4)
        for run, first in marks[name].items():
            axes.plot(first, losses[run, first], marker="o", markersize=4, color=colour, markeredgecolor="white", zorder=5)
    axes.set_xlabel("rounds")


def draw_separation(result: Separation, unsound: set[str], file_format: str = "png") -> bytes:
    """Return the picture of how often each bound has failed by round t, and how wide each is."""
    title = f"pure_dp(epsilon={result.epsilon:g}) in every round, stop when ahead, δ = {result.delta:g}"
    with _odometer_figure(title, (10.4, 4.9)) as figure:
        left, right = figure.subplots(1, 2)
        _draw_over_time(left, result.failing, unsound)
        left.axhline(result.delta, color=QUIET_COLOUR, linewidth=1.0, linestyle=(0, (4, 3)))
        left.text(1.2, result.delta * 1.02, "promised δ", color=QUIET_COLOUR, fontsize=9, va="bottom")
        left.set_ylim(bottom=0.0)
        left.set_ylabel("Pr[loss was above the bound by then]")
        _draw_over_time(right, result.widths, unsound)
        right.plot(result.needed_rounds, result.needed, "k^", markersize=5, label="least constant width that is right so long")
        lowest = min(float(width.min()) for width in result.widths.values())
        right.set_ylim(min(lowest, 1.5) - 0.1, 8.0)
        right.set_ylabel("width: (bound − mean loss) / √V")
        _legend_below(figure, right)
        return figure_bytes(figure, file_format)


def _draw_over_time(axes: "Axes", lines: Bounds, unsound: set[str]) -> None:
    for name, (colour, style) in _odometer_styles(lines, unsound).items():
        rounds = _rounds_to_draw(lines[name].size, np.geomspace)
        axes.plot(
            rounds, lines[name][rounds - 1], color=colour, linewidth=1.8, linestyle=style, label=_odometer_label(name, unsound)
        )
    _scale_rounds(axes, max(values.size for values in lines.values()), "log")
    axes.set_xlabel("rounds")


def _scale_rounds(axes: "Axes", rounds: int, scale: str) -> None:
    """Give the rounds their axis; few of them are counted in ones."""
    from matplotlib.ticker import MaxNLocator

    if scale == "log" and rounds > FEW_ROUNDS:
        axes.set_xscale("log")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
    if rounds == 1:
        axes.set_xlim(0.5, 1.5)


def _legend_below(figure: "Figure", axes: "Axes") -> None:
    """Put the legend below the axes, in as many columns as are not wider than the picture."""
    handles, labels = axes.get_legend_handles_labels()
    for columns in range(min(5, len(labels)), 0, -1):
        legend = figure.legend(
            handles, labels, frameon=False, fontsize=9, loc="outside lower center", ncols=columns, handlelength=4
        )
        figure.draw_without_rendering()
        if legend.get_window_extent().width <= figure.bbox.width or columns == 1:
            return
        legend.remove()


class _odometer_figure:
    """A figure in the style of the package, for as long as it is drawn."""

    def __init__(self, title: str, size: tuple[float, float]) -> None:
        require_matplotlib()
        self._title, self._size, self._style = title, size, house_style()

    def __enter__(self) -> "Figure":
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._style.__enter__()
        figure = Figure(figsize=self._size, dpi=144, layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(self._title, fontsize=10, x=0.01, ha="left", family="monospace", parse_math=False)
        return figure

    def __exit__(self, *problem: object) -> None:
        self._style.__exit__(None, None, None)


def _odometer_styles(bounds: Bounds, unsound: set[str]) -> dict[str, tuple[str, Any]]:
    """Return colour and dashes for each name: those that are shipped look the same in every picture."""
    known = list(players.every_odometer())
    names = [*known, *(name for name in bounds if name not in known)]
    sound, others = ([name for name in names if (name in unsound) is kind] for kind in (False, True))
    styles = {name: (COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]) for i, name in enumerate(sound)}
    for i, name in enumerate(others):
        styles[name] = (UNSOUND_COLOURS[i % len(UNSOUND_COLOURS)], UNSOUND_DASHES[i % len(UNSOUND_DASHES)])
    return {name: styles[name] for name in bounds}


def _odometer_label(name: str, unsound: set[str]) -> str:
    return f"{name} (UNSOUND)" if name in unsound else name


def _rounds_to_draw(rounds: int, spaced: Callable[..., NDArray[np.float64]]) -> NDArray[np.intp]:
    """Return the rounds to draw, from 1 to the last."""
    if rounds <= POINTS_DRAWN:
        return np.arange(1, rounds + 1)
    return np.unique(np.append(spaced(1, rounds, min(rounds, POINTS_DRAWN)).astype(np.intp), rounds))


def _odometer_crossings(losses: NDArray[np.float64], bounds: Bounds) -> dict[str, dict[int, int]]:
    """Return, for each bound, the runs that ever go above it with the round where each first does."""
    crossings: dict[str, dict[int, int]] = {}
    for name, bound in bounds.items():
        above = losses[:, 1:] > bound[1:] * (1.0 + TIE)
        crossings[name] = {int(run): int(above[run].argmax()) + 1 for run in np.flatnonzero(above.any(axis=1))}
    return crossings


def _odometer_window(losses: NDArray[np.float64], bounds: Bounds) -> tuple[float, float]:
    """Show all losses and the bounds that are not far above them."""
    finite = losses[np.isfinite(losses)]
    tops = [float(bound[np.isfinite(bound)].max(initial=0.0)) for bound in bounds.values()]
    top = max(float(finite.max()), min(tops))
    low = min(0.0, float(finite.min()))
    return low - 0.03 * (top - low), top + 0.25 * (top - low)
