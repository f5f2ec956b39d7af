"""A budget for each of many people, kept in a ledger: who may take part is decided, charged and logged, then told.

Whoever has the folder of balances charges. Everybody else sees what the log says: which steps were charged, when and by
whom. How many took part in a step, and what anybody has left, is computed from people's records and told to nobody.
"""

import uuid
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

import numpy as np

from tightbudget.errors import (
    BudgetClosed,
    CannotShare,
    ChargeSettled,
    InvalidParameter,
    KeyReused,
    UnknownCharge,
)
from tightbudget.lazy import found_at
from tightbudget.ledger import entries
from tightbudget.ledger.book import DEFAULT_TTL
from tightbudget.ledger.budget import checked_ttl
from tightbudget.ledger.charges import Payload, Place, Row, other_charge
from tightbudget.ledger.individual.agreement import check_open, log_the_last, logged
from tightbudget.ledger.individual.receipts import IndividualReceipt
from tightbudget.ledger.individual.records import Head, Mask
from tightbudget.ledger.individual.spending import IndividualSpending
from tightbudget.ledger.individual.statement import individual_statement
from tightbudget.ledger.individual.store import Store
from tightbudget.ledger.individual_rules import filter_of
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.receipts import Receipt
from tightbudget.ledger.terms import Terms, checked_key, checked_metadata, checked_note

_PUBLIC = (str, int, float, Fraction, Decimal, np.generic)
"""What one amount for all may be. Of anything else not even what is wrong with it is logged."""

_LOGGED = (BudgetClosed, ChargeSettled, InvalidParameter, KeyReused, UnknownCharge)


class IndividualBudget:
    """One budget for each of many people. Charge *before* a step, and run it on those who may take part, also if nobody
    may: that nothing came out would tell how many have anything left.

    The amount of a person bounds what that person's record can change, whatever the others are (M17): it may depend on
    the record and on what was released, on nothing else. Only the process that opened the folder charges; threads may
    share the budget.
    """

    def __init__(self, ledger: Ledger, place: Place, terms: Terms, store: Store | None) -> None:
        self.ledger = ledger
        self.terms = terms
        self._place = place
        self._book = ledger._book
        self._balances = store
        self._promise = filter_of(terms.filter)

    @property
    def name(self) -> str:
        return self.terms.name

    @property
    def state(self) -> str:
        """Whether the budget is open or closed."""
        return str(self._book.row(self._place.id).state)

    @property
    def charges(self) -> int:
        """How many charges the log has, but for those that were given back."""
        return int(self._book.row(self._place.id).charges)

    def epsilon(self, delta: float) -> float:
        """Return an epsilon, rounded up, such that all that is released is (epsilon, delta)-private for each person."""
        return self._promise.epsilon(delta)

    def quote(self, increment: Any) -> Mask:
        """Return who could take part now; nothing is charged or logged. PRIVATE: releasing it is a release."""
        store = self._store()
        with store._reading():
            store.check()
            return store.decide(store.read(increment, ""))

    def charge(
        self,
        increment: Any,
        *,
        key: str | None = None,
        actor: str | None = None,
        purpose: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> IndividualReceipt:
        """Charge everybody who can pay, for good, and return who that is.

        `increment` is what the step costs: one number for all, or an array with one for each; an infinite one leaves
        its person out. The same key and amounts give the same people again and charge nobody twice.
        """
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
    ) -> IndividualReceipt:
        """Charge for `ttl` seconds: `commit` before the result is released, `abort` if nothing is. Else it commits."""
        return self._charged(increment, key, actor, purpose, metadata, checked_ttl(ttl))[0]

    def spend(
        self,
        increment: Any,
        *,
        key: str | None = None,
        ttl: float = DEFAULT_TTL,
        actor: str | None = None,
        purpose: str | None = None,
    ) -> IndividualSpending:
        """Return a context that reserves when it is entered and commits when it is left; see `Budget.spend`.

        with budget.spend(0.01, key="mean-7") as charge:
            answer = noisy_mean(records[charge.mask])
        """
        return IndividualSpending(self, increment, key, checked_ttl(ttl), actor, purpose)

    def commit(self, key: str) -> IndividualReceipt:
        """Make a reservation final. Call it before the result is released."""
        return self._settled(key, entries.COMMITTED, "")

    def abort(self, key: str, reason: str = "") -> IndividualReceipt:
        """Give a reservation back to those who paid. Only if nothing was released: not a result, nor that it failed."""
        return self._settled(key, entries.ABORTED, checked_note("reason", reason))

    def refund(self, key: str, reason: str, increment: Any = None) -> IndividualReceipt:
        """Give back a committed charge of which nothing was ever released; the log says that, and why.

        Amounts that differ are not kept for ever: give them again.
        """
        if not checked_note("reason", reason).strip():
            raise InvalidParameter("reason", reason, "why it is certain that nothing was released")
        return self._settled(key, entries.REFUNDED, reason, increment)

    def receipt(self, key: str) -> Receipt:
        """Return what the log says of a charge as it stands now."""
        return self.ledger.signed(self._book.find(self._place, checked_key(key)))

    def history(self, limit: int | None = None, **filters: Any) -> Any:
        """Return what the log says, the newest first; see `ledger.history` for filters."""
        return found_at("tightbudget.ledger.history:entries_of")(self, limit, **filters)

    def statement(self) -> str:
        """Return what this budget promises to each person, and why, in plain words."""
        return individual_statement(self.terms)

    def close(self, reason: str = "", actor: str = "") -> None:
        """Charge nobody any more. What is reserved can still be committed or aborted."""

        def shut(row: Row) -> None:
            row.state = "closed"

        fields = {"reason": checked_note("reason", reason), "actor": checked_note("actor", actor)}
        if self.state == "open":
            self._book.log(self._place.id, entries.CLOSED, fields, shut)

    def compact(self) -> None:
        """Write all balances anew, so that the folder is small and opens fast. It happens by itself now and then."""
        store = self._store()
        with store._spending():
            store.check()
            store.compact()

    def let_go(self) -> None:
        """Unlock the folder of balances: nothing can be charged here any more."""
        if self._balances is not None:
            self._balances.let_go()

    def _charged(
        self, increment: Any, key: str | None, actor: Any, purpose: Any, metadata: Any, ttl: float | None
    ) -> tuple[IndividualReceipt, bool]:
        try:
            store = self._store()
            key = uuid.uuid4().hex if key is None else checked_key(key)
            payload = Payload(checked_note("actor", actor), checked_note("purpose", purpose), checked_metadata(metadata))
            with store._spending():
                store.check()
                return self._charged_once(store, increment, key, payload, ttl)
        except _LOGGED as problem:
            if isinstance(increment, _PUBLIC):
                self.ledger.denied(self._place.id, problem, increment, key, actor)
            raise

    def _charged_once(
        self, store: Store, increment: Any, key: str, payload: Payload, ttl: float | None
    ) -> tuple[IndividualReceipt, bool]:
        step = store.read(increment, key)
        fields = {
            "actor": payload.actor,
            "purpose": payload.purpose,
            "metadata": payload.metadata or {},
            "increment": step.text,
        }
        head = store.by_key.get(key)
        if head is not None and head.payload != fields:
            raise KeyReused(key, other_charge(head.payload, fields))
        if head is None:
            log_the_last(self._book, self._place, store)
            check_open(self._book, self._place)
            head, _ = store.charge(step, key, fields, ttl)
        receipt, fresh = logged(self._book, self._place, store, head, ttl)
        if receipt.state == "committed":
            store.settled(head)
        return self._told(receipt, store, head), fresh

    def _settled(self, key: str, kind: str, reason: str, increment: Any = None) -> IndividualReceipt:
        try:
            store = self._store()
            with store._spending():
                store.check()
                log_the_last(self._book, self._place, store)
                head = store.by_key.get(checked_key(key))
                if head is not None and kind == entries.REFUNDED:
                    self._have_costs(store, head, increment)
                receipt = self._book.settle(self._place, key, kind, reason)
                assert head is not None  # or the log would not know the key
                if kind == entries.COMMITTED:
                    store.settled(head)
                else:
                    store.give_back(head)
                return self._told(receipt, store, head)
        except _LOGGED as problem:
            if increment is None:
                self.ledger.denied(self._place.id, problem, None, key, None)
            raise

    def _have_costs(self, store: Store, head: Head, increment: Any) -> None:
        """See that a charge can be given back before the log says that it is."""
        if store.knows_costs(head):
            return
        step = None if increment is None else store.read(increment, head.key)
        if step is None or step.text != head.increment:
            raise InvalidParameter("increment", "left out, or others", "the amounts of the charge, which are not kept")
        store.keep_costs(head, step)

    def _told(self, receipt: Receipt, store: Store, head: Head) -> IndividualReceipt:
        def mask() -> Mask:
            with store._reading():
                return store.mask(head)

        return IndividualReceipt(self.ledger.signed(receipt), mask)

    def _store(self) -> Store:
        if self._balances is None:
            problem = f"The balances of {self.name!r} are not here: only who has their folder can charge them."
            raise CannotShare(problem, "Give it as path= where the budget is opened.")
        return self._balances

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.let_go()

    def __reduce__(self) -> Any:
        if self._balances is not None:
            problem = "A budget with its balances cannot be copied or pickled: the copy would charge nothing that lasts."
            raise CannotShare(problem, "Open the folder where it is needed, in one place at a time.")
        return _opened_again, (self.ledger, self.name)

    def __repr__(self) -> str:
        filter = self.terms.filter
        settings = ", ".join(f"{name} {value}" for name, value in filter["settings"].items())
        return f"<individual budget {self.name!r}: {filter['of']} filter for each {self.terms.unit}, {settings}>"


def _opened_again(ledger: Ledger, name: str) -> IndividualBudget:
    found: IndividualBudget = ledger.individual_budget(name)
    return found
