"""`tightbudget calibrate`: the one open number of a composition, solved for."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.options import (
    Effort,
    Expression,
    Json,
    MixRelations,
    Relation,
    Usage,
    note_if_swapped,
    number_typed,
)
from tightbudget.interfaces.cli.questions import say_bracket
from tightbudget.interfaces.cli.terminal import patiently, say_note, show, show_words

if TYPE_CHECKING:
    from tightbudget.calibration import Calibration

_Number = float | None
_TARGETS = (
    "--epsilon (with --delta), --advantage, --tpr (with --fpr), --posterior (with --prior) or --bayes-error (with --prior)"
)


def _limit_option(words: str, metavar: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(help=words, parser=number_typed, metavar=metavar, show_default=False)
    return option


def calibrate(
    expression: Expression,
    epsilon: Annotated[_Number, _limit_option("The ε to keep, 0 or more; with --delta.", "E")] = None,
    delta: Annotated[_Number, _limit_option("The δ to keep it at, between 0 and 1.", "D")] = None,
    advantage: Annotated[_Number, _limit_option("The membership advantage to keep, between 0 and 1.", "A")] = None,
    tpr: Annotated[_Number, _limit_option("The true positive rate to keep; with --fpr.", "T")] = None,
    fpr: Annotated[_Number, _limit_option("The false positive rate of the test.", "F")] = None,
    posterior: Annotated[_Number, _limit_option("What an attacker may come to believe; with --prior.", "P")] = None,
    prior: Annotated[_Number, _limit_option("What the attacker believed before.", "Q")] = None,
    bayes_error: Annotated[_Number, _limit_option("How often the best guess must be wrong; with --prior.", "B")] = None,
    low: Annotated[
        _Number, typer.Option("--min", help="Least ? to try.", parser=number_typed, metavar="X", show_default="any")
    ] = None,
    high: Annotated[
        _Number, typer.Option("--max", help="Largest ? to try.", parser=number_typed, metavar="X", show_default="any")
    ] = None,
    rtol: Annotated[
        float,
        typer.Option(help="How far apart the value and one that misses may be, relatively.", parser=number_typed, metavar="R"),
    ] = 1e-6,
    effort: Effort = None,
    relation: Relation = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print the value of ? that just meets a target, and one beside it that misses it; both are proven.

    EXPR is a composition with ? in place of one number; quote it, since a shell reads ? in its own way.

    \b
    Example:
      tightbudget calibrate "poisson(gaussian(?), q=0.01) * 10000" --epsilon 2 --delta 1e-6
    """
    if (low is None) != (high is None):
        raise Usage("Give both of --min and --max, or neither.")
    if low is not None and high is not None and not low < high < math.inf:
        raise InvalidParameter("--max", high, f"a finite number above --min, which is {low!r}")
    bounds = None if low is None or high is None else (low, high)
    if [epsilon, advantage, tpr, posterior, bayes_error].count(None) != 4:
        raise Usage(f"Give one target: {_TARGETS}.")

    def work() -> "Calibration":
        return library.calibrate(
            expression,
            epsilon=epsilon,
            delta=delta,
            advantage=advantage,
            tpr=tpr,
            fpr=fpr,
            posterior=posterior,
            prior=prior,
            bayes_error=bayes_error,
            rtol=rtol,
            bounds=bounds,
            effort=effort,
            mix_relations=mix_relations,
            relation=relation,
        )

    found = patiently(work, "calibrating")
    note = library.class_note(found.composition)
    if as_json:
        show(wire.json_text(wire.calibration_shape(found, note)))
    else:
        show_words("\n".join(_calibration_lines(found)))
    say_bracket(note)
    note_if_swapped(epsilon, delta)
    if found.converged:
        return 0
    proven = (
        "the value is proven, but" if found.too_little is None else "the two values are proven but farther apart than asked:"
    )
    say_note(f"{proven} {found.reason}.")
    return NOT_NARROW_ENOUGH


def _calibration_lines(found: "Calibration") -> list[str]:
    return [_as_people_write(line) for line in found.sentences()]


def _as_people_write(sentence: str) -> str:
    return sentence.replace("epsilon", "ε").replace("delta", "δ").replace("<=", "≤").replace(">=", "≥")
