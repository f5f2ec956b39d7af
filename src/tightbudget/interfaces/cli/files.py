"""Files written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from tightbudget.errors import InvalidParameter


def check_target(name: str, path: Path, suffixes: tuple[str, ...] = ()) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise InvalidParameter(name, str(path), f"a file name ending in {' or '.join(suffixes)}")
    if path.is_dir():
        raise InvalidParameter(name, str(path), "a file name, not a folder")
    if not path.parent.is_dir():
        raise InvalidParameter(name, str(path), "in a folder that exists", f"Make {str(path.parent)!r} first.")


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
