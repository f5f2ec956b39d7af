"""Results on disk: a folder of Parquet files, one a batch, written whole or not at all (decision 0024).

    results.parquet/
      _tightbudget.json      which plan this is of, and which version made it
      part-000000.parquet    the answers of batch 0
      ...

What is there is finished. A file that cannot be read is computed again, so an interrupted sweep goes on where it was.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter, MissingExtra
from tightbudget.sweeps.answers import PointAnswer
from tightbudget.sweeps.batches import rows_of
from tightbudget.sweeps.columns import Columns, answer_columns, column_kinds, joined_columns
from tightbudget.sweeps.plan import SweepPlan
from tightbudget.version import __version__

ABOUT = "_tightbudget.json"  # readers of Parquet pass over names that begin with _ or .
FORMAT = 1


def require_pyarrow() -> None:
    """Raise MissingExtra unless pyarrow is there."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtra("sweep", "pyarrow") from None


@dataclass(frozen=True)
class ResultFolder:
    """The folder of one plan."""

    folder: Path
    plan: SweepPlan

    def open(self) -> None:
        """Make the folder ready for this plan."""
        self.check()
        self.folder.mkdir(exist_ok=True)
        if not (self.folder / ABOUT).exists():
            _replace_result_file(self.folder / ABOUT, json.dumps(self._about, indent=1).encode())

    def check(self) -> None:
        """Say why the folder cannot take the results of this plan, if it cannot; nothing is written."""
        require_pyarrow()
        name = str(self.folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidParameter("out", name, "a folder, or a new name for one", "Results are a folder of Parquet files.")
        if not self.folder.resolve().parent.is_dir():
            hint = f"Make {str(self.folder.resolve().parent)!r} first."
            raise InvalidParameter("out", name, "in a folder that exists", hint)
        about = self.folder / ABOUT
        if about.exists():
            self._check_same(name, about)
        elif self.folder.is_dir() and any(not entry.name.startswith(".") for entry in self.folder.iterdir()):
            raise InvalidParameter("out", name, "an empty folder, a new one, or one that a sweep has written")

    def _check_same(self, name: str, about: Path) -> None:
        try:
            found = json.loads(about.read_text(encoding="utf-8"))
            made_by, fingerprint, layout = found["version"], found["plan"], found["format"]
        except (ValueError, KeyError, TypeError):
            raise InvalidParameter("out", name, f"the folder of a sweep; its {ABOUT} cannot be read") from None
        if fingerprint != self.plan.fingerprint:
            hint = "Give another folder, or the plan as it was; its finished points stay."
            raise InvalidParameter("out", name, "a folder of this plan; it holds results of another one", hint)
        if (made_by, layout) != (__version__, FORMAT):
            allowed = f"a folder of tightbudget {__version__}; this one was begun by {made_by}"
            raise InvalidParameter("out", name, allowed, "Give another folder: one sweep has the answers of one version.")

    @property
    def _about(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": __version__,
            "plan": self.plan.fingerprint,
            "composition": self.plan.template.text,
            "points": self.plan.space.size,
            "questions": [f"{question.ask} at {question.target}".removesuffix(" at ") for question in self.plan.questions],
            "batches": self.plan.batches,
        }

    def part(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.parquet"

    def finished(self) -> Iterator[tuple[int, Columns]]:
        """Yield the batches that are there and whole."""
        for number in range(self.plan.batches):
            if self.part(number).exists() and (found := self.read(number)) is not None:
                yield number, found

    def read(self, number: int) -> Columns | None:
        """Return what a file holds, or None where that is not the whole batch of this plan."""
        import pyarrow as arrow
        import pyarrow.parquet as parquet

        try:
            with parquet.ParquetFile(self.part(number), page_checksum_verification=True) as file:
                table = file.read()
        except (arrow.ArrowException, OSError):
            return None
        whole = table.num_rows == rows_of(self.plan, number) and table.schema.names == self._schema.names
        if not whole or (table.schema.metadata or {}).get(b"tightbudget") != self._label(number):
            return None
        return {name: _result_column_array(table.column(name), kind) for name, kind in column_kinds(self.plan.space).items()}

    def write(self, number: int, answers: Sequence[PointAnswer]) -> None:
        """Put the answers of a batch in their place; doing so twice changes nothing."""
        import pyarrow as arrow
        import pyarrow.parquet as parquet

        table = arrow.table(self.arrays(answer_columns(self.plan.space, answers)), schema=self._schema)
        labelled = table.replace_schema_metadata({b"tightbudget": self._label(number)})
        sink = arrow.BufferOutputStream()
        parquet.write_table(labelled, sink, compression="zstd", write_page_checksum=True)
        _replace_result_file(self.part(number), sink.getvalue())

    def arrays(self, found: Columns) -> dict[str, Any]:
        return arrow_arrays(found, self._schema)

    def _label(self, number: int) -> bytes:
        return f"{self.plan.fingerprint} {number}".encode()

    @cached_property
    def _schema(self) -> Any:
        return arrow_schema(column_kinds(self.plan.space))

    def all(self) -> Columns:
        """Return everything that is finished, in the order of the plan."""
        return joined_columns(self.plan.space, [found for _, found in self.finished()])


def arrow_schema(of: dict[str, type]) -> Any:
    import pyarrow as arrow

    types = {str: arrow.string(), float: arrow.float64(), int: arrow.int64(), bool: arrow.bool_()}
    return arrow.schema([(name, types[kind]) for name, kind in of.items()])


def arrow_arrays(found: Columns, schema: Any) -> dict[str, Any]:
    """Return the columns as Arrow has them: a number that is not known is null."""
    import pyarrow as arrow

    missing = {name: np.isnan(found[name]) for name in ("lower", "upper", "value", "seconds")}
    return {field.name: arrow.array(found[field.name], type=field.type, mask=missing.get(field.name)) for field in schema}


def _result_column_array(column: Any, kind: type) -> Any:
    if kind is not str:
        return column.to_numpy()
    coded = column.combine_chunks().dictionary_encode()  # a million rows have few different texts
    return np.array(coded.dictionary.to_pylist(), dtype=object)[coded.indices.to_numpy()]


def _replace_result_file(path: Path, content: Any) -> None:
    """Write a file under a name that readers pass over, and rename it once it is on the disk."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
