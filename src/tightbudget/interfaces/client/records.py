"""Answers of the service as objects, and its problems as the errors that the library raises."""

from datetime import datetime
from types import SimpleNamespace
from typing import Any

from tightbudget.errors import TightBudgetError

_TIMES = ("time", "settled", "expires", "exhausted_at")


class Record(SimpleNamespace):
    """What the service answered, by the names it has there; times are datetimes, objects inside are records."""

    def __bool__(self) -> bool:
        """A quote is true if the step is accepted, a report if nothing is wrong, as in the library."""
        return bool(getattr(self, "accepted", getattr(self, "ok", True)))


def record(shape: dict[str, Any]) -> Record:
    return Record(**{name: _record_value(name, value) for name, value in shape.items()})


def _record_value(name: str, value: Any) -> Any:
    if name in _TIMES and isinstance(value, str):
        return datetime.fromisoformat(value)
    if isinstance(value, list):
        return [record(one) if isinstance(one, dict) else one for one in value]
    return value


class ServiceError(TightBudgetError):
    """The service refused a request for a reason that the library does not know, such as a missing permission."""

    code = "service"


def error_of(status: int, shape: Any) -> TightBudgetError:
    """Return the error that a problem of the service stands for, with its `status` of HTTP and its `fields`."""
    if not isinstance(shape, dict) or not isinstance(shape.get("message"), str):
        shape = {"code": "service", "message": f"The service answered with status {status}.", "fields": {}}
    kind = _errors_by_code().get(shape.get("code", ""), ServiceError)
    error = kind.__new__(kind, shape["message"])
    vars(error).update(code=shape.get("code", "service"), status=status, fields=shape.get("fields", {}))
    return error


def _errors_by_code() -> dict[str, type[TightBudgetError]]:
    """Return the errors of the library by their codes; of two with one code the more special one, as the ledger's."""
    found: dict[str, type[TightBudgetError]] = {}
    waiting: list[type[TightBudgetError]] = [TightBudgetError]
    while waiting:
        kind = waiting.pop()
        if kind.__module__ == TightBudgetError.__module__:
            known = found.get(kind.code)
            found[kind.code] = kind if known is None or issubclass(kind, known) else known
            waiting += kind.__subclasses__()
    return found
