"""Each theorem's formula, at given promises, against 50 digits: rounded up, and only a little."""

from collections.abc import Callable, Sequence

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow
from tests.support.promise_truth import optimal_delta

import tightbudget as tb
from tightbudget.classic import adaptive, advanced, heterogeneous, kov, kov_simple, murtagh_vadhan, naive
from tightbudget.classic.bound import PromiseBound
from tightbudget.classic.failure_probability import slack_left
from tightbudget.classic.murtagh_vadhan import composition_of_promises
from tightbudget.classic.promises import Promises

Promise = tuple[float, float, int]  # epsilon, delta, count
EQUAL: list[list[Promise]] = [
    [(0.1, 0.0, 100)],
    [(0.02, 1e-9, 1000)],
    [(1.5, 1e-4, 3)],
    [(1e-5, 1e-12, 10**6)],
    [(0.0, 1e-3, 7)],
]
MIXED: list[list[Promise]] = [[(0.1, 0.0, 10), (0.3, 1e-7, 5)], [(0.01, 1e-8, 400), (0.5, 0.0, 2), (0.2, 1e-3, 1)]]


def mp(value: float) -> mpf:
    return mpf(value)


def summed(steps: Sequence[Promise]) -> mpf:
    return mpmath.fsum(mp(d) * n for _, d, n in steps)


def survival(steps: Sequence[Promise]) -> mpf:
    return mpmath.fprod((1 - mp(d)) ** n for _, d, n in steps)


def spent(steps: Sequence[Promise]) -> mpf:
    return mpmath.fsum(mp(e) * n for e, _, n in steps)


def squares(steps: Sequence[Promise]) -> mpf:
    return mpmath.fsum(mp(e) ** 2 * n for e, _, n in steps)


def tail(drift: mpf, variance: mpf, slack: mpf) -> mpf:
    return drift + mpmath.sqrt(2 * variance * mpmath.log(1 / slack))


def chance(drift: mpf, variance: mpf, epsilon: mpf) -> mpf:
    if variance == 0:
        return mpf(0)
    return mpmath.exp(-((epsilon - drift) ** 2) / (2 * variance)) if epsilon >= drift else mpf("inf")


def drv(steps: Sequence[Promise]) -> mpf:
    return mpmath.fsum(mp(e) * mpmath.expm1(mp(e)) * n for e, _, n in steps)


def kl(steps: Sequence[Promise]) -> mpf:
    return mpmath.fsum(mp(e) * mpmath.expm1(mp(e)) / (mpmath.exp(mp(e)) + 1) * n for e, _, n in steps)


def kov_epsilon(steps: Sequence[Promise], delta: mpf) -> mpf:
    slack, v, s = 1 - (1 - delta) / survival(steps), squares(steps), kl(steps)
    if slack < 0:
        return mpf("inf")
    if slack == 0 or v == 0:
        return spent(steps)
    return min(spent(steps), tail(s, v, slack), s + mpmath.sqrt(2 * v * mpmath.log(mpmath.e + mpmath.sqrt(v) / slack)))


def kov_delta(steps: Sequence[Promise], epsilon: mpf) -> mpf:
    v, s = squares(steps), kl(steps)
    slack = chance(s, v, epsilon)
    if v > 0 and epsilon > s and (epsilon - s) ** 2 / (2 * v) > mpf("1.01"):
        slack = min(slack, mpmath.sqrt(v) / (mpmath.exp((epsilon - s) ** 2 / (2 * v)) - mpmath.e))
    if spent(steps) <= epsilon:
        slack = mpf(0)
    return 1 - (1 - min(slack, mpf(1))) * survival(steps)


Law = Callable[[Sequence[Promise], mpf], mpf]
LAWS: dict[str, tuple[PromiseBound, Law, Law]] = {
    "naive": (
        naive,
        lambda s, d: spent(s) if summed(s) <= d else mpf("inf"),
        lambda s, e: summed(s) if spent(s) <= e else mpf("inf"),
    ),
    "adaptive": (
        adaptive,
        lambda s, d: spent(s) if 1 - survival(s) <= d else mpf("inf"),
        lambda s, e: 1 - survival(s) if spent(s) <= e else mpf("inf"),
    ),
    "advanced": (
        advanced,
        lambda s, d: tail(drv(s), squares(s), d - summed(s)) if d > summed(s) else mpf("inf"),
        lambda s, e: summed(s) + chance(drv(s), squares(s), e),
    ),
    "heterogeneous": (
        heterogeneous,
        lambda s, d: tail(squares(s) / 2, squares(s), d - summed(s)) if d > summed(s) else mpf("inf"),
        lambda s, e: summed(s) + chance(squares(s) / 2, squares(s), e),
    ),
    "kov_simple": (kov_simple, kov_epsilon, kov_delta),
}


def arrays(steps: Sequence[Promise]) -> tuple[Promises, np.ndarray, np.ndarray]:
    # the mechanisms only bring the counts; the promises are given
    composed = tb.compose([tb.Laplace(scale=1.0 + place) * n for place, (_, _, n) in enumerate(steps)])
    return Promises(composed), np.array([[e for e, _, _ in steps]]), np.array([[d for _, d, _ in steps]])


def agrees(found: float, truth: mpf) -> bool:
    if truth == 1 or mpmath.isinf(truth):  # the theorem says nothing
        return found == float("inf")
    return truth <= mpf(found) <= truth * (1 + mpf("1e-8")) + mpf("3e-300")


# advanced composition is a theorem on equal steps
ASKED = [(name, steps) for name in LAWS for steps in EQUAL + MIXED if name != "advanced" or len(steps) == 1]


@pytest.mark.parametrize(("name", "steps"), ASKED)
@pytest.mark.parametrize("delta", mostly_slow([1e-9, 1e-5, 3e-3, 0.4], every=3, first=1))
def test_epsilon(name: str, steps: list[Promise], delta: float) -> None:
    bound, law, _ = LAWS[name]
    with mpmath.workdps(50):
        found = float(bound.epsilon_formula(*arrays(steps), delta)[0])
        assert agrees(found, law(steps, mpf(delta)))


@pytest.mark.parametrize(("name", "steps"), ASKED)
@pytest.mark.parametrize("epsilon", mostly_slow([0.0, 0.3, 2.0, 7.7, 60.0], every=3, first=1))
def test_delta(name: str, steps: list[Promise], epsilon: float) -> None:
    bound, _, law = LAWS[name]
    with mpmath.workdps(50):
        found = float(bound.delta_formula(*arrays(steps), epsilon)[0])
        assert agrees(found, law(steps, mpf(epsilon)))


UNLIKE = [(0.1, 1e-6), (0.5, 1e-3), (0.2, 0.0), (1.1, 1e-9)]
PROMISED = [(name, given) for name in LAWS for given in ([(0.3, 0.0)] * 6, UNLIKE, [(2.0, 0.01)] * 3)]


@pytest.mark.parametrize(("name", "promises"), [case for case in PROMISED if case != ("advanced", UNLIKE)])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.3, 1.8, 2.5])
def test_no_theorem_is_below_the_optimum(name: str, promises: list[tuple[float, float]], epsilon: float) -> None:
    """The theorems as stated, not only our reading of them: the sum over all outcomes is never larger."""
    bound, _, _ = LAWS[name]
    counted = {promise: promises.count(promise) for promise in promises}
    given = arrays([(e, d, n) for (e, d), n in counted.items()])
    truth = optimal_delta(promises, epsilon)
    assert truth <= mpf(float(bound.delta_formula(*given, epsilon)[0]))
    delta = float(truth) * (1 + 1e-12)
    if 0.0 < delta < 1.0:
        found = float(bound.epsilon_formula(*given, delta)[0])
        assert found == float("inf") or optimal_delta(promises, found) <= mpf(delta)


@pytest.mark.parametrize("steps", EQUAL + MIXED)
@pytest.mark.parametrize("margin", [1e-14, 1e-10, 1e-6, 1.0, 100.0])
def test_the_slack_that_promises_leave(steps: list[Promise], margin: float) -> None:
    """Also where nearly all of delta is used up and what is left is a small difference."""
    with mpmath.workdps(60):
        delta = min(float((1 - survival(steps)) * (1 + mpf(margin))), 0.9) or 1e-9 * margin
        promises, _, deltas = arrays(steps)
        found = float(slack_left(promises, deltas, delta)[0])
        truth = 1 - (1 - mpf(delta)) / survival(steps)
        assert mpf(found) <= truth
        if margin >= 1e-6:
            assert mpf(found) >= truth * (1 - mpf("1e-4"))


PROMISE_SETS = [
    [(0.3, 0.0), (0.3, 0.0), (0.7, 0.0), (1.2, 0.0)],
    [(0.1, 1e-6), (0.5, 1e-3), (0.2, 0.0), (1.1, 1e-9), (0.05, 0.0)],
    [(0.1 + 0.07 * i, 10.0 ** -(3 + i)) for i in range(9)],
    [(0.01, 0.2), (3.0, 0.0)],
]


@pytest.mark.slow
@pytest.mark.parametrize("promises", PROMISE_SETS)
@pytest.mark.parametrize("part", mostly_slow([0.0, 0.1, 0.4, 0.8], every=4, first=1))
def test_the_optimum_for_different_promises_is_bracketed(promises: list[tuple[float, float]], part: float) -> None:
    composed = tb.compose([tb.ApproximateDP(e, d) for e, d in promises])
    epsilon = part * sum(e for e, _ in promises)
    given = composition_of_promises(promises, [1] * len(promises)).delta(epsilon, rtol=1e-3)
    truth = optimal_delta(promises, epsilon)
    assert mpf(given.lower) <= truth <= mpf(given.upper)
    assert given.converged
    # what the steps promise is all that is known of them, so no choice of other promises is better
    found = murtagh_vadhan.delta(composed, epsilon)
    assert truth <= mpf(found)
    # found promises may be a little off the best ones
    assert mpf(found) <= truth * mpf("1.02")


@pytest.mark.slow
@pytest.mark.parametrize("promises", PROMISE_SETS)
@pytest.mark.parametrize("delta", [0.25, 0.3, 0.5])
def test_its_epsilon_is_bracketed(promises: list[tuple[float, float]], delta: float) -> None:
    given = composition_of_promises(promises, [1] * len(promises)).epsilon(delta, rtol=1e-3)
    assert given.lower == 0.0 or optimal_delta(promises, given.lower) >= mpf(delta)
    assert optimal_delta(promises, given.upper) <= mpf(delta)


@pytest.mark.slow
def test_equal_promises_have_the_same_optimum_both_ways() -> None:
    for step in (tb.Gaussian(20.0), tb.Laplace(3.0), tb.ApproximateDP(0.1, 1e-8)):
        composed = step * 50
        for delta in (1e-3, 1e-6):
            formula, bracket = kov.epsilon(composed, delta), murtagh_vadhan.epsilon_bracket(composed, delta)
            assert bracket.lower <= formula <= bracket.upper * (1 + 1e-9)
