"""`tightbudget filter`: which filter admits how many of the steps to come."""

import io
import sys
from typing import Annotated

import typer

from tightbudget import __version__
from tightbudget.filters import Choice, Choices, best, parse_increment
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.questions import Json, MixRelations
from tightbudget.interfaces.cli.terminal import patiently, show

REFUSED = 4

app = typer.Typer(no_args_is_help=True, help="Pay-as-you-go budgets: filters that hold when every step is chosen adaptively.")


@app.callback()
def _about() -> None:
    """Pay-as-you-go budgets: filters that hold when every step is chosen adaptively."""


@app.command("compare")
def compare(
    epsilon: Annotated[str, typer.Option(help="The ε of the budget; a decimal number or p/q, taken exactly.")],
    delta: Annotated[str, typer.Option(help="The δ of the budget, taken exactly.")],
    each: Annotated[str, typer.Option(help="A step like those to come: a mechanism, a composition, zcdp(...) or rdp(...).")],
    delta_for_steps: Annotated[
        str | None, typer.Option(help="The part of δ for the δs of steps.", show_default="half, if the step has a δ")
    ] = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print how many such steps each filter admits. Choose one before the first step; never change after.

    \b
    Example:
      tightbudget filter compare --epsilon 1 --delta 1e-6 --each "pure_dp(epsilon=0.01)"
    """
    expected = parse_increment(each, mix_relations)
    choices = patiently(lambda: best(epsilon, delta, expected, delta_for_steps), "counting steps")
    show(_as_json(choices) if as_json else _as_table(choices))
    if choices[0].count > 0:
        return 0
    print("Note: no filter admits even one such step.", file=sys.stderr)
    return REFUSED


def _as_table(choices: Choices) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    title = f"Steps like {choices.increment} within ε = {choices.epsilon}, δ = {choices.delta}"
    table = Table("filter", box=box.SIMPLE_HEAD)
    table.add_column("steps", justify="right")
    table.add_column("", overflow="fold")
    for choice in choices:
        table.add_row(choice.name, str(choice.count) if choice.filter is not None else "-", choice.note)
    text = io.StringIO()
    Console(file=text, width=100, no_color=True, highlight=False).print(table)
    return "\n".join([title, *(line.rstrip() for line in text.getvalue().strip("\n").splitlines())])


def _as_json(choices: Choices) -> str:
    return wire.dumps(
        {
            "expression": str(choices.increment),
            "epsilon": choices.epsilon,
            "delta": choices.delta,
            "filters": [_shape(choice) for choice in choices],
            "version": __version__,
        }
    )


def _shape(choice: Choice) -> wire.Wire:
    state = choice.filter.state() if choice.filter is not None else None
    counted = {"steps": choice.count, "or_more": choice.or_more}
    return {"filter": choice.name, **counted, "applies": state is not None, "note": choice.note, "state": state}
