"""What cannot be done is refused in a sentence, logged, and spends nothing."""

import json
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger.budget import Budget

STEP = "gaussian(sigma=50)"
ODD = [
    "ж é 統計 🎲",
    "x' OR '1'='1",
    'a"; DROP TABLE entries; --',
    "%(name)s %s {0} :key ?1",
    "a" * 100,
    "*x",
    "nu\u0301ll",
    "None",
]


def nested(levels: int) -> dict[str, Any]:
    """Return so many dictionaries in each other."""
    made: dict[str, Any] = {}
    for _ in range(levels - 1):
        made = {"a": made}
    return made


@pytest.fixture
def budget(ledger: Ledger) -> Budget:
    return ledger.create_budget("census", epsilon=1, delta=1e-6)


def root_entries(ledger: Ledger) -> list[dict[str, Any]]:
    with ledger._database.reading() as connection:
        found = connection.exec_driver_sql("SELECT body FROM entries WHERE budget = 0 ORDER BY seq").scalars().all()
    return [json.loads(bytes(each)) for each in found]


def test_an_unknown_budget_is_named_and_logged(ledger: Ledger, budget: Budget) -> None:
    with pytest.raises(tb.UnknownBudget, match="Did you mean 'census'"):
        ledger.budget("sensus")
    for name in ("*", "", None, 7, "x" * 5000, "a\x00b", "\ud800", "x' OR '1'='1"):
        with pytest.raises(tb.UnknownBudget):
            ledger.budget(name)  # type: ignore[arg-type]
    logged = [entry for entry in root_entries(ledger) if entry["kind"] == "denied"]
    assert [entry["code"] for entry in logged] == ["unknown_budget"] * 9
    assert logged[0]["name"] == "sensus"
    assert ledger.verify().ok


@pytest.mark.parametrize(
    "increment",
    ["gaussian(", "gaussian(sigma=-1)", "nonsense(3)", "", None, 3, b"gaussian(sigma=3)", ["x"], "\x00",
     "\ud800", "gaussian(sigma=?)", "x" * 100_000],
)  # fmt: skip
def test_a_malformed_increment_is_refused_and_logged(ledger: Ledger, budget: Budget, increment: Any) -> None:
    left = budget.remaining(STEP)
    for attempt in (budget.charge, budget.reserve):
        with pytest.raises(tb.TightBudgetError):
            attempt(increment, key="a", actor="ana")
    with pytest.raises(tb.TightBudgetError):
        budget.quote(increment)
    assert [entry.state for entry in budget.history(2)] == ["denied", "denied"]
    assert (budget.history(1)[0].key, budget.history(1)[0].actor) == ("a", "ana")
    assert budget.remaining(STEP) == left
    assert budget.charge(STEP, key="a").state == "committed"  # a mistake binds no key
    assert ledger.verify().ok


def test_steps_are_asked_under_the_relation_of_the_budget(ledger: Ledger) -> None:
    add = ledger.create_budget("add", epsilon=1, delta=1e-6)
    replace = ledger.create_budget("replace", epsilon=1, delta=1e-6, relation="replace_one")
    assert add.charge(STEP).price != replace.charge(STEP).price
    asked = replace.quote(STEP).asked
    assert asked == pytest.approx(4 * float(add.quote(STEP).asked), rel=1e-9)  # twice the distance
    with pytest.raises(tb.InvalidParameter, match="relation"):
        add.charge("randomized_response(p=0.5, k=3)", key="a")
    assert add.history(1)[0].state == "denied"
    assert "relation" in add.history(1)[0].reason
    assert replace.charge("pure_dp(epsilon=0.01)", key="a").state == "committed"
    assert ledger.verify().ok


@pytest.mark.parametrize(
    "terms",
    [{"relation": "neighbours"}, {"filter": "best"}, {"filter": None}, {"epsilon": -1}, {"epsilon": None}, {"delta": 2},
     {"unit": 7}, {"odometers": ["none such"]}, {"odometers": 3}, {"sigma": 3}, {"metadata": {1: 2}},
     {"metadata": {"x": float("nan")}}, {"metadata": {"x": object()}}, {"metadata": {"x": "y" * 9000}},
     {"description": "\ud800"}, {"mix_relations": True},
     {"description": "x" * 2000}, {"parent": "census"}],
)  # fmt: skip
def test_terms_that_cannot_be_are_refused(ledger: Ledger, terms: dict[str, Any]) -> None:
    with pytest.raises(tb.TightBudgetError):
        ledger.create_budget(**{"name": "census", "epsilon": 1, "delta": 1e-6, **terms})
    assert ledger.names() == []
    assert ledger.verify().ok


@pytest.mark.parametrize(
    "name", ["", " ", "a ", "a\nb", "a\x00", "\ud800", "a/b", "..", "a" * 101, None, 3, "\u200b", "50%", "a?b"]
)
def test_names_that_cannot_be_are_refused(ledger: Ledger, name: Any) -> None:
    with pytest.raises(tb.InvalidParameter, match="name"):
        ledger.create_budget(name, epsilon=1, delta=1e-6)


@pytest.mark.parametrize("name", [name for name in ODD if "%" not in name and "?" not in name])
def test_odd_names_are_names(ledger: Ledger, name: str) -> None:
    budget = ledger.create_budget(name, epsilon=1, delta=1e-6)
    assert ledger.budget(budget.name) == budget
    assert ledger.budget(name) == budget  # however its accents are written
    budget.charge(STEP)
    with pytest.raises(tb.BudgetExists):
        ledger.create_budget(name, epsilon=1, delta=1e-6)
    assert ledger.names() == [budget.name]
    assert ledger.verify(budget=budget.name).ok


@pytest.mark.parametrize("text", [*ODD, "k" * 200])
def test_odd_keys_notes_and_metadata_come_back_as_they_were(ledger: Ledger, budget: Budget, text: str) -> None:
    given = {text: [text, None, 1.5, {"x": [True]}]}
    receipt = budget.charge(STEP, key=text, actor=text, purpose=text, metadata=given)
    assert receipt.key == text
    assert budget.charge(STEP, key=text, actor=text, purpose=text, metadata=given) == receipt
    assert budget.receipt(text) == receipt
    (entry,) = budget.history(key=text)
    assert (entry.key, entry.actor, entry.purpose, entry.metadata) == (text, text, text, given)
    assert ledger.verify().ok


@pytest.mark.parametrize("key", ["", "a\x00", "\ud800", "k" * 201, 7, b"a", "a\nb"])
def test_keys_that_cannot_be_are_refused_and_logged(ledger: Ledger, budget: Budget, key: Any) -> None:
    for attempt in (lambda: budget.charge(STEP, key=key), lambda: budget.commit(key), lambda: budget.receipt(key)):
        with pytest.raises(tb.InvalidParameter, match="key"):
            attempt()
    assert {entry.state for entry in budget.history(2)} == {"denied"}
    assert ledger.verify().ok


@pytest.mark.parametrize(
    "note",
    [
        {"actor": "\x00"}, {"purpose": "\ud800"}, {"purpose": "x" * 1001}, {"actor": 3}, {"metadata": [1]},
        {"actor": "\x1b[2J"}, {"purpose": "\x9b2J"},
        {"metadata": {"a": ["\ud800"]}}, {"metadata": {"\udfff": 1}}, {"metadata": {"a": 10**5000}}, {"metadata": nested(51)},
        {"metadata": nested(100_000)},
    ],
)  # fmt: skip
def test_notes_that_cannot_be_are_refused(ledger: Ledger, budget: Budget, note: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidParameter):
        budget.charge(STEP, **note)
    assert ledger.verify().ok


def test_metadata_may_be_nested_as_far_as_everybody_reads_it(ledger: Ledger, budget: Budget) -> None:
    budget.charge(STEP, key="deep", metadata=nested(50))
    assert budget.history(1)[0].metadata == nested(50)


def test_pages_and_keys_are_asked_for_with_any_text(ledger: Ledger, budget: Budget) -> None:
    assert ledger.names(after="census\x00") == []
    assert ledger.names(after="cens\x00") == ["census"]
    assert budget.history(key="\x00") == []


def test_notes_have_as_many_lines_as_they_like(budget: Budget) -> None:
    budget.charge(STEP, purpose="one\r\ntwo\n\tthree\u2028four\xa0")
    assert budget.history(1)[0].purpose == "one\r\ntwo\n\tthree\u2028four\xa0"


def test_terminals_obey_nothing_that_was_denied(ledger: Ledger, budget: Budget) -> None:
    with pytest.raises(tb.InvalidParameter):
        budget.charge("gaussian(\x1b[2J", key="\x1b]0;x\x07", actor="\x1b[31m")
    (entry,) = budget.history(1)
    assert all(text.isprintable() for text in (entry.key, entry.actor, entry.increment))


def test_notes_are_part_of_what_a_key_stands_for(budget: Budget) -> None:
    budget.charge(STEP, key="a", metadata={"rows": 1})
    for other in ({}, {"metadata": {"rows": 2}}, {"metadata": {"rows": True}}, {"metadata": {"rows": 1.0}}):
        with pytest.raises(tb.KeyReused):
            budget.charge(STEP, key="a", **other)
    assert budget.history(1)[0].state == "denied"


def test_one_name_one_budget(ledger: Ledger, budget: Budget) -> None:
    with pytest.raises(tb.BudgetExists, match="'census'"):
        ledger.create_budget("census", epsilon=5, delta=1e-6)
    assert ledger.budget("census").terms.epsilon == "1"


@pytest.mark.parametrize(
    "address",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://x/y",
        "postgresql",
        3,
        "sqlite:///file:x?mode=memory",
        "sqlite:///x.db?mode=ro",
    ],
)
def test_addresses_that_are_none(address: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if address == "postgresql":
        (tmp_path / address).mkdir()
    with pytest.raises((tb.InvalidParameter, tb.LedgerUnavailable)):
        Ledger(address)
