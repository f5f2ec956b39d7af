"""Verify a ledger: replay all chains and compare what follows from them with what is stored."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, select

from tightbudget.errors import InvalidParameter
from tightbudget.ledger.book import ROOT, ROOT_NAME
from tightbudget.ledger.entries import text_of
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.replay import Broken, Chain
from tightbudget.ledger.signing import Checkpoint
from tightbudget.ledger.storage.guards import missing_guards, names_of_guards
from tightbudget.ledger.storage.schema import budgets, reservations, tallies
from tightbudget.ledger.storage.schema import entries as table

_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Problem:
    """What was found: in which budget, at which entry (0: in its row, not in the log), and what is wrong."""

    budget: str
    sequence: int
    what: str

    def __str__(self) -> str:
        itself = self.budget == ROOT_NAME
        whose = "the ledger itself" if itself else repr(self.budget) if self.sequence else f"budget {self.budget!r}"
        return f"entry {self.sequence} of {whose}: {self.what}" if self.sequence else f"{whose}: {self.what}"


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found. `problems` has the first broken entry of each chain; true if there is none.

    `own` of the entries are those of the ledger itself, which say when it and its budgets were made.
    """

    budgets: int
    entries: int
    charges: int
    seconds: float
    problems: tuple[Problem, ...] = ()
    checkpoint: bool = False
    own: int = 0

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def first(self) -> Problem | None:
        """The first broken entry."""
        return self.problems[0] if self.problems else None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            kept = " and agree with the checkpoint" if self.checkpoint else ""
            return (
                f"Sound: {self._size()} {'replays' if self.entries == 1 else 'replay'} to what is stored{kept} "
                f"({_verified_count(self.charges, 'charge')}, {self.seconds:.1f} s)."
            )
        more = f" ({len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return f"Broken: {self.first}{more}."

    def _size(self) -> str:
        """Return how many entries were read, and of what."""
        of_budgets, itself = f"of {_verified_count(self.budgets, 'budget')}", "of the ledger itself"
        if not (self.own and self.budgets):
            return f"{self.entries} {'entry' if self.entries == 1 else 'entries'} {itself if self.own else of_budgets}"
        return f"{self.entries} entries, {self.entries - self.own} {of_budgets} and {self.own} {itself},"

    def as_json(self) -> dict[str, Any]:
        found = [{"budget": each.budget, "sequence": each.sequence, "what": each.what} for each in self.problems]
        counts = {"budgets": self.budgets, "entries": self.entries, "charges": self.charges}
        return {"ok": self.ok, **counts, "seconds": self.seconds, "checkpoint": self.checkpoint, "problems": found}


def _verified_count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def verify(ledger: Ledger, name: str | None = None, checkpoint: Checkpoint | str | os.PathLike[str] | None = None) -> Report:
    """Return what is wrong with the whole ledger, or with one budget and those it is part of."""
    started = time.perf_counter()
    kept = _verified_checkpoint(checkpoint, ledger)
    with ledger._database.reading() as connection:
        found = _LedgerVerification(ledger.id, connection, kept)
        if (missing := missing_guards(connection)) and name is None:
            found.problem(ROOT_NAME, 0, f"the log is not protected against changes: {names_of_guards(missing)} missing")
        found.run(None if name is None else ledger.budget(name)._place.lineage)
    seconds = time.perf_counter() - started
    counts = (found.count_budgets, found.count_entries, found.count_charges)
    return Report(*counts, seconds, tuple(found.problems), kept is not None, found.count_own)


class _LedgerVerification:
    def __init__(self, ledger: str, connection: Connection, checkpoint: Checkpoint | None) -> None:
        self.ledger, self.connection, self.checkpoint = ledger, connection, checkpoint
        self.problems: list[Problem] = []
        self.count_budgets = self.count_entries = self.count_charges = self.count_own = 0
        self._passed: dict[int, dict[tuple[int, str], tuple[str, str]]] = {}
        self._made: dict[int, tuple[str, str]] = {}
        self._tallies: dict[int, Any] = {}
        self._held: dict[int, list[tuple[Any, ...]]] = {}

    def problem(self, budget: str, sequence: int, what: str) -> None:
        self.problems.append(Problem(budget, sequence, what))

    def run(self, only: tuple[int, ...] | None) -> None:
        query = select(budgets).order_by(budgets.c.id)
        rows = {row.id: row for row in self.connection.execute(query)}
        self._tallies = {row.budget: row for row in self.connection.execute(select(tallies))}
        for each in self.connection.execute(select(reservations).order_by(reservations.c.budget, reservations.c.seq)):
            self._held.setdefault(each.budget, []).append((each.seq, each.origin, each.key, each.expires, each.price))
        relatives = {row.id for row in rows.values() if row.parent is not None} | {row.parent for row in rows.values()}
        waiting = iter(self._chains(only))
        chain = next(waiting, None)
        for id, row in rows.items():
            if only is not None and id not in only:
                continue
            while chain is not None and chain[0] < id:
                self.problem(f"number {chain[0]}", 1, "the budget of this chain is gone")
                _exhaust_replay(chain[1])
                chain = next(waiting, None)
            following: Iterator[Any] = iter(())
            if chain is not None and chain[0] == id:
                following = chain[1]
            self._budget(row, following, id in relatives)
            if chain is not None and chain[0] == id:
                _exhaust_replay(following)
                chain = next(waiting, None)
        while chain is not None:
            self.problem(f"number {chain[0]}", 1, "the budget of this chain is gone")
            _exhaust_replay(chain[1])
            chain = next(waiting, None)
        self._compare_relatives(rows, only)
        if only is None:
            for id in sorted({*self._tallies, *self._held} - set(rows)):
                self.problem(f"number {id}", 0, "it has reservations or a tally, and is not there")
            self._compare_made(rows)
            self._compare_checkpoint(rows)

    def _chains(self, only: tuple[int, ...] | None) -> Iterator[tuple[int, Iterator[Any]]]:
        """Yield the entries of each budget, in the order of budgets and entries."""
        query = select(
            table.c.budget, table.c.seq, table.c.kind, table.c.origin, table.c.key, table.c.settles, table.c.hash, table.c.body
        ).order_by(table.c.budget, table.c.seq)
        if only is not None:
            query = query.where(table.c.budget.in_(only))
        streamed = self.connection.execution_options(yield_per=_AT_ONCE).execute(query)
        yield from groupby(streamed, key=lambda row: row[0])

    def _budget(self, row: Any, following: Iterator[Any], relatives: bool) -> None:
        chain = Chain(self.ledger, row.id)
        chain.has_relatives = relatives
        self.count_budgets += row.id != ROOT
        heads = self.checkpoint.heads if self.checkpoint is not None else {}
        signed = heads.get(row.id)
        tally = self._tallies.get(row.id)
        for _, seq, kind, origin, key, settles, digest, raw in following:
            self.count_entries += 1
            self.count_own += row.id == ROOT
            try:
                chain.take(seq, kind, origin, key, settles, bytes(digest), bytes(raw))
            except Broken as broken:
                self.problem(row.name, chain.seq + 1 if seq != chain.seq else seq, str(broken))
                return
            if signed is not None and seq == signed[0] and bytes(digest).hex() != signed[1]:
                self.problem(row.name, seq, "it is not the entry that the checkpoint names")
                return
            if tally is not None and seq == tally.seq and tally.counts != text_of(dict(chain.tally)):
                self.problem(row.name, 0, "its tally is not what follows from the log")
                return
        if tally is not None and not 1 <= tally.seq <= chain.seq:
            self.problem(row.name, 0, "its tally is of entries that are not there")
            return
        self.count_charges += chain.charges
        if signed is not None and chain.seq < signed[0]:
            self.problem(row.name, signed[0], "it is missing, and the checkpoint names it")
            return
        self._compare(row, chain)
        self._passed[row.id] = chain.passed
        if row.id == ROOT:
            self._made = chain.made

    def _compare(self, row: Any, chain: Chain) -> None:
        """Compare a budget's row and its reservations with what follows from its entries."""
        stored = (row.seq, bytes(row.head), row.time, row.spent, row.state, row.rules, row.last, row.charges)
        follows = (
            chain.seq, chain.head, chain.time, chain.sums_text(), chain.state, chain.rules_at, chain.last, chain.charges,
        )  # fmt: skip
        names = ("last entry", "head", "time", "sums", "state", "rules", "last charge", "number of charges")
        for name, one, other in zip(names, stored, follows, strict=True):
            if one != other:
                self.problem(row.name, 0, f"its {name} is not what follows from the log")
                return
        told = (chain.opened.get("name"), chain.opened.get("parent"), chain.opened.get("beside"))
        if told != (row.name, row.parent, row.beside):
            self.problem(row.name, 0, "its name or place is not what its first entry says")
            return
        if self._held.get(row.id, []) != [(seq, *_verified_reservation(body)) for seq, body in sorted(chain.open.items())]:
            self.problem(row.name, 0, "its reservations are not those that follow from the log")

    def _compare_relatives(self, rows: dict[int, Any], only: tuple[int, ...] | None) -> None:
        """Every charge of a part is in the chains of all budgets above it, and nothing else is.

        Of one budget and those above it, what it passed on to them is compared; its own parts were not read.
        """
        expected: dict[int, dict[tuple[int, str], tuple[str, str]]] = {}
        for id in self._passed if only is None else only[-1:]:
            own = {key: told for key, told in self._passed.get(id, {}).items() if key[0] == id}
            for above in _all_above(rows, id):
                expected.setdefault(above, {}).update(own)
        for id in self._passed if only is None else only[:-1]:
            others = {
                key: told
                for key, told in self._passed.get(id, {}).items()
                if (key[0] != id if only is None else key[0] == only[-1])
            }
            if others != expected.get(id, {}):
                self.problem(rows[id].name, 0, "charges of its parts are missing in its log, or the other way round")

    def _compare_made(self, rows: dict[int, Any]) -> None:
        there = {id: row.name for id, row in rows.items() if id != ROOT}
        made = {id: name for id, (name, _) in self._made.items()}
        for id in sorted(set(there) | set(made)):
            if there.get(id) != made.get(id):
                self.problem(str(there.get(id) or made.get(id)), 0, "it is gone, or was not made by this ledger")
                return
        firsts = self.connection.execute(select(table.c.budget, table.c.hash).where(table.c.seq == 1)).all()
        for id, digest in firsts:
            if id != ROOT and id in self._made and self._made[id][1] != bytes(digest).hex():
                self.problem(there[id], 1, "it is not the entry that the budget was made with")
                return

    def _compare_checkpoint(self, rows: dict[int, Any]) -> None:
        if self.checkpoint is None:
            return
        for id in self.checkpoint.heads:
            if id not in rows:
                self.problem(f"number {id}", 0, "it is gone, and the checkpoint names it")


def _all_above(rows: dict[int, Any], id: int) -> list[int]:
    """Return the budgets above one, as the rows have it; whoever changed them may have made a circle."""
    found: list[int] = []
    above = rows[id].parent
    while above in rows and above not in found:
        found.append(above)
        above = rows[above].parent
    return found


def _verified_reservation(body: dict[str, Any]) -> tuple[Any, ...]:
    price = text_of(body["price"]) if "price" in body else ""
    return body["origin"], body["key"], body["expires"], price


def _exhaust_replay(rows: Iterator[Any]) -> None:
    for _ in rows:
        pass


def _verified_checkpoint(checkpoint: Any, ledger: Ledger) -> Checkpoint | None:
    if checkpoint is None:
        return None
    kept = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint.load(checkpoint)
    key = ledger._signing_key
    kept.check(None if key is None else key.public)
    if kept.ledger != ledger.id:
        raise InvalidParameter("checkpoint", kept.ledger, f"one of this ledger, {ledger.id}")
    return kept
