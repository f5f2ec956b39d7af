"""Whatever is changed in the database behind the ledger's back, `verify` finds it."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError
from tests.support.tampering import Owner, Rows, eventful, found_in

from tightbudget.ledger import Ledger, tally
from tightbudget.ledger.entries import canonical, hash_of

MANY = settings(
    max_examples=max(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def owned(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Iterator[Owner]:
    """An eventful ledger without guards."""
    eventful(ledger)
    monkeypatch.setattr(tally, "KEEP_AFTER", 1)
    for budget in ledger.budgets():
        assert budget.status().tally is not None  # it is kept now
    assert ledger.verify().ok
    owner = Owner(ledger.url)
    owner.drop_guards()
    yield owner
    owner.close()


def other(value: Any, draw: Any) -> Any:
    """Return some other value of the same kind."""
    if value is None:
        return draw(st.sampled_from([1, 2, 3]))
    if isinstance(value, int):
        return draw(st.sampled_from([value + 1, value - 1, value + 10, 0, 1, 2]).filter(lambda each: each != value))
    if isinstance(value, bytes):
        place = draw(st.integers(0, len(value) - 1))
        return value[:place] + bytes([value[place] ^ (1 << draw(st.integers(0, 6)))]) + value[place + 1 :]
    digits = [place for place, sign in enumerate(value) if sign.isdigit()]
    if digits and draw(st.booleans()):
        place = draw(st.sampled_from(digits))
        return value[:place] + str((int(value[place]) + draw(st.integers(1, 9))) % 10) + value[place + 1 :]
    return draw(st.sampled_from([f"{value}x", value[:-1] or "y", "other", "open", "closed", "charged", "committed", ""])
                .filter(lambda each: each != value))  # fmt: skip


def change(rows: Rows, draw: Any) -> str:
    """Change one row of one table, in any of its columns."""
    table = draw(st.sampled_from(sorted(rows)))
    place = draw(st.integers(0, len(rows[table]) - 1))
    row = rows[table][place]
    column = draw(st.sampled_from(sorted(row)))
    before = row[column]
    row[column] = other(before, draw)
    if table == "entries" and column == "body" and draw(st.booleans()):
        row["hash"] = hash_of(row["body"])
    return f"{table} {place} {column}: {before!r} -> {row[column]!r}"


def rewrite(rows: Rows, draw: Any) -> str:
    """Change what an entry says, and its hash with it."""
    row = rows["entries"][draw(st.integers(0, len(rows["entries"]) - 1))]
    body = json.loads(row["body"])
    name = draw(st.sampled_from(sorted(body)))
    if isinstance(body[name], dict):  # a constant of a filter, a price
        inner = draw(st.sampled_from([*sorted(body[name]), "new"]))
        body[name][inner] = "1/7" if body[name].get(inner) != "1/7" else "1/8"
    else:
        body[name] = other(body[name], draw) if not isinstance(body[name], bool | list) else "changed"
    row["body"] = canonical(body)
    row["hash"] = hash_of(row["body"])
    for column in ("kind", "key", "origin", "settles"):
        if row[column] is not None and column == name:
            row[column] = body[name]
    return f"{row['budget']} {row['seq']} says another {name}: {body[name]!r}"


def drop(rows: Rows, draw: Any) -> str:
    table = draw(st.sampled_from(["entries", "budgets", "reservations"]))
    gone = rows[table].pop(draw(st.integers(0, len(rows[table]) - 1)))
    if table == "entries" and draw(st.booleans()):  # and close the gap
        for row in rows[table]:
            if row["budget"] == gone["budget"] and row["seq"] > gone["seq"]:
                row["seq"] -= 1
    return f"{table} without {gone}"


def swap(rows: Rows, draw: Any) -> str:
    first, second = draw(st.lists(st.integers(0, len(rows["entries"]) - 1), min_size=2, max_size=2, unique=True))
    one, two = rows["entries"][first], rows["entries"][second]
    for column in set(one) - {"budget", "seq"}:
        one[column], two[column] = two[column], one[column]
    return f"entries {first} and {second} swapped"


def insert(rows: Rows, draw: Any) -> str:
    """Put in a copy of a row, at the end of a chain or within it."""
    table = draw(st.sampled_from(["entries", "entries", "reservations", "budgets"]))
    row = dict(draw(st.sampled_from(rows[table])))
    if table == "budgets":
        row["id"], row["name"] = 100, "another"
        rows[table].append(row)
        return "another budget"
    last = max(each["seq"] for each in rows["entries"] if each["budget"] == row["budget"])
    if table == "entries" and draw(st.booleans()):
        for each in rows[table]:
            if each["budget"] == row["budget"] and each["seq"] >= row["seq"]:
                each["seq"] += 1
    else:
        row["seq"] = last + 1
    if table == "entries" and draw(st.booleans()):
        body = {**json.loads(row["body"]), "seq": row["seq"], "key": "inserted"}
        row["body"] = canonical(body)
        row["hash"] = hash_of(row["body"])
    rows[table].append(row)
    return f"{table} with one more {row}"


def test_any_single_change_is_found(ledger: Ledger, owned: Owner) -> None:
    original = owned.read()
    assert found_in(ledger) == []

    @MANY
    @given(st.data(), st.sampled_from([change, change, change, rewrite, drop, swap, insert]))
    def tampered(data: Any, how: Any) -> None:
        rows = copy.deepcopy(original)
        what = how(rows, data.draw)
        try:
            try:
                owned.write(rows)
            except IntegrityError:
                return  # two rows cannot have one number
            assert found_in(ledger), what
        finally:
            owned.write(original)

    tampered()
    assert found_in(ledger) == []


@pytest.mark.parametrize("seq", [-1, 0, 1, 1000])
def test_a_forged_tally_is_found(ledger: Ledger, owned: Owner, seq: int) -> None:
    rows = owned.read()
    row = next(row for row in rows["tallies"] if row["counts"] != "{}")
    row["seq"], row["counts"] = seq, '{"pure_dp(epsilon=0.01)":1000}'
    owned.write(rows)
    assert any("tally" in each for each in found_in(ledger))


def test_the_first_broken_entry_is_named(ledger: Ledger, owned: Owner) -> None:
    rows = owned.read()
    for row in rows["entries"]:
        if row["budget"] == 1 and row["seq"] in (2, 5):
            row["body"] = row["body"].replace(b"ana", b"bob").replace(b'"purpose":""', b'"purpose":"x"')
    owned.write(rows)
    report = ledger.verify()
    broken = next(each for each in report.problems if each.sequence)
    assert (broken.budget, broken.sequence) == ("census", 2)
    assert "Broken" in str(report)
    assert not report


def test_one_budget_can_be_verified_alone(ledger: Ledger, owned: Owner) -> None:
    rows = owned.read()
    row = next(row for row in rows["entries"] if row["budget"] == 3 and row["seq"] == 2)
    row["body"] = row["body"].replace(b"0.01", b"0.02")
    owned.write(rows)
    assert ledger.verify(budget="census").ok
    assert ledger.verify(budget="region").ok
    assert not ledger.verify(budget="left").ok
