"""The code of the how-to pages runs as it is printed."""

from pathlib import Path

import pytest
from opacus.accountants import create_accountant
from tests.opacus.pages import PAGES, run_page

pytestmark = pytest.mark.filterwarnings("ignore")  # what PyTorch and Opacus warn of is theirs


def test_the_pages_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_page("opacus.md", {})
    page = (PAGES / "opacus.md").read_text(encoding="utf-8")
    epsilon, bracket, composition, noise = capsys.readouterr().out.splitlines()
    assert f"It prints {epsilon[:7]}…" in page
    assert f"# {bracket}: the true one" in page
    assert f"# {composition}" in page
    for peer in ("prv", "rdp"):
        theirs = create_accountant(peer)
        theirs.history = list(names["accountant"].history)
        assert f"{theirs.get_epsilon(1e-5):.3f} (`{peer}`" in page
    assert f"print(noise)  # {noise[:6]}..." in page
    assert Path("checkpoint.pt").stat().st_size > 0
    names = run_page("stop-before-the-budget.md", names)
    assert "After " in capsys.readouterr().out
    assert names["guard"].left > 0
