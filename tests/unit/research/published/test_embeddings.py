"""Mechanisms as leaves, and what their arguments may be."""

import math

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget import published
from tightbudget.mechanisms import ALL
from tightbudget.published import Direction, embed, fitting_log_factor

EXAMPLES = {
    "gaussian": tb.Gaussian(sigma=3),
    "laplace": tb.Laplace(scale=3),
    "truncated_gaussian": tb.TruncatedGaussian(sigma=3, bound=12),
    "truncated_laplace": tb.TruncatedLaplace(scale=3, bound=12),
    "clamped_gaussian": tb.ClampedGaussian(mean=10, sigma=3, sensitivity=1),
    "clamped_laplace": tb.ClampedLaplace(mean=10, scale=3, sensitivity=1),
    "discrete_gaussian": tb.DiscreteGaussian(sigma=3),
    "discrete_laplace": tb.DiscreteLaplace(scale=3),
    "randomized_response": tb.RandomizedResponse(p=0.7, k=3),
    "bounded_range": tb.BoundedRange(eta=0.4),
    "pure_dp": tb.PureDP(epsilon=0.3),
    "approximate_dp": tb.ApproximateDP(epsilon=0.3, delta=1e-4),
    "gaussian_dp": tb.GaussianDP(mu=0.3),
    "histograms": tb.Histograms((3, 2, 1, 0), (1, 2, 3, 1)),
    "skellam": tb.Skellam(mu=9),
    "poisson": tb.Poisson(tb.Laplace(scale=1), q=0.2),
    "tree_aggregation": tb.TreeAggregation(sigma=6, steps=8),
    "matrix_mechanism": tb.MatrixMechanism(sigma=6, strategy=[[1, 0], [1, 1]]),
    "shuffled_batches": tb.ShuffledBatches(tb.Gaussian(sigma=3), batches=2),
    "random_allocation": tb.RandomAllocation(tb.Gaussian(sigma=3), batches=3),
    "mixture_of_gaussians": tb.MixtureOfGaussians(sigma=3, centres=[0, 1, 2], probabilities=[0.5, 0.25, 0.25]),
    "truncated_poisson": tb.TruncatedPoisson(tb.Gaussian(sigma=3), q=0.2, cap=4, examples=10),
    "group": tb.Group(tb.Poisson(tb.Gaussian(sigma=3), q=0.2), k=2),
    "sampled_group": tb.SampledGroup(tb.Gaussian(sigma=3), [0.2, 0.1]),
    "without_replacement": tb.WithoutReplacement(tb.Gaussian(sigma=3), batch=2, examples=10),
    "with_replacement": tb.WithReplacement(tb.Gaussian(sigma=3), batch=2, examples=10),
    "exponential": tb.Exponential(epsilon=0.4),
    "permute_and_flip": tb.PermuteAndFlip(epsilon=0.4),
    "report_noisy_max": tb.ReportNoisyMax(epsilon=0.4),
    "sparse_vector": tb.SparseVector(threshold_epsilon=0.2, query_epsilon=0.2),
    "repeat_and_select": tb.RepeatAndSelect(tb.Gaussian(sigma=9), runs="logarithmic", gamma=0.5),
    "shuffled": tb.Shuffled(epsilon0=1, users=20),
    "zcdp": tb.ZCDP(rho=0.05),
    "rdp": tb.RDP(alpha=(4, 16), epsilon=(0.1, 0.5)),
}
SUMMED = {"zcdp", "rdp"}  # promises that the engine adds up first, and trees do not


def test_every_mechanism_has_an_example():
    assert set(EXAMPLES) == {mechanism.name for mechanism in ALL}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
@pytest.mark.parametrize("direction", list(Direction))
def test_every_mechanism_fits(name: str, direction: Direction):
    buckets = embed(EXAMPLES[name], 512, direction=direction).buckets
    assert buckets.B.sum() + buckets.infinity == pytest.approx(1.0, abs=1e-10)
    assert buckets.infinity - buckets.distinguishing < 1e-9
    assert abs(buckets.ell[0]) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(sorted(EXAMPLES), every=3))
def test_every_mechanism_agrees_with_the_engine(name: str):
    composition = EXAMPLES[name] * 6
    for epsilon in (0.0, 0.7):
        ours, engine = published.tree_pair(composition, n=512).delta(epsilon), composition.delta(epsilon, rtol=1e-6)
        assert ours.lower <= engine.upper
        assert engine.lower <= ours.upper
        assert name in SUMMED or ours.upper <= 1.5 * engine.upper + 1e-9


def test_an_attained_largest_loss_stays_on_an_edge():
    step = fitting_log_factor(tb.RandomizedResponse(p=0.7).pair(Direction.REMOVE), 1000)
    assert math.log(7 / 3) / step == pytest.approx(512, rel=1e-14)


def test_a_largest_loss_on_an_edge_is_not_moved_up():
    buckets = published.randomized_response(0.7, n=1000).buckets
    assert buckets.indices[buckets.B > 0.0].tolist() == [-512, 512]
    assert abs(buckets.ell).max() < 1e-15


@pytest.mark.parametrize("granularity", [0, 33, 1.5, "fine", math.nan])
def test_granularity_is_checked(granularity: object):
    with pytest.raises(tb.InvalidParameter, match="granularity"):
        published.laplace(2.0, n=32, granularity=granularity)  # type: ignore[arg-type]


@pytest.mark.parametrize("factor", [1.0, 0.5, -1.0, math.nan, math.inf, "f"])
def test_factor_is_checked(factor: object):
    with pytest.raises(tb.InvalidParameter, match="factor"):
        published.histograms([1, 2], [2, 1], factor, 10)  # type: ignore[arg-type]


def test_other_arguments_are_checked():
    with pytest.raises(tb.InvalidParameter, match="mechanism"):
        embed("gaussian")  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter, match="direction"):
        embed(tb.Gaussian(sigma=1), direction="add")  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter, match="composition"):
        published.tree_pair(3)  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter, match="scale"):
        published.laplace(-1.0)
    with pytest.raises(tb.InvalidParameter, match="a is"):
        published.histograms(3, [1.0], 1.5, 10)  # type: ignore[arg-type]


def test_histograms_are_directed():
    one, other = published.histograms([3, 1], [1, 3], 1.5, 10), published.histograms([1, 3], [3, 1], 1.5, 10)
    uneven, swapped = published.histograms([3, 1], [2, 2], 1.5, 10), published.histograms([2, 2], [3, 1], 1.5, 10)
    assert published.delta_low(one.buckets, 0.5) == published.delta_low(other.buckets, 0.5)
    assert published.delta_low(uneven.buckets, 0.2) != published.delta_low(swapped.buckets, 0.2)


@pytest.mark.parametrize(
    "mechanism",
    [
        tb.Gaussian(sigma=1e-3),
        tb.Gaussian(sigma=1e200),
        tb.Laplace(scale=1e-3),
        tb.Laplace(scale=1e250),
        tb.PureDP(epsilon=1e5),
        tb.PureDP(epsilon=1e-300),
        tb.RandomizedResponse(p=1.0),
        tb.RandomizedResponse(p=0.5),
        tb.Histograms((1, 0), (0, 1)),
        tb.Histograms((1, 1e-300), (1e-300, 1)),
        tb.TruncatedGaussian(sigma=1, bound=0.3),
        tb.ApproximateDP(epsilon=0, delta=1),
        tb.Poisson(tb.Gaussian(sigma=1e-2), q=1e-9),
    ],
    ids=str,
)
def test_extreme_mechanisms_have_answers(mechanism: tb.Mechanism):
    """At the limits of float64 the bracket may be wide, but it holds what the engine finds."""
    composition = mechanism * 3
    pair = published.tree_pair(composition, n=64)
    for epsilon in (0.0, 1.0, 1e5, math.inf):
        ours, engine = pair.delta(epsilon), composition.delta(epsilon)
        assert ours.lower <= engine.upper
        assert engine.lower <= ours.upper
    for delta in (0.0, 1e-5, 1.0):
        ours, engine = pair.epsilon(delta), composition.epsilon(delta)
        assert ours.lower <= engine.upper
        assert engine.lower <= ours.upper


ONLY_BOUNDED = [
    tb.from_loss_distribution({-1.0: 0.2689414, 1.0: 0.7310585}),
    tb.ZCDP(0.5),
    tb.SparseVector(1.0, query_epsilon=1.0),
    tb.Shuffled(epsilon0=1.0, users=20),
    tb.Poisson(tb.ZCDP(0.5), q=0.5),
]


@pytest.mark.parametrize("mechanism", ONLY_BOUNDED, ids=lambda one: one.name)
def test_a_pair_that_nobody_attains_says_nothing_from_below(mechanism: tb.Mechanism) -> None:
    """The list of losses only bounds a mechanism, which may reveal nothing: 0.2876 is no lower end of it."""
    leaves = [tb.published.embed(mechanism, 2000, direction=direction) for direction in Direction]
    shown = tb.published.TreePair(*leaves)
    assert shown.delta(0.5).lower == 0.0
    assert not shown.delta(0.5).converged
    assert shown.delta_up(0.5) >= mechanism.delta(0.5).upper * (1 - 1e-6)
    squared = [tb.published.Square(leaf) for leaf in leaves]
    composed = [tb.published.Compose(leaf, leaf) for leaf in leaves]
    assert tb.published.TreePair(*squared).delta_low(0.5) == tb.published.TreePair(*composed).delta_low(0.5) == 0.0


@pytest.mark.parametrize("mechanism", [tb.BoundedRange(1.0), tb.PermuteAndFlip(1.0), tb.PureDP(1.0), tb.Laplace(1.0)], ids=str)
def test_a_pair_that_is_attained_has_both_ends(mechanism: tb.Mechanism) -> None:
    leaf = tb.published.embed(mechanism, 2000)
    found, expected = tb.published.TreePair(leaf, leaf).delta(0.5), mechanism.delta(0.5)
    assert found.converged
    assert found.lower == pytest.approx(expected.lower, rel=1e-6)
