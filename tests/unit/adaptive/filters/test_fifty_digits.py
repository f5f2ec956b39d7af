"""What the package admits, fifty-digit arithmetic of the theorem admits; and it gives away next to nothing."""

import random
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import pytest
from tests.support import filter_truth as truth

import tightbudget as tb
from tightbudget.adaptive.amounts import exact
from tightbudget.adaptive.filters.thresholds import least_order, most_mu, most_rho, most_squares, renyi_budget
from tightbudget.filters import AdvancedFilter, Filter, GDPFilter, RDPFilter, SharpenedFilter, WhitehouseFilter, ZCDPFilter

Truth = Callable[[list[Fraction], Fraction, Fraction], bool]


def order_for(epsilon: str | Fraction, delta: str | Fraction) -> Fraction:
    """An order with a budget of its own."""
    least = least_order(exact("epsilon", epsilon), exact("delta", delta))
    assert least is not None
    return 1 + 2 * (least - 1)


KINDS: dict[str, tuple[Callable[[str, str], Filter], Truth]] = {
    "advanced": (AdvancedFilter, truth.advanced),
    "sharpened": (SharpenedFilter, truth.sharpened),
    "whitehouse": (WhitehouseFilter, truth.whitehouse),
    "zcdp": (ZCDPFilter, truth.zcdp),
    "rdp": (lambda e, d: RDPFilter(e, d, orders=order_for(e, d)), lambda s, e, d: truth.renyi(s, e, d, order_for(e, d))),
    "gdp": (GDPFilter, truth.gdp),
}
BUDGETS = [("1", "1e-6"), ("0.1", "1e-9"), ("8", "1e-2"), ("1e-5", "1e-12"), ("1/3", "3/1000")]


def exhaust(budget: Filter, source: random.Random) -> list[Fraction]:
    """Spend random steps, then the largest float that still fits; return all of them."""
    steps = list[float]()
    while len(steps) < 6:
        step = budget.epsilon * 10 ** source.uniform(-3, -1.3)
        if budget.quote(tb.PureDP(step)):
            budget.spend(tb.PureDP(step))
            steps.append(step)
    low, high = 0.0, 2.0 * budget.epsilon
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if budget.quote(tb.PureDP(middle)) else (low, middle)
    budget.spend(tb.PureDP(low))
    return [exact("step", step) for step in [*steps, low]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_last_step_that_fits_fits_in_fifty_digits(kind: str, epsilon: str, delta: str) -> None:
    make, admits = KINDS[kind]
    e, d = exact("epsilon", epsilon), exact("delta", delta)
    for seed in range(2):
        budget = make(epsilon, delta)
        steps = exhaust(budget, random.Random(f"{kind} {seed}"))
        assert admits(steps, e, d)
        # what rounding gives away is less than a billionth of the whole; for the difference of two normal tails a
        # millionth
        given_away = sum(steps) / 10 ** (6 if kind == "gdp" else 9)
        assert not admits([*steps[:-1], steps[-1] + given_away], e, d)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_budgets_are_rounded_down(epsilon: str, delta: str) -> None:
    e, d = exact("epsilon", epsilon), exact("delta", delta)
    with mp.workdps(120):
        x, y = truth.number(e), truth.number(d)
        squares = truth.number(most_squares(e, d))
        bound = mp.sqrt(2 * mp.log(1 / y) * squares) + squares / 2
        assert x * (1 - mp.mpf("1e-39")) < bound <= x
        for order in (Fraction(11, 10), Fraction(2), Fraction(100), 1 + Fraction(1, 10**9), Fraction(10**9)):
            a = truth.number(order)
            reached = truth.renyi_delta(a, truth.number(renyi_budget(order, e, d)), x)
            assert reached <= y
            assert mp.log(y / reached) < mp.mpf("1e-27") * (1 + a)
        rho = truth.number(most_rho(e, d))
        orders = [1 + mp.mpf(2) ** k for k in range(-20, 30)]
        assert min(truth.renyi_delta(a, a * rho, x) for a in orders) >= y * (1 - mp.mpf("1e-12"))
        mu = mp.mpf(most_mu(e, d))
        assert truth.gaussian_delta(mu, x) <= y < truth.gaussian_delta(mu * (1 + mp.mpf("1e-6")), x)


@pytest.mark.parametrize("epsilon", ["1e-12", "0.001", "0.3", "5", "80"])
@pytest.mark.parametrize("order", ["1.000001", "1.5", "8", "1000"])
def test_divergence_of_a_pure_step_is_rounded_up(epsilon: str, order: str) -> None:
    from tightbudget.adaptive.prices import pure_renyi

    e, a = exact("epsilon", epsilon), exact("order", order)
    with mp.workdps(80):
        value = truth.pure_renyi(truth.number(e), truth.number(a))
        ours = pure_renyi(e, a)
        assert isinstance(ours, Fraction)
        assert value <= truth.number(ours) <= value * (1 + mp.mpf("1e-11"))


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-12", "0.001", "0.3", "5", "80", "600"])
def test_drifts_are_rounded_up(epsilon: str) -> None:
    from tightbudget.adaptive.prices import TICKS, exact_drift, printed_drift

    step = tb.PureDP(float(epsilon))
    with mp.workdps(80):
        e = truth.number(exact("epsilon", epsilon))
        for price, drift in ((exact_drift, e * mp.tanh(e / 2)), (printed_drift, e * mp.expm1(e) / 2)):
            ours = mp.mpf(price(step)[0]) / TICKS
            assert drift <= ours <= drift * (1 + mp.mpf("1e-12")) + mp.mpf(1) / TICKS
            squares = mp.mpf(price(step)[1]) / TICKS
            assert e**2 <= squares <= e**2 * (1 + mp.mpf("1e-30")) + mp.mpf(1) / TICKS


@pytest.mark.parametrize("delta", ["0.3", "4999/5000", "0.999999999", "0.9999999999998", "0.99999999999999999999"])
@pytest.mark.parametrize("beta", ["0.01", "1", "1e9", "1e20"])
@pytest.mark.parametrize("for_steps", ["0", "1e-21"])
def test_the_sharpened_boundary_near_certainty(delta: str, beta: str, for_steps: str) -> None:
    """1 - delta' is what counts there, and a float has lost it."""
    quote = SharpenedFilter("1.2", delta, delta_for_steps=for_steps, beta=beta).quote(tb.PureDP(0.5))
    with mp.workdps(60):
        tail, b, e = truth.number(exact("delta", delta) - exact("delta", for_steps)), mp.mpf(beta), mp.mpf("0.5")
        used = e * mp.tanh(e / 2) + mp.sqrt((e**2 + b) * (2 * mp.log(1 / tail) + mp.log1p(e**2 / b)))
        assert used <= mp.mpf(quote.used) <= used * (1 + mp.mpf("1e-13"))
        assert quote.accepted == (used <= mp.mpf("1.2"))


@pytest.mark.parametrize("gap", ["1e-320", "1e-300", "1e-20", "2e-13", "1e-9", "0.0002", "0.4999", "0.5", "0.51", "0.999"])
def test_logarithms_of_probabilities_round_up(gap: str) -> None:
    from tightbudget.numerics.logs import log_reciprocal

    with mp.workdps(800):
        value = -mp.log1p(-mp.mpf(gap))
        assert value <= mp.mpf(log_reciprocal(1 - Fraction(gap))) <= value * (1 + mp.mpf("1e-14")) + mp.mpf("1e-322")
