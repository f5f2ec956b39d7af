"""Files appear whole or not at all."""

from pathlib import Path

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.interfaces.cli.files import check_target, write_all

ASKED = {"curve": ["gaussian(sigma=1)", "--points", "5"], "compare": ["gaussian(sigma=1)", "--delta", "1e-5"]}


def test_all_files_are_written(tmp_path: Path) -> None:
    write_all({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"1", "b": b"2"}


def test_a_failure_leaves_no_file_and_no_draft(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        write_all({tmp_path / "a": b"1", tmp_path / "missing" / "b": b"2"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "part"), [("c.jpeg", "ending in .png or .svg"), (".", "ending"), ("no/c.png", "exists")])
def test_a_target_that_cannot_be_is_refused(tmp_path: Path, name: str, part: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=part):
        check_target("--plot", tmp_path / name, (".png", ".svg"))


@pytest.mark.parametrize("command", ASKED)
def test_a_dash_is_standard_output(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command, *ASKED[command], "--csv", "t.csv"]) == 0
    capsys.readouterr()
    assert main([command, *ASKED[command], "--csv", "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "t.csv").read_text(encoding="utf-8")
    assert main([command, *ASKED[command], "--csv", "-", "--plot", "p.svg"]) == 0
    assert capsys.readouterr().out == (tmp_path / "t.csv").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.svg", "t.csv"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["curve", *ASKED["curve"], "--csv", "-", "--json"], "one of --json and --csv -"),
        (["compare", *ASKED["compare"], "--csv", "-", "--json"], "one of --json and --csv -"),
        (["curve", *ASKED["curve"], "--plot", "-"], "ending in .png or .svg"),
        (["odometer", "simulate", "--plot", "-"], "ending in .png or .svg"),
        (["reproduce", "--out", "-"], "a folder"),
    ],
)
def test_what_cannot_go_to_standard_output_is_refused(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
