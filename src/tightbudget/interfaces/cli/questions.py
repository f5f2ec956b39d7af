"""`tightbudget epsilon` and `tightbudget delta`: one question, one bracket."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.options import (
    Effort,
    Expression,
    Json,
    MixRelations,
    OneWay,
    Relation,
    Rtol,
    Trace,
    number_typed,
)
from tightbudget.interfaces.cli.terminal import patiently, say_note, show, show_words

if TYPE_CHECKING:
    from tightbudget.numerics.bracket import Bracket


def epsilon(
    expression: Expression,
    delta: Annotated[float, typer.Option(help="The δ to hold, between 0 and 1.", parser=number_typed, metavar="D")],
    rtol: Rtol = 1e-3,
    effort: Effort = None,
    relation: Relation = None,
    direction: OneWay = None,
    mix_relations: MixRelations = False,
    trace: Trace = False,
    as_json: Json = False,
) -> int:
    """Print a bracket that holds the smallest ε at the given δ.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget epsilon "poisson(gaussian(4), q=0.01) * 65536" --delta 1e-6
    """
    private = library.parse(expression, mix_relations).asked(relation, direction)
    answer = patiently(lambda: private.epsilon(delta=delta, rtol=rtol, effort=effort), "bracketing ε")
    note = library.class_note(private)
    if as_json:
        show(wire.json_text(wire.bracket_shape(str(private), {"delta": delta}, answer, rtol, note, direction)))
    else:
        show_words(f"ε in {answer} at δ = {delta!r} ({_relation_of_question(answer, direction)})")
        show_trace(answer, rtol, trace)
    return finish(answer, note)


def delta(
    expression: Expression,
    epsilon: Annotated[float, typer.Option(help="The ε to hold; it may be negative.", parser=number_typed, metavar="E")],
    rtol: Rtol = 1e-3,
    effort: Effort = None,
    relation: Relation = None,
    direction: OneWay = None,
    mix_relations: MixRelations = False,
    trace: Trace = False,
    as_json: Json = False,
) -> int:
    """Print a bracket that holds the smallest δ at the given ε.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget delta "gaussian(80) * 512 + laplace(200) * 10" --epsilon 0.5
    """
    private = library.parse(expression, mix_relations).asked(relation, direction)
    answer = patiently(lambda: private.delta(epsilon=epsilon, rtol=rtol, effort=effort), "bracketing δ")
    note = library.class_note(private)
    if as_json:
        show(wire.json_text(wire.bracket_shape(str(private), {"epsilon": epsilon}, answer, rtol, note, direction)))
    else:
        show_words(f"δ in {answer} at ε = {epsilon!r} ({_relation_of_question(answer, direction)})")
        show_trace(answer, rtol, trace)
    return finish(answer, note)


def _relation_of_question(answer: "Bracket", direction: str | None) -> str:
    return answer.relation if direction is None else f"{answer.relation}, {direction} only"


def show_trace(answer: "Bracket", rtol: float, wanted: bool) -> None:
    """Print how the bracket was made, if that is wanted."""
    if wanted:
        show("\n".join(["", *library.trace_lines(answer, rtol)]))


def say_bracket(note: str) -> None:
    """Print a note for people on standard error; machines find it in the JSON."""
    if note:
        say_note(note)


HOLDS = "the bracket holds but is wider than asked: "


def finish(answer: "Bracket", note: str = "") -> int:
    """Say what there is to say of an answer that was shown, and return the exit code."""
    say_bracket(note)
    if answer.lower == math.inf:
        say_bracket("no ε is large enough: whatever ε is, the loss exceeds it with more than this probability.")
    if answer.converged:
        return 0
    reason = answer.reason or "no reason given"
    if note and library.of_a_class(reason):  # the note has said so
        return NOT_NARROW_ENOUGH
    say_note(f"{reason if library.not_certified(reason) else HOLDS + reason}.")
    return NOT_NARROW_ENOUGH
