"""`tightbudget ledger`: budgets that outlive processes. The commands put together, and the one that makes a ledger."""

from typing import Annotated

import typer

from tightbudget.errors import NoLedger
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import ledger_audit, ledger_budgets, ledger_charges, ledger_individual, ledger_reports
from tightbudget.interfaces.cli.ledger_options import DEFAULT_LEDGER, LedgerUrl, opened
from tightbudget.interfaces.cli.options import Json
from tightbudget.interfaces.cli.plain import Command, plain_group
from tightbudget.interfaces.cli.terminal import show, show_words
from tightbudget.version import __version__

app = plain_group()


@app.callback()
def _ledger_command() -> None:
    """Durable budgets: charge before you release, and show afterwards that you did.

    The ledger is the file budget.db in this folder, unless --ledger or TIGHTBUDGET_LEDGER names another.
    """


@app.command("init", cls=Command, short_help="Make a ledger, or bring an old one up to date.")
def init(
    ledger: LedgerUrl = DEFAULT_LEDGER,
    restore_guards: Annotated[
        bool, typer.Option("--restore-guards", help="Put up the triggers again that protect the log.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Make a ledger, or bring one of an older version up to date. Doing it again changes nothing.

    \b
    Example:
      tightbudget ledger init --ledger sqlite:///budget.db
    """
    try:
        with opened(ledger, check=not restore_guards):
            made = False
    except NoLedger:
        made = True
    with opened(ledger, create=True, restore_guards=restore_guards) as found:
        if as_json:
            shape = {"ledger": found.id, "url": found.address, "made": made, "version": __version__}
            show(wire.json_text(shape))
        else:
            show_words(f"The ledger at {found.address} {'was made' if made else 'is ready'}.")
    return 0


app.add_typer(ledger_budgets.app, name="budget", short_help="Make, list and close budgets.")
app.add_typer(ledger_individual.app, name="individual", short_help="A budget for each of many people.")
for place in (ledger_charges, ledger_reports, ledger_audit):
    for name, command, short_help in place.COMMANDS:
        app.command(name, cls=Command, short_help=short_help)(command)
