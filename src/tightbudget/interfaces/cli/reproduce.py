"""`tightbudget reproduce`: the paper's evaluation computed again, into a folder."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import figures
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import INTERRUPTED
from tightbudget.interfaces.cli.files import STANDARD_OUTPUT
from tightbudget.interfaces.cli.terminal import show_words

if TYPE_CHECKING:
    from tightbudget.research.reproduce.model import Figure
    from tightbudget.research.reproduce.run import Outcome, Watch


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points and buckets: under a minute, not ten.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report, figures and tables.", metavar="DIR")] = Path("reproduction"),
) -> int:
    """Compute the evaluation of "Tight on Budget?" again and write a report with a verdict on each of its claims.

    Interrupt it when you like: figures that are finished are not computed again by the next run.

    \b
    Example:
      tightbudget reproduce --quick --out report
    """
    figures.require_matplotlib()
    if out == STANDARD_OUTPUT or (out.exists() and not out.is_dir()):
        raise InvalidParameter("--out", str(out), "a folder, or a new name for one")
    try:
        with _reproduction_progress() as watch:
            outcome = library.run(out, quick, figures.rendered_figure, watch)
    except KeyboardInterrupt:
        print(f"Error: Interrupted; figures finished so far are kept in {str(out)!r}. Run it again to go on.", file=sys.stderr)
        return INTERRUPTED
    show_words(_as_text(outcome))
    return 0


@contextmanager
def _reproduction_progress() -> "Iterator[Watch]":
    """Show a bar on standard error, if a person is watching."""
    if not sys.stderr.isatty():
        yield lambda figure, place, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("figures")

        def watch(figure: "Figure", place: int, total: int) -> None:
            progress.update(task, description=figure.title, completed=place, total=total)

        yield watch


def _as_text(outcome: "Outcome") -> str:
    from tightbudget.research.reproduce.verdicts import ALL

    lines = []
    for result in outcome.results:
        counts = Counter(claim.verdict for claim in result.claims)
        found = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ALL if counts[verdict])
        lines.append(f"{result.figure.title}: {found}{' (from an earlier run)' if result.reused else ''}")
    return "\n".join([*lines, f"Wrote {outcome.report}"])
