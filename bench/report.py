"""The report: tables on the terminal with Rich, and in RESULTS.md."""

import importlib.metadata
import os
import platform
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from cases import CASES
from tables import Table

HOW = """\
One thread, one process at a time; each line is a process of its own that imports the tool first and then answers.
*Time* covers everything from the parameters to the answer (for ours, from the text of the expression to the bracket):
the median of at least three runs after a first one, or the only run where that takes longer than 0.5 s. *First* is the
first run in the process. *Memory* is the growth of peak resident memory in the first run; *total* includes the imports.
*Error* is the signed relative excess of the upper bound over the truth; a negative one means that the "upper bound" is
below the truth. The truths are stored in `cases.py` and come from `truth.py`: closed forms, exact sums and contour
integrals at 40 digits or more, independent of every accountant. Peers run through their public interface:
dp-accounting's `PLDAccountant`, which merges repeated Gaussians into one (for randomized response its PLD, since the
accountant ignores that event's count); prv-accountant's `PRVAccountant` with `delta_error` a thousandth of delta.

A *ratio* compares a sound peer setting whose error is below 1 % with our two-sided bracket at the tolerance that makes
our upper end at least as accurate (never looser than the default 1e-3). Each case has two: against the quickest sound
setting, and against the setting least in our favour, which may be a finer one. *Bare FFT* is the time of the transforms
the answer asked for (their number in brackets), alone, on random arrays of the same shapes."""


def progress(name: str, started: float) -> None:
    print(f"[{time.perf_counter() - started:5.0f} s] {name}", file=sys.stderr, flush=True)


def show(made: list[Table]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 180)
    for table in made:
        shown = RichTable(title=table.title, title_justify="left", caption=table.note or None)
        for column in table.columns:
            shown.add_column(column, overflow="fold")
        for row in table.rows:
            shown.add_row(*(cell.replace("**", "").replace("[", r"\[") for cell in row))
        console.print(shown)


def write(path: Path, made: list[Table], elapsed: float) -> Path:
    lines = [
        "# Benchmark results",
        "",
        "Written by `make bench`; do not edit.",
        "",
        *_machine(elapsed),
        "",
        "## How it was measured",
        "",
    ]
    lines += [HOW, "", "Questions:", "", *(f"- `{case.name}`: {case.question}" for case in CASES), ""]
    for table in made:
        lines += [f"## {table.title}", ""]
        lines += [f"| {' | '.join(table.columns)} |", "|" + " --- |" * len(table.columns)]
        lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table.rows]
        lines += ["", textwrap.fill(table.note, 120), ""] if table.note else [""]
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return path


def _machine(elapsed: float) -> list[str]:
    cpuinfo, model = Path("/proc/cpuinfo"), platform.processor() or platform.machine()
    if cpuinfo.exists():
        models = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = models[0] if models else model
    names = ("tightbudget", "numpy", "scipy", "dp-accounting", "prv-accountant")
    return [
        f"- Date: {datetime.now(UTC):%Y-%m-%d} (took {elapsed:.0f} s)",
        f"- Machine: {model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()}, " + ", ".join(f"{name} {_version(name)}" for name in names),
    ]


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "(source tree)"
