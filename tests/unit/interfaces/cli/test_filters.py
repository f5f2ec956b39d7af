"""`tightbudget filter compare`, called as the command calls it."""

import json

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main

BUDGET = ("filter", "compare", "--epsilon", "1", "--delta", "1e-6", "--each")


def test_the_table_shows_every_filter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BUDGET, "pure_dp(epsilon=0.1)"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Steps like pure_dp(epsilon=0.1) within ε = 1, δ = 1e-06"
    rows = {" ".join(line.split()[:-1]): line.split()[-1] for line in lines if line.endswith(("10", "1"))}
    assert rows["basic"] == "10"
    assert rows["advanced"] == "1"


def test_json_holds_filters_ready_to_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BUDGET, "zcdp(rho=0.001)", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows = {row["filter"]: row for row in answer["filters"]}
    assert rows["zcdp"]["steps"] == 24
    assert tb.filters.from_state(rows["zcdp"]["state"]).remaining(tb.filters.ZCDP(0.001)) == 24
    assert not rows["basic"]["applies"]
    assert "epsilon" in rows["basic"]["note"]


def test_nothing_fits_is_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BUDGET, "gaussian(sigma=0.1)"]) == 4
    assert "no filter admits" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[*BUDGET, "zcdp()"], [*BUDGET, "nonsense(1)"], [*BUDGET[:3], "-1", *BUDGET[4:], "pure_dp(1)"]]
)
def test_bad_input_is_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Error: ")


def test_json_says_which_counts_were_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["filter", "compare", "--epsilon", "1", "--delta", "1", "--each", "pure_dp(0.1)", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["filters"]
    assert [(row["filter"], row["or_more"]) for row in rows[:2]] == [("slots", True), ("basic", False)]
