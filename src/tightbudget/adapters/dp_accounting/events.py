"""A DpEvent as a name and fields, whatever form it came in: the object, its named tuple, a dictionary or JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tightbudget.errors import InvalidParameter

MODULE = "dp_accounting.dp_event"
_KIND, _MODULE = "class_name", "module_name"
_EVENT = "a DpEvent, its named tuple, or a dictionary with class_name and its fields"


@dataclass(frozen=True)
class Event:
    """One event: the name of its class, its fields as they were given, and the object itself."""

    kind: str
    fields: Mapping[str, Any]
    given: Any


def described(event: Any) -> Event:
    """Return an event by the name of its class. A subclass has another name: what it means is not ours to guess."""
    if isinstance(event, Event):
        return event
    if isinstance(event, Mapping) and _KIND in event:
        return Event(_event_text(event[_KIND]), _without_names(event), event)
    if isinstance(event, tuple) and hasattr(event, "_asdict") and hasattr(event, _KIND):
        return Event(_event_text(getattr(event, _KIND)), _without_names(event._asdict()), event)
    attributes = getattr(type(event), "__attrs_attrs__", None)
    if attributes is None:
        raise InvalidParameter("event", event, _EVENT)
    return Event(type(event).__name__, {one.name: getattr(event, one.name) for one in attributes}, event)


def event_to_json(event: Any) -> str:
    """Return an event as JSON: its named tuple's names and values, nested events likewise."""
    return json.dumps(as_dictionary(event))


def event_from_json(text: str) -> dict[str, Any]:
    """Return the event of such JSON as a dictionary, which `from_event` takes."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InvalidParameter("event", text, "JSON", f"{problem}.") from None
    if not (isinstance(found, dict) and isinstance(found.get(_KIND), str)):
        raise InvalidParameter("event", text, "JSON of an object with class_name and the fields of the event")
    return found


def as_dictionary(event: Any) -> dict[str, Any]:
    """Return an event as plain dictionaries, lists and numbers."""
    one = described(event)
    return {_MODULE: MODULE, _KIND: one.kind, **{name: _plain_field(value) for name, value in one.fields.items()}}


def is_event(value: Any) -> bool:
    """Whether a value is an event in one of the forms."""
    return (
        isinstance(value, Event)
        or (isinstance(value, Mapping) and _KIND in value)
        or hasattr(value, _KIND)
        or hasattr(type(value), "__attrs_attrs__")
    )


def _plain_field(value: Any) -> Any:
    if is_event(value):
        return as_dictionary(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain_field(one) for one in value]
    return value.item() if hasattr(value, "item") else value


def _event_text(name: Any) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)


def _without_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in fields.items() if name not in (_KIND, _MODULE)}
