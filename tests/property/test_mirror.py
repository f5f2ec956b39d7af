"""The pair of one direction is that of the other with its members exchanged, where a mechanism says so: trade-off
curves rest on it (M23).

H at -epsilon of (A, B), from the masses of its own losses, is 1 - e^-epsilon + e^-epsilon H at epsilon of (B, A).
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property import strategies as kinds

import tightbudget as tb
from tightbudget.engine.refine import delta_bracket
from tightbudget.mechanisms import Mechanism
from tightbudget.mechanisms.integer_vectors import OneShift
from tightbudget.mechanisms.repeat_and_select import ScoredByLoss
from tightbudget.mechanisms.shuffled import BinaryReports
from tightbudget.mechanisms.without_replacement import OneBranch
from tightbudget.pairs.base import Direction, Pair

MECHANISMS = st.one_of(
    kinds.gaussians,
    kinds.laplaces,
    kinds.truncated_gaussians,
    kinds.truncated_laplaces,
    kinds.clamped_gaussians,
    kinds.clamped_laplaces,
    kinds.discrete_gaussians,
    kinds.discrete_laplaces,
    kinds.randomized_responses,
    kinds.bounded_ranges,
    kinds.pure_promises,
    kinds.approximate_promises,
    kinds.gaussian_promises,
    kinds.histograms(),
)


def mass_above(pair: Pair, epsilon: float) -> float:
    """Return A(S) - e^epsilon B(S) for S of all losses above epsilon, of either sign, in plain floats."""
    points = pair.points()
    above = points.where(points.low > epsilon)
    tail = pair.cells(np.array([epsilon, math.inf]))
    parts = [pair.infinity.upper, *(np.exp(above.log_a) - math.exp(epsilon) * np.exp(above.log_b)).tolist()]
    if tail.size:
        parts.append(math.exp(tail.log_a[0]) - math.exp(epsilon) * math.exp(tail.log_b[0]))
    return math.fsum(parts)


ONE_SIDED = tb.Histograms([3, 0, 2, 5], [1, 1, 0, 4])
NOISE = tb.Gaussian(1.3)
SAY_SO: list[Mechanism] = [
    tb.Poisson(ONE_SIDED, 0.3),
    tb.Poisson(tb.Poisson(NOISE, 0.4), 0.3),
    tb.Poisson(tb.Histograms([1, 3, 0], [2, 0, 5], without=[3, 1, 1]), 0.4, relation="replace_one"),
    tb.Poisson(NOISE, 0.2, relation="replace_one"),
    tb.Poisson(tb.Laplace(1.0), 0.2, relation="replace_one"),
    tb.Poisson(tb.DiscreteLaplace(1.0), 0.2, relation="replace_one"),
    tb.Poisson(tb.Skellam(3.0), 0.2, relation="replace_one"),
    tb.Poisson(tb.Histograms([1, 3], [2, 5]) + tb.Histograms([1, 4], [4, 2]), 0.4),
    tb.Skellam(2.0),
    tb.DiscreteGaussian(1.0, sensitivity=1.0, dimension=2),
    tb.TreeAggregation(2.0, steps=4),
    tb.MatrixMechanism(2.0, [[1.0, 0.5], [0.0, 1.0]]),
    tb.MixtureOfGaussians(1.0, [0, 1, 3], [0.5, 0.25, 0.25]),
    tb.Poisson(NOISE, 0.2).group(3),
    tb.Poisson(NOISE, 0.2, relation="replace_one").group(3),
    tb.SampledGroup(NOISE, [0.1, 0.5, 1.0]),
    tb.RandomizedResponse(0.7, 3),
    tb.RandomizedResponse(0.7, 3, relation="zero_out"),
    tb.WithoutReplacement(tb.DiscreteLaplace(1.0), 1, 4),
    tb.WithoutReplacement(NOISE, 2, 8),
    tb.WithReplacement(NOISE, 3, 8, relation="add_remove"),
    tb.Exponential(0.7),
    tb.PermuteAndFlip(0.7),
    tb.ReportNoisyMax(0.7),
    OneShift(1.5, (1, 2)),
    OneBranch(ONE_SIDED, 0.4),
    BinaryReports(0.7, 0.4, 9),
]
DO_NOT: list[Mechanism] = [
    tb.WithoutReplacement(NOISE, 2, 8, relation="zero_out"),
    tb.WithoutReplacement(NOISE, 2, 8, relation="replace_one"),
    tb.WithReplacement(NOISE, 2, 8),
    tb.RandomAllocation(NOISE, 5),
    tb.RandomAllocation(NOISE, 5).member(),
    tb.RandomAllocation(ONE_SIDED, 5, times=2).member(),
    tb.ShuffledBatches(NOISE, 5),
    tb.ShuffledBatches(NOISE, 5).member(),
    tb.WithoutReplacement(NOISE, 2, 8, relation="zero_out").member(),
    tb.Shuffled(epsilon0=1.0, users=10),
    tb.RepeatAndSelect(ONE_SIDED, mean=2.0),
    tb.SparseVector(1.0, 1.0),
    tb.SparseVector(1.0, 1.0).member(),
    tb.DiscreteGaussian(1.0, sensitivity=3.0, dimension=2),
    tb.from_loss_distribution({1.0: 0.5, -1.0: 0.1}),
    tb.Poisson(tb.from_loss_distribution({1.0: 0.5, -1.0: 0.1}), 0.5),
    ScoredByLoss(tb.RepeatAndSelect(ONE_SIDED, mean=2.0)),
]


@given(MECHANISMS, st.floats(0.01, 3.0))
def test_each_direction_is_the_mirror_of_the_other(mechanism: Mechanism, epsilon: float) -> None:
    check_mirror(mechanism, epsilon)


@pytest.mark.parametrize("mechanism", SAY_SO, ids=str)
def test_wrappers_that_say_so_are_mirrored(mechanism: Mechanism) -> None:
    for epsilon in (0.05, 0.3, 1.0, 2.0):
        check_mirror(mechanism, epsilon)


@pytest.mark.parametrize("mechanism", DO_NOT, ids=str)
def test_what_need_not_be_mirrored_does_not_say_so(mechanism: Mechanism) -> None:
    """Pairs of profiles, of the worst of several laws, of laws with events left out."""
    assert not mechanism.orders_exchanged
    assert not tb.compose([mechanism, tb.Histograms([1, 2], [2, 1])], mix_relations=True)._orders_exchanged


def test_all_that_can_say_so_are_looked_at() -> None:
    def below(kind: type[Mechanism]) -> set[type[Mechanism]]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    drawn = {tb.Gaussian, tb.Laplace, tb.TruncatedGaussian, tb.TruncatedLaplace, tb.ClampedGaussian, tb.ClampedLaplace}
    drawn |= {tb.DiscreteGaussian, tb.DiscreteLaplace, tb.BoundedRange, tb.PureDP, tb.ApproximateDP, tb.GaussianDP}
    looked_at = drawn | {type(mechanism) for mechanism in SAY_SO}
    looked_at |= {type(mechanism.mechanism) for mechanism in SAY_SO if isinstance(mechanism, tb.Poisson)}
    able = {kind for kind in below(Mechanism) if kind.orders_exchanged is not Mechanism.orders_exchanged}
    names = {kind.__name__ for kind in able - looked_at if kind.__module__.startswith("tightbudget")}
    assert names == {"AdditiveNoise", "CorrelatedNoise", "Selection"}  # of these there are only kinds


def check_mirror(mechanism: Mechanism, epsilon: float) -> None:
    assert mechanism.orders_exchanged
    pair = mechanism.pair(Direction.REMOVE)
    if pair is None:
        assert mechanism.pair(Direction.ADD) is None
        return
    other = mechanism._directions[-1]
    bracket = delta_bracket((other,), epsilon, 1e-6, 1e-12)
    expected = -math.expm1(-epsilon) + math.exp(-epsilon) * bracket.upper
    assert abs(mass_above(pair, -epsilon) - expected) <= 1e-5 * expected + 1e-9
