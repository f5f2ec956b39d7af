"""Reservations expire, and clocks are wrong."""

from collections.abc import Iterator

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger

STEP = "pure_dp(epsilon=0.1)"


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(url: str, clock: Clock) -> Iterator[Ledger]:
    with Ledger(url, clock=clock) as made:
        yield made


def test_what_expires_is_committed(ledger: Ledger, clock: Clock) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    part = budget.split("region", epsilon=1, delta=0)
    budget.reserve(STEP, key="a", ttl=10)
    part.reserve(STEP, key="a", ttl=10)
    budget.reserve(STEP, key="c", ttl=100)
    assert ledger.expire() == 0
    clock.now += 10
    assert ledger.expire() == 2
    assert ledger.expire() == 0
    assert [budget.receipt("a").state, part.receipt("a").state, budget.receipt("c").state] == [
        "committed", "committed", "reserved",
    ]  # fmt: skip
    assert budget.receipt("a").reason == "expired"
    with pytest.raises(tb.ChargeSettled):
        budget.abort("a")
    assert budget.remaining(STEP) == 7
    assert ledger.verify().ok


def test_an_abort_that_comes_too_late_commits(ledger: Ledger, clock: Clock) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="a", ttl=10)
    clock.now += 10
    with pytest.raises(tb.ChargeSettled, match="expired"):
        budget.abort("a")
    assert budget.receipt("a").state == "committed"
    assert budget.remaining(STEP) == 9
    assert ledger.verify().ok


def test_a_late_commit_is_marked(ledger: Ledger, clock: Clock) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="a", ttl=10)
    clock.now += 11
    assert budget.commit("a").reason == "expired"


def test_a_clock_that_jumps_back_stops_charges_and_spends_nothing(ledger: Ledger, clock: Clock) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="a", ttl=10)
    head = ledger._book.row(1).head
    clock.now -= 3600
    for attempt in (
        lambda: budget.charge(STEP),
        lambda: budget.reserve(STEP),
        lambda: budget.abort("a"),
        lambda: budget.commit("a"),
        lambda: budget.charge_all([STEP, STEP]),
        lambda: budget.close(),
        lambda: ledger.create_budget("another", epsilon=1, delta=0, filter="basic"),
    ):
        with pytest.raises(tb.ClockWentBack, match="3600 s behind"):
            attempt()
    assert ledger._book.row(1).head == head
    clock.now += 3600
    assert budget.abort("a").state == "aborted"
    assert ledger.verify().ok


def test_clocks_may_differ_a_little_and_entries_never_go_back(ledger: Ledger, clock: Clock) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.charge(STEP)
    clock.now -= 59
    budget.charge(STEP)
    first, second = budget.history(2)
    assert first.time == second.time
    assert ledger.verify().ok


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), "10", True, 1e12, None])
def test_a_reservation_lasts_a_sensible_time(ledger: Ledger, ttl: object) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    with pytest.raises(tb.InvalidParameter, match="ttl"):
        budget.reserve(STEP, ttl=ttl)  # type: ignore[arg-type]


def test_the_shortest_reservation_expires_at_once(ledger: Ledger, clock: Clock) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="a", ttl=1e-9)
    clock.now += 1
    assert ledger.expire() == 1
