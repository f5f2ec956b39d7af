"""Balances in a file, and beside it a small file that says what they mean.

    people.f64         8 bytes for each person, little-endian float64, nothing else: it can be memory-mapped
    people.f64.json    version, kind, budget, number of people, unit

Order of writing. `write` makes the balances first, forced to disk, and the header last, by renaming a finished file; so a
header is only ever seen beside whole balances, and balances without a header are refused. A charge writes balances chunk by
chunk and, if durable, forces them to disk before it says who may take part. If the process or the machine stops in the middle,
some people have been charged for a step that was never run, and nobody was let into a step without being charged. One 8-byte
number is never torn: it lies within one disk sector.

One writer. Whoever charges a file holds a lock on it (flock): neither another process nor a second filter of this one can open
it meanwhile. The system lets go of the lock when the process ends, however it ends. On a network file system a lock is worth
as much as that system makes it.
"""

import json
import os
import uuid
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import CannotShare, InvalidParameter

try:
    import fcntl
except ImportError:  # not a Unix
    fcntl = None  # type: ignore[assignment]

Array = NDArray[np.float64]

VERSION = 1
LITTLE_ENDIAN = np.dtype("<f8")


class Header(NamedTuple):
    kind: str
    settings: dict[str, Any]
    people: int
    digits: int


def header_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def write(path: Path, header: Header, balances: Array) -> None:
    """Write a new pair of files; existing ones are never touched."""
    if path.exists() or header_path(path).exists():
        raise InvalidParameter("path", str(path), "a file that does not exist yet", "Balances are never overwritten.")
    with path.open("xb") as file:
        balances.astype(LITTLE_ENDIAN, copy=False).tofile(file)
        file.flush()
        os.fsync(file.fileno())
    text = json.dumps({"version": VERSION, **header._asdict()}, indent=2)
    # a name of its own, and made anew: `people.draft` may be somebody's balances
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}.draft")
    try:
        with draft.open("x", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, header_path(path))
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read(path: Path) -> tuple[Header, Array]:
    """Return the header and the balances, memory-mapped; changes to them are changes to the file."""
    header = _header(path)
    if not path.exists() or path.stat().st_size != 8 * header.people:
        raise InvalidParameter("path", str(path), f"a file of {8 * header.people} bytes, as its header says")
    return header, np.memmap(path, dtype=LITTLE_ENDIAN, mode="r+", shape=(header.people,))


def mapped(balances: Array) -> np.memmap[Any, Any] | None:
    """Return the file that the balances are a view of, None if they lie in memory of their own; refuse any other place.

    What is charged elsewhere, in another process's memory or on a page that is copied when it is written to, might be lost.
    """
    place: Any = balances
    while isinstance(place, np.ndarray):
        if isinstance(place, np.memmap) and getattr(place, "_mmap", None) is not None:
            return _checked_map(place)
        place = place.base
    if place is not None:
        hint = "Give a copy of them, np.array(balances), or the np.memmap itself."
        raise InvalidParameter(
            "balances", f"in memory of a {type(place).__name__}", "in memory of NumPy's or an np.memmap", hint
        )
    return None


def _checked_map(file: np.memmap[Any, Any]) -> np.memmap[Any, Any]:
    if file.mode == "c":
        raise InvalidParameter("balances", "mapped with mode 'c'", "mapped with mode 'r+'", "Charges would not reach the file.")
    return file


class Hold:
    """The lock on a file, until `let_go` or the end."""

    def __init__(self, path: str | Path | None) -> None:
        if path is None:
            raise InvalidParameter("balances", "in a file without a name", "in a file that can be locked by its name")
        if fcntl is None:
            raise CannotShare(
                "This system has no file locks, so others might charge the same file.", "Keep balances in memory."
            )
        descriptor = os.open(path, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            os.close(descriptor)
            taken = isinstance(problem, BlockingIOError)
            why = "is open already, here or in another process" if taken else f"cannot be locked ({problem.strerror})"
            raise CannotShare(f"{path} {why}.", "One filter charges a file; close() the other one first.") from None
        self.let_go = weakref.finalize(self, _let_go, descriptor, os.getpid())


def _let_go(descriptor: int, owner: int) -> None:
    """Unlock the file; a forked child, which has the same lock, only closes its end."""
    if os.getpid() == owner:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _header(path: Path) -> Header:
    try:
        found = json.loads(header_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidParameter("path", str(path), "balances with a readable header beside them, a .json file") from None
    fields = dict(found) if isinstance(found, dict) else {}
    version = fields.pop("version", None)
    if version != VERSION or type(version) is not int:
        raise InvalidParameter("version", found, f"{VERSION}", "The file was written by another version of the package.")
    whole = all(type(fields.get(name)) is int and fields[name] >= 0 for name in ("people", "digits"))
    if set(fields) != set(Header._fields) or not whole or not isinstance(fields["settings"], dict) or not fields["people"]:
        raise InvalidParameter("header", found, f"an object of {', '.join(Header._fields)}")
    return Header(**fields)
