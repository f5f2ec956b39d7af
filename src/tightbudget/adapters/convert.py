"""One composition in the languages of several tools: our notation, a DpEvent, the history of an Opacus accountant."""

import ast
import json
import math
from fractions import Fraction
from typing import Any, NamedTuple

from tightbudget.adapters.dp_accounting.events import event_from_json
from tightbudget.adapters.dp_accounting.reading import UnsupportedEvent, from_event
from tightbudget.adapters.dp_accounting.relations import THEIRS
from tightbudget.adapters.dp_accounting.writing import event_fields
from tightbudget.adapters.opacus_history import composition_of, history_in
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable, Composition, Gaussian, Poisson
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ADD_REMOVE
from tightbudget.notation import parse
from tightbudget.numerics.rounding import float_below

NOTATION, EVENT, HISTORY = "notation", "event", "history"
FORMS = (NOTATION, EVENT, HISTORY)

_LONGEST_LITERAL = 1_000_000  # characters; Python takes a hundred times the memory to read its own literals


class Converted(NamedTuple):
    """A composition in every language that has words for it; where one has not, why."""

    read_as: str
    relation: str
    composition: Composable
    event: dict[str, Any] | None
    no_event: str
    history: list[list[float | int]] | None
    no_history: str


def convert(text: str, relation: str | None = None, read_as: str | None = None) -> Converted:
    """Return what a text says, in every form: JSON with class_name is an event, with a history or a list Opacus'.

    Lists and dictionaries may be as Python prints them, too. `relation` is what an event is asked under, else
    add_remove. Notation states its own, and a history is of add_remove: with a relation they are those of the same
    steps under that one.
    """
    text = _python_as_json(text)
    form = _form_of(text) if read_as is None else read_as
    if form not in FORMS:
        raise InvalidParameter("read_as", read_as, f"one of {', '.join(FORMS)}")
    c = _read_as_form(text, ADD_REMOVE if relation is None else relation, form)
    if relation is not None and form != EVENT:
        c = c.under(relation)
    event, no_event = None, ""
    try:
        event = event_fields(c)
    except UnsupportedEvent as problem:
        no_event = str(problem)
    history, no_history = _history_of(c)
    relation_asked = THEIRS.get(c.answers_for, c.answers_for)  # of several there is no event
    return Converted(form, relation_asked, c, event, no_event, history, no_history)


def _python_as_json(text: str) -> str:
    """Return a list or dictionary as Python prints it, with tuples and single quotes, as JSON; else the text itself."""
    if text.lstrip()[:1] not in ("[", "{") or len(text) > _LONGEST_LITERAL or _is_json(text):
        return text
    try:
        return json.dumps(ast.literal_eval(text.strip()))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text  # which is then said not to be JSON


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _form_of(text: str) -> str:
    start = text.lstrip()[:1]
    if start == "[":
        return HISTORY
    if start != "{":
        return NOTATION
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return EVENT  # which says what is wrong with it
    return HISTORY if isinstance(found, dict) and "history" in found else EVENT


def _read_as_form(text: str, relation: str, form: str) -> Composable:
    if form == NOTATION:
        return parse(text)
    if form == EVENT:
        return from_event(event_from_json(text), relation)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InvalidParameter("history", text, "JSON", f"{problem}.") from None
    return composition_of(history_in(found) if isinstance(found, dict) else found)


def _history_of(c: Composable) -> tuple[list[list[float | int]] | None, str]:
    """Return the entries (noise multiplier, rate, steps) of a training run, or why it is none."""
    entries: list[list[float | int]] = []
    for mechanism, count in (Composition(()) + c).items:
        entry = _opacus_history_entry(mechanism)
        if entry is None:
            return None, f"An Opacus history holds normal noise on Poisson samples under add_remove, not {mechanism}."
        entries.append([*entry, count])
    return entries, ""


def _opacus_history_entry(mechanism: Mechanism) -> tuple[float, float] | None:
    noise, rate = (mechanism.mechanism, mechanism.q) if isinstance(mechanism, Poisson) else (mechanism, 1.0)
    if not isinstance(noise, Gaussian) or mechanism.relations != {ADD_REMOVE} or not noise.sensitivity:
        return None
    if math.isinf(noise.sigma):  # it reveals nothing, and JSON has no word for it
        return None
    return float_below(Fraction(noise.sigma) / Fraction(noise.sensitivity)), float(rate)
