"""The commands on ledgers in the docs: run one after the other, page by page, they print what stands below them."""

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest

from tightbudget.interfaces.cli import main

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "$ tightbudget ledger " in page.read_text(encoding="utf-8")
]


def test_there_are_pages() -> None:
    assert {"ledger.md", "audit-a-ledger.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_works_as_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`...` in the page stands for anything, as in doctests; a command may fail only where its code is shown."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "TIGHTBUDGET_LEDGER", "TIGHTBUDGET_SIGNING_KEY"):
        monkeypatch.delenv(name, raising=False)
    pieces = [
        piece
        for block in BLOCK.findall(page.read_text(encoding="utf-8"))
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    code = 0
    for piece in pieces:
        command, _, below = piece.partition("\n")
        if command == "echo $?":
            assert below == f"{code}\n"
            code = 0
            continue
        assert code == 0, f"the command before {command!r} failed"
        if not command.startswith("tightbudget ledger "):
            continue
        code = main(shlex.split(os.path.expandvars(command), comments=True)[1:])
        shown = capsys.readouterr()
        if public := re.search("public key is ([0-9a-f]{64})", shown.out):
            monkeypatch.setenv("KEY", public[1])
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(below, shown.out + shown.err, flags), f"{command}:\n{shown}"
    assert code == 0
