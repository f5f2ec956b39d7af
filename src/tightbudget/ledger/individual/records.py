"""Records of the journal: a charge with who took part in it, or that one was given back.

A record is a line of JSON, its head, and the mask, one bit for each person, compressed. Amounts that are the same for
all are in the head; others are in a file of their own, whose digest is in the head.
"""

import json
import secrets
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.ledger.entries import Body, canonical
from tightbudget.ledger.individual.whole_files import Draft, damaged, read_ends, read_whole

Mask = NDArray[np.bool_]

_LONGEST_HEAD = 2**18


@dataclass(frozen=True, slots=True)
class Head:
    """What a record is about. Of one that gives back, `of` is the number of the charge, and nothing else is told.

    `cost` is what each of those who take part pays, in units; None if that is in the file of costs.
    """

    seq: int
    key: str = ""
    payload: Body = field(default_factory=dict)
    ttl: float | None = None
    cost: float | None = None
    costs: str = ""
    of: int = 0
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))
    """Nobody who knows all but this can try out masks until one has the right digest."""

    @property
    def increment(self) -> str:
        return str(self.payload["increment"])


def draft_of(folder: Path, head: Head, mask: Mask | None) -> Draft:
    """Return a finished record that has no name yet."""
    bits = b"" if mask is None else zlib.compress(np.packbits(mask).data, 1)
    return Draft(folder, [canonical(asdict(head)) + b"\n", bits])


def read_head(path: Path) -> tuple[Head, bytes]:
    """Return the head of a record and the record's digest; neither is checked against the rest."""
    begin, digest = read_ends(path, _LONGEST_HEAD)
    return _read_record_head(path, begin), digest


def read_record(path: Path, people: int) -> tuple[Head, Mask | None]:
    """Return a record, checked."""
    found = read_whole(path)
    head = _read_record_head(path, found)
    bits = found.partition(b"\n")[2]
    if not bits:
        return head, None
    try:
        packed = np.frombuffer(zlib.decompress(bits), dtype=np.uint8)
    except zlib.error:
        raise damaged(path) from None
    if len(packed) != -(-people // 8):
        raise damaged(path)
    return head, np.unpackbits(packed, count=people).view(np.bool_)


def _read_record_head(path: Path, found: bytes) -> Head:
    try:
        fields: dict[str, Any] = json.loads(found.partition(b"\n")[0])
        return Head(**fields)
    except (ValueError, TypeError, RecursionError):
        raise damaged(path) from None
