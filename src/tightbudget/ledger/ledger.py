"""A ledger: budgets that outlive processes and are shared by machines."""

import difflib
import os
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol, Self

from sqlalchemy import select

from tightbudget.errors import (
    BudgetExists,
    InvalidParameter,
    LedgerBusy,
    LedgerError,
    LedgerUnavailable,
    NoLedger,
    TightBudgetError,
    UnknownBudget,
)
from tightbudget.lazy import found_at
from tightbudget.ledger import entries
from tightbudget.ledger.book import ROOT, ROOT_NAME, Book
from tightbudget.ledger.budget import Budget, refused
from tightbudget.ledger.charges import Payload, Place, Refusal, Wanted
from tightbudget.ledger.entries import read
from tightbudget.ledger.individual_rules import COUNTED, KIND
from tightbudget.ledger.receipts import Receipt
from tightbudget.ledger.rules import Rules
from tightbudget.ledger.storage.addresses import database_at
from tightbudget.ledger.storage.database import PATIENCE
from tightbudget.ledger.storage.layout import prepare
from tightbudget.ledger.storage.schema import budgets
from tightbudget.ledger.storage.schema import entries as entries_table
from tightbudget.ledger.terms import (
    Terms,
    checked_key,
    checked_metadata,
    checked_name,
    checked_note,
    checked_relation,
    new_filter,
    new_odometer,
)

_BESIDE = ("filter", "relation", "unit", "odometers", "parent", "description", "metadata")
"""What can be said of a budget beside another; other arguments are settings of its filter."""


class Signer(Protocol):
    """What signs receipts and checkpoints: `tb.ledger.SigningKey`."""

    @property
    def public(self) -> str: ...
    def signed(self, receipt: Receipt) -> Receipt: ...
    def sign_checkpoint(self, body: Mapping[str, Any]) -> str: ...


class Ledger:
    """Budgets in a database. Threads may share it; a forked child, a copy or a pickle connects anew and is as good."""

    def __init__(
        self,
        url: str | os.PathLike[str],
        *,
        signing_key: Signer | None = None,
        clock: Callable[[], float] = time.time,
        patience: float = PATIENCE,
        create: bool = True,
        check: bool = True,
        restore_guards: bool = False,
    ) -> None:
        self._given = {"signing_key": signing_key, "clock": clock, "patience": patience}
        self._database = database_at(url, patience)
        self.url = os.fspath(url)
        if not self._database.exists() and not create:
            raise NoLedger(f"There is no ledger at {self.address}.", "tightbudget ledger init makes one.")
        self._book = Book(self._database, clock)
        try:
            self._database.wait_until_there()
            prepare(self._database, create=create, restore_guards=restore_guards, check=check)
            self._book.start()
        except BaseException:
            self._database.dispose()
            raise
        self._signing_key = signing_key
        self._known: dict[str, Budget] = {}
        self._rules: dict[int, Rules] = {}
        self._tallies: dict[int, tuple[int, Counter[str]]] = {}
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """The name that the ledger gave itself when it was made; it is in every entry."""
        return self._book.ledger

    @property
    def address(self) -> str:
        """The address, without a password."""
        return _without_password(self.url)

    def create_budget(
        self,
        /,  # or a setting of that name would be taken for it
        name: str,
        *,
        epsilon: Any = None,
        delta: Any = None,
        filter: Any = "zcdp",
        relation: str = "add_remove",
        unit: str = "person",
        odometers: Iterable[Any] = (),
        parent: "Budget | str | None" = None,
        description: str = "",
        metadata: Any = None,
        **filter_settings: Any,
    ) -> Budget:
        """Make a budget. Everything about it is fixed from now on, filter and odometers with what they compute.

        `filter` is one of the kinds of `tb.filters`, to which other arguments are handed on, or a fresh filter.
        """
        above = self.budget(parent) if isinstance(parent, str) else parent
        return self._created(
            name, epsilon, delta, filter_settings, filter=filter, relation=relation, unit=unit, odometers=odometers,
            parent=above, description=description, metadata=metadata,
        )  # fmt: skip

    def create_beside(self, name: str, beside: Budget, *, epsilon: Any, delta: Any, **terms: Any) -> Budget:
        """Make a budget beside another, for the same people: what `budget.extend` does."""
        same = {"relation": beside.terms.relation, "unit": beside.terms.unit, "filter": beside.terms.filter["kind"]}
        said = {name: terms.pop(name) for name in _BESIDE if name in terms}
        return self._created(name, epsilon, delta, terms, beside=beside, **{**same, **said})

    def _created(
        self,
        name: str,
        epsilon: Any,
        delta: Any,
        settings: Mapping[str, Any],
        *,
        filter: Any,
        relation: str,
        unit: str,
        odometers: Iterable[Any] = (),
        parent: Budget | None = None,
        beside: Budget | None = None,
        description: str = "",
        metadata: Any = None,
    ) -> Budget:
        made = new_filter(filter, epsilon, delta, settings)
        if not isinstance(odometers, Iterable):
            raise InvalidParameter("odometers", odometers, "a list of odometers or of their kinds")
        told = (odometers,) if isinstance(odometers, str) else tuple(odometers)
        terms = Terms(
            name=checked_name(name),
            unit=checked_note("unit", unit, 200) or "person",
            relation=checked_relation(relation),
            filter=made.state(),
            odometers=tuple(new_odometer(each, made.delta if delta is None else delta).state() for each in told),
            description=checked_note("description", description),
            metadata=checked_metadata(metadata),
        )
        if terms.filter["mix_relations"]:
            raise InvalidParameter("mix_relations", True, "left out: a budget is for one neighbouring relation")
        for other, what in ((parent, "it is part of"), (beside, "it is beside")):
            if other is not None:
                self._check_own(other)
            if other is not None and other.terms.relation != terms.relation:
                raise InvalidParameter("relation", relation, f"that of the budget {what}, {other.terms.relation}")
            if other is not None and other.terms.unit != terms.unit:  # one promise cannot be about two kinds of people
                raise InvalidParameter("unit", unit, f"that of the budget {what}, {other.terms.unit}")
        place = None if parent is None else parent._place
        if self._book.create(terms.body(), place, None if beside is None else beside._place.id) < 0:
            raise BudgetExists(terms.name)
        if beside is not None:
            self._book.log(beside._place.id, entries.EXTENDED, {"by": terms.name})
        return self.budget(terms.name)

    def budget(self, name: str) -> Budget:
        """Return the budget of that name."""
        known = self._known.get(name) if isinstance(name, str) else None
        if known is not None:
            return known
        found = None
        with suppress(InvalidParameter):  # what cannot be a name is none
            found = self._place_and_terms(checked_name(name))
        if found is None:
            raise self._unknown(name)
        place, terms = found
        if terms.filter["kind"] == KIND:
            hint = "individual_budget(name), or tightbudget ledger individual, has what the log says."
            raise InvalidParameter("name", name, "a budget that is one for all: this one is for each of many people", hint)
        self._known[name] = made = Budget(self, place, terms)
        return made

    def _unknown(self, name: object) -> UnknownBudget:
        """Return what to raise, and log that somebody asked."""
        problem = UnknownBudget(name, difflib.get_close_matches(name, self.names(1000)) if isinstance(name, str) else ())
        self.denied(ROOT, problem, None, None, None, name=_loggable(name)[:200])
        return problem

    def create_individual_budget(
        self,
        name: str,
        *,
        people: int,
        budget: Any,
        path: str | os.PathLike[str],
        filter: str = "zcdp",
        order: Any = None,
        unit: str = "person",
        description: str = "",
        metadata: Any = None,
    ) -> Any:
        """Make a budget for each of many people, whose balances are kept in a new folder on this machine.

        `filter` is a kind of `tb.individual` (renyi needs an `order`), `people` the number of places for them, which
        the log does not show. Only who has the folder can charge, and sees who takes part.
        """
        made = found_at("tightbudget.ledger.individual.creation:created")
        settings = {"budget": budget} if order is None else {"order": order, "budget": budget}
        return made(
            self, name, people=people, kind=filter, settings=settings, path=path, unit=unit, description=description,
            metadata=metadata,
        )  # fmt: skip

    def individual_budget(self, name: str, *, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a budget for each of many people: with the folder of its balances, to charge it; without, to read on.

        The folder is locked until `let_go`, or the end of a `with` statement.
        """
        return found_at("tightbudget.ledger.individual.creation:opened")(self, name, path)

    def _place_and_terms(self, name: str) -> tuple[Place, Terms] | None:
        if name == ROOT_NAME:
            return None
        with self._database.reading() as connection:
            columns = select(budgets.c.id, budgets.c.name, budgets.c.parent)
            row = connection.execute(columns.where(budgets.c.name == name)).first()
            if row is None:
                return None
            above: list[Any] = []
            parent = row.parent
            while parent is not None:
                found = connection.execute(columns.where(budgets.c.id == parent)).one()
                above.append(found)
                parent = found.parent
            first = select(entries_table.c.body).where(entries_table.c.budget == row.id, entries_table.c.seq == 1)
            terms = Terms.of(read(bytes(connection.execute(first).scalar_one())))
        above.reverse()
        place = Place(row.id, row.name, terms.relation, tuple(each.id for each in above), tuple(each.name for each in above))
        return place, terms

    def names(self, limit: int | None = None, *, after: str = "") -> list[str]:
        """Return the names of budgets, sorted; of those for each of many people, see `individual_names`."""
        return self._names(limit, after, ~budgets.c.spent.startswith(COUNTED))

    def individual_names(self, limit: int | None = None, *, after: str = "") -> list[str]:
        """Return the names of budgets for each of many people, sorted."""
        return self._names(limit, after, budgets.c.spent.startswith(COUNTED))

    def _names(self, limit: int | None, after: str, which: Any) -> list[str]:
        after = after.partition("\x00")[0]  # nothing lies between the two, and PostgreSQL takes no null characters
        query = select(budgets.c.name).where(budgets.c.id != ROOT, budgets.c.name > after, which).order_by(budgets.c.name)
        with self._database.reading() as connection:
            return list(connection.execute(query if limit is None else query.limit(limit)).scalars())

    def budgets(self) -> Iterator[Budget]:
        """Yield all budgets by name."""
        for name in self.names():
            yield self.budget(name)

    def charge_all(
        self, wanted: Iterable[tuple[Budget, Any, str]], *, actor: str | None = None, purpose: str | None = None
    ) -> list[Receipt]:
        """Charge several budgets, (budget, increment, key) each, all or none."""
        asked = [(budget, increment, checked_key(key)) for budget, increment, key in wanted]
        for budget, _, _ in asked:
            self._check_own(budget)
        payload = Payload(checked_note("actor", actor), checked_note("purpose", purpose), {})
        try:
            every = [Wanted(budget._place, budget._step(increment), key, payload) for budget, increment, key in asked]
            result = self._book.charge_all(every)
        except TightBudgetError as problem:
            for budget, increment, key in asked[:1]:
                self.denied(budget._place.id, problem, increment, key, actor)
            raise
        if isinstance(result, Refusal):
            raise refused(result)
        return [self.signed(receipt) for receipt in result]

    def _check_own(self, budget: Budget) -> None:
        """Refuse a budget of another ledger: by its number there, one of ours would be charged."""
        if budget.ledger != self:
            raise InvalidParameter("budget", budget.name, "one of this ledger, not of another")

    def rules_at_start(self, budget: Budget) -> Rules:
        """Return the filter that the budget was made with, to read increments by."""
        found = self._rules.get(budget._place.id)
        if found is None:
            with self._lock:
                found = self._rules.setdefault(budget._place.id, Rules(budget.terms.filter, budget.terms.relation))
        return found

    def denied(self, id: int, problem: TightBudgetError, increment: Any, key: Any, actor: Any, **more: Any) -> None:
        """Log that something was asked that could not be done, as far as the database lets us."""
        if isinstance(problem, LedgerUnavailable | LedgerBusy) or problem.code in ("clock_went_back", "budget_refused"):
            return
        fields = {"code": problem.code, "reason": _loggable(problem), **more}
        for name, value in (("increment", increment), ("key", key), ("actor", actor)):
            if value is not None:
                fields[name] = _loggable(value)
        with suppress(LedgerError):
            self._book.log(id, entries.DENIED, fields)

    def signed(self, receipt: Receipt) -> Receipt:
        """Return the receipt with a signature, if the ledger was opened with a key."""
        return receipt if self._signing_key is None else self._signing_key.signed(receipt)

    def verify(self, *, budget: str | None = None, checkpoint: Any = None) -> Any:
        """Replay the whole log and compare it with what is stored, and with a checkpoint kept elsewhere."""
        return found_at("tightbudget.ledger.verify:verify")(self, budget, checkpoint)

    def checkpoint(self) -> Any:
        """Return the heads of all chains, signed. Keep it outside the database: only it shows a cut tail."""
        return found_at("tightbudget.ledger.signing:make_checkpoint")(self)

    def expire(self) -> int:
        """Commit the reservations whose time is over, and return how many there were; they counted as spent before."""
        return int(found_at("tightbudget.ledger.expiry:expire")(self))

    def close(self) -> None:
        """Close the connections; the ledger opens new ones if it is used again."""
        self._database.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        path = self._database.path  # a name that counts from this folder says nothing elsewhere
        return _reopened, (self.url if path is None else str(path), self._given, self.id)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __copy__(self) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<ledger {self.id[:8]} at {self.address}>"


def open_ledger(url: str | os.PathLike[str], **options: Any) -> Ledger:
    """Open the ledger at an address, and make it if there is none: sqlite:///budget.db or postgresql://user@host/db.

    A signing key, `tb.ledger.SigningKey`, makes receipts that can be checked offline, and checkpoints.
    """
    return Ledger(url, **options)


def _reopened(url: str, options: dict[str, Any], id: str) -> Ledger:
    """Return the ledger that was pickled, and no other: a new one would know nothing of what was spent."""
    found = Ledger(url, create=False, **options)
    if found.id != id:
        found.close()
        raise NoLedger(f"At {found.address} lies another ledger than the one that was pickled.", "Open the right one anew.")
    return found


def _loggable(value: object) -> str:
    """Return what was asked as the log keeps it: not too long, and spelt out where files or terminals mind."""
    try:
        text = str(value)[:1000]
    except (ValueError, RecursionError):  # digits, or levels, beyond what Python writes out
        text = f"a {type(value).__name__}"
    return "".join([each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode() for each in text])


def _without_password(url: str) -> str:
    from sqlalchemy import make_url

    return make_url(url).render_as_string() if "://" in url else url


def new_key() -> str:
    """Return a key that nobody else has."""
    return uuid.uuid4().hex
