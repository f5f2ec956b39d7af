"""Files appear whole or not at all."""

from pathlib import Path

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli.files import check_target, write_all


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
