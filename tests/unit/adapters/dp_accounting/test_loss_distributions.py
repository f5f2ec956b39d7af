"""Loss distributions of dp_accounting: their masses as they are, raised where no pair of laws has them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as theirs

import tightbudget as tb
from tightbudget.adapters.dp_accounting import from_pld
from tightbudget.adapters.dp_accounting.loss_distributions import _cut_to_one, _raised_losses

STEP = 1e-2


@pytest.mark.parametrize("interval", [1e-2, 1e-3, pytest.param(1e-4, marks=pytest.mark.slow)])
def test_normal_noise_as_they_round_it(interval: float) -> None:
    pld = theirs.from_gaussian_mechanism(1.0, value_discretization_interval=interval)
    given, noise = from_pld(pld), tb.Gaussian(sigma=1.0)
    for count in (1, 10):
        upper, true = ((one * count).epsilon(delta=1e-6) for one in (given, noise))
        assert true.lower <= upper.upper <= 1.002 * true.upper
        assert upper.lower == 0.0


@pytest.mark.parametrize(
    ("pld", "ours"),
    [
        (theirs.from_laplace_mechanism(1.0, value_discretization_interval=STEP), tb.Laplace(scale=1.0)),
        (
            theirs.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3, sampling_prob=0.1),
            tb.Poisson(tb.Gaussian(sigma=1.0), q=0.1),
        ),
        (
            theirs.from_gaussian_mechanism(2.0, value_discretization_interval=1e-3, use_connect_dots=False),
            tb.Gaussian(sigma=2.0),
        ),
    ],
)
def test_other_distributions(pld: object, ours: tb.Mechanism) -> None:
    for direction in ("remove", "add"):
        upper, true = ((one * 5).delta(0.1, direction=direction) for one in (from_pld(pld), ours))
        assert true.lower <= upper.upper <= 1.02 * true.upper


def test_a_distribution_composed_by_them() -> None:
    pld = theirs.from_gaussian_mechanism(4.0, value_discretization_interval=1e-3).self_compose(16)
    assert (tb.Gaussian(sigma=4.0) * 32).epsilon(1e-5).lower <= (from_pld(pld) * 2).epsilon(1e-5).upper <= 6.6


@pytest.mark.parametrize(
    ("pld", "ours"),
    [
        # what their transforms leave at the smallest losses gives B 1.0113, 1.24 and 1.055 of mass
        (theirs.from_gaussian_mechanism(1.0).self_compose(10), tb.Gaussian(1.0) * 10),
        (theirs.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3).self_compose(10), tb.Gaussian(1.0) * 10),
        (theirs.from_gaussian_mechanism(1.0).self_compose(5), tb.Gaussian(1.0) * 5),
        # and A 1.000017
        (
            theirs.from_gaussian_mechanism(1.0, sampling_prob=0.01, value_discretization_interval=1e-3).self_compose(1000),
            tb.Poisson(tb.Gaussian(1.0), q=0.01) * 1000,
        ),
    ],
    ids=["fine", "coarse", "fewer", "sampled"],
)
@pytest.mark.slow
def test_distributions_with_more_mass_than_there_is(pld: object, ours: tb.Composition) -> None:
    given = from_pld(pld)
    for delta in (1e-3, 1e-6):
        assert ours.epsilon(delta).lower <= given.epsilon(delta).upper <= 1.002 * ours.epsilon(delta).upper
    assert (ours * 2).epsilon(1e-5).lower <= (given * 2).epsilon(1e-5).upper <= 1.003 * (ours * 2).epsilon(1e-5).upper


@pytest.mark.parametrize("seed", range(20))
def test_cut_losses_reveal_no_less_than_any_pair_they_bound(seed: int) -> None:
    source = np.random.default_rng(seed)
    losses, masses = np.sort(source.normal(0.02, 1.0, 40)), source.dirichlet(np.ones(40))
    infinity, more = 0.1 * float(source.random()), 1.0 + 10.0 ** source.uniform(-9, 0.3)
    masses *= more * (1.0 - infinity)
    places, left = _cut_to_one(losses, masses, infinity)
    assert math.fsum(left) + infinity == pytest.approx(1.0, rel=1e-15)
    assert (np.diff(places) > 0.0).all()
    assert (left >= 0.0).all()
    first = math.exp(places[0])
    level = profile(losses, masses, first)
    for ratio in [*np.exp(losses).tolist(), *source.uniform(0.0, 5.0, 50).tolist()]:
        # a convex profile that is 1 at 0, with what is at infinity, and below these masses from the first place on
        chord = 1.0 - infinity + (level - 1.0 + infinity) * ratio / first
        most = profile(losses, masses, ratio) if ratio >= first else chord
        assert profile(places, left, ratio) >= most * (1.0 - 1e-13) - 1e-15


def test_masses_that_add_up_to_1_are_as_they_were() -> None:
    losses, masses = np.array([-1.0, 1.0]), np.array([0.25, 0.5])
    assert all(a is b for a, b in zip(_cut_to_one(losses, masses, 0.25), (losses, masses), strict=True))


def test_nothing_to_lose() -> None:
    assert from_pld(theirs.identity()).epsilon(delta=1e-9).upper == 0.0


def test_the_relation_is_the_one_stated() -> None:
    pld = theirs.from_laplace_mechanism(1.0, value_discretization_interval=STEP)
    assert from_pld(pld).relation == "add_remove"
    assert from_pld(pld, "replace_one").delta(0.5).relation == "replace_one"


def profile(losses: np.ndarray, masses: np.ndarray, ratio: float) -> float:
    return math.fsum(np.maximum(masses * (1.0 - ratio * np.exp(-losses)), 0.0))


@pytest.mark.parametrize("seed", range(20))
def test_raised_losses_reveal_no_less(seed: int) -> None:
    source = np.random.default_rng(seed)
    losses = np.sort(source.normal(0.02, 1.0, 40))
    masses = source.dirichlet(np.ones(40))
    losses += math.log(math.fsum(masses * np.exp(-losses)) / (1.0 + 10.0 ** source.uniform(-8, -2.1)))  # B has too much
    places, raised = _raised_losses(losses, masses)
    assert math.fsum(masses * np.exp(-losses)) > 1.0 >= math.fsum(raised * np.exp(-places))
    assert places.size <= losses.size
    for ratio in [0.0, *np.exp(losses).tolist(), *np.exp(places).tolist(), *source.uniform(0.0, 5.0, 50).tolist()]:
        before, after = profile(losses, masses, ratio), profile(places, raised, ratio)
        line = math.fsum(masses) - ratio
        assert max(before, line) * (1.0 - 1e-14) <= after <= max(before, line, 0.0) * (1.0 + 1e-9) + 1e-11


def test_what_bounds_nothing_is_refused() -> None:
    optimistic = theirs.from_gaussian_mechanism(
        1.0, value_discretization_interval=STEP, pessimistic_estimate=False, use_connect_dots=False
    )
    for given, said in (
        (optimistic, "a pessimistic estimate"),
        ({0.0: 1.0}, "a PrivacyLossDistribution of dp_accounting"),
        (None, "a PrivacyLossDistribution of dp_accounting"),
        (SimpleNamespace(_pmf_remove=3, _pmf_add=4), "one of dp_accounting's lists"),
        (pmf([0.5, math.nan]), "finite losses with probabilities"),
        (pmf([0.6, 0.4]), "is 1, but for rounding"),
    ):
        with pytest.raises(tb.InvalidParameter, match=said):
            from_pld(given)


def pmf(masses: list[float]) -> SimpleNamespace:
    """Return a list of losses from -1 on, in steps of a tenth."""
    one = SimpleNamespace(_probs=masses, _lower_loss=-10, _discretization=0.1, _infinity_mass=0.0, _pessimistic_estimate=True)
    return SimpleNamespace(_pmf_remove=one, _pmf_add=one)


def test_far_losses_are_raised_too() -> None:
    far = pmf([0.25])
    far._pmf_remove._loss_probs = {-7000: 1e-305, 0: 0.75, 6001: 0.25 - 1e-305}
    answer = from_pld(far).delta(epsilon=100.0)
    assert answer.upper == pytest.approx(0.25)


def test_the_plain_list_says_who_reads_theirs() -> None:
    pld = theirs.from_laplace_mechanism(1.0, value_discretization_interval=STEP)
    with pytest.raises(tb.InvalidParameter, match="from_pld"):
        tb.from_loss_distribution(pld)
    with pytest.raises(tb.InvalidParameter, match="from_pld"):
        tb.from_loss_distribution({-1.0: 1.0}).delta(1.0)
