"""States are read strictly: every key is there, nothing else is, and what was computed is not computed anew."""

import contextlib
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.every_filter import AMPLE, PLAIN, TIGHT
from tests.support.every_odometer import EVERY as ODOMETERS

import tightbudget as tb
from tightbudget.adaptive import filters, odometers
from tightbudget.adaptive.filters import rdp, residual, slots, zcdp
from tightbudget.adaptive.filters.registry import BY_KIND as FILTER_KINDS
from tightbudget.adaptive.odometers.registry import BY_KIND as ODOMETER_KINDS
from tightbudget.filters import SlotFilter

OLD = [json.loads((Path(__file__).parent.parent / "support" / f"states_of_version_{n}.json").read_text()) for n in (1, 2)]
"""Written by the last commits before constants, and before ticks: with what remained, or what odometers said."""
OLD_FILTERS = [row for each in OLD for row in each["filters"]]
OLD_ODOMETERS = [row for each in OLD for row in each["odometers"]]

STEPS = [tb.PureDP(0.1), tb.ApproximateDP(0.05, 3e-8), tb.Gaussian(30)]
FILTERS = [*PLAIN, *TIGHT, *AMPLE]


def written(made: Any, spend: bool = True) -> dict[str, Any]:
    for step in STEPS if spend else []:
        with contextlib.suppress(tb.BudgetRefused, tb.InvalidParameter):
            made.spend(step)
    state: dict[str, Any] = json.loads(json.dumps(made.state()))
    return state


def reader(made: object) -> Callable[[dict[str, Any]], Any]:
    return filters.from_state if isinstance(made, filters.Filter) else odometers.from_state


EVERY: list[Callable[[], Any]] = [*FILTERS, *ODOMETERS]


@pytest.mark.parametrize("make", EVERY)
def test_no_key_may_be_missing(make: Callable[[], Any]) -> None:
    made = make()
    state, restore = written(made), reader(made)
    assert restore(state) == made
    for key in state:
        with pytest.raises(tb.InvalidParameter, match=r"^(state|version|kind) is"):
            restore({name: value for name, value in state.items() if name != key})


@pytest.mark.parametrize("make", EVERY)
def test_no_key_may_be_unknown(make: Callable[[], Any]) -> None:
    made = make()
    state, restore = written(made), reader(made)
    for key in ("extra", "tight_at" if "tight_at" not in state else "more", "self", "balances"):
        with pytest.raises(tb.InvalidParameter, match=f"^state is .*{key}"):
            restore({**state, key: "1"})


@pytest.mark.parametrize("make", EVERY)
def test_constants_are_named_and_numbers(make: Callable[[], Any]) -> None:
    made = make()
    state, restore = written(made), reader(made)
    constants = state["constants"]
    for wrong in (None, [], "", {**constants, "extra": "1"}):
        with pytest.raises(tb.InvalidParameter):
            restore({**state, "constants": wrong})
    for name in constants:
        with pytest.raises(tb.InvalidParameter, match=name):
            restore({**state, "constants": {key: value for key, value in constants.items() if key != name}})
        for wrong in (None, "soon", "nan", "-1/0", [], ["1"], 0.5j):
            with pytest.raises(tb.InvalidParameter):
                restore({**state, "constants": {**constants, name: wrong}})


def test_without_its_share_for_steps_a_state_is_refused() -> None:
    """It used to be filled in with 0: then 487 steps were admitted where 403 may be."""
    state = written(filters.ZCDPFilter(1, 1e-6, delta_for_steps="9e-7"), spend=False)
    assert filters.from_state(state).remaining(tb.PureDP(0.01)) < 487
    del state["delta_for_steps"]
    with pytest.raises(tb.InvalidParameter, match="delta_for_steps"):
        filters.from_state(state)


OVERSPENT = [
    (lambda: filters.BasicFilter(1, 1e-6), {"epsilon": "1.001"}),
    (lambda: filters.BasicFilter(1, 1e-6), {"epsilon": "inf"}),
    (lambda: filters.BasicFilter(1, 1e-6), {"delta": "1.001e-6"}),
    (lambda: filters.AdvancedFilter(1, 1e-6), {"squares": "1"}),
    (lambda: filters.SharpenedFilter(1, 1e-6), {"drift": "1"}),
    (lambda: filters.WhitehouseFilter(1, 1e-6), {"squares": "0.1"}),
    (lambda: filters.WhitehouseFilter(1, 1e-6, or_basic=True), {"squares": "0.1", "epsilon": "1.1"}),
    (lambda: filters.ZCDPFilter(1, 1e-6, delta_for_steps=1e-7), {"rho": "0.03"}),
    (lambda: filters.ZCDPFilter(1, 1e-6, delta_for_steps=1e-7), {"delta": "2e-7"}),
    (lambda: filters.RDPFilter(1, 1e-6, orders=[16, 32]), {"order 16": "1", "order 32": "1"}),
    (lambda: filters.GDPFilter(1, 1e-6), {"squared mu": "0.1"}),
    (lambda: filters.ResidualFilter(1, 1e-6), {"mu left": "1"}),
    (lambda: filters.ResidualFilter(1, 1e-6, delta_for_steps=1e-7), {"delta": "2e-7"}),
    (lambda: filters.SlotFilter(1, 1e-6, plan=tb.Gaussian(20) * 5), {"gaussian(sigma=20)": "6"}),
    (lambda: filters.SlotFilter(1, 1e-6, plan=tb.Gaussian(20) * 5, delta_for_steps=1e-7), {"delta": "2e-7"}),
]


def test_every_kind_is_overspent() -> None:
    assert {make().kind for make, _ in OVERSPENT} == set(FILTER_KINDS)


@pytest.mark.parametrize(("make", "spent"), OVERSPENT)
def test_more_than_the_cap_cannot_have_been_spent(make: Callable[[], Any], spent: dict[str, str]) -> None:
    state = written(make(), spend=False)
    assert set(spent) <= set(state["spent"])
    with pytest.raises(tb.InvalidParameter, match="spent"):
        filters.from_state({**state, "spent": {**state["spent"], **spent}})


@pytest.mark.parametrize("make", [*PLAIN, *TIGHT])
def test_a_filter_that_was_filled_up_comes_back(make: Callable[[], Any]) -> None:
    budget = make()
    budget.spend(tb.PureDP(0.01))
    if type(budget).kind not in ("residual", "slots"):
        more = budget.remaining(tb.PureDP(0.001))
        budget.spend(tb.PureDP(0.001) * more)
    assert filters.from_state(budget.state()) == budget


def _nudged(function: Callable[..., Any], by: float) -> Callable[..., Any]:
    """Return the function as another processor might have computed it."""
    return lambda *arguments: type(value := function(*arguments))(value * (1 + Fraction(by)))


@pytest.mark.parametrize("by", [-1e-12, 1e-12])
@pytest.mark.parametrize("make", EVERY)
def test_a_state_is_read_alike_where_constants_come_out_otherwise(
    make: Callable[[], Any], by: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make()
    before, restore = written(made), reader(made)
    for module, name in (
        (zcdp, "most_rho"),
        (rdp, "renyi_budget"),
        (filters.gdp, "most_mu"),
        (residual, "most_mu"),
        (filters.whitehouse, "most_squares"),
        (filters.advanced, "log_reciprocal"),
        (odometers.concentration, "log_reciprocal"),
        (odometers.rogers, "log_reciprocal"),
        (odometers.renyi, "log_reciprocal"),
    ):
        monkeypatch.setattr(module, name, _nudged(getattr(module, name), by))
    again = restore(before)
    assert json.loads(json.dumps(again.state())) == before


@pytest.mark.parametrize("make", [*PLAIN, *TIGHT, *ODOMETERS])
def test_constants_on_the_unsafe_side_are_refused(make: Callable[[], Any]) -> None:
    """Caps may be smaller than what is computed here, logarithms and prices larger; the other way lies a wider
    budget.
    """
    made = make()
    state, restore = written(made), reader(made)
    # of those left out any is sound; a plan without delta has nothing below it
    sided = {name: value for name, value in state["constants"].items() if name not in ("beta", "ticks") and value != "0.0"}
    if not sided:
        pytest.skip("it has no constant with an unsafe side")
    for name, value in sided.items():
        factors = (Fraction(101, 100), Fraction(99, 100))
        unsafe = factors[name in ("log", "logs", "price")]
        if isinstance(value, dict):
            wrong: Any = {key: changed(unsafe, each) for key, each in value.items()}
        else:
            wrong = [changed(unsafe, each) for each in value] if isinstance(value, list) else changed(unsafe, value)
        with pytest.raises(tb.InvalidParameter, match=name):
            restore({**state, "constants": {**state["constants"], name: wrong}})


def changed(factor: Fraction, text: str) -> str:
    if text.endswith(" ticks"):
        return f"{changed(factor, text.removesuffix(' ticks'))} ticks"
    value = Fraction(text)
    return str(int(value * factor if value > 0 else value / factor)) if value.denominator == 1 else repr(float(value * factor))


@pytest.mark.parametrize("make", [make for make in FILTERS if "ticks" in make().state()["constants"]])
def test_ticks_are_about_as_fine_as_they_would_be_here(make: Callable[[], Any]) -> None:
    state = written(make())
    for name in state["constants"]["ticks"]:
        for wrong in ("1e0", "5342931457063200e200", "0e44", "1e99999", "5342931457063200", 1, None):
            ticks = {**state["constants"]["ticks"], name: wrong}
            with pytest.raises(tb.InvalidParameter, match="ticks"):
                filters.from_state({**state, "constants": {**state["constants"], "ticks": ticks}})


def test_a_restored_plan_is_not_priced_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = SlotFilter(1, 1e-6, plan=tb.PureDP(0.01) * 562)
    budget.spend(tb.PureDP(0.01) * 7)
    state = written(budget, spend=False)
    asked: list[float] = []
    delta = tb.Composition.delta

    def priced(self: tb.Composition, epsilon: float, rtol: float) -> Any:
        asked.append(rtol)
        return delta(self, epsilon, rtol=rtol)

    monkeypatch.setattr(tb.Composition, "delta", priced)
    assert filters.from_state(state).remaining(tb.PureDP(0.01)) == 555
    assert all(rtol > 0.1 for rtol in asked)
    SlotFilter(1, 1e-6, plan=tb.PureDP(0.01) * 562)
    assert asked[-1] == slots.PRICED


def test_a_price_that_the_plan_cannot_have_is_refused() -> None:
    state = written(SlotFilter(1, 1e-6, plan=tb.PureDP(0.01) * 562), spend=False)
    priced = [{"constants": {**state["constants"], "price": price}} for price in ("1e-9", "2e-6")]
    for wrong in ({"plan": "pure_dp(epsilon=0.01) * 800"}, *priced):
        with pytest.raises(tb.InvalidParameter, match="price"):
            filters.from_state({**state, **wrong})


@pytest.mark.parametrize("old", OLD, ids=["version 1", "version 2"])
def test_old_states_cover_every_kind(old: dict[str, Any]) -> None:
    assert {row["state"]["kind"] for row in old["filters"]} == set(FILTER_KINDS)
    assert {row["state"]["kind"] for row in old["odometers"]} <= set(ODOMETER_KINDS)  # a new kind has no old states


def named(row: dict[str, Any]) -> str:
    return f"{row['state']['kind']}, version {row['state']['version']}"


CHANGED = {"version", "constants", "spent"}


@pytest.mark.parametrize("row", OLD_FILTERS, ids=named)
def test_old_states_of_filters_are_read(row: dict[str, Any]) -> None:
    budget = filters.from_state(row["state"])
    state = budget.state()
    assert {name: state[name] for name in row["state"].keys() - CHANGED} == {
        name: row["state"][name] for name in row["state"].keys() - CHANGED
    }
    assert filters.from_state(state) == budget
    for step, count in row["remaining"].items():
        left = budget.remaining(filters.parse_increment(step))
        # what these two admit may grow
        assert left >= count if budget.kind in ("residual", "slots") else left == count


@pytest.mark.parametrize("row", OLD_FILTERS, ids=named)
def test_sums_of_old_states_are_rounded_up_to_ticks(row: dict[str, Any]) -> None:
    budget, spent = filters.from_state(row["state"]), row["state"]["spent"]
    if budget.kind in ("residual", "slots"):
        assert budget.state()["spent"] == spent
        return
    for name, amount in budget.spent.items():
        exactly = float("inf") if spent[name] == "inf" else Fraction(spent[name])
        assert exactly <= amount <= exactly * (1 + Fraction(1, 10**50))


@pytest.mark.parametrize("row", [row for row in OLD_FILTERS if row["state"]["version"] == 2], ids=named)
def test_caps_of_old_states_are_taken_over(row: dict[str, Any]) -> None:
    """They decide, not what is computed here: less of a cap than there would be admits less."""
    state = row["state"]
    constants = {**state["constants"]}
    if "cap" in constants:
        constants["cap"] = str(Fraction(constants["cap"]) / 2)
    if "caps" in constants:
        constants["caps"] = [str(-abs(int(cap))) for cap in constants["caps"]]
    if constants == state["constants"]:
        return
    fresh = {**state, "constants": constants, "spent": dict.fromkeys(state["spent"], "0")}
    less, all_of_it = (filters.from_state({**fresh, "constants": each}) for each in (constants, state["constants"]))
    assert less.remaining(tb.PureDP(1e-3)) < all_of_it.remaining(tb.PureDP(1e-3))


@pytest.mark.parametrize("row", OLD_ODOMETERS, ids=named)
def test_old_states_of_odometers_are_read(row: dict[str, Any]) -> None:
    odometer = odometers.from_state(row["state"])
    state = odometer.state()
    assert {name: state[name] for name in row["state"] if name != "version"} == {
        name: value for name, value in row["state"].items() if name != "version"
    }
    assert odometers.from_state(state) == odometer
    assert odometer.epsilon == pytest.approx(row["epsilon"], rel=1e-12)
    assert odometer.quote(tb.PureDP(0.1)) == pytest.approx(row["quote"], rel=1e-12)


@pytest.mark.parametrize("which", range(64))
@pytest.mark.parametrize("rows", [OLD_FILTERS, OLD_ODOMETERS], ids=["filters", "odometers"])
def test_old_states_are_read_strictly_too(rows: list[dict[str, Any]], which: int) -> None:
    state = rows[which * 7 % len(rows)]["state"]
    restore = filters.from_state if rows is OLD_FILTERS else odometers.from_state
    for key in state:
        with pytest.raises(tb.InvalidParameter):
            restore({name: value for name, value in state.items() if name != key})
    for wrong in ({}, None, [], {**state.get("constants", {}), "more": "1"}):
        if wrong != state.get("constants"):
            with pytest.raises(tb.InvalidParameter, match=r"constants|cap|log|price|mu"):
                restore({**state, "constants": wrong})


@pytest.mark.parametrize("make", EVERY)
def test_a_state_says_how_many_steps_were_spent(make: Callable[[], Any]) -> None:
    made = make()
    restore, count = reader(made), 0
    assert made.sequence == made.state()["sequence"] == 0
    for step in [*STEPS, tb.PureDP(100), *STEPS]:
        with contextlib.suppress(tb.BudgetRefused, tb.InvalidParameter):
            made.spend(step)
            count += 1
        assert made.sequence == made.state()["sequence"] == count
    made.quote(tb.PureDP(0.1))
    assert restore(made.state()).sequence == count
    for wrong in (-1, 1.0, "1", True, []):
        with pytest.raises(tb.InvalidParameter, match="sequence"):
            restore({**made.state(), "sequence": wrong})


@pytest.mark.parametrize("row", [*OLD_FILTERS[:3], OLD_FILTERS[-1], OLD_ODOMETERS[0], OLD_ODOMETERS[-1]], ids=named)
def test_what_did_not_count_its_steps_does_not_begin_to(row: dict[str, Any]) -> None:
    """0 would say that the state is older than every other."""
    restore = filters.from_state if "remaining" in row else odometers.from_state
    made = restore(row["state"])
    made.spend(tb.PureDP(1e-9))
    assert made.sequence is None
    assert restore(json.loads(json.dumps(made.state()))).sequence is None


def test_the_relations_of_steps_are_written() -> None:
    for made in (filters.BasicFilter(10, 1e-6), odometers.BasicOdometer(1e-6)):
        restore = reader(made)
        assert made.state()["relations"] == []
        made.spend(tb.Laplace(10))
        made.quote(tb.Laplace(10))
        assert made.state()["relations"] == ["add_remove"]
        assert restore(made.state()).state()["relations"] == ["add_remove"]
        for wrong in (None, "add_remove", [1], {}, ["add_remove", "replace_one"]):
            with pytest.raises(tb.InvalidParameter, match="relations"):
                restore({**made.state(), "relations": wrong})


ENDS: list[Callable[[Any, Any], Any]] = [
    filters.BasicFilter,
    filters.AdvancedFilter,
    filters.SharpenedFilter,
    filters.WhitehouseFilter,
    filters.ZCDPFilter,
    lambda epsilon, delta: filters.RDPFilter(epsilon, delta, orders=[2, "1.000000001", 10**9], or_basic=True),
    filters.GDPFilter,
    lambda epsilon, delta: odometers.LineOdometer(delta),
    lambda epsilon, delta: odometers.RogersOdometer(delta),
    lambda epsilon, delta: odometers.RenyiOdometer(delta, orders=[2, "1.000000001", 10**9]),
]


@pytest.mark.parametrize("delta", ["1e-300", "1e-12", "0.3", "0.999999999999"])
@pytest.mark.parametrize("epsilon", ["1e-40", "1e-12", "1", "1e40"])
@pytest.mark.parametrize("make", ENDS)
def test_states_at_the_ends_come_back(make: Callable[[Any, Any], Any], epsilon: str, delta: str) -> None:
    """Also those of filters that will never admit anything: their caps are below 0."""
    try:
        made = make(epsilon, delta)
    except tb.InvalidParameter:
        return  # there is no such filter
    for part in (0.0, 0.3, 1.0):
        with contextlib.suppress(tb.BudgetRefused):
            made.spend(tb.PureDP(part * float(epsilon)))
        assert reader(made)(json.loads(json.dumps(made.state()))) == made


@pytest.mark.parametrize("step", [1e-3, 1e-5, 1e-40])
@pytest.mark.parametrize("budget", [(1, 1e-6), (0.5, 0.9), (1e-12, 0.3)])
def test_a_residual_filter_that_met_small_steps_comes_back(budget: tuple[float, float], step: float) -> None:
    """They refine its grid, further than one may ask for."""
    made = filters.ResidualFilter(*budget)
    made.spend(tb.PureDP(step * budget[0]))
    assert filters.from_state(json.loads(json.dumps(made.state()))) == made
