"""The demonstration prints whole brackets, on a terminal of any width."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "demo.py"


def test_every_bracket_is_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    demo = runpy.run_path(str(EXAMPLE))
    monkeypatch.setitem(demo["main"].__globals__, "PICTURE", tmp_path / "build" / "demo.png")
    demo["main"]()
    shown = capsys.readouterr().out
    for _, composition, delta in demo["QUESTIONS"]:
        assert f"{composition}\n  ε in {composition.epsilon(delta=delta)} at δ = {delta:g}" in shown
    assert (tmp_path / "build" / "demo.png").read_bytes().startswith(b"\x89PNG")
