"""The verbs that individual filters share with the others, and the old names, which work for one version more."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.every_budget import INDIVIDUAL

import tightbudget as tb
from tightbudget.adaptive.individual.registry import ALL

every = pytest.mark.parametrize("make", INDIVIDUAL.values(), ids=list(INDIVIDUAL))
Make = Callable[..., tb.individual.IndividualFilter]


def spent_one_by_one(group: tb.individual.IndividualFilter, increment: Any) -> list[int]:
    counts = np.zeros(group.people, dtype=np.int64)
    while (taking := group.spend(increment)).any():
        counts += taking
    return counts.tolist()


@every
@pytest.mark.parametrize("increment", [0.01, 0.07, [0.003, 0.02, 0.05, 0.1], np.array([0.01, 5.0, math.inf, 0.03])], ids=str)
def test_as_many_steps_remain_as_can_be_spent(make: Make, increment: Any) -> None:
    group = make(4)
    group.spend(np.array([0.0, 0.01, 0.02, 0.05]))
    before = group.balances.copy()
    counts = group.remaining(increment)
    assert (group.balances == before).all()
    assert counts.dtype == np.int64
    assert counts.tolist() == spent_one_by_one(group, increment)
    assert (group.remaining(increment) == 0).all()


@every
def test_what_costs_nothing_remains_for_ever(make: Make) -> None:
    group = make(3)
    assert group.remaining(0).tolist() == [2**53] * 3
    assert group.remaining([0.0, 0.01, 1e9]).tolist()[::2] == [2**53, 0]
    with pytest.raises(tb.InvalidParameter, match="increment"):
        group.remaining([0.1, 0.1])


@every
def test_spent_and_left_by_name(make: Make) -> None:
    group = make(2)
    group.spend(np.array([0.02, 0.05]))
    (name,) = group.sums
    assert list(group.spent) == list(group.left) == [name]
    expected = np.array([0.02, 0.05]) ** (2 if group.kind == "gdp" else 1)
    total = float(group.units.total)
    assert np.all((expected <= group.spent[name]) & (group.spent[name] <= expected * (1 + 1e-9)))
    assert np.all((total - expected >= group.left[name]) & (group.left[name] >= (total - expected) * (1 - 1e-9)))


def test_the_sums_are_called_as_those_of_other_filters() -> None:
    assert tb.individual.ZCDPFilter(1, people=1).sums[0] in tb.filters.ZCDPFilter(1, 1e-6).spent
    assert tb.individual.GDPFilter(1, people=1).sums[0] in tb.filters.GDPFilter(1, 1e-6).spent
    assert tb.individual.RenyiFilter(order=8, budget=1, people=1).sums == ("order 8",)


@every
def test_there_and_back(make: Make) -> None:
    group = make(3)
    group.spend([0.01, 0.02, 0.09])
    state = json.loads(json.dumps(group.state()))
    for again in (tb.individual.from_state(state), type(group).from_state(state)):
        assert type(again) is type(group)
        assert (again.balances == group.balances).all()
        assert (again.state(), again.budget) == (state, group.budget)
    assert again.spend(0.05).tolist() == group.spend(0.05).tolist()
    assert (again.balances == group.balances).all()
    for other in ALL:
        if other is not type(group):
            with pytest.raises(tb.InvalidParameter, match="kind"):
                other.from_state(state)


@every
def test_states_are_read_strictly(make: Make) -> None:
    group = make(2)
    group.spend([0.01, 0.02])
    good = group.state()
    (name,) = group.sums
    first, second = good["spent"][name]
    bad: list[Any] = [None, [], *({key: value for key, value in good.items() if key != missing} for missing in good)]
    bad += [{**good, key: value} for key, value in (("extra", 1), ("version", 2), ("version", True), ("kind", "basic"))]
    bad += [{**good, key: value} for key, value in (("kind", ["zcdp"]), ("digits", 3), ("digits", "15"), ("budget", "-1"))]
    bad += [{**good, "spent": spent} for spent in (None, [], {}, {"other": [first]}, {name: [1], "other": [1]})]
    wrong = (None, [], "00", [first, None], [first, -1], [first, True], [first, 0.5], [first, 2**60], [first, 10**400])
    bad += [{**good, "spent": {name: balances}} for balances in (*wrong, [first, int(group.units.limit) + 1])]
    for state in bad:
        with pytest.raises(tb.InvalidParameter):
            tb.individual.from_state(state)
    assert tb.individual.from_state({**good, "spent": {name: [second]}}).people == 1


def test_old_names_work_for_one_version_more() -> None:
    group = tb.individual.ZCDPFilter(1, people=2)
    with pytest.warns(DeprecationWarning, match=r"write spend\(increment\)"):
        assert group.charge([0.25, 0.5]).all()
    with pytest.warns(DeprecationWarning, match="write spent"):
        assert (group.spent() == group.spent["rho"]).all()
    with pytest.warns(DeprecationWarning, match="write left"):
        assert (group.remaining() == group.left["rho"]).all()
    with pytest.warns(DeprecationWarning, match="write increment="):
        assert group.quote(amounts=0.75).tolist() == [True, False]
    with pytest.warns(DeprecationWarning, match=r"write people=\.\.\."):
        assert tb.individual.GDPFilter(1, 3).people == 3
    with pytest.warns(DeprecationWarning, match=r"write order=\.\.\., budget=\.\.\., people=\.\.\."):
        old = tb.individual.RenyiFilter(8, 0.5, 3)
    assert (old.order, old.budget, old.people) == (8, tb.individual.ZCDPFilter(0.5, people=1).budget, 3)
