"""Options and arguments that several commands share, and how what is typed becomes a number."""

import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from tightbudget.errors import InvalidParameter, TightBudgetError
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.terminal import say_note
from tightbudget.numerics.typed import NoFloat, typed_number, written_without_comma

MOST_DIGITS = 30  # of a whole number
_PER_CENT = re.compile(r"[0-9]{0,9}\.?[0-9]{1,9}(e-?[0-9]{1,2})? *%")


class Usage(TightBudgetError):
    """Options that do not go together; the sentence says all."""

    code = "usage"


def number_typed(text: str | float) -> float:
    """Return the number that was typed, or is the default."""
    if not isinstance(text, str):
        return text
    try:
        return typed_number(text)
    except NoFloat as problem:
        raise typer.BadParameter(f"{text!r} is {problem}.") from None
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number{_comma_hint(text)}{_per_cent(text)}.") from None


def whole_typed(text: str | int) -> int:
    """Return the whole number that was typed, as 1000, 1e3 or 1_000, or is the default; for options that count."""
    try:
        typed = Decimal(str(text).replace("_", ""))
        if typed.is_finite() and typed.adjusted() < MOST_DIGITS and typed == typed.to_integral_value():
            return int(typed)
    except InvalidOperation:
        pass
    raise typer.BadParameter(f"{text!r} is not a whole number{_comma_hint(str(text), whole=True)}.")


def amount_typed(text: str) -> str:
    """Return the text of a number that will be taken exactly, as it was typed."""
    try:
        library.exact("amount", text.lstrip("-"))
    except InvalidParameter:
        raise typer.BadParameter(
            f"{text!r} is not a decimal number such as 0.1, nor p/q{_comma_hint(text)}{_per_cent(text)}."
        ) from None
    return text


def _comma_hint(text: str, whole: bool = False) -> str:
    """Return what to write in place of a number with a comma."""
    instead = written_without_comma(text.strip(), whole)
    if instead:
        return f"; write {instead}"
    return "; write a decimal point, as in 0.5" if "," in text and not whole else ""


def _per_cent(text: str) -> str:
    """Return what to write in place of a number of hundredths."""
    if not _PER_CENT.fullmatch(text.strip()):
        return ""
    return f"; write {Decimal(text.strip().rstrip(' %')).scaleb(-2):f}"


def note_if_swapped(epsilon: str | float | None, delta: str | float | None) -> None:
    """Say on standard error that a budget has a delta as large as its epsilon: more likely a slip than a wish."""
    if epsilon is None or delta is None:
        return
    promised, failing = library.exact("epsilon", epsilon), library.exact("delta", delta)
    if 0 < failing >= promised:
        say_note(f"δ = {delta} is no smaller than ε = {epsilon}. Are the two swapped?")


Expression = Annotated[str, typer.Argument(metavar="EXPR", hidden=True)]  # each command says in words what it is
Rtol = Annotated[float, typer.Option(help="Width asked for, relative to the upper end.", parser=number_typed, metavar="R")]
Effort = Annotated[
    float | None,
    typer.Option(
        help="How much work is allowed: 1 is a second or so for each route.",
        parser=number_typed,
        metavar="N",
        show_default="1, and 4 below rtol 1e-4",
    ),
]
Trace = Annotated[bool, typer.Option("--trace", help="Print also how the bracket was made.")]
MixRelations = Annotated[
    bool, typer.Option("--mix-relations", help="Compose steps that are for different neighbouring relations.")
]
Relation = Annotated[
    str | None,
    typer.Option(
        help="The neighbouring relation: add_remove, replace_one or zero_out.",
        metavar="NAME",
        show_default="the one that the steps state",
    ),
]
OneWay = Annotated[
    str | None,
    typer.Option(
        "--direction", help="Ask one direction only: remove or add.", metavar="NAME", show_default="the larger of both"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write all of it to this file; - is standard output.", metavar="FILE")]


def check_question(delta: float | None, epsilon: float | None) -> None:
    """Refuse a question about both or neither."""
    if (delta is None) == (epsilon is None):
        raise Usage("Give exactly one of --delta and --epsilon.")
