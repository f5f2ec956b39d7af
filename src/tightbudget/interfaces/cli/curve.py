"""`tightbudget curve`: δ as a function of ε, as a table, CSV, JSON or picture."""

import math
import sys
from collections.abc import Iterable
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
from tightbudget.interfaces.cli.files import as_csv, check_targets, write_all
from tightbudget.interfaces.cli.questions import NOT_NARROW_ENOUGH, Expression, Json, MixRelations, Rtol, say, whole
from tightbudget.interfaces.cli.terminal import patiently, show
from tightbudget.mechanisms.base import Curve
from tightbudget.notation import Private, parse
from tightbudget.numerics.bracket import Bracket

MAX_POINTS = 100_000
TABLE_ROWS = 11
SHOWN_DIGITS, DELTA_DIGITS = 6, 8  # of ε and δ in the table
# The default range ends where δ falls below the first of these that it ever reaches.
SMALL_DELTAS = (1e-10, 1e-6, 1e-3, 1e-1)


def curve(
    expression: Expression,
    low: Annotated[float, typer.Option("--min", help="First ε.")] = 0.0,
    high: Annotated[float | None, typer.Option("--max", help="Last ε.", show_default="where δ is 1e-10")] = None,
    points: Annotated[int, typer.Option(help="Number of ε, evenly spaced.", parser=whole, metavar="<int>")] = 101,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve to this .png or .svg file.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write all points to this file.")] = None,
    rtol: Rtol = 1e-3,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print δ(ε), upper and lower bound, over a range of ε.

    \b
    Example:
      tightbudget curve "gaussian(sigma=20) * 512" --max 8 --plot curve.png
    """
    private = parse(expression, mix_relations)
    _check(low, high, points, plot, csv_file)
    result = patiently(lambda: private.curve(_epsilons(private, low, high, points), rtol=rtol), "drawing δ(ε)")
    files: dict[Path, bytes] = {}
    if plot is not None:
        files[plot] = picture.draw(result, str(private), plot.suffix[1:].lower())
    if csv_file is not None:
        files[csv_file] = _as_csv(result)
    write_all(files)
    note = class_note(private)
    show(wire.dumps(wire.curve(str(private), result, note)) if as_json else _as_text(result, files))
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


def _check(low: float, high: float | None, points: int, plot: Path | None, csv_file: Path | None) -> None:
    if not 0.0 <= low < math.inf:
        raise InvalidParameter("--min", low, "a finite number, 0 or more")
    if high is not None and not low < high < math.inf:
        raise InvalidParameter("--max", high, f"a finite number above --min, which is {low!r}")
    if not 2 <= points <= MAX_POINTS:
        raise InvalidParameter("--points", points, f"a whole number from 2 to {MAX_POINTS}")
    check_targets(plot, csv_file)


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
    return as_csv(["epsilon", "delta_lower", "delta_upper"], zip(*_columns(result), strict=True))


def _columns(result: Curve) -> tuple[list[float], list[float], list[float]]:
    return result.epsilons.tolist(), result.lower.tolist(), result.upper.tolist()


def _as_text(result: Curve, files: Iterable[Path]) -> str:
    rows = list(zip(*_columns(result), strict=True))
    shown = [rows[round(i)] for i in np.linspace(0, len(rows) - 1, min(TABLE_ROWS, len(rows)))]
    lines = [f"{'ε':<12}  δ in ({result.relation})"]
    lines += [f"{repr(epsilon).removesuffix('.0'):<12}  {_ends(lower, upper)}" for epsilon, lower, upper in shown]
    if len(shown) < len(rows):
        lines.append(f"({len(shown)} of {len(rows)} points; --csv or --json gives all)")
    return "\n".join([*lines, *(f"Wrote {path}" for path in files)])


def _ends(lower: float, upper: float) -> str:
    """Return the bracket as text; one that is narrower than a reader of a table needs is shown wider, never narrower."""
    if not upper - lower < 10.0 ** (1 - DELTA_DIGITS) * upper:
        return str(Bracket(lower, upper))
    return f"[{_rounded(lower, ROUND_FLOOR)}, {_rounded(upper, ROUND_CEILING)}]"


def _rounded(value: float, rounding: str) -> str:
    exact = Context(prec=DELTA_DIGITS, rounding=rounding).create_decimal(Decimal(value))
    return f"{exact:f}" if 1e-4 <= value < 1e6 else f"{exact:e}"
