"""`tightbudget ledger budget`: budgets made, listed, shown, lowered, closed, and those beside or within others."""

from typing import Annotated, Any

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.ledger_options import (
    DEFAULT_LEDGER,
    Actor,
    BudgetName,
    Delta,
    Description,
    Epsilon,
    Filter,
    LedgerUrl,
    NewName,
    Odometers,
    Reason,
    Settings,
    Unit,
    opened,
    settings_typed,
)
from tightbudget.interfaces.cli.options import Json, amount_typed, note_if_swapped, whole_typed
from tightbudget.interfaces.cli.plain import Command, plain_group
from tightbudget.interfaces.cli.terminal import show, show_styled, show_words

app = plain_group()

LowerEpsilon = Annotated[str | None, typer.Option(help="The lower ε.", parser=amount_typed, metavar="E", show_default=False)]
LowerDelta = Annotated[str | None, typer.Option(help="The lower δ.", parser=amount_typed, metavar="D", show_default=False)]


@app.callback()
def _ledger_budget_command() -> None:
    """Budgets of a ledger: what each promises is fixed when it is made."""


@app.command("create", cls=Command, short_help="Make a budget.")
def create(
    name: NewName,
    epsilon: Epsilon,
    delta: Delta,
    filter: Filter = None,
    setting: Settings = None,
    odometer: Odometers = None,
    unit: Unit = "person",
    relation: Annotated[
        str, typer.Option(help="The neighbouring relation: add_remove, replace_one or zero_out.", metavar="NAME")
    ] = "add_remove",
    description: Description = "",
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Make a budget called NAME. All that it promises is fixed from now on.

    Which filter? tightbudget filter compare counts what each admits.

    \b
    Example:
      tightbudget ledger budget create census --epsilon 1 --delta 1e-6
    """
    with opened(ledger) as found:
        made = found.create_budget(
            name, epsilon=epsilon, delta=delta, filter=filter or "zcdp", unit=unit, relation=relation,
            odometers=odometer or (), description=description, **settings_typed(setting),
        )  # fmt: skip
        _show_terms(made, as_json)
    note_if_swapped(epsilon, delta)
    return 0


@app.command("split", cls=Command, short_help="Make a part of a budget.")
def split(
    budget: BudgetName,
    name: NewName,
    epsilon: Epsilon,
    delta: Delta,
    filter: Filter = None,
    setting: Settings = None,
    odometer: Odometers = None,
    description: Description = "",
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Make a part of BUDGET, called NAME: a budget of its own whose charges count in BUDGET too.

    \b
    Example:
      tightbudget ledger budget split census ana --epsilon 0.5 --delta 1e-6
    """
    with opened(ledger) as found:
        terms = _budget_terms_typed(filter, setting, odometer, description)
        _show_terms(found.budget(budget).split(name, epsilon=epsilon, delta=delta, **terms), as_json)
    note_if_swapped(epsilon, delta)
    return 0


@app.command("extend", cls=Command, short_help="Open a second budget beside one.")
def extend(
    budget: BudgetName,
    name: NewName,
    epsilon: Epsilon,
    delta: Delta,
    filter: Filter = None,
    setting: Settings = None,
    odometer: Odometers = None,
    description: Description = "",
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Open a budget called NAME beside BUDGET, for the same people: a limit is never raised.

    The statement of either then gives what both promise together.

    \b
    Example:
      tightbudget ledger budget extend census census-2 --epsilon 1 --delta 1e-6
    """
    with opened(ledger) as found:
        terms = _budget_terms_typed(filter, setting, odometer, description)
        _show_terms(found.budget(budget).extend(name, epsilon=epsilon, delta=delta, **terms), as_json)
    note_if_swapped(epsilon, delta)
    return 0


@app.command("list", cls=Command, short_help="List the budgets.")
def list_budgets(
    limit: Annotated[int, typer.Option(help="How many at most.", parser=whole_typed, metavar="N")] = 100,
    after: Annotated[str, typer.Option(help="Only names after this one.", metavar="NAME", show_default=False)] = "",
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """List the budgets by name, with how full each is.

    \b
    Example:
      tightbudget ledger budget list --limit 20
    """
    if limit < 1:
        raise InvalidParameter("limit", limit, "a whole number from 1")
    with opened(ledger) as found:
        names = found.names(limit + 1, after=after)
        every = [found.budget(name).status() for name in names[:limit]]
        if as_json:
            show(wire.json_text(library.ledger_output.budgets_shape(every, len(names) > limit)))
        else:
            show_styled(library.ledger_output.budgets_lines(every, len(names) > limit))
    return 0


@app.command("show", cls=Command, short_help="What a budget promises.")
def show_budget(budget: BudgetName, ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False) -> int:
    """Show what BUDGET promises, to whom, and by which filter. See also: ledger status, ledger statement.

    \b
    Example:
      tightbudget ledger budget show census
    """
    with opened(ledger) as found:
        _show_terms(found.budget(budget), as_json)
    return 0


@app.command("lower", cls=Command, short_help="Admit less from now on.")
def lower(
    budget: BudgetName,
    epsilon: LowerEpsilon = None,
    delta: LowerDelta = None,
    reason: Reason = "",
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Admit less from now on. What BUDGET promises stays as it was when it was made.

    \b
    Example:
      tightbudget ledger budget lower census --epsilon 0.5
    """
    with opened(ledger) as found:
        one = found.budget(budget)
        one.lower(epsilon=epsilon, delta=delta, reason=reason)
        if as_json:
            show(wire.json_text(library.ledger_output.terms_shape(one)))
        else:
            show_words(f"Limits lowered. Now: {one.status()}")
    return 0


@app.command("close", cls=Command, short_help="Admit nothing more.")
def close(
    budget: BudgetName, reason: Reason = "", actor: Actor = None, ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False
) -> int:
    """Admit nothing more. What is reserved can still be committed or aborted.

    \b
    Example:
      tightbudget ledger budget close census --reason "published"
    """
    with opened(ledger) as found:
        one = found.budget(budget)
        one.close(reason, actor or "")
        if as_json:
            show(wire.json_text(library.ledger_output.terms_shape(one)))
        else:
            show_words(f"Closed. {one.status()}")
    return 0


def _budget_terms_typed(
    filter: str | None, setting: list[str] | None, odometer: list[str] | None, description: str
) -> dict[str, Any]:
    kind = {} if filter is None else {"filter": filter}
    return {**kind, "odometers": odometer or (), "description": description, **settings_typed(setting)}


def _show_terms(budget: Any, as_json: bool) -> None:
    if as_json:
        show(wire.json_text(library.ledger_output.terms_shape(budget)))
    else:
        show_styled(library.ledger_output.terms_lines(budget))
