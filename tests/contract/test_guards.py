"""Triggers refuse to change or remove what was logged, in whatever words; without them a ledger does not open."""

from collections.abc import Iterator

import pytest
from sqlalchemy.exc import DBAPIError
from tests.support.tampering import Owner, guards

import tightbudget as tb
from tightbudget.ledger import Ledger

REFUSED = {
    "sqlite": [
        "UPDATE entries SET kind = 'refused'",
        "UPDATE OR REPLACE entries SET seq = 1",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE budget = 1 AND seq = 2",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE budget = 1 AND seq = 2",
        "REPLACE INTO entries SELECT * FROM entries WHERE budget = 1 AND seq = 2",
        "INSERT INTO entries SELECT * FROM entries WHERE true ON CONFLICT DO UPDATE SET kind = 'refused'",
        "INSERT INTO entries (budget, seq, kind, hash, body) VALUES (1, 100, 'charged', x'00', x'00')",
        "INSERT INTO entries (budget, seq, kind, hash, body) VALUES (1, 0, 'charged', x'00', x'00')",
        "DELETE FROM budgets WHERE id = 1",
    ],
    "postgresql": [
        "UPDATE entries SET kind = 'refused'",
        "DELETE FROM entries",
        "TRUNCATE entries",
        "TRUNCATE budgets CASCADE",
        "INSERT INTO entries SELECT * FROM entries ON CONFLICT (budget, seq) DO UPDATE SET kind = 'refused'",
        "MERGE INTO entries USING entries AS other ON entries.seq = other.seq WHEN MATCHED THEN DELETE",
        "WITH gone AS (DELETE FROM entries RETURNING *) SELECT * FROM gone",
        "SET session_replication_role = replica; DELETE FROM entries",
        "SET session_replication_role = replica; DELETE FROM budgets",
        "DELETE FROM budgets WHERE id = 1",
    ],
}


@pytest.fixture
def owner(ledger: Ledger) -> Iterator[Owner]:
    ledger.create_budget("census", epsilon=1, delta=0, filter="basic").charge("pure_dp(epsilon=0.1)", key="a")
    owner = Owner(ledger.url)
    yield owner
    owner.close()


def test_the_log_only_grows(ledger: Ledger, owner: Owner) -> None:
    before = owner.read()
    for statement in REFUSED[ledger._database.engine.dialect.name]:
        with pytest.raises(DBAPIError, match=r"never changed|next number|never removed|UNIQUE"):
            owner.run(statement)
        assert owner.read() == before, statement
    assert ledger.verify().ok


def test_missing_guards_are_noticed_and_put_up_again(ledger: Ledger, owner: Owner) -> None:
    with owner.connection() as connection:
        there = guards(connection)
    assert len(there) == 4
    for name, table in there:
        with owner.connection() as connection:
            rest = f" ON {table}" if connection.dialect.name == "postgresql" else ""
            connection.exec_driver_sql(f"DROP TRIGGER {name}{rest}")
        with pytest.raises(tb.LedgerCorrupt, match=name):
            Ledger(ledger.url)
        assert not ledger.verify().ok
        with Ledger(ledger.url, check=False) as opened:
            assert "not protected" in str(opened.verify().first)
        with Ledger(ledger.url, restore_guards=True) as opened:
            assert opened.verify().ok
        with Ledger(ledger.url) as opened:
            assert opened.budget("census").charge("pure_dp(epsilon=0.1)").state == "committed"


def test_guards_that_do_nothing_are_noticed(ledger: Ledger, owner: Owner) -> None:
    with owner.connection() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("DROP TRIGGER entries_never_go")
            connection.exec_driver_sql(
                "CREATE TRIGGER entries_never_go BEFORE DELETE ON entries WHEN 0 BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        else:
            connection.exec_driver_sql("ALTER TABLE entries DISABLE TRIGGER entries_never_go")
    with pytest.raises(tb.LedgerCorrupt, match="entries_never_go"):
        Ledger(ledger.url)


def test_a_function_that_lets_all_pass_is_noticed(ledger: Ledger, owner: Owner) -> None:
    with owner.connection() as connection:
        if connection.dialect.name == "sqlite":
            pytest.skip("triggers of SQLite have no functions")
        connection.exec_driver_sql(
            "CREATE OR REPLACE FUNCTION ledger_keeps() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN OLD; /* entries of a ledger are never changed or removed */ END $$"
        )
    with pytest.raises(tb.LedgerCorrupt):
        Ledger(ledger.url)


def test_a_trigger_for_less_is_noticed(ledger: Ledger, owner: Owner) -> None:
    with owner.connection() as connection:
        if connection.dialect.name == "sqlite":
            pytest.skip("its whole text is compared")
        connection.exec_driver_sql("DROP TRIGGER entries_never_change ON entries")
        connection.exec_driver_sql(
            "CREATE TRIGGER entries_never_change BEFORE DELETE ON entries FOR EACH ROW EXECUTE FUNCTION ledger_keeps()"
        )
        connection.exec_driver_sql("ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_never_change")
    with pytest.raises(tb.LedgerCorrupt):
        Ledger(ledger.url)


def test_tables_of_others_are_left_alone(url: str) -> None:
    owner = Owner(url)
    with owner.connection() as connection:
        connection.exec_driver_sql("CREATE TABLE budgets (id integer)")
    with pytest.raises(tb.LedgerUnavailable, match="tables of others"):
        Ledger(url)
    owner.close()


def test_migrations_of_others_are_no_newer_layout(url: str) -> None:
    owner = Owner(url)
    with owner.connection() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num varchar(32))")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('abc123')")
    with pytest.raises(tb.LedgerUnavailable, match="has tables of others"):
        Ledger(url)
    with owner.connection() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
        connection.exec_driver_sql("CREATE TABLE customers (id integer)")
    with pytest.raises(tb.LedgerUnavailable, match="has tables of others"):
        Ledger(url)
    owner.close()


def test_a_newer_layout_is_refused_and_a_lost_one_noticed(ledger: Ledger, owner: Owner) -> None:
    with owner.connection() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(tb.LedgerUnavailable, match="Upgrade tightbudget"):
        Ledger(ledger.url)
    with owner.connection() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    with pytest.raises(tb.LedgerCorrupt, match="gone"):
        Ledger(ledger.url)


def test_who_only_looks_makes_no_ledger(url: str) -> None:
    with pytest.raises(tb.LedgerUnavailable, match="no ledger"):
        Ledger(url, create=False)
