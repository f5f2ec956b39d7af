"""Balances on disk: what was written is read back, what is damaged is refused, what is charged is on disk."""

import copy
import gc
import json
import mmap
import os
import pickle
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.processes import elsewhere, in_a_child

import tightbudget as tb
from tightbudget.adaptive.individual import base, files
from tightbudget.adaptive.individual.units import Units

pytestmark = pytest.mark.slow


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    group = tb.individual.RenyiFilter(order="9/2", budget="0.1", people=5)
    group.spend(np.array([0.01, 0.02, 0.03, 0.04, 0.05]))
    group.save(tmp_path / "people.f64")
    return tmp_path / "people.f64"


def test_there_and_back(saved: Path) -> None:
    opened = tb.individual.open(saved)
    assert isinstance(opened, tb.individual.RenyiFilter)
    assert (str(opened.order), str(opened.budget), opened.people) == ("9/2", "1/10", 5)
    assert opened.spend(0.06).tolist() == [True, True, True, True, False]
    del opened
    again = tb.individual.open(saved, durable=False)
    assert again.quote(0.01).tolist() == [True, True, True, False, True]
    assert again.spend(0.01).tolist() == [True, True, True, False, True]
    assert (np.fromfile(saved, dtype="<f8") == again.balances).all()
    assert saved.stat().st_size == 40


@pytest.mark.parametrize("make", [tb.individual.ZCDPFilter, tb.individual.GDPFilter])
def test_other_kinds(make: Any, tmp_path: Path) -> None:
    make("1/3", people=2).save(tmp_path / "x")
    opened = tb.individual.open(tmp_path / "x")
    assert type(opened) is make
    assert str(opened.budget) == "1/3"


def test_nothing_is_overwritten(saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(tb.InvalidParameter, match="never overwritten"):
        tb.individual.ZCDPFilter(1, people=5).save(saved)
    assert saved.read_bytes() == before


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    others = [tmp_path / f"people.f64{end}" for end in (".draft", ".json.draft", ".tmp", ".json.tmp")]
    for other in others:
        tb.individual.ZCDPFilter(1, people=3).save(other)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    tb.individual.ZCDPFilter(2, people=5).save(tmp_path / "people.f64")
    assert {file: file.read_bytes() for file in before} == before
    assert sorted(set(tmp_path.iterdir()) - set(before)) == [tmp_path / "people.f64", tmp_path / "people.f64.json"]
    assert all(tb.individual.open(other).people == 3 for other in others)


def test_a_failed_save_leaves_no_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        tb.individual.ZCDPFilter(1, people=3).save(tmp_path / "x")
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]
    with pytest.raises(tb.InvalidParameter):
        tb.individual.open(tmp_path / "x")


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"version": True},
        {"version": 1.0},
        {"kind": "basic"},
        {"kind": ["zcdp"]},
        {"people": 4},
        {"people": 0},
        {"people": "5"},
        {"digits": 3},
        {"settings": {"budget": "0.2"}},
        {"settings": {"budget": "0.1", "order": "0"}},
        {"settings": {"budget": "0.01", "order": "9/2"}},
        {"settings": []},
        {"extra": 1},
    ],
    ids=str,
)
def test_bad_headers(saved: Path, changes: dict[str, Any]) -> None:
    header = json.loads(Path(f"{saved}.json").read_text())
    Path(f"{saved}.json").write_text(json.dumps({**header, **changes}))
    with pytest.raises(tb.InvalidParameter):
        tb.individual.open(saved)


@pytest.mark.parametrize("text", ["", "[]", "{", "3", "1", "[" * 100_000], ids=lambda text: text[:2])
def test_unreadable_headers(saved: Path, text: str) -> None:
    Path(f"{saved}.json").write_text(text)
    with pytest.raises(tb.InvalidParameter, match="header"):
        tb.individual.open(saved)


@pytest.mark.parametrize("path", [None, 3, b"people", ["people"]])
def test_bad_paths(path: Any) -> None:
    for use in (tb.individual.open, tb.individual.ZCDPFilter(1, people=3).save):
        with pytest.raises(tb.InvalidParameter, match="path"):
            use(path)


@pytest.mark.parametrize("number", [0.5, -1.0, np.nan, 1e16])
def test_damaged_balances(saved: Path, number: float) -> None:
    balances = np.fromfile(saved, dtype="<f8")
    balances[3] = number
    balances.tofile(saved)
    with pytest.raises(tb.InvalidParameter, match="damaged"):
        tb.individual.open(saved)


def test_missing_pieces(saved: Path) -> None:
    with saved.open("ab") as file:
        file.write(b"1")
    with pytest.raises(tb.InvalidParameter, match="bytes"):
        tb.individual.open(saved)
    saved.unlink()
    with pytest.raises(tb.InvalidParameter, match="bytes"):
        tb.individual.open(saved)
    Path(f"{saved}.json").unlink()
    with pytest.raises(tb.InvalidParameter, match="header"):
        tb.individual.open(saved)


def test_stopped_in_the_middle_of_a_charge(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was charged stays charged, nobody is let in: no mask is returned."""
    monkeypatch.setattr(base, "CHUNK", 2)
    opened = tb.individual.open(saved)
    before = opened.balances.copy()
    costs, calls = Units.of_array, []

    def stopping(self: Units, amounts: Any, scale: float) -> Any:
        calls.append(amounts)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return costs(self, amounts, scale)

    monkeypatch.setattr(Units, "of_array", stopping)
    with pytest.raises(KeyboardInterrupt):
        opened.spend(np.full(5, 0.01))
    after = np.fromfile(saved, dtype="<f8")
    assert (after[:2] > before[:2]).all()
    assert (after[2:] == before[2:]).all()


def test_a_durable_charge_is_forced_to_disk_before_it_answers(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[float] = []
    monkeypatch.setattr(np.memmap, "flush", lambda self: flushed.append(float(self[0])))
    tb.individual.open(saved, durable=False).spend(0.01)
    opened = tb.individual.open(saved)
    before = float(opened.balances[0])
    opened.quote(0.01)
    assert flushed == []
    opened.spend(0.01)
    assert len(flushed) == 1
    assert flushed[0] > before


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_file_is_not_copied(saved: Path, twin: Any) -> None:
    """A copy was a filter in memory: what was charged to it was lost."""
    opened = tb.individual.open(saved)
    with pytest.raises(tb.CannotShare, match="cannot be copied or pickled"):
        twin(opened)
    mine = np.memmap(f"{saved}.mine", dtype="<f8", mode="w+", shape=(5,))
    for balances in (mine, np.asarray(mine), mine[:3], np.asarray(mine)[1:][::2]):
        with pytest.raises(tb.CannotShare, match="cannot be copied or pickled"):
            twin(tb.individual.ZCDPFilter(1, balances=balances))


@pytest.mark.parametrize("view", [np.asarray, lambda file: file[1:4], lambda file: np.asarray(file)[1:4].reshape(-1)])
def test_a_view_of_a_file_is_forced_to_disk_too(view: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = np.memmap(tmp_path / "mine", dtype="<f8", mode="w+", shape=(5,))
    flushed: list[float] = []
    monkeypatch.setattr(np.memmap, "flush", lambda self: flushed.append(float(self.max())))
    group = tb.individual.ZCDPFilter(1, balances=view(file))
    group.spend(0.25)
    assert flushed == [0.25e15]


def test_other_peoples_memory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(bytes(40))
    private = np.memmap(tmp_path / "mine", dtype="<f8", mode="c")
    with pytest.raises(tb.InvalidParameter, match="'c'"):
        tb.individual.ZCDPFilter(1, balances=private)
    everybodys = np.frombuffer(mmap.mmap(-1, 40))
    with pytest.raises(tb.InvalidParameter, match=r"memory of a memoryview.*np.memmap itself"):
        tb.individual.ZCDPFilter(1, balances=everybodys)
    with tempfile.TemporaryFile() as nameless:
        nameless.write(bytes(40))
        file = np.memmap(nameless, dtype="<f8", mode="r+")
        with pytest.raises(tb.InvalidParameter, match="without a name"):
            tb.individual.ZCDPFilter(1, balances=file)
    copied = np.array(private)  # of mode c, but no longer in the file
    assert tb.individual.ZCDPFilter(1, balances=copied).spend(0.5).all()


@pytest.mark.slow
def test_a_file_has_one_filter_at_a_time(saved: Path) -> None:
    first = tb.individual.open(saved)
    first.spend(0.01)
    for again in (
        lambda: tb.individual.open(saved),
        lambda: tb.individual.RenyiFilter(order="9/2", budget="0.1", balances=np.memmap(saved, dtype="<f8", mode="r+")),
    ):
        with pytest.raises(tb.CannotShare, match="is open already"):
            again()
    try_it = "\ntry:\n    tb.individual.open(given)\nexcept tb.CannotShare as problem:\n    print(problem)"
    assert "is open already, here or in another process" in elsewhere(try_it, saved)
    first.close()
    first.close()
    assert elsewhere(try_it, saved) == ""
    assert first.quote(0.01).any()
    with pytest.raises(tb.CannotShare, match="closed"):
        first.spend(0.01)
    with tb.individual.open(saved) as second:
        second.spend(0.01)
    third = tb.individual.open(saved)
    assert (third.balances >= 0.02e15).all()


def replace(path: Path, content: bytes) -> None:
    """Put another file in its place, as editors and restored backups do."""
    other = path.with_name("other")
    other.write_bytes(content)
    os.replace(other, path)


def test_a_file_that_was_replaced_is_not_charged(saved: Path) -> None:
    opened = tb.individual.open(saved)
    before = opened.balances.copy()
    replace(saved, saved.read_bytes())
    with pytest.raises(tb.CannotShare, match="is another file now"):
        opened.spend(0.01)
    assert (opened.balances == before).all()
    saved.unlink()
    with pytest.raises(tb.CannotShare, match="is another file now"):
        opened.spend(0.01)


@pytest.mark.parametrize("view", [lambda file: file, lambda file: np.asarray(file)[1:], lambda file: file[3::-2]])
def test_what_is_charged_is_the_file_that_is_locked(view: Any, tmp_path: Path) -> None:
    """A map stays with its file when another takes the name; the lock goes by the name."""
    path = tmp_path / "mine"
    path.write_bytes(bytes(40))
    orphan = np.memmap(path, dtype="<f8", mode="r+")
    replace(path, bytes(40))
    with tb.individual.ZCDPFilter(1, balances=view(orphan)) as group:
        assert group.spend(np.full(group.people, 0.25)).all()
        assert (view(np.fromfile(path, dtype="<f8")) == 0.25e15).all()
        assert np.fromfile(path, dtype="<f8").sum() == 0.25e15 * group.people
    assert (orphan == 0.0).all()
    with pytest.raises(tb.CannotShare, match="differ from those given"):
        tb.individual.ZCDPFilter(1, balances=view(orphan))
    assert tb.individual.ZCDPFilter(1, balances=view(np.memmap(path, dtype="<f8", mode="r+"))).spend(0.75).all()


def test_files_within_files(tmp_path: Path) -> None:
    """Balances may start anywhere in a file, behind whole pages too."""
    path, start = tmp_path / "mine", 3 * mmap.ALLOCATIONGRANULARITY + 16
    path.write_bytes(b"x" * start + bytes(40) + b"x" * 8)
    file = np.memmap(path, dtype="<f8", mode="r+", offset=start, shape=(5,))
    with tb.individual.ZCDPFilter(1, balances=file[1:][::-2]) as group:
        assert group.spend([0.25, 0.5]).all()
    assert (file == [0, 0, 0.5e15, 0, 0.25e15]).all()
    assert path.read_bytes() == b"x" * start + file.tobytes() + b"x" * 8


def test_a_file_that_was_cut_is_not_touched(tmp_path: Path) -> None:
    """To read what is no longer there would end the process."""
    script = """
import os, numpy as np
group = tb.individual.ZCDPFilter(1, people=10_000)
group.save(given)
opened = tb.individual.open(given)
mine = np.memmap(given, dtype="<f8", mode="r+")
os.truncate(given, 8)
opened_again = lambda: tb.individual.ZCDPFilter(1, balances=mine)
def ask(what):
    try:
        what()
    except (tb.CannotShare, tb.InvalidParameter) as problem:
        print("shorter" in str(problem))
for what in (opened.spend, opened.quote, opened.remaining):
    ask(lambda: what(0.1))
for what in (lambda: opened.spent, lambda: opened.left, opened.state, lambda: opened.save(given + "2")):
    ask(what)
opened.close()
ask(lambda: opened.quote(0.1))
ask(opened_again)
print(os.path.getsize(given))
"""
    assert elsewhere(script, str(tmp_path / "people")).split() == ["True"] * 9 + ["8"]


def test_a_filter_that_could_not_be_opened_holds_nothing(saved: Path) -> None:
    good = saved.read_bytes()
    saved.write_bytes(np.full(5, 0.5).tobytes())
    with pytest.raises(tb.InvalidParameter, match="damaged") as kept:
        tb.individual.open(saved)
    saved.write_bytes(good)
    assert tb.individual.open(saved).people == 5
    header = json.loads(Path(f"{saved}.json").read_text())
    Path(f"{saved}.json").write_text(json.dumps({**header, "digits": 3}))
    with pytest.raises(tb.InvalidParameter, match="digits") as also_kept:
        tb.individual.open(saved)
    Path(f"{saved}.json").write_text(json.dumps(header))
    assert tb.individual.open(saved).people == 5
    assert kept is not also_kept  # tracebacks still have the filters that failed


def test_a_killed_process_lets_go(saved: Path) -> None:
    """What it had charged stays charged."""
    script = """
opened = tb.individual.open(given)
opened.spend(0.01)
print("charged", flush=True)
import os, signal
os.kill(os.getpid(), signal.SIGKILL)
"""
    before = np.fromfile(saved, dtype="<f8")
    with pytest.raises(subprocess.CalledProcessError) as ended:
        elsewhere(script, saved)
    assert ended.value.stdout == b"charged\n"
    opened = tb.individual.open(saved)
    assert (opened.balances > before).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_neither_charges_nor_unlocks(saved: Path) -> None:
    opened = tb.individual.open(saved)
    before = opened.balances.copy()
    kind, why = in_a_child(lambda: opened.spend(0.01))
    assert kind is tb.CannotShare
    assert "another process" in why
    assert (opened.balances == before).all()
    assert in_a_child(opened.close) is None  # its own end only
    with pytest.raises(tb.CannotShare, match="is open already"):
        tb.individual.open(saved)

    (started, start), (ended, end) = os.pipe(), os.pipe()
    waiting = threading.Thread(target=in_a_child, args=(lambda: (os.write(start, b"1"), os.read(ended, 1)),))
    waiting.start()
    os.read(started, 1)
    try:
        opened.close()  # though a child still has it
        assert tb.individual.open(saved).people == 5
    finally:
        os.write(end, b"1")
        waiting.join()
        for descriptor in (started, start, ended, end):
            os.close(descriptor)


def test_without_locks_files_are_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()  # what other tests left open is unlocked while there are locks
    monkeypatch.setattr(files, "fcntl", None)
    with pytest.raises(tb.CannotShare, match="no file locks"):
        tb.individual.open(saved)
