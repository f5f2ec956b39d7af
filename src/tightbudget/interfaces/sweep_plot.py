"""Sweeps drawn: one swept parameter as lines with their bands, two as heat maps with contours.

Brackets hold at the points. Between them lines and colours only guide the eye, so the points are marked.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.figures import QUIET_COLOUR, rendered, set_title
from tightbudget.numerics.decimals import rounded
from tightbudget.sweeps.plan import Plan
from tightbudget.sweeps.questions import CALIBRATE, Question
from tightbudget.sweeps.results import SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

MOST_PANELS = 6
MARKED = 40  # points up to which each is marked
WIDE_RANGE = 30.0  # of values, from which on a log scale tells more
SIGNS = {"epsilon": "ε", "delta": "δ", "tpr": "true positive rate", "bayes_error": "Bayes error", "gdp_mu": "μ", CALIBRATE: "?"}


def swept(plan: Plan) -> list[str]:
    """Return the parameters that have more than one value."""
    return [name for name in plan.space.names if len(plan.space.values(name)) > 1]


def check_drawable(plan: Plan) -> None:
    """Refuse a plan of which no picture can be drawn, before anything is computed for it."""
    names = swept(plan)
    if len(names) not in (1, 2):
        allowed = "for a plan that sweeps one parameter or two"
        raise InvalidParameter("--plot", ", ".join(names) or "nothing swept", allowed, "Leave out --plot, or fix the others.")
    for name in names:
        if isinstance(plan.space.values(name)[0], str):
            raise InvalidParameter("--plot", name, "for parameters that are numbers", "Leave out --plot for this plan.")
    panels = len(_groups(plan)) if len(names) == 1 else len(plan.questions)
    if panels > MOST_PANELS:
        raise InvalidParameter("--plot", f"{panels} panels", f"for at most {MOST_PANELS}", "Ask fewer questions in one plan.")


def draw(result: SweepResult, file_format: str = "png") -> bytes:
    """Return the picture of a sweep as the bytes of a PNG or SVG file."""
    check_drawable(result.plan)
    return _lines(result, file_format) if len(swept(result.plan)) == 1 else _heat_maps(result, file_format)


def _groups(plan: Plan) -> dict[str, list[Question]]:
    """Return the questions that share an axis: those that ask for the same kind of number."""
    groups: dict[str, list[Question]] = {}
    for question in plan.questions:
        groups.setdefault(question.ask, []).append(question)
    return groups


def _answers(result: SweepResult, question: Question, names: Sequence[str]) -> tuple[list[Array], Array, Array]:
    """Return the values of the parameters, and the two ends, of the answers to one question.

    A number that was calibrated is shown by the end that meets the target.
    """
    asked = (result["question"] == question.ask) & (result["target"] == question.target)
    places = [np.asarray(result[name][asked], dtype=np.float64) for name in names]
    if question.ask == CALIBRATE:
        return places, result["value"][asked], result["value"][asked]
    return places, result["lower"][asked], result["upper"][asked]


def _lines(result: SweepResult, file_format: str) -> bytes:
    (name,) = swept(result.plan)
    groups = _groups(result.plan)

    def paint(figure: "Figure") -> None:
        panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (ask, asked) in zip(panels, groups.items(), strict=True):
            _panel(axes, result, name, ask, asked)
        panels[-1].set_xlabel(name)
        set_title(panels[0], result.plan.template.text)

    return rendered(paint, (7.2, 1.2 + 3.4 * len(groups)), file_format)


def _panel(axes: "Axes", result: SweepResult, name: str, ask: str, asked: Sequence[Question]) -> None:
    drawn = []
    for place, question in enumerate(asked):
        (at,), lower, upper = _answers(result, question, [name])
        order = np.argsort(at, kind="stable")
        at, lower, upper = at[order], lower[order], upper[order]
        known = np.isfinite(lower) & np.isfinite(upper)
        colour = _colour(place, len(asked))
        mark = "o" if at.size <= MARKED else None
        hidden = np.where(known, upper, np.nan)
        axes.fill_between(at, np.where(known, lower, np.nan), hidden, color=colour, alpha=0.25, linewidth=0)
        axes.plot(at, hidden, color=colour, linewidth=1.6, marker=mark, markersize=3, label=_label(question))
        drawn.append((lower[known], upper[known]))
        for gap in at[~known]:
            axes.axvline(gap, color=QUIET_COLOUR, linewidth=0.8, linestyle=":", alpha=0.7)
        axes.set_xscale(_scale(at))
    _set_range(axes, np.concatenate([end for ends in drawn for end in ends]))
    axes.set_ylabel(SIGNS.get(ask, ask))
    title = "certified to meet the target" if ask == CALIBRATE else _width(drawn)
    axes.legend(frameon=False, fontsize=9, title=title, title_fontsize=8)


def _width(drawn: "Sequence[tuple[Array, Array]]") -> str:
    """Return how wide the bands are: most are thinner than the lines."""
    kept = [(lower[upper > 0.0], upper[upper > 0.0]) for lower, upper in drawn]
    widths = [float(((upper - lower) / upper).max(initial=0.0)) for lower, upper in kept]
    return f"upper ends; bands at most {rounded(max(widths, default=0.0), 1, ROUND_CEILING)} wide, relatively"


def _label(question: Question) -> str:
    sign = SIGNS.get(question.ask, question.ask)
    target = ", ".join(f"{SIGNS.get(name, name)} = {value:g}" for name, value in question.at)
    return f"{sign} at {target}" if target else sign


def _colour(place: int, of: int) -> Any:
    from matplotlib import colormaps

    return colormaps["viridis"](0.15 + 0.65 * place / max(1, of - 1))


def _scale(values: Array) -> str:
    """Return the scale on which the values are spaced more evenly."""
    distinct = np.unique(values)
    if distinct.size < 3 or not (distinct > 0.0).all():
        return "linear"
    return "log" if _unevenness(np.log(distinct)) < _unevenness(distinct) else "linear"


def _unevenness(values: Array) -> float:
    steps = np.diff(values)
    return float(steps.std() / steps.mean())


def _set_range(axes: "Axes", values: Array) -> None:
    positive = values[values > 0.0]
    if positive.size and positive.size == values.size and positive.max() > WIDE_RANGE * positive.min():
        axes.set_yscale("log")
    elif values.size and values.min() >= 0.0:
        axes.set_ylim(bottom=0.0)


def _heat_maps(result: SweepResult, file_format: str) -> bytes:
    names = swept(result.plan)
    questions = result.plan.questions
    columns = min(len(questions), 2)
    rows = -(-len(questions) // columns)

    def paint(figure: "Figure") -> None:
        panels = figure.subplots(rows, columns, squeeze=False)
        for axes, question in zip(panels.flat, questions, strict=False):
            _heat_map(figure, axes, result, question, names)
        for axes in panels.flat[len(questions) :]:
            axes.set_axis_off()
        figure.suptitle(result.plan.template.text, fontsize=10, family="monospace", x=0.02, ha="left")

    return rendered(paint, (6.4 * columns, 4.6 * rows + 0.4), file_format)


def _heat_map(figure: "Figure", axes: "Axes", result: SweepResult, question: Question, names: Sequence[str]) -> None:
    from matplotlib.colors import LogNorm, Normalize

    places, _, upper = _answers(result, question, names)
    across, down = (np.unique(values) for values in places)
    grid = np.full((down.size, across.size), np.nan)
    grid[np.searchsorted(down, places[1]), np.searchsorted(across, places[0])] = upper
    shown = np.ma.masked_invalid(grid)
    axes.set_title(_label(question) + ("" if question.ask == CALIBRATE else ", upper ends"), fontsize=10, loc="left")
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_facecolor("#d5d8dc")  # where there is no answer
    axes.grid(False)
    scales = _scale(across), _scale(down)
    axes.set_xscale(scales[0])
    axes.set_yscale(scales[1])
    if not shown.count():
        return
    low, high = float(shown.min()), float(shown.max())
    logarithmic = low > 0.0 and high > WIDE_RANGE * low
    norm = LogNorm(low, high) if logarithmic and high > low else Normalize(low, high)
    edges = (_edges(values, scale) for values, scale in zip((across, down), scales, strict=True))
    colours = axes.pcolormesh(*edges, shown, norm=norm, cmap="viridis_r", shading="flat", linewidth=0, rasterized=True)
    figure.colorbar(colours, ax=axes, pad=0.02, label=SIGNS.get(question.ask, question.ask))
    if min(grid.shape) >= 3 and high > low:
        _contours(axes, across, down, shown, logarithmic)


def _contours(axes: "Axes", across: Array, down: Array, shown: Any, logarithmic: bool) -> None:
    from matplotlib.patheffects import withStroke
    from matplotlib.ticker import LogLocator, MaxNLocator

    low, high = float(shown.min()), float(shown.max())
    locator: Any = LogLocator(subs=(1.0, 2.0, 5.0), numticks=12) if logarithmic else MaxNLocator(8)
    levels = [level for level in locator.tick_values(low, high) if low < level < high]
    if not levels:
        return
    drawn, heights = (np.ma.log(shown), np.log(levels)) if logarithmic else (shown, np.array(levels))
    lines = axes.contour(across, down, drawn, levels=heights, colors="black", linewidths=0.9, linestyles="solid")
    names = {height: f"{level:.10g}" for height, level in zip(lines.levels, levels, strict=True)}
    for text in axes.clabel(lines, fmt=names, fontsize=8):
        text.set_path_effects([withStroke(linewidth=2.4, foreground="white")])


def _edges(values: Array, scale: str) -> Array:
    """Return where cells round the values begin and end, half-way between neighbours."""
    if values.size == 1:
        return np.array([values[0] * 0.9, values[0] * 1.1])
    at = np.log(values) if scale == "log" else values
    inner = (at[1:] + at[:-1]) / 2.0
    edges = np.concatenate([[at[0] - (inner[0] - at[0])], inner, [at[-1] + (at[-1] - inner[-1])]])
    return np.exp(edges) if scale == "log" else edges
