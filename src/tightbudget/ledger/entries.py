"""Entries of the log: canonical bytes, each with the SHA-256 of the entry before it.

The bytes are JSON with sorted keys and no spaces, in ASCII. They name the ledger, the budget, the number of the entry
and the hash of the one before, so that none can be changed, dropped, moved or copied elsewhere without a break. They
are hashed as they are stored and never written anew.
"""

import hashlib
import json
from typing import Any

VERSION = 1

Body = dict[str, Any]

START = bytes(32)
"""What stands for the entry before the first one."""

OPENED, CLOSED, LOWERED, EXTENDED = "opened", "closed", "lowered", "extended"
CHARGED, RESERVED, REFUSED, DENIED = "charged", "reserved", "refused", "denied"
COMMITTED, ABORTED, REFUNDED = "committed", "aborted", "refunded"
CREATED, CHECKPOINT = "created", "checkpoint"  # of the ledger's own chain: a budget was made; heads were signed

KINDS = (
    OPENED, CLOSED, LOWERED, EXTENDED, CHARGED, RESERVED, REFUSED, DENIED, COMMITTED, ABORTED, REFUNDED, CREATED, CHECKPOINT,
)  # fmt: skip

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode


def canonical(body: Body) -> bytes:
    """Return the one way to write a body down.

    >>> canonical({"b": 1, "a": ["é"]})
    b'{"a":["\\\\u00e9"],"b":1}'
    """
    return _encode(body).encode("ascii")


def text_of(value: Any) -> str:
    """Return what is kept in columns, in the same form."""
    return _encode(value)


def hash_of(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def read(body: bytes) -> Body:
    found: Body = json.loads(body)
    return found
