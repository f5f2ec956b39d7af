"""Tables as people write them: a key that is not known is named, with the one that was meant."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from tightbudget.errors import InvalidParameter

SHOWN = 80  # characters of a value


def check_plan_keys(table: Mapping[Any, Any], known: Iterable[str], where: str) -> None:
    """Refuse a table with a key that is none of those known."""
    names = list(known)
    for key in table:
        if key not in names:
            allowed = f"one of {', '.join(names)}" if names else "absent: nothing is set here"
            raise InvalidParameter(f"a key of {where}", key, allowed, key_meant(key, names))


def key_meant(word: object, names: Iterable[str]) -> str:
    """Return a question for the name that was probably meant; empty if none is near.

    >>> key_meant("qestions", ["grid", "questions"]), key_meant("x", ["grid"])
    ("Did you mean 'questions'?", '')
    """
    close = difflib.get_close_matches(str(word).lower(), list(names), n=1)
    return f"Did you mean {close[0]!r}?" if close else ""


def plan_table(value: object, where: str, example: str) -> Mapping[str, Any]:
    """Return the table, or say what one looks like."""
    if isinstance(value, Mapping):
        return value
    raise InvalidParameter(where, brief_value(value), "a table", f"For example {example}.")


def brief_value(value: object) -> object:
    """Return the value, or something that is shown on one short line in its place: plans may be long."""
    text = " ".join(repr(value).split())
    return value if text == repr(value) and len(text) <= SHOWN else _ShortenedRepr(f"{text[: SHOWN - 2]} …"[:SHOWN])


class _ShortenedRepr:
    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text
