"""zcdp and rdp are one class each, wherever a step may stand: compositions, filters, odometers, the accountant."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.adaptive import prices


def test_there_is_one_class_of_each() -> None:
    assert tb.filters.ZCDP is tb.ZCDP
    assert tb.filters.RDP is tb.RDP
    assert tb.filters.parse_increment("zcdp(rho=0.1)") == tb.parse("zcdp(rho=0.1)") == tb.ZCDP(0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [tb.ZCDP(1e-4), tb.ZCDP("1/3000", 1e-9), tb.RDP((4, 16), (1e-4, 1e-3)), tb.ZCDP(1e-4) * 2 + tb.Gaussian(50)],
    ids=str,
)
def test_a_promise_works_wherever_a_step_may_stand(step: tb.Mechanism | tb.Composition) -> None:
    assert 0.0 <= step.epsilon(1e-6).lower <= step.epsilon(1e-6).upper < 1.0
    assert tb.filters.RDPFilter(1, 1e-6, orders=16, delta_for_steps=1e-7).spend(step).accepted
    assert str(step) in tb.filters.ResidualFilter(1, 1e-6).quote(step).reason
    assert tb.filters.SlotFilter(1, 1e-6, plan=step * 3).remaining(step) == 3
    assert tb.odometers.RenyiOdometer(1e-6, orders=[4, 16]).spend(step) > 0
    assert tb.compare(step, delta=1e-6).rows[0].value == step.epsilon(1e-6).upper
    accountant = tb.Accountant()
    accountant.step(step, count=5)
    assert accountant.epsilon(1e-6).upper == (step * 5).epsilon(1e-6).upper
    assert tb.Accountant.from_state(accountant.state()).epsilon(1e-6) == accountant.epsilon(1e-6)
    for again in (pickle.loads(pickle.dumps(step)), copy.deepcopy(step), tb.parse(str(step))):
        assert again == step


def test_filters_add_up_what_was_typed() -> None:
    assert prices.zcdp_price(tb.ZCDP("1/3") * 3)[0] == 1
    assert prices.renyi_price(tb.RDP(8, 0.1) * 10, (Fraction(8),))[0] == 1
    assert prices.zcdp_price(tb.ZCDP(0.1, 1e-9) + tb.PureDP(0))[:2] == (Fraction(1, 10), Fraction(1, 10**9))


@pytest.mark.parametrize(
    "value", ["0.125", Fraction(1, 8), Decimal("0.125"), np.float64(0.125), np.float32(0.125), np.array(0.125)]
)
def test_a_number_may_be_given_in_many_ways(value: Any) -> None:
    assert tb.ZCDP(value) == tb.ZCDP(0.125)
    assert tb.RDP(8, value) == tb.RDP([8], (0.125,)) == tb.RDP((n for n in (8,)), np.array([0.125]))


def test_old_spellings_are_read() -> None:
    new = tb.RDP(alpha=(2, 4), epsilon=(0.1, "1/3"))
    assert tb.parse('rdp(order=[2, 4], value=[0.1, "1/3"])') == new
    with pytest.warns(DeprecationWarning, match="write alpha="):
        assert tb.RDP(orders=(2, 4), epsilon=(0.1, "1/3")) == new
    with pytest.warns(DeprecationWarning, match="write epsilon="):
        assert tb.filters.RDP((2, 4), values=(0.1, "1/3")) == new
    assert (new.orders, new.values) == (new.alpha, new.divergences)
    assert str(new) == 'rdp(alpha=[2, 4], epsilon=[0.1, "1/3"])'
    assert repr(tb.RDP(8, 0.02, delta=1e-9)) == "RDP(alpha=8, epsilon=0.02, delta=1e-09)"


@pytest.mark.parametrize("bad", [-1, "x", float("nan"), float("inf"), True, None, [0.1], "1e5000", 1j])
def test_what_is_no_number_is_refused(bad: Any) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.ZCDP(bad)
    with pytest.raises(tb.InvalidParameter):
        tb.ZCDP(0.1, delta=bad)
    with pytest.raises(tb.InvalidParameter):
        tb.RDP(2, [bad])
    with pytest.raises(tb.InvalidParameter):
        tb.ZCDP(0.1, delta=1.5)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0, 30.0])
def test_normal_noise_that_may_show_everything_stays_within_its_promise(count: int, epsilon: float) -> None:
    rho, delta = 0.25, 1e-4
    upper = (tb.ZCDP(rho, delta) * count).delta(epsilon).upper
    with mpmath.workdps(40):
        mu, kept = mpmath.sqrt(2 * rho * count), (1 - mpf(delta)) ** count
        gaussian = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
        assert 1 - kept + kept * gaussian <= upper
    assert upper <= (tb.ZCDP(rho) * count).delta(epsilon).upper * (1 + 1e-3) + count * delta * (1 + 1e-9)


def test_what_may_show_everything_has_no_finite_moments() -> None:
    step = tb.ZCDP(0.1, 1e-9)
    assert tb.divergences.zcdp(step) == np.inf
    assert np.isinf(tb.divergences.renyi(step, [2.0, 8.0])).all()
    assert tb.ZCDP(0, 0.5).delta(3.0).upper == 0.5
    assert tb.ZCDP(0.1, 1).delta(3.0).upper == 1.0


def test_a_slot_of_zcdp_holds_what_keeps_the_promise() -> None:
    slot = tb.ZCDP(0.02)
    for step in (tb.ZCDP(0.019), tb.Gaussian(sigma=5.001), tb.PureDP(0.19)):
        assert slot.dominates(step)
    for step in (tb.ZCDP(0.021), tb.Gaussian(sigma=4.999), tb.ZCDP(0.019, 1e-12), tb.RDP(1000, 0.01)):
        assert not slot.dominates(step)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rho", [60, 150, 300, 500, 2000])
def test_large_promises_have_sound_pairs(rho: float) -> None:
    """Dots at the two ends of a profile were once so far apart that no float held the slope between them."""
    answer = tb.ZCDP(rho).delta(rho)
    assert tb.GaussianDP(float(np.sqrt(2 * rho)) * (1 - 1e-9)).delta(rho).lower <= answer.upper <= 1.0
