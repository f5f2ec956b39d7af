"""`tightbudget ledger individual`: a budget for each of many people, made and charged where their records are."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.files import check_target
from tightbudget.interfaces.cli.ledger_charges import Metadata, Purpose, charge_metadata
from tightbudget.interfaces.cli.ledger_options import (
    DEFAULT_LEDGER,
    Actor,
    BudgetName,
    Description,
    LedgerUrl,
    NewName,
    SigningKey,
    SomeBudget,
    Unit,
    opened,
)
from tightbudget.interfaces.cli.options import Json, amount_typed, number_typed, whole_typed
from tightbudget.interfaces.cli.plain import Command, plain_group
from tightbudget.interfaces.cli.terminal import patiently, show, show_styled, show_words

app = plain_group()

USUAL_DELTA = 1e-6

Folder = Annotated[Path, typer.Option("--path", help="The folder of the balances, on this machine.", metavar="DIR")]
DeltaShown = Annotated[float, typer.Option("--delta", help="The δ to show ε at.", parser=number_typed, metavar="D")]


@app.callback()
def _ledger_individual_command() -> None:
    """Budgets for each of many people: whoever cannot pay for a step is left out of it.

    The log says which steps were charged, to anybody. Balances, and who takes part, are as private as the records.
    """


@app.command("create", cls=Command, short_help="Make a budget for each.")
def create(
    name: NewName,
    people: Annotated[int, typer.Option(help="How many people there may be.", parser=whole_typed, metavar="N")],
    budget: Annotated[str, typer.Option(help="What each of them has, taken exactly.", parser=amount_typed, metavar="B")],
    path: Annotated[Path, typer.Option("--path", help="A new folder for the balances.", metavar="DIR")],
    filter: Annotated[
        str, typer.Option("--filter", help="What amounts are: zcdp (rho), gdp (mu) or renyi.", metavar="KIND")
    ] = "zcdp",
    order: Annotated[
        str | None, typer.Option(help="The order of renyi.", parser=amount_typed, metavar="A", show_default=False)
    ] = None,
    unit: Unit = "person",
    description: Description = "",
    delta: DeltaShown = USUAL_DELTA,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Make a budget called NAME, the same for each of many people. Keep its folder where their records are.

    \b
    Example:
      tightbudget ledger individual create visits --people 1000 --budget 0.5 --path visits
    """
    with opened(ledger) as found:
        settings: dict[str, Any] = {"filter": filter, "order": order, "unit": unit, "description": description}
        with found.create_individual_budget(name, people=people, budget=budget, path=path, **settings) as made:
            _show_individual(made, delta, as_json)
    return 0


@app.command("charge", cls=Command, short_help="Charge those who can pay.")
def charge(
    budget: BudgetName,
    amounts: Annotated[str, typer.Argument(metavar="AMOUNTS", hidden=True)],
    path: Folder,
    key: Annotated[
        str, typer.Option(help="A name for this one charge: with the same one, a retry charges nobody.", metavar="K")
    ],
    mask: Annotated[
        Path, typer.Option(help="Write who may take part to this .npy, .txt or .csv file. PRIVATE.", metavar="FILE")
    ],
    actor: Actor = None,
    purpose: Purpose = None,
    metadata: Metadata = None,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Charge everybody who can pay, and write who that is. Do it before the step, and run the step on these alone.

    AMOUNTS is one number for all, or a file with one for each: .npy, or text with a line for each; inf leaves out. Run
    the step even if nobody may take part: that it was left out would tell so.

    \b
    Example:
      tightbudget ledger individual charge visits norms.npy --path visits --key mean-1 --mask mask.npy
    """
    files = library.individual_files
    check_target("--mask", mask, files.MASKS)
    told = {"key": key, "actor": actor, "purpose": purpose, "metadata": charge_metadata(metadata)}
    increment = files.amounts_typed(amounts)
    with opened(ledger, signing_key) as found, found.individual_budget(budget, path=path) as one:
        charged = patiently(lambda: one.charge(increment, **told), "charging")
        files.write_mask(mask, charged.mask)
        if as_json:
            show(wire.json_text(charged.receipt.as_json()))
        else:
            show_words(f"{charged.receipt}\nWrote {mask}, which is PRIVATE: run the step on these records and on no others.")
    return 0


@app.command("status", cls=Command, short_help="What anybody may know.")
def status(
    budget: SomeBudget = None, delta: DeltaShown = USUAL_DELTA, ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False
) -> int:
    """Show what BUDGET promises to each, and how much was charged; or list all. What anybody has left is not told.

    See also: ledger history, ledger verify.

    \b
    Example:
      tightbudget ledger individual status visits --delta 1e-6
    """
    with opened(ledger) as found:
        if budget is not None:
            _show_individual(found.individual_budget(budget), delta, as_json)
            return 0
        every = [found.individual_budget(name) for name in found.individual_names()]
        output = library.ledger_individual_output
        if as_json:
            show(wire.json_text({"budgets": [output.individual_shape(each, delta) for each in every]}))
        else:
            show_styled(output.individuals_lines(every))
    return 0


@app.command("statement", cls=Command, short_help="What it promises, in words.")
def statement(budget: BudgetName, ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False) -> int:
    """Print what BUDGET promises to each, why, and what was assumed, in plain language.

    \b
    Example:
      tightbudget ledger individual statement visits
    """
    with opened(ledger) as found:
        text = found.individual_budget(budget).statement()
        if as_json:
            show(wire.json_text({"name": budget, "text": text}))
        else:
            show(library.ledger_output.paragraphs_text(text.strip().split("\n\n")))
    return 0


def _show_individual(budget: Any, delta: float, as_json: bool) -> None:
    output = library.ledger_individual_output
    if as_json:
        show(wire.json_text(output.individual_shape(budget, delta)))
    else:
        show_styled(output.individual_lines(budget, delta))
