"""Sweeps drawn: one swept parameter as lines with their bands, two as heat maps.

Brackets hold at the points. Between them lines and colours only guide the eye, so the points are marked.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter, NotationError
from tightbudget.interfaces.figures import QUIET_COLOUR, drawn_on, house_style, rendered_figure, require_matplotlib, set_title
from tightbudget.interfaces.heat_map import heat_map_of, upper_end_shown
from tightbudget.notation import Template
from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.sweeps.plan import SweepPlan
from tightbudget.sweeps.questions import CALIBRATE, Question
from tightbudget.sweeps.results import SweepResult
from tightbudget.sweeps.shown import shown_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

MOST_PANELS = 6
MARKED = 40  # points up to which each is marked
WIDE_RANGE = 30.0  # of values, from which on a log scale tells more
SIGNS = {"epsilon": "ε", "delta": "δ", "tpr": "true positive rate", "bayes_error": "Bayes error", "gdp_mu": "μ", CALIBRATE: "?"}


def swept_names(plan: SweepPlan) -> list[str]:
    """Return the parameters that have more than one value."""
    return [name for name in plan.space.names if len(plan.space.values(name)) > 1]


def check_drawable(plan: SweepPlan) -> None:
    """Refuse a plan of which no picture can be drawn, before anything is computed for it."""
    names = swept_names(plan)
    if len(names) not in (1, 2):
        allowed = "for a plan that sweeps one parameter or two"
        raise InvalidParameter("--plot", ", ".join(names) or "nothing swept", allowed, "Leave out --plot, or fix the others.")
    for name in names:
        if isinstance(plan.space.values(name)[0], str):
            raise InvalidParameter("--plot", name, "for parameters that are numbers", "Leave out --plot for this plan.")
    panels = _number_of_sweep_panels(plan)
    if panels > MOST_PANELS:
        raise InvalidParameter("--plot", f"{panels} panels", f"for at most {MOST_PANELS}", "Ask fewer questions in one plan.")


def draw_sweep(result: SweepResult, file_format: str = "png") -> bytes:
    """Return the picture of a sweep as the bytes of a PNG or SVG file."""
    check_drawable(result.plan)
    return rendered_figure(lambda figure: _paint_sweep(figure, result), _sweep_figure_size(result.plan), file_format)


def plot_sweep(result: SweepResult, ax: "Axes | None" = None) -> "Axes":
    """Draw it on the axes given, if one panel is all there is, or on new ones; return them, or the first of them."""
    check_drawable(result.plan)
    require_matplotlib()
    if ax is not None:
        if _number_of_sweep_panels(result.plan) > 1:
            hint = "Leave out ax, which gives each a panel of its own, or sweep over one question."
            raise InvalidParameter(
                "ax", ax, f"left out for this sweep, which has {_number_of_sweep_panels(result.plan)} panels", hint
            )
        return drawn_on(ax, lambda axes: _paint_one(axes, result), _sweep_figure_size(result.plan))
    from tightbudget.interfaces.axes import ShownAxes, new_figure

    with house_style():
        figure = new_figure(_sweep_figure_size(result.plan))
        _paint_sweep(figure, result, axes_class=ShownAxes)
        return figure.axes[0]


def _number_of_sweep_panels(plan: SweepPlan) -> int:
    return len(_sweep_question_groups(plan)) if len(swept_names(plan)) == 1 else len(plan.questions)


def _sweep_figure_size(plan: SweepPlan) -> tuple[float, float]:
    panels = _number_of_sweep_panels(plan)
    if len(swept_names(plan)) == 1:
        return 7.2, 1.2 + 3.4 * panels
    columns = min(panels, 2)
    return 6.4 * columns, 4.6 * -(-panels // columns) + 0.4


def _paint_sweep(figure: "Figure", result: SweepResult, **options: Any) -> None:
    (_sweep_lines if len(swept_names(result.plan)) == 1 else _heat_maps)(figure, result, options)


def _paint_one(axes: "Axes", result: SweepResult) -> None:
    names = swept_names(result.plan)
    if len(names) == 1:
        ((ask, asked),) = _sweep_question_groups(result.plan).items()
        _draw_sweep_panel(axes, result, names[0], ask, asked)
        axes.set_xlabel(names[0])
        return
    heat_map(axes, result, result.plan.questions[0], names, _sweep_colour_norms(result)[result.plan.questions[0].ask])


def _sweep_question_groups(plan: SweepPlan) -> dict[str, list[Question]]:
    """Return the questions that share an axis: those that ask for the same kind of number."""
    groups: dict[str, list[Question]] = {}
    for question in plan.questions:
        groups.setdefault(question.ask, []).append(question)
    return groups


def swept_answers(result: SweepResult, question: Question, names: Sequence[str]) -> tuple[list[Array], Array, Array]:
    """Return the values of the parameters, and the two ends, of the answers to one question.

    A number that was calibrated is shown by the end that meets the target.
    """
    asked = (result["question"] == question.ask) & (result["target"] == question.target)
    places = [np.asarray(result[name][asked], dtype=np.float64) for name in names]
    if question.ask == CALIBRATE:
        return places, result["value"][asked], result["value"][asked]
    return places, result["lower"][asked], result["upper"][asked]


def _sweep_lines(figure: "Figure", result: SweepResult, options: dict[str, Any]) -> None:
    (name,) = swept_names(result.plan)
    groups = _sweep_question_groups(result.plan)
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False, subplot_kw=options)[:, 0]
    for axes, (ask, asked) in zip(panels, groups.items(), strict=True):
        _draw_sweep_panel(axes, result, name, ask, asked)
    panels[-1].set_xlabel(name)
    set_title(panels[0], result.plan.template.text)


def _draw_sweep_panel(axes: "Axes", result: SweepResult, name: str, ask: str, asked: Sequence[Question]) -> None:
    drawn = []
    for place, question in enumerate(asked):
        (at,), lower, upper = swept_answers(result, question, [name])
        order = np.argsort(at, kind="stable")
        at, lower, upper = at[order], lower[order], upper[order]
        known = np.isfinite(lower) & np.isfinite(upper)
        colour = _sweep_line_colour(place, len(asked))
        mark = "o" if at.size <= MARKED else None
        hidden = np.where(known, upper, np.nan)
        axes.fill_between(at, np.where(known, lower, np.nan), hidden, color=colour, alpha=0.25, linewidth=0)
        axes.plot(
            at, hidden, color=colour, linewidth=1.6, marker=mark, markersize=3, label=question_label(result.plan, question)
        )
        drawn.append((lower[known], upper[known]))
        for gap in at[~known]:
            axes.axvline(gap, color=QUIET_COLOUR, linewidth=0.8, linestyle=":", alpha=0.7)
        axes.set_xscale(_sweep_axis_scale(at))
    _set_range(axes, np.concatenate([end for ends in drawn for end in ends]))
    axes.set_ylabel(_sweep_axis_sign(result.plan, ask))
    if not any(upper.size for _, upper in drawn):
        axes.text(0.5, 0.5, "no finite answer", ha="center", va="center", transform=axes.transAxes, color=QUIET_COLOUR)
    title = "certified to meet the target" if ask == CALIBRATE else _sweep_band_width(drawn)
    axes.legend(frameon=False, fontsize=9, title=title, title_fontsize=8)


def _sweep_band_width(drawn: "Sequence[tuple[Array, Array]]") -> str:
    """Return how wide the bands are: most are thinner than the lines."""
    kept = [(lower[upper > 0.0], upper[upper > 0.0]) for lower, upper in drawn]
    widths = [float(((upper - lower) / upper).max(initial=0.0)) for lower, upper in kept]
    return f"upper ends; bands at most {decimal_rounded(max(widths, default=0.0), 1, ROUND_CEILING)} wide, relatively"


def question_label(plan: SweepPlan, question: Question) -> str:
    """Return what was asked, in signs."""
    target = ", ".join(f"{SIGNS.get(name, name)} = {value:g}" for name, value in question.at)
    joint = "for" if question.ask == CALIBRATE else "at"
    sign = _sweep_axis_sign(plan, question.ask)
    return f"{sign} {joint} {target}" if target else sign


def _sweep_axis_sign(plan: SweepPlan, ask: str) -> str:
    """Return the sign of what was asked for; of a calibration, the name of what was open."""
    return _open_argument(plan) if ask == CALIBRATE else SIGNS.get(ask, ask)


def _open_argument(plan: SweepPlan) -> str:
    first = dict(zip(plan.space.names, plan.space.at(0)[1], strict=True))
    try:
        return Template.of(plan.template.filled(first), plan.mix_relations).argument
    except (InvalidParameter, NotationError):  # of this point; others may do
        return "?"


def _sweep_line_colour(place: int, of: int) -> Any:
    from matplotlib import colormaps

    return colormaps["viridis"](0.15 + 0.65 * place / max(1, of - 1))


def _sweep_axis_scale(values: Array) -> str:
    """Return the scale on which the values are spaced more evenly; two of them, by how far they are apart."""
    distinct = np.unique(values)
    if distinct.size < 2 or not (distinct > 0.0).all():
        return "linear"
    if distinct.size == 2:
        return "log" if distinct[1] >= WIDE_RANGE * distinct[0] else "linear"
    return "log" if _sweep_unevenness(np.log(distinct)) < _sweep_unevenness(distinct) else "linear"


def _sweep_unevenness(values: Array) -> float:
    steps = np.diff(values)
    return float(steps.std() / steps.mean())


def _set_range(axes: "Axes", values: Array) -> None:
    positive = values[values > 0.0]
    if positive.size and positive.size == values.size and positive.max() > WIDE_RANGE * positive.min():
        axes.set_yscale("log")
    elif values.size and values.min() >= 0.0:
        axes.set_ylim(bottom=0.0)


def _heat_maps(figure: "Figure", result: SweepResult, options: dict[str, Any]) -> None:
    names, questions, norms = swept_names(result.plan), result.plan.questions, _sweep_colour_norms(result)
    columns = min(len(questions), 2)
    panels = figure.subplots(-(-len(questions) // columns), columns, squeeze=False, subplot_kw=options)
    for axes, question in zip(panels.flat, questions, strict=False):
        heat_map(axes, result, question, names, norms[question.ask])
    for axes in panels.flat[len(questions) :]:
        axes.set_axis_off()
    figure.suptitle(result.plan.template.text, fontsize=10, family="monospace", x=0.02, ha="left")


def heat_map(axes: "Axes", result: SweepResult, question: Question, names: Sequence[str], norm: "Normalize | None") -> None:
    """Draw the answers to one question over two parameters."""
    (across, down), _, upper = swept_answers(result, question, names)
    axes.set_title(
        question_label(result.plan, question) + ("" if question.ask == CALIBRATE else ", upper ends"), fontsize=10, loc="left"
    )
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    # a number that was calibrated may be proven with all its digits and no fewer
    written = shown_value if question.ask == CALIBRATE else upper_end_shown
    scales = _sweep_axis_scale(across), _sweep_axis_scale(down)
    heat_map_of(axes, across, down, upper, norm, _sweep_axis_sign(result.plan, question.ask), scales, written)


def _sweep_colour_norms(result: SweepResult) -> "dict[str, Normalize | None]":
    """Return the scale of colours for each kind of number, so that panels compare; None if none is finite."""
    from matplotlib.colors import LogNorm, Normalize

    norms: dict[str, Normalize | None] = {}
    for ask, asked in _sweep_question_groups(result.plan).items():
        values = np.concatenate([swept_answers(result, question, [])[2] for question in asked])
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        wide = low > 0.0 and high > WIDE_RANGE * low
        norms[ask] = None if not finite.size else LogNorm(low, high) if wide else Normalize(low, high)
    return norms
