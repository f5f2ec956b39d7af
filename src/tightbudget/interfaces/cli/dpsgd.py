"""`tightbudget dpsgd`: a training run from the numbers of its loop."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.dpsgd_plan import phase_typed, read_training_plan
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.files import check_target, write_and_say
from tightbudget.interfaces.cli.options import Effort, Json, Rtol, Trace, Usage, number_typed, whole_typed
from tightbudget.interfaces.cli.questions import say_bracket
from tightbudget.interfaces.cli.terminal import patiently, show

FORMATS = (".txt", ".md")


def _dpsgd_option(kind: Any, text: str, metavar: str) -> Any:
    return typer.Option(help=text, parser=kind, metavar=metavar, show_default=False)


def dpsgd(
    examples: Annotated[int | None, _dpsgd_option(whole_typed, "Number of training examples.", "N")] = None,
    batch: Annotated[int | None, _dpsgd_option(whole_typed, "Expected size of a batch.", "B")] = None,
    epochs: Annotated[
        float | None, _dpsgd_option(number_typed, "Epochs; N / B steps each, rounded up in the end.", "E")
    ] = None,
    noise_multiplier: Annotated[
        float | None, _dpsgd_option(number_typed, "Standard deviation of the noise over the clipping norm.", "S")
    ] = None,
    target_epsilon: Annotated[
        float | None, _dpsgd_option(number_typed, "Find the least noise for this ε, in place of --noise-multiplier.", "E")
    ] = None,
    delta: Annotated[float | None, _dpsgd_option(number_typed, "The δ to hold, well below 1/N.", "D")] = None,
    sample_rate: Annotated[float | None, _dpsgd_option(number_typed, "Sampling rate, in place of --batch.", "Q")] = None,
    steps: Annotated[int | None, _dpsgd_option(whole_typed, "Number of steps, in place of --epochs.", "T")] = None,
    phases: Annotated[
        list[str] | None,
        typer.Option(
            "--phase",
            help="One phase of several, as 'epochs=5 noise_multiplier=1.2 batch=256'; may be repeated.",
            metavar="PHASE",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Read settings and [[phase]] tables from this TOML file.", metavar="FILE")
    ] = None,
    statement: Annotated[
        Path | None, typer.Option(help="Write the statement to this .txt or .md file.", metavar="FILE")
    ] = None,
    rtol: Rtol = 1e-3,
    effort: Effort = None,
    trace: Trace = False,
    as_json: Json = False,
) -> int:
    """Print what a run of DP-SGD costs: a bracket of ε, and a privacy statement with every assumption.

    What a phase does not say is taken from the other options, and options take the place of what the plan says.

    \b
    Example:
      tightbudget dpsgd --examples 60000 --batch 256 --epochs 20 --noise-multiplier 1.1 --delta 1e-5
    """
    typed = {
        "examples": examples,
        "batch": batch,
        "epochs": epochs,
        "noise_multiplier": noise_multiplier,
        "target_epsilon": target_epsilon,
        "delta": delta,
        "sample_rate": sample_rate,
        "steps": steps,
        "phases": [phase_typed(one) for one in phases] if phases else None,
    }
    settings = _dpsgd_settings(plan, typed)
    if statement is not None:
        check_target("--statement", statement, FORMATS)
    run = patiently(
        lambda: library.dpsgd(**settings, rtol=rtol, effort=effort),
        "bracketing ε" if target_epsilon is None else "searching the least noise",
    )
    output = library.dpsgd_output
    done = [] if statement is None else write_and_say({statement: output.statement_file(run, statement)})
    if as_json:
        show(wire.json_text(wire.training_shape(run, rtol)))
    else:
        show("\n".join([output.dpsgd_text(run), *(["", *library.trace_lines(run.epsilon, rtol)] if trace else []), *done]))
    if run.epsilon.converged:
        return 0
    say_bracket(f"the bracket holds but is wider than asked: {run.epsilon.reason or 'no reason given'}.")
    return NOT_NARROW_ENOUGH


def _dpsgd_settings(plan: Path | None, typed: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the plan, and in their place those that were typed."""
    given = {name: value for name, value in typed.items() if value is not None}
    planned = {} if plan is None else read_training_plan(plan)
    for names in (("batch", "sample_rate"), ("epochs", "steps"), ("noise_multiplier", "target_epsilon")):
        if any(name in given for name in names):
            planned = {name: value for name, value in planned.items() if name not in names}
    settings = planned | given
    if "delta" not in settings:
        raise Usage("Missing option '--delta'; 1e-5 is a usual choice for fewer than 100000 examples.")
    return settings
