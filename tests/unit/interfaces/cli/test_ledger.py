"""`tightbudget ledger`: from an empty folder to a refused step, and what is said on the way."""

import csv
import io
import json
import re
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.interfaces.cli.ledger_status_output import bar
from tightbudget.ledger.storage import postgresql

STEP = "gaussian(sigma=50)"
NOWHERE = "postgresql://nobody:secret@127.0.0.1:1/none"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("TIGHTBUDGET_LEDGER", "TIGHTBUDGET_SIGNING_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def census(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "init"]) == 0
    assert main(["ledger", "budget", "create", "census", "--epsilon", "1", "--delta", "1e-6", "--odometer", "renyi"]) == 0
    capsys.readouterr()


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """Return what the command prints for machines."""
    assert main(["ledger", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Return what the command prints for people, its errors if it fails."""
    assert main(["ledger", *arguments]) == code
    shown = capsys.readouterr()
    if code in (1, 4) and shown.out:
        return shown.out
    assert (shown.err == "") is (code == 0)
    return shown.err if code else shown.out


def test_nothing_is_made_but_by_init(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["status"], ["budget", "list"], ["verify"], ["charge", "census", STEP]):
        assert "tightbudget ledger init makes one" in said(capsys, *command, code=2)
    assert list(folder.iterdir()) == []
    assert said(capsys, "init") == "The ledger at sqlite:///budget.db was made.\n"
    assert said(capsys, "init") == "The ledger at sqlite:///budget.db is ready.\n"
    assert told(capsys, "init", "--ledger", "other.db")["made"] is True
    assert said(capsys, "status") == "No budgets. tightbudget ledger budget create makes one.\n"


def test_the_environment_names_the_ledger(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIGHTBUDGET_LEDGER", "sqlite:///elsewhere.db")
    assert "elsewhere.db" in said(capsys, "init")
    assert (folder / "elsewhere.db").exists()
    assert "postgresql://user" in said(capsys, "status", "--ledger", "mysql://root:secret@host/x", code=2)
    assert "secret" not in said(capsys, "status", "--ledger", "mysql://root:secret@host/x", code=2)


@pytest.mark.usefixtures("census")
def test_a_step_is_quoted_charged_and_at_last_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "fits the zcdp filter" in said(capsys, "quote", "census", STEP)
    assert told(capsys, "quote", "census", STEP)["steps"] == 121
    first = told(capsys, "charge", "census", STEP, "--key", "a", "--actor", "ana", "--metadata", '{"rows": 7}')
    assert told(capsys, "charge", "census", STEP, "--key", "a", "--actor", "ana", "--metadata", '{"rows": 7}') == first
    assert first["state"] == "committed"
    assert "committed on 'census' as 'b'" in said(capsys, "charge", "census", STEP, "--key", "b")
    refused = "gaussian(sigma=3)"
    assert told(capsys, "quote", "census", refused, code=4)["accepted"] is False
    assert main(["ledger", "charge", "census", refused, "--key", "c", "--json"]) == 4
    shown = capsys.readouterr()
    shape = json.loads(shown.out)
    assert (shape["accepted"], shape["code"], shape["budget"], shape["limit"]) == (False, "budget_refused", "census", "rho")
    assert shown.err.startswith("Error: Budget 'census': gaussian(sigma=3) is refused by the zcdp filter: it asks for ")
    assert shown.err.endswith(" is left. Nothing was spent. A step that asks for a tenth of that would fit about 4 times.\n")
    assert told(capsys, "status", "census")["charges"] == 2


@pytest.mark.usefixtures("census")
def test_a_reservation_is_committed_aborted_or_refunded(capsys: pytest.CaptureFixture[str]) -> None:
    for key in "abc":
        assert told(capsys, "reserve", "census", STEP, "--key", key, "--ttl", "60")["state"] == "reserved"
    assert told(capsys, "commit", "census", "a")["state"] == "committed"
    assert told(capsys, "abort", "census", "b", "--reason", "it never ran")["reason"] == "it never ran"
    assert told(capsys, "refund", "census", "a", "--reason", "it never ran")["state"] == "refunded"
    assert "cannot be aborted: it was refunded" in said(capsys, "abort", "census", "a", code=2)
    assert [each["key"] for each in told(capsys, "status", "census")["held"]] == ["c"]
    assert told(capsys, "expire") == {"committed": 0}
    assert "0 reservations had expired" in said(capsys, "expire")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["charge", "cencus", STEP], "Did you mean 'census'?"),
        (["charge", "census", "gaussian("], "never closed"),
        (["charge", "census", STEP, "--key", "a", "--purpose", "other"], "stands for another charge"),
        (["charge", "census", STEP, "--metadata", "[1]"], "--metadata '[1]' is no object of JSON"),
        (["commit", "census", "z"], "No charge on 'census' has the key 'z'"),
        (["reserve", "census", STEP, "--ttl", "-1"], "--ttl is -1.0"),
        (["refund", "census", "a", "--reason", " "], "--reason is ' '"),
        (["budget", "create", "census", "--epsilon", "2", "--delta", "0.1"], "a budget called 'census' already"),
        (["budget", "create", "b", "--epsilon", "2", "--delta", "0", "--filter", "best"], "--filter is 'best'"),
        (["budget", "create", "b", "--epsilon", "1", "--delta", "0", "--setting", "plan"], "write NAME=VALUE"),
        (["budget", "create", "b", "--epsilon", "1", "--delta", "0.1", "--setting", "step=1"], "those of the zcdp filter"),
        (["budget", "create", "b", "--epsilon", "1", "--delta", "2"], "--delta is '2'"),
        (["budget", "lower", "census", "--epsilon", "2"], "a limit is never raised"),
        (["history", "census", "--state", "spent"], "--state is 'spent'"),
        (["history", "census", "--since", "monday"], "--since 'monday' is no time"),
        (["history", "census", "--limit", "-1"], "--limit is -1"),
        (["export", "census", "log.xlsx"], "a file name ending in .csv or .json or .parquet"),
        (["status", "--plot", "x.png"], "--plot is about one budget"),
        (["status", "census", "--plot", "x.gif"], "a file name ending in .png or .svg"),
        (["checkpoint", "x.json"], "tightbudget ledger keygen makes a key"),
        (["verify", "--checkpoint", "none.json"], "--checkpoint is 'none.json'"),
        (["verify", "--public-key", "00"], "name its file with --checkpoint"),
        (["check-receipt", "none.json", "--public-key", "00"], "64 hexadecimal digits"),
        (["check-receipt", "none.json", "--public-key", "00" * 32], "none.json"),
        (["charge", "census", STEP, "--signing-key", "none.key"], "--signing-key is 'none.key'"),
    ],
)
@pytest.mark.usefixtures("census")
def test_what_cannot_be_done_is_one_sentence_and_code_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ledger", "charge", "census", STEP, "--key", "a"]) == 0
    capsys.readouterr()
    error = said(capsys, *arguments, code=2)
    assert error.startswith("Error: ")
    assert sentence in error
    assert tb.ledger.open("budget.db").budget("census").status().charges == 1


@pytest.mark.slow
@pytest.mark.usefixtures("census")
def test_budgets_within_and_beside_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "budget", "split", "census", "ana", "--epsilon", "0.5", "--delta", "1e-6")["parent"] == "census"
    made = told(
        capsys, "budget", "extend", "census", "more", "--epsilon", "1/3", "--delta", "1e-7", "--filter", "rdp",
        "--setting", "orders=24,48",
    )  # fmt: skip
    assert (made["epsilon"], made["filter"], made["settings"]["orders"]) == ("1/3", "rdp", ["24", "48"])
    assert [each["name"] for each in told(capsys, "budget", "list")["budgets"]] == ["ana", "census", "more"]
    assert told(capsys, "budget", "list", "--limit", "1", "--after", "ana")["more"] is True
    assert "--limit and --after show them" in said(capsys, "budget", "list", "--limit", "2")
    assert said(capsys, "status") == said(capsys, "budget", "list")
    assert "(4/3, 1.1e-06)" in said(capsys, "statement", "more").replace("\n", " ")
    assert "part of    census" in said(capsys, "budget", "show", "ana")
    assert "Limits lowered" in said(capsys, "budget", "lower", "ana", "--epsilon", "0.25")
    assert told(capsys, "budget", "close", "ana", "--reason", "done")["state"] == "closed"
    assert "was closed" in said(capsys, "charge", "ana", STEP, code=4)
    assert "Closed. " in said(capsys, "budget", "close", "ana")


@pytest.mark.usefixtures("census")
def test_history_is_filtered_and_exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for key, actor in (("a", "ana"), ("b", "bo"), ("c", "ana")):
        assert main(["ledger", "charge", "census", STEP, "--key", key, "--actor", actor, "--purpose", "mean age"]) == 0
    assert main(["ledger", "charge", "census", "gaussian(sigma=1)"]) == 4
    capsys.readouterr()
    shown = said(capsys, "history", "census")
    assert re.search(r"committed  gaussian\(sigma=50\)  0\.0002 of rho; key c; by ana; mean age\n", shown)
    assert re.search(r"refused    gaussian\(sigma=1\)   key \w+; it asks for 0\.5 of rho, but 0\.0237\d+ is left\n", shown)
    assert (
        len(said(capsys, "history", "census", "--limit", "2").splitlines()) == 5
    )  # heading, rule, two, and that there are more
    keys = [each["key"] for each in told(capsys, "history", "census", "--actor", "ana", "--state", "committed")["entries"]]
    assert keys == ["c", "a"]
    assert told(capsys, "history", "census", "--key", "b")["entries"][0]["actor"] == "bo"
    today = told(capsys, "history", "census")["entries"][0]["time"][:10]
    assert len(told(capsys, "history", "census", "--since", today, "--until", today)["entries"]) == 5
    assert said(capsys, "history", "census", "--until", "2020-01-01") == "Nothing to show.\n"
    assert said(capsys, "export", "census", "log.csv") == "Wrote log.csv (5 rows).\n"
    assert said(capsys, "export", "census", "-") == (folder / "log.csv").read_text(encoding="utf-8")
    assert told(capsys, "export", "census", "log.parquet")["rows"] == 5
    assert told(capsys, "export", "census", "-")[1]["key"] == "a"
    assert len(list(csv.DictReader(io.StringIO((folder / "log.csv").read_text(encoding="utf-8"))))) == 5


@pytest.mark.slow
@pytest.mark.usefixtures("census")
def test_the_status_marks_what_is_no_guarantee(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing was charged yet." in said(capsys, "status", "census")
    assert main(["ledger", "charge", "census", STEP]) == 0
    assert main(["ledger", "reserve", "census", STEP, "--ttl", "0.001"]) == 0
    capsys.readouterr()
    shown = said(capsys, "status", "census", "--plot", "course.png")
    (plan,) = [line for line in shown.splitlines() if line.startswith("fixed plan")]
    (total,) = [line for line in shown.splitlines() if line.startswith("naive sum")]
    assert "NOT a guarantee either" in total
    assert "NOT a guarantee" in plan
    assert "renyi odometer  ε ≤ 0." in shown
    assert "The last step, gaussian(sigma=50), would fit about 119 more times." in shown
    assert "1 is only reserved (1 expired: tightbudget ledger expire commits it)" in shown
    assert (folder / "course.png").read_bytes().startswith(b"\x89PNG")
    assert said(capsys, "expire") == "1 reservation had expired and is committed now.\n"
    status = told(capsys, "status", "census")
    assert status["fixed_plan_is_a_guarantee"] is False
    assert status["held"] == []


@pytest.mark.usefixtures("census")
def test_a_sample_that_costs_as_much_as_the_whole_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    sample, sentence = "poisson(gaussian(sigma=50), q=0.01)", "A sample is charged as the whole here"
    assert sentence in said(capsys, "quote", "census", sample)
    assert told(capsys, "quote", "census", sample)["note"].startswith(sentence)
    for command in ("charge", "reserve"):
        assert sentence in said(capsys, command, "census", sample)
        assert sentence not in said(capsys, command, "census", STEP)
        assert "note" not in told(capsys, command, "census", sample)  # a receipt has what the log says, and no more
    assert told(capsys, "quote", "census", STEP)["note"] == ""


@pytest.mark.usefixtures("census")
def test_receipts_and_checkpoints_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    public = told(capsys, "keygen", "ledger.key")["public_key"]
    assert "a file that can be made" in said(capsys, "keygen", "ledger.key", code=2)
    receipt = told(capsys, "charge", "census", STEP, "--key", "a", "--signing-key", "ledger.key")
    (folder / "receipt.json").write_text(json.dumps(receipt))
    assert told(capsys, "check-receipt", "receipt.json", "--public-key", public)["ok"] is True
    assert f"Signed by {public}" in said(capsys, "check-receipt", "receipt.json", "--public-key", public)
    assert "not signed with this key" in said(capsys, "check-receipt", "receipt.json", "--public-key", "12" * 32, code=1)
    for name, value in (("increment", "gaussian(sigma=500)"), ("entry", "{}"), ("hash", "x"), ("signature", "zz")):
        (folder / "forged.json").write_text(json.dumps({**receipt, name: value}))
        assert told(capsys, "check-receipt", "forged.json", "--public-key", public, code=1)["ok"] is False
    (folder / "unsigned.json").write_text(json.dumps({**receipt, "signature": ""}))
    unsigned = said(capsys, "check-receipt", "unsigned.json", "--public-key", public, code=1)
    assert "The receipt is not signed. A ledger that is opened with a signing key" in " ".join(unsigned.split())
    for broken in ({}, [], {**receipt, "more": 1}, {**receipt, "time": "noon"}, {**receipt, "key": 7}):
        (folder / "broken.json").write_text(json.dumps(broken))
        assert "receipt is" in said(capsys, "check-receipt", "broken.json", "--public-key", public, code=2)
    assert told(capsys, "checkpoint", "kept.json", "--signing-key", "ledger.key")["budgets"] == 1
    asked = ["verify", "--checkpoint", "kept.json", "--public-key"]
    report = told(capsys, *asked, public)
    assert (report["checkpoint"], report["signed_by"], report["signer_checked"]) == (True, public, True)
    shown = " ".join(said(capsys, *asked, public.upper()).split())
    assert "agree with the checkpoint" in shown
    assert shown.endswith(f"The checkpoint is signed by {public}.")
    report = told(capsys, *asked[:-1])
    assert (report["checkpoint"], report["signed_by"], report["signer_checked"]) == (True, public, False)
    shown = " ".join(said(capsys, *asked[:-1]).split())
    assert f"signed by {public}, which anybody could have made: say with --public-key who" in shown
    report = told(capsys, "verify")
    assert (report["checkpoint"], report["signed_by"], report["signer_checked"]) == (False, None, False)
    assert "signed with another key" in said(capsys, *asked, "12" * 32, code=1)


@pytest.mark.usefixtures("census")
def test_a_broken_ledger_is_code_1_and_guards_can_be_restored(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "charge", "census", STEP]) == 0
    capsys.readouterr()
    assert said(capsys, "verify").startswith("Sound: ")
    assert told(capsys, "verify", "census")["ok"] is True
    with sqlite3.connect("budget.db") as database:
        database.execute("DROP TRIGGER entries_never_change")
    assert "is not protected: entries_never_change is missing or changed" in said(capsys, "status", code=1)
    assert "Broken: the ledger itself: the log is not protected" in said(capsys, "verify", code=1)
    with sqlite3.connect("budget.db") as database:
        database.execute("DROP TRIGGER budgets_never_go")
    assert "entries_never_change, budgets_never_go are missing" in said(capsys, "status", code=1)
    assert "entries_never_change, budgets_never_go are missing" in said(capsys, "verify", code=1)
    assert said(capsys, "init", "--restore-guards") == "The ledger at sqlite:///budget.db is ready.\n"
    assert said(capsys, "verify").startswith("Sound: ")
    with sqlite3.connect("budget.db") as database:
        database.execute("UPDATE budgets SET charges = 0 WHERE name = 'census'")
    database.close()
    assert told(capsys, "verify", code=1)["problems"][0]["budget"] == "census"


@pytest.mark.usefixtures("census")
def test_a_ledger_that_cannot_be_used_is_code_5(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(postgresql, "STARTING", 0.2)  # seconds for a server that starts; this one never does
    (folder / "text.db").write_text("this is no database, but a text that is long enough to look like something\n" * 50)
    assert "is no ledger" in said(capsys, "status", "--ledger", "text.db", code=5)
    error = said(capsys, "status", "--ledger", NOWHERE, code=5)
    assert "Connection refused" in error
    assert "127.0.0.1:1/none failed: connection to server" in error
    assert "secret" not in error


@pytest.mark.usefixtures("census")
def test_sentences_say_what_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "charge", "census", f"{STEP} * 0").startswith("an empty step committed on 'census'")
    assert said(capsys, "quote", "census", f"{STEP} * 0").startswith("an empty step fits the zcdp filter: it takes 0 of")
    for bare in ("gaussian(sigma=0)", "laplace(scale=0)"):
        assert "a step with noise. It has none, and no budget admits it." in said(capsys, "charge", "census", bare, code=2)
    assert "()" not in said(capsys, "status", "nobody", code=2)
    assert "()" not in said(capsys, "verify", "--checkpoint", "none.json", code=2)
    assert main(["ledger", "charge", "census", STEP, "--key", "a"]) == 0
    capsys.readouterr()
    assert "a refund says so" in said(capsys, "abort", "census", "a", code=2)


@pytest.mark.usefixtures("census")
def test_a_damaged_file_is_code_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "budget.db"
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))  # its first page says that it is a database
    for command in (["status"], ["verify"], ["charge", "census", STEP]):
        assert "is damaged" in said(capsys, *command, code=1)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_the_database_of_another_program_is_left_as_it_is(
    journal: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect("app.db") as database:
        database.execute(f"PRAGMA journal_mode={journal}")
        database.execute("CREATE TABLE customers (name text)")
    database.close()
    before = (folder / "app.db").read_bytes()
    for command in (["status"], ["verify"], ["budget", "list"], ["init"], ["init", "--restore-guards"]):
        assert "app.db has tables of others, and is no ledger." in said(capsys, *command, "--ledger", "app.db", code=5)
    assert [each.name for each in folder.iterdir()] == ["app.db"]
    assert (folder / "app.db").read_bytes() == before


def test_an_empty_file_is_no_ledger_until_one_is_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.db").touch()
    assert "There is no ledger" in said(capsys, "status", "--ledger", "empty.db", code=2)
    assert [(each.name, each.stat().st_size) for each in folder.iterdir()] == [("empty.db", 0)]
    assert "was made" in said(capsys, "init", "--ledger", "empty.db")
    assert "No budgets" in said(capsys, "status", "--ledger", "empty.db")


@pytest.mark.usefixtures("census")
def test_the_statement_is_wrapped(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shape = told(capsys, "statement", "census")
    assert shape["sections"]["unit_and_relation"] in shape["text"]
    for columns, most in ((40, 40), (120, 80)):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = said(capsys, "statement", "census")
        assert max(map(len, shown.splitlines())) <= most
        assert " ".join(shown.split()) == " ".join(shape["text"].split())


@pytest.mark.parametrize("columns", mostly_slow([40, 80, 120], every=3))
@pytest.mark.usefixtures("census")
def test_tables_fit_the_terminal(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (STEP, "laplace(scale=100) * 3", "poisson(gaussian(sigma=400), q=0.001) * 10"):
        assert main(["ledger", "charge", "census", step, "--purpose", "a purpose that takes a few words to tell"]) == 0
    assert main(["ledger", "reserve", "census", STEP]) == 0
    assert main(["ledger", "charge", "census", "gaussian(sigma=1)"]) == 4
    capsys.readouterr()
    wide = [said(capsys, *command) for command in (["status", "census"], ["history", "census"], ["budget", "list"])]
    monkeypatch.setenv("COLUMNS", str(columns))
    narrow = [said(capsys, *command) for command in (["status", "census"], ["history", "census"], ["budget", "list"])]
    for one, other in zip(wide, narrow, strict=True):
        assert max(map(len, other.splitlines())) <= columns
        assert {word for word in re.findall(r"[\w.=()]+", one) if re.search(r"\d", word)} <= set(
            re.findall(r"[\w.=()]+", other)
        )


@pytest.mark.parametrize(
    ("committed", "held"), [(0.0, 0.0), (0.001, 0.001), (0.5, 0.25), (0.999, 0.0), (0.001, 0.998), (1.0, 0.0)]
)
def test_nothing_is_left_out_of_the_bar(committed: float, held: float) -> None:
    free = 1.0 - committed - held
    shown = bar(SimpleNamespace(committed=committed, held_part=held, used=committed + held, free=free), 40)  # type: ignore[arg-type]
    assert len(shown) == 40
    assert [sign in shown for sign in "█▒░"] == [part > 0.0 for part in (committed, held, free)]
    assert shown == "".join(sorted(shown, key="█▒░".index))
