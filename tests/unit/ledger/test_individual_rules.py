"""What the log says of individual budgets, and what it takes back."""

import pytest

import tightbudget as tb
from tightbudget.ledger.individual_rules import IndividualRules, IndividualStep, counted, number_of, rules_of
from tightbudget.ledger.rules import Rules

STATE = {"kind": "individual", "of": "gdp", "settings": {"budget": "1"}, "store": "s"}
RECORD = "ab" * 32


def test_rules_are_of_the_kind_that_the_terms_name() -> None:
    assert isinstance(rules_of(STATE, "add_remove"), IndividualRules)
    made = rules_of(tb.filters.ZCDPFilter(1, 1e-6).state(), "add_remove")
    assert type(made) is Rules


def test_a_step_is_admitted_as_the_next_one_only() -> None:
    rules = rules_of(STATE, "add_remove")
    decision = rules.decide(counted(3), IndividualStep(None, "mu=0.5", 3, RECORD))  # type: ignore[arg-type]
    assert decision.quote.accepted
    assert number_of(decision.after) == 4
    assert decision.price == {"record": RECORD}
    for expected in (2, 4, -1):
        with pytest.raises(tb.CannotShare, match="others were charged"):
            rules.decide(counted(3), IndividualStep(None, "mu=0.5", expected, RECORD))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["mu=0.5", "mu=1/3", f"mu of each, HMAC-SHA256 {RECORD}"])
def test_what_was_written_is_replayed(text: str) -> None:
    rules = rules_of(STATE, "add_remove")
    assert isinstance(rules, IndividualRules)
    assert rules.replayed(counted(0), {"increment": text, "price": {"record": RECORD}}) == counted(1)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("mu=0.50", {"record": RECORD}), ("rho=0.5", {"record": RECORD}), ("mu=-1", {"record": RECORD}),
        ("mu of each, HMAC-SHA256 ab", {"record": RECORD}), ("mu=0.5", {"record": "ab"}), ("mu=0.5", {}),
        ("mu=0.5", {"record": RECORD, "people": "7"}), ("mu=0.5, 12 people", {"record": RECORD}), (7, {"record": RECORD}),
    ],
)  # fmt: skip
def test_what_could_not_have_been_written_is_not(text: object, price: dict[str, str]) -> None:
    rules = rules_of(STATE, "add_remove")
    assert isinstance(rules, IndividualRules)
    with pytest.raises(tb.InvalidParameter):
        rules.replayed(counted(0), {"increment": text, "price": price})


@pytest.mark.parametrize("state", [{**STATE, "of": "basic"}, {**STATE, "people": 7}, {**STATE, "settings": {"order": 2}}])
def test_terms_that_are_not_ours_are_refused(state: dict[str, object]) -> None:
    with pytest.raises(tb.InvalidParameter):
        rules_of(state, "add_remove")
