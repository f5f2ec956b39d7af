"""Help of every command: names for values, no types or braces, and it fits narrow terminals."""

import re
from pathlib import Path

import pytest

from tightbudget.interfaces.cli import main

LEDGER = [
    ["ledger"], ["ledger", "budget"],
    *(["ledger", "budget", name] for name in ("create", "split", "extend", "list", "show", "lower", "close")),
    ["ledger", "individual"], *(["ledger", "individual", name] for name in ("create", "charge", "status", "statement")),
    *(["ledger", name] for name in (
        "init", "quote", "charge", "reserve", "commit", "abort", "refund", "status", "history", "export", "statement", "verify",
        "checkpoint", "expire", "keygen", "check-receipt",
    )),
]  # fmt: skip
GROUPS = ([], ["filter"], ["odometer"], ["study"], ["ledger"], ["ledger", "budget"], ["ledger", "individual"])
COMMANDS = [
    [], ["epsilon"], ["delta"], ["check"], ["calibrate"], ["curve"], ["compare"], ["explain"], ["dpsgd"], ["reproduce"],
    ["filter"], ["filter", "compare"], ["odometer"], ["odometer", "simulate"], ["odometer", "separation"],
    ["study"], ["study", "timing"], ["study", "vuvuzela"], ["sweep"], ["serve"],
    *LEDGER,
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("columns", [40, 80])
def test_help_is_clean(
    command: list[str], columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*command, "--help"]) == 0
    text = capsys.readouterr().out
    assert not re.search(r"[{}<>…]|\bTEXT\b|\bFLOAT\b|\bINTEGER\b|\bPATH\b|(?<!\])\.\.\.$", text, flags=re.MULTILINE)
    assert text.startswith("Usage: tightbudget")
    # every option that takes a value names it, in capitals
    for option in re.findall(r"^  (--[a-z-]+.*?)(?:  |$)", text.partition("Options:")[2], flags=re.MULTILINE):
        assert re.fullmatch(r"--[a-z-]+( [A-Z]+)?", option)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("columns", [40, 51, 120])
def test_help_fits_the_terminal(
    command: list[str], columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Examples alone are longer: what is wrapped cannot be copied."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*command, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line.rstrip()) for line in lines if not line.startswith("    tightbudget")) <= columns
    assert not any(re.search(r"postgresql://\S*$", line) and "NAME" not in line for line in lines)


def test_help_fits_where_nothing_was_asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    main(["ledger", "budget"])
    shown = capsys.readouterr()  # old versions of Typer take it for a question, and print the help as its answer
    assert max(len(line.rstrip()) for line in (shown.out + shown.err).splitlines()) <= 40


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in GROUPS])
def test_examples_stand_on_one_line(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that they can be copied."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*command, "--help"]) == 0
    (example,) = re.findall(r"^ +(tightbudget .*)", capsys.readouterr().out, flags=re.MULTILINE)
    assert example.startswith(f"tightbudget {' '.join(command)} ")
    assert example.count('"') in (0, 2)


def test_the_page_of_the_command_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[4] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert main([*command, "--help"]) == 0
        for option in re.findall(r"^  (--[a-z-]+)", capsys.readouterr().out, flags=re.MULTILINE):
            assert option in page
