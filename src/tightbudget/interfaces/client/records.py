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

    def __str__(self) -> str:
        """Return a status, a receipt or a quote in words, anything else name by name."""
        fields = vars(self)
        if {"name", "limits", "limit", "used", "charges", "state"} <= fields.keys():
            return _status_in_words(self)
        if {"increment", "state", "budget", "key", "sequence"} <= fields.keys():
            return _receipt_in_words(self)
        return str(fields["message"]) if "message" in fields else ", ".join(f"{name}: {fields[name]}" for name in fields)


def _status_in_words(status: Record) -> str:
    decisive = next((one.short for one in status.limits if one.name == status.limit), status.limit)
    many = "1 charge" if status.charges == 1 else f"{status.charges} charges"
    held = f", {len(status.held)} reserved" if getattr(status, "held", None) else ""
    return f"{status.name}: {decisive}, {100.0 * status.used:.3g} % used, {many} admitted{held} ({status.state})"


def _receipt_in_words(receipt: Record) -> str:
    expires, reason = getattr(receipt, "expires", None), getattr(receipt, "reason", "")
    until = f", commits by itself at {expires:%Y-%m-%d %H:%M:%S} UTC" if expires else ""
    step = "an empty step" if receipt.increment == "nothing" else receipt.increment
    done = f"{step} {receipt.state}{f' ({reason})' if reason else ''}"
    return f"{done} on {receipt.budget!r} as {receipt.key!r}, entry {receipt.sequence}{until}"


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
