"""What samplings have to do with each other, and shortcuts that are known to be wrong: none of them may be taken."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy import special

import tightbudget as tb
from tightbudget.divergences.renyi import renyi

NOISE = tb.Gaussian(sigma=1.25)


def normal_variation(shift: float) -> mpf:
    """Return TV(N(0), N(shift)) for standard deviation 1."""
    return mpmath.erf(mpf(shift) / mpf(2) ** mpf(1.5))


VARIATIONS = [
    (tb.Poisson(NOISE, 0.125), "add_remove", 0.8),
    (tb.Poisson(NOISE, 0.125), "zero_out", 0.8),
    (tb.Poisson(NOISE, 0.125), "replace_one", 1.6),
    (tb.WithoutReplacement(NOISE, 1, 8), "add_remove", 1.6),
    (tb.WithoutReplacement(NOISE, 1, 8), "replace_one", 1.6),
    (tb.MixtureOfGaussians(1.25, [0, 1], [0.875, 0.125]), "add_remove", 0.8),
    (tb.WithReplacement(NOISE, 1, 8), "add_remove", 1.6),
]


@pytest.mark.parametrize(("step", "relation", "shift"), VARIATIONS, ids=str)
def test_delta_at_0_is_the_rate_times_the_variation(step: tb.Mechanism, relation: str, shift: float) -> None:
    """In both directions: a total variation has none."""
    with mpmath.workdps(40):
        truth = normal_variation(shift) / 8
        # the shift is a product of floats: three roundings away from what these decimals say
        for direction in ("remove", "add"):
            answer = step.delta(0.0, rtol=1e-9, relation=relation, direction=direction)
            assert mpf(answer.lower) <= truth * (1 + mpf(10) ** -15)
            assert truth * (1 - mpf(10) ** -15) <= mpf(answer.upper)
            assert answer.upper <= truth * (1 + mpf(10) ** -8)


@pytest.mark.slow
@pytest.mark.parametrize("batches", [2, 3, 10, 100])
@pytest.mark.parametrize("mechanism", [tb.Gaussian(1.0), tb.Laplace(1.0), tb.DiscreteLaplace(2.0)], ids=str)
def test_allocation_has_no_worse_direction_at_0(mechanism: tb.Mechanism, batches: int) -> None:
    epoch = tb.RandomAllocation(mechanism, batches)
    remove, add = (epoch.delta(0.0, direction=direction) for direction in ("remove", "add"))
    assert max(remove.lower, add.lower) <= min(remove.upper, add.upper)


@pytest.mark.slow
@pytest.mark.parametrize("share", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_small_batches_are_poisson_samples_of_the_doubled_shift(relation: str, share: float) -> None:
    """Composed, a replaced record is hidden less: the analyst may choose which way to look in each step."""
    fixed = tb.WithoutReplacement(NOISE, 1, round(1 / share), relation=relation)
    poisson = tb.Poisson(tb.Gaussian(sigma=1.25, sensitivity=2), share)
    for epsilon in (0.0, share, 5 * share):
        one, same = fixed.delta(epsilon, rtol=1e-6), poisson.delta(epsilon, rtol=1e-6)
        assert one.upper == pytest.approx(same.upper, rel=1e-5)
        four, fourfold = (fixed * 4).delta(epsilon), (poisson * 4).delta(epsilon)
        assert four.lower >= fourfold.lower * (1 - 2e-3)
        assert four.upper <= fourfold.upper * (1.002 if relation == "add_remove" else 1.25)


# An analyst who chooses the records beside yours, step by step


def normal_profile(mu: float, g: np.ndarray) -> np.ndarray:
    at = np.log(g) / mu
    return special.ndtr(mu / 2 - at) - g * special.ndtr(-mu / 2 - at)


def removed(mu: float, q: float, g: np.ndarray) -> np.ndarray:
    """H_g(qP + (1-q)Q || Q)."""
    inner = 1.0 + (g - 1.0) / q
    return np.where(inner > 0.0, q * normal_profile(mu, np.maximum(inner, 1e-300)), 1.0 - g)


def added(mu: float, q: float, g: np.ndarray) -> np.ndarray:
    """H_g(Q || (1-q)Q + qP)."""
    rest = 1.0 - g * (1.0 - q)
    safe = np.where(rest > 0.0, rest, 1.0)
    return np.where(rest > 0.0, rest * normal_profile(mu, g * q / safe), 0.0)


def two_steps(mu: float, q: float, epsilon: float, last: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float]:
    """Return E_A[last(g/ratio)] for a first step of either branch, by a trapezoidal rule: good to 1e-9."""
    x = np.linspace(-12.0, 14.0, 200001)
    normal = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    ratio = (1.0 - q) + q * np.exp(mu * x - 0.5 * mu * mu)
    g = math.exp(epsilon)
    first = np.sum(normal * ratio * last(g / ratio)) * (x[1] - x[0])
    second = np.sum(normal * last(g * ratio)) * (x[1] - x[0])
    return float(first), float(second)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mu", "q", "epsilon", "figure"),
    [(1.0, 0.5, 0.5, 0.153777507924229), (1.0, 0.5, 1.0, 0.0742066738335428), (2.0, 0.25, 0.25, None), (0.5, 0.125, 0.0, None)],
)
def test_composing_one_branch_of_fixed_batches_is_unsound(mu: float, q: float, epsilon: float, figure: float | None) -> None:
    """Others that look like the record, or like the one in its place: the better choice depends on the first answer."""
    attained = max(two_steps(mu, q, epsilon, lambda g: np.maximum(removed(mu, q, g), added(mu, q, g))))
    one_branch = max(
        two_steps(mu, q, epsilon, lambda g: removed(mu, q, g))[0], two_steps(mu, q, epsilon, lambda g: added(mu, q, g))[1]
    )
    assert figure is None or attained == pytest.approx(figure, rel=1e-8)
    assert one_branch < attained * (1 - 1e-3) or epsilon == 0.0
    step = tb.WithoutReplacement(tb.Gaussian(sigma=2 / mu), round(8 * q), 8, relation="replace_one")
    answer = (step * 2).delta(epsilon)
    assert answer.lower <= attained * (1 + 1e-8)
    assert answer.upper >= attained * (1 - 1e-8)


# Other shortcuts


@pytest.mark.parametrize("epsilon", [0.25, 0.5])
def test_poisson_samples_are_no_bound_for_allocation(epsilon: float) -> None:
    allocated = tb.RandomAllocation(tb.Gaussian(1.0), batches=2).delta(epsilon, direction="remove")
    sampled = (tb.Poisson(tb.Gaussian(1.0), q=0.5) * 2).delta(epsilon, direction="remove")
    assert sampled.upper < allocated.lower


@pytest.mark.parametrize(
    ("order", "truth", "normal"), [(1.1, 0.01798508012, 0.01576257288), (1.5, 0.02978989508, 0.02815518318)]
)
def test_a_sampled_promise_at_fractional_orders(order: float, truth: float, normal: float) -> None:
    """Two events that keep rho-zCDP: sampled, they diverge more than sampled normal noise of the same rho."""
    q, high, low, share = mpf("0.05"), mpf(4), mpf("-0.5"), mpf("0.007287600277")
    rho = 1.641131791
    with mpmath.workdps(30):
        b = (share, 1 - share)
        a = tuple(x * mpmath.exp(loss) for x, loss in zip(b, (high, low), strict=True))
        a = tuple(x / sum(a) for x in a)  # their sum is 1 but for the digits given
        for alpha in (mpf("1.05"), mpf(2), mpf(5), mpf(30)):
            for first, second in ((a, b), (b, a)):
                moment = sum(x**alpha * y ** (1 - alpha) for x, y in zip(first, second, strict=True))
                assert mpmath.log(moment) / (alpha - 1) <= rho * alpha * (1 + mpf(10) ** -8)
        mixed = [q * x + (1 - q) * y for x, y in zip(a, b, strict=True)]
        moment = sum(x ** mpf(order) * y ** (1 - mpf(order)) for x, y in zip(mixed, b, strict=True))
        exact = float(mpmath.log(moment) / (mpf(order) - 1))
    assert exact == pytest.approx(truth, rel=1e-7)
    assert normal < truth
    assert renyi(tb.Poisson(tb.ZCDP(rho * (1 + 1e-8)), 0.05), order) >= exact


def test_normal_noise_is_no_bound_for_a_zcdp_promise() -> None:
    rho = math.tanh(0.5)  # of randomised response with epsilon 1
    promised = tb.ZCDP(math.nextafter(rho, 1.0)).delta(0.5)
    normal = tb.GaussianDP(math.sqrt(2 * rho)).delta(0.5)
    response = tb.RandomizedResponse(p=math.e / (1 + math.e)).delta(0.5)
    assert normal.upper < response.lower <= promised.upper


def test_a_capped_sample_is_not_one_at_the_rate_of_drawing() -> None:
    """Where the cap is reached a record displaces another: all three relations reveal more than plain samples."""
    for relation in ("add_remove", "replace_one", "zero_out"):
        capped = tb.TruncatedPoisson(tb.Gaussian(1.0), 0.5, 2, 8).delta(1.0, relation=relation)
        kept = tb.Poisson(tb.Gaussian(1.0), 0.25).delta(1.0, relation=relation)
        assert kept.upper < capped.upper
