"""`tightbudget compare` without a process of its own."""

import csv
import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.interfaces.comparison_view import view_around

EXPRESSION = "laplace(scale=20) * 100"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compare", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.mark.parametrize(("columns", "sources"), mostly_slow([(80, False), (120, True)], every=2))
def test_the_table_fits_the_terminal(
    columns: int, sources: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = shown(capsys, f"{EXPRESSION} + gaussian(sigma=30)", "--delta", "1e-6", "--all")
    assert max(len(line) for line in text.splitlines()) <= columns
    for row in tb.compare(tb.parse(f"{EXPRESSION} + gaussian(sigma=30)"), delta=1e-6).rows:
        assert row.name in text
        assert (row.reference in text) == (sources and row.value is not None)
    assert "advanced does not apply" in text if not sources else "repeated" in text


def test_json_has_every_row_with_all_digits(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(shown(capsys, EXPRESSION, "--epsilon", "1", "--json"))
    assert set(answer) == {"expression", "relation", "epsilon", "bounds", "converged", "reason", "note", "version"}
    table = tb.compare(tb.parse(EXPRESSION), epsilon=1.0)
    assert [bound["name"] for bound in answer["bounds"]] == [row.name for row in table.rows]
    assert [bound["upper"] for bound in answer["bounds"]] == [row.value for row in table.rows]
    assert [bound["lower"] for bound in answer["bounds"]] == [row.lower for row in table.rows]
    assert {bound["kind"] for bound in answer["bounds"]} == {"bracket", "upper bound", "approximation"}


def test_infinity_travels_as_a_string(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(shown(capsys, "gaussian(sigma=0)", "--delta", "1e-6", "--json"))
    assert answer["bounds"][0]["upper"] == "inf"


@pytest.mark.slow
def test_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, picture = tmp_path / "t.csv", tmp_path / "p.svg"
    text = shown(capsys, EXPRESSION, "--epsilon", "1", "--csv", str(table), "--plot", str(picture))
    assert f"Wrote {table}" in text
    assert picture.read_bytes().startswith(b"<?xml")
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    expected = tb.compare(tb.parse(EXPRESSION), epsilon=1.0)
    assert [row["bound"] for row in rows] == [row.name for row in expected.rows]
    for row, bound in zip(rows, expected.rows, strict=True):
        if bound.value is None:
            assert row["upper"] == ""
        else:
            assert float(row["upper"]) == bound.value
            assert Decimal(row["upper"]) >= Decimal(bound.value)
    assert float(rows[0]["lower"]) == expected.ours.lower
    assert Decimal(rows[0]["lower"]) <= Decimal(expected.ours.lower)


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression", mostly_slow(["nothing", "gaussian(sigma=0)", "pure_dp(epsilon=0.1) * 5"], every=3, first=2)
)
@pytest.mark.parametrize(
    "question", mostly_slow([["--delta", "0"], ["--delta", "1"], ["--epsilon", "0"], ["--epsilon", "inf"]], every=4)
)
def test_edges_can_be_shown_and_drawn(
    expression: str, question: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(capsys, expression, *question, "--plot", str(tmp_path / "p.png"))


def test_a_bracket_wider_than_asked_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", EXPRESSION, "--delta", "1e-6", "--rtol", "1e-15"]) == 3
    assert "wider than asked" in capsys.readouterr().err


def test_of_a_class_it_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "bounded_range(eta=0.1) * 10", "--delta", "1e-6"]) == 3
    said = capsys.readouterr()
    assert "The worst of them lies between the ends" in said.out
    assert said.err == "Note: our bracket holds but is wider than asked: a step stands for a class of cases.\n"


@pytest.mark.slow
def test_our_band_has_points_enough_where_it_falls() -> None:
    private = tb.Gaussian(20) * 512
    view = view_around(tb.compare(private, delta=1e-5))  # others reach this δ at eight times our ε
    epsilons, deltas = view.curves.band.epsilons, view.curves.band.upper
    seen = deltas[: np.count_nonzero(deltas > view.floor) + 1]
    assert (np.diff(epsilons) > 0.0).all()
    assert (seen[:-1] / seen[1:]).max() < 2.0


@pytest.mark.parametrize("columns", mostly_slow([40, 80, 120], every=3))
def test_bounds_that_say_little_are_folded_unless_all_are_asked_for(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    question = ["gaussian(sigma=282.84) * 512", "--delta", "1e-5"]
    few, every = shown(capsys, *question), shown(capsys, *question, "--all")
    assert max(map(len, [*few.splitlines(), *every.splitlines()])) <= columns
    names = [line.split("  ")[0] for line in few.splitlines()]
    assert names.index("tightbudget") < names.index("Rényi DP") < names.index("advanced")
    assert "naive" not in names
    assert "naive (27.5 times)" in " ".join(few.split())
    assert "--all shows every bound." in " ".join(few.split())
    assert "naive" in [line.split("  ")[0] for line in every.splitlines()]
    assert "the loss of a step is not bounded" in " ".join(every.split())
