"""Bounds side by side: what each says of one composition at one delta or epsilon."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING

from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import rounded

OURS = "tightbudget"


@dataclass(frozen=True, slots=True)
class Row:
    """What one bound says. `value` is an upper bound, or None where the theorem does not apply; then `reason` says why.

    `kind` is "bracket" (`lower` holds too), "upper bound" or "approximation" (no bound at all).
    """

    name: str
    value: float | None
    kind: str
    reference: str = ""
    reason: str = ""
    lower: float | None = None

    @property
    def shown(self) -> str:
        """The value as text, rounded so that it still holds."""
        if self.value is None:
            return "-"
        if self.kind == "bracket" and self.lower is not None:
            return str(Bracket(self.lower, self.value))
        return f"≈ {self.value:.5g}" if self.kind == "approximation" else rounded_up(self.value)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our bracket first, then the classic bounds; exactly one of `delta` and `epsilon` was asked about."""

    expression: str
    relation: str
    rows: tuple[Row, ...]
    delta: float | None = None
    epsilon: float | None = None
    converged: bool = True
    reason: str = ""
    note: str = ""  # what a reader must know to compare the rows

    @property
    def question(self) -> str:
        """What the values are, as a heading."""
        return f"ε at δ = {self.delta!r}" if self.delta is not None else f"δ at ε = {self.epsilon!r}"

    @property
    def ours(self) -> Row:
        return self.rows[0]

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def times_ours(self, row: Row) -> str:
        """Return how many times our upper end a value is; empty where that says nothing."""
        least = self.ours.value
        if row is self.ours or row.value is None or not least or math.isinf(least) or math.isinf(row.value):
            return ""
        ratio = row.value / least
        return f"{ratio:.3f}" if ratio < 10.0 else f"{ratio:.1f}" if ratio < 1000.0 else f"{ratio:.1e}"

    @property
    def _heading(self) -> tuple[str, str, str, str]:
        return "bound", self.question, "times ours", "source, or why it does not apply"

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [
            (row.name, row.shown, self.times_ours(row), row.reason if row.value is None else row.reference) for row in self.rows
        ]

    def _repr_html_(self) -> str:
        from tightbudget.markup import table

        return table(self._heading, self._cells(), f"{self.expression} ({self.relation})", self.note)

    def __str__(self) -> str:
        """A plain table, one row a bound."""
        cells = [self._heading, *self._cells()]
        widths = [max(len(line[column]) for line in cells) for column in range(3)]
        lines = [
            "  ".join([*(text.ljust(width) for text, width in zip(line[:3], widths, strict=True)), line[3]]).rstrip()
            for line in cells
        ]
        return "\n".join([f"{self.expression} ({self.relation})", *lines, *([self.note] if self.note else [])])


def rounded_up(value: float, digits: int = 6) -> str:
    """Return the value in so many significant digits, rounded up.

    >>> rounded_up(1.23456111), rounded_up(0.0), rounded_up(1e-7 / 3)
    ('1.23457', '0', '3.33334e-8')
    """
    return rounded(value, digits, ROUND_CEILING)
