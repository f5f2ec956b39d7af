"""Balances in a file, and beside it a small file that says what they mean.

    people.f64         8 bytes for each person, little-endian float64, nothing else: it can be memory-mapped
    people.f64.json    version, kind, budget, number of people, unit

Order of writing. `write` makes the balances first, forced to disk, and the header last, by renaming a finished file; so a
header is only ever seen beside whole balances, and balances without a header are refused. A charge writes balances chunk by
chunk and, if durable, forces them to disk before it says who may take part. If the process or the machine stops in the middle,
some people have been charged for a step that was never run, and nobody was let into a step without being charged. One 8-byte
number is never torn: it lies within one disk sector. Two processes must not charge the same file at once; nothing here prevents
it.
"""

import json
import os
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter

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
