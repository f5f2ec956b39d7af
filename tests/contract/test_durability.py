"""What is confirmed is on disk: the settings of every connection say so."""

from tightbudget.ledger import Ledger


def test_connections_are_as_durable_as_can_be(ledger: Ledger) -> None:
    asked = {
        "sqlite": {
            "PRAGMA journal_mode": "wal",
            "PRAGMA synchronous": 2,
            "PRAGMA foreign_keys": 1,
            "PRAGMA recursive_triggers": 1,
        },
        "postgresql": {"SHOW synchronous_commit": "on", "SHOW transaction_isolation": "read committed"},
    }
    ledger.create_budget("census", epsilon=1, delta=0, filter="basic").status()
    driver = ledger._database.engine.raw_connection()
    cursor = driver.cursor()
    for question, answer in asked[ledger._database.engine.dialect.name].items():
        cursor.execute(question)
        assert cursor.fetchone()[0] == answer
    cursor.close()
    driver.rollback()
    driver.close()
