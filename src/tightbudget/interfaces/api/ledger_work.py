"""What processes that compute do for budgets: everything that may take long, so that no request waits for another's."""

import json
import math
from functools import lru_cache
from typing import Any

from tightbudget.interfaces import wire
from tightbudget.interfaces.api.answers import Answer, guarded
from tightbudget.ledger import Ledger
from tightbudget.ledger.rules import Rules


@lru_cache(maxsize=2)
def _worker_ledger(url: str) -> Ledger:
    return Ledger(url, create=False, check=False)


@lru_cache(maxsize=256)
def _worker_rules(state: str, relation: str) -> Rules:
    return Rules(json.loads(state), relation)


def priced(state: str, relation: str, increment: str) -> Answer:
    """Say whether a filter can weigh the step at all: it is done here first, where it can be stopped."""

    def work() -> wire.Wire:
        rules = _worker_rules(state, relation)
        rules.decide(rules.start, rules.step(increment))
        return {}

    return guarded(work)


def shown(url: str, name: str, with_plan: bool) -> Answer:
    """Return the status of a budget; `with_plan`, also what its steps would cost had they been fixed in advance."""

    def work() -> wire.Wire:
        status = _worker_ledger(url).budget(name).status()
        if not with_plan:
            vars(status).update(fixed_plan=None, naive=None)  # both are worked out when they are first looked at
        shape: wire.Wire = plain(status.as_json())
        return shape

    return guarded(work)


def verified(url: str, name: str | None) -> Answer:
    """Replay the log of one budget, or of all."""
    return guarded(lambda: _worker_ledger(url).verify(budget=name).as_json())


def stated(url: str, name: str) -> Answer:
    """Return what a budget promises in plain words."""

    def work() -> dict[str, Any]:
        return {"name": name, "statement": _worker_ledger(url).budget(name).statement()}

    return guarded(work)


def counted(url: str, name: str, increment: str) -> Answer:
    """Return how many more such steps a budget would admit."""

    def work() -> wire.Wire:
        return {"name": name, "increment": increment, "remaining": _worker_ledger(url).budget(name).remaining(increment)}

    return guarded(work)


def plain(shape: Any) -> Any:
    """Return the shape with texts for numbers that JSON has not."""
    if isinstance(shape, dict):
        return {name: plain(value) for name, value in shape.items()}
    if isinstance(shape, list | tuple):
        return [plain(value) for value in shape]
    return str(shape) if isinstance(shape, float) and not math.isfinite(shape) else shape
