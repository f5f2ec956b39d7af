"""`tightbudget filter`: which filter admits how many of the steps to come."""

import sys
from typing import Annotated

import typer

from tightbudget.adaptive.filters import Choice, Choices, parse_increment
from tightbudget.adaptive.filters.choose import best
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.options import Json, MixRelations, amount
from tightbudget.interfaces.cli.plain import Command, group
from tightbudget.interfaces.cli.tables import Column, folded, table
from tightbudget.interfaces.cli.terminal import patiently, show, show_styled
from tightbudget.version import __version__

REFUSED = 4

LONGEST_FIGURE = 24  # of a budget, in the heading

app = group(help="Pay-as-you-go budgets: filters that hold when every step is chosen adaptively.")


@app.callback()
def _about() -> None:
    """Pay-as-you-go budgets: filters that hold when every step is chosen adaptively."""


@app.command("compare", cls=Command, short_help="How many steps each filter admits.")
def compare(
    epsilon: Annotated[
        str, typer.Option(help="The ε of the budget; a decimal number or p/q, taken exactly.", parser=amount, metavar="E")
    ],
    delta: Annotated[str, typer.Option(help="The δ of the budget, taken exactly.", parser=amount, metavar="D")],
    each: Annotated[
        str, typer.Option(help="A step like those to come: a mechanism, a composition, zcdp(...) or rdp(...).", metavar="STEP")
    ],
    delta_for_steps: Annotated[
        str | None,
        typer.Option(
            help="The part of δ for the δs of steps.", parser=amount, metavar="D", show_default="half, if the step has a δ"
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
    expected = parse_increment(each, mix_relations)
    choices = patiently(lambda: best(epsilon, delta, expected, delta_for_steps), "counting steps")
    if as_json:
        show(_as_json(choices))
    else:
        figures = (_figure(choices.epsilon, epsilon), _figure(choices.delta, delta))
        show_styled(_as_table(choices, *figures))
    if choices[0].count > 0:
        return 0
    print("Note: no filter admits even one such step.", file=sys.stderr)
    return REFUSED


def _figure(exactly: str, typed: str) -> str:
    """Return a budget as it will be kept, unless that is a fraction too long to read; then as it was typed."""
    return exactly if len(exactly) <= LONGEST_FIGURE else typed


def _as_table(choices: Choices, epsilon: str, delta: str) -> list[tuple[str, str]]:
    title = folded(f"Steps like {choices.increment} within ε = {epsilon}, δ = {delta}")
    cells = [(choice.name, str(choice.count) if choice.filter is not None else "-", choice.note) for choice in choices]
    heading, rows = table([Column("filter"), Column("steps", right=True), Column("", prose=True)], cells)
    lines = [*((line, "") for line in title.split("\n")), ("", ""), *((line, "bold") for line in heading)]
    for choice, shown in zip(choices, rows, strict=True):
        lines += [(line, "" if choice.filter is not None else "dim") for line in shown]
    return lines


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
