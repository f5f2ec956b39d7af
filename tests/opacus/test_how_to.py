"""The code of the how-to pages runs as it is printed."""

import re
from pathlib import Path
from typing import Any

import pytest
from opacus.accountants import create_accountant

PAGES = Path(__file__).parents[2] / "docs" / "how-to"

pytestmark = pytest.mark.filterwarnings("ignore")  # what PyTorch and Opacus warn of is theirs


def run_page(name: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the blocks of a page that are no doctests one after another; return the names they have made."""
    page = (PAGES / name).read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL) if ">>>" not in block]
    assert len(blocks) >= 4
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    return names


def test_the_pages_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_page("opacus.md", {})
    page = (PAGES / "opacus.md").read_text(encoding="utf-8")
    epsilon, bracket, composition = capsys.readouterr().out.splitlines()
    assert f"It prints {epsilon[:7]}…" in page
    assert f"# {bracket}: the true one" in page
    assert f"# {composition}" in page
    for peer in ("prv", "rdp"):
        theirs = create_accountant(peer)
        theirs.history = list(names["accountant"].history)
        assert f"{theirs.get_epsilon(1e-5):.3f} (`{peer}`" in page
    assert 0.9 < names["noise"] < 1.0
    assert Path("checkpoint.pt").stat().st_size > 0
    names = run_page("stop-before-the-budget.md", names)
    assert "After " in capsys.readouterr().out
    assert names["guard"].left > 0
