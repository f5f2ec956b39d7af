"""A ledger and its budgets in several places at once: copies, pickles, children, other objects on the same database."""

import copy
import pickle
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.support.processes import elsewhere, in_a_child

import tightbudget as tb
from tightbudget.ledger import Ledger

STEP = "pure_dp(epsilon=0.1)"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_is_as_good(ledger: Ledger, copied: Callable[[Any], Any]) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    other = copied(budget)
    assert other == budget
    assert hash(other) == hash(budget)
    other.charge(STEP, key="a")
    assert budget.receipt("a").state == "committed"
    again = copied(ledger)
    assert again == ledger
    again.budget("census").charge(STEP)
    assert budget.remaining(STEP) == 8
    assert ledger.verify().ok
    other.ledger.close()
    again.close()


def test_a_forked_child_connects_anew(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.charge(STEP, key="parent")
    assert in_a_child(lambda: budget.charge(STEP, key="child").state) == "committed"
    assert in_a_child(lambda: ledger.budget("census").commit("child").state) == "committed"
    assert budget.charge(STEP, key="parent again").state == "committed"
    assert budget.remaining(STEP) == 7
    assert ledger.verify().ok


def test_a_child_forked_within_a_context_leaves_the_charge_to_its_parent(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    with budget.spend(STEP, key="a"):
        assert in_a_child(lambda: budget.receipt("a").state) == "reserved"
    assert budget.receipt("a").state == "committed"


def test_a_child_forked_while_others_charge_is_as_good(url: str) -> None:
    with Ledger(url, patience=3.0) as ledger:
        budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
        step, stop = "pure_dp(epsilon=0.0001)", threading.Event()

        def work() -> None:
            while not stop.is_set():
                budget.charge(step)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            said = [in_a_child(lambda: budget.charge(step).state) for _ in range(10)]
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert said == ["committed"] * 10
        assert ledger.verify().ok


def test_a_child_does_not_wait_for_rules_that_another_thread_was_using(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.charge(STEP)
    (rules,) = (known for _, known in ledger._book._rules.values())
    rules.filter._sums = (0, 0)  # half of a decision
    with rules._lock:
        assert in_a_child(lambda: budget.remaining(STEP)) == 9
    rules._at = ""


@pytest.mark.parametrize("how", ["charge", "reserve", "batch", "part"])
def test_nobody_waits_while_a_price_is_worked_out(url: str, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    with Ledger(url) as ledger, Ledger(url, patience=1.0) as other:
        budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
        part = budget.split("part", epsilon=1, delta=0)
        price, states = tb.filters.BasicFilter._price, []

        def slow(self: Any, increment: Any) -> Any:
            if not states:
                states.append("asked")
                states.append(other.budget("census").charge("pure_dp(epsilon=0.2)").state)
            return price(self, increment)

        monkeypatch.setattr(tb.filters.BasicFilter, "_price", slow)
        {
            "charge": lambda: budget.charge(STEP),
            "reserve": lambda: budget.reserve(STEP),
            "batch": lambda: budget.charge_all([STEP, STEP]),
            "part": lambda: part.charge(STEP),
        }[how]()
        assert states == ["asked", "committed"]
        assert ledger.verify().ok


def test_a_pickle_is_of_one_ledger_wherever_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path / "here", tmp_path / "there"):
        folder.mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with Ledger("sqlite:///budget.db") as ledger:
        pickled = pickle.dumps(ledger.create_budget("census", epsilon=1, delta=0, filter="basic"))
        monkeypatch.chdir(tmp_path / "there")
        again = pickle.loads(pickled)
        assert again.ledger == ledger
        again.ledger.close()
    assert not any((tmp_path / "there").iterdir())
    for file in (tmp_path / "here").iterdir():
        file.unlink()
    with pytest.raises(tb.NoLedger):
        pickle.loads(pickled)
    with Ledger(tmp_path / "here" / "budget.db"), pytest.raises(tb.NoLedger, match="another ledger"):
        pickle.loads(pickled)


def test_a_pickle_works_in_another_process(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    assert elsewhere(f"print(given.charge({STEP!r}, key='a').state)", budget).strip() == "committed"
    assert budget.receipt("a").state == "committed"


def test_two_objects_on_one_database_see_each_other(url: str) -> None:
    with Ledger(url) as one, Ledger(url) as other:
        first = one.create_budget("census", epsilon=1, delta=0, filter="basic")
        second = other.budget("census")
        assert one == other
        assert first == second
        first.charge(STEP, key="a")
        assert second.charge(STEP, key="a") == first.receipt("a")
        second.lower(epsilon="0.3")
        assert first.remaining(STEP) == 2
        first.close()
        with pytest.raises(tb.BudgetClosed):
            second.charge(STEP)
        assert other.verify().ok


def test_what_lies_in_the_database_decides_and_not_what_was_left_there(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.charge(STEP, key="a")
    full = text("UPDATE budgets SET spent = replace(spent, :before, :after) WHERE name = 'census'")
    (spent,) = re.findall(r'"epsilon":"(\d+)', budget._book.row(budget._place.id).spent)
    with ledger._database.writing_connection() as connection:
        connection.execute(full, {"before": f'"{spent}', "after": f'"{10 * int(spent)}'})
    with pytest.raises(tb.BudgetRefused):
        budget.charge(STEP, key="b")
    assert not ledger.verify().ok


def test_two_take_turns_and_decide_upon_what_the_other_left(url: str) -> None:
    with Ledger(url) as one, Ledger(url) as other:
        first = one.create_budget("census", epsilon=1, delta=0, filter="basic")
        second = other.budget("census")
        for place in range(5):
            assert first.charge(STEP, key=f"a {place}").sequence == 2 * place + 2
            assert second.charge(STEP, key=f"b {place}").sequence == 2 * place + 3
            assert first.charge(STEP, key=f"b {place}") == second.receipt(f"b {place}")
        for budget in (first, second):
            with pytest.raises(tb.BudgetRefused):
                budget.charge(STEP)
        assert one.verify().ok


def test_a_closed_ledger_opens_again(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    ledger.close()
    assert budget.charge(STEP).state == "committed"


def test_threads_that_use_one_key_make_one_charge(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    found: list[Any] = []

    def work() -> None:
        found.append(budget.charge(STEP, key="a"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({receipt.hash for receipt in found}) == 1
    assert budget.remaining(STEP) == 9


def test_batches_in_opposite_order_do_not_wait_for_each_other_for_ever(ledger: Ledger) -> None:
    budgets = [ledger.create_budget(name, epsilon=100, delta=0, filter="basic") for name in ("a", "b")]
    part = budgets[1].split("part", epsilon=100, delta=0)

    def work(turn: int) -> None:
        for _ in range(10):
            ledger.charge_all([(budget, STEP, tb.ledger.ledger.new_key()) for budget in [*budgets, part][:: 1 - 2 * turn]])

    threads = [threading.Thread(target=work, args=(turn,)) for turn in (0, 1) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [budget.status().charges for budget in (*budgets, part)] == [40, 80, 40]
    assert ledger.verify().ok


def test_four_processes_may_make_one_ledger_at_once(url: str) -> None:
    script = (
        "import sys, tightbudget as tb\n"
        "sys.stdin.readline()\n"
        "ledger = tb.ledger.open(sys.argv[1])\n"
        "try:\n    ledger.create_budget('census', epsilon=1, delta=0, filter='basic')\n    made = 1\n"
        "except tb.BudgetExists:\n    made = 0\n"
        f"ledger.budget('census').charge({STEP!r})\n"
        "print(ledger.id, made)\n"
    )
    everyone = [
        subprocess.Popen([sys.executable, "-c", script, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for each in everyone:  # all are started; now let them go at once
        assert each.stdin is not None
    answers = [each.communicate("\n", timeout=120)[0].split() for each in everyone]
    assert len({answer[0] for answer in answers}) == 1
    assert sum(int(answer[1]) for answer in answers) == 1
    with Ledger(url) as ledger:
        assert ledger.budget("census").status().charges == 4
        assert ledger.verify().ok


def test_connections_that_were_cut_are_made_anew(ledger: Ledger) -> None:
    if not ledger.url.startswith("postgresql"):
        pytest.skip("a file has no connections")
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    for ask in (lambda: budget.charge(STEP), budget.status, ledger.names, budget.history, ledger.verify, ledger.expire):
        cut = Ledger(ledger.url)
        with cut._database.reading() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        cut.close()
        ask()  # nobody needs to ask twice


@pytest.mark.parametrize("kind", ["charge", "reserve", "batch"])
def test_while_one_decides_nobody_else_does(ledger: Ledger, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    ledger._book._crowded[budget._place.id] = 10  # charges take the lock
    place, decided = budget._place.id, ledger._book._decided
    seen: list[tuple[str, int]] = []
    inside, go_on = threading.Event(), threading.Event()

    def slowly(tx: Any, rows: Any, wanted: Any) -> Any:
        seen.append((wanted.key, rows[place].seq))
        if wanted.key == "first":
            inside.set()
            assert go_on.wait(10)
        return decided(tx, rows, wanted)

    monkeypatch.setattr(ledger._book, "_decided", slowly)
    ask = {
        "charge": lambda key: budget.charge(STEP, key=key),
        "reserve": lambda key: budget.reserve(STEP, key=key),
        "batch": lambda key: budget.charge_all([STEP], keys=[key]),
    }[kind]
    threads = [threading.Thread(target=ask, args=(key,)) for key in ("first", "second")]
    threads[0].start()
    assert inside.wait(10)
    threads[1].start()
    time.sleep(0.2)
    alone = list(seen)
    if ledger._database.engine.dialect.name == "sqlite":  # also for programs that know nothing of turns
        stranger = sqlite3.connect(ledger._database.path, isolation_level=None, timeout=0)  # type: ignore[attr-defined]
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            stranger.execute("BEGIN IMMEDIATE")
        stranger.close()
    go_on.set()
    for thread in threads:
        thread.join()
    assert alone == [("first", 1)]
    assert seen == [("first", 1), ("second", 2)]
    assert ledger.verify().ok
