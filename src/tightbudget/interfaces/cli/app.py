"""The commands put together, and every error shown as one sentence on standard error."""

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tightbudget.errors import BudgetRefused, TightBudgetError
from tightbudget.interfaces.cli.exit_codes import BAD_INPUT, BROKEN, INTERRUPTED, REFUSED, UNAVAILABLE
from tightbudget.interfaces.cli.later import Later
from tightbudget.interfaces.cli.plain import plain_group
from tightbudget.interfaces.cli.terminal import prepare_streams, say_note
from tightbudget.version import __version__

NAME = "tightbudget"
COMMANDS = (
    ("epsilon", "questions:epsilon", "The smallest ε at a δ."),
    ("delta", "questions:delta", "The smallest δ at an ε."),
    ("check", "check:check", "Whether a budget is kept."),
    ("calibrate", "calibrate:calibrate", "The noise, rate or count that meets a target."),
    ("curve", "curve:curve", "δ over a range of ε."),
    ("explain", "explain:explain", "The risk in plain words."),
    ("dpsgd", "dpsgd:dpsgd", "A training run and its statement."),
    ("explain-sampling", "explain_sampling:explain_sampling", "Which sampling a data loader does."),
    ("convert", "convert:convert", "Other tools' words for a composition."),
    ("compute-dp-epsilon", "compute_dp_epsilon:compute_dp_epsilon", "ε of DP-SGD by prv_accountant's flags."),
    ("sweep", "sweep:sweep", "Many compositions, on all cores."),
    ("serve", "serve:serve", "The HTTP service and its pages."),
    ("study", "study:app", "Case studies."),
    ("compare", "compare:compare", "The classic bounds beside ours."),
    ("filter", "filters:app", "Budgets for adaptive steps."),
    ("odometer", "odometer:app", "Odometers against adversaries."),
    ("ledger", "ledger:app", "Durable budgets with an audit log."),
    ("reproduce", "reproduce:reproduce", "A paper's evaluation again."),
)
CODES = {
    "budget_closed": REFUSED,
    "ledger_busy": UNAVAILABLE,
    "ledger_unavailable": UNAVAILABLE,
    "clock_went_back": UNAVAILABLE,
    "ledger_corrupt": BROKEN,
}
ELSEWHERE = {
    ("tightbudget epsilon", "No such option: --epsilon"): "The δ at an ε is what tightbudget delta tells.",
    ("tightbudget delta", "No such option: --delta"): "The ε at a δ is what tightbudget epsilon tells.",
    **{
        ("tightbudget ledger", f"No such command '{name}'"): f"It is tightbudget ledger budget {name}."
        for name in ("create", "split", "extend", "list", "show", "lower", "close")
    },
}
"""What is asked of one command and answered by another, by the beginning of the complaint."""

app = plain_group(name=NAME, add_completion=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tightbudget {__version__}")
        raise typer.Exit


@app.callback()
def _tightbudget_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Certified (ε, δ) brackets for any composition of differentially private mechanisms.

    Both ends are proven, rounding errors included: the true value lies between them.
    """


def _whole_command() -> Any:
    """Return the command with all others in it, none of which is imported before it is run."""
    whole: Any = typer.main.get_command(app)
    for name, place, short_help in COMMANDS:
        whole.add_command(Later(name, f"{__package__}.{place}", short_help))
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    if not prepare_streams():
        return _say_error("Standard output is closed, so no answer can be shown; send it to a file or to /dev/null.")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note_warning
            code = _whole_command()(args=None if arguments is None else list(arguments), prog_name=NAME, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except BudgetRefused as problem:
        _say_error(str(problem))
        return REFUSED
    except TightBudgetError as problem:
        _say_error("\n".join([str(problem), *getattr(problem, "__notes__", [])]))
        return CODES.get(problem.code, BAD_INPUT)
    except SystemExit:  # a reader who left in the middle of help: Typer stops there, in whatever mode; answers do not
        return 0
    except OSError as problem:
        what = f"use the file {problem.filename!r}" if problem.filename else "write to standard output"
        return _say_error(f"Cannot {what}: {problem.strerror or problem}.")
    except (KeyboardInterrupt, typer.Abort):
        _say_error("Interrupted; nothing was written.")
        return INTERRUPTED
    except Exception as problem:
        # Usage errors of the command line; their class has moved between versions of Typer, their face has not.
        if hasattr(problem, "format_message") and hasattr(problem, "exit_code"):
            sentence = problem.format_message().strip()
            if sentence.startswith("Usage: "):  # nothing was asked: the help itself
                print(sentence, file=sys.stderr)
                return BAD_INPUT
            if not sentence:
                return BAD_INPUT
            asked = _command_asked(problem)
            ended = sentence if sentence.endswith((".", "?")) else f"{sentence}."
            return _say_error(_meant_elsewhere(asked, sentence) or f"{ended} See {asked} --help.")
        raise


def _meant_elsewhere(asked: str, sentence: str) -> str:
    """Return the error of what is asked of a command that another one answers; nothing if that is not known."""
    for (command, beginning), meant in ELSEWHERE.items():
        if command == asked and sentence.startswith(beginning):
            return f"{beginning}. {meant}"
    return ""


def _command_asked(problem: Exception) -> str:
    """Return the command that the problem is about, as it is typed."""
    return getattr(getattr(problem, "ctx", None), "command_path", NAME)


def _note_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Say what the library warns of: which line of ours it was is nothing to whoever types."""
    say_note(str(message))


def _say_error(sentence: str) -> int:
    print(f"Error: {sentence}", file=sys.stderr)
    return BAD_INPUT
