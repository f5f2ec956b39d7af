"""Checkpoints kept elsewhere show what the database alone cannot; receipts are checked without it."""

import copy
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.tampering import Owner, Rows, eventful, found_in

import tightbudget as tb
from tightbudget.ledger import Checkpoint, Ledger, SigningKey, check_receipt, receipt_from_json
from tightbudget.ledger.entries import canonical, hash_of

STEP = "pure_dp(epsilon=0.1)"
KEY = SigningKey.new()


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger(url, signing_key=KEY) as made:
        yield made


def forged(rows: Rows, budget: int, start: int) -> None:
    """Compute hashes of a chain anew from some entry on, as whoever owns the database can."""
    chain = sorted((row for row in rows["entries"] if row["budget"] == budget), key=lambda row: row["seq"])
    head = chain[start - 2]["hash"]
    for row in chain[start - 1 :]:
        row["body"] = canonical({**json.loads(row["body"]), "previous": head.hex()})
        row["hash"] = head = hash_of(row["body"])
    next(row for row in rows["budgets"] if row["id"] == budget)["head"] = head


def test_cut_tails_old_backups_and_forged_chains_are_found(ledger: Ledger, tmp_path: Path) -> None:
    eventful(ledger)
    backup_owner = Owner(ledger.url)
    backup = backup_owner.read()
    region = ledger.create_budget("survey", epsilon=1, delta=0, filter="basic")
    region.charge(STEP, key="x", purpose="report")
    region.charge(STEP, key="y")
    ledger.checkpoint().save(tmp_path / "kept.json")
    region.charge(STEP, key="later")
    assert ledger.verify(checkpoint=tmp_path / "kept.json").ok
    assert "agree with the checkpoint" in str(ledger.verify(checkpoint=tmp_path / "kept.json"))
    backup_owner.drop_guards()
    now = backup_owner.read()

    def cut(rows: Rows) -> None:  # the last two charges never were: log, sums and counters agree
        old = next(row for row in rows["budgets"] if row["name"] == "survey")
        kept = [row for row in rows["entries"] if row["budget"] == old["id"] and row["seq"] <= 2]
        tick = json.loads(old["spent"])
        for name, amount in tick.items():
            tick[name] = f"{int(amount.split()[0]) // 3} ticks"
        body = json.loads(kept[-1]["body"])
        old.update(seq=2, head=kept[-1]["hash"], time=body["time"], last=2, charges=1, spent=canonical(tick).decode())
        rows["entries"] = [row for row in rows["entries"] if row["budget"] != old["id"] or row["seq"] <= 2]

    def restored(rows: Rows) -> None:
        rows.clear()
        rows.update(copy.deepcopy(backup))

    def rewritten(rows: Rows) -> None:
        id = next(row["id"] for row in rows["budgets"] if row["name"] == "survey")
        row = next(row for row in rows["entries"] if row["budget"] == id and row["seq"] == 2)
        row["body"] = row["body"].replace(b'"purpose":"report"', b'"purpose":"harmless"')
        row["hash"] = hash_of(row["body"])
        forged(rows, id, 3)

    for tampering in (cut, restored, rewritten):
        rows = copy.deepcopy(now)
        tampering(rows)
        backup_owner.write(rows)
        assert found_in(ledger) == [], tampering  # the database is consistent
        assert found_in(ledger, checkpoint=tmp_path / "kept.json"), tampering
    backup_owner.write(now)
    assert found_in(ledger, checkpoint=tmp_path / "kept.json") == []
    backup_owner.close()


def test_a_log_that_the_filter_would_have_refused_is_found(ledger: Ledger) -> None:
    """Even if all hashes fit: every decision is taken again."""
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    for place in range(8):
        budget.charge(STEP, key=f"{place}")
    owner = Owner(ledger.url)
    owner.drop_guards()
    rows = owner.read()
    first = next(row for row in rows["entries"] if (row["budget"], row["seq"]) == (1, 1))
    body = json.loads(first["body"])
    body["filter"]["epsilon"] = "0.5"
    first["body"] = canonical(body)
    first["hash"] = hash_of(first["body"])
    forged(rows, 1, 2)
    made = next(row for row in rows["entries"] if row["budget"] == 0 and row["kind"] == "created")
    made["body"] = canonical({**json.loads(made["body"]), "hash": first["hash"].hex()})
    forged(rows, 0, made["seq"])
    owner.write(rows)
    owner.close()
    assert found_in(ledger) == ["entry 7 of 'census': the filter would have refused it"]


def test_forged_checkpoints_are_refused(ledger: Ledger, tmp_path: Path) -> None:
    ledger.create_budget("census", epsilon=1, delta=0, filter="basic").charge(STEP)
    kept = ledger.checkpoint()
    kept.check(KEY.public)
    for other in (
        replace(kept, heads={**kept.heads, 1: (1, "00" * 32)}),
        replace(kept, heads={}),
        replace(kept, time=kept.time + timedelta(seconds=1)),
        replace(kept, ledger="another"),
        replace(kept, signature="00" * 64),
        replace(kept, signature="nonsense"),
    ):
        for key in (None, KEY.public):
            with pytest.raises(tb.LedgerError, match="changed, or signed with another key"):
                other.check(key)
        with pytest.raises(tb.LedgerError):
            ledger.verify(checkpoint=other)
    stranger = SigningKey.new()
    resigned = replace(kept, heads={}, public_key=stranger.public)
    resigned = replace(resigned, signature=stranger.sign_checkpoint(resigned.body()))
    with pytest.raises(tb.LedgerError, match="another key"):
        ledger.verify(checkpoint=resigned)
    for text in ("", "{}", "[]", "null", '{"heads": 3}', "\xff", "[" * 100_000):
        (tmp_path / "torn.json").write_text(text, encoding="latin-1")
        with pytest.raises(tb.InvalidParameter, match="checkpoint"):
            Checkpoint.load(tmp_path / "torn.json")
    kept.save(tmp_path / "kept.json")
    assert Checkpoint.load(tmp_path / "kept.json") == kept


def test_a_checkpoint_is_of_one_ledger(ledger: Ledger, tmp_path: Path) -> None:
    with Ledger(tmp_path / "other.db", signing_key=KEY) as other:
        kept = other.checkpoint()
    with pytest.raises(tb.InvalidParameter, match="checkpoint"):
        ledger.verify(checkpoint=kept)
    with Ledger(ledger.url) as unsigned, pytest.raises(tb.InvalidParameter, match="signing_key"):
        unsigned.checkpoint()


def test_receipts_are_checked_offline_and_any_change_is_refused(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="b")
    budget.reserve(STEP, key="c")
    receipts = [budget.charge(STEP, key="a"), budget.receipt("b"), budget.commit("b"), budget.abort("c", "no rows")]
    receipts.append(budget.refund("a", "it was never sent"))
    changed: dict[str, Any] = {
        "ledger": "another", "budget": "survey", "key": "z", "state": "committed", "increment": "pure_dp(epsilon=0.01)",
        "sequence": 77, "time": datetime(2020, 1, 1, tzinfo=UTC), "hash": "00" * 32, "entry": "{}", "price": {"epsilon": "0"},
        "expires": datetime(2020, 1, 1, tzinfo=UTC), "reason": "other", "signature": "00" * 64,
    }  # fmt: skip
    for receipt in receipts:
        check_receipt(receipt, KEY.public)
        check_receipt(receipt_from_json(json.loads(json.dumps(receipt.as_json()))), KEY.public)
        for field in fields(receipt):
            new = changed[field.name] if getattr(receipt, field.name) != changed[field.name] else "aborted"
            with pytest.raises(tb.LedgerError):
                check_receipt(replace(receipt, **{field.name: new}), KEY.public)
        with pytest.raises(tb.LedgerError, match="not signed with this key"):
            check_receipt(receipt, SigningKey.new().public)
        with pytest.raises(tb.LedgerError):
            check_receipt(replace(receipt, entry=receipt.entry.replace('"kind":"', '"kind": "')), KEY.public)
        for entry in ("", "[]", "null", "é", "3"):
            with pytest.raises(tb.LedgerError):
                check_receipt(replace(receipt, entry=entry, hash=hash_of(entry.encode("ascii", "replace")).hex()), KEY.public)
        with pytest.raises(tb.LedgerError):
            check_receipt(receipt, "nonsense")


def test_a_key_is_kept_in_a_file_of_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    KEY.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert SigningKey.load(path).public == KEY.public
    assert KEY._key.private_bytes_raw().hex() not in repr(KEY)
    with pytest.raises(tb.InvalidParameter):
        KEY.save(path)
    for text in (b"", b"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n"):
        (tmp_path / "torn.pem").write_bytes(text)
        with pytest.raises(tb.InvalidParameter, match="signing_key"):
            SigningKey.load(tmp_path / "torn.pem")
    with pytest.raises(tb.InvalidParameter):
        SigningKey.load(tmp_path / "missing.pem")
