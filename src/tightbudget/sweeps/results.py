"""What a sweep has found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter, MissingExtra
from tightbudget.sweeps.columns import Columns, joined, kinds
from tightbudget.sweeps.keys import meant
from tightbudget.sweeps.plan import Plan
from tightbudget.sweeps.result_folder import ResultFolder, arrow_arrays, arrow_schema, require


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

    plan: Plan
    tally: Tally
    path: Path | None = None
    parts: list[Columns] = field(default_factory=list, repr=False)
    _joined: Columns | None = field(default=None, init=False, repr=False)

    @property
    def columns(self) -> Columns:
        if self._joined is None:
            stored = None if self.path is None else ResultFolder(self.path, self.plan)
            self._joined = joined(self.plan.space, self.parts) if stored is None else stored.all()
        return self._joined

    @property
    def converged(self) -> bool:
        """Whether every point has a bracket as narrow as asked."""
        return self.tally.failed == self.tally.wide == 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise InvalidParameter("column", name, f"one of {', '.join(self.columns)}", meant(name, self.columns))
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def table(self) -> Any:
        """The rows as a pyarrow.Table; what is not known is null."""
        require()
        import pyarrow as arrow

        schema = arrow_schema(kinds(self.plan.space))
        return arrow.table(arrow_arrays(self.columns, schema), schema=schema)

    def to_pandas(self) -> Any:
        """Return the rows as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        return pandas.DataFrame(dict(self.columns))

    def _repr_html_(self) -> str:
        from tightbudget.markup import record

        tally = self.tally
        said = [("answers", tally.answers), ("points", self.plan.space.size), ("from an earlier run", tally.reused)]
        said += [("wider than asked", tally.wide), ("failed", tally.failed)]
        more: list[tuple[str, object]] = [("the first error", tally.first_error), ("written to", self.path or "")]
        return record([*said, *((what, text) for what, text in more if text)], "sweep")

    def __str__(self) -> str:
        """Return how the sweep went, with the first error there was."""
        return self.summary + (f" The first error: {self.tally.first_error}" if self.tally.first_error else "")

    @property
    def summary(self) -> str:
        """How the sweep went, in a sentence."""
        tally, points = self.tally, self.plan.space.size
        said = [f"{_counted(tally.answers, 'answer')} at {_counted(points, 'point')}"]
        if tally.reused:
            said.append(f"{tally.reused:,} of them from an earlier run")
        if tally.wide:
            said.append(f"{tally.wide:,} wider than asked")
        if tally.failed:
            said.append(f"{tally.failed:,} failed")
        where = f" in {self.path}" if self.path is not None else ""
        return f"{', '.join(said)}{where}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
