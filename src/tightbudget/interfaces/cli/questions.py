"""`tightbudget epsilon` and `tightbudget delta`: one question, one bracket."""

import math
import sys
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from tightbudget.comparison import class_note
from tightbudget.errors import TightBudgetError
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.terminal import patiently, show
from tightbudget.notation import parse
from tightbudget.numerics.bracket import Bracket

NOT_NARROW_ENOUGH = 3
MOST_DIGITS = 30  # of a whole number

Expression = Annotated[str, typer.Argument(metavar="EXPR", help="A composition, as in 'gaussian(sigma=2) * 10'.")]
Rtol = Annotated[float, typer.Option(help="Width asked for, relative to the upper end.")]
MixRelations = Annotated[
    bool, typer.Option("--mix-relations", help="Compose steps that are for different neighbouring relations.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def whole(text: str | int) -> int:
    """Return the whole number that was typed, as 1000, 1e3 or 1_000, or is the default; for options that count."""
    try:
        number = Decimal(str(text).replace("_", ""))
        if number.is_finite() and number.adjusted() < MOST_DIGITS and number == number.to_integral_value():
            return int(number)
    except InvalidOperation:
        pass
    raise typer.BadParameter(f"{text!r} is not a whole number.")


class Usage(TightBudgetError):
    """Options that do not go together; the sentence says all."""

    code = "usage"


def epsilon(
    expression: Expression,
    delta: Annotated[float, typer.Option(help="The δ to hold, between 0 and 1.")],
    rtol: Rtol = 1e-3,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print a bracket that holds the smallest ε at the given δ.

    \b
    Example:
      tightbudget epsilon "poisson(gaussian(4), q=0.01) * 65536" --delta 1e-6
    """
    private = parse(expression, mix_relations)
    answer = patiently(lambda: private.epsilon(delta=delta, rtol=rtol), "bracketing ε")
    note = class_note(private)
    if as_json:
        return _finish(wire.dumps(wire.bracket(str(private), {"delta": delta}, answer, rtol, note)), answer, note)
    return _finish(f"ε in {answer} at δ = {delta!r} ({answer.relation})", answer, note)


def delta(
    expression: Expression,
    epsilon: Annotated[float, typer.Option(help="The ε to hold, 0 or more.")],
    rtol: Rtol = 1e-3,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print a bracket that holds the smallest δ at the given ε.

    \b
    Example:
      tightbudget delta "gaussian(80) * 512 + laplace(200) * 10" --epsilon 0.5
    """
    private = parse(expression, mix_relations)
    answer = patiently(lambda: private.delta(epsilon=epsilon, rtol=rtol), "bracketing δ")
    note = class_note(private)
    if as_json:
        return _finish(wire.dumps(wire.bracket(str(private), {"epsilon": epsilon}, answer, rtol, note)), answer, note)
    return _finish(f"δ in {answer} at ε = {epsilon!r} ({answer.relation})", answer, note)


def check_question(delta: float | None, epsilon: float | None) -> None:
    """Refuse a question about both or neither."""
    if (delta is None) == (epsilon is None):
        raise Usage("Give exactly one of --delta and --epsilon.")


def say(note: str) -> None:
    """Print a note for people on standard error; machines find it in the JSON."""
    if note:
        print(f"Note: {note}", file=sys.stderr)


def _finish(line: str, answer: Bracket, note: str) -> int:
    show(line)
    say(note)
    if answer.lower == math.inf:
        say("no ε is large enough: with more than this δ, something is revealed outright.")
    if answer.converged:
        return 0
    print(f"Note: the bracket holds but is wider than asked: {answer.reason or 'no reason given'}.", file=sys.stderr)
    return NOT_NARROW_ENOUGH
