"""Files written whole or not at all; what is no file (pipes, devices, open files) is written to as it is."""

import csv
import io
import os
import re
import shutil
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import figures
from tightbudget.interfaces.cli.options import Usage

STANDARD_OUTPUT = Path("-")
_OPEN_FILES = {"/dev/stdout": 1, "/dev/stderr": 2}
_OPEN_FILE = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]{1,9})")


def check_targets(plot: Path | None, csv_file: Path | None = None, as_json: bool = False) -> None:
    """Refuse a picture or a table that could not be written, or both under one name."""
    if csv_file == STANDARD_OUTPUT and as_json:
        raise Usage("Standard output has room for one of --json and --csv -.")
    if plot is not None:
        figures.require_matplotlib()
        check_target("--plot", plot, figures.FORMATS)
    if csv_file is not None and csv_file != STANDARD_OUTPUT:
        check_target("--csv", csv_file)
    if plot is not None and csv_file is not None and plot.resolve() == csv_file.resolve():
        raise InvalidParameter("--csv", str(csv_file), "another file than --plot")


def check_target(name: str, path: Path, suffixes: tuple[str, ...] = ()) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise InvalidParameter(name, str(path), f"a file name ending in {' or '.join(suffixes)}")
    if path.is_dir():
        raise InvalidParameter(name, str(path), "a file name, not a folder")
    if _written_as_it_is(path):
        return
    target = path.resolve()
    if not target.parent.is_dir():
        raise InvalidParameter(name, str(path), "in a folder that exists", f"Make {str(target.parent)!r} first.")
    if target.exists() and not _may_be_written(target):
        raise InvalidParameter(name, str(path), "a file that may be written to")


def _may_be_written(path: Path) -> bool:
    """Return whether the file itself may be written to: a folder that may be would let us put another in its place."""
    return os.access(path, os.W_OK) and bool(path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def _written_as_it_is(path: Path) -> bool:
    return open_file(path) is not None or (path.exists() and not path.is_file())


def open_file(path: Path) -> int | None:
    """Return the descriptor that the path is a name of; opening it again would start at the beginning of a file."""
    if (named := _OPEN_FILE.fullmatch(str(path))) is not None:
        return int(named[1])
    return _OPEN_FILES.get(str(path))


def rows_as_csv(heading: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return text.getvalue().encode()


def write_and_say(contents: dict[Path, bytes]) -> list[str]:
    """Write every file, and return what to say of it; what goes to standard output is left out."""
    files = {path: content for path, content in contents.items() if path != STANDARD_OUTPUT}
    write_all(files)
    return [f"Wrote {path}" for path in files]


def write_all(contents: dict[Path, bytes]) -> None:
    """Write every file under a temporary name beside its own, then rename them all; on a failure leave none behind."""
    drafts = {path: _draft_of_file(path.resolve()) for path in contents if not _written_as_it_is(path)}
    try:
        for path, content in contents.items():
            try:
                _write_file(drafts.get(path, path), content)
            except OSError as problem:  # about the file that was asked for, not the draft
                raise OSError(problem.errno, problem.strerror, str(path)) from None
        for path, draft in drafts.items():
            target = path.resolve()  # a link stays one
            with suppress(FileNotFoundError):  # a new file
                shutil.copymode(target, draft)
            os.replace(draft, target)
    finally:
        for draft in drafts.values():
            with suppress(OSError):  # it may never have been made
                draft.unlink(missing_ok=True)


def _draft_of_file(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _write_file(path: Path, content: bytes) -> None:
    descriptor = open_file(path)
    with open(path if descriptor is None else os.dup(descriptor), "wb") as file:
        file.write(content)
