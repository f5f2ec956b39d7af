"""Bounds side by side: what each says of one composition at one delta or epsilon."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING
from typing import TYPE_CHECKING

from tightbudget.lazy import found_at
from tightbudget.mechanisms.composition import Composable
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import decimal_rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS = "tightbudget"

FAR_EPSILON, FAR_DELTA = 10.0, 1000.0
"""Times ours: a bound beyond it says little, and tables and pictures leave it out unless all are asked for."""


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
        return f"≈ {self.value:.5g}" if self.kind == "approximation" else bound_rounded_up(self.value)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our bracket first, then the classic bounds, the least first, then those that do not apply.

    Exactly one of `delta` and `epsilon` was asked about. Printing leaves out what says little here and names it;
    `full()` has every row.

    >>> import tightbudget as tb
    >>> table = tb.compare(tb.Gaussian(sigma=282.84) * 512, delta=1e-5)
    >>> [row.name for row in table.rows][:2], table["naive"].kind
    (['tightbudget', 'GDP, central limit'], 'upper bound')
    """

    expression: str
    relation: str
    rows: tuple[Row, ...]
    delta: float | None = None
    epsilon: float | None = None
    converged: bool = True
    reason: str = ""
    note: str = ""  # what a reader must know to compare the rows
    composition: Composable | None = field(default=None, repr=False, compare=False)

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

    def says_little(self, row: Row) -> bool:
        """Whether a bound does not apply, is trivial where ours is not, or is far above ours."""
        least = self.ours.value
        if row is self.ours or least is None:
            return False
        if row.value is None:
            return True
        trivial, far = (math.inf, FAR_EPSILON) if self.delta is not None else (1.0, FAR_DELTA)
        return row.value >= trivial > least or 0.0 < far * least < row.value

    @property
    def telling(self) -> tuple[Row, ...]:
        """The rows that are worth a line: ours, and the bounds that say something here."""
        return tuple(row for row in self.rows if not self.says_little(row))

    @property
    def left_out(self) -> str:
        """A sentence that names the other rows; empty if there are none."""
        rows = [row for row in self.rows if self.says_little(row)]
        far = [f"{row.name} ({self._how_far(row)})" for row in rows if row.value is not None]
        not_for_it = [row.name for row in rows if row.value is None]
        said = [f"Left out, far above ours: {'; '.join(far)}."] if far else []
        said += [f"{'These do' if not_for_it[1:] else 'This does'} not apply: {'; '.join(not_for_it)}."] if not_for_it else []
        return " ".join(said)

    def _how_far(self, row: Row) -> str:
        times = self.times_ours(row)
        return f"{times} times" if times else row.shown

    def full(self) -> str:
        """Return the table with every row, as text."""
        return self._text(self.rows, "")

    def plot(self, ax: "Axes | None" = None, every: bool = False) -> "Axes":
        """Draw δ(ε) by every bound that says something here, or by all, with our band, and return the Matplotlib axes.

        Without `ax` they are new ones, which a notebook shows and `.figure.savefig` writes; pyplot is not used.
        """
        axes: Axes = found_at("tightbudget.interfaces.comparison_plot:plot_comparison")(self, ax, every)
        return axes

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_table

        caption, note = f"{self.expression} ({self.relation})", " ".join(self._below(self.left_out))
        return html_table(self._heading, self._cells(self.telling), caption, note)

    def __str__(self) -> str:
        """A plain table, one row a bound."""
        return self._text(self.telling, self.left_out and f"{self.left_out} full() has every row.")

    def _text(self, rows: Sequence[Row], left_out: str) -> str:
        cells = [self._heading, *self._cells(rows)]
        widths = [max(len(line[column]) for line in cells) for column in range(3)]
        lines = [
            "  ".join([*(text.ljust(width) for text, width in zip(line[:3], widths, strict=True)), line[3]]).rstrip()
            for line in cells
        ]
        return "\n".join([f"{self.expression} ({self.relation})", *lines, *self._below(left_out)])

    @property
    def _heading(self) -> tuple[str, str, str, str]:
        return "bound", self.question, "times ours", "source, or why it does not apply"

    def _cells(self, rows: Sequence[Row]) -> list[tuple[str, str, str, str]]:
        return [(row.name, row.shown, self.times_ours(row), row.reason if row.value is None else row.reference) for row in rows]

    def _below(self, left_out: str) -> list[str]:
        return [sentence for sentence in (left_out, self.note) if sentence]


def in_order(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows with the least value first and those without one last; equal ones stay as they were."""
    return tuple(sorted(rows, key=lambda row: (row.value is None, row.value or 0.0)))


def bound_rounded_up(value: float, digits: int = 6) -> str:
    """Return the value in so many significant digits, rounded up.

    >>> bound_rounded_up(1.23456111), bound_rounded_up(0.0), bound_rounded_up(1e-7 / 3)
    ('1.23457', '0', '3.33334e-8')
    """
    return decimal_rounded(value, digits, ROUND_CEILING)
