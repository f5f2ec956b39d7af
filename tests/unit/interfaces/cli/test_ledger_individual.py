"""`tightbudget ledger individual`: people are charged where their records are, and nothing is told about anybody."""

import json
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.interfaces.cli.individual_files import amounts_typed

AMOUNTS = "0.1\n0.5\n0.9\n0.2\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("TIGHTBUDGET_LEDGER", "TIGHTBUDGET_SIGNING_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "norms.txt").write_text(AMOUNTS)
    np.save(tmp_path / "norms.npy", np.array([0.1, 0.5, 0.9, 0.2]))
    assert main(["ledger", "init"]) == 0
    assert main([*CREATE, "visits", "--path", "visits"]) == 0
    capsys.readouterr()
    return tmp_path


CREATE = ["ledger", "individual", "create", "--people", "4", "--budget", "1", "--filter", "gdp"]


def charge(amounts: str, key: str, mask: str = "mask.txt", *others: str) -> int:
    where = ["--path", "visits", "--key", key, "--mask", mask]
    return main(["ledger", "individual", "charge", "visits", amounts, *where, *others])


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(["ledger", *arguments]) == code
    shown = capsys.readouterr()
    assert (shown.err == "") is (code == 0)
    return shown.err if code else shown.out


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(said(capsys, *arguments, "--json"))


def test_whoever_cannot_pay_is_left_out_and_a_retry_charges_nobody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert charge("norms.txt", "first") == 0
    assert (folder / "mask.txt").read_text() == "1\n1\n1\n1\n"
    for _ in range(3):
        assert charge("norms.npy", "second", "mask.npy") == 0
        assert np.load(folder / "mask.npy").tolist() == [True, True, False, True]
    assert charge("inf", "nobody") == 2
    assert charge("0.9999", "few", "few.csv") == 0
    assert (folder / "few.csv").read_text() == "0\n0\n0\n0\n"  # a step for nobody is a step
    shown = capsys.readouterr().out
    assert "committed on 'visits' as 'second', entry 3\nWrote mask.npy, which is PRIVATE" in shown
    with tb.ledger.open("sqlite:///budget.db") as ledger, ledger.individual_budget("visits", path="visits") as budget:
        assert budget.charge(np.array([0.1, 0.5, 0.9, 0.2]), key="second").mask.tolist() == [True, True, False, True]
        assert bool(ledger.verify())


def test_only_the_owner_reads_who_takes_part(folder: Path) -> None:
    assert charge("0.1", "a") == 0
    assert stat.S_IMODE((folder / "mask.txt").stat().st_mode) == 0o600


def test_what_anybody_may_know_says_nothing_about_anybody(capsys: pytest.CaptureFixture[str]) -> None:
    before = told(capsys, "individual", "status", "visits")
    assert (before["charges"], before["state"], before["settings"]) == (0, "open", {"budget": "1"})
    assert charge("norms.txt", "a", "mask.txt", "--actor", "ana") == 0
    after = told(capsys, "individual", "status", "visits")
    assert after == {**before, "charges": 1}
    assert "people" not in after
    with tb.ledger.open("sqlite:///budget.db") as ledger:
        assert after["epsilon"] >= ledger.individual_budget("visits").epsilon(1e-6)
    text = said(capsys, "individual", "status", "visits")
    assert "ε ≤ 4.88656 at δ = 1e-06 for each person" in text
    assert "balances  private" in text
    assert told(capsys, "individual", "status")["budgets"] == [after]
    assert "visits  gdp, budget 1        1  open" in said(capsys, "individual", "status")
    history = said(capsys, "history", "visits")
    assert "mu of each, HMAC-SHA256" in history
    assert "key a; by ana" in history
    assert "1-GDP with respect to adding or removing" in told(capsys, "individual", "statement", "visits")["text"]


@pytest.mark.parametrize("columns", [40, 120])
def test_it_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in (["status"], ["status", "visits"], ["statement", "visits"]):
        assert max(map(len, said(capsys, "individual", *command).splitlines())) <= columns


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["charge", "visits", "few.txt"], "AMOUNTS is 'of shape (2,)', but must be one number, or 4 of them in a row."),
        (["charge", "visits", "words.txt"], "AMOUNTS has no number from 0, nor inf, on line 2. Nobody was charged."),
        (["charge", "visits", "words.npy"], "AMOUNTS is 'words.npy', but must be a file of numbers"),
        (["charge", "visits", "none.txt"], "Cannot use the file 'none.txt': No such file"),
        (["charge", "visits", "many"], "AMOUNTS is 'many', but must be a finite number, 0 or more."),
        (["charge", "nobody", "0.1"], "There is no budget called 'nobody'"),
    ],
)
def test_amounts_that_are_none_charge_nobody(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "few.txt").write_text("0.1\n0.2\n")
    (folder / "words.txt").write_text("0.1\nsecret\n0.1\n0.1\n")
    (folder / "words.npy").write_text("secret")
    where = ["--path", "visits", "--key", "k", "--mask", "mask.txt"]
    assert message in said(capsys, "individual", *arguments, *where, code=2)
    assert not (folder / "mask.txt").exists()
    assert told(capsys, "individual", "status", "visits")["charges"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["individual", "charge", "visits", "0.1", "--path", "v", "--key", "k", "--mask", "m.txt"],
            "--path is 'v', but must be",
        ),
        (["individual", "charge", "visits", "0.1", "--path", "visits", "--key", "k", "--mask", "m"], "--mask is 'm', but must"),
        (["individual", "charge", "visits", "0.1", "--path", "visits", "--mask", "m.txt"], "Missing option '--key'"),
        (["individual", "status", "nobody"], "There is no budget called 'nobody'"),
        (["status", "visits"], "BUDGET is 'visits', but must be a budget that is one for all"),
        ([*CREATE[1:], "visits", "--path", "v"], "There is a budget called 'visits' already."),
        ([*CREATE[1:], "w", "--path", "visits"], "--path is 'visits', but must be a folder that does not exist yet."),
        ([*CREATE[1:], "w", "--path", "w", "--people", "0"], "--people is 0, but must be"),
        ([*CREATE[1:], "w", "--path", "w", "--budget", "-1"], "--budget is '-1', but must be"),
        (
            [*CREATE[1:], "w", "--path", "w", "--filter", "renyi"],
            "--order is missing; it must be given with --filter renyi.",
        ),
        ([*CREATE[1:], "w", "--path", "w", "--order", "8"], "--order is '8', but must be left out with --filter gdp."),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = sorted(folder.iterdir())
    assert message in said(capsys, *arguments, code=2)
    assert sorted(folder.iterdir()) == there


@pytest.mark.parametrize("text", ["0.1", "0.3", "1e-5", "2.675", "1/3", "0.7000000000000001"])
def test_amounts_in_text_are_never_rounded_down(text: str, folder: Path) -> None:
    (folder / "one.txt").write_text(f"{text}\n")
    (found,) = amounts_typed("one.txt")
    assert 0 <= Fraction(float(found)) - Fraction(text) <= Fraction(float(np.spacing(found)))
