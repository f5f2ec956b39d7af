"""What stops the service from starting is told before anything is made, and the database is the one that was named."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.service import settings_in

import tightbudget as tb
from tightbudget.interfaces.api import running
from tightbudget.interfaces.api.database import engine_of
from tightbudget.interfaces.api.running import ledger_shown, prepared
from tightbudget.interfaces.api.settings import Settings
from tightbudget.interfaces.cli import main
from tightbudget.ledger import Ledger


@pytest.mark.parametrize("name", ["a?b=1.db", "a%20b.db", "a#b.db", "a b.db"])
def test_a_file_has_the_name_that_was_given(tmp_path: Path, name: str) -> None:
    assert prepared(settings_in(tmp_path, database=str(tmp_path / name))).startswith("tb_")
    assert {file.name for file in tmp_path.iterdir() if file.suffix == ".db"} == {name}
    with Ledger(tmp_path / name, create=False) as ledger, engine_of(str(tmp_path / name)).connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM tokens").scalar_one() == 1
        assert ledger.names() == []


def test_where_the_ledger_lies_is_said_without_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert ledger_shown(Settings()) == str(tmp_path / "tightbudget" / "ledger.db")
    assert ledger_shown(Settings(database="sqlite:///a.db")) == "sqlite:///a.db"
    assert ledger_shown(Settings(database="postgresql://ana:secret@db/x")) == "postgresql://ana:***@db/x"


def test_the_command_prints_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "umask", lambda mask: mask)
    monkeypatch.setattr(running, "run", lambda settings, listening: listening.close())
    assert main(["serve", "--port", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"Ledger: {tmp_path / 'tightbudget' / 'ledger.db'}"


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"database": "sqlite:///:memory:"}, "in memory would forget"),
        ({"database": "sqlite:ledger.db"}, "Write sqlite:///ledger.db"),
        ({"database": "postgresql://ana:secret@127.0.0.1:1/x?connect_timeout=2"}, "failed"),
        ({"tls_cert": "/nowhere/cert.pem", "tls_key": "/nowhere/key.pem"}, "tls_cert is '/nowhere/cert.pem'.*No such file"),
        ({"tls_cert": __file__, "tls_key": __file__}, "tls_cert"),
    ],
)
def test_what_stops_it_is_told_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: dict[str, Any], says: str
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr("tightbudget.ledger.storage.postgresql.STARTING", 0.0)
    with pytest.raises(tb.TightBudgetError, match=says) as caught:
        prepared(settings_in(tmp_path, **setting))
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "ledger.db").exists()
    assert not Path("sqlite:ledger.db").exists()
