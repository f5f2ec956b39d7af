"""Budgets as pages show them: how full, how long it will last, and when what happened."""

import math
from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, NamedTuple

from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.ledger.history import Entry
from tightbudget.numerics.decimals import decimal_rounded

_SHAPES = ("committed", "reserved", "refused", "denied")
_WIDTH, _MARGIN = 600.0, 8.0


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
            "spent": _percent(self.spent, ROUND_CEILING),
            "held": _percent(self.held, ROUND_CEILING),
            "free": _percent(self.free, ROUND_FLOOR),
        }


class Dot(NamedTuple):
    """An entry on the line of time."""

    place: str
    kind: str
    says: str


def gauge_of(status: dict[str, Any]) -> Gauge:
    """Return how full a budget is, by its status as JSON."""
    limit = max(status["limits"], key=_part)
    cap, used, left = (_amount(limit[name]) for name in ("cap", "used", "left"))
    held = _amount(status["reserved"].get(limit["name"], "0"))
    part = float(held / cap) if cap and math.isfinite(cap) else 0.0
    return Gauge(
        limit["name"],
        max(0.0, min(1.0, _part(limit)) - part),
        part,
        readable_amount(used),
        readable_amount(cap, ROUND_FLOOR),
        readable_amount(left, ROUND_FLOOR),
    )


def timeline(entries: Sequence[Entry]) -> list[Dot]:
    """Return where the entries are on a line from the oldest to the newest."""
    if not entries:
        return []
    first, last = min(each.time for each in entries), max(each.time for each in entries)
    span = (last - first).total_seconds() or 1.0
    return [
        Dot(
            f"{_MARGIN + (_WIDTH - 2 * _MARGIN) * (each.time - first).total_seconds() / span:.1f}",
            each.state if each.state in _SHAPES else "other",
            f"{at_minute(each.time)}: {each.increment or each.kind} {each.state}",
        )
        for each in reversed(entries)
    ]


def at_minute(time: datetime | str) -> str:
    """Return a time as people read it, in UTC."""
    moment = datetime.fromisoformat(time) if isinstance(time, str) else time
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _amount(text: str) -> Any:
    return math.inf if text == "inf" else Fraction(text)


def _part(limit: dict[str, str]) -> float:
    cap, used = _amount(limit["cap"]), _amount(limit["used"])
    if not cap:
        return 1.0 if used else 0.0
    return 0.0 if cap == math.inf else float(used / cap)


def _percent(part: float, rounding: str) -> str:
    return decimal_rounded(100.0 * part, 3, rounding) if 0.0 < part < 1.0 else f"{100.0 * part:.0f}"
