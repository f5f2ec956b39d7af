"""The book: everything that writes to a ledger, each decision in one transaction.

A charge locks the budget and those above it, from the outermost inwards so that no two charges wait for each other in a
circle, reads what is spent, decides, appends to the log and moves the sums. Between charges nothing is relied on that
can change: a row that this process left behind is decided upon only if it still lies there, word for word.
"""

import math
import time
import uuid
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from tightbudget.errors import (
    BudgetClosed,
    ChargeSettled,
    ClockWentBack,
    InvalidParameter,
    KeyReused,
    LedgerCorrupt,
    TightBudgetError,
    UnknownCharge,
)
from tightbudget.ledger import entries
from tightbudget.ledger.charges import Known, Payload, Place, Refusal, Row, Wanted, other_charge
from tightbudget.ledger.entries import START, Body, canonical, hash_of, read, text_of
from tightbudget.ledger.individual_rules import rules_of
from tightbudget.ledger.lowering import in_force
from tightbudget.ledger.receipts import Receipt, receipt_of
from tightbudget.ledger.rules import Decision, Rules, Step
from tightbudget.ledger.storage.database import Database, Transaction
from tightbudget.ledger.storage.statements import CHANGING, CHANGING_AND_BEFORE, ROW, Statements

ROOT = 0
"""The chain of the ledger itself: budgets made, heads signed, questions about budgets that do not exist."""
ROOT_NAME = "*"

SKEW = 60_000_000
"""Microseconds by which clocks of several machines may differ; an entry is never dated before the last one."""

_changing = attrgetter(*CHANGING)

_CROWDED = 64
_REMEMBERED = 1024

DEFAULT_TTL = 3600.0
LONGEST_TTL = 366 * 86400.0


class Book:
    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock
        self.statements = Statements(database.engine.dialect)
        self._rules: dict[int, tuple[int, Rules]] = {}
        self.ledger = ""
        self._left: dict[int, Row] = {}
        """Rows of budgets as this process left them. They are never changed, only replaced."""
        self._shared: dict[int, int] = {}
        """How many of the next charges of a budget look at its row first, since others charge it too."""
        self._crowded: dict[int, int] = {}
        """How many of the next charges of a budget take the lock at once, since even that was too late."""

    def charge(
        self, place: Place, step: Step, key: str, payload: Payload, ttl: float | None = None
    ) -> tuple[Receipt | Refusal, bool]:
        """Charge a step, or reserve it for `ttl` seconds; return receipt or refusal, and whether it is a new one."""
        wanted = Wanted(place, step, key, payload)
        alone = ttl is None and not place.above
        self._weigh_ahead([wanted])
        if alone and (swapped := self._swapped(wanted)) is not None:
            return self._given_out(*swapped), True

        def work(tx: Transaction) -> tuple[Known | Receipt | Refusal, Row | None]:
            if alone and not self.database.swaps and (left := self._left.get(place.id)) is not None:
                moved = self._moved(tx, wanted, left)
                if moved is not None:
                    return moved
            rows = {id: Row(self._one(tx, self.statements.lock, id=id)) for id in place.above}
            found = self._one(tx, self.statements.lock_with_key, id=place.id, origin=place.id, key=key)
            rows[place.id] = row = Row(found)
            if found[-1] is not None:
                seq, body, digest = found[len(ROW) :]
                return self._again(tx, rows, place, step, payload, Known(seq, bytes(body), bytes(digest)), ttl), None
            decisions = self._decided(tx, rows, wanted)
            if isinstance(decisions, Refusal):
                self._log_refusal(tx, row, wanted, decisions)
                return decisions, row
            return self._write_charge(tx, rows, wanted, decisions, ttl), row

        found, row = self.database.transact(work)
        if isinstance(found, Known):
            return self._given_out(found, row if alone else None, place), True
        return found, row is not None

    def _given_out(self, entry: Known, row: Row | None, place: Place) -> Receipt:
        """Return the receipt of an entry that is in the log now, and remember the row as the entry left it."""
        if row is not None:
            if len(self._left) >= _REMEMBERED:
                self._left.clear()
            self._left[row.id] = row
        return receipt_of(place.name, entry.body, entry.body, entry.raw, entry.digest)

    def _swapped(self, wanted: Wanted) -> tuple[Known, Row, Place] | None:
        """Charge without a lock, where the database can: write only if nobody has written since the row was read.

        None if that is not so, or if anything else is unusual: the way with the lock then finds out what.
        """
        place = wanted.place
        if not self.database.swaps:
            return None
        if self._crowded.get(place.id, 0) > 0:
            self._crowded[place.id] -= 1
            return None

        def work(tx: Transaction) -> tuple[Known, Row] | None:
            left = self._left.get(place.id)
            if self._shared.get(place.id, 0) > 0:
                self._shared[place.id] -= 1
            elif left is not None:
                moved = self._moved(tx, wanted, left)
                if moved is not None:
                    return moved
                self._shared[place.id] = _CROWDED
            found = tx.one(self.statements.look_with_key, id=place.id, origin=place.id, key=wanted.key)
            if found is None or found[-1] is not None:
                return None
            moved = self._moved(tx, wanted, Row(found))
            if moved is None:
                self._crowded[place.id] = _CROWDED
            return moved

        done = self.database.at_once(work)
        return None if done is None else (*done, place)

    def _moved(self, tx: Transaction, wanted: Wanted, before: Row) -> tuple[Known, Row] | None:
        """Charge from a row, if it lies there word for word and the key is new; else nothing happens."""
        place, row = wanted.place, before.copy()
        try:
            decisions = self._decided(tx, {place.id: row}, wanted)
            if isinstance(decisions, Refusal):
                return None
            fields = {**wanted.payload.fields(wanted.step), **decisions[0].cost()}
            entry = self._next(row, entries.CHARGED, fields, origin=place.id, key=wanted.key)
        except TightBudgetError:  # what is wrong with a row that may be old, or with a key that may be known, is not known
            return None
        row.last, row.charges = row.seq, row.charges + 1
        values = dict(zip(CHANGING_AND_BEFORE, _changing(row) + _changing(before), strict=True))
        values.update(id_=row.id, origin=place.id, key=wanted.key)
        if self.database.swaps:
            values.update(budget=row.id, kind=entries.CHARGED, body=entry.raw)
            return (entry, row) if tx.run(self.statements.swap, **values).rowcount == 1 else None
        if tx.run(self.statements.move_if, **values).rowcount != 1:
            return None
        self._insert(tx, row, entry, entries.CHARGED, origin=place.id, key=wanted.key)
        return entry, row

    def charge_all(self, everything: Sequence[Wanted], ttl: float | None = None) -> list[Receipt] | Refusal:
        """Charge all steps or none, in their order."""

        def work(tx: Transaction) -> list[Receipt] | Refusal:
            ids = sorted({id for wanted in everything for id in wanted.place.lineage})
            rows = {id: Row(self._one(tx, self.statements.lock, id=id)) for id in ids}
            start = {id: row.spent for id, row in rows.items()}
            written: list[tuple[Wanted, list[Decision] | Known]] = []
            for wanted in everything:
                place = wanted.place
                if (known := self._known(tx, place, wanted.key)) is not None:
                    written.append((wanted, known))
                    continue
                decisions = self._decided(tx, rows, wanted)
                if isinstance(decisions, Refusal):
                    for id, row in rows.items():
                        row.spent = start[id]
                    self._log_refusal(tx, rows[place.id], wanted, decisions)
                    return decisions
                written.append((wanted, decisions))
            for id, row in rows.items():
                row.spent = start[id]
            receipts = []
            for wanted, found in written:
                if isinstance(found, Known):
                    again = self._again(tx, rows, wanted.place, wanted.step, wanted.payload, found, ttl)
                    receipts.append(again)
                else:
                    entry = self._write_charge(tx, rows, wanted, found, ttl)
                    receipts.append(self._receipt(wanted.place, entry, entry))
            return receipts

        keys = [(wanted.place.id, wanted.key) for wanted in everything]
        if len(set(keys)) < len(keys):
            raise InvalidParameter("key", "used twice in one batch", "another one for each charge")
        self._weigh_ahead(everything)
        return self.database.transact(work)

    def charge_each(self, everything: Sequence[Wanted]) -> list[Receipt | Refusal | TightBudgetError]:
        """Charge those of several steps on one budget that it admits, each decided by itself, in one transaction."""
        place = everything[0].place

        def work(tx: Transaction) -> list[Receipt | Refusal | TightBudgetError]:
            rows = {id: Row(self._one(tx, self.statements.lock, id=id)) for id in place.lineage}
            return [self._one_of_each(tx, rows, wanted) for wanted in everything]

        self._weigh_ahead(everything)
        return self.database.transact(work)

    def _one_of_each(self, tx: Transaction, rows: dict[int, Row], wanted: Wanted) -> Receipt | Refusal | TightBudgetError:
        try:
            known = self._known(tx, wanted.place, wanted.key)
            if known is not None:
                return self._again(tx, rows, wanted.place, wanted.step, wanted.payload, known, None)
            decisions = self._decided(tx, rows, wanted)
            if isinstance(decisions, Refusal):
                self._log_refusal(tx, rows[wanted.place.id], wanted, decisions)
                return decisions
            entry = self._write_charge(tx, rows, wanted, decisions, None)
        except (LedgerCorrupt, ClockWentBack):  # sums were moved, or something was written: none of them is charged
            raise
        except TightBudgetError as problem:  # nothing of this one was written
            return problem
        return self._receipt(wanted.place, entry, entry)

    def settle(self, place: Place, key: str, kind: str, reason: str = "") -> Receipt:
        """Commit, abort or refund a charge; doing it again gives the same receipt."""

        def work(tx: Transaction) -> Receipt | ChargeSettled:
            rows = {id: Row(self._one(tx, self.statements.lock, id=id)) for id in place.lineage}
            known = self._known(tx, place, key)
            if known is None:
                raise UnknownCharge(key, place.name)
            newest = self._newest(tx, place.id, known)
            state = newest.body["kind"]
            if state == kind or (kind == entries.COMMITTED and state == entries.CHARGED):
                return self._receipt(place, known, newest)
            late = state == entries.RESERVED and self._now(rows[place.id]) >= known.body["expires"]
            if state == entries.RESERVED and kind == entries.ABORTED and late:
                self._settle_all(tx, rows, place, known, newest, entries.COMMITTED, "expired")
                hint = "Reservations that expire are committed, since their results may have been released."
                return ChargeSettled(key, "expired", "aborted", hint)
            if not _may_follow(state, kind):
                hint = "If nothing was released, a refund says so in the log." if kind == entries.ABORTED else ""
                raise ChargeSettled(key, f"was {_PAST[state]}", _PAST[kind], hint if state != entries.ABORTED else "")
            expired = "expired" if late and kind == entries.COMMITTED else reason
            return self._settle_all(tx, rows, place, known, newest, kind, expired)

        result = self.database.transact(work)
        if isinstance(result, ChargeSettled):
            raise result
        return result

    def find(self, place: Place, key: str) -> Receipt:
        """Return the receipt of a charge as it stands now."""

        def work(tx: Transaction) -> Receipt:
            known = self._known(tx, place, key)
            if known is None:
                raise UnknownCharge(key, place.name)
            return self._receipt(place, known, self._newest(tx, place.id, known))

        return self.database.look(work)

    def log(self, id: int, kind: str, fields: Body, change: Callable[[Row], None] | None = None) -> tuple[Row, bytes]:
        """Append an entry that is no charge; `change` may close the budget or put other rules in force."""
        return self.log_decided(id, kind, lambda row: fields, change)

    def log_decided(
        self, id: int, kind: str, decide: Callable[[Row], Body], change: Callable[[Row], None] | None = None
    ) -> tuple[Row, bytes]:
        """Append an entry that depends on the budget's row, which is locked meanwhile."""

        def work(tx: Transaction) -> tuple[Row, bytes]:
            row = Row(self._one(tx, self.statements.lock, id=id))
            self.rules_in(tx, row)
            fields = decide(row)
            entry = self._append(tx, row, kind, fields)
            if change is not None:
                change(row)
            self._move(tx, row)
            return row, entry.digest

        return self.database.transact(work)

    def row(self, id: int) -> Row:
        """Return a budget's row as it is now."""
        return self.database.look(lambda tx: Row(self._one(tx, self.statements.look, id=id)))

    def rules(self, row: Row, relation: str, tx: Transaction | None = None) -> Rules:
        """Return the filter in force; it changes only when a limit is lowered."""
        known = self._rules.get(row.id)
        if known is None or known[0] != row.rules:

            def work(tx: Transaction) -> list[Any]:
                return [self._filter_in(tx, row, seq) for seq in dict.fromkeys((1, row.rules))]

            first, *lowered = self.database.look(work) if tx is None else work(tx)
            state = in_force(first, lowered[0]) if lowered else first
            known = self._rules[row.id] = (row.rules, rules_of(state, relation))
        return known[1]

    def _filter_in(self, tx: Transaction, row: Row, seq: int) -> Any:
        """Return the filter that an entry put in force, as it was written."""
        found = tx.one(self.statements.entry, budget=row.id, seq=seq)
        if found is None:
            raise LedgerCorrupt(f"Entry {seq} of budget {row.name!r} is missing.", "Run tightbudget ledger verify.")
        return read(bytes(found[1]))["filter"]

    def rules_in(self, tx: Transaction, row: Row) -> None:
        """See that the filter in force is known, so that it need not be read in the middle of a transaction."""
        if row.id != ROOT and (row.id not in self._rules or self._rules[row.id][0] != row.rules):
            first = self._one(tx, self.statements.entry, budget=row.id, seq=1)
            self.rules(row, read(bytes(first[1]))["relation"], tx)

    def create(self, terms: Body, parent: Place | None, beside: int | None) -> int:
        """Make a budget; return its number, or that of the one that this very call made before its answer was lost."""
        nonce = uuid.uuid4().hex
        name = terms["name"]

        def work(tx: Transaction) -> int:
            root = Row(self._one(tx, self.statements.lock, id=ROOT))
            taken = tx.one(self.statements.by_name, name=name)
            if taken is not None:
                first = tx.one(self.statements.entry, budget=taken[0], seq=1)
                mine = first is not None and read(bytes(first[1])).get("nonce") == nonce
                return int(taken[0]) if mine else -1
            start = rules_of(terms["filter"], terms["relation"]).start
            fresh = dict(state="open", rules=1, seq=0, head=START, time=root.time, spent=start, last=0, charges=0)
            above = None if parent is None else parent.id
            made = tx.one(self.statements.new_budget, name=name, parent=above, beside=beside, **fresh)
            row = Row((made[0], name, above, *(fresh[each] for each in ROW[3:])))
            opened = self._append(tx, row, entries.OPENED, {**terms, "parent": above, "beside": beside, "nonce": nonce})
            self._move(tx, row)
            self._append(tx, root, entries.CREATED, {"name": name, "id": row.id, "hash": opened.digest.hex()})
            self._move(tx, root)
            return int(row.id)

        return self.database.transact(work)

    def start(self) -> None:
        """Make the ledger's own chain, if it is not there, and learn the ledger's name."""

        def work(tx: Transaction) -> str:
            first = tx.one(self.statements.entry, budget=ROOT, seq=1)
            if first is not None:
                return str(read(bytes(first[1]))["ledger"])
            self.ledger = uuid.uuid4().hex
            fresh = dict(state="open", rules=1, seq=0, head=START, time=0, spent="{}", last=0, charges=0)
            tx.run(self.statements.first_budget, id=ROOT, name=ROOT_NAME, parent=None, beside=None, **fresh)
            row = Row((ROOT, ROOT_NAME, None, *(fresh[each] for each in ROW[3:])))
            self._append(tx, row, entries.OPENED, {"name": ROOT_NAME})
            self._move(tx, row)
            return self.ledger

        self.ledger = self.database.transact(work)

    def _weigh_ahead(self, everything: Sequence[Wanted]) -> None:
        """Work out prices before anything is locked: some take seconds, in which others would wait."""
        for wanted in everything:
            for id in wanted.place.lineage:
                known = self._rules.get(id)
                rules = known[1] if known is not None else self.rules(self.row(id), wanted.place.relation)
                rules.weigh_ahead(wanted.step)

    def _decided(self, tx: Transaction, rows: dict[int, Row], wanted: Wanted) -> list[Decision] | Refusal:
        """Return what each filter of the lineage says, the outermost first, and move the sums of the rows."""
        decisions = []
        for id in wanted.place.lineage:
            row = rows[id]
            if row.state != "open":
                raise BudgetClosed(row.name)
            rules = self.rules(row, wanted.place.relation, tx)
            decision = rules.decide(row.spent, wanted.step)
            if not decision.quote.accepted:
                return Refusal(decision, wanted.step, row.name, rules, row.spent)
            decisions.append(decision)
        for id, decision in zip(wanted.place.lineage, decisions, strict=True):
            rows[id].spent = decision.after
        return decisions

    def _write_charge(
        self, tx: Transaction, rows: dict[int, Row], wanted: Wanted, decisions: list[Decision], ttl: float | None
    ) -> Known:
        place, key = wanted.place, wanted.key
        kind = entries.CHARGED if ttl is None else entries.RESERVED
        fields = wanted.payload.fields(wanted.step)
        now = max(self._now(rows[id]) for id in place.lineage)
        if ttl is not None:
            fields["expires"] = now + math.ceil(1e6 * ttl)
        entry = None
        for id, decision in zip(place.lineage, decisions, strict=True):
            row = rows[id]
            row.spent = decision.after
            entry = self._append(tx, row, kind, {**fields, **decision.cost()}, origin=place.id, key=key, time=now)
            row.last, row.charges = row.seq, row.charges + 1
            if ttl is not None:
                price = text_of(decision.price) if decision.price is not None else ""
                tx.run(
                    self.statements.reserve,
                    budget=id, seq=row.seq, origin=place.id, key=key, expires=fields["expires"], price=price,
                )  # fmt: skip
            self._move(tx, row)
        assert entry is not None
        return entry

    def _again(
        self,
        tx: Transaction,
        rows: dict[int, Row],
        place: Place,
        step: Step,
        payload: Payload,
        known: Known,
        ttl: float | None,
    ) -> Receipt:
        """Return the receipt of a charge that was made before by the same key, if it is the same charge."""
        told = payload.fields(step)
        if canonical({name: known.body.get(name) for name in told}) != canonical(told):  # 1, 1.0 and True differ there
            raise KeyReused(known.body["key"], other_charge(known.body, told))
        newest = self._newest(tx, place.id, known)
        state = newest.body["kind"]
        if state in (entries.ABORTED, entries.REFUNDED):
            raise KeyReused(known.body["key"], f"stands for a charge that was {_PAST[state]}")
        if ttl is None and state == entries.RESERVED:  # to charge what is reserved is to commit it
            return self._settle_all(tx, rows, place, known, newest, entries.COMMITTED, "")
        return self._receipt(place, known, newest)

    def _settle_all(
        self, tx: Transaction, rows: dict[int, Row], place: Place, known: Known, newest: Known, kind: str, reason: str
    ) -> Receipt:
        """Settle a charge on its budget and on those above it."""
        entry = None
        now = max(self._now(rows[id]) for id in place.lineage)
        for id in place.lineage:
            row = rows[id]
            charge = known if id == place.id else self._known(tx, place, known.body["key"], id)
            last = newest if id == place.id else (charge and self._newest(tx, id, charge))
            if charge is None or last is None:
                raise LedgerCorrupt(
                    f"{row.name!r} has no entry of the charge {known.body['key']!r}.", "Run tightbudget ledger verify."
                )
            fields: Body = {"reason": reason, "charge": charge.seq, "key": known.body["key"], "origin": place.id}
            if kind in (entries.ABORTED, entries.REFUNDED):
                fields["returned"] = self._give_back(tx, row, charge, place.relation)
            entry = self._append(tx, row, kind, fields, settles=last.seq, time=now)
            tx.run(self.statements.settle, budget=id, seq=charge.seq)
            self._move(tx, row)
        assert entry is not None
        return receipt_of(place.name, known.body, entry.body, entry.raw, entry.digest)

    def _give_back(self, tx: Transaction, row: Row, charge: Known, relation: str) -> bool:
        """Take a charge out of the sums, if that can be done; return whether it was."""
        if "price" in charge.body:
            row.spent = self.rules(row, relation, tx).given_back(row.spent, charge.body["price"])
            return True
        if row.last != charge.seq:
            return False  # others were decided upon what it left
        row.spent, row.last = charge.body["before"], 0
        return True

    def _log_refusal(self, tx: Transaction, row: Row, wanted: Wanted, refusal: Refusal) -> None:
        fields = wanted.payload.fields(wanted.step)
        fields.update(key=wanted.key, at=refusal.at, reason=refusal.decision.quote.reason)
        self._append(tx, row, entries.REFUSED, fields)
        self._move(tx, row)

    def _known(self, tx: Transaction, place: Place, key: str, id: int | None = None) -> Known | None:
        found = tx.one(self.statements.by_key, budget=place.id if id is None else id, origin=place.id, key=key)
        return None if found is None else Known(found[0], bytes(found[1]), bytes(found[2]))

    def _newest(self, tx: Transaction, id: int, known: Known) -> Known:
        """Return the last entry about a charge: itself, or its commit, abort or refund."""
        while True:
            found = tx.one(self.statements.settling, budget=id, settled=known.seq)
            if found is None:
                return known
            known = Known(found[0], bytes(found[1]), bytes(found[2]))

    @staticmethod
    def _receipt(place: Place, known: Known, newest: Known) -> Receipt:
        return receipt_of(place.name, known.body, newest.body, newest.raw, newest.digest)

    def _now(self, row: Row) -> int:
        now = int(self.clock() * 1_000_000)
        if now < row.time - SKEW:
            raise ClockWentBack((row.time - now) / 1e6)
        return max(now, int(row.time))

    def _append(
        self, tx: Transaction, row: Row, kind: str, fields: Body, *,
        origin: int | None = None, key: str | None = None, settles: int | None = None, time: int | None = None,
    ) -> Known:  # fmt: skip
        entry = self._next(row, kind, fields, origin=origin, key=key, settles=settles, time=time)
        self._insert(tx, row, entry, kind, origin, key, settles)
        return entry

    def _insert(
        self,
        tx: Transaction,
        row: Row,
        entry: Known,
        kind: str,
        origin: int | None,
        key: str | None,
        settles: int | None = None,
    ) -> None:
        tx.run(
            self.statements.append,
            budget=row.id, seq=entry.seq, kind=kind, origin=origin, key=key, settles=settles, hash=row.head, body=entry.raw,
        )  # fmt: skip

    def _next(
        self, row: Row, kind: str, fields: Body, *,
        origin: int | None = None, key: str | None = None, settles: int | None = None, time: int | None = None,
    ) -> Known:  # fmt: skip
        """Return the next entry of a budget, and move the head of its row there."""
        row.time = self._now(row) if time is None else time
        row.seq += 1
        head = {"v": entries.VERSION, "ledger": self.ledger, "budget": row.id, "seq": row.seq, "previous": row.head.hex()}
        body = {**fields, **head, "kind": kind, "time": row.time}
        if key is not None:
            body["key"], body["origin"] = key, origin
        if settles is not None:
            body["settles"] = settles
        raw = canonical(body)
        row.head = hash_of(raw)
        return Known(row.seq, raw, row.head, body)

    def _move(self, tx: Transaction, row: Row) -> None:
        tx.run(
            self.statements.move,
            id_=row.id, state=row.state, rules=row.rules, seq=row.seq, head=row.head, time=row.time, spent=row.spent,
            last=row.last, charges=row.charges,
        )  # fmt: skip

    def _one(self, tx: Transaction, statement: Any, **values: Any) -> Any:
        found = tx.one(statement, **values)
        if found is None:
            raise LedgerCorrupt("A budget, or its first entry, is missing.", "Run tightbudget ledger verify.")
        return found


_PAST = {
    entries.RESERVED: "reserved",
    entries.CHARGED: "committed",
    entries.COMMITTED: "committed",
    entries.ABORTED: "aborted",
    entries.REFUNDED: "refunded",
}


def _may_follow(state: str, kind: str) -> bool:
    if kind == entries.REFUNDED:
        return state in (entries.CHARGED, entries.COMMITTED)
    return state == entries.RESERVED
