"""What odometers accept, refuse, write down and say about themselves."""

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.support.every_odometer import EVERY as MAKERS
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.adaptive.odometers.registry import BY_KIND
from tightbudget.odometers import Sense

o = tb.odometers
KINDS = [make().kind for make in MAKERS]
every = pytest.mark.parametrize("make", mostly_slow(MAKERS, every=2), ids=KINDS)

PROMISES: list[Any] = [
    tb.PureDP(epsilon=0.1),
    tb.PureDP(epsilon=1e-7),
    tb.PureDP(epsilon=3),
    tb.PureDP(epsilon=0),
    tb.PureDP(epsilon=0.25) * 7,
    tb.ApproximateDP(epsilon=0.3, delta=0.001),
    tb.ApproximateDP(epsilon=0, delta=0.0003),
    tb.PureDP(epsilon=0.1) + tb.ApproximateDP(epsilon=0.2, delta=1e-9) * 3,
]
WIDER: list[Any] = [
    tb.GaussianDP(mu=0.1),
    tb.filters.ZCDP(rho="1/3", delta=1e-6),
    tb.filters.RDP([3, 8, 64], [0.01, 0.02, 0.5]),
]


class Twins(RuleBasedStateMachine):
    """One odometer that lives on, one that is written down and read again at any moment: they never differ."""

    @initialize(make=st.sampled_from(MAKERS))
    def begin(self, make: Callable[[], o.Odometer]) -> None:
        self.steady, self.restored = make(), make()

    @rule(step=st.sampled_from(PROMISES))
    def spend(self, step: Any) -> None:
        quoted = self.steady.quote(step)
        assert self.steady.quote(step) == quoted
        assert self.steady.spend(step) == quoted == self.restored.spend(step)

    @rule(step=st.sampled_from([*WIDER, "text", None, 3, math.nan]))
    def attempt(self, step: Any) -> None:
        outcomes = []
        for odometer in (self.steady, self.restored):
            before = odometer.state()
            try:
                outcomes.append(odometer.spend(step))
            except (tb.InvalidParameter, tb.NotationError):
                outcomes.append(None)
                assert odometer.state() == before
        assert outcomes[0] == outcomes[1]

    @rule(step=st.sampled_from(PROMISES))
    def quote(self, step: Any) -> None:
        before = self.restored.state()
        self.restored.quote(step)
        assert self.restored.state() == before

    @rule()
    def write_and_read(self) -> None:
        self.restored = o.from_state(json.loads(json.dumps(self.restored.state())))

    @invariant()
    def alike(self) -> None:
        assert self.steady == self.restored
        assert self.steady.epsilon == self.restored.epsilon
        assert self.steady.sense is self.restored.sense


TestTwins = pytest.mark.slow(Twins.TestCase)
TestTwins.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


@every
def test_nothing_spent_is_nothing_lost(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    # the printed formula (4) has its 1/n^2 even then
    assert (odometer.epsilon == 0.0) is (odometer.kind != "rogers")
    assert odometer.delta in (0.01, 0.02)


@every
def test_running_epsilons_do_not_fall(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    running = [odometer.spend(step) for step in PROMISES[:6] * 9]
    assert all(later >= earlier * (1 - 1e-14) for earlier, later in itertools.pairwise(running))
    assert running[-1] < math.inf


@every
def test_in_which_sense(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    odometer.spend(tb.PureDP(epsilon=1))
    assert odometer.sense is Sense.POINTWISE
    odometer.spend(tb.ApproximateDP(epsilon=1, delta=0.01))
    assert odometer.sense is Sense.FIXED_THRESHOLD
    assert odometer.epsilon < math.inf
    assert odometer.quote(tb.ApproximateDP(epsilon=0, delta=1e-12)) == math.inf


@every
def test_infinite_epsilon(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    assert odometer.spend(tb.PureDP(epsilon=math.inf)) == math.inf
    assert o.from_state(odometer.state()).epsilon == math.inf
    assert odometer.spend(tb.PureDP(epsilon=1)) == math.inf


@every
@pytest.mark.parametrize("step", WIDER, ids=str)
def test_kinds_of_steps(make: Callable[[], o.Odometer], step: Any) -> None:
    odometer = make()
    curve_only = isinstance(step, tb.filters.RDP)
    if odometer.two_sided or (curve_only and odometer.kind != "renyi"):
        before = odometer.state()
        for ask in (odometer.quote, odometer.spend):
            with pytest.raises(tb.InvalidParameter, match="increment is"):
                ask(step)
        assert odometer.state() == before
    else:
        assert 0.0 < odometer.spend(step) < math.inf


def test_a_curve_counts_only_where_it_was_declared() -> None:
    odometer = o.RenyiOdometer("0.02", orders=[2, 100], weights=["1/2", "1/2"])
    answer = odometer.spend(tb.filters.RDP(2, 0.5))
    assert answer == pytest.approx(0.5 + math.log(100), rel=1e-12)
    assert o.from_state(odometer.state()).epsilon == answer
    with pytest.raises(tb.InvalidParameter):
        o.RenyiOdometer("0.02", orders=[100]).spend(tb.filters.RDP(2, 0.5))


@pytest.mark.parametrize(
    "build",
    [
        lambda: o.BasicOdometer(-0.1),
        lambda: o.BasicOdometer(1.5),
        lambda: o.BasicOdometer(math.nan),
        lambda: o.MixtureOdometer(0),
        lambda: o.MixtureOdometer(1),
        lambda: o.MixtureOdometer("x"),
        lambda: o.MixtureOdometer(0.1, delta_for_steps=0.1),
        lambda: o.MixtureOdometer(0.1, gamma=0),
        lambda: o.MixtureOdometer(0.1, tight_at=-1),
        lambda: o.LineOdometer(0.1, tight_at=math.inf),
        lambda: o.StitchedOdometer(0.1, start=0),
        lambda: o.RogersOdometer(0.1, n=1),
        lambda: o.RogersOdometer(0.1, n=2.5),
        lambda: o.RogersOdometer(2, n=10),
        lambda: o.RenyiOdometer(0.1, orders=[]),
        lambda: o.RenyiOdometer(0.1, orders=[1]),
        lambda: o.RenyiOdometer(0.1, orders=["1.0000000001"]),
        lambda: o.RenyiOdometer(0.1, orders=[2, "1000000001"]),
        lambda: o.RenyiOdometer(0.1, orders=["1e500"]),
        lambda: o.RenyiOdometer(0.1, orders=[2, 2]),
        lambda: o.RenyiOdometer(0.1, orders=2),
        lambda: o.RenyiOdometer(0.1, orders=[2, 3], weights=[0.5, 0.6]),
        lambda: o.RenyiOdometer(0.1, orders=[2, 3], weights=[1]),
        lambda: o.RenyiOdometer(0.1, orders=[2, 3], weights=[1, 0]),
        lambda: o.variance_at(0, 0.1),
        lambda: o.variance_at(1, 1),
    ],
)
def test_bad_parameters(build: Callable[[], object]) -> None:
    with pytest.raises(tb.InvalidParameter):
        build()


# what rounding has lost is a small part of the sum, and never more than it
FORGED = [[pair] * 4 for pair in (["0x1p+0", "-0x1p+0"], ["0x1p+0", "-0x1p-9"], ["0x0p+0", "-0x1p-1074"], ["0x1p+0", "0x1p+3"])]


@every
def test_bad_states(make: Callable[[], o.Odometer]) -> None:
    good = make().state()
    bad: list[Any] = [
        None,
        [],
        {},
        {**good, "version": 1},
        {**good, "version": 4},
        {**good, "version": True},
        {**good, "version": 2.0},
        {**good, "kind": "other"},
        {**good, "kind": ["basic"]},
        {**good, "extra": 1},
        {**good, "delta": "nan"},
        {**good, "spent": None},
        {**good, "spent": {}},
        {**good, "spent": {**good["spent"], "delta": "-1"}},
        {**good, "spent": {**good["spent"], "epsilon": "soon"}},
        {**good, "spent": {**good["spent"], "more": "0"}},
    ]
    if "renyi" in good["spent"]:
        for pairs in (None, "0", [], [["0x0p+0", "nan"]] * 4, [["-0x1p+0", "0x0p+0"]] * 4, [["0x0p+0"]] * 4, *FORGED):
            bad.append({**good, "spent": {**good["spent"], "renyi": pairs}})
    for state in bad:
        with pytest.raises(tb.InvalidParameter):
            o.from_state(state)


def test_a_variance_for_an_expected_epsilon() -> None:
    for epsilon, delta in ((0.1, 1e-6), (1, 1e-9), (30, 0.1)):
        v = o.variance_at(epsilon, delta)
        assert v / 2 + math.sqrt(2 * v * math.log(1 / delta)) == pytest.approx(epsilon, rel=1e-12)
        # there the line is as good as a filter
        odometer = o.LineOdometer(delta, tight_at=v)
        assert odometer.quote(tb.filters.ZCDP(v / 2)) == pytest.approx(epsilon, rel=1e-9)


@every
@pytest.mark.parametrize(
    ("step", "has_epsilon", "has_rho"),
    [
        (tb.Laplace(scale=10), True, True),
        (tb.RandomizedResponse(p=0.6), True, True),
        (tb.Gaussian(sigma=10), False, True),
        (tb.Gaussian(sigma=5) * 3 + tb.Laplace(scale=20), False, True),
        (tb.TruncatedGaussian(sigma=1, bound=5), False, False),
    ],
    ids=str,
)
def test_mechanisms_of_the_engine(make: Callable[[], o.Odometer], step: Any, has_epsilon: bool, has_rho: bool) -> None:
    odometer = make()
    if has_epsilon or (has_rho and not odometer.two_sided):
        # no odometer undercuts what the mechanism needs at the same delta when nothing is adaptive
        needed = step.epsilon(delta=odometer.delta).lower
        assert needed <= odometer.spend(step) < math.inf
    else:
        with pytest.raises(tb.InvalidParameter):
            odometer.spend(step)


@pytest.mark.slow
@every
def test_states_stay_short(make: Callable[[], o.Odometer]) -> None:
    """Many unlike fractions have a sum of endless digits; it is rounded up long before."""
    odometer = make()
    exact = Fraction(0)
    for n in range(3, 1500, 2):
        exact += Fraction(1, n)
        epsilon = odometer.spend(tb.PureDP(epsilon=Fraction(1, n)))
    odometer.spend(tb.PureDP(epsilon=1e-300))
    assert exact.denominator > 2**1000
    assert len(json.dumps(odometer.state())) < 5000
    assert o.from_state(odometer.state()) == odometer
    if odometer.kind == "basic":
        assert float(exact) <= epsilon <= float(exact) * (1 + 1e-15)


@every
def test_more_than_any_float(make: Callable[[], o.Odometer]) -> None:
    odometer = make()
    for step in (tb.PureDP(epsilon=1e308), tb.PureDP(epsilon=1e308), tb.PureDP(epsilon=math.inf), tb.PureDP(epsilon=1)):
        epsilon = odometer.spend(step)
    assert epsilon == math.inf
    assert o.from_state(odometer.state()) == odometer


@every
def test_a_step_that_cannot_be_read_is_not_spent(make: Callable[[], o.Odometer], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> float:
        raise ArithmeticError("no answer")

    odometer = make()
    odometer.spend(tb.PureDP(0.1))
    before = odometer.state()
    with monkeypatch.context() as patch:
        patch.setattr(odometer, "_bound", fail)
        with pytest.raises(ArithmeticError, match="no answer"):
            odometer.spend(tb.PureDP(0.1))
    assert odometer.state() == before


@pytest.mark.parametrize("kind", ["line", "mixture", "one_sided_mixture", "stitched", "renyi"])
@pytest.mark.parametrize("step", ["0.3", "0.9999999999999", "0.9999999999999999999"])
def test_deltas_near_one(kind: str, step: str) -> None:
    """A step that fails with probability d may have a mean larger by ln(1/(1-d)): 1 - d is what counts (M16)."""
    make: Any = BY_KIND[kind]
    delta, for_steps = "0.99999999999999999999", "0.9999999999999999999"

    def loss(failing: str) -> float:
        odometer = make(delta, delta_for_steps=for_steps)
        odometer._restore({**odometer._written(), "delta": failing, "epsilon": "inf"})
        return float(odometer.epsilon)

    with mpmath.workdps(60):
        excess = mpmath.log(1 / (1 - mpmath.mpf(step)))
        assert abs(loss(step) - loss("0") - excess) <= mpmath.mpf("1e-12")


def test_steps_that_nearly_surely_fail() -> None:
    mixture = o.MixtureOdometer("0.99999999999999999999", delta_for_steps="0.9999999999999999999")
    assert 0.1 <= mixture.spend(tb.ApproximateDP(0.1, 0.9999999999999999)) < math.inf
    stitched = o.StitchedOdometer("0.99999999999999999999", delta_for_steps="0.9999999999999999999")
    assert math.log(1e19) < stitched.spend(tb.filters.ZCDP(0.1, "0.9999999999999999999")) < math.inf


@pytest.mark.slow
def test_long_sums_of_divergences_are_read_back() -> None:
    odometer = o.RenyiOdometer("0.02", orders=[2, 3])
    for k in range(2000):
        odometer.spend(tb.PureDP(1 / (k + 1)))
        assert k % 100 or o.from_state(json.loads(json.dumps(odometer.state()))) == odometer
    tiny = o.RenyiOdometer("0.02", orders=["1.000000001", 10**9])
    for epsilon in (0, 1e-170, 1e-160, 1e-3, 1e9):
        tiny.spend(tb.PureDP(epsilon))
        assert o.from_state(tiny.state()) == tiny
