"""What the book writes about: a budget's place and row, a charge that is wanted, refused or known."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tightbudget.ledger.entries import Body, read
from tightbudget.ledger.rules import Decision, Rules, Step
from tightbudget.ledger.storage.statements import ROW


@dataclass(frozen=True, slots=True)
class Place:
    """A budget as charges see it: its number and name, and those of the budgets it is part of, outermost first."""

    id: int
    name: str
    relation: str
    above: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def lineage(self) -> tuple[int, ...]:
        return (*self.above, self.id)


@dataclass(frozen=True, slots=True)
class Payload:
    """What a charge says besides its step. With the step it is what a key stands for."""

    actor: str = ""
    purpose: str = ""
    metadata: Any = None

    def fields(self, step: Step) -> Body:
        return {"increment": step.text, "actor": self.actor, "purpose": self.purpose, "metadata": self.metadata or {}}


def other_charge(known: Body, asked: Body) -> str:
    """Return in words what a key stands for, where that is not what is asked: the first thing that differs."""
    stands = "stands for another charge"
    if known["increment"] != asked["increment"]:
        return f"{stands}, of {known['increment']}"
    for name, preposition in (("actor", "by"), ("purpose", "for")):
        if known[name] != asked[name]:
            shown = [repr(each[name]) if each[name] else f"no {name}" for each in (known, asked)]
            return f"{stands} of the same step, {preposition} {shown[0]}, not {shown[1]}"
    return f"{stands} of the same step, with other metadata"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The filter of the budget `at` did not admit the step."""

    decision: Decision
    step: Step
    at: str
    rules: Rules
    spent: str


_values = attrgetter(*ROW)


class Row:
    """A budget's row, locked; it is written back by `move`."""

    __slots__ = ROW

    id: int
    name: str
    parent: int | None
    state: str
    rules: int
    seq: int
    head: bytes
    time: int
    spent: str
    last: int
    charges: int

    def __init__(self, values: Sequence[Any]) -> None:
        (
            self.id, self.name, self.parent, self.state, self.rules, self.seq, head, self.time, self.spent, self.last,
            self.charges,
        ) = values[: len(ROW)]  # fmt: skip
        self.head = bytes(head)

    def copy(self) -> "Row":
        return Row(_values(self))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A charge to be made."""

    place: Place
    step: Step
    key: str
    payload: Payload


class Known:
    """An entry that is in the log."""

    __slots__ = ("_body", "digest", "raw", "seq")

    def __init__(self, seq: int, raw: bytes, digest: bytes, body: Body | None = None) -> None:
        self.seq, self.raw, self.digest, self._body = seq, raw, digest, body

    @property
    def body(self) -> Body:
        if self._body is None:
            self._body = read(self.raw)
        return self._body
