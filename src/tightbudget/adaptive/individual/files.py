"""Balances in a file, and beside it a small file that says what they mean.

    people.f64         8 bytes for each person, little-endian float64, nothing else: it can be memory-mapped
    people.f64.json    version, kind, budget, number of people, unit

Order of writing. `write_balances` makes the balances first, forced to disk, and the header last, by renaming a finished
file; so a header is only ever seen beside whole balances, and balances without a header are refused. A charge writes
balances chunk by chunk and, if durable, forces them to disk before it says who may take part. If the process or the
machine stops in the middle, some people have been charged for a step that was never run, and nobody was let into a step
without being charged. One 8-byte number is never torn: it lies within one disk sector.

One writer. Whoever charges a file holds a lock on it (flock): neither another process nor a second filter of this one
can open it meanwhile. What is charged is mapped from the locked file itself, and no longer charged once another file
has its name: whoever comes next would lock and read that one. The system lets go of the lock when the process ends,
however it ends. On a network file system a lock is worth as much as that system makes it.
"""

import json
import mmap
import os
import uuid
import weakref
from pathlib import Path
from typing import IO, Any, NamedTuple

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


def checked_path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise InvalidParameter("path", path, "the name of a file")
    return Path(path)


def header_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def write_balances(path: Path, header: Header, balances: Array) -> None:
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


def read_balances(path: Path) -> tuple[Header, Array]:
    """Return the header and the balances, memory-mapped; changes to them are changes to the file."""
    header = _read_balances_header(path)
    if not path.exists() or path.stat().st_size != 8 * header.people:
        raise InvalidParameter("path", str(path), f"a file of {8 * header.people} bytes, as its header says")
    return header, np.memmap(path, dtype=LITTLE_ENDIAN, mode="r+", shape=(header.people,))


def mapped_file(balances: Array) -> np.memmap[Any, Any] | None:
    """Return the file that the balances are a view of, None if they lie in memory of their own; refuse any other place.

    What is charged elsewhere, in another process's memory or on a page that is copied when it is written to, might be
    lost.
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
    """The lock on a file, until `let_go` or the end, and what is mapped of the very file that is locked."""

    def __init__(self, given: np.memmap[Any, Any], balances: Array) -> None:
        """Lock the file by its name and map it again: another may have taken the name since the caller mapped it."""
        if given.filename is None:
            raise InvalidParameter("balances", "in a file without a name", "in a file that can be locked by its name")
        self._path = os.path.abspath(given.filename)
        self._locked = lock_file(self._path)
        self.let_go = weakref.finalize(self, unlock_file, self._locked, os.getpid())
        try:
            self.file, self.balances = _mapped_again(self._locked, given, balances)
        except BaseException:
            self.let_go()
            raise

    def check(self) -> None:
        """Refuse a file that is no longer the one of its name: others would lock and read the other one."""
        try:
            found = os.stat(self._path)
        except OSError:
            found = None
        if found is None or not os.path.samestat(found, os.fstat(self._locked.fileno())):
            hint = "Nobody was charged. Open the file again, if its balances are the true ones."
            raise CannotShare(f"{self._path} was replaced or removed and is another file now.", hint)


def check_whole(file: np.memmap[Any, Any]) -> None:
    """Refuse a file that has become shorter than what is mapped of it: the system ends who reads beyond the end."""
    memory: mmap.mmap = file._mmap  # type: ignore[attr-defined]
    if memory.size() < _mapped_balances_start(file) + len(memory):
        raise CannotShare(f"{file.filename} is shorter than it was when it was opened.", "Put back the whole file.")


def _mapped_balances_start(file: np.memmap[Any, Any]) -> int:
    """Return where in the file the mapped memory starts: at a whole page."""
    return file.offset - file.offset % mmap.ALLOCATIONGRANULARITY


def _mapped_again(locked: IO[bytes], given: np.memmap[Any, Any], balances: Array) -> tuple[np.memmap[Any, Any], Array]:
    """Return a map of the locked file and in it the balances, which must be those in the caller's map."""
    check_whole(given)
    first = np.frombuffer(given._mmap, dtype=np.uint8)  # type: ignore[attr-defined]
    ends = balances[:1].ctypes.data, balances[-1:].ctypes.data
    low, high = min(ends), max(ends) + 8
    offset = _mapped_balances_start(given) + low - first.ctypes.data
    if os.fstat(locked.fileno()).st_size < offset + high - low:  # NumPy would lengthen it, with balances of 0
        raise CannotShare(f"{given.filename} is shorter than the balances given.", "It may have been replaced: map it again.")
    file = np.memmap(locked, dtype=LITTLE_ENDIAN, mode="r+", offset=offset, shape=((high - low) // 8,))
    again: Array = np.asarray(file)[:: balances.strides[0] // 8]
    if not np.array_equal(again.view(np.int64), balances.view(np.int64)):
        raise CannotShare(f"The balances in {given.filename} differ from those given.", "It was replaced: map it again.")
    return file, again


def lock_file(path: str) -> IO[bytes]:
    """Return the file, open and locked; raise CannotShare if somebody has it."""
    if fcntl is None:
        raise CannotShare("This system has no file locks, so others might charge the same file.", "Keep balances in memory.")
    try:
        file = open(path, "r+b", buffering=0)  # noqa: SIM115  # it stays open as long as it is locked
    except OSError as problem:
        raise CannotShare(f"{path} cannot be opened ({problem.strerror}).", "Map the file that counts.") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        file.close()
        taken = isinstance(problem, BlockingIOError)
        why = "is open already, here or in another process" if taken else f"cannot be locked ({problem.strerror})"
        raise CannotShare(f"{path} {why}.", "One filter charges a file; close() the other one first.") from None
    return file


def unlock_file(locked: IO[bytes], owner: int) -> None:
    """Unlock the file; a forked child, which has the same lock, only closes its end."""
    try:
        if os.getpid() == owner and fcntl is not None:
            fcntl.flock(locked, fcntl.LOCK_UN)
    finally:
        locked.close()


def _read_balances_header(path: Path) -> Header:
    try:
        found = json.loads(header_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise InvalidParameter("path", str(path), "balances with a readable header beside them, a .json file") from None
    if not isinstance(found, dict):
        raise InvalidParameter("header", found, f"an object of version, {', '.join(Header._fields)}")
    fields = dict(found)
    version = fields.pop("version", None)
    if version != VERSION or type(version) is not int:
        raise InvalidParameter("version", found, f"{VERSION}", "The file was written by another version of the package.")
    whole = all(type(fields.get(name)) is int and fields[name] >= 0 for name in ("people", "digits"))
    if set(fields) != set(Header._fields) or not whole or not isinstance(fields["settings"], dict) or not fields["people"]:
        raise InvalidParameter("header", found, f"an object of {', '.join(Header._fields)}")
    return Header(**fields)
