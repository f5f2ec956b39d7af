"""An answer as it was asked for: its files first, then JSON, CSV or text on standard output."""

from collections.abc import Callable
from pathlib import Path

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import STANDARD_OUTPUT, write_and_say
from tightbudget.interfaces.cli.terminal import show


def deliver(
    files: dict[Path, bytes],
    csv_file: Path | None,
    shape: Callable[[], wire.Wire] | None,
    as_text: Callable[[list[str]], None],
) -> None:
    """Write the files and show the answer: its shape as JSON if there is one, or as text, with lines on the files."""
    done = write_and_say(files)
    if shape is not None:
        show(wire.json_text(shape()))
    elif csv_file == STANDARD_OUTPUT:
        show(files[csv_file].decode().rstrip("\n"))
    else:
        as_text(done)
