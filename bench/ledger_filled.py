"""Ledgers with a long past, written in one go: entries as charges would have made them, so that `verify` passes."""

import json
from typing import Any

from sqlalchemy import insert, select, update

from tightbudget.ledger import Ledger
from tightbudget.ledger.book import ROOT
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.entries import canonical, hash_of, read
from tightbudget.ledger.storage.schema import budgets, entries

_AT_ONCE = 5000


def add_charges(ledger: Ledger, budget: Budget, step: str, count: int) -> None:
    """Append so many charges of one step."""
    budget.charge(step)
    id = budget._place.id
    with ledger._database.writing_connection() as connection:
        row = connection.execute(select(budgets).where(budgets.c.id == id)).one()._asdict()
        last = connection.execute(select(entries).where(entries.c.budget == id, entries.c.seq == row["seq"])).one()._asdict()
        body = read(bytes(last["body"]))
        made: list[dict[str, Any]] = []
        for place in range(count):
            body = {**body, "seq": body["seq"] + 1, "previous": bytes(last["hash"]).hex(), "key": f"filled {place}"}
            raw = canonical(body)
            last = {**last, "seq": body["seq"], "key": body["key"], "body": raw, "hash": hash_of(raw)}
            made.append(last)
            if len(made) == _AT_ONCE or place == count - 1:
                connection.execute(insert(entries), made)
                made.clear()
        each = {name: int(text.split()[0]) for name, text in json.loads(row["spent"]).items()}
        spent = canonical({name: f"{ticks * (count + 1)} ticks" for name, ticks in each.items()}).decode()
        changed = {"seq": body["seq"], "head": last["hash"], "spent": spent, "last": body["seq"], "charges": count + 1}
        connection.execute(update(budgets).where(budgets.c.id == id).values(changed))


def add_budgets(ledger: Ledger, like: Budget, count: int) -> None:
    """Make so many budgets with the terms of another."""
    with ledger._database.writing_connection() as connection:
        row = connection.execute(select(budgets).where(budgets.c.id == like._place.id)).one()._asdict()
        root = connection.execute(select(budgets).where(budgets.c.id == ROOT)).one()._asdict()
        query = select(entries).where(entries.c.budget == row["id"], entries.c.seq == 1)
        opened = connection.execute(query).one()._asdict()
        terms = read(bytes(opened["body"]))
        fresh = like.ledger.rules_at_start(like).start
        next_id = max(connection.execute(select(budgets.c.id)).scalars()) + 1
        new_budgets, new_entries, head, seq = [], [], bytes(root["head"]), root["seq"]
        for place in range(count):
            id, name = next_id + place, f"{like.name} {place}"
            raw = canonical({**terms, "budget": id, "name": name})
            digest = hash_of(raw)
            new_entries.append({**opened, "budget": id, "body": raw, "hash": digest})
            new = {
                "id": id,
                "name": name,
                "seq": 1,
                "head": digest,
                "time": terms["time"],
                "spent": fresh,
                "last": 0,
                "charges": 0,
            }
            new_budgets.append({**row, **new})
            seq += 1
            made = {"v": 1, "ledger": ledger.id, "budget": ROOT, "seq": seq, "previous": head.hex(), "kind": "created"}
            raw = canonical({**made, "time": root["time"], "name": name, "id": id, "hash": digest.hex()})
            head = hash_of(raw)
            new_entries.append({**opened, "budget": ROOT, "seq": seq, "kind": "created", "body": raw, "hash": head})
        for start in range(0, count, _AT_ONCE):
            connection.execute(insert(budgets), new_budgets[start : start + _AT_ONCE])
            connection.execute(insert(entries), new_entries[2 * start : 2 * (start + _AT_ONCE)])
        connection.execute(update(budgets).where(budgets.c.id == ROOT).values(seq=seq, head=head))
