"""What `tightbudget curve` asks for and prints: the ε of its points, a table, CSV and a picture."""

from decimal import ROUND_CEILING, ROUND_FLOOR

import numpy as np

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import as_csv as csv_bytes
from tightbudget.interfaces.cli.tables import Column, folded, table
from tightbudget.interfaces.plot import draw
from tightbudget.interfaces.refined import refined
from tightbudget.interfaces.spaced import SHOWN_DIGITS, spaced_epsilons
from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.answers import Curve
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import rounded

__all__ = ["as_csv", "as_text", "picture", "spaced_epsilons", "widest_bracket"]

TABLE_ROWS = 11
DELTA_DIGITS = 8  # in the table


def widest_bracket(result: Curve) -> str:
    """Return where the bounds are furthest apart, in words."""
    width = (result.upper - result.lower) / np.maximum(result.upper, 5e-324)
    worst = int(np.argmax(width))
    return f"at ε = {result.epsilons[worst]:.{SHOWN_DIGITS}g} by {float(width[worst]):.2g} of the upper one"


def picture(private: Composable, result: Curve, rtol: float, effort: float | None, file_format: str) -> bytes:
    """Return the curve drawn, with more points where they would be missed."""
    return draw(refined(result, rtol, effort), str(private), file_format)


def as_csv(result: Curve) -> bytes:
    rows = zip(*_columns(result), strict=True)
    ends = ((epsilon, wire.lower_end(lower), wire.upper_end(upper)) for epsilon, lower, upper in rows)
    return csv_bytes(["epsilon", "delta_lower", "delta_upper"], ends)


def _columns(result: Curve) -> tuple[list[float], list[float], list[float]]:
    return result.epsilons.tolist(), result.lower.tolist(), result.upper.tolist()


def as_text(result: Curve) -> list[str]:
    rows = list(zip(*_columns(result), strict=True))
    shown = [rows[round(i)] for i in np.linspace(0, len(rows) - 1, min(TABLE_ROWS, len(rows)))]
    cells = [(repr(epsilon).removesuffix(".0"), _ends(lower, upper)) for epsilon, lower, upper in shown]
    heading, records = table([Column("ε"), Column(f"δ in ({result.relation})")], cells)
    lines = [*heading[:1], *(line for record in records for line in record)]
    if len(shown) < len(rows):
        lines += folded(f"({len(shown)} of {len(rows)} points; --csv or --json gives all)").split("\n")
    return lines


def _ends(lower: float, upper: float) -> str:
    """Return the bracket as text; one that is narrower than a table needs is shown wider, never narrower."""
    if not upper - lower < 10.0 ** (1 - DELTA_DIGITS) * upper:
        return str(Bracket(lower, upper))
    return f"[{_rounded(lower, ROUND_FLOOR)}, {_rounded(upper, ROUND_CEILING)}]"


def _rounded(value: float, rounding: str) -> str:
    return rounded(value, DELTA_DIGITS, rounding)
