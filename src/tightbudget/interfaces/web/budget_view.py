"""Budgets as pages show them: how full, how long it will last, and when what happened."""

import math
from collections.abc import Callable
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, NamedTuple

from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.ledger.timeline import Point, Timeline
from tightbudget.numerics.decimals import decimal_rounded


class Gauge(NamedTuple):
    """Parts of the limit that is used up most, from 0 to 1, and in words."""

    limit: str
    spent: float
    held: float
    used: str
    cap: str
    left: str

    @property
    def free(self) -> float:
        return max(0.0, 1.0 - self.spent - self.held)

    @property
    def words(self) -> dict[str, str]:
        """The parts in hundredths; what is used is rounded up, what is free is rounded down."""
        return {
            "spent": _percent_in_view(self.spent, ROUND_CEILING),
            "held": _percent_in_view(self.held, ROUND_CEILING),
            "free": _percent_in_view(self.free, ROUND_FLOOR),
        }


class Course(NamedTuple):
    """What was used of a limit over time, as lines in a square of 100 whose top is the largest limit there was."""

    limit: str
    top: str
    first: datetime
    last: datetime
    spent: str
    used: str
    cap: str
    refusals: tuple[tuple[str, str, str], ...]
    """Where to draw each, from the left and from above, and what to say of it."""


def gauge_of(status: dict[str, Any]) -> Gauge:
    """Return how full a budget is, by its status as JSON."""
    limit = max(status["limits"], key=_used_part_of_limit)
    cap, used, left = (_amount_in_view(limit[name]) for name in ("cap", "used", "left"))
    held = _amount_in_view(status["reserved"].get(limit["name"], "0"))
    part = float(held / cap) if cap and math.isfinite(cap) else 0.0
    return Gauge(
        limit["name"],
        max(0.0, min(1.0, _used_part_of_limit(limit)) - part),
        part,
        readable_amount(used),
        readable_amount(cap, ROUND_FLOOR),
        readable_amount(left, ROUND_FLOOR),
    )


def course_of(timeline: Timeline) -> Course | None:
    """Return the picture of a timeline; None if there is nothing to see yet, or no limit to draw it under."""
    points = timeline.points
    top = max(point.cap for point in points)
    times = [point.time for point in points] + [time for time, _ in timeline.refusals]
    first, last = min(times), max(times)
    if first == last or not 0.0 < top < math.inf:
        return None

    def across(time: datetime) -> float:
        return 100.0 * ((time - first) / (last - first))

    def down(amount: float) -> float:
        return 100.0 * (1.0 - min(amount / top, 1.0))

    def steps(height: Callable[[Point], float]) -> str:
        """Return a line that keeps the height of each point until the next one."""
        line = [f"M0,{down(height(points[0])):.2f}"]
        line += [f"H{across(point.time):.2f}V{down(height(point)):.2f}" for point in points[1:]]
        return "".join([*line, "H100"])

    return Course(
        timeline.limit,
        decimal_rounded(top, 4, ROUND_FLOOR),
        first,
        last,
        steps(lambda point: point.committed) + "V100H0Z",
        steps(lambda point: point.used) + "V100H0Z",
        steps(lambda point: point.cap),
        tuple(
            (f"{across(time):.2f}%", f"{down(used):.2f}%", f"{at_minute(time)}: refused") for time, used in timeline.refusals
        ),
    )


def at_minute(time: datetime | str) -> str:
    """Return a time as people read it, in UTC."""
    moment = datetime.fromisoformat(time) if isinstance(time, str) else time
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _amount_in_view(text: str) -> Any:
    return math.inf if text == "inf" else Fraction(text)


def _used_part_of_limit(limit: dict[str, str]) -> float:
    cap, used = _amount_in_view(limit["cap"]), _amount_in_view(limit["used"])
    if not cap:
        return 1.0 if used else 0.0
    return 0.0 if cap == math.inf else float(used / cap)


def _percent_in_view(part: float, rounding: str) -> str:
    return decimal_rounded(100.0 * part, 3, rounding) if 0.0 < part < 1.0 else f"{100.0 * part:.0f}"
