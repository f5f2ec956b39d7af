"""Who takes part and who pays, against exact fractions kept by hand."""

import copy
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tightbudget as tb
from tightbudget.adaptive.individual import base
from tightbudget.adaptive.individual.units import GUARANTEED, Units

pytestmark = pytest.mark.slow

MAKERS = {
    "renyi": lambda budget, people: tb.individual.RenyiFilter(order=8, budget=budget, people=people),
    "zcdp": lambda budget, people: tb.individual.ZCDPFilter(budget, people=people),
    "gdp": lambda budget, people: tb.individual.GDPFilter(budget, people=people),
}
every = pytest.mark.parametrize("kind", MAKERS)


def weight(kind: str, amount: Fraction) -> Fraction:
    return amount**2 if kind == "gdp" else amount


@every
@pytest.mark.parametrize("as_array", [False, True])
def test_ten_tenths_are_one(kind: str, as_array: bool) -> None:
    group = MAKERS[kind](1, 5)
    amount: Any = np.full(5, 0.1) if as_array else 0.1
    for _ in range(100 if kind == "gdp" else 10):
        assert group.spend(amount).all()
    before = group.balances.copy()
    assert not group.quote(1e-7).any()
    assert not group.spend(amount).any()
    assert (group.balances == before).all()


@every
@given(data=st.data())
def test_decisions_on_decimals_are_exact(kind: str, data: st.DataObject) -> None:
    """With amounts of up to five digits nothing is rounded, so every decision is that of exact arithmetic."""
    people = 4
    budget = data.draw(st.sampled_from(["1", "0.5", "0.03"]))
    group = MAKERS[kind](budget, people)
    spent = [Fraction(0)] * people
    cap = weight(kind, Fraction(budget))
    decimal = st.integers(0, 40_000).map(lambda n: n / 100_000)
    for _ in range(data.draw(st.integers(1, 25))):
        drawn = data.draw(st.one_of(decimal, st.lists(decimal, min_size=people, max_size=people)))
        each = [Fraction(repr(x)) for x in (drawn if isinstance(drawn, list) else [drawn] * people)]
        expected = [spent[i] + weight(kind, each[i]) <= cap for i in range(people)]
        amounts = np.array(drawn) if isinstance(drawn, list) else drawn
        assert group.quote(amounts).tolist() == expected
        assert group.spend(amounts).tolist() == expected
        spent = [s + weight(kind, x) if fits else s for s, x, fits in zip(spent, each, expected, strict=True)]
        scale = 10**group.units.digits
        assert [Fraction(b) / scale for b in group.balances.tolist()] == spent


@every
def test_binary_amounts_never_exceed_the_allowance(kind: str) -> None:
    """Charged until hardly anybody can pay: exact sums of the floats stay within the factor epsilon is computed
    from.
    """
    rng = np.random.default_rng(5)
    group = MAKERS[kind]("1", 200)
    sums = [Fraction(0)] * 200
    for _ in range(60):
        amounts = rng.uniform(0.0, 0.5, 200) ** rng.integers(1, 9, 200)
        for i in np.flatnonzero(group.spend(amounts)):
            sums[i] += weight(kind, Fraction(float(amounts[i])))
    assert max(sums) <= GUARANTEED
    assert max(sums) > Fraction(9, 10)  # and the budget was used
    assert all(Fraction(x) * GUARANTEED >= s for x, s in zip(group.spent[group.sums[0]].tolist(), sums, strict=True))
    assert max(Fraction(x) + s for x, s in zip(group.left[group.sums[0]].tolist(), sums, strict=True)) <= GUARANTEED


@every
def test_some_drop_out_and_come_back(kind: str) -> None:
    group = MAKERS[kind](1, 3)
    assert group.spend(np.array([0.9, 0.1, math.inf])).tolist() == [True, True, False]
    assert group.spend(np.array([0.9, 0.9, 0.9])).tolist() == [False, True, True]
    assert group.spend(np.array([0.05, 0.0, 1e300])).tolist() == [True, True, False]
    assert group.spend(0).all()


@every
def test_chunks_do_not_matter(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    amounts = np.random.default_rng(3).uniform(0.0, 0.9, 1000)
    whole, pieces = MAKERS[kind](1, 1000), MAKERS[kind](1, 1000)
    expected = [whole.spend(amounts) for _ in range(3)]
    monkeypatch.setattr(base, "CHUNK", 7)
    assert all((pieces.spend(amounts) == mask).all() for mask in expected)
    assert (whole.balances == pieces.balances).all()


@every
@pytest.mark.parametrize(
    "amounts",
    [
        -0.1,
        math.nan,
        math.inf,
        "x",
        None,
        True,
        np.array([0.1, -1e-300, 0.1]),
        np.array([0.1, math.nan, 0.1]),
        np.array([0.1, 0.1]),
        np.zeros((3, 1)),
        np.array(["a", "b", "c"]),
        np.array([0.1, 0.1, 0.1], dtype=object),
        np.array([True, False, True]),
        np.array([1, 1, 1], dtype=np.longdouble),
        [[1], [1, 2]],
        [[1], [1, 2], [1]],
        [0.1, 0.1, None],
        np.ma.masked,
        np.ma.array([0.1, 0.1, 0.1]),
        np.ma.array([0.1, 0.1, 0.1], mask=[True, False, True]),
        np.ma.array([0.1, -1.0, math.nan], mask=[False, True, True]),
        np.ma.array([0.1, 0.1, 0.1], mask=True),
        np.ma.array(0.1, mask=True),
        [0.1, np.ma.masked, 0.1],
    ],
    ids=repr,
)
def test_bad_amounts_cost_nothing(kind: str, amounts: Any) -> None:
    group = MAKERS[kind](1, 3)
    group.spend(0.1)
    before = group.balances.copy()
    for ask in (group.quote, group.spend):
        with pytest.raises(tb.InvalidParameter):
            ask(amounts)
    assert (group.balances == before).all()


class Late(np.ndarray[Any, np.dtype[np.float64]]):
    """Amounts that change once they have been looked at."""

    def min(self, *arguments: Any, **options: Any) -> Any:
        found = super().min(*arguments, **options)
        self[-1] = -0.4
        return found


@every
def test_amounts_are_checked_as_they_are_charged(kind: str) -> None:
    group = MAKERS[kind](1, 3)
    assert group.spend(0.5).all()
    before = group.balances.copy()
    assert group.spend(np.full(3, 0.1).view(Late)).all()
    assert (group.balances > before).all()


@every
def test_another_thread_may_change_the_amounts_meanwhile(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    group, amounts, of_array = MAKERS[kind](1, 4), np.full(4, 0.1), Units.of_array
    assert group.spend(0.5).all()
    before = group.balances.copy()

    def meanwhile(self: Units, *arguments: Any) -> Any:
        amounts[-1] = -0.4
        return of_array(self, *arguments)

    monkeypatch.setattr(base, "CHUNK", 2)
    monkeypatch.setattr(Units, "of_array", meanwhile)
    assert group.spend(amounts).all()
    assert (group.balances > before).all()


class Twofold(np.ndarray[Any, np.dtype[np.float64]]):
    """Balances that hand out copies of their parts."""

    def __getitem__(self, key: Any) -> Any:
        return np.array(super().__getitem__(key))


def test_balances_of_another_class_are_charged_in_place() -> None:
    mine = np.zeros(3)
    group = tb.individual.ZCDPFilter(1, balances=mine.view(Twofold))
    assert group.spend(0.75).all()
    assert (mine == 0.75e15).all()
    assert not group.quote(0.75).any()


def test_other_number_types() -> None:
    group = tb.individual.ZCDPFilter(100, people=3)
    assert group.spend(np.array([1, 2, 3], dtype=np.uint8)).all()
    assert group.spend([0.5, 0.5, 0.5]).all()
    assert group.spend(np.array([0.25] * 3, dtype=np.float32)).all()
    assert group.spend(np.array(0.25)).all()
    assert group.spend(Fraction(1, 4)).all()
    assert (group.balances / 10**group.units.digits == [2.25, 3.25, 4.25]).all()


@pytest.mark.parametrize(
    "build",
    [
        lambda: tb.individual.ZCDPFilter(0, people=3),
        lambda: tb.individual.ZCDPFilter(-1, people=3),
        lambda: tb.individual.ZCDPFilter(math.nan, people=3),
        lambda: tb.individual.ZCDPFilter(1),
        lambda: tb.individual.ZCDPFilter(1, people=0),
        lambda: tb.individual.ZCDPFilter(1, people=True),
        lambda: tb.individual.ZCDPFilter(1, people=2.0),
        lambda: tb.individual.RenyiFilter(order=1, budget=1, people=3),
        lambda: tb.individual.RenyiFilter(order=1.0000001, budget=1, people=3),
        lambda: tb.individual.ZCDPFilter(1, balances=[0.0, 0.0]),
        lambda: tb.individual.ZCDPFilter(1, balances=np.zeros(3, dtype=np.float32)),
        lambda: tb.individual.ZCDPFilter(1, balances=np.zeros((3, 1))),
        lambda: tb.individual.ZCDPFilter(1, balances=np.zeros(0)),
        lambda: tb.individual.ZCDPFilter(1, people=4, balances=np.zeros(3)),
        lambda: tb.individual.ZCDPFilter(1, balances=np.array([0.0, 0.5])),
        lambda: tb.individual.ZCDPFilter(1, balances=np.array([0.0, -1.0])),
        lambda: tb.individual.ZCDPFilter(1, balances=np.array([0.0, np.nan])),
        lambda: tb.individual.ZCDPFilter(1, balances=np.array([0.0, 1e15 + 1])),
        lambda: tb.individual.ZCDPFilter(1, balances=np.broadcast_to(np.zeros(1), 3)),
        lambda: tb.individual.ZCDPFilter(1, balances=np.ndarray(3, buffer=np.zeros(3), strides=(0,))),
        lambda: tb.individual.ZCDPFilter(1, balances=np.ndarray(3, buffer=np.zeros(3), strides=(4,))),
        lambda: tb.individual.ZCDPFilter(1, balances=np.ndarray(3, buffer=np.zeros(3), strides=(-4,), offset=8)),
        lambda: tb.individual.ZCDPFilter(1, balances=np.ndarray(2, buffer=np.zeros(3), offset=4)),
        lambda: tb.individual.ZCDPFilter(1, balances=np.ma.array([0.0, 1.0], mask=[True, False])),
        lambda: tb.individual.ZCDPFilter("1e400", people=1),
        lambda: tb.individual.GDPFilter("1e400", people=1),
        lambda: tb.individual.ZCDPFilter("1e-400", people=1),
        lambda: tb.individual.ZCDPFilter(1, people=10**18),
        lambda: tb.individual.ZCDPFilter(1, people=10**30),
    ],
)
def test_bad_filters(build: Any) -> None:
    with pytest.raises(tb.InvalidParameter):
        build()


def test_the_callers_array_is_the_state() -> None:
    mine = np.zeros(3)
    tb.individual.ZCDPFilter(1, balances=mine).spend(0.25)
    assert (mine == 0.25e15).all()
    again = tb.individual.ZCDPFilter(1, balances=mine)
    assert again.spend(0.75).all()
    assert not again.quote(1e-15).any()


@pytest.mark.parametrize(
    "other",
    [
        lambda balances: tb.individual.ZCDPFilter(2, balances=balances),
        lambda balances: tb.individual.GDPFilter(1, balances=balances),
        lambda balances: tb.individual.RenyiFilter(order=8, budget=1, balances=balances),
    ],
)
@pytest.mark.parametrize("view", [lambda mine: mine, lambda mine: mine[2:], lambda mine: mine[::-1], lambda mine: mine[1:4:2]])
def test_filters_of_one_array_mean_the_same_by_it(other: Any, view: Any) -> None:
    mine = np.zeros(6)
    first = tb.individual.ZCDPFilter(1, balances=mine[1:])
    with pytest.raises(tb.CannotShare, match="other units"):
        other(view(mine))
    assert other(mine[:1]).spend(0.75).all()  # nobody is in both
    assert tb.individual.ZCDPFilter("1.0", balances=view(mine)).spend(0).all()
    assert (first.balances == 0).all()
    del first
    assert other(mine).people == 6


def test_filters_of_one_array_have_one_order() -> None:
    mine = np.zeros(3)
    first = tb.individual.RenyiFilter(order=8, budget=1, balances=mine)
    with pytest.raises(tb.CannotShare, match="other units"):
        tb.individual.RenyiFilter(order=2, budget=1, balances=mine)
    assert first.spend(0.5).all()


@pytest.mark.parametrize("twin", [lambda group: group, copy.copy, copy.deepcopy])
def test_a_filters_own_balances_are_not_given_to_another(twin: Any) -> None:
    """They are charged under its own lock, for which the other would not wait."""
    group = twin(tb.individual.ZCDPFilter(1, people=3))
    with pytest.raises(tb.CannotShare, match="own balances"):
        tb.individual.ZCDPFilter(1, balances=group.balances[1:])
    assert tb.individual.ZCDPFilter(1, balances=group.balances.copy()).spend(1).all()


def test_balances_that_became_read_only_are_not_charged() -> None:
    mine = np.zeros(3)
    group = tb.individual.ZCDPFilter(1, balances=mine)
    mine.flags.writeable = False
    with pytest.raises(tb.CannotShare, match="read-only"):
        group.spend(0.1)
    assert group.quote(1).all()


def test_more_people_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "full", full)
    with pytest.raises(tb.InvalidParameter, match="memory"):
        tb.individual.ZCDPFilter(1, people=9 * 10**9)


@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_guarantees(delta: float) -> None:
    """Never below the conversion of the budget in 50 digits, and close to it."""
    mp = mpmath.MPContext()
    mp.dps = 50
    d = mp.mpf(delta)

    def single(a: Any, tau: Any) -> Any:
        return tau + mp.log1p(-1 / a) - (mp.log(d) + mp.log(a)) / (a - 1)

    exact = single(mp.mpf(8), mp.mpf(1) / 2)
    ours = tb.individual.RenyiFilter(order=8, budget=0.5, people=1).epsilon(delta)
    assert exact <= ours <= exact * (1 + 1e-12)

    best = min(single(1 + mp.exp(t), (1 + mp.exp(t)) / 10) for t in mp.linspace(0, 6, 2001))
    ours = tb.individual.ZCDPFilter(0.1, people=1).epsilon(delta)
    assert best * (1 - 1e-5) <= ours <= best * (1 + 1e-12)

    epsilon = mp.mpf(tb.individual.GDPFilter(2, people=1).epsilon(delta))

    def profile(e: Any) -> Any:
        return mp.ncdf(1 - e / 2) - mp.exp(e) * mp.ncdf(-1 - e / 2)

    assert profile(epsilon) <= d <= profile(epsilon * (1 - mp.mpf("1e-8")))


@every
def test_guarantees_at_the_ends(kind: str) -> None:
    group = MAKERS[kind](1, 1)
    assert group.guaranteed >= 1 + Fraction(1, 2**49)  # what binary amounts may add up to
    assert group.epsilon(0) == math.inf
    assert group.epsilon(1) == 0.0
    with pytest.raises(tb.InvalidParameter):
        group.epsilon(2)
