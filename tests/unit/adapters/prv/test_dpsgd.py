"""DP-SGD by prv_accountant's names: runs on which it fails, and the noise for a target."""

import math

import pytest
from tests.support import float_contour
from tests.support.checked import contains_epsilon

import tightbudget as tb
from tightbudget.adapters.prv import DPSGDAccountant, find_noise_multiplier
from tightbudget.adapters.prv.dpsgd import NoSuitableNoise

REPORTED = {
    "prv_accountant#36": (0.8, 0.125, 1000, 1e-6),
    "prv_accountant#42": (1.0, 0.2, 500, 1e-6),
    "prv_accountant test_robustness_2": (1.0, 0.26058631921824105, 18800, 0.00011448277499759097),
}


@pytest.mark.slow
@pytest.mark.parametrize("run", REPORTED)
def test_runs_that_were_reported_to_fail(run: str) -> None:
    sigma, q, steps, delta = REPORTED[run]
    accountant = DPSGDAccountant(noise_multiplier=sigma, sampling_probability=q, max_steps=steps)
    low, estimate, up = accountant.compute_epsilon(delta=delta, num_steps=steps)

    def delta_at(epsilon: float) -> float:
        return max(float_contour.delta([(sigma, q, steps)], epsilon, remove=remove) for remove in (True, False))

    assert contains_epsilon(tb.Bracket(low, up), delta, delta_at, margin=1e-6)
    assert low <= estimate <= up <= low + 0.1


def test_a_tiny_delta_moves_epsilon_a_little() -> None:
    """prv_accountant#17: epsilon jumps from 0.056 to 3.8 between these two."""
    accountant = DPSGDAccountant(noise_multiplier=4.0, sampling_probability=0.00033, max_steps=10_000)
    larger, smaller = (accountant.compute_epsilon(delta=delta, num_steps=10_000) for delta in (1.13e-18, 1.10e-18))
    assert larger[0] <= smaller[2] <= 1.01 * larger[2]


def test_the_order_of_arguments_is_that_of_its_code() -> None:
    assert DPSGDAccountant(0.8, 5e-3, 10).compute_composition(10) == tb.Poisson(tb.Gaussian(0.8), 5e-3) * 10


def test_more_steps_than_announced_are_refused() -> None:
    with pytest.raises(ValueError, match="at most max_self_compositions, which is 10"):
        DPSGDAccountant(0.8, 5e-3, max_steps=10).compute_epsilon(delta=1e-6, num_steps=11)


@pytest.mark.slow
def test_the_noise_found_keeps_the_target_and_a_little_less_does_not() -> None:
    """test_robustness_2 asks for epsilon 4 at these numbers."""
    q, steps, delta = 0.26058631921824105, 18800, 0.00011448277499759097
    noise = find_noise_multiplier(q, steps, 4.0, delta)
    at = DPSGDAccountant(noise, q, steps, eps_error=1e-5).compute_epsilon(delta, steps)
    below = DPSGDAccountant(noise * (1 - 1e-5), q, steps, eps_error=1e-6).compute_epsilon(delta, steps)
    assert at[2] <= 4.0 < below[0]


def test_no_noise_is_enough_where_nothing_is_drawn_or_delta_pays_for_it() -> None:
    assert find_noise_multiplier(0.0, 100, 1.0, 1e-6) == 0.0
    assert find_noise_multiplier(0.1, 0, 1.0, 1e-6) == 0.0
    assert find_noise_multiplier(1e-9, 10, 1.0, 1e-6) == 0.0


def test_more_noise_than_allowed_is_an_error_of_both_kinds() -> None:
    with pytest.raises(NoSuitableNoise, match=r"^mu_max is 100.0, but must be at least 1\d\d") as problem:
        find_noise_multiplier(1.0, 1000, 1.0, 1e-6)
    assert isinstance(problem.value, RuntimeError)
    assert isinstance(problem.value, tb.InvalidParameter)
    assert find_noise_multiplier(1.0, 1000, 1.0, 1e-6, mu_max=math.inf) > 100.0


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"sampling_probability": 1.5}, "sampling_probability"),
        ({"num_steps": -1}, "num_steps"),
        ({"num_steps": 1.5}, "num_steps"),
        ({"target_epsilon": 0.0}, "target_epsilon"),
        ({"target_epsilon": math.nan}, "target_epsilon"),
        ({"target_delta": 2.0}, "delta"),
        ({"eps_error": 0.0}, "eps_error"),
        ({"mu_max": -1.0}, "mu_max"),
    ],
    ids=str,
)
def test_bad_numbers_are_named(changed: dict[str, float], name: str) -> None:
    usual = {"sampling_probability": 0.01, "num_steps": 100, "target_epsilon": 1.0, "target_delta": 1e-6}
    with pytest.raises(tb.InvalidParameter, match=f"^{name} is "):
        find_noise_multiplier(**{**usual, **changed})
