"""History: the entries of a budget as a person asks for them, each charge once, with its state now."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sqlalchemy import and_, or_, select

from tightbudget.errors import InvalidParameter
from tightbudget.ledger import entries
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.entries import Body, read
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.receipts import moment
from tightbudget.ledger.storage.schema import entries as table

STATES = ("reserved", "committed", "aborted", "refunded", "refused", "denied")

_STATE = {
    entries.CHARGED: "committed",
    entries.RESERVED: "reserved",
    entries.COMMITTED: "committed",
    entries.ABORTED: "aborted",
    entries.REFUNDED: "refunded",
}
_CHARGES = (entries.CHARGED, entries.RESERVED)
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the history. `state` of a charge is as it stands now; that of others is their kind.

    `settled` is when the charge was committed, aborted or refunded, `budget` where it was made: here or in a part.
    """

    sequence: int
    kind: str
    state: str
    time: datetime
    budget: str
    key: str = ""
    increment: str = ""
    price: dict[str, str] | None = None
    actor: str = ""
    purpose: str = ""
    reason: str = ""
    metadata: dict[str, Any] | None = None
    settled: datetime | None = None
    expires: datetime | None = None
    hash: str = ""

    @property
    def is_charge(self) -> bool:
        return self.kind in _CHARGES

    def as_json(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__}
        for name in ("time", "settled", "expires"):
            found[name] = found[name].isoformat() if found[name] else None
        return found


def entries_of(
    budget: Budget,
    limit: int | None = None,
    *,
    state: str | None = None,
    actor: str | None = None,
    key: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: int | None = None,
    oldest_first: bool = False,
) -> list[Entry]:
    """Return entries, the newest first, at most `limit`: of a state, an actor, a key, a time, or before a sequence."""
    if limit is not None and (type(limit) is not int or limit < 0):
        raise InvalidParameter("limit", limit, "a whole number, 0 or more, or None for all")
    if state is not None and state not in (*STATES, *entries.KINDS):
        raise InvalidParameter("state", state, f"one of {', '.join(STATES)}")
    found: list[Entry] = []
    if limit == 0:
        return found
    for entry in all_entries(budget, before=before, oldest_first=oldest_first, key=key, kinds=_entry_kinds_in_state(state)):
        if since is not None and entry.time < _aware_history_time(since):
            if not oldest_first:
                break  # all that follow are older
            continue
        if until is not None and entry.time > _aware_history_time(until):
            continue
        asked_state = state in (None, entry.state if state in STATES else entry.kind)
        if asked_state and (actor is None or entry.actor == actor):
            found.append(entry)
            if len(found) == limit:
                break
    return found


def standing_charges(budget: Budget, limit: int) -> list[Entry]:
    """Return the last charges that are committed or reserved, the newest first."""
    standing = (entry for entry in all_entries(budget, kinds=_CHARGES) if entry.state in ("committed", "reserved"))
    return list(islice(standing, limit))


def _entry_kinds_in_state(state: str | None) -> tuple[str, ...] | None:
    """Return the kinds of entry that can be in a state; None for any."""
    if state is None:
        return None
    return _CHARGES if state in _STATE.values() else (state,)


def all_entries(
    budget: Budget,
    *,
    before: int | None = None,
    oldest_first: bool = False,
    key: str | None = None,
    kinds: tuple[str, ...] | None = None,
) -> Iterator[Entry]:
    """Yield all entries, or those of some kinds; what settles a charge is shown with the charge."""
    ledger, place = budget.ledger, budget._place
    settling, refund = table.alias("settling"), table.alias("refund")
    joined = table.outerjoin(settling, and_(settling.c.budget == table.c.budget, settling.c.settles == table.c.seq)).outerjoin(
        refund, and_(refund.c.budget == settling.c.budget, refund.c.settles == settling.c.seq)
    )
    query = (
        select(table.c.seq, table.c.body, table.c.hash, settling.c.body, refund.c.body)
        .select_from(joined)
        .where(table.c.budget == place.id, table.c.settles.is_(None))
        .order_by(table.c.seq if oldest_first else table.c.seq.desc())
        .limit(_PAGE)
    )
    if key is not None:
        refused = table.c.kind.in_((entries.REFUSED, entries.DENIED))  # the key of these may be one that cannot be
        query = query.where(or_(table.c.key == key, refused) if "\x00" not in key else refused)
    if kinds is not None:
        query = query.where(table.c.kind.in_(kinds))
    last = before
    names: dict[int, str] = {place.id: place.name}
    while True:
        page = query
        if last is not None:
            page = page.where(table.c.seq > last if oldest_first else table.c.seq < last)
        with ledger._database.reading() as connection:
            rows = connection.execute(page).all()
        for seq, raw, digest, settled, refunded in rows:
            entry = _history_entry(ledger, names, read(bytes(raw)), bytes(digest), settled, refunded)
            if key is None or entry.key == key:
                yield entry
            last = seq
        if len(rows) < _PAGE:
            return


def _history_entry(ledger: Ledger, names: dict[int, str], body: Body, digest: bytes, settled: Any, refunded: Any) -> Entry:
    newest = read(bytes(refunded)) if refunded is not None else read(bytes(settled)) if settled is not None else body
    kind = str(body["kind"])
    origin = int(body.get("origin") or body["budget"])
    if origin not in names:
        names[origin] = ledger._book.row(origin).name
    reserved = newest["kind"] == entries.RESERVED
    return Entry(
        sequence=body["seq"],
        kind=kind,
        state=str(_STATE.get(newest["kind"], kind)),
        time=moment(body["time"]),
        budget=names[origin],
        key=body.get("key", ""),
        increment=body.get("increment", ""),
        price=body.get("price"),
        actor=body.get("actor", ""),
        purpose=body.get("purpose", ""),
        reason=newest.get("reason", "") or body.get("reason", ""),
        metadata=body.get("metadata"),
        settled=moment(newest["time"]) if newest is not body else None,
        expires=moment(body["expires"]) if reserved else None,
        hash=digest.hex(),
    )


def _aware_history_time(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
