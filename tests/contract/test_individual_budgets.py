"""What an individual budget in a ledger promises, on every database."""

import ast
import copy
import io
import json
import pickle
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.processes import in_a_child

import tightbudget as tb
from tightbudget.ledger import Ledger, SigningKey, check_receipt

PEOPLE = 100


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "people"


@pytest.fixture
def budget(ledger: Ledger, place: Path) -> Iterator[Any]:
    with ledger.create_individual_budget("people", people=PEOPLE, budget="0.5", path=place) as made:
        yield made


def balances(budget: Any) -> list[int]:
    return [int(each) for each in budget._balances.filter.balances]


def amounts(seed: int, most: float = 0.2) -> Any:
    return np.random.default_rng(seed).uniform(0.0, most, PEOPLE)


def test_a_charge_says_who_takes_part_and_a_retry_says_the_same(budget: Any, ledger: Ledger) -> None:
    first = budget.charge(amounts(1, 1.0), key="a")
    assert 0 < first.mask.sum() < PEOPLE
    assert first.mask.tolist() == (amounts(1, 1.0) <= 0.5).tolist()
    assert first.indices.tolist() == np.flatnonzero(first.mask).tolist()
    spent = balances(budget)
    budget.charge("0.1", key="b")
    again = budget.charge(amounts(1, 1.0), key="a")
    assert again == first
    assert again.mask.tolist() == first.mask.tolist()
    assert balances(budget) == [each + 10**14 * (each <= 4 * 10**14) for each in spent]
    assert ledger.verify().ok


def test_the_same_key_for_another_charge_is_refused(budget: Any) -> None:
    budget.charge(amounts(1), key="a", purpose="mean")
    spent = balances(budget)
    for other in (dict(increment=amounts(2), purpose="mean"), dict(increment=amounts(1)), dict(increment=0.1, purpose="mean")):
        with pytest.raises(tb.KeyReused, match="another charge"):
            budget.charge(**other, key="a")
    assert balances(budget) == spent


@pytest.mark.parametrize(("kind", "order"), [("zcdp", None), ("gdp", None), ("renyi", 8)])
def test_balances_are_exact_sums_of_what_was_typed(kind: str, order: int | None, ledger: Ledger, place: Path) -> None:
    limit = Fraction(1)
    typed = [f"0.{digit}" for digit in np.random.default_rng(3).integers(1, 10**6, 40)]
    with ledger.create_individual_budget("people", people=3, budget=1, filter=kind, order=order, path=place) as budget:
        power = 2 if kind == "gdp" else 1
        exact = [Fraction(0)] * 3
        for number, text in enumerate(typed):
            step: Any = text if number % 2 else [float(text), 0.0, float("inf")]
            costs = [Fraction(text) ** power] * 3 if number % 2 else [Fraction(text) ** power, Fraction(0), limit + 1]
            taking = [spent + cost <= limit for spent, cost in zip(exact, costs, strict=True)]
            receipt = budget.charge(step) if number % 3 else budget.reserve(step)
            assert receipt.mask.tolist() == taking
            exact = [spent + cost * took for spent, cost, took in zip(exact, costs, taking, strict=True)]
        assert budget._balances.filter.units.digits == 15
        assert [Fraction(each, 10**15) for each in balances(budget)] == exact
        promised = {"zcdp": tb.individual.ZCDPFilter, "gdp": tb.individual.GDPFilter}.get(kind)
        if promised is not None:
            assert budget.epsilon(1e-6) == promised(budget=1, people=1).epsilon(1e-6)


@pytest.mark.parametrize("step", [0.2, "each"])
def test_what_is_reserved_counts_and_is_given_back_only_by_abort(budget: Any, ledger: Ledger, step: Any) -> None:
    step = amounts(5) if step == "each" else step
    budget.charge("0.1", key="before")
    spent = balances(budget)
    budget.reserve(step, key="a")
    assert balances(budget) != spent
    budget.charge("0.01", key="between")
    budget.abort("a")
    assert budget.abort("a").state == "aborted"
    assert balances(budget) == [each + 10**13 for each in spent]
    with pytest.raises(tb.KeyReused, match="aborted"):
        budget.reserve(step, key="a")
    with pytest.raises(tb.ChargeSettled):
        budget.commit("a")
    budget.reserve(step, key="b")
    spent = balances(budget)
    assert budget.commit("b").state == "committed"
    with pytest.raises(tb.ChargeSettled):
        budget.abort("b")
    assert balances(budget) == spent
    with pytest.raises(tb.UnknownCharge):
        budget.abort("never")
    assert ledger.verify().ok


def test_a_reservation_that_expires_is_committed(url: str, place: Path) -> None:
    now = [1_000_000.0]
    with (
        Ledger(url, clock=lambda: now[0]) as ledger,
        ledger.create_individual_budget("people", people=PEOPLE, budget=1, path=place) as budget,
    ):
        budget.reserve(amounts(1), key="a", ttl=10)
        budget.reserve(0.1, key="b", ttl=10)
        spent = balances(budget)
        now[0] += 11
        with pytest.raises(tb.ChargeSettled, match="expired"):
            budget.abort("a")
        assert ledger.expire() == 1
        assert (budget.receipt("a").state, budget.receipt("b").state) == ("committed", "committed")
        assert balances(budget) == spent
        assert ledger.verify().ok


def test_a_context_commits_unless_nothing_was_released(budget: Any) -> None:
    with budget.spend(0.1, key="a") as charge:
        assert charge.mask.all()
    assert budget.receipt("a").state == "committed"
    with pytest.raises(ZeroDivisionError), budget.spend(0.1, key="b"):
        raise ZeroDivisionError
    assert budget.receipt("b").state == "committed"
    spent = balances(budget)
    with budget.spend(amounts(1), key="c") as charge:
        charge.nothing_released()
    assert budget.receipt("c").state == "aborted"
    assert balances(budget) == spent
    with pytest.raises(tb.KeyReused), budget.spend(0.1, key="a"):
        pass
    with pytest.raises(tb.InvalidParameter, match="decorator"):
        budget.spend(0.1)(print)


def test_a_committed_charge_is_refunded_with_its_amounts(budget: Any, ledger: Ledger) -> None:
    budget.charge(amounts(1), key="a")
    budget.charge(0.1, key="b")
    budget.compact()
    with pytest.raises(tb.InvalidParameter, match="amounts of the charge"):
        budget.refund("a", "the job never ran")
    with pytest.raises(tb.InvalidParameter, match="amounts of the charge"):
        budget.refund("a", "the job never ran", amounts(2))
    assert budget.receipt("a").state == "committed"
    budget.refund("a", "the job never ran", amounts(1))
    budget.refund("b", "nor did this")
    assert balances(budget) == [0] * PEOPLE
    assert ledger.verify().ok


def test_a_closed_budget_charges_nobody(budget: Any, ledger: Ledger) -> None:
    budget.reserve(0.1, key="a")
    budget.close("the study is over")
    spent = balances(budget)
    with pytest.raises(tb.BudgetClosed):
        budget.charge(0.1, key="b")
    assert balances(budget) == spent
    assert budget.abort("a").state == "aborted"
    assert balances(budget) == [0] * PEOPLE
    assert budget.state == "closed"
    assert ledger.verify().ok


def test_a_charge_that_was_interrupted_and_a_budget_that_was_closed_then(budget: Any, ledger: Ledger, place: Path) -> None:
    """It is never logged, so nobody takes part in it; what else is reserved can still be settled."""
    budget.reserve(0.1, key="a")
    step = budget._balances.read(0.2, "b")
    fields = {"increment": step.text, "actor": "", "purpose": "", "metadata": {}}
    budget._balances.charge(step, "b", fields, None)
    budget.close()
    for _ in range(2):
        with pytest.raises(tb.BudgetClosed):
            budget.charge(0.2, key="b")
        budget.let_go()
        budget = ledger.individual_budget("people", path=place)
    budget.abort("a")
    assert balances(budget) == [2 * 10**14] * PEOPLE
    assert ledger.verify().ok
    budget.let_go()


def test_nothing_about_anybody_is_logged_shown_or_exported(ledger: Ledger, place: Path, capsys: Any) -> None:
    """Two data sets that differ by one person leave logs of the same words, but for digests and times."""
    told = []
    key = SigningKey.new()
    for name, last in (("one", 0.0), ("two", 0.4)):
        with Ledger(ledger.url, signing_key=key) as signing:
            made = signing.create_individual_budget(name, people=PEOPLE, budget="0.5", path=place.with_name(name))
            with made as budget, redirect_stdout(io.StringIO()) as shown:
                each = np.append(amounts(1)[:-1], last)
                receipts = [budget.charge(each, key="a"), budget.reserve(0.3, key="b"), budget.charge("0.05", key="c")]
                receipts += [budget.abort("b"), budget.charge(each, key="a")]
                for bad in (np.append(each[:-1], -0.125), [0.125] * 7, each[None], np.append(each[:-1], np.nan)):
                    with pytest.raises(tb.InvalidParameter):
                        budget.charge(bad, key="d")
                with pytest.raises(tb.KeyReused):
                    budget.charge(each + 0.125, key="a")
                with pytest.raises(tb.InvalidParameter):
                    budget.charge("-1", key="e")
                check_receipt(receipts[0].receipt, key.public)
                print(budget, repr(receipts), [str(receipt) for receipt in receipts], vars(budget))
                print([json.dumps(receipt.receipt.as_json()) for receipt in receipts], budget._balances)
                print([json.dumps(entry.as_json()) for entry in budget.history()], budget.statement())
            masks = [receipt.mask for receipt in receipts]
        told.append((shown.getvalue(), masks))
    for (text, masks), name in zip(told, ("one", "two"), strict=True):
        secret = json.loads((place.with_name(name) / "terms").read_bytes()[:-32])["secret"]
        assert secret not in text
        for private in (
            str(PEOPLE),
            "0.125",
            "True",
            "False",
            "array",
            "nan",
            *(str(mask.sum()) for mask in masks if mask.sum() > 20),
        ):
            assert not contains_word(text, private), private
    kinds = [[entry["kind"] for entry in entries_of(text)] for text, _ in told]
    assert kinds[0] == kinds[1]
    assert kinds[0].count("denied") == 1  # the one that was one number for all
    assert told[0][1][1].sum() == told[1][1][1].sum() + 1


def contains_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", text) is not None


def entries_of(text: str) -> list[Any]:
    line = next(line for line in text.splitlines() if line.startswith("['{\"sequence"))
    return [json.loads(each) for each in ast.literal_eval(line[: line.rindex("]") + 1])]


def test_digests_of_amounts_differ_from_charge_to_charge_and_from_budget_to_budget(ledger: Ledger, place: Path) -> None:
    """Or they would tell whether amounts were the same, and anybody could try out what they are."""
    told = set()
    for name in ("one", "two"):
        with ledger.create_individual_budget(name, people=PEOPLE, budget=10, path=place.with_name(name)) as budget:
            told |= {budget.charge(amounts(1), key=key).receipt.increment for key in ("a", "b")}
    assert len(told) == 4


def test_who_has_no_balances_sees_the_log_and_charges_nobody(budget: Any, ledger: Ledger) -> None:
    budget.charge(0.1, key="a")
    outside = ledger.individual_budget("people")
    assert outside.history()[0].increment == "rho=0.1"
    assert outside.receipt("a") == budget.receipt("a")
    assert outside.epsilon(1e-6) == budget.epsilon(1e-6)
    for attempt in (lambda: outside.charge(0.1), lambda: outside.quote(0.1), lambda: outside.abort("a"), outside.compact):
        with pytest.raises(tb.CannotShare, match="only who has their folder"):
            attempt()
    again = pickle.loads(pickle.dumps(outside))
    assert again.history() == outside.history()
    again.ledger.close()


def test_neither_kind_of_budget_is_taken_for_the_other(budget: Any, ledger: Ledger) -> None:
    ledger.create_budget("all", epsilon=1, delta=1e-6)
    assert (ledger.names(), ledger.individual_names()) == (["all"], ["people"])
    assert [each.name for each in ledger.budgets()] == ["all"]
    with pytest.raises(tb.InvalidParameter, match="individual_budget"):
        ledger.budget("people")
    with pytest.raises(tb.InvalidParameter, match="each of many people"):
        ledger.individual_budget("all")
    with pytest.raises(tb.UnknownBudget):
        ledger.individual_budget("nobody")
    assert ledger.verify(budget="all").ok


def test_a_second_writer_is_refused_in_this_process_and_in_another(budget: Any, ledger: Ledger, place: Path) -> None:
    with pytest.raises(tb.CannotShare, match="open already"):
        ledger.individual_budget("people", path=place)
    assert in_a_child(lambda: Ledger(ledger.url).individual_budget("people", path=place))[0] is tb.CannotShare
    assert in_a_child(lambda: budget.charge(0.1))[0] is tb.CannotShare
    budget.let_go()
    with pytest.raises(tb.CannotShare, match="let go"):
        budget.charge(0.1)
    with ledger.individual_budget("people", path=place) as again:
        assert again.charge(0.1).mask.all()


def test_threads_charge_one_after_the_other(budget: Any, ledger: Ledger) -> None:
    with ThreadPoolExecutor(4) as pool:
        masks = list(pool.map(lambda number: budget.charge("0.03", key=f"{number % 20}").mask, range(24)))
    assert sum(mask.all() for mask in masks) >= 16
    assert balances(budget) == [16 * 3 * 10**13] * PEOPLE  # 16 fit into 0.5, whoever came first
    assert len([entry for entry in budget.history() if entry.is_charge]) == 20
    assert ledger.verify().ok


def test_copies_and_pickles_are_refused(budget: Any) -> None:
    receipt = budget.charge(0.1)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        for thing in (budget, receipt, budget._balances):
            with pytest.raises(tb.CannotShare):
                attempt(thing)


def test_an_old_copy_of_the_balances_is_refused(budget: Any, ledger: Ledger, place: Path) -> None:
    budget.charge(amounts(1), key="a")
    backup = shutil.copytree(place, place.with_name("backup"))
    budget.charge(amounts(2), key="b")
    with pytest.raises(tb.LedgerCorrupt, match="old copy"):
        ledger.individual_budget("people", path=backup)
    ledger.create_individual_budget("others", people=2, budget=1, path=place.with_name("others")).let_go()
    with pytest.raises(tb.InvalidParameter, match="made for"):
        ledger.individual_budget("others", path=backup)


def test_of_two_copies_that_are_charged_at_once_one_is_refused(budget: Any, ledger: Ledger, place: Path) -> None:
    budget.charge(amounts(1), key="a")
    twin = shutil.copytree(place, place.with_name("twin"))
    with ledger.individual_budget("people", path=twin) as other:
        other.charge(amounts(2), key="b")
        with pytest.raises(tb.CannotShare, match="others were charged"):
            budget.charge(0.1, key="c")
        with pytest.raises(tb.CannotShare, match="others were charged"):
            budget.charge(0.1, key="d")
    budget.let_go()
    with pytest.raises(tb.LedgerCorrupt, match="is not the one that these balances know"):
        ledger.individual_budget("people", path=place)
    assert ledger.verify().ok


def test_of_two_copies_that_charge_the_same_key_one_is_refused(budget: Any, ledger: Ledger, place: Path) -> None:
    """Both would say who takes part, and one charge would pay for two releases."""
    twin = shutil.copytree(place, place.with_name("twin"))
    with ledger.individual_budget("people", path=twin) as other:
        other.charge(0.1, key="a")
        with pytest.raises(tb.LedgerCorrupt, match="other balances"):
            budget.charge(0.1, key="a")
        with pytest.raises(tb.LedgerCorrupt, match="other balances"):
            budget.charge(0.1, key="a")


def test_the_terms_are_in_the_chain(budget: Any, ledger: Ledger) -> None:
    opened = budget.history()[-1]
    assert opened.kind == "opened"
    assert ledger.verify().ok
    assert budget.terms.filter["settings"] == {"budget": "0.5"}
    assert "people" not in budget.terms.filter


def test_terms_that_make_no_sense_make_nothing(ledger: Ledger, place: Path) -> None:
    for terms in (
        dict(people=0), dict(people=True), dict(people=2.0), dict(filter="basic"), dict(filter="renyi"), dict(order=2),
        dict(budget=0), dict(budget="much"), dict(path=7),
    ):  # fmt: skip
        wrong: Any = {"people": 2, "budget": 1, "path": place, **terms}
        with pytest.raises(tb.InvalidParameter):
            ledger.create_individual_budget("people", **wrong)
    assert not ledger.individual_names()
    assert not place.exists()


def test_a_name_or_folder_that_is_taken_is_left_alone(budget: Any, ledger: Ledger, place: Path) -> None:
    budget.charge(0.1, key="a")
    with pytest.raises(tb.BudgetExists):
        ledger.create_individual_budget("people", people=2, budget=1, path=place.with_name("other"))
    assert not place.with_name("other").exists()
    with pytest.raises(tb.InvalidParameter, match="does not exist yet"):
        ledger.create_individual_budget("other", people=2, budget=1, path=place)
    budget.let_go()
    assert ledger.individual_budget("people", path=place).charge(0.1, key="a").mask.all()
