"""A budget in a ledger: quote, reserve, commit or abort; or charge, which is all at once."""

import functools
import math
import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar

from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.errors import BudgetClosed, ChargeRefused, InvalidParameter, KeyReused, LedgerError, TightBudgetError
from tightbudget.lazy import found_at
from tightbudget.ledger import entries
from tightbudget.ledger.book import DEFAULT_TTL, LONGEST_TTL, Book
from tightbudget.ledger.charges import Payload, Place, Refusal, Row, Wanted
from tightbudget.ledger.entries import Body
from tightbudget.ledger.fits import unseen_sampling, what_fits
from tightbudget.ledger.lowering import lowered
from tightbudget.ledger.receipts import Receipt
from tightbudget.ledger.rules import Rules, Step
from tightbudget.ledger.terms import Terms, checked_key, checked_metadata, checked_note

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Owner(Protocol):
    """What a budget needs of its ledger."""

    _book: Book

    def budget(self, name: str) -> "Budget": ...
    def create_budget(self, name: str, **terms: Any) -> "Budget": ...
    def create_beside(self, name: str, beside: "Budget", *, epsilon: Any, delta: Any, **terms: Any) -> "Budget": ...
    def charge_all(
        self, wanted: Iterable[tuple["Budget", Any, str]], *, actor: str | None, purpose: str | None
    ) -> list[Receipt]: ...
    def rules_at_start(self, budget: "Budget") -> Rules: ...
    def signed(self, receipt: Receipt) -> Receipt: ...
    def denied(self, id: int, problem: TightBudgetError, increment: Any, key: Any, actor: Any) -> None: ...


class Budget:
    """A budget kept in a ledger. Threads and processes may share it: every decision is one transaction there.

    Charge *before* a result is released, and never release what was refused. A charge has a key, by which a retry is
    recognised: same key and same charge, same receipt; nothing is spent twice.
    """

    def __init__(self, ledger: Owner, place: Place, terms: Terms) -> None:
        self.ledger: Any = ledger
        self._owner = ledger
        self.terms = terms
        self._place = place
        self._book = ledger._book

    @property
    def name(self) -> str:
        return self.terms.name

    @property
    def parent(self) -> str | None:
        """The name of the budget that this one is a part of."""
        return self._place.names[-1] if self._place.names else None

    def quote(self, increment: Any) -> Quote:
        """Return whether the step would be admitted now, what it asks and what is left. Nothing is spent or logged.

        Of a budget that is part of others, the quote of the first that would refuse it.
        """
        rows = [self._book.row(id) for id in self._place.lineage]
        step = self._step(increment)
        quotes = []
        for row in rows:
            if row.state != "open":
                raise BudgetClosed(row.name)
            quotes.append(self._book.rules(row, self.terms.relation).decide(row.spent, step).quote)
        return next((quote for quote in quotes if not quote.accepted), quotes[-1])

    def note(self, increment: Any) -> str:
        """Return a sentence if a sample is charged as the whole here, since not every filter sees subsampling."""
        step = self._step(increment)
        rules = (self._book.rules(self._book.row(id), self.terms.relation) for id in self._place.lineage)
        with suppress(TightBudgetError):  # of the whole that was sampled, which may have no price
            return next(filter(None, (unseen_sampling(each, step) for each in rules)), "")
        return ""

    def charge(
        self,
        increment: Any,
        *,
        key: str | None = None,
        actor: str | None = None,
        purpose: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Spend the step, or raise ChargeRefused, a BudgetRefused, and spend nothing. Call it before the release."""
        return self._charged(increment, key, actor, purpose, metadata, None)[0]

    def reserve(
        self,
        increment: Any,
        *,
        key: str | None = None,
        ttl: float = DEFAULT_TTL,
        actor: str | None = None,
        purpose: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Set the step aside for `ttl` seconds. It counts as spent; `commit` it before the release, or `abort` it.

        A reservation that expires is committed: its result may have been released.
        """
        return self._charged(increment, key, actor, purpose, metadata, checked_ttl(ttl))[0]

    def commit(self, key: str) -> Receipt:
        """Make a reservation final. Call it before the result is released."""
        return self._settled(key, entries.COMMITTED, "")

    def abort(self, key: str, reason: str = "") -> Receipt:
        """Give back a reservation. Only if nothing was released: not a result, nor whether or why it failed."""
        return self._settled(key, entries.ABORTED, checked_note("reason", reason))

    def refund(self, key: str, reason: str) -> Receipt:
        """Give back a committed charge of which nothing was ever released; the log says who declared that, and why."""
        if not checked_note("reason", reason).strip():
            raise InvalidParameter("reason", reason, "why it is certain that nothing was released")
        return self._settled(key, entries.REFUNDED, reason)

    def charge_all(
        self,
        increments: Iterable[Any],
        *,
        keys: Iterable[str] | None = None,
        actor: str | None = None,
        purpose: str | None = None,
    ) -> list[Receipt]:
        """Spend all steps or none."""
        steps = list(increments)
        given = list(keys) if keys is not None else [uuid.uuid4().hex for _ in steps]
        if len(given) != len(steps):
            raise InvalidParameter("keys", f"{len(given)} keys", f"one for each of {len(steps)} increments")
        return self._owner.charge_all(
            [(self, step, key) for step, key in zip(steps, given, strict=True)], actor=actor, purpose=purpose
        )

    def spend(
        self,
        increment: Any,
        *,
        key: str | None = None,
        ttl: float = DEFAULT_TTL,
        actor: str | None = None,
        purpose: str | None = None,
    ) -> "Spending":
        """Return a context that reserves when it is entered and commits when it is left, also by an error.

            with budget.spend("gaussian(sigma=20)", key="report-7") as charge:
                answer = run_query()
                if answer is None:
                    charge.nothing_released()

        Only `nothing_released` gives the budget back. As a decorator it does the same around each call.
        """
        return Spending(self, increment, key, checked_ttl(ttl), actor, purpose)

    def receipt(self, key: str) -> Receipt:
        """Return the receipt of a charge as it stands now."""
        return self._owner.signed(self._book.find(self._place, checked_key(key)))

    def remaining(self, increment: Any) -> int:
        """Return how many more such steps would be admitted one after the other, if nothing else is asked."""
        step = self._step(increment)
        rows = [self._book.row(id) for id in self._place.lineage]
        return min(self._book.rules(row, self.terms.relation).remaining(row.spent, step) for row in rows)

    def status(self) -> Any:
        """Return what is spent, reserved and free, and what more can be said about it."""
        return found_at("tightbudget.ledger.status:status_of")(self)

    def history(self, limit: int | None = None, **filters: Any) -> Any:
        """Return charges, refusals and other entries, the newest first; see `ledger.history` for filters."""
        return found_at("tightbudget.ledger.history:entries_of")(self, limit, **filters)

    def plot(self, ax: Any = None) -> Any:
        """Draw what was spent and reserved over time, refusals and the cap; return the Matplotlib axes."""
        return found_at("tightbudget.interfaces.ledger_plot:plot_budget")(self, ax)

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write the whole history, oldest first, to a .csv, .json or .parquet file; return how many rows it has."""
        return int(found_at("tightbudget.ledger.export:export")(self, path))

    def statement(self) -> str:
        """Return what this budget promises, to whom and why, in plain words."""
        return str(found_at("tightbudget.ledger.statement:statement_of")(self))

    def close(self, reason: str = "", actor: str = "") -> None:
        """Admit nothing more. What is reserved can still be committed or aborted."""

        def shut(row: Row) -> None:
            row.state = "closed"

        fields: Body = {"reason": checked_note("reason", reason), "actor": checked_note("actor", actor)}
        if self._book.row(self._place.id).state == "open":
            self._book.log(self._place.id, entries.CLOSED, fields, shut)

    def lower(self, *, epsilon: Any = None, delta: Any = None, reason: str = "") -> None:
        """Admit less from now on, and no step that was refused before.

        The promise does not change, because a filter is fixed before the first step. Budgets with the residual filter
        or with slots cannot be lowered: close such a budget, or split off a smaller part and charge that.
        """
        why = checked_note("reason", reason)

        def decide(row: Row) -> Body:
            old = self._book.rules(row, self.terms.relation).filter.state()
            return {"filter": lowered(old, epsilon, delta), "reason": why}

        def change(row: Row) -> None:
            row.rules = row.seq

        self._book.log_decided(self._place.id, entries.LOWERED, decide, change)

    def extend(self, name: str, *, epsilon: Any, delta: Any, **terms: Any) -> "Budget":
        """Open a second budget beside this one, for the same people. A limit is never raised: that would void it.

        The statement of either gives both composed. Beside a part of another budget it is a part of that one too.
        """
        above = None if self.parent is None else self._owner.budget(self.parent)
        return self._owner.create_beside(name, self, epsilon=epsilon, delta=delta, parent=above, **terms)

    def split(self, name: str, *, epsilon: Any, delta: Any, **terms: Any) -> "Budget":
        """Make a part of this budget: a budget of its own whose charges must pass this one's filter too."""
        given = {"unit": self.terms.unit, "filter": self.terms.filter["kind"], **terms}
        return self._owner.create_budget(name, epsilon=epsilon, delta=delta, parent=self, relation=self.terms.relation, **given)

    def _charged(
        self, increment: Any, key: str | None, actor: str | None, purpose: str | None, metadata: Any, ttl: float | None
    ) -> tuple[Receipt, bool]:
        try:
            wanted = self._wanted(increment, key, actor, purpose, metadata)
            result, fresh = self._book.charge(self._place, wanted.step, wanted.key, wanted.payload, ttl)
        except (LedgerError, TightBudgetError) as problem:
            self._denied(problem, increment, key, actor)
            raise
        if isinstance(result, Refusal):
            raise refused(result)
        return self._owner.signed(result), fresh

    def _settled(self, key: str, kind: str, reason: str) -> Receipt:
        try:
            return self._owner.signed(self._book.settle(self._place, checked_key(key), kind, reason))
        except (LedgerError, TightBudgetError) as problem:
            self._denied(problem, None, key, None)
            raise

    def _wanted(self, increment: Any, key: str | None, actor: Any, purpose: Any, metadata: Any) -> Wanted:
        payload = Payload(checked_note("actor", actor), checked_note("purpose", purpose), checked_metadata(metadata))
        key = uuid.uuid4().hex if key is None else checked_key(key)
        return Wanted(self._place, self._step(increment), key, payload)

    def _step(self, increment: Any) -> Step:
        return self._owner.rules_at_start(self).step(increment)

    def _denied(self, problem: TightBudgetError, increment: Any, key: Any, actor: Any) -> None:
        """Log what was asked and could not be done; what is wrong with the database itself cannot be logged there."""
        self._owner.denied(self._place.id, problem, increment, key, actor)

    def __repr__(self) -> str:
        terms = self.terms
        return f"<budget {terms.name!r}: {terms.filter['kind']} filter for epsilon {terms.epsilon}, delta {terms.delta}>"

    def _repr_html_(self) -> str:
        return str(found_at("tightbudget.ledger.status:status_as_html")(self.status()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _budget_again, (self.ledger, self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Budget) and (self.ledger, self._place) == (other.ledger, other._place)

    def __hash__(self) -> int:
        return hash(self._place)


class Spending:
    """What `budget.spend` returns: a context for one charge, or a decorator that makes one for each call."""

    def __init__(
        self, budget: Budget, increment: Any, key: str | None, ttl: float, actor: str | None, purpose: str | None
    ) -> None:
        self._budget, self._increment, self._key, self._ttl = budget, increment, key, ttl
        self._actor, self._purpose = actor, purpose
        self._released = True
        self.receipt: Receipt | None = None

    def nothing_released(self) -> None:
        """Say that nothing came out, not even that something failed: the reservation is then given back."""
        self._released = False

    def __enter__(self) -> "Spending":
        if self.receipt is not None:
            raise KeyReused(self.receipt.key, "was used by this very context before")
        receipt, fresh = self._budget._charged(self._increment, self._key, self._actor, self._purpose, None, self._ttl)
        if not fresh:  # whoever began it may release, or have released, its result: a second one would not be paid for
            raise KeyReused(receipt.key, "stands for a charge that was begun before")
        self.receipt = receipt
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        assert self.receipt is not None
        if self._released:
            self.receipt = self._budget.commit(self.receipt.key)
        else:
            self.receipt = self._budget.abort(self.receipt.key)

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        if self._key is not None:
            raise InvalidParameter("key", self._key, "left out of a decorator, whose calls are charges of their own")

        @functools.wraps(function)
        def charged(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with Spending(self._budget, self._increment, None, self._ttl, self._actor, self._purpose):
                return function(*args, **kwargs)

        return charged


def _budget_again(ledger: Owner, name: str) -> Budget:
    return ledger.budget(name)


def refused(refusal: Refusal) -> ChargeRefused:
    fits = ""
    with suppress(TightBudgetError):
        fits = what_fits(refusal.decision.quote, refusal.rules, refusal.spent, refusal.step)
    return ChargeRefused(refusal.decision.quote, refusal.at, fits)


def checked_ttl(ttl: object) -> float:
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not math.isfinite(ttl) or not 0 < ttl <= LONGEST_TTL:
        raise InvalidParameter("ttl", ttl, f"seconds above 0 and up to {LONGEST_TTL:.0f}")
    return float(ttl)
