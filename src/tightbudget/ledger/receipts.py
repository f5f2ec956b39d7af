"""Receipts: what a ledger hands out for a charge, and what anybody can check with the public key alone."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.ledger import entries
from tightbudget.ledger.entries import Body

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_STATES = {
    entries.RESERVED: "reserved",
    entries.CHARGED: "committed",
    entries.COMMITTED: "committed",
    entries.ABORTED: "aborted",
    entries.REFUNDED: "refunded",
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """A charge as the log has it. `state` is reserved, committed, aborted or refunded.

    `entry` is the entry of the log itself, word for word, and `hash` its SHA-256, by which the next entry knows it. A
    ledger that was opened with a signing key signs what it hands out. `price` is exact; of filters without prices it is
    empty. A reservation commits by itself at `expires`.
    """

    ledger: str
    budget: str
    key: str
    state: str
    increment: str
    sequence: int
    time: datetime
    hash: str
    entry: str
    price: dict[str, str]
    expires: datetime | None = None
    reason: str = ""
    signature: str = ""

    def __str__(self) -> str:
        until = f", commits by itself at {self.expires:%Y-%m-%d %H:%M:%S} UTC" if self.expires else ""
        why = f" ({self.reason})" if self.reason else ""
        step = "an empty step" if self.increment == "nothing" else self.increment
        return f"{step} {self.state}{why} on {self.budget!r} as {self.key!r}, entry {self.sequence}{until}"

    def as_json(self) -> dict[str, Any]:
        """Return it fit for JSON; `tightbudget.ledger.receipt_from_json` reads it."""
        found = {name: getattr(self, name) for name in self.__slots__}
        found["time"] = self.time.isoformat()
        found["expires"] = self.expires.isoformat() if self.expires else None
        return found


def receipt_from_json(found: object) -> Receipt:
    """Return the receipt that `as_json` gave; raise InvalidParameter if it is none."""
    texts = {name for name in Receipt.__slots__ if name not in ("sequence", "price", "time", "expires")}
    try:
        if not isinstance(found, dict):
            raise TypeError
        expires = found["expires"]
        times = {"time": datetime.fromisoformat(found["time"]), "expires": datetime.fromisoformat(expires) if expires else None}
        read = Receipt(**{**found, **times})
        if not all(isinstance(getattr(read, name), str) for name in texts) or type(read.sequence) is not int:
            raise TypeError
    except (KeyError, TypeError, ValueError):
        shown = found if not isinstance(found, dict) else f"an object with {', '.join(map(str, found)) or 'nothing'}"
        raise InvalidParameter("receipt", shown, "an object of JSON as a receipt writes it (as_json, charge --json)") from None
    return read


def receipt_of(name: str, charge: Body, entry: Body, raw: bytes, digest: bytes) -> Receipt:
    """Return the receipt of a charge whose newest entry is given; `charge` is the one that first had its key."""
    state = _STATES[entry["kind"]]
    return Receipt(
        ledger=entry["ledger"],
        budget=name,
        key=charge["key"],
        state=state,
        increment=charge["increment"],
        sequence=entry["seq"],
        time=moment(entry["time"]),
        hash=digest.hex(),
        entry=raw.decode("ascii"),
        price=charge.get("price") or {},
        expires=moment(charge["expires"]) if state == "reserved" else None,
        reason=entry.get("reason", ""),
    )


def moment(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
