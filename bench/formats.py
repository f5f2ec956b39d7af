"""Measurements in words: times, memory, brackets and verdicts."""

import decimal
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cases import DP_ACCOUNTING, OURS

if TYPE_CHECKING:
    from run import Measurement


def seconds(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}g}"


def outward(value: float | None, rounding: str, digits: int = 8) -> str:
    """A bound with `digits` digits, rounded so that what is printed is still a bound."""
    if value is None or not math.isfinite(value):
        return number(value)
    return f"{decimal.Context(prec=digits, rounding=rounding).create_decimal_from_float(value):g}"


def bracket(m: "Measurement") -> str:
    return f"[{outward(m.lower, decimal.ROUND_FLOOR)}, {outward(m.upper, decimal.ROUND_CEILING)}]"


def signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.1e}"


def megabytes(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.0f} MB"


def times(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}x"


def setting(m: "Measurement") -> str:
    name = {OURS: "rtol", DP_ACCOUNTING: "step"}.get(m.tool, "eps_error")
    return f"{name} {m.setting:.2g}"


def verdict(m: "Measurement") -> str:
    if m.failure:
        return m.failure[:70]
    if math.isnan(m.error):
        return ""
    if not m.sound:
        return "**BELOW THE TRUTH**"
    if m.lower is not None and m.lower > m.truth * (1 + 1e-12):
        return "**LOWER END ABOVE THE TRUTH**"
    return "sound" if math.isfinite(m.upper) or math.isinf(m.truth) else "sound, no answer"


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan
