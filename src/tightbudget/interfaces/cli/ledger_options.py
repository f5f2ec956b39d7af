"""What the commands of `tightbudget ledger` share: which ledger, key and budget, and moments as they are typed."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tightbudget.errors import InvalidParameter, TightBudgetError
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.options import Usage, amount_typed

if TYPE_CHECKING:
    from tightbudget.ledger import Ledger

DEFAULT_LEDGER = "sqlite:///budget.db"

LedgerUrl = Annotated[
    str,
    typer.Option(
        "--ledger",
        help="The ledger: sqlite:///FILE or postgresql://USER@HOST/NAME.",
        envvar="TIGHTBUDGET_LEDGER",
        metavar="URL",
    ),
]
SigningKey = Annotated[
    Path | None,
    typer.Option("--signing-key", help="Sign with the key in this file.", envvar="TIGHTBUDGET_SIGNING_KEY", metavar="FILE"),
]
BudgetName = Annotated[str, typer.Argument(metavar="BUDGET", hidden=True)]
SomeBudget = Annotated[str | None, typer.Argument(metavar="[BUDGET]", hidden=True)]
NewName = Annotated[str, typer.Argument(metavar="NAME", hidden=True)]
Key = Annotated[str, typer.Argument(metavar="KEY", hidden=True)]
Unit = Annotated[str, typer.Option(help="Whom it protects, in a word or two.", metavar="WORDS")]
Epsilon = Annotated[
    str, typer.Option(help="The ε of the budget; a decimal number or p/q, taken exactly.", parser=amount_typed, metavar="E")
]
Delta = Annotated[str, typer.Option(help="The δ of the budget, taken exactly.", parser=amount_typed, metavar="D")]
Actor = Annotated[str | None, typer.Option(help="Who asks.", metavar="NAME", show_default=False)]
Reason = Annotated[str, typer.Option(help="Why, for the log.", metavar="WORDS", show_default=False)]
Filter = Annotated[
    str | None,
    typer.Option(
        "--filter",
        help="The filter: basic, advanced, sharpened, whitehouse, zcdp, rdp, gdp, residual or slots.",
        metavar="KIND",
        show_default="zcdp; of a part, that of the whole",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        help="A setting of the filter, such as orders=8,32 or or_basic=true; may be given several times.",
        metavar="SETTING",
        show_default=False,
    ),
]
Odometers = Annotated[
    list[str] | None,
    typer.Option(
        "--odometer",
        help="An odometer that shows the running loss, such as renyi or mixture; may be given several times.",
        metavar="KIND",
        show_default=False,
    ),
]
Description = Annotated[str, typer.Option(help="What it is for, in a sentence.", metavar="WORDS", show_default=False)]

_LISTS = ("orders", "weights")


@contextmanager
def opened(url: str, signing_key: Path | None = None, **options: Any) -> "Iterator[Ledger]":
    """Open the ledger that was named; only `ledger init` makes one where there is none."""
    key = None if signing_key is None else library.ledger.SigningKey.load(signing_key)
    try:
        ledger = library.ledger.open(url, signing_key=key, **{"create": False, **options})
    except InvalidParameter as problem:
        if problem.name != "url":
            raise
        raise TightBudgetError(str(problem).replace("url is", "--ledger is", 1)) from None
    with ledger:
        yield ledger


def any_budget(ledger: "Ledger", name: str) -> Any:
    """Return the budget of that name, one for all or one for each of many people, as the log knows it."""
    try:
        return ledger.budget(name)
    except InvalidParameter as problem:
        if problem.name != "name":
            raise
        return ledger.individual_budget(name)


def settings_typed(typed: list[str] | None) -> dict[str, Any]:
    """Return the settings of a filter: numbers are taken exactly as they were typed.

    >>> settings_typed(["orders=8,32", "or_basic=true", "delta_for_steps=1e-7"])
    {'orders': ['8', '32'], 'or_basic': True, 'delta_for_steps': '1e-7'}
    """
    found: dict[str, Any] = {}
    for each in typed or []:
        name, equals, value = each.partition("=")
        name, value = name.strip().replace("-", "_"), value.strip()
        if not equals or not name or not value:
            raise Usage(f"--setting {each!r} is no setting; write NAME=VALUE, as in orders=8,32.")
        if name in found:
            raise Usage(f"--setting {name} is given twice; put several values into one, as in orders=8,32.")
        truth = {"true": True, "false": False}.get(value.lower())
        found[name] = truth if truth is not None else value.split(",") if name in _LISTS else value
    return found


def moment_typed(option: str, text: str | None, end_of_day: bool = False) -> datetime | None:
    """Return the moment that was typed, in UTC unless it says otherwise; a day is its beginning, or its end."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Usage(f"{option} {text!r} is no time; write 2026-11-17 or 2026-11-17T14:30 (UTC).") from None
    if end_of_day and len(text.strip()) <= len("2026-11-17"):
        found = datetime.combine(found.date(), time.max)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
