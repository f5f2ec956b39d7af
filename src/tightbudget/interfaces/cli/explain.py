"""`tightbudget explain`: the risk in plain words and odds, as JSON or as a picture."""

from pathlib import Path
from typing import Annotated

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import figures, wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.files import check_target, write_and_say
from tightbudget.interfaces.cli.options import Effort, Expression, Json, MixRelations, Relation, Rtol, number_typed
from tightbudget.interfaces.cli.questions import say_bracket
from tightbudget.interfaces.cli.terminal import patiently, show

LONGEST_UNIT = 40


def explain(
    expression: Expression,
    delta: Annotated[
        float, typer.Option(help="The δ of the ε that is told, between 0 and 1.", parser=number_typed, metavar="D")
    ],
    unit: Annotated[str, typer.Option(help="What is protected, in a word or two, such as person.", metavar="NAME")] = "record",
    prior: Annotated[
        float, typer.Option(help="What the attacker believes before, between 0 and 1.", parser=number_typed, metavar="P")
    ] = 0.5,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the ROC curve and δ(ε) side by side to this .png or .svg file.", metavar="FILE"),
    ] = None,
    rtol: Rtol = 1e-3,
    effort: Effort = None,
    relation: Relation = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print in plain words what an attacker can do who sees the release.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget explain "poisson(gaussian(4), q=0.01) * 65536" --delta 1e-6 --unit person
    """
    private = library.parse(expression, mix_relations).asked(relation)
    if not 0.0 < prior < 1.0:
        raise InvalidParameter("--prior", prior, "above 0 and below 1", "0.5 is an attacker who is unsure.")
    if not (0 < len(unit) <= LONGEST_UNIT and unit.isprintable() and unit == unit.strip()):
        raise InvalidParameter(
            "--unit", unit, f"a word or two, up to {LONGEST_UNIT} characters", "person and record are usual."
        )
    if plot is not None:
        figures.require_matplotlib()
        check_target("--plot", plot, figures.FORMATS)
    output = library.explain_output
    found = patiently(lambda: output.explained_risk(private, delta, unit, prior, rtol, effort), "weighing the odds")
    note = library.class_note(private)
    done = []
    if plot is not None:
        target = plot
        done = write_and_say(
            {target: patiently(lambda: output.explanation_picture(private, target, rtol, effort), "drawing the curves")}
        )
    show(
        wire.json_text(wire.explanation_shape(found, rtol, note))
        if as_json
        else "\n".join([output.explanation_text(found), *done])
    )
    say_bracket(note)
    if found.converged:
        return 0
    say_bracket(f"the brackets hold but some are wider than asked: {found.reason or 'no reason given'}.")
    return NOT_NARROW_ENOUGH
