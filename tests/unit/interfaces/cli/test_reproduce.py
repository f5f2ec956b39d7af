"""`tightbudget reproduce`: what it writes and how it ends."""

import builtins
from pathlib import Path

import pytest

from tightbudget.interfaces.cli import main
from tightbudget.research.reproduce import run as runner
from tightbudget.research.reproduce.figures import truncated_gauss


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one figure, which is quick."""
    defaults = runner.run.__defaults__
    assert defaults is not None
    monkeypatch.setattr(runner.run, "__defaults__", ((truncated_gauss.FIGURE,),))


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_folder_with_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "new" / "folder"
    assert main(["reproduce", "--quick", "--out", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "Figure 1: δ(ε) of the truncated Gauss mechanism: 1 confirmed\n" in shown
    assert {path.name for path in folder.iterdir()} == {
        "claims.csv", "figure-01.csv", "figure-01.json", "figure-01.svg", "report.html",
    }  # fmt: skip
    assert main(["reproduce", "--quick", "--out", str(folder)]) == 0
    assert "(from an earlier run)" in capsys.readouterr().out


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "report"
    target.write_text("mine")
    assert main(["reproduce", "--quick", "--out", str(target)]) == 2
    assert "a folder" in capsys.readouterr().err
    assert target.read_text() == "mine"


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["reproduce", "--quick", "--out", str(tmp_path / "report")]) == 2
    assert "plot" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()


def test_interrupted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def stop(quick: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner.store, "load_result", lambda *ignored: None)
    monkeypatch.setattr(type(truncated_gauss.FIGURE), "compute", property(lambda self: stop), raising=True)
    assert main(["reproduce", "--quick", "--out", str(tmp_path)]) == 130
    assert "are kept" in capsys.readouterr().err


def test_bad_option(capsys: pytest.CaptureFixture[str]):
    assert main(["reproduce", "--slow"]) == 2
    assert "--slow" in capsys.readouterr().err
