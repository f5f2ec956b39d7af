"""Beside the real prv_accountant 0.2: the same questions to both, our bracket within theirs and never above it."""

import inspect
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import integrate

import tightbudget as tb
from tightbudget.adapters import prv as ours

peer = pytest.importorskip("prv_accountant")
from prv_accountant import dpsgd as peer_dpsgd  # noqa: E402

Kind = tuple[str, dict[str, float]]


def _random_step(rng: np.random.Generator) -> Kind:
    def size(low: float, high: float) -> float:
        return float(10 ** rng.uniform(low, high))

    match rng.integers(5):
        case 0:
            numbers = {"sampling_probability": size(-3, -0.3), "noise_multiplier": size(-0.1, 0.8)}
            return "PoissonSubsampledGaussianMechanism", numbers
        case 1:
            return "GaussianMechanism", {"noise_multiplier": size(0.3, 1.5), "l2_sensitivity": size(-0.3, 0.3)}
        case 2:
            return "LaplaceMechanism", {"mu": size(-2.5, -0.5)}
        case 3:
            return "PureDPMechanism", {"eps": size(-2.5, -0.7)}
    return "ApproximateDPMechanism", {"epsilon": size(-2.5, -0.7), "delta": size(-12, -9)}


def _answers(package: Any, steps: list[Kind], counts: list[int], delta: float) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the peer are not ours to judge
        prvs = [getattr(package, name)(**numbers) for name, numbers in steps]
        settings = {"max_self_compositions": counts, "eps_error": 0.1, "delta_error": delta / 1000}
        return package.PRVAccountant(prvs=prvs, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_random_compositions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = [_random_step(rng) for _ in range(rng.integers(1, 4))]
    counts = [int(10 ** rng.uniform(0, 2)) for _ in steps]
    delta = float(10 ** rng.uniform(-7, -3))
    there, here = (_answers(package, steps, counts, delta) for package in (peer, ours))
    low, estimate, up = there.compute_epsilon(delta=delta, num_self_compositions=counts)
    found = here.compute_epsilon(delta=delta, num_self_compositions=counts)
    assert low <= found[0] <= found[1] <= found[2] <= up
    epsilon = max(estimate, 0.0)
    low, _, up = there.compute_delta(epsilon, counts)
    found = here.compute_delta(epsilon, counts)
    assert low <= found[0] <= found[1] <= found[2] <= up


def test_it_counts_a_record_that_is_removed_and_we_both_directions() -> None:
    q, sigma, epsilon = 0.5, 1.0, 0.3
    loss = peer.PoissonSubsampledGaussianMechanism(q, sigma)
    theirs, _ = integrate.quad(lambda t: (1 - float(loss.cdf(t))) * math.exp(epsilon - t), epsilon, 40, limit=200)
    variable = ours.PoissonSubsampledGaussianMechanism(q, sigma)
    removed, added = (variable.mechanism.delta(epsilon, 1e-9, direction=way) for way in ("remove", "add"))
    assert removed.lower * (1 - 1e-7) <= theirs <= removed.upper * (1 + 1e-7)
    assert added.upper < 0.9 * theirs
    assert ours.PRVAccountant(variable, 0.1, 1e-9).compute_delta(epsilon, 1)[2] >= removed.lower


@pytest.mark.parametrize("name", sorted(set(dir(peer)) & set(ours.__all__)))
def test_everything_takes_the_arguments_it_takes_there(name: str) -> None:
    there, here = (list(inspect.signature(getattr(package, name)).parameters) for package in (peer, ours))
    assert here[: len(there)] == there


@pytest.mark.parametrize(
    ("name", "method"), [("DPSGDAccountant", "compute_epsilon"), ("DPSGDAccountant", None), ("find_noise_multiplier", None)]
)
def test_so_does_what_is_for_dp_sgd(name: str, method: str | None) -> None:
    there, here = (getattr(package, name) for package in (peer_dpsgd, ours))
    if method is not None:
        there, here = getattr(there, method), getattr(here, method)
    theirs, own = inspect.signature(there).parameters, inspect.signature(here).parameters
    assert list(theirs) == list(own)
    assert [each.default for each in theirs.values()] == [each.default for each in own.values()]


def test_no_public_name_is_missing() -> None:
    classes = {name for name, value in vars(peer).items() if inspect.isclass(value)}
    assert classes <= set(ours.__all__)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "q", "steps", "delta"),
    [(0.8, 0.125, 1000, 1e-6), (1.0, 0.2, 500, 1e-6), (4.0, 0.00033, 10_000, 1.1e-18)],
    ids=["prv_accountant#36", "prv_accountant#42", "prv_accountant#17"],
)
def test_its_failures_are_answered(noise: float, q: float, steps: int, delta: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, RuntimeError)):
            _dp_sgd(peer_dpsgd, noise, q, steps, delta)
    low, _, up = _dp_sgd(ours, noise, q, steps, delta)
    assert 0.0 < low <= up <= low + 0.1


def test_no_epsilon_is_below_zero() -> None:
    assert _dp_sgd(peer_dpsgd, 10.0, 0.001, 1, 0.5)[2] < 0.0
    assert _dp_sgd(ours, 10.0, 0.001, 1, 0.5) == (0.0, 0.0, 0.0)


def _dp_sgd(package: Any, noise: float, q: float, steps: int, delta: float) -> tuple[float, float, float]:
    accountant = package.DPSGDAccountant(noise, q, steps, delta_error=delta / 1000)
    answer: tuple[float, float, float] = accountant.compute_epsilon(delta=delta, num_steps=steps)
    return answer


@pytest.mark.slow
def test_its_noise_may_miss_the_target_and_ours_does_not() -> None:
    asked = {"sampling_probability": 0.01, "num_steps": 1000, "target_epsilon": 2.0, "target_delta": 1e-6}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer_dpsgd.find_noise_multiplier(**asked, eps_error=0.1)
    own = ours.find_noise_multiplier(**asked)

    def cost(noise: float) -> tb.Bracket:
        return (tb.Poisson(tb.Gaussian(noise), 0.01) * 1000).epsilon(1e-6, 1e-6)

    assert cost(own).certainly_at_most(2.0)
    assert abs(cost(theirs).upper - 2.0) > 1e-4 > 2.0 - cost(own).upper
