"""A budget over time: what was committed, what was reserved above it, the cap, and marks where steps were refused."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tightbudget.interfaces.figures import (
    BAND_COLOUR,
    DASHED,
    LOWER_COLOUR,
    UPPER_COLOUR,
    drawn_on,
    is_dark,
    legend_below,
    legend_inside,
    rendered_figure,
    set_title,
    whole_figure,
)
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.timeline import Timeline, timeline_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = (8.0, 4.6)
_REFUSED_COLOUR = "#c0392b"
_MARGIN = 0.03  # of the time shown, after the last entry


def draw_budget(budget: Budget, file_format: str = "png") -> bytes:
    """Return the picture as the bytes of a PNG or SVG file."""

    def paint(figure: "Figure") -> None:
        _paint_whole(figure.subplots(), budget)

    return rendered_figure(paint, _SIZE, file_format)


def plot_budget(budget: Budget, ax: "Axes | None" = None) -> "Axes":
    """Draw it on the axes given, or on new ones; return them."""

    def paint(axes: "Axes") -> None:
        if ax is None:
            _paint_whole(axes, budget)
            return
        _draw_budget_course(axes, timeline_of(budget))
        legend_inside(axes, loc="best", frameon=True, framealpha=0.7, edgecolor="none")

    return drawn_on(ax, paint, _SIZE)


def _paint_whole(axes: "Axes", budget: Budget) -> None:
    course, terms = timeline_of(budget), budget.terms
    _draw_budget_course(axes, course)
    promise = f"({terms.epsilon}, {terms.delta}) for one {terms.unit}, {terms.filter['kind']} filter"
    set_title(axes, f"{terms.name}: {promise}")
    legend_below(whole_figure(axes))


def _draw_budget_course(axes: "Axes", course: Timeline) -> None:
    first, last = course.points[0].time, course.points[-1].time
    end = last + max(_MARGIN * (last - first), timedelta(seconds=1))
    times: Any = [*(point.time for point in course.points), end]
    committed, used, cap = (
        [getattr(point, name) for point in (*course.points, course.points[-1])] for name in ("committed", "used", "cap")
    )
    line = "#aed6f1" if is_dark(axes) else UPPER_COLOUR
    axes.fill_between(times, committed, step="post", color=BAND_COLOUR, alpha=0.55, linewidth=0, label="committed")
    if committed != used:
        axes.fill_between(times, committed, used, step="post", color=LOWER_COLOUR, alpha=0.55, linewidth=0, label="reserved")
    axes.step(times, used, where="post", color=line, linewidth=1.4, label="used")
    axes.step(times, cap, where="post", color=line, linestyle=DASHED, linewidth=1.2, label=f"cap, {cap[-1]:.4g}")
    if course.refusals:
        when, how = zip(*course.refusals, strict=True)
        many = "1 step refused" if len(when) == 1 else f"{len(when)} steps refused"
        axes.plot(when, how, linestyle="none", marker="x", color=_REFUSED_COLOUR, label=many, zorder=4, clip_on=False)
    if course.closed is not None:
        axes.axvline(_matplotlib_dates().date2num(course.closed), color=_REFUSED_COLOUR, linewidth=1.0, label="closed")
    axes.set_ylabel(course.limit)
    axes.set_ylim(0.0, 1.08 * max(*cap, *used, 1e-300))
    locator = _matplotlib_dates().AutoDateLocator(minticks=3, maxticks=8)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(_matplotlib_dates().ConciseDateFormatter(locator))
    axes.set_xlabel("time (UTC)")


def _matplotlib_dates() -> Any:
    from matplotlib import dates

    return dates
