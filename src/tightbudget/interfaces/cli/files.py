"""Files written whole or not at all."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import plot as picture
from tightbudget.interfaces.cli.options import Usage

STANDARD_OUTPUT = Path("-")


def check_targets(plot: Path | None, csv_file: Path | None = None, as_json: bool = False) -> None:
    """Refuse a picture or a table that could not be written, or both under one name."""
    if csv_file == STANDARD_OUTPUT and as_json:
        raise Usage("Standard output has room for one of --json and --csv -.")
    if plot is not None:
        picture.require()
        check_target("--plot", plot, picture.FORMATS)
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
    if not path.parent.is_dir():
        raise InvalidParameter(name, str(path), "in a folder that exists", f"Make {str(path.parent)!r} first.")


def as_csv(heading: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return text.getvalue().encode()


def written(contents: dict[Path, bytes]) -> list[str]:
    """Write every file, and return what to say of it; what goes to standard output is left out."""
    files = {path: content for path, content in contents.items() if path != STANDARD_OUTPUT}
    write_all(files)
    return [f"Wrote {path}" for path in files]


def write_all(contents: dict[Path, bytes]) -> None:
    """Write every file under a temporary name beside its own, then rename them all; on a failure leave none behind."""
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in contents}
    try:
        for path, draft in drafts.items():
            try:
                draft.write_bytes(contents[path])
            except OSError as problem:  # about the file that was asked for, not the draft
                raise OSError(problem.errno, problem.strerror, str(path)) from None
        for path, draft in drafts.items():
            os.replace(draft, path)
    finally:
        for draft in drafts.values():
            with suppress(OSError):  # it may never have been made
                draft.unlink(missing_ok=True)
