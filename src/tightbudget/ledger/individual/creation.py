"""Make and open individual budgets: the terms in the log, the balances in a folder that is bound to them."""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tightbudget.adaptive.individual.balances import MOST_PEOPLE
from tightbudget.adaptive.individual.registry import BY_KIND
from tightbudget.errors import BudgetExists, InvalidParameter
from tightbudget.ledger.individual.agreement import agree, check_belongs
from tightbudget.ledger.individual.budget import IndividualBudget
from tightbudget.ledger.individual.folder import Binding, made_folder, removed_folder
from tightbudget.ledger.individual.store import Store
from tightbudget.ledger.individual_rules import KIND
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.terms import Terms, checked_metadata, checked_name, checked_note


def created(
    ledger: Ledger,
    name: str,
    *,
    people: int,
    kind: str,
    settings: Mapping[str, Any],
    path: str | os.PathLike[str],
    unit: str,
    description: str,
    metadata: Any,
) -> IndividualBudget:
    """Make a budget and the folder of its balances; return it open."""
    if isinstance(people, bool) or not isinstance(people, int) or not 1 <= people <= MOST_PEOPLE:
        raise InvalidParameter("people", people, f"a whole number from 1 to {MOST_PEOPLE}")
    terms = Terms(
        name=checked_name(name),
        unit=checked_note("unit", unit, 200) or "person",
        relation="add_remove",  # what M17 proves
        filter={"kind": KIND, "of": kind, "settings": _filter_settings_written(kind, settings), "store": secrets.token_hex(16)},
        description=checked_note("description", description),
        metadata=checked_metadata(metadata),
    )
    if ledger._place_and_terms(terms.name) is not None:
        raise BudgetExists(terms.name)
    folder = made_folder(path, Binding(1, ledger.id, terms.name, terms.filter, people, secrets.token_hex(32)))
    try:
        if ledger._book.create(terms.body(), None, None) < 0:
            raise BudgetExists(terms.name)
    except BudgetExists:
        with suppress(OSError):
            removed_folder(folder)
        raise
    return opened(ledger, terms.name, path)


def opened(ledger: Ledger, name: str, path: str | os.PathLike[str] | None) -> IndividualBudget:
    """Return a budget, with its balances if their folder is given and agrees with the log."""
    found = ledger._place_and_terms(name) if isinstance(name, str) else None
    if found is None:
        raise ledger._unknown(name)
    place, terms = found
    if terms.filter["kind"] != KIND:
        raise InvalidParameter("name", name, "a budget for each of many people", "budget(name) has one for all.")
    if path is None:
        return IndividualBudget(ledger, place, terms, None)
    store = Store(path)
    try:
        check_belongs(store, ledger.id, terms)
        with store._spending():
            agree(ledger._book, place, store)
    except BaseException:
        store.let_go()
        raise
    return IndividualBudget(ledger, place, terms, store)


def _filter_settings_written(kind: object, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a filter as its own header would have them."""
    if not isinstance(kind, str) or kind not in BY_KIND:
        raise InvalidParameter("filter", kind, f"one of {', '.join(BY_KIND)}")
    needed = BY_KIND[kind].settings
    for name in (*needed, *settings):
        if (name in needed) != (name in settings):
            raise InvalidParameter(name, settings.get(name), f"{'given' if name in needed else 'left out'} with filter {kind}")
    return BY_KIND[kind](**settings, people=1)._settings()
