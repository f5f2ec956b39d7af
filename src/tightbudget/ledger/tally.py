"""The tally of a budget: how often each step was charged. What is only reserved, aborted or refunded is not in it.

Odometers, and bounds for plans that were fixed in advance, depend on nothing else. Counting starts where the last count
stopped; a long count is kept in the database.
"""

import json
from collections import Counter
from typing import Any

from sqlalchemy import and_, delete, insert, select

from tightbudget.errors import LedgerError
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.entries import read, text_of
from tightbudget.ledger.replay import counted
from tightbudget.ledger.storage.schema import entries as table
from tightbudget.ledger.storage.schema import tallies

KEEP_AFTER = 5000
"""Entries counted since a tally was kept, after which it is kept anew."""

_AT_ONCE = 2000


def tally_of(budget: Budget) -> Counter[str]:
    """Return how often each step was committed so far, by its notation."""
    ledger, id = budget.ledger, budget._place.id
    known = ledger._tallies.get(id)
    with ledger._database.reading() as connection:
        if known is None:
            kept = connection.execute(select(tallies.c.seq, tallies.c.counts).where(tallies.c.budget == id)).first()
            known = (0, Counter()) if kept is None else (kept.seq, Counter(json.loads(kept.counts)))
        start, tally = known[0], Counter(known[1])
        last = start
        charge = table.alias("charge")
        settled = and_(charge.c.budget == table.c.budget, charge.c.seq == table.c.settles)
        again = table.alias("again")
        first = and_(again.c.budget == charge.c.budget, again.c.seq == charge.c.settles)
        query = (
            select(table.c.seq, table.c.body, charge.c.body, again.c.body)
            .select_from(table.outerjoin(charge, settled).outerjoin(again, first))
            .where(table.c.budget == id, table.c.seq > start)
            .order_by(table.c.seq)
        )
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(query):
            last, raw, about, before = row
            body = read(bytes(raw))
            told = body if about is None else read(bytes(before if before is not None else about))
            counted(tally, body["kind"], told.get("increment", ""))
    ledger._tallies[id] = (last, tally)
    if last - start >= KEEP_AFTER:
        _keep_tally(ledger, id, last, tally)
    return tally


def _keep_tally(ledger: Any, id: int, seq: int, tally: Counter[str]) -> None:
    try:
        with ledger._database.writing_connection() as connection:
            connection.execute(delete(tallies).where(tallies.c.budget == id))
            connection.execute(insert(tallies).values(budget=id, seq=seq, counts=text_of(dict(tally))))
    except LedgerError:
        pass  # who may only read, counts again next time
