"""`tightbudget filter`: which filter admits how many of the steps to come."""

from typing import Annotated

import typer

from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import REFUSED
from tightbudget.interfaces.cli.options import Json, MixRelations, amount_typed, note_if_swapped
from tightbudget.interfaces.cli.plain import Command, plain_group
from tightbudget.interfaces.cli.terminal import patiently, say_note, show, show_styled

app = plain_group(help="Pay-as-you-go budgets: filters that hold when every step is chosen adaptively.")


@app.callback()
def _filter_command() -> None:
    """Pay-as-you-go budgets: filters that hold when every step is chosen adaptively."""


@app.command("compare", cls=Command, short_help="How many steps each filter admits.")
def compare(
    epsilon: Annotated[
        str, typer.Option(help="The ε of the budget; a decimal number or p/q, taken exactly.", parser=amount_typed, metavar="E")
    ],
    delta: Annotated[str, typer.Option(help="The δ of the budget, taken exactly.", parser=amount_typed, metavar="D")],
    each: Annotated[
        str, typer.Option(help="A step like those to come: a mechanism, a composition, zcdp(...) or rdp(...).", metavar="STEP")
    ],
    delta_for_steps: Annotated[
        str | None,
        typer.Option(
            help="The part of δ for the δs of steps.",
            parser=amount_typed,
            metavar="D",
            show_default="half, if the step has a δ",
        ),
    ] = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print how many such steps each filter admits. Choose one before the first step; never change after.

    \b
    Example:
      tightbudget filter compare --epsilon 1 --delta 1e-6 --each "pure_dp(epsilon=0.01)"
    """
    expected = library.parse_increment(each, mix_relations)
    choices = patiently(lambda: library.best_filters(epsilon, delta, expected, delta_for_steps), "counting steps")
    if as_json:
        show(library.filters_output.filters_json(choices))
    else:
        show_styled(library.filters_output.filters_table(choices, epsilon, delta))
    note_if_swapped(epsilon, delta)
    if choices[0].count > 0:
        return 0
    say_note("no filter admits even one such step.")
    return REFUSED
