"""The accountants of prv_accountant as we have them: counts, widths, and what is refused."""

import math
import pickle

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adapters import prv

GAUSSIAN = prv.GaussianMechanism(noise_multiplier=8.0)
SAMPLED = prv.PoissonSubsampledGaussianMechanism(sampling_probability=5e-3, noise_multiplier=0.8)


def _accountant(*prvs: object, **settings: object) -> prv.PRVAccountant:
    return prv.PRVAccountant(prvs=list(prvs), **{"eps_error": 0.1, "delta_error": 1e-10, **settings})


def test_the_example_of_its_readme() -> None:
    accountant = _accountant(SAMPLED, GAUSSIAN, prv.LaplaceMechanism(mu=0.1), max_self_compositions=[1_000, 1_000, 1_000])
    low, estimate, up = accountant.compute_epsilon(delta=1e-6, num_self_compositions=[100, 200, 100])
    same = tb.Poisson(tb.Gaussian(0.8), 5e-3) * 100 + tb.Gaussian(8.0) * 200 + tb.Laplace(1.0, 0.1) * 100
    assert accountant.compute_composition([100, 200, 100]) == same
    assert low <= estimate <= up
    assert (low, up) == ((answer := same.epsilon(1e-6)).lower, answer.upper)
    assert all(type(end) is float for end in (low, estimate, up))


@pytest.mark.parametrize("eps_error", [10.0, 0.1, 1e-3, 1e-4])
def test_a_bracket_is_no_wider_than_the_error_asked_for(eps_error: float) -> None:
    low, _, up = prv.DPSGDAccountant(0.8, 0.2, 5000, eps_error=eps_error).compute_epsilon(1e-6, 5000)
    assert up > 300  # where a relative width of 1e-3 is not enough
    assert up - low <= eps_error
    assert up - low <= 1e-3 * up


@pytest.mark.slow
def test_delta_follows_its_error() -> None:
    wide, narrow = (
        prv.PRVAccountant(SAMPLED, eps_error=0.1, delta_error=error).compute_delta(0.5, 1000) for error in (1e-3, 2e-8)
    )
    assert 2e-8 < wide[2] - wide[0] <= 1e-3 * wide[2]
    assert narrow[2] - narrow[0] <= 2e-8
    assert wide[0] <= narrow[0] <= narrow[1] <= narrow[2] <= wide[2]


def test_brackets_say_what_they_are_for() -> None:
    answer = prv.PRVAccountant(SAMPLED, eps_error=0.1, delta_error=1e-10).bracket_epsilon(1e-6, 100)
    assert (answer.relation, answer.converged) == ("add_remove", True)


@pytest.mark.parametrize("count", [7, [7], np.int64(7), np.array(7), np.array([7]), 7.0], ids=repr)
def test_counts_in_any_form(count: object) -> None:
    assert prv.PRVAccountant(GAUSSIAN, 0.1, 1e-10, 10).compute_composition(count) == tb.Gaussian(8.0) * 7


def test_without_counts_each_is_run_once() -> None:
    assert _accountant(GAUSSIAN, SAMPLED).compute_composition(None) == GAUSSIAN.mechanism + SAMPLED.mechanism


def test_nothing_composed_costs_nothing() -> None:
    assert _accountant(GAUSSIAN).compute_epsilon(1e-6, 0) == (0.0, 0.0, 0.0)
    assert _accountant().compute_epsilon(1e-6, []) == (0.0, 0.0, 0.0)


def test_no_noise_and_infinite_losses_have_answers() -> None:
    assert prv.PRVAccountant(prv.GaussianMechanism(0.0), 0.1, 1e-10).compute_epsilon(1e-6, 1) == (math.inf,) * 3
    beyond = prv.PRVAccountant(prv.ApproximateDPMechanism(1.0, 1e-3), 0.1, 1e-10)
    assert beyond.compute_epsilon(1e-6, 1) == (math.inf,) * 3


def test_mechanisms_of_ours_may_stand_among_the_variables() -> None:
    both = _accountant(GAUSSIAN, tb.Laplace(scale=20))
    assert both.compute_composition([2, 3]) == tb.Gaussian(8.0) * 2 + tb.Laplace(scale=20) * 3
    alone = prv.PRVAccountant(tb.Gaussian(8.0) * 2 + tb.Laplace(scale=20), eps_error=0.1, delta_error=1e-10)
    assert alone.compute_composition(2) == (tb.Gaussian(8.0) * 2 + tb.Laplace(scale=20)) * 2


def test_the_largest_counts_that_were_announced_are_kept_to() -> None:
    accountant = _accountant(GAUSSIAN, SAMPLED, max_self_compositions=[5, 10])
    accountant.compute_composition([5, 10])
    with pytest.raises(tb.InvalidParameter, match=r"^num_self_compositions is 11, but must be at most max_self_compositions"):
        accountant.compute_composition([5, 11])


class _Mine(prv.PrivacyRandomVariable):
    def cdf(self, t: float) -> float:
        return float(t > 0)


@pytest.mark.parametrize(
    ("prvs", "named"),
    [(_Mine(), "'_Mine'"), ([GAUSSIAN, _Mine()], "'_Mine'"), ("gaussian", "'gaussian'"), (None, "'NoneType'")],
)
def test_a_variable_known_by_its_cdf_alone_is_refused_by_name(prvs: object, named: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=f"^prvs is {named}, but must be .* nothing can be certified") as refusal:
        prv.PRVAccountant(prvs, eps_error=0.1, delta_error=1e-10)
    assert "tightbudget.adapters.prv" in str(refusal.value)


def test_a_variable_of_the_other_package_is_refused_by_name() -> None:
    peer = pytest.importorskip("prv_accountant")
    with pytest.raises(tb.InvalidParameter, match=r"^prvs is 'GaussianMechanism', .* imported from tightbudget"):
        prv.PRVAccountant(peer.GaussianMechanism(1.0), eps_error=0.1, delta_error=1e-10)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"eps_error": 0.0}, "eps_error"),
        ({"eps_error": math.nan}, "eps_error"),
        ({"delta_error": -1.0}, "delta_error"),
        ({"eps_max": 0.0}, "eps_max"),
        ({"max_self_compositions": [1, 2]}, "max_self_compositions"),
        ({"max_self_compositions": [1.5]}, "max_self_compositions"),
        ({"max_self_compositions": "5"}, "max_self_compositions"),
    ],
    ids=str,
)
def test_bad_settings_are_named(settings: dict[str, object], name: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=f"^{name} is "):
        _accountant(GAUSSIAN, **settings)


@pytest.mark.parametrize("counts", [[1, 2], -1, 1.5, True, "1", [[1]]], ids=repr)
def test_bad_counts_are_named(counts: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"^num_self_compositions is "):
        _accountant(GAUSSIAN).compute_epsilon(1e-6, counts)


@pytest.mark.parametrize("delta", [-1e-9, 1.5, math.nan, "1e-6", None], ids=repr)
def test_bad_deltas_are_named(delta: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"^delta is "):
        _accountant(GAUSSIAN).compute_epsilon(delta, 1)


def test_an_accountant_survives_a_pickle() -> None:
    accountant = _accountant(GAUSSIAN, max_self_compositions=[10])
    before = accountant.compute_epsilon(1e-6, [3])
    assert pickle.loads(pickle.dumps(accountant)).compute_epsilon(1e-6, [3]) == before


def test_the_old_accountant_warns_and_answers() -> None:
    with pytest.warns(DeprecationWarning, match="DPSGDAccountant"):
        old = prv.Accountant(noise_multiplier=0.8, sampling_probability=5e-3, delta=1e-6, max_compositions=1000)
    new = prv.DPSGDAccountant(noise_multiplier=0.8, sampling_probability=5e-3, max_steps=1000)
    assert old.compute_epsilon(1000) == new.compute_epsilon(delta=1e-6, num_steps=1000)
