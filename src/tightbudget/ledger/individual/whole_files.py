"""Files that are there whole or not at all: written beside their place, forced to disk, and only then renamed.

The last 32 bytes are the SHA-256 of all before them, so that what a disk has lost or turned is noticed. Only the owner
may read them.
"""

import errno
import hashlib
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import LedgerCorrupt, LedgerUnavailable

DRAFT = ".draft"
_END = 32
_AT_ONCE = 2**24


class Draft:
    """A finished file without its name yet; `put` gives it one, `drop` removes it."""

    def __init__(self, folder: Path, parts: Iterable[Any]) -> None:
        self._path = folder / f"{uuid.uuid4().hex}{DRAFT}"
        hasher = hashlib.sha256()
        try:
            with os.fdopen(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb", buffering=0) as file:
                for part in parts:
                    view = memoryview(part).cast("B")
                    hasher.update(view)
                    _write_all(file, view)
                self.digest = hasher.digest()
                _write_all(file, memoryview(self.digest))
                os.fsync(file.fileno())
        except BaseException as problem:
            self.drop()
            if isinstance(problem, OSError):
                raise unavailable(folder, problem) from problem
            raise

    def put(self, path: Path) -> None:
        """Give the file its name, on disk too. A name is given once."""
        try:
            if path.exists():  # the folder is locked, so nobody makes one in between
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            os.rename(self._path, path)
            force_folder(path.parent)
        except OSError as problem:
            raise unavailable(path, problem) from problem

    def drop(self) -> None:
        self._path.unlink(missing_ok=True)


def read_whole(path: Path) -> bytes:
    """Return what was written, without its digest; refuse anything else."""
    try:
        found = path.read_bytes()
    except OSError as problem:
        raise unavailable(path, problem) from problem
    if len(found) < _END or hashlib.sha256(memoryview(found)[:-_END]).digest() != found[-_END:]:
        raise damaged(path)
    return found[:-_END]


def read_ends(path: Path, most: int) -> tuple[bytes, bytes]:
    """Return the beginning of a file and its digest, unchecked."""
    try:
        with path.open("rb") as file:
            begin = file.read(most)
            file.seek(-min(_END, path.stat().st_size), os.SEEK_END)
            return begin, file.read()
    except OSError as problem:
        raise unavailable(path, problem) from problem


def read_numbers(path: Path, into: NDArray[np.float64]) -> bytes:
    """Fill an array with the numbers of a file of as many; return the file's digest."""
    hasher = hashlib.sha256()
    try:
        with path.open("rb", buffering=0) as file:
            if os.fstat(file.fileno()).st_size != into.nbytes + _END:
                raise damaged(path)
            view = memoryview(into.data).cast("B")
            for start in range(0, len(view), _AT_ONCE):
                part = view[start : start + _AT_ONCE]
                if _read_into(file, part) < len(part):
                    raise damaged(path)
                hasher.update(part)
            if file.read() != hasher.digest():
                raise damaged(path)
    except OSError as problem:
        raise unavailable(path, problem) from problem
    return hasher.digest()


def numbers_to_write(numbers: NDArray[np.float64]) -> Iterable[Any]:
    """Yield an array in parts, as files have it."""
    step = _AT_ONCE // 8
    for start in range(0, len(numbers), step):
        yield np.ascontiguousarray(numbers[start : start + step], dtype="<f8")


def force_folder(folder: Path) -> None:
    """Force the names in a folder to disk."""
    found = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(found)
    finally:
        os.close(found)


def unavailable(path: Path, problem: OSError) -> LedgerUnavailable:
    why = problem.strerror or str(problem)
    return LedgerUnavailable(f"{path} cannot be read or written ({why}).", "Nobody takes part in what was not charged.")


def damaged(path: Path) -> LedgerCorrupt:
    hint = "Restore the whole folder from a copy that is as new as the log, or go on with a new budget."
    return LedgerCorrupt(f"{path} is not what was written.", hint)


def _write_all(file: Any, view: memoryview) -> None:
    while view:
        view = view[file.write(view) :]


def _read_into(file: Any, view: memoryview) -> int:
    done = 0
    while done < len(view) and (count := file.readinto(view[done:])):
        done += count
    return done
