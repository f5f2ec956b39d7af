"""`tightbudget curve`: δ as a function of ε, as a table, CSV, JSON or picture."""

import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from tightbudget.comparison import class_note
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import plot as picture
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import STANDARD_OUTPUT, as_csv, check_targets, written
from tightbudget.interfaces.cli.options import Csv, Expression, Json, MixRelations, Rtol, number, whole
from tightbudget.interfaces.cli.questions import NOT_NARROW_ENOUGH, say
from tightbudget.interfaces.cli.tables import Column, folded, table
from tightbudget.interfaces.cli.terminal import patiently, show
from tightbudget.mechanisms.base import Curve
from tightbudget.notation import Private, parse
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import rounded

MAX_POINTS = 100_000
TABLE_ROWS = 11
SHOWN_DIGITS, DELTA_DIGITS = 6, 8  # of ε and δ in the table
# The default range ends where δ falls below the first of these that it ever reaches.
SMALL_DELTAS = (1e-10, 1e-6, 1e-3, 1e-1)


def curve(
    expression: Expression,
    low: Annotated[float, typer.Option("--min", help="First ε.", parser=number, metavar="E")] = 0.0,
    high: Annotated[
        float | None, typer.Option("--max", help="Last ε.", parser=number, metavar="E", show_default="where δ is 1e-10")
    ] = None,
    points: Annotated[int, typer.Option(help="Number of ε, evenly spaced.", parser=whole, metavar="N")] = 101,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve to this .png or .svg file.", metavar="FILE")] = None,
    csv_file: Csv = None,
    rtol: Rtol = 1e-3,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print δ(ε), upper and lower bound, over a range of ε.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget curve "gaussian(sigma=20) * 512" --max 8 --plot curve.png
    """
    private = parse(expression, mix_relations)
    _check(low, high, points)
    check_targets(plot, csv_file, as_json)
    result = patiently(lambda: private.curve(_epsilons(private, low, high, points), rtol=rtol), "drawing δ(ε)")
    files: dict[Path, bytes] = {}
    if plot is not None:
        files[plot] = picture.draw(result, str(private), plot.suffix[1:].lower())
    if csv_file is not None:
        files[csv_file] = _as_csv(result)
    done = written(files)
    note = class_note(private)
    if as_json:
        show(wire.dumps(wire.curve(str(private), result, note)))
    elif csv_file == STANDARD_OUTPUT:
        show(files[csv_file].decode().rstrip("\n"))
    else:
        show("\n".join([*_as_text(result), *done]))
    say(note)
    if result.converged:
        return 0
    print(f"Note: the bounds hold, but some are further apart than asked: {_widest(result)}.", file=sys.stderr)
    return NOT_NARROW_ENOUGH


def _widest(result: Curve) -> str:
    """Return where the bounds are furthest apart, in words."""
    width = (result.upper - result.lower) / np.maximum(result.upper, 5e-324)
    worst = int(np.argmax(width))
    return f"at ε = {result.epsilons[worst]:.{SHOWN_DIGITS}g} by {float(width[worst]):.2g} of the upper one"


def _check(low: float, high: float | None, points: int) -> None:
    if not 0.0 <= low < math.inf:
        raise InvalidParameter("--min", low, "a finite number, 0 or more")
    if high is not None and not low < high < math.inf:
        raise InvalidParameter("--max", high, f"a finite number above --min, which is {low!r}")
    if not 2 <= points <= MAX_POINTS:
        raise InvalidParameter("--points", points, f"a whole number from 2 to {MAX_POINTS}")


def _epsilons(private: Private, low: float, high: float | None, points: int) -> NDArray[np.float64]:
    """Return evenly spaced ε; those between the ends have few digits, so that what is printed is what was asked."""
    grid = np.linspace(low, _default_high(private, low) if high is None else high, points)
    rounded = np.array([grid[0], *(float(f"{epsilon:.{SHOWN_DIGITS}g}") for epsilon in grid[1:-1]), grid[-1]])
    return rounded if bool((np.diff(rounded) > 0.0).all()) else grid


def _default_high(private: Private, low: float) -> float:
    for small in SMALL_DELTAS:
        end = private.epsilon(delta=small, rtol=0.01).upper
        if low < end < math.inf:
            return float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(end)))
    return low + 1.0


def _as_csv(result: Curve) -> bytes:
    rows = zip(*_columns(result), strict=True)
    ends = ((epsilon, wire.lower_end(lower), wire.upper_end(upper)) for epsilon, lower, upper in rows)
    return as_csv(["epsilon", "delta_lower", "delta_upper"], ends)


def _columns(result: Curve) -> tuple[list[float], list[float], list[float]]:
    return result.epsilons.tolist(), result.lower.tolist(), result.upper.tolist()


def _as_text(result: Curve) -> list[str]:
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
