"""Charges of several clients that came while the one before was being written: one transaction for all of them.

Each is decided by itself, in its order, as if it had come alone; what they share is the lock and the write to disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tightbudget.errors import TightBudgetError
from tightbudget.ledger.budget import Budget, refused
from tightbudget.ledger.charges import Refusal, Wanted
from tightbudget.ledger.receipts import Receipt


@dataclass(frozen=True, slots=True)
class AskedCharge:
    """The arguments of `budget.charge`."""

    increment: Any
    key: str
    actor: str | None = None
    purpose: str | None = None
    metadata: Mapping[str, Any] | None = None


def charge_each(budget: Budget, asked: Sequence[AskedCharge]) -> list[Receipt | TightBudgetError]:
    """Charge each step that the budget admits; return its receipt, or what `budget.charge` would have raised.

    Raise what is wrong with the database itself: then nobody knows of any of them, and all are tried again by key.
    """
    found: list[Receipt | TightBudgetError | None] = [None] * len(asked)
    wanted: dict[int, Wanted] = {}
    for place, one in enumerate(asked):
        try:
            wanted[place] = budget._wanted(one.increment, one.key, one.actor, one.purpose, one.metadata)
        except TightBudgetError as problem:
            found[place] = problem
    results = budget._book.charge_each(list(wanted.values())) if wanted else []
    for place, result in zip(wanted, results, strict=True):
        if isinstance(result, Receipt):
            found[place] = budget._owner.signed(result)
        else:
            found[place] = refused(result) if isinstance(result, Refusal) else result
    told = [each for each in found if each is not None]
    for one, each in zip(asked, told, strict=True):
        if isinstance(each, TightBudgetError):
            budget._denied(each, one.increment, one.key, one.actor)
    return told
