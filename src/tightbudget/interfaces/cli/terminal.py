"""The terminal: answers shown, and a sign of life while work takes long."""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from tightbudget.interfaces.cli.spelling import SPELT_OUT
from tightbudget.interfaces.cli.tables import folded_text, shown_width

Result = TypeVar("Result")

PATIENCE_SECONDS = 1.0


def prepare_streams() -> bool:
    """Make both streams take whatever we print; return whether there is a standard output at all."""
    if sys.stderr is None:  # closed by 2>&-; print would then write its errors among the answers
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the program runs
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SPELT_OUT)
    return sys.stdout is not None


def show(answer: str, end: str = "\n") -> None:
    """Print the answer; a reader who leaves early (head, less) has seen enough and is no error."""
    try:
        print(answer, end=end, flush=True)
    except BrokenPipeError:
        # Nothing may be written to the closed pipe any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_words(text: str) -> None:
    """Print text for people, folded between words where the terminal is narrow."""
    show(folded_text(text))


def say_note(note: str) -> None:
    """Print a note for people on standard error, folded as answers are; machines find what it says in the JSON."""
    print(folded_text(f"Note: {note}"), file=sys.stderr)


def show_styled(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines, each with the name of a style; only a terminal shows styles."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, width=shown_width())  # of its own it takes COLUMNS=0 at its word, and prints nothing
    with console.capture() as captured:
        for line, style in lines:
            shown = Text(line, style="" if console.legacy_windows else style)  # old ones print the codes of styles
            console.print(shown, soft_wrap=True)  # never wrapped, never cut
    show(captured.get().rstrip("\n"))


def patiently(work: Callable[[], Result], label: str) -> Result:
    """Return work(); when it takes longer than a second and a person is watching, show a moving bar meanwhile."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        return work()
    job = _TerminalJob(work)
    if not job.done_within(PATIENCE_SECONDS):
        _show_bar_until_done(job, label)
    return job.result()


def watched(work: Callable[[Callable[[int], None]], Result], label: str, total: int) -> Result:
    """Return work(tell), where tell(done) says how many of `total` parts are done; a person watching sees them."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        return work(lambda done: None)
    done = [0]
    job = _TerminalJob(lambda: work(lambda parts: done.__setitem__(0, parts)))
    if not job.done_within(PATIENCE_SECONDS):
        _show_progress_until_done(job, label, total, done)
    return job.result()


class _TerminalJob(Generic[Result]):
    """Work in a thread of its own; a daemon, so that Ctrl-C ends the program at once."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._outcome: list[Result] = []
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome.append(self._work())
        except BaseException as problem:  # carried to the waiting thread and raised there
            self._problem = problem

    def done_within(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> Result:
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        return self._outcome[0]


def _show_bar_until_done(job: _TerminalJob[Result], label: str) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(label, total=None)
        while not job.done_within(0.1):
            pass


def _show_progress_until_done(job: _TerminalJob[Result], label: str, total: int, done: list[int]) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        while not job.done_within(0.1):
            progress.update(task, completed=done[0])
