"""The commands put together, and every error shown as one sentence on standard error."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from tightbudget import __version__
from tightbudget.errors import BudgetRefused, TightBudgetError
from tightbudget.interfaces.cli import compare, curve, filters, odometer, questions, reproduce, study
from tightbudget.interfaces.cli.terminal import INTERRUPTED

NAME = "tightbudget"
BAD_INPUT = 2

app = typer.Typer(
    name=NAME,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("epsilon")(questions.epsilon)
app.command("delta")(questions.delta)
app.command("curve")(curve.curve)
app.add_typer(study.app, name="study")
app.command("compare")(compare.compare)
app.add_typer(filters.app, name="filter")
app.add_typer(odometer.app, name="odometer")
app.command("reproduce")(reproduce.reproduce)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tightbudget {__version__}")
        raise typer.Exit


@app.callback()
def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Certified (ε, δ) brackets for any composition of differentially private mechanisms.

    Both ends are proven, rounding errors included: the true value lies between them.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # an old terminal shows ? for ε, and that is all
    try:
        code = app(args=None if arguments is None else list(arguments), prog_name=NAME, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except BudgetRefused as problem:
        _say(str(problem))
        return filters.REFUSED
    except TightBudgetError as problem:
        return _say("\n".join([str(problem), *getattr(problem, "__notes__", [])]))
    except OSError as problem:
        where = f" {problem.filename!r}" if problem.filename else ""
        return _say(f"Cannot use the file{where}: {problem.strerror or problem}.")
    except (KeyboardInterrupt, typer.Abort):
        _say("Interrupted; nothing was written.")
        return INTERRUPTED
    except Exception as problem:
        # Usage errors of the command line; their class has moved between versions of Typer, their face has not.
        if hasattr(problem, "format_message") and hasattr(problem, "exit_code"):
            sentence = problem.format_message().strip()
            ended = sentence if sentence.endswith((".", "?")) else f"{sentence}."
            return _say(f"{ended} See {_asked(problem)} --help.") if sentence else BAD_INPUT
        raise


def _asked(problem: Exception) -> str:
    """Return the command that the problem is about, as it is typed."""
    return getattr(getattr(problem, "ctx", None), "command_path", NAME)


def _say(sentence: str) -> int:
    print(f"Error: {sentence}", file=sys.stderr)
    return BAD_INPUT
