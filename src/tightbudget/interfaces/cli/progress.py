"""Progress of long work on standard error: how much is done, how fast, and how long it will still take."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ROOM_FOR_A_BAR = 70  # columns

Watch = Callable[[int, int, int], None]
"""Is told how much is done, how much of that by an earlier run, and how much there is in all."""


@contextmanager
def progress(noun: str, wanted: bool = True) -> Iterator[Watch]:
    """Show a bar while a person is watching; give the function that is told how far the work is."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda done, reused, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    counted = TextColumn(f"{{task.completed}}/{{task.total}} {noun}{{task.fields[rate]}}"), TimeRemainingColumn(compact=True)
    columns = (BarColumn(), *counted) if console.width >= ROOM_FOR_A_BAR else counted
    started = time.monotonic()
    with Progress(*columns, console=console, transient=True, speed_estimate_period=120.0) as bar:
        tasks: list[TaskID] = []

        def watch(done: int, reused: int, total: int) -> None:
            if not tasks:  # what was there before says nothing about the speed
                tasks.append(bar.add_task("", total=total, completed=done, rate=""))
            bar.update(tasks[0], completed=done, rate=_progress_rate(done - reused, time.monotonic() - started))

        yield watch


def _progress_rate(done: int, seconds: float) -> str:
    """Return how fast it goes, in words.

    >>> _progress_rate(1234, 10.0), _progress_rate(3, 10.0), _progress_rate(0, 1.0)
    (', 123/s', ', 0.3/s', '')
    """
    return f", {done / seconds:.{0 if done >= 10 * seconds else 1}f}/s" if done and seconds > 0.0 else ""
