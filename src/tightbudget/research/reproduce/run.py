"""All figures into a folder: data and tables first, one figure after the other, then the report."""

import csv
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tightbudget.research.reproduce import drawing, store
from tightbudget.research.reproduce.figures import FIGURES
from tightbudget.research.reproduce.model import Claim, Data, Figure
from tightbudget.research.reproduce.report import report_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Rendered = Callable[[Callable[["Canvas"], None], tuple[float, float], str], bytes]
"""Makes a picture: what paints it, inches, "svg"."""

Watch = Callable[[Figure, int, int], None]
"""Is told which figure comes next, its place and how many there are."""


@dataclass(frozen=True, slots=True)
class Result:
    """One finished figure."""

    figure: Figure
    data: Data
    claims: Sequence[Claim]
    seconds: float
    reused: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    report: Path
    results: Sequence[Result]


def run(folder: Path, quick: bool, rendered: Rendered, watch: Watch, figures: Sequence[Figure] = FIGURES) -> Outcome:
    """Compute what is not there yet, draw everything and write the report; it may be interrupted and run again."""
    folder.mkdir(parents=True, exist_ok=True)
    results, pictures = [], {}
    for place, figure in enumerate(figures):
        watch(figure, place, len(figures))
        result = finished_figure(folder, figure, quick)
        picture = rendered(_figure_painter(result), drawing.figure_size(result.data, figure.columns), "svg")
        store.write_whole(folder / f"{figure.name}.svg", picture)
        results.append(result)
        pictures[figure.name] = picture
    store.write_whole(folder / "claims.csv", _claims_table(results))
    report = folder / "report.html"
    store.write_whole(report, report_page(results, pictures, quick).encode())
    return Outcome(report, results)


def finished_figure(folder: Path, figure: Figure, quick: bool) -> Result:
    """Return the figure from the folder, or compute it and put it there."""
    stored = store.load_result(folder, figure, quick)
    if stored is not None:
        data, seconds = stored
        return Result(figure, data, figure.claims(data.facts), seconds, reused=True)
    started = time.perf_counter()
    data = figure.compute(quick)
    seconds = time.perf_counter() - started
    store.save_result(folder, figure, quick, data, seconds)
    return Result(figure, data, figure.claims(data.facts), seconds, reused=False)


def _figure_painter(result: Result) -> "Callable[[Canvas], None]":
    return lambda canvas: drawing.draw_panels(canvas, result.data, result.figure.columns)


def _claims_table(results: Sequence[Result]) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["figure", "section", "claim", "reading", "our result", "verdict", "note"])
    for result in results:
        for claim in result.claims:
            rows.writerow(
                [result.figure.name, claim.section, claim.statement, claim.reading, claim.found, claim.verdict, claim.note]
            )
    return text.getvalue().encode()
