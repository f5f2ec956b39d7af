"""Exports hold every row, and what was written is what was logged."""

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest

import tightbudget as tb
from tightbudget.ledger import Budget, Ledger, export, history

STEP = "gaussian(sigma=50)"
AWKWARD = 'a "quoted", wrapped\npurpose; =1+1 é'


@pytest.fixture
def budget(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Budget:
    monkeypatch.setattr(history, "_PAGE", 4)
    monkeypatch.setattr(export, "_AT_ONCE", 3)
    made = ledger.create_budget("census", epsilon=1, delta=1e-6)
    part = made.split("part", epsilon="0.5", delta=1e-6)
    made.charge_all([STEP] * 8, keys=list("abcdefgh"))
    made.charge("laplace(scale=100)", key="i", purpose=AWKWARD, metadata={"rows": [1, 2]})
    part.reserve(STEP, key="j")
    made.refund("a", "never ran")
    with pytest.raises(tb.BudgetRefused):
        made.charge("gaussian(sigma=1)", key="k")
    return made


def test_every_format_has_every_row(budget: Budget, tmp_path: Path) -> None:
    entries = budget.history(oldest_first=True)
    assert len(entries) == 12
    for suffix in export.FORMATS:
        assert budget.export(tmp_path / f"log{suffix}") == 12
    with open(tmp_path / "log.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    objects = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))
    table = pyarrow.parquet.read_table(tmp_path / "log.parquet").to_pylist()
    for entry, line, told, row in zip(entries, lines, objects, table, strict=True):
        assert tuple(line) == tuple(told) == tuple(row) == export.COLUMNS
        for name in ("key", "state", "increment", "purpose", "actor", "reason", "hash", "budget", "kind"):
            assert line[name] == told[name] == row[name] == getattr(entry, name)
        assert line["log"] == told["log"] == row["log"] == "census"
        assert row["time"] == entry.time
        assert row["settled"] == entry.settled
        assert told["time"] == line["time"] == entry.time.isoformat()
        assert int(line["sequence"]) == told["sequence"] == row["sequence"] == entry.sequence
        assert told["price"] == entry.price == (json.loads(line["price"]) if line["price"] else None)
    assert lines[-3]["metadata"] == '{"rows":[1,2]}'
    assert objects[-3]["metadata"] == {"rows": [1, 2]}
    assert lines[-3]["purpose"] == AWKWARD
    assert lines[-2]["budget"] == "part"


def test_nothing_is_left_of_an_export_that_fails(budget: Budget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.csv").write_text("before")

    def broken(log: str, entry: history.Entry) -> export.Row:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "_export_row", broken)
    with pytest.raises(tb.LedgerError, match="No space left"):
        budget.export(tmp_path / "log.csv")
    assert (tmp_path / "log.csv").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if "log" in path.name] == ["log.csv"]


def test_other_formats_and_folders_are_refused(budget: Budget, tmp_path: Path) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"\.csv, \.json, \.parquet"):
        budget.export(tmp_path / "log.xlsx")
    with pytest.raises(tb.LedgerError, match="cannot be written"):
        budget.export(tmp_path / "none" / "log.csv")


def test_nothing_is_a_list_too() -> None:
    assert "".join(export.as_json([])) == "[]\n"
    assert "".join(export.as_csv([])) == ",".join(export.COLUMNS) + "\n"


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_spreadsheets_find_no_formulas(ledger: Ledger, tmp_path: Path, first: str) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    purpose = f"{first}HYPERLINK(1)\rcensus,7"
    budget.charge(STEP, key="=1+1", purpose=purpose)
    for suffix in (".csv", ".json"):
        budget.export(tmp_path / f"log{suffix}")
    with open(tmp_path / "log.csv", encoding="utf-8", newline="") as file:
        line = list(csv.DictReader(file))[-1]
    assert (line["key"], line["purpose"]) == ("'=1+1", f"'{purpose}")
    assert json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))[-1]["purpose"] == purpose


def test_what_was_denied_can_be_exported_whatever_it_was(ledger: Ledger, tmp_path: Path) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    for key in ("\ud800", "a\x00", 10**5000):
        with pytest.raises(tb.InvalidParameter):
            budget.charge(STEP, key=key)  # type: ignore[arg-type]
    for suffix in export.FORMATS:
        assert budget.export(tmp_path / f"log{suffix}") == 4
    assert [entry.key for entry in budget.history(state="denied")] == ["a int", "a\\x00", "\\ud800"]
