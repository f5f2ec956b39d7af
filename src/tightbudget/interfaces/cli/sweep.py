"""`tightbudget sweep`: a plan of many compositions and questions, on all cores or a Dask cluster, kept as it goes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.deliver import deliver
from tightbudget.interfaces.cli.exit_codes import INTERRUPTED, NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.files import check_targets
from tightbudget.interfaces.cli.options import Csv, Json, whole_typed
from tightbudget.interfaces.cli.progress import progress
from tightbudget.interfaces.cli.terminal import say_note, show

if TYPE_CHECKING:
    from tightbudget.sweeps.results import SweepResult


def sweep(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", hidden=True)],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results, as Parquet; what is there is not done again.", metavar="DIR")
    ] = None,
    scheduler: Annotated[str | None, typer.Option(help="Run on the Dask cluster at this address.", metavar="ADDRESS")] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes on this machine.", parser=whole_typed, metavar="N", show_default="as many as processors"),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try points again that failed in an earlier run.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the answers to this .png or .svg file.", metavar="FILE")] = None,
    csv_file: Csv = None,
    as_json: Json = False,
) -> int:
    """Answer every question of a plan at every point of it.

    PLAN is a TOML file: a composition with gaps, the values that fill them, and the questions to ask.

    Interrupt it when you like: with --out, points that are finished are not computed again by the next run.

    \b
    Example:
      tightbudget sweep plan.toml --out results.parquet --plot epsilon.png
    """
    check_targets(plot, csv_file, as_json)
    output = library.sweep_output
    checked = output.read_sweep_plan(plan)
    if plot is not None:
        output.check_drawable(checked)
    try:
        with progress("answers", wanted=not as_json) as watch:
            result = library.sweep(checked, scheduler, out, workers, retry_failed=retry_failed, watch=watch)
    except KeyboardInterrupt:
        kept = f"what is finished is kept in {str(out)!r}. Run it again to go on" if out else "nothing was written"
        print(f"Error: Interrupted; {kept}.", file=sys.stderr)
        return INTERRUPTED
    files: dict[Path, bytes] = {}
    if plot is not None:
        files[plot] = output.picture(result, plot.suffix[1:].lower())
    if csv_file is not None:
        files[csv_file] = output.sweep_as_csv(result)
    shape = (lambda: output.sweep_shape(result)) if as_json else None
    deliver(files, csv_file, shape, lambda done: show("\n".join([*output.sweep_as_text(result), *done])))
    return _finish_sweep(result)


def _finish_sweep(result: "SweepResult") -> int:
    tally = result.tally
    if tally.failed:
        first = f"{tally.failed} of {tally.answers} answers failed; the first says: {tally.first_error.rstrip('.')}"
        again = "run it again" if tally.lost == tally.failed else "--retry-failed tries them again"
        say_note(f"{first}." + (f" With the same --out, {again}." if result.path else ""))
    if tally.wide:
        say_note(f"{tally.wide} of {tally.answers} brackets hold but are wider than asked.")
    return 0 if result.converged else NOT_NARROW_ENOUGH
