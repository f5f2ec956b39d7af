"""`tightbudget check`: whether a composition keeps a budget."""

from typing import Annotated

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH, REFUSED
from tightbudget.interfaces.cli.options import Effort, Expression, Json, MixRelations, Relation, note_if_swapped, number_typed
from tightbudget.interfaces.cli.questions import say_bracket
from tightbudget.interfaces.cli.terminal import patiently, show, show_words

_CODES = {"proven": 0, "refuted": REFUSED, "undecided": NOT_NARROW_ENOUGH}
_WORDS = {
    "proven": "proven, the budget is kept",
    "refuted": "refuted, the budget is not kept",
    "undecided": "undecided, the budget may or may not be kept",
}


def check(
    expression: Expression,
    epsilon: Annotated[float, typer.Option(help="The ε to keep, 0 or more.", parser=number_typed, metavar="E")],
    delta: Annotated[float, typer.Option(help="The δ to keep it at, between 0 and 1.", parser=number_typed, metavar="D")],
    effort: Effort = None,
    relation: Relation = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Say whether a budget is kept: proven, refuted (exit code 4) or undecided (exit code 3).

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget check "poisson(gaussian(4), q=0.01) * 65536" --epsilon 4 --delta 1e-6
    """
    note_if_swapped(epsilon, delta)
    private = library.parse(expression, mix_relations).asked(relation)
    found = patiently(lambda: library.verdict_on(private, epsilon, delta, effort), "checking")
    note = library.class_note(private)
    if as_json:
        show(wire.json_text(wire.verdict_shape(str(private), epsilon, delta, found, note)))
    else:
        sign = {"epsilon": "ε", "delta": "δ"}[found.target.name]
        given = f"δ = {delta!r}" if sign == "ε" else f"ε = {epsilon!r}"
        show_words(f"{_WORDS[found.word]}: {sign} in {found.answer} at {given} ({found.answer.relation})")
    say_bracket(note)
    if found.word == "undecided" and not note:
        say_bracket(f"{found.answer.reason or 'no narrower bracket can be had'}.")
    return _CODES[found.word]
