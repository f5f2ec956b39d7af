"""Export: the whole history of a budget as CSV, JSON or Parquet, row by row, however long it is."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from tightbudget.errors import InvalidParameter, LedgerUnavailable, MissingExtra
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.entries import text_of
from tightbudget.ledger.history import Entry, all_entries

COLUMNS = (
    "log", "sequence", "time", "kind", "state", "budget", "key", "increment", "price", "actor", "purpose", "reason",
    "metadata", "settled", "expires", "hash",
)  # fmt: skip
"""`log` is the budget whose log an entry is in, `budget` the one that was charged: that one or a part of it."""

_TIMES = ("time", "settled", "expires")
_AT_ONCE = 10_000

Row = dict[str, Any]


def rows(budget: Budget) -> Iterator[Row]:
    """Yield the rows, oldest first; prices are exact, and like metadata they are JSON."""
    for entry in all_entries(budget, oldest_first=True):
        yield _export_row(budget.name, entry)


def _export_row(log: str, entry: Entry) -> Row:
    found = {name: getattr(entry, name) for name in COLUMNS[1:]}
    for name in ("price", "metadata"):
        found[name] = text_of(found[name]) if found[name] else ""
    return {"log": log, **found}


def as_csv(wanted: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a CSV file; times are in UTC, and what is not there is empty.

    Texts that a spreadsheet would take for a formula begin with an apostrophe; other formats have them as they are.
    """
    yield csv_line(COLUMNS)
    for row in wanted:
        yield csv_line([_in_text(row[name]) for name in COLUMNS])


def as_json(wanted: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a JSON array of objects; price and metadata are objects."""
    before = "[\n"
    for row in wanted:
        told = {name: value.isoformat() if name in _TIMES and value else value for name, value in row.items()}
        told.update({name: json.loads(row[name]) if row[name] else None for name in ("price", "metadata")})
        yield before + json.dumps(told, ensure_ascii=False, allow_nan=False)
        before = ",\n"
    yield "\n]\n" if before != "[\n" else "[]\n"


def export(budget: Budget, path: str | os.PathLike[str]) -> int:
    """Write the history to a file, which is there whole or not at all; return how many rows it has."""
    target = Path(path)
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        raise InvalidParameter("path", str(path), f"the name of a file that ends in {', '.join(_WRITERS)}")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    counted = _CountedExport(rows(budget))
    try:
        write(counted, draft)
        os.replace(draft, target)
    except OSError as problem:
        raise LedgerUnavailable(f"{str(path)!r} cannot be written: {problem.strerror or problem}.") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return counted.count


class _CountedExport:
    def __init__(self, wanted: Iterator[Row]) -> None:
        self.count = 0
        self._wanted = wanted

    def __iter__(self) -> Iterator[Row]:
        for row in self._wanted:
            self.count += 1
            yield row


def _write_text(lines: Callable[[Iterable[Row]], Iterator[str]]) -> Callable[[Iterable[Row], Path], None]:
    def write(wanted: Iterable[Row], path: Path) -> None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.writelines(lines(wanted))

    return write


def _write_parquet(wanted: Iterable[Row], path: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("sweep", "pyarrow") from None
    kinds = {"sequence": pyarrow.int64(), **dict.fromkeys(_TIMES, pyarrow.timestamp("us", tz="UTC"))}
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in COLUMNS])
    waiting = iter(wanted)
    with pyarrow.parquet.ParquetWriter(path, schema) as file:
        while part := list(islice(waiting, _AT_ONCE)):
            file.write_table(pyarrow.Table.from_pylist(part, schema=schema))


_WRITERS: dict[str, Callable[[Iterable[Row], Path], None]] = {
    ".csv": _write_text(as_csv),
    ".json": _write_text(as_json),
    ".parquet": _write_parquet,
}
FORMATS = tuple(_WRITERS)


def csv_line(cells: Iterable[Any]) -> str:
    r"""Return a line of a CSV file. Cells with a \r are quoted as well, or whoever wrote it could forge rows."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow([_safe_cell(cell) for cell in cells])
    return line.getvalue().removesuffix("\r\n") + "\n"


def _safe_cell(value: Any) -> Any:
    """Return a cell that spreadsheets do not take for a formula, which whoever wrote a purpose could have them run."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _in_text(value: Any) -> str:
    if value is None:
        return ""
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
