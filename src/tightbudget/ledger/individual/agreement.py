"""The log and the balances agree: what is in one and not yet in the other, after a crash, is made up for.

A charge goes to the balances first and to the log second, and only then may anybody take part. One is given back in the
log first and in the balances second. So whatever a crash leaves, balances are never below what was released:

- a charge in the balances that is not in the log: nobody was told who takes part. It is logged now, as it was meant;
- one that the log gave back and the balances did not: they do now;
- anything else is not of a crash: the folder is a copy or a backup, or belongs elsewhere. It is refused.
"""

from typing import Any

from sqlalchemy import select

from tightbudget.errors import BudgetClosed, InvalidParameter, LedgerCorrupt
from tightbudget.ledger import entries
from tightbudget.ledger.book import Book
from tightbudget.ledger.charges import Payload, Place, Refusal
from tightbudget.ledger.entries import Body, read
from tightbudget.ledger.individual.records import Head
from tightbudget.ledger.individual.store import Store
from tightbudget.ledger.individual_rules import IndividualStep
from tightbudget.ledger.receipts import Receipt
from tightbudget.ledger.storage.schema import entries as table
from tightbudget.ledger.terms import Terms

_AT_ONCE = 2000
_GIVEN_BACK = (entries.ABORTED, entries.REFUNDED)


def check_belongs(store: Store, ledger: str, terms: Terms) -> None:
    """Refuse the folder of another budget."""
    binding = store.binding
    if (binding.ledger, binding.budget, binding.filter) != (ledger, terms.name, terms.filter):
        raise InvalidParameter("path", str(store.folder.path), f"the folder that was made for {terms.name!r} of this ledger")


def agree(book: Book, place: Place, store: Store) -> None:
    """Bring balances and log together, or refuse them."""
    charges, states = _in_the_log(book, place)
    if len(charges) > len(store.charges):
        problem = f"The log has {len(charges)} charges on {place.name!r}, and these balances know of {len(store.charges)}."
        raise LedgerCorrupt(problem, "They are an old copy: what was spent since is missing in them.")
    for body, head in zip(charges, store.charges, strict=False):
        if body["key"] != head.key or not is_record_of(store, head, body):
            problem = f"The charge {body['key']!r} on {place.name!r} is not the one that these balances know."
            raise LedgerCorrupt(problem, "They are a copy that went its own way, or were changed.")
    store.logged = len(charges)
    if len(store.charges) - store.logged > 1:
        raise LedgerCorrupt(f"Charges on {place.name!r} are missing in the log.", "Run tightbudget ledger verify.")
    for head in store.charges[: store.logged]:
        state = states[head.key]
        if state in _GIVEN_BACK and (head.seq in store.returned or store.knows_costs(head)):
            store.give_back(head)
        elif state != entries.RESERVED:
            store.settled(head)
    log_the_last(book, place, store)


def log_the_last(book: Book, place: Place, store: Store) -> None:
    """Log the charge that was interrupted, if there is one. There is never more than one: no other starts before.

    If the budget was closed meanwhile it cannot be logged. Then nobody takes part, and who has paid has paid.
    """
    for head in store.charges[store.logged :]:
        if book.row(place.id).state == "open":
            logged(book, place, store, head, head.ttl)


def logged(book: Book, place: Place, store: Store, head: Head, ttl: float | None) -> tuple[Receipt, bool]:
    """Put a charge of the balances into the log; return its receipt, and whether it is new there."""
    expected = store.number[head.seq]
    step = IndividualStep(None, head.increment, expected, store.tie(head))  # type: ignore[arg-type]
    payload = Payload(head.payload["actor"], head.payload["purpose"], head.payload["metadata"])
    receipt, fresh = book.charge(place, step, head.key, payload, ttl)
    assert not isinstance(receipt, Refusal)
    if receipt.price.get("record") != step.record:
        problem = f"The charge {head.key!r} was logged by other balances, a copy of these."
        raise LedgerCorrupt(problem, "Nobody takes part. Find out which of them count.")
    store.logged = max(store.logged, expected + 1)
    return receipt, fresh


def check_open(book: Book, place: Place) -> None:
    if book.row(place.id).state != "open":
        raise BudgetClosed(place.name)


def is_record_of(store: Store, head: Head, body: Body) -> bool:
    """Return whether an entry of the log is about this record."""
    same = all(body.get(name) == value for name, value in head.payload.items())
    return same and body["price"].get("record") == store.tie(head)


def _in_the_log(book: Book, place: Place) -> tuple[list[Body], dict[str, str]]:
    """Return the charges of the log in their order, and the state of each by its key."""
    query = select(table.c.kind, table.c.body).where(table.c.budget == place.id).order_by(table.c.seq)
    charges: list[Body] = []
    states: dict[str, str] = {}
    with book.database.reading() as connection:
        rows: Any = connection.execution_options(yield_per=_AT_ONCE).execute(query)
        for kind, raw in rows:
            if kind in (entries.CHARGED, entries.RESERVED):
                charges.append(read(bytes(raw)))
                states[charges[-1]["key"]] = kind
            elif kind in (entries.COMMITTED, *_GIVEN_BACK):
                states[read(bytes(raw))["key"]] = kind
    return charges, states
