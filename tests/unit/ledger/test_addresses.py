"""Addresses that are often mistyped are refused with the one that may be meant."""

from pathlib import Path

import pytest

import tightbudget as tb
from tightbudget.ledger.storage.addresses import checked_url


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("sqlite:budget.db", "Write sqlite:///budget.db."),
        ("sqlite:/data/budget.db", "Write sqlite:////data/budget.db."),
        ("sqlite:", "Write sqlite:///budget.db."),
        ("postgresql:ana:secret@host/x", "Write postgresql://user@host/database."),
        ("sqlite://budget.db", "A file is named behind three slashes, sqlite:///budget.db,"),
        ("sqlite://folder/budget.db", "A file is named behind three slashes, sqlite:///folder/budget.db,"),
        ("sqlite://", "A ledger in memory would forget"),
    ],
)
def test_slashes_that_are_missing(address: str, hint: str) -> None:
    with pytest.raises(tb.InvalidParameter) as told:
        checked_url(address)
    assert hint in str(told.value)
    assert "secret" not in str(told.value)


def test_three_slashes_where_four_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    meant = tmp_path / "budget.db"
    with pytest.raises(tb.InvalidParameter, match=f"four slashes, sqlite:///{meant}"):
        checked_url(f"sqlite://{meant}")
    assert checked_url(f"sqlite:///{meant}").database == str(meant)
    assert checked_url("sqlite:///budget.db").database == "budget.db"
    assert checked_url("sqlite:///none/of/these/budget.db").database == "none/of/these/budget.db"


def test_names_of_files_may_have_colons() -> None:
    for name in ("a:b.db", "./sqlite:budget.db", "sqlite.db"):
        assert checked_url(name).database == str(Path(name))
    assert checked_url(Path("sqlite:budget.db")).database == "sqlite:budget.db"
