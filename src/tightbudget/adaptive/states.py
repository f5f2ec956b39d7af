"""States: filters and odometers written down for JSON, and read back with checks.

A state holds the settings, what was computed from them when the object was made (its constants) and what was spent.
Constants differ in the last bits from one processor to another, so they are read, not computed anew: a restored object
decides as the one that was written would have. They are checked against what is computed here. A state is trusted as
the balance of a budget is: whoever can change it can also forget what was spent. The checks are against accidents.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeVar

from tightbudget.adaptive.amounts import amount_to_float, exact
from tightbudget.adaptive.increments import Increment, checked_increment
from tightbudget.adaptive.sharing import Shared
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.relations import Relations, check_one_relation, mix_relations_asked

VERSION = 3
"""Of what `state` returns. Older ones are read: 1 has no constants or relations, 2 no ticks or sequence."""

TOLERANCE = Fraction(1, 10**8)
"""How far, as a part of its size, a constant may lie on the unsafe side of what is computed here.

Processors agree to some 1e-13, but the start of the residual filter is only searched for to 1.1e-9 of its size.
"""

State = dict[str, Any]

_FRAME = {
    1: {"version", "kind", "spent"},
    2: {"version", "kind", "constants", "relations", "spent"},
    VERSION: {"version", "kind", "sequence", "constants", "relations", "spent"},
}


class KeptAsState(Shared, ABC):
    """A filter or an odometer: settings, constants computed from them, and what has been spent."""

    kind: ClassVar[str]
    _not_written: ClassVar[frozenset[str]] = frozenset()
    """Arguments of the constructor that a state does without; all the others are in it."""

    def __init__(self, mix_relations: bool) -> None:
        super().__init__()
        self._mixes = mix_relations_asked(mix_relations)
        self._relations: Relations = frozenset()
        self._sequence: int | None = 0

    @property
    def sequence(self) -> int | None:
        """How many steps were spent so far, by which states can be ordered.

        None, for good, after a state of a version that did not count.
        """
        return self._sequence

    def state(self) -> State:
        """Return all there is to know, exact and fit for JSON; `from_state` gives it back."""
        with self._reading():
            frame = {"constants": self._constants(), "relations": sorted(self._relations), "spent": self._written()}
            head = {"version": VERSION, "kind": self.kind, "sequence": self._sequence}
            return {**head, **self._settings(), "mix_relations": self._mixes, **frame}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the object of this class that the state was taken of; a state of another kind is refused."""
        return object_from_state(state, {cls.kind: cls}, "an object of this class")

    @abstractmethod
    def _settings(self) -> State:
        """Return the other arguments of the constructor, exact and fit for JSON."""

    @abstractmethod
    def _written(self) -> State:
        """Return what was spent, exact and fit for JSON."""

    @abstractmethod
    def _restore(self, spent: object) -> None:
        """Take over what was spent; raise InvalidParameter if that cannot be."""

    def _constants(self) -> State:
        """Return what was computed from the settings, exact and fit for JSON."""
        return {}

    def _use_constants(self, constants: State) -> None:
        """Take over constants as they were written, after a check; their names are right."""
        assert not constants

    def _upgraded(self, constants: State) -> State:
        """Return constants of version 2 as they are written today."""
        return constants

    @classmethod
    def _remade(cls, settings: State, constants: State) -> Self:
        """Return a fresh object of these settings. What takes long to compute may be left to `_use_constants`."""
        return cls(**settings)

    def _checked(self, increment: object) -> Increment:
        """Return the step if it is one and, unless mixing was meant, for the relation so far (decision 0009)."""
        step = checked_increment(increment, self._mixes)
        if not self._mixes:
            check_one_relation([("what was spent before", self._spent_for), (step, step.relations)])
        return step

    @property
    def _spent_for(self) -> Relations:
        """The relations of the steps so far."""
        return self._relations

    def _meet(self, increment: Increment) -> None:
        """Take note of a step that was spent: one more, and the relations that it is for."""
        if self._sequence is not None:
            self._sequence += 1
        self._relations |= increment.relations

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, KeptAsState) and self.state() == other.state()

    __hash__ = None  # type: ignore[assignment]  # it changes with every step


AnyKept = TypeVar("AnyKept", bound=KeptAsState)


def object_from_state(state: object, kinds: Mapping[str, type[AnyKept]], what: str) -> AnyKept:
    """Return the object that the state was taken of."""
    if not isinstance(state, dict):
        raise InvalidParameter("state", state, f"a dictionary that {what}'s state() returned")
    version, kind = state.get("version"), state.get("kind")
    if type(version) is not int or version not in _FRAME:
        raise InvalidParameter(
            "version", version, f"from 1 to {VERSION}", "The state was written by another version of the package."
        )
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidParameter("kind", kind, f"one of {', '.join(kinds)}")
    frame, wrote = _FRAME[version], f"as {what} of kind {kind} wrote it"
    settings = {name: value for name, value in state.items() if name not in frame}
    check_state_keys("state", state, frame | _settings_of(kinds[kind], version), wrote)
    made = kinds[kind](**settings) if version == 1 else kinds[kind]._remade(settings, state["constants"])
    if version > 1:
        constants = state["constants"]
        if version == 2 and isinstance(constants, dict):
            constants = made._upgraded(constants)
        check_state_keys("constants", constants, made._constants().keys(), wrote)
        made._use_constants(constants)
        made._relations = _relations_of_state(state["relations"], made._mixes)
    made._sequence = _count_in_state(state["sequence"]) if version > 2 else None
    made._restore(state["spent"])
    return made


def _count_in_state(found: object) -> int | None:
    if found is not None and (type(found) is not int or found < 0):
        raise InvalidParameter("sequence", found, "a whole number, 0 or more, or null if that is not known")
    return found


def _settings_of(kind: type[KeptAsState], version: int) -> set[str]:
    later = {"mix_relations"} if version == 1 else set()
    return set(inspect.signature(kind).parameters) - kind._not_written - later


def check_state_keys(name: str, found: object, expected: Any, wrote: str) -> None:
    """Refuse what lacks a key or has one more: a default for a missing setting may admit more than was promised."""
    if not isinstance(found, dict):
        raise InvalidParameter(name, found, wrote)
    if missing := sorted(set(expected) - set(found)):
        raise InvalidParameter(name, f"without {', '.join(missing)}", wrote)
    if unknown := sorted(map(str, set(found) - set(expected))):
        raise InvalidParameter(name, f"with {', '.join(unknown)}", wrote)


def _relations_of_state(found: object, mixed: bool) -> Relations:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidParameter("relations", found, "a list of neighbouring relations")
    if len(set(found)) > 1 and not mixed:
        raise InvalidParameter("relations", found, "one relation, unless mix_relations is true")
    return frozenset(found)


def written_at_most(name: str, written: object, computed: Fraction | float) -> Fraction:
    """Return a constant of which less is safe, as it was written; below 0 it admits nothing."""
    text, sign = (written[1:], -1) if isinstance(written, str) and written.startswith("-") else (written, 1)
    value = exact(name, text, "a number, as the state had it") * sign
    if value - Fraction(computed) > TOLERANCE * abs(Fraction(computed)):
        raise InvalidParameter(name, written, f"at most {amount_to_float(computed):.17g}, which is what these settings allow")
    return value


def written_at_least(name: str, written: object, computed: float) -> float:
    """Return a constant of which more is safe, as it was written."""
    value = amount_to_float(exact(name, written, "a number, as the state had it"))
    if value < float(computed) * (1.0 - float(TOLERANCE)):
        raise InvalidParameter(name, written, f"at least {computed:.17g}, which is what these settings need")
    return value


def check_spent(limit: Any) -> None:
    """Refuse a state in which more was spent than could have been.

    What is evaluated in floats may come out a little larger here than where it was admitted. No more is admitted then.
    """
    used, cap = amount_to_float(limit.used), amount_to_float(limit.cap)
    if limit.exceeded and used > cap + float(TOLERANCE) * abs(cap):
        raise InvalidParameter("spent", f"{used:.6g} of {limit.name}", f"at most {cap:.6g}")
