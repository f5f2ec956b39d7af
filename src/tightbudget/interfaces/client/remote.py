"""A ledger that a service keeps, with the calls of the local one."""

import os
import ssl
import uuid
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from tightbudget.interfaces.client.connection import PATIENCE, Connection
from tightbudget.interfaces.client.records import Record, record
from tightbudget.numerics.bracket import Bracket

TOKEN = "TIGHTBUDGET_TOKEN"


def connect(
    url: str, token: str | None = None, *, patience: float = PATIENCE, context: ssl.SSLContext | None = None
) -> "RemoteLedger":
    """Return the ledger of the service at an address; the token is by default that in TIGHTBUDGET_TOKEN.

    Requests that fail for a reason that may pass are sent again for `patience` seconds, charges with the same key.
    """
    given = os.environ.get(TOKEN, "") if token is None else token
    return RemoteLedger(Connection(url, given, patience, context))


class RemoteLedger:
    """Budgets, and questions about compositions. Threads may share it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create_budget(self, name: str, *, epsilon: Any, delta: Any, **terms: Any) -> "RemoteBudget":
        """Make a budget, with the arguments of the local ledger; settings of the filter are given by their names."""
        known = ("filter", "relation", "unit", "odometers", "parent", "description", "metadata")
        body = {name: value for name, value in terms.items() if name in known}
        settings = {name: value for name, value in terms.items() if name not in known}
        parent = body.get("parent")
        if isinstance(parent, RemoteBudget):
            body["parent"] = parent.name
        amounts = {"epsilon": _remote_amount(epsilon), "delta": _remote_amount(delta)}
        made = self._connection.post(["budgets"], {"name": name, **amounts, **body, "settings": settings})
        return RemoteBudget(self._connection, made["name"])

    def budget(self, name: str) -> "RemoteBudget":
        """Return the budget of that name; raise UnknownBudget if there is none."""
        self._connection.get(["budgets", name, "history"], limit=1)
        return RemoteBudget(self._connection, name)

    def names(self) -> list[str]:
        """Return the names of budgets, sorted."""
        found: list[str] = []
        after: str | None = ""
        while after is not None:
            page = self._connection.get(["budgets"], limit=1000, after=after)
            found += [one["name"] for one in page["budgets"]]
            after = page["next"]
        return found

    def budgets(self) -> Iterator["RemoteBudget"]:
        """Yield all budgets by name."""
        return (RemoteBudget(self._connection, name) for name in self.names())

    def verify(self, *, budget: str | None = None) -> Record:
        """Have the service replay the log; a report with `.ok` and `.problems`."""
        path = ["verify"] if budget is None else ["budgets", budget, "verify"]
        return record(self._connection.post(path, {}))

    def epsilon(self, expression: Any, *, delta: float, **asked: Any) -> Bracket:
        """Ask for the smallest epsilon of a composition at delta."""
        return _remote_bracket(self._connection.post(["epsilon"], {"expression": str(expression), "delta": delta, **asked}))

    def delta(self, expression: Any, *, epsilon: float, **asked: Any) -> Bracket:
        """Ask for the smallest delta of a composition at epsilon."""
        return _remote_bracket(self._connection.post(["delta"], {"expression": str(expression), "epsilon": epsilon, **asked}))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RemoteBudget:
    """A budget that a service keeps. Charge before a result is released, and never release what was refused."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self.name = name

    def __repr__(self) -> str:
        return f"<budget {self.name!r} of a service>"

    def quote(self, increment: Any) -> Record:
        """Return whether the step would be admitted now; true if so. Nothing is spent."""
        return self._post("quote", increment=str(increment))

    def remaining(self, increment: Any) -> int:
        """Return how many more such steps would be admitted one after the other, if nothing else is asked."""
        return int(self._post("remaining", increment=str(increment)).remaining)

    def charge(
        self,
        increment: Any,
        *,
        key: str | None = None,
        actor: str | None = None,
        purpose: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Record:
        """Spend the step, or raise ChargeRefused and spend nothing. Without a key it gets a new one for its retries."""
        said = {"actor": actor, "purpose": purpose, "metadata": None if metadata is None else dict(metadata)}
        return self._post("charge", increment=str(increment), key=_remote_key(key), **said)

    def reserve(
        self,
        increment: Any,
        *,
        key: str | None = None,
        ttl: float = 3600.0,
        actor: str | None = None,
        purpose: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Record:
        """Set the step aside; it counts as spent. `commit` it before the release, or `abort` it."""
        said = {"actor": actor, "purpose": purpose, "metadata": None if metadata is None else dict(metadata)}
        return self._post("reserve", increment=str(increment), key=_remote_key(key), ttl=ttl, **said)

    def commit(self, key: str) -> Record:
        """Make a reservation final. Call it before the result is released."""
        return self._post("commit", key=key)

    def abort(self, key: str, reason: str = "") -> Record:
        """Give back a reservation. Only if nothing was released."""
        return self._post("abort", key=key, reason=reason)

    def refund(self, key: str, reason: str) -> Record:
        """Give back a committed charge of which nothing was ever released."""
        return self._post("refund", key=key, reason=reason)

    def close(self, reason: str = "") -> None:
        """Admit nothing more."""
        self._post("close", reason=reason)

    def spend(self, increment: Any, *, key: str | None = None, ttl: float = 3600.0, **said: Any) -> "RemoteSpending":
        """Return a context that reserves when it is entered and commits when it is left, also by an error."""
        return RemoteSpending(self, increment, _remote_key(key), ttl, said)

    def status(self, plan: bool = True) -> Record:
        """Return what is spent, reserved and free."""
        return record(self._connection.get(["budgets", self.name, "status"], plan=str(plan).lower()))

    def history(self, limit: int | None = None, *, state: str | None = None, key: str | None = None) -> list[Record]:
        """Return entries, the newest first."""
        found: list[Record] = []
        before: int | None = None
        while limit is None or len(found) < limit:
            most = 1000 if limit is None else min(1000, limit - len(found))
            asked = {"limit": most, "before": before, "state": state, "key": key}
            page = self._connection.get(["budgets", self.name, "history"], **asked)
            found += [record(entry) for entry in page["entries"]]
            before = page["next"]
            if before is None:
                break
        return found

    def statement(self) -> str:
        """Return what this budget promises, in plain words."""
        return str(self._connection.get(["budgets", self.name, "statement"])["statement"])

    def _post(self, what: str, **body: Any) -> Record:
        return record(self._connection.post(["budgets", self.name, what], body))


class RemoteSpending:
    """A context for one charge."""

    def __init__(self, budget: RemoteBudget, increment: Any, key: str, ttl: float, said: dict[str, Any]) -> None:
        self._budget, self._increment, self._key, self._ttl, self._said = budget, increment, key, ttl, said
        self._released = True
        self.receipt: Record | None = None

    def nothing_released(self) -> None:
        """Say that nothing came out, not even that something failed: the reservation is then given back."""
        self._released = False

    def __enter__(self) -> Self:
        self.receipt = self._budget.reserve(self._increment, key=self._key, ttl=self._ttl, **self._said)
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.receipt = self._budget.commit(self._key) if self._released else self._budget.abort(self._key)


def _remote_key(key: str | None) -> str:
    return uuid.uuid4().hex if key is None else key


def _remote_amount(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)


def _remote_bracket(shape: dict[str, Any]) -> Bracket:
    ends = float(shape["lower"]), float(shape["upper"])
    return Bracket(*ends, shape["converged"], shape["reason"], shape["relation"])
