"""Terms of a budget, fixed when it is made: what is promised, about whom, and by which filter."""

import inspect
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tightbudget.adaptive.filters.base import Filter
from tightbudget.adaptive.filters.registry import BY_KIND
from tightbudget.adaptive.odometers.base import Odometer
from tightbudget.adaptive.odometers.registry import BY_KIND as ODOMETERS
from tightbudget.errors import InvalidParameter
from tightbudget.ledger.entries import Body
from tightbudget.mechanisms.relations import relation_named

LONGEST_NAME, LONGEST_NOTE, LONGEST_METADATA = 100, 1000, 8000
DEEPEST_METADATA = 50
"""Objects within objects; whoever reads them, in any language, goes down as many calls."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a budget promises. `filter` and `odometers` are states of fresh ones, with their computed constants."""

    name: str
    unit: str
    relation: str
    filter: Body
    odometers: tuple[Body, ...] = ()
    description: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def epsilon(self) -> str:
        """As it was typed."""
        return str(self.filter["epsilon"])

    @property
    def delta(self) -> str:
        return str(self.filter["delta"])

    def body(self) -> Body:
        return {
            "name": self.name,
            "unit": self.unit,
            "relation": self.relation,
            "filter": self.filter,
            "odometers": list(self.odometers),
            "description": self.description,
            "metadata": dict(self.metadata),
        }

    @classmethod
    def of(cls, body: Body) -> "Terms":
        return cls(**{**{name: body[name] for name in cls.__slots__}, "odometers": tuple(body["odometers"])})


_EXAMPLES = {"rdp": "orders=8", "slots": "plan='gaussian(sigma=50) * 100'"}
"""Settings that have no default, as one would write them."""


def new_filter(kind: object, epsilon: Any, delta: Any, settings: Mapping[str, Any]) -> Filter:
    """Return a filter by its kind or class; one that was made already is taken if nothing was spent."""
    if isinstance(kind, Filter):
        if kind.sequence != 0:
            raise InvalidParameter("filter", kind, "fresh: what was spent elsewhere is not in this ledger")
        if epsilon is not None or delta is not None or settings:
            raise InvalidParameter(
                "filter", kind, "the only place that names epsilon, delta and settings", "Leave the others out."
            )
        return kind
    if isinstance(kind, type) and issubclass(kind, Filter):
        kind = kind.kind
    if not isinstance(kind, str) or kind not in BY_KIND:
        raise InvalidParameter("filter", kind, f"one of {', '.join(BY_KIND)}")
    if epsilon is None or delta is None:
        missing = "epsilon" if epsilon is None else "delta"
        raise InvalidParameter(missing, None, "given: it is what the budget promises")
    try:
        return BY_KIND[kind](epsilon, delta, **settings)
    except TypeError:
        hint = f"Such as {_EXAMPLES[kind]}; at the command line --setting {_EXAMPLES[kind]}." if kind in _EXAMPLES else ""
        raise InvalidParameter("settings", dict(settings), _settings_allowed(kind), hint) from None


def _settings_allowed(kind: str) -> str:
    """Return what the settings of a kind of filter are called, and which it cannot do without."""
    known = [each for each in inspect.signature(BY_KIND[kind]).parameters.values() if each.kind is each.KEYWORD_ONLY]
    needed = [each.name for each in known if each.default is each.empty]
    must = f"; {' and '.join(needed)} must be given" if needed else ""
    return f"those of the {kind} filter: {', '.join(each.name for each in known)}{must}"


def new_odometer(odometer: object, delta: Any) -> Odometer:
    """Return a fresh odometer: one that was made, or of a kind with the budget's delta."""
    if isinstance(odometer, Odometer):
        if odometer.sequence != 0:
            raise InvalidParameter("odometers", odometer, "fresh: what was spent elsewhere is not in this ledger")
        return odometer
    if not isinstance(odometer, str) or odometer not in ODOMETERS:
        raise InvalidParameter("odometers", odometer, f"one of {', '.join(ODOMETERS)}, or an odometer")
    try:
        return ODOMETERS[odometer](delta=delta)  # type: ignore[call-arg]
    except TypeError as problem:
        raise InvalidParameter(
            "odometers", odometer, f"one that was made, since this kind needs settings ({_terms_problem(problem)})"
        ) from None


def _terms_problem(problem: TypeError) -> str:
    return str(problem).partition("__init__() ")[2] or str(problem)


def checked_name(name: object) -> str:
    """Return the name of a budget: printable, and fit for an address."""
    allowed = f"1 to {LONGEST_NAME} printable characters without / \\ ? # % and without spaces at its ends"
    if not isinstance(name, str):
        raise InvalidParameter("name", name, allowed)
    plain = unicodedata.normalize("NFC", name)
    fine = 0 < len(plain) <= LONGEST_NAME and plain.isprintable() and plain == plain.strip() and not set(plain) & set("/\\?#%")
    if not fine or plain in (".", ".."):
        raise InvalidParameter("name", name, allowed)
    return plain


def checked_key(key: object) -> str:
    if not isinstance(key, str) or not 0 < len(key) <= 200 or not key.isprintable():
        raise InvalidParameter("key", key, "1 to 200 printable characters that name this one charge")
    return key


def checked_note(name: str, note: object, longest: int = LONGEST_NOTE) -> str:
    """Return a text such as a purpose; none is an empty one."""
    if note is None:
        return ""
    if not isinstance(note, str) or len(note) > longest:
        given = f"of {len(note)} characters" if isinstance(note, str) else note
        raise InvalidParameter(name, given, f"a text of up to {longest} characters")
    if not note.isprintable() and any(unicodedata.category(each) in ("Cc", "Cs") and each not in "\t\n\r" for each in note):
        # no database keeps all of these, and terminals obey some: whoever reads a log must see what is there
        raise InvalidParameter(name, note, "a text without control characters and halves of characters")
    return note


def checked_metadata(metadata: object) -> dict[str, Any]:
    """Return what else is to be remembered: an object of JSON, not too long."""
    if metadata is None:
        return {}
    from tightbudget.ledger.entries import text_of

    allowed = f"a dictionary fit for JSON, of up to {LONGEST_METADATA} characters and {DEEPEST_METADATA} levels"
    if not isinstance(metadata, Mapping) or not all(isinstance(name, str) for name in metadata):
        raise InvalidParameter("metadata", metadata, allowed)
    import json

    try:
        text = text_of(dict(metadata))
    except (TypeError, ValueError, RecursionError):
        raise InvalidParameter("metadata", metadata, allowed) from None
    if len(text) > LONGEST_METADATA:
        raise InvalidParameter("metadata", f"of {len(text)} characters", allowed)
    found: dict[str, Any] = json.loads(text)
    if _is_deeper(found, DEEPEST_METADATA):
        raise InvalidParameter("metadata", f"of more than {DEEPEST_METADATA} levels", allowed)
    if "\\ud" in text and any(0xD800 <= ord(each) <= 0xDFFF for each in json.dumps(found, ensure_ascii=False)):
        raise InvalidParameter("metadata", metadata, "without halves of characters")
    return found


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (levels == 0 or any(_is_deeper(each, levels - 1) for each in inner))


def checked_relation(relation: object) -> str:
    return relation_named(relation)
