"""Databases of every layout that ever landed open, verify and go on; the tables are those of the newest migration."""

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger.storage import layout
from tightbudget.ledger.storage.layout import NEWEST
from tightbudget.ledger.storage.schema import metadata

LAYOUTS = Path(__file__).parent / "layouts"


def scripts() -> ScriptDirectory:
    settings = Config()
    settings.set_main_option("script_location", "tightbudget.ledger:migrations")
    return ScriptDirectory.from_config(settings)


def test_there_is_a_database_of_every_layout() -> None:
    assert sorted(path.stem for path in LAYOUTS.glob("*.sql")) == sorted(each.revision for each in scripts().walk_revisions())


def test_the_newest_migration_is_the_one_we_know() -> None:
    assert scripts().get_current_head() == NEWEST


def test_migrations_make_the_tables_that_are_used(ledger: Ledger) -> None:
    with ledger._database.reading() as connection:
        there = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(there, metadata) == []


@pytest.mark.parametrize("dump", sorted(LAYOUTS.glob("*.sql")), ids=lambda path: path.stem)
def test_an_old_ledger_opens_and_goes_on(dump: Path, tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    connection = sqlite3.connect(file)
    connection.executescript(dump.read_text(encoding="utf-8"))
    connection.close()
    with Ledger(file) as ledger:
        report = ledger.verify()
        assert report.ok, report
        assert (report.budgets, report.charges) == (4, 26)
        census = ledger.budget("census")
        charges = census.status().charges
        assert census.receipt("charged 0").state == "committed"
        assert census.receipt("held 0").state == "reserved"
        assert census.commit("held 0").reason == "expired"
        census.charge("pure_dp(epsilon=0.01)", key="new")
        assert ledger.budget("region").remaining("pure_dp(epsilon=0.01)") > 0
        assert census.status().charges == charges + 1
        assert ledger.verify().ok
    with Ledger(file) as again:
        assert again.verify().ok


def test_an_older_layout_is_said_to_be_older_and_how_to_upgrade(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "NEWEST", "9999")
    with pytest.raises(tb.LedgerUnavailable, match=r"layout 0001, which is older than 9999.*ledger init"):
        Ledger(ledger.url, create=False)


def test_where_there_is_no_ledger_none_is_found(url: str) -> None:
    with pytest.raises(tb.NoLedger):
        Ledger(url, create=False)
