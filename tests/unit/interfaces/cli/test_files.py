"""Files appear whole or not at all."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.interfaces.cli.files import check_target, open_file, write_all

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("command", mostly_slow(ASKED, every=2))
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "t.csv"
    os.mkfifo(pipe)
    # Opened without waiting: a writer that replaced the pipe would leave a reader waiting for ever.
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["curve", *ASKED["curve"], "--csv", str(pipe)]) == 0
        read = os.read(end, 1 << 16)
    finally:
        os.close(end)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert read.startswith(b"epsilon,delta_lower,delta_upper\n0.0,")
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_takes_more_than_it_holds(tmp_path: Path) -> None:
    pipe, content, read = tmp_path / "pipe", bytes(1 << 20), list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_all({pipe: content})
    reader.join(60)
    assert read == [content]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="open files have no names here")
@pytest.mark.parametrize(
    "name", mostly_slow(["/dev/fd/1", "/proc/self/fd/1"], every=2)
)  # folders in which nothing can be replaced
def test_an_open_file_is_written_where_it_stands(name: str, tmp_path: Path) -> None:
    if not Path(name).exists():
        pytest.skip("no such name here")
    out = tmp_path / "out"
    asked = ["curve", *ASKED["curve"], "--csv", name]
    program = f"from tightbudget.interfaces.cli import main; print('before', flush=True); main({asked!r})"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", program], stdout=file, check=True)
    lines = out.read_text(encoding="utf-8").split("\n")
    assert lines[:2] == ["before", "epsilon,delta_lower,delta_upper"]
    assert lines[-2:] == [f"Wrote {name}", ""]
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("name", "descriptor"),
    [("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/63", 63), ("/proc/self/fd/3", 3), ("/dev/fd", None), ("stdout", None)],
)
def test_names_of_open_files_are_known(name: str, descriptor: int | None) -> None:
    assert open_file(Path(name)) == descriptor


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed_and_stays(there: bool, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "real", tmp_path / "link"
    if there:
        target.write_bytes(b"old")
    link.symlink_to("far/real")
    check_target("--csv", link)
    write_all({link: b"new"})
    assert link.is_symlink()
    assert not target.is_symlink()
    assert target.read_bytes() == b"new"
    assert [path.name for path in target.parent.iterdir()] == ["real"]


def test_a_link_into_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("missing/real")
    with pytest.raises(tb.InvalidParameter, match="in a folder that exists"):
        check_target("--csv", tmp_path / "link")


@pytest.mark.parametrize("linked", [False, True])
def test_a_read_only_file_is_refused(linked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, asked = tmp_path / "kept.csv", tmp_path / "asked.csv"
    kept.write_bytes(b"kept")
    kept.chmod(0o444)
    asked.symlink_to(kept) if linked else kept.rename(asked)
    assert main(["curve", *ASKED["curve"], "--csv", str(asked)]) == 2
    assert "a file that may be written to" in capsys.readouterr().err
    assert asked.read_bytes() == b"kept"


def test_a_file_keeps_who_may_read_it(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"old")
    secret.chmod(0o600)
    write_all({secret: b"new"})
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert secret.read_bytes() == b"new"
