"""Promises of zCDP and Rényi divergences: published figures, mechanisms that keep them, sums before pairs."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.mechanisms.moment_bound import epsilon_by_moments
from tightbudget.pairs.base import Direction
from tightbudget.pairs.renyi_profile import renyi_profile, zcdp_profile


@pytest.mark.parametrize(
    ("rho", "epsilon", "bound", "member"),
    [
        (0.5, 1.0, 0.246846330782944, 0.126936737506644),
        (0.5, 2.0, 0.0542929966402625, 0.0209236358211137),
        (0.05, 1.0, 0.000385709163744412, 0.000109810480919283),
    ],
)
def test_the_published_figures_of_zcdp(rho: float, epsilon: float, bound: float, member: float) -> None:
    answer = tb.ZCDP(rho).delta(epsilon, rtol=1e-9)
    assert bound * (1 - 1e-13) <= answer.upper <= bound * (1 + 2e-4)
    assert answer.lower == pytest.approx(member, rel=1e-8)
    assert answer.lower <= member * (1 + 1e-13)
    assert not answer.converged


def test_randomised_response_keeps_its_promise_where_normal_noise_would_not() -> None:
    response = tb.RandomizedResponse(p=1.0 / (1.0 + math.exp(-1.0)))  # rho = tanh(1/2), and a mu of that rho has 0.223
    assert response.delta(0.5).lower > 0.2876
    assert tb.ZCDP(rho=math.tanh(0.5)).delta(0.5).upper > response.delta(0.5).upper


@pytest.mark.parametrize("seed", range(8))
def test_finite_mechanisms_that_keep_a_promise_stay_below_it_composed(seed: int) -> None:
    source = np.random.default_rng(seed)
    a, b = (source.dirichlet(np.full(4, 3.0)) for _ in range(2))
    ratios = np.log(a / b)
    orders = np.array([1.5, 3.0, 8.0])
    values = [max(_renyi(a, ratios, order), _renyi(b, -ratios, order)) * (1 + 1e-12) for order in orders]
    promise, given = tb.RDP(tuple(orders), tuple(values)), tb.Histograms(tuple(a), tuple(b))
    for count in (1, 3):
        for epsilon in (0.0, 0.5, 2.0):
            assert (given * count).delta(epsilon).lower <= (promise * count).delta(epsilon).upper


def _renyi(first: np.ndarray, ratios: np.ndarray, order: float) -> float:
    return math.log(float(first @ np.exp((order - 1.0) * ratios))) / (order - 1.0)


def test_promises_are_added_up_before_they_get_a_pair() -> None:
    ten = (tb.ZCDP(0.05) * 10).delta(3.0)
    assert ten.upper == pytest.approx(tb.ZCDP(0.5).delta(3.0).upper, rel=1e-6)
    assert ten.upper == pytest.approx(5.14e-3, rel=3e-3)  # a pair for each would give 1.83e-2
    different = (tb.ZCDP(0.1) + tb.ZCDP(0.2)).delta(2.0)
    assert different.upper == pytest.approx(tb.ZCDP(0.3).delta(2.0).upper, rel=1e-6)
    mixed = tb.ZCDP(0.1) + tb.RDP(8, 0.5) + tb.ZCDP(0.2)
    (direction,) = mixed._directions
    assert direction.steps.total == 1


def test_a_block_is_composed_with_exact_steps() -> None:
    noise = tb.Gaussian(sigma=2) * 10
    both = (noise + tb.ZCDP(0.05) * 4).delta(6.0)
    alone, as_gaussian = noise.delta(6.0), (noise + tb.Gaussian(sigma=1 / math.sqrt(0.4))).delta(6.0)
    assert alone.upper < as_gaussian.lower * (1 + 1e-3)
    assert both.lower <= as_gaussian.upper <= both.upper


def test_sampled_promises_have_no_lower_end_of_their_pair() -> None:
    answer = tb.Poisson(tb.ZCDP(0.5), q=0.1).delta(0.1, rtol=1e-6)
    member = tb.Poisson(tb.Gaussian(sigma=1), q=0.1).delta(0.1, rtol=1e-6)
    assert answer.lower <= member.upper < answer.upper
    assert not answer.converged


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 5.0, 40.0])
def test_no_bound_is_rounded_below_the_best_order(epsilon: float) -> None:
    with mpmath.workdps(40):
        for rho in (0.01, 0.7):
            found = zcdp_profile(rho)(np.array([epsilon]))[0]
            best = min(_best(rho, epsilon), mpmath.sqrt(-mpmath.expm1(-mpf(rho))))
            assert best <= found <= best * (1 + mpf(10) ** -9) + mpf(10) ** -300
        one = renyi_profile(np.array([3.0]), np.array([0.3]))(np.array([epsilon]))[0]
        exact = min(_at(mpf(3), mpf(0.3), epsilon), mpmath.sqrt(-mpmath.expm1(-mpf(0.3))))
        assert exact <= one <= exact * (1 + mpf(10) ** -11) + mpf(10) ** -300


def _best(rho: float, epsilon: float) -> mpf:
    """The least bound of any order: where (2a - 1) rho - epsilon + log(1 - 1/a) is 0."""
    low, high = mpf(1) + mpf(10) ** -15, mpf(10) ** 9
    for _ in range(160):
        middle = (low + high) / 2
        rising = (2 * middle - 1) * mpf(rho) - mpf(epsilon) + mpmath.log(1 - 1 / middle) > 0
        low, high = (low, middle) if rising else (middle, high)
    return _at(low, low * mpf(rho), epsilon)


def _at(order: mpf, tau: mpf, epsilon: float) -> mpf:
    return (1 - 1 / order) ** (order - 1) / order * mpmath.exp((order - 1) * (tau - mpf(epsilon)))


def test_what_is_known_of_them() -> None:
    assert tb.ZCDP(0.25).zcdp_rho(Direction.REMOVE) == 0.25
    moments = tb.RDP((2, 4), (0.1, 0.4)).log_moment(Direction.ADD, np.array([2.0, 3.0, 4.0, 5.0]))
    assert moments == pytest.approx([0.1, 0.65, 1.2, math.inf])
    assert tb.filters.ZCDPFilter(epsilon=1, delta=1e-6).remaining(tb.ZCDP(0.001)) > 20
    assert tb.ZCDP(0.0).delta(0.0).upper == 0.0
    assert tb.ZCDP(1e9).delta(1.0).upper == 1.0


@pytest.mark.parametrize(
    ("alpha", "epsilon", "says"),
    [
        (1, 0.1, "^alpha is 1, but must be a finite number above 1"),
        ((2, 0.5), (0.1, 0.2), "^alpha is 0.5, but must be a finite number above 1"),
        ((2, 2), (0.1, 0.2), "^alpha is .*, but must be orders that differ"),
        ([2, 3], [0.1], r"^epsilon is \[0.1\], but must be a list of as many divergences as alpha has orders, which is 2.$"),
        (2, (), r"^epsilon is \(\), but must be a list of as many divergences as alpha has orders, which is 1.$"),
        ([], [], r"^alpha is \[\], but must be an order above 1, or a list of them.$"),
        (2, -1, "^epsilon is -1"),
        (2, math.nan, "^epsilon is nan"),
        ("a", 1, "^alpha is 'a'"),
    ],
)
def test_bad_promises_are_refused(alpha: object, epsilon: object, says: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=says):
        tb.RDP(alpha, epsilon)
    with pytest.raises(tb.InvalidParameter):
        tb.ZCDP(-0.1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "promise",
    [
        tb.RDP(1e200, 1e200),
        tb.RDP(2, 1e308) * 10,
        tb.RDP(1e308, 1e308) + tb.RDP(2, 0.1),
        tb.RDP(1e308, 1e-3) + tb.ZCDP(1e-3),
        tb.ZCDP(1e300) * 10**9,
    ],
    ids=str,
)
def test_promises_that_no_float_holds_promise_nothing(promise: tb.Mechanism) -> None:
    """They were once taken for promises that nothing is revealed."""
    assert promise.epsilon(1e-6).upper >= 1e200  # or none at all
    assert promise.delta(0.1).upper > 0.01
    assert promise.delta(0.1).lower < promise.delta(0.1).upper


@pytest.mark.parametrize("rho", [1.1e4, 1e5, 1e9, 1e250])
@pytest.mark.parametrize("delta", [0.1, 1e-6, 1e-300])
def test_large_promises_have_an_upper_end(rho: float, delta: float) -> None:
    """No pair is followed above 1e4; the conversion rho + 2 sqrt(rho log(1/delta)) holds at any size."""
    found = tb.ZCDP(rho).epsilon(delta)
    root = mpmath.sqrt(mpf(rho) * mpmath.log(1 / mpf(delta)))
    # beyond 1e30 the best order is no float, and a slightly larger one is taken
    assert mpf(rho) + 2 * root <= mpf(found.upper) <= (mpf(rho) + 2 * root) * (1 + mpf(1.01e-9 if rho > 1e30 else 1e-12))
    assert found.lower <= found.upper


@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize(
    "text",
    [
        "zcdp(rho=1) * 3",
        "zcdp(rho=0.5, delta=1e-15) * 10",
        "rdp(alpha=[2, 4, 8], epsilon=[1, 2, 4]) * 2",
        "zcdp(rho=0.1) + rdp(alpha=4, epsilon=1) + gaussian(sigma=2)",
        "poisson(zcdp(rho=1), q=0.1) * 5",
    ],
)
def test_the_bound_by_moments_is_above_that_of_pairs(text: str, delta: float) -> None:
    c = tb.parse(text)
    found = epsilon_by_moments(c._parts, None, delta)
    assert c.epsilon(delta).upper * (1 - 1e-9) <= found < math.inf


def test_what_a_promise_leaves_out_is_taken_off_delta() -> None:
    steps = tb.ZCDP(1e5, delta="1e-9") * 3
    assert steps.epsilon(4e-9).upper >= (tb.ZCDP(1e5) * 3).epsilon(1e-9).upper * (1 - 1e-12)
    assert steps.epsilon(4e-9).upper > (tb.ZCDP(1e5) * 3).epsilon(4e-9).upper
    for delta in (3e-9, 2.9e-9, 0.0):
        assert steps.epsilon(delta).upper == math.inf
    assert math.isinf((tb.ZCDP(1e5) + tb.ApproximateDP(1.0, 1e-9)).epsilon(1e-6).upper)  # which has no moments


def test_one_direction_of_a_large_promise() -> None:
    assert (tb.ZCDP(1e5) * 2).epsilon(1e-6, direction="add").upper == (tb.ZCDP(2e5)).epsilon(1e-6).upper


@pytest.mark.parametrize("rho", ["1e999", "1e-999", f"1.{'3' * 900}e-990", f"{'7' * 990}.5", "1/3"])
def test_what_is_written_of_long_numbers_is_read_back(rho: str) -> None:
    for promise in (tb.ZCDP(rho), tb.RDP([2, 4], [rho, rho])):
        assert tb.parse(str(promise)) == promise
