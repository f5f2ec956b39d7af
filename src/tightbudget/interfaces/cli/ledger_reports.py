"""`tightbudget ledger status`, `history`, `export`, `statement`: what was spent, by whom, and what it promises."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.files import STANDARD_OUTPUT, check_target, check_targets, write_and_say
from tightbudget.interfaces.cli.ledger_budgets import list_budgets
from tightbudget.interfaces.cli.ledger_options import (
    DEFAULT_LEDGER,
    BudgetName,
    LedgerUrl,
    SomeBudget,
    any_budget,
    moment_typed,
    opened,
)
from tightbudget.interfaces.cli.options import Json, Usage, whole_typed
from tightbudget.interfaces.cli.terminal import patiently, show, show_styled, show_words

FORMATS = (".csv", ".json", ".parquet")


def status(
    budget: SomeBudget = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw its course to this .png or .svg file.", metavar="FILE", show_default=False)
    ] = None,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Show what is spent, reserved and free of BUDGET, and what has been lost; or list all budgets.

    \b
    Example:
      tightbudget ledger status census --plot census.png
    """
    if budget is None:
        if plot is not None:
            raise Usage("--plot is about one budget; name it, as in tightbudget ledger status census --plot census.png.")
        return list_budgets(ledger=ledger, as_json=as_json)
    check_targets(plot)
    with opened(ledger) as found:
        one = found.budget(budget)
        now = one.status()
        done = []
        if plot is not None:
            done = write_and_say({plot: library.ledger_plot.draw_budget(one, plot.suffix[1:].lower())})
        if as_json:
            show(wire.json_text(patiently(now.as_json, "counting")))
        else:
            lines = patiently(lambda: library.ledger_status_output.lines(now), "counting")
            show_styled([*lines, *((line, "") for line in done)])
    return 0


def history(
    budget: BudgetName,
    state: Annotated[
        str | None,
        typer.Option(
            help="Only what is reserved, committed, aborted, refunded, refused or denied.", metavar="STATE", show_default=False
        ),
    ] = None,
    actor: Annotated[str | None, typer.Option(help="Only what this one asked.", metavar="NAME", show_default=False)] = None,
    key: Annotated[str | None, typer.Option(help="Only what has this key.", metavar="K", show_default=False)] = None,
    since: Annotated[
        str | None, typer.Option(help="Only from this day or time (UTC).", metavar="TIME", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Only up to this day or time (UTC).", metavar="TIME", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", parser=whole_typed, metavar="N")] = 20,
    oldest_first: Annotated[bool, typer.Option("--oldest-first", help="Begin with the oldest.")] = False,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Show charges, refusals and other entries of BUDGET, the newest first, each charge with its state now.

    \b
    Example:
      tightbudget ledger history census --state refused --since 2026-11-01
    """
    start, end = moment_typed("--since", since), moment_typed("--until", until, end_of_day=True)
    with opened(ledger) as found:
        wanted = {"state": state, "actor": actor, "key": key, "since": start, "until": end, "oldest_first": oldest_first}
        entries = any_budget(found, budget).history(limit + 1 if limit >= 0 else limit, **wanted)
        if as_json:
            show(wire.json_text(library.ledger_output.history_shape(budget, entries[:limit], len(entries) > limit)))
        else:
            show_styled(library.ledger_output.history_lines(entries[:limit], len(entries) > limit))
    return 0


def export(
    budget: BudgetName,
    file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)],
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Write the whole history of BUDGET, oldest first, to FILE: .csv, .json or .parquet (needs the extra sweep).

    With - as FILE it goes to standard output, as CSV, or as JSON with --json.

    \b
    Example:
      tightbudget ledger export census census.csv
    """
    if file != STANDARD_OUTPUT:
        check_target("FILE", file, FORMATS)
    with opened(ledger) as found:
        one, export = found.budget(budget), library.export
        if file == STANDARD_OUTPUT:
            lines = (export.as_json if as_json else export.as_csv)(export.rows(one))
            for line in lines:
                show(line, end="")
            return 0
        rows = patiently(lambda: one.export(file), "exporting")
        if as_json:
            show(wire.json_text({"budget": budget, "file": str(file), "rows": rows}))
        else:
            show_words(f"Wrote {file} ({rows} {'row' if rows == 1 else 'rows'}).")
    return 0


def statement(budget: BudgetName, ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False) -> int:
    """Print what BUDGET promises, to whom, why, and what was assumed, in plain language.

    \b
    Example:
      tightbudget ledger statement census
    """
    with opened(ledger) as found:
        sections = patiently(lambda: library.sections_of(found.budget(budget)), "counting")
        if as_json:
            show(wire.json_text(library.ledger_output.statement_shape(found.budget(budget), sections)))
        else:
            show(library.ledger_output.statement_text(sections))
    return 0


COMMANDS: tuple[tuple[str, Callable[..., int], str], ...] = (
    ("status", status, "What is spent, reserved and free."),
    ("history", history, "Charges and refusals."),
    ("export", export, "The whole history as a file."),
    ("statement", statement, "What a budget promises, in words."),
)
