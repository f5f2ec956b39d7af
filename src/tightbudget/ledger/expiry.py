"""Reservations whose time is over become commits. They counted as spent all the while, so there is no hurry."""

from sqlalchemy import select

from tightbudget.errors import ChargeSettled
from tightbudget.ledger import entries
from tightbudget.ledger.charges import Place
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.storage.schema import budgets, reservations


def expire(ledger: Ledger) -> int:
    """Commit every reservation of the ledger that has expired; return how many there were."""
    now = int(ledger._book.clock() * 1e6)
    late = (
        select(budgets.c.name, reservations.c.key)
        .join(budgets, budgets.c.id == reservations.c.origin)
        .where(reservations.c.budget == reservations.c.origin, reservations.c.expires <= now)
    )
    with ledger._database.reading() as connection:
        found = connection.execute(late).all()
    done = 0
    for name, key in found:
        try:
            ledger._book.settle(_place_of_expiring(ledger, name), key, entries.COMMITTED)
        except ChargeSettled:  # somebody else was faster
            continue
        done += 1
    return done


def _place_of_expiring(ledger: Ledger, name: str) -> Place:
    """Return where the budget is, whether it is for all or for each of many people."""
    known = ledger._place_and_terms(name)
    assert known is not None  # budgets are never removed
    return known[0]
