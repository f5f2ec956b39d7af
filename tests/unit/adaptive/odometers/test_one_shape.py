"""The verbs that odometers share with filters, for every kind there is and for one that is made here."""

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.every_odometer import EVERY as MAKERS

import tightbudget as tb
from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import binary_up, show
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.odometers.base import Sums
from tightbudget.adaptive.odometers.boundaries import line_boundary
from tightbudget.adaptive.odometers.concentration import ConcentrationOdometer
from tightbudget.adaptive.odometers.registry import ALL, BY_KIND
from tightbudget.adaptive.states import State

o = tb.odometers
every = pytest.mark.parametrize("make", MAKERS, ids=[make().kind for make in MAKERS])


def spent_one_by_one(odometer: o.Odometer, step: Increment, epsilon: Any) -> int:
    count = 0
    while odometer.spend(step) <= epsilon:
        count += 1
    return count


@pytest.mark.slow
@every
@settings(max_examples=12, deadline=None)
@given(
    step=st.sampled_from([0.01, 0.03, Fraction(1, 7), 0.25, 2]),
    before=st.integers(0, 5),
    epsilon=st.sampled_from([0.3, 1, 2.5, 4]),
)
def test_as_many_steps_remain_as_can_be_spent(make: Callable[[], o.Odometer], step: Any, before: int, epsilon: float) -> None:
    odometer = make()
    for _ in range(before):
        odometer.spend(tb.PureDP(0.05))
    state = odometer.state()
    count = odometer.remaining(tb.PureDP(step), epsilon=epsilon)
    assert odometer.state() == state
    assert count == spent_one_by_one(odometer, tb.PureDP(step), epsilon)


def test_typed_numbers_are_met_exactly() -> None:
    odometer = o.BasicOdometer(1e-6)
    assert odometer.remaining(tb.PureDP(0.1), epsilon=1) == 10
    assert odometer.remaining(tb.PureDP(0.1), epsilon="0.3") == odometer.remaining(tb.PureDP(0.1), epsilon=0.3) == 3
    assert odometer.remaining(tb.PureDP(0.25), epsilon=Fraction(3, 4)) == 3
    assert odometer.remaining(tb.PureDP(0), epsilon=0) == 2**53
    assert odometer.remaining(tb.ApproximateDP(0, 1e-7), epsilon=0) == 10
    odometer.spend(tb.PureDP(1))
    assert odometer.remaining(tb.PureDP(0), epsilon=0.999) == 0


@every
def test_what_cannot_be_asked(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    for epsilon in (-1, math.nan, math.inf, None, "x"):
        with pytest.raises(tb.InvalidParameter, match="epsilon"):
            odometer.remaining(tb.PureDP(0.1), epsilon=epsilon)
    with pytest.raises(tb.InvalidParameter, match="increment"):
        odometer.remaining(0.1, epsilon=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_bound_that_falls_has_been_above(n: int) -> None:
    """Below n = 8 the bound of Rogers et al. falls where the sum of squares exceeds 1."""
    odometer, step = o.RogersOdometer(0.05, n=n), tb.PureDP(0.1)
    at_one, beyond = odometer.quote(step * 100), odometer.quote(step * 101)
    assert beyond < 0.98 * at_one
    for epsilon in (0.999 * at_one, 0.5 * (at_one + beyond), at_one, 1.5 * at_one):
        count = odometer.remaining(step, epsilon=epsilon)
        assert (count < 100) == (epsilon < at_one)
        assert count == spent_one_by_one(o.RogersOdometer(0.05, n=n), step, epsilon)


@every
def test_what_was_spent_by_name(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    assert not any(odometer.spent.values())
    odometer.spend(tb.PureDP(0.3))
    odometer.spend(tb.ApproximateDP(0.2, 0.005))
    spent = odometer.spent
    assert spent["epsilon"] == Fraction(1, 2)
    assert spent["delta"] == Fraction("0.005")
    assert all(amount > 0 for amount in spent.values())
    if isinstance(odometer, o.RenyiOdometer):
        assert list(spent) == ["order 4/3", "order 2", "order 5.5", "order 30", "delta", "epsilon"]
        values = list(spent.values())[:4]
        assert all(low < high for low, high in itertools.pairwise(values))  # divergences grow with the order
    else:
        assert tuple(spent) == odometer.sums
    spent.clear()
    assert odometer.spent


@every
def test_states_are_read_by_their_own_kind(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    odometer.spend(tb.PureDP(0.1))
    state = json.loads(json.dumps(odometer.state()))
    assert type(odometer).from_state(state) == odometer
    for other in ALL:
        if other is not type(odometer):
            with pytest.raises(tb.InvalidParameter, match="kind"):
                other.from_state(state)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lambda: o.RogersOdometer(0.02, 50), lambda: o.RogersOdometer(0.02, n=50)),
        (lambda: o.LineOdometer(0.02, 0.01, 3), lambda: o.LineOdometer(0.02, delta_for_steps=0.01, tight_at=3)),
        (lambda: o.MixtureOdometer(0.02, 0.01, 3), lambda: o.MixtureOdometer(0.02, delta_for_steps=0.01, tight_at=3)),
        (lambda: o.OneSidedMixtureOdometer(0.02, 0, 1, 5), lambda: o.OneSidedMixtureOdometer(0.02, gamma=5)),
        (lambda: o.StitchedOdometer(0.02, 0, 3), lambda: o.StitchedOdometer(0.02, start=3)),
        (lambda: o.RenyiOdometer(0.02, 0.01, [2]), lambda: o.RenyiOdometer(0.02, delta_for_steps=0.01, orders=[2])),
    ],
)
def test_arguments_by_position_work_for_one_version_more(old: Callable[[], o.Odometer], new: Callable[[], o.Odometer]) -> None:
    with pytest.warns(DeprecationWarning, match="by position"):
        made = old()
    assert made == new()


class TwoLinesOdometer(ConcentrationOdometer):
    """The lower of two lines, each at half of the delta: three hooks, and nothing else."""

    kind: ClassVar[str] = "two_lines"
    sums: ClassVar[tuple[str, ...]] = ("rho", "delta", "epsilon")
    two_sided: ClassVar[bool] = False

    def __init__(self, delta: Any, *, delta_for_steps: Any = 0, apart: Any = 10, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)
        self._apart = Fraction(apart)

    def _price(self, increment: Increment) -> Sums:
        rho, delta, epsilon = prices.zcdp_price(increment)
        return {"rho": rho, "delta": delta, "epsilon": epsilon}

    def _bound(self, sums: Sums) -> float:
        drift, half = binary_up(sums["rho"]), self._level + 0.6931471805599454
        return drift + min(line_boundary(2.0 * drift, half, 0.1), line_boundary(2.0 * drift, half, 0.1 * float(self._apart)))

    def _settings(self) -> State:
        return {**super()._settings(), "apart": show(self._apart)}


def test_a_new_odometer_is_three_hooks_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BY_KIND, TwoLinesOdometer.kind, TwoLinesOdometer)
    odometer, step = TwoLinesOdometer(1e-6, apart=20), tb.Gaussian(sigma=20)
    count = odometer.remaining(step, epsilon=2)
    assert 10 < count < 1000
    for _ in range(count):
        assert odometer.quote(step) == odometer.spend(step) <= 2
    assert odometer.quote(step) > 2
    assert odometer.remaining(step, epsilon=2) == 0
    assert odometer.spent["rho"] == Fraction(count, 800)
    assert o.from_state(json.loads(json.dumps(odometer.state()))) == odometer
    assert TwoLinesOdometer.from_state(odometer.state()).epsilon == odometer.epsilon
