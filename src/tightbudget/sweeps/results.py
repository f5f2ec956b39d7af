"""What a sweep has found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter, MissingExtra
from tightbudget.lazy import found_at
from tightbudget.sweeps.columns import Columns, column_kinds, joined_columns
from tightbudget.sweeps.keys import key_meant
from tightbudget.sweeps.plan import SweepPlan
from tightbudget.sweeps.result_folder import ResultFolder, arrow_arrays, arrow_schema, require_pyarrow
from tightbudget.sweeps.shown import shown_answer, shown_question, shown_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

READ_TO_SHOW = 100_000
"""Answers on disk up to which some are read, only to be shown."""


@dataclass
class Tally:
    """How many answers there are, and of what kind."""

    answers: int = 0
    failed: int = 0  # no bracket: `error` says why
    wide: int = 0  # a bracket that is wider than asked: `reason` says why
    reused: int = 0  # were there from an earlier run
    lost: int = 0  # failed because workers died; not kept, so that the next run tries again
    first_error: str = ""

    def add(self, found: Columns, reused: bool = False, lost: bool = False) -> None:
        failed = found["error"] != ""
        self.answers += failed.size
        self.failed += int(failed.sum())
        self.wide += int((~found["converged"] & ~failed).sum())
        self.reused += failed.size if reused else 0
        self.lost += failed.size if lost else 0
        if failed.any() and not self.first_error:
            self.first_error = str(found["error"][failed.argmax()])


@dataclass(eq=False)
class SweepResult(Mapping[str, NDArray[Any]]):
    """Columns by name, a row for each question at each point, in the order of the plan.

    `lower` and `upper` are the ends of the bracket, NaN where `error` says why there is none. What was written to disk
    is read when a column is first asked for. `table` is the same for pyarrow, `to_pandas()` for pandas.
    """

    plan: SweepPlan
    tally: Tally
    path: Path | None = None
    parts: list[Columns] = field(default_factory=list, repr=False)
    _joined: Columns | None = field(default=None, init=False, repr=False)

    @property
    def columns(self) -> Columns:
        if self._joined is None:
            stored = None if self.path is None else ResultFolder(self.path, self.plan)
            self._joined = joined_columns(self.plan.space, self.parts) if stored is None else stored.all()
        return self._joined

    @property
    def converged(self) -> bool:
        """Whether every point has a bracket as narrow as asked."""
        return self.tally.failed == self.tally.wide == 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise InvalidParameter("column", name, f"one of {', '.join(self.columns)}", key_meant(name, self.columns))
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def table(self) -> Any:
        """The rows as a pyarrow.Table; what is not known is null."""
        require_pyarrow()
        import pyarrow as arrow

        schema = arrow_schema(column_kinds(self.plan.space))
        return arrow.table(arrow_arrays(self.columns, schema), schema=schema)

    def to_pandas(self) -> Any:
        """Return the rows as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        return pandas.DataFrame(dict(self.columns))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the answers over one swept parameter or two, and return the Matplotlib axes.

        Questions about different numbers, and over two parameters all questions, have a panel each: without `ax` all of
        them are on the figure of the axes returned, the first. On axes of your own there is room for one.
        """
        axes: Axes = found_at("tightbudget.interfaces.sweep_plot:plot_sweep")(self, ax)
        return axes

    def _repr_html_(self) -> str:
        from tightbudget.markup import MOST_ROWS, html_table

        caption, said = self.plan.template.text, str(self)
        if self.path is not None and self.tally.answers > READ_TO_SHOW:
            return html_table(("sweep", ""), [(caption, said)])
        names, rows = self.plan.space.names, self["point"].size
        head = rows if rows <= MOST_ROWS else MOST_ROWS // 2  # rows between are not even read as text
        shown = [*range(head), *range(max(head, rows - head), rows)]
        cells = [
            (shown_question(self, i), *(shown_value(self[name][i]) for name in names), shown_answer(self, i)) for i in shown
        ]
        if len(shown) < rows:
            cells[head - 1 : head] = [("⋮", *("" for _ in names), f"{rows - len(shown) + 1:,} more")]
        return html_table(("question", *names, "answer"), cells, caption, said)

    def __str__(self) -> str:
        """Return how the sweep went, with the first error there was."""
        return self.summary + (f" The first error: {self.tally.first_error}" if self.tally.first_error else "")

    @property
    def summary(self) -> str:
        """How the sweep went, in a sentence."""
        tally, points = self.tally, self.plan.space.size
        said = [f"{_number_and_noun(tally.answers, 'answer')} at {_number_and_noun(points, 'point')}"]
        if tally.reused:
            said.append(f"{tally.reused:,} of them from an earlier run")
        if tally.wide:
            said.append(f"{tally.wide:,} wider than asked")
        if tally.failed:
            said.append(f"{tally.failed:,} failed")
        where = f" in {self.path}" if self.path is not None else ""
        return f"{', '.join(said)}{where}."


def _number_and_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
