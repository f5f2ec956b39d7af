"""`tightbudget ledger quote`, `reserve`, `commit`, `abort`, `refund`, `charge`: before something is released."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tightbudget.errors import BudgetRefused
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import REFUSED
from tightbudget.interfaces.cli.ledger_options import (
    DEFAULT_LEDGER,
    Actor,
    BudgetName,
    Key,
    LedgerUrl,
    Reason,
    SigningKey,
    opened,
)
from tightbudget.interfaces.cli.options import Expression, Json, Usage, number_typed
from tightbudget.interfaces.cli.terminal import show, show_words

if TYPE_CHECKING:
    from tightbudget.ledger import Receipt

NewKey = Annotated[
    str | None,
    typer.Option(
        "--key", help="A name for this one charge: with the same one, a retry spends nothing.", metavar="K",
        show_default="a new one",
    ),
]  # fmt: skip
Purpose = Annotated[str | None, typer.Option(help="What it is for.", metavar="WORDS", show_default=False)]
Metadata = Annotated[
    str | None, typer.Option(help="More to be remembered: an object of JSON.", metavar="JSON", show_default=False)
]


def quote(budget: BudgetName, expression: Expression, ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False) -> int:
    """Print whether BUDGET would admit the step EXPR now. Nothing is spent or logged.

    The exit code is 4 if it would not.

    \b
    Example:
      tightbudget ledger quote census "gaussian(sigma=50)"
    """
    with opened(ledger) as found:
        one = found.budget(budget)
        answer, steps, note = one.quote(expression), one.remaining(expression), one.note(expression)
        if as_json:
            show(wire.json_text({**library.ledger_output.quote_shape(budget, answer, steps), "note": note}))
        else:
            show_words(" ".join(filter(None, (library.ledger_output.quote_text(answer, steps), note))))
    return 0 if answer.accepted else REFUSED


def reserve(
    budget: BudgetName,
    expression: Expression,
    key: NewKey = None,
    ttl: Annotated[
        float, typer.Option(help="Seconds after which it commits by itself.", parser=number_typed, metavar="S")
    ] = 3600.0,
    actor: Actor = None,
    purpose: Purpose = None,
    metadata: Metadata = None,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Set the step EXPR aside. It counts as spent; commit it before the release, or abort it if there is none.

    \b
    Example:
      tightbudget ledger reserve census "gaussian(sigma=50)" --key report-7
    """
    told = {"key": key, "actor": actor, "purpose": purpose, "metadata": charge_metadata(metadata)}
    with opened(ledger, signing_key) as found:
        one = found.budget(budget)
        return _show_charge_receipt(lambda: one.reserve(expression, ttl=ttl, **told), as_json, lambda: one.note(expression))


def commit(
    budget: BudgetName,
    key: Key,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Make the reservation KEY final. Do it before the result is released.

    \b
    Example:
      tightbudget ledger commit census report-7
    """
    with opened(ledger, signing_key) as found:
        return _show_charge_receipt(lambda: found.budget(budget).commit(key), as_json)


def abort(
    budget: BudgetName,
    key: Key,
    reason: Reason = "",
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Give the reservation KEY back. Only if nothing was released: no result, nor whether or why it failed.

    \b
    Example:
      tightbudget ledger abort census report-7 --reason "never ran"
    """
    with opened(ledger, signing_key) as found:
        return _show_charge_receipt(lambda: found.budget(budget).abort(key, reason), as_json)


def refund(
    budget: BudgetName,
    key: Key,
    reason: Annotated[str, typer.Option(help="Why nothing can have been released.", metavar="WORDS")],
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Give the committed charge KEY back, of which nothing was ever released. The log keeps the reason.

    \b
    Example:
      tightbudget ledger refund census report-7 --reason "never ran"
    """
    with opened(ledger, signing_key) as found:
        return _show_charge_receipt(lambda: found.budget(budget).refund(key, reason), as_json)


def charge(
    budget: BudgetName,
    expression: Expression,
    key: NewKey = None,
    actor: Actor = None,
    purpose: Purpose = None,
    metadata: Metadata = None,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Spend the step EXPR, or refuse it and spend nothing (exit code 4). Do it before the result is released.

    \b
    Example:
      tightbudget ledger charge census "gaussian(sigma=50)" --key report-7
    """
    told = {"key": key, "actor": actor, "purpose": purpose, "metadata": charge_metadata(metadata)}
    with opened(ledger, signing_key) as found:
        one = found.budget(budget)
        return _show_charge_receipt(lambda: one.charge(expression, **told), as_json, lambda: one.note(expression))


def _show_charge_receipt(work: "Callable[[], Receipt]", as_json: bool, note: Callable[[], str] = str) -> int:
    """Show the receipt and a note; a refusal is shaped for machines too, and its sentence goes to standard error."""
    try:
        receipt = work()
    except BudgetRefused as problem:
        if as_json:
            show(wire.json_text(library.ledger_output.refusal_shape(problem)))
        raise
    if as_json:
        show(wire.json_text(receipt.as_json()))
    else:
        show_words("\n".join(filter(None, (str(receipt), note()))))
    return 0


def charge_metadata(text: str | None) -> Any:
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Usage(f"""--metadata {text!r} is no object of JSON; write it as in '{{"rows": 100}}'.""")
    return found


COMMANDS: tuple[tuple[str, Callable[..., int], str], ...] = (
    ("quote", quote, "Whether a step would fit."),
    ("charge", charge, "Spend a step, or refuse it."),
    ("reserve", reserve, "Set a step aside."),
    ("commit", commit, "Make a reservation final."),
    ("abort", abort, "Give a reservation back."),
    ("refund", refund, "Give a charge back."),
)
