"""What `tightbudget curve` asks for and prints: the ε of its points, a table, CSV and a picture."""

from decimal import ROUND_CEILING, ROUND_FLOOR

import numpy as np

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import rows_as_csv as csv_bytes
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text
from tightbudget.interfaces.plot import draw_curve
from tightbudget.interfaces.refined import refined_curve
from tightbudget.interfaces.spaced import SHOWN_DIGITS, spaced_epsilons
from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.answers import Curve
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import decimal_rounded

__all__ = ["curve_as_csv", "curve_as_text", "curve_picture", "spaced_epsilons", "widest_bracket"]

TABLE_ROWS = 11
DELTA_DIGITS = 8  # in the table


def widest_bracket(result: Curve) -> str:
    """Return where the bounds are furthest apart, in words."""
    width = (result.upper - result.lower) / np.maximum(result.upper, 5e-324)
    worst = int(np.argmax(width))
    return f"at ε = {result.epsilons[worst]:.{SHOWN_DIGITS}g} by {float(width[worst]):.2g} of the upper one"


def curve_picture(private: Composable, result: Curve, rtol: float, effort: float | None, file_format: str) -> bytes:
    """Return the curve drawn, with more points where they would be missed."""
    return draw_curve(refined_curve(result, rtol, effort), str(private), file_format)


def curve_as_csv(result: Curve) -> bytes:
    rows = zip(*_curve_columns(result), strict=True)
    ends = ((epsilon, wire.lower_end(lower), wire.upper_end(upper)) for epsilon, lower, upper in rows)
    return csv_bytes(["epsilon", "delta_lower", "delta_upper"], ends)


def _curve_columns(result: Curve) -> tuple[list[float], list[float], list[float]]:
    return result.epsilons.tolist(), result.lower.tolist(), result.upper.tolist()


def curve_as_text(result: Curve) -> list[str]:
    rows = list(zip(*_curve_columns(result), strict=True))
    shown = [rows[round(i)] for i in np.linspace(0, len(rows) - 1, min(TABLE_ROWS, len(rows)))]
    cells = [(repr(epsilon).removesuffix(".0"), _curve_ends(lower, upper)) for epsilon, lower, upper in shown]
    heading, records = fitted_table([Column("ε"), Column(f"δ in ({result.relation})")], cells)
    lines = [*heading[:1], *(line for record in records for line in record)]
    if len(shown) < len(rows):
        lines += folded_text(f"({len(shown)} of {len(rows)} points; --csv or --json gives all)").split("\n")
    return lines


def _curve_ends(lower: float, upper: float) -> str:
    """Return the bracket as text; one that is narrower than a table needs is shown wider, never narrower."""
    if not upper - lower < 10.0 ** (1 - DELTA_DIGITS) * upper:
        return str(Bracket(lower, upper))
    return f"[{_rounded_curve_delta(lower, ROUND_FLOOR)}, {_rounded_curve_delta(upper, ROUND_CEILING)}]"


def _rounded_curve_delta(value: float, rounding: str) -> str:
    return decimal_rounded(value, DELTA_DIGITS, rounding)
