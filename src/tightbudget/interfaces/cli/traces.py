"""How a bracket was made, for people: the attempts as a table, which one answered, and what to try next."""

import math
from collections.abc import Callable

from tightbudget.engine.reasons import NO_LISTS, ROUNDING, TOO_LONG, to_try
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text
from tightbudget.numerics.attempt import Attempt
from tightbudget.numerics.bracket import Bracket

_COLUMNS = (
    Column("route"),
    Column("direction"),
    Column("tilt", right=True),
    Column("ln δ asked", right=True),
    Column("points", right=True),
    Column("ms", right=True),
    Column("found", prose=True),
)

_SHORT = {
    TOO_LONG: "finer lists would be too long",
    NO_LISTS: "finer lists cannot be made",
    ROUNDING: "finer lists would not help",
}


def trace_lines(answer: Bracket, rtol: float) -> list[str]:
    """Return the lines of a trace. Widths are in ln δ, as they were asked for."""
    heading, rows = fitted_table(_COLUMNS, [_trace_row(one) for one in answer.trace])
    lines = [
        *heading,
        *(line for row in rows for line in row),
        folded_text(_trace_summary(answer)),
        folded_text(_width_reached(answer, rtol)),
    ]
    if not answer.converged and to_try(answer.reason):
        lines.append(folded_text(f"To try: {to_try(answer.reason)}."))
    return lines


def _trace_row(one: Attempt) -> tuple[str, ...]:
    return (
        one.route,
        one.direction,
        "" if one.tilt is None else f"{one.tilt:.4g}",
        "" if one.width is None else f"{one.width:.2g}",
        str(one.points) if one.points else "",
        f"{1e3 * one.seconds:.2f}",
        _attempt_found(one),
    )


def _attempt_found(one: Attempt) -> str:
    found = str(Bracket(one.lower, one.upper)) if _found_something(one) else "nothing"
    return f"{found}; {_SHORT.get(one.held_back, one.held_back)}" if one.held_back else found


def _trace_summary(answer: Bracket) -> str:
    """Say whose ends the bracket has: often one route's, but each end may come from another."""
    below = _route_of_end(answer.trace, lambda one: one.lower == answer.lower)
    above = _route_of_end(answer.trace, lambda one: one.upper == answer.upper)
    milliseconds = 1e3 * math.fsum(one.seconds for one in answer.trace)
    ends = f"Answered by: {above}." if below == above else f"Upper end: {above}. Lower end: {below}."
    return f"{ends} {len(answer.trace)} attempt{'s'[: len(answer.trace) != 1]}, {milliseconds:.1f} ms."


def _route_of_end(trace: tuple[Attempt, ...], ends_there: Callable[[Attempt], bool]) -> str:
    """Return the route that found an end; some are known before any attempt, from the largest and infinite losses."""
    return next((one.route for one in trace if ends_there(one) and _found_something(one)), "known beforehand")


def _found_something(one: Attempt) -> bool:
    return one.lower > 0.0 or one.upper < math.inf


def _width_reached(answer: Bracket, rtol: float) -> str:
    if answer.upper == math.inf or answer.upper == 0.0:
        return f"Asked for a width of {rtol:g} of the upper end."
    return f"Asked for a width of {rtol:g} of the upper end; it is {answer.width / answer.upper:.2g}."
