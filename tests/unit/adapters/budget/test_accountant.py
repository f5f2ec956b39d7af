"""The budget accountant: what it admits, what is left, and who may spend it."""

import copy
import math
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adapters.budget import Budget, BudgetAccountant, BudgetError


@pytest.fixture(autouse=True)
def no_default():
    yield
    BudgetAccountant.pop_default()


def test_spends_add_up_exactly() -> None:
    accountant = BudgetAccountant(epsilon=1, delta=0)
    for _ in range(10):
        assert accountant.spend(0.1, 0) is accountant
    assert accountant.total() == Budget(1.0, 0.0)
    assert accountant.remaining() == Budget(0.0, 0.0)
    with pytest.raises(BudgetError):
        accountant.spend(5e-324, 0)
    assert len(accountant) == 10
    assert accountant.spent_budget == [(0.1, 0.0)] * 10


def test_a_ceiling_that_looks_swapped_is_pointed_out() -> None:
    with pytest.warns(UserWarning, match=r"delta = 0.9 is no smaller than epsilon = 1e-05. Are the two swapped\?") as seen:
        BudgetAccountant(epsilon=1e-5, delta=0.9)
    assert seen[0].filename == __file__
    BudgetAccountant(epsilon=0.5)  # delta is 1 unless given, which is no ceiling


def test_a_refusal_says_what_was_asked_spent_and_left_and_changes_nothing() -> None:
    accountant = BudgetAccountant(1.0, 1e-5).spend(0.75, 1e-6)
    with pytest.raises(BudgetError) as refusal:
        accountant.spend(0.5, 0)
    assert str(refusal.value) == (
        "A spend of (epsilon=0.5, delta=0.0) is refused: (epsilon=0.25, delta=9e-06) is left of (epsilon=1.0, delta=1e-05), "
        "since (epsilon=0.75, delta=1e-06) is spent. Nothing was charged; spend at most what remaining() says."
    )
    assert isinstance(refusal.value, tb.BudgetRefused)
    assert isinstance(refusal.value, ValueError)
    assert (refusal.value.asked, refusal.value.left) == ((0.5, 0.0), (0.25, 9e-6))
    assert not refusal.value.quote.accepted
    again = pickle.loads(pickle.dumps(refusal.value))
    assert (type(again), str(again), again.spent) == (BudgetError, str(refusal.value), (0.75, 1e-6))
    assert accountant.spend(0.25, 9e-6).total() == (1.0, 1e-5)


@pytest.mark.parametrize("delta", [2e-6, 1.0])
def test_delta_has_its_ceiling_too(delta: float) -> None:
    for epsilon in (1.0, math.inf):
        accountant = BudgetAccountant(epsilon, delta).spend(0.1, delta / 2)
        accountant.check(0.1, delta / 2)
        with pytest.raises(BudgetError):
            accountant.check(0.1, 0.51 * delta)
        assert accountant.remaining(2).delta == delta / 4


def test_without_a_ceiling_spends_are_only_added_up() -> None:
    accountant = BudgetAccountant()
    assert accountant.total() == (0.0, 0.0)
    accountant.spend(100, 0).spend(0.25, 0)
    assert accountant.total() == (100.25, 0.0)
    assert accountant.remaining() == (math.inf, 1.0)
    assert accountant.spend(math.inf, 0).total() == (math.inf, 0.0)
    assert BudgetAccountant(slack=1e-3).spend(math.inf, 0).total() == (math.inf, 1e-3)


def test_an_infinite_spend_is_refused_below_a_ceiling() -> None:
    for slack in (0.0, 1e-6):
        with pytest.raises(BudgetError):
            BudgetAccountant(1.0, 1e-5, slack=slack).spend(math.inf, 0)


def _zcdp_epsilon(rho: mpmath.mpf, delta: mpmath.mpf) -> mpmath.mpf:
    """The least over orders of the tight conversion, searched with 40 digits."""

    def at(log_order: mpmath.mpf) -> mpmath.mpf:
        a = 1 + mpmath.exp(log_order)
        return rho * a + mpmath.log(1 - 1 / a) - mpmath.log(delta * a) / (a - 1)

    low, high = mpmath.mpf(-3), mpmath.mpf(12)
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if at(left) < at(right) else (left, high)
    return at(low)


def test_with_slack_the_total_is_that_of_concentrated_privacy() -> None:
    accountant = BudgetAccountant(slack=1e-3)
    for _ in range(20):
        accountant.spend(0.05, 0)
    with mpmath.workdps(40):
        e = mpmath.mpf("0.05")
        truth = _zcdp_epsilon(20 * e * mpmath.tanh(e / 2), mpmath.mpf("0.001"))
        assert truth <= accountant.total().epsilon <= truth * (1 + mpmath.mpf(10) ** -4)
    assert accountant.total().epsilon < 0.761  # what diffprivlib has here
    assert accountant.total().delta == 1e-3
    assert accountant.total(slack=0.0) == (1.0, 0.0)
    assert accountant.total(spent_budget=[(0.5, 1e-6), (0.25, 0)], slack=0.0) == (0.75, 1e-6)


@pytest.mark.parametrize(("delta", "slack"), [(1e-5, 1e-6), (1e-6, 1e-6), (1.0, 1e-6), (1.0, 0.5)])
@pytest.mark.parametrize("k", [1, 2, 50, 10**6])
def test_what_remains_can_be_spent_and_hardly_more(delta: float, slack: float, k: int) -> None:
    accountant = BudgetAccountant(1.0, delta, slack=slack).spend(0.3, 0)
    left = accountant.remaining(k)
    assert left.epsilon >= 0.7 / k * (1 - 1e-12)
    twin = BudgetAccountant(1.0, delta, slack=slack, spent_budget=accountant.spent_budget)
    filter = twin._filter
    assert filter is not None
    assert filter.quote(tb.ApproximateDP(left.epsilon, left.delta) * k).accepted
    assert not filter.quote(tb.PureDP(left.epsilon * (1 + 1e-12)) * k).accepted


@pytest.mark.slow
def test_total_stays_within_the_ceiling_up_to_the_last_spend() -> None:
    accountant = BudgetAccountant(1.0, 1e-5, slack=1e-6)
    while accountant.remaining().epsilon >= 0.01:
        accountant.spend(0.01, 0)
        assert accountant.total() <= (1.0, 1e-5)
    assert len(accountant) > 150  # where plain sums end at 100
    assert accountant.total().epsilon > 0.99
    with pytest.raises(BudgetError):
        accountant.spend(0.01, 0)


def test_numbers_are_read_on_the_safe_side() -> None:
    third = Fraction(1, 3)
    accountant = BudgetAccountant(third, third / 10)
    assert Fraction(repr(accountant.epsilon)) <= third
    assert Fraction(repr(accountant.delta)) <= third / 10
    ((epsilon, delta),) = BudgetAccountant().spend(third, third).spent_budget
    assert Fraction(repr(epsilon)) >= third
    assert Fraction(repr(delta)) >= third
    huge = 2**53 + 1
    assert Fraction(BudgetAccountant().spend(huge, 0).total().epsilon) >= huge


@pytest.mark.parametrize("one", [1, 1.0, np.float32(1), np.int64(1), np.array(1.0), Fraction(1)], ids=repr)
def test_numbers_of_any_kind(one: object) -> None:
    assert BudgetAccountant(one, one).spend(one, one).total() == (1.0, 1.0)


@pytest.mark.parametrize(
    "bad", [(-1.0, 0.0), (math.nan, 0.0), (0.0, 0.0), (0, 0), (1.0, 1.5), (1.0, -0.1), (1.0, math.nan), ("1", 0), (True, 0),
            (1.0, None), ([1], 0), (Decimal("NaN"), 0)], ids=repr,
)  # fmt: skip
def test_what_is_no_budget_is_refused(bad: tuple[float, float]) -> None:
    for call in (BudgetAccountant, BudgetAccountant().spend, BudgetAccountant().check, BudgetAccountant(1.0, 1e-6).check):
        with pytest.raises(tb.InvalidParameter):
            call(*bad)


@pytest.mark.parametrize("bad", [5, "ab", [1.0], [(1.0,)], [(1.0, 0.0, 0.0)], [(-1.0, 0.0)], {1.0: 0.0}], ids=repr)
def test_what_is_no_list_of_spends_is_refused(bad: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        BudgetAccountant(spent_budget=bad)
    with pytest.raises(tb.InvalidParameter):
        BudgetAccountant().total(spent_budget=bad)


def test_earlier_spends_count() -> None:
    first = BudgetAccountant(1.0, 1e-5, slack=1e-6).spend(0.5, 1e-7).spend(0.25, 0)
    second = BudgetAccountant(1.0, 1e-5, slack=1e-6, spent_budget=first.spent_budget)
    assert (second.total(), second.remaining()) == (first.total(), first.remaining())
    with pytest.raises(BudgetError):
        BudgetAccountant(1.0, 0, spent_budget=[(0.6, 0), (0.6, 0)])


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", True], ids=repr)
def test_what_counts_no_spends_is_refused(k: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"^k is "):
        BudgetAccountant(1.0).remaining(k)


@pytest.mark.parametrize("slack", [-1e-9, 1e-4, math.nan, 1e-301, "0", None], ids=repr)
def test_bad_slack_is_refused(slack: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"^slack is "):
        BudgetAccountant(1.0, 1e-5, slack=slack)
    with pytest.raises(tb.InvalidParameter, match=r"^slack is "):
        BudgetAccountant(1.0, 1e-5).slack = slack


def test_slack_can_be_set_until_something_is_spent() -> None:
    accountant = BudgetAccountant(1.0, 1e-5)
    accountant.slack = 1e-6
    assert accountant.remaining(100) == BudgetAccountant(1.0, 1e-5, slack=1e-6).remaining(100)
    accountant.spend(0.1, 0)
    with pytest.raises(tb.InvalidParameter, match="before the first spend"):
        accountant.slack = 1e-7
    assert accountant.slack == 1e-6


@pytest.mark.filterwarnings("ignore:.*Are the two swapped")
def test_a_ceiling_too_small_for_a_tail_bound_is_kept_by_plain_sums() -> None:
    accountant = BudgetAccountant(1e-41, 1e-5, slack=1e-6)
    assert accountant.spend(1e-41, 9e-6).total() <= (1e-41, 1e-5)
    with pytest.raises(BudgetError):
        accountant.check(1e-43, 0)


@pytest.mark.parametrize("slack", [0.0, 1e-6])
def test_eight_threads_together_spend_no_more_than_there_is(slack: float) -> None:
    accountant = BudgetAccountant(1.0, 1e-5, slack=slack)

    def spend_until_refused(_: int) -> int:
        for count in range(10_000):
            try:
                accountant.spend(0.02, 0)
            except BudgetError:
                return count
        return 10_000

    with ThreadPoolExecutor(8) as pool:
        admitted = sum(pool.map(spend_until_refused, range(8)))
    alone = BudgetAccountant(1.0, 1e-5, slack=slack)
    alone_count = spend_alone(alone)
    assert admitted == len(accountant) == alone_count
    assert accountant.total() == alone.total() <= (1.0, 1e-5)


def spend_alone(accountant: BudgetAccountant) -> int:
    while True:
        try:
            accountant.spend(0.02, 0)
        except BudgetError:
            return len(accountant)


def test_a_copy_is_the_accountant_itself() -> None:
    accountant = BudgetAccountant(1.0)
    assert copy.copy(accountant) is accountant
    assert copy.deepcopy({"model": accountant})["model"] is accountant


def test_a_pickle_can_be_read_but_not_spent() -> None:
    accountant = BudgetAccountant(1.0, 1e-5, slack=1e-6).spend(0.25, 1e-7)
    with accountant:
        read = pickle.loads(pickle.dumps(accountant))
    assert (read.total(), read.remaining(3), read.spent_budget) == (
        accountant.total(),
        accountant.remaining(3),
        accountant.spent_budget,
    )
    with pytest.raises(tb.CannotShare, match=r"pickle.*spent_budget=copy.spent_budget"):
        read.spend(0.1, 0)
    with pytest.raises(tb.CannotShare):
        read.slack = 0.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_cannot_spend() -> None:
    accountant = BudgetAccountant(1.0)
    child = os.fork()
    if not child:
        try:
            accountant.spend(0.1, 0)
        except tb.CannotShare:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_the_default_is_found_made_and_given_back() -> None:
    made = BudgetAccountant.load_default(None)
    assert made is BudgetAccountant.load_default(None)
    assert made.remaining() == (math.inf, 1.0)
    accountant = BudgetAccountant(1.0)
    assert accountant.set_default() is accountant
    assert BudgetAccountant.load_default(None) is accountant
    assert BudgetAccountant.load_default(made) is made
    assert BudgetAccountant.pop_default() is accountant
    assert BudgetAccountant.pop_default() is None
    with pytest.raises(tb.InvalidParameter, match=r"^accountant is 5"):
        BudgetAccountant.load_default(5)


def test_within_a_block_it_is_the_default() -> None:
    outer, inner = BudgetAccountant(2.0).set_default(), BudgetAccountant(1.0)
    with pytest.raises(RuntimeError), inner as entered, inner:  # noqa: PT012  # also twice
        assert BudgetAccountant.load_default(None) is entered is inner
        raise RuntimeError
    assert BudgetAccountant.load_default(None) is outer


def test_it_prints_as_it_is_made() -> None:
    assert repr(BudgetAccountant()) == "BudgetAccountant()"
    few = BudgetAccountant(1.5, 1e-5, slack=1e-6).spend(0.5, 0)
    assert repr(few) == "BudgetAccountant(epsilon=1.5, delta=1e-05, slack=1e-06, spent_budget=[(0.5, 0.0)])"
    for _ in range(6):
        few.spend(0.01, 0)
    assert repr(few).endswith("(0.01, 0.0), ...])")
    assert few
    assert BudgetAccountant()


def test_budgets_are_compared_in_both_numbers() -> None:
    assert Budget(1, 0) < Budget(1, 0.5) <= Budget(1, 0.5)
    assert not Budget(2, 0) >= Budget(1, 0.5)
    assert not Budget(2, 0) <= Budget(1, 0.5)
    assert Budget(2, 0.5) > Budget(1, 0.5)
    assert not Budget(2, 0.5) > Budget(2, 0.5)
