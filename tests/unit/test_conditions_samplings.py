"""Both sides of the limits that theorems on samplings have: what is used within them, and what is done beyond."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.numerics.mass import Mass
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.infinite_mass import InfiniteMass, either_infinite, mass_known_well
from tightbudget.pairs.profile_of import profile_above

NOISE = tb.Gaussian(sigma=1.0)
RESPONSE = tb.RandomizedResponse(p=0.75)


@pytest.mark.parametrize("m", [0.5e-300, 0.9e-300, 1.1e-300, 2e-300])
@pytest.mark.parametrize("q", [0.25, 0.999])
def test_a_negligible_loss_is_replaced_by_none_and_charged(m: float, q: float) -> None:
    """Where the total variation is below 1e-300 the loss is 0, and the variation is left to the upper end (M3)."""
    truth = mpf(q) * mpf(m) / mpmath.sqrt(2 * mpmath.pi)  # delta(0) = q (2 Phi(m/2) - 1)
    for sampled in (tb.Poisson(tb.Gaussian(1.0, m), q), tb.Poisson(tb.Gaussian(1.0, m), q) * 3):
        found = sampled.delta(0.0)
        assert found.lower <= truth * 3
        assert found.upper >= truth
    assert (tb.Poisson(tb.Gaussian(1.0, m), q)).delta(0.0).lower <= truth


@pytest.mark.parametrize("loss", [599.0, 600.0, 600.5, 700.0, 745.0, 2000.0])
@pytest.mark.parametrize("q", [0.5, 1e-200, 1e-300, 1.0 - 2.0**-50])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_the_largest_loss_of_a_sample_on_both_sides_of_where_1_no_longer_counts(loss: float, q: float, direction: str) -> None:
    with mpmath.workdps(400):
        grown = mpmath.log1p(mpf(q) * mpmath.expm1(mpf(loss)))
        end = grown if direction == "remove" else -mpmath.log1p(mpf(q) * mpmath.expm1(-mpf(loss)))
        found = tb.Poisson(tb.PureDP(loss), q).epsilon(0.0, direction=direction)
        assert found.lower <= end <= found.upper
        assert found.upper <= end * (1 + mpf(10) ** -3) + 1  # 1 - q of 2^-50 is known that badly


def test_as_many_outcomes_as_a_product_may_have() -> None:
    assert tb.Poisson(RESPONSE * 12, 0.1, mix_relations=True).delta(0.5).converged  # 2^12 = 4096
    with pytest.raises(tb.InvalidParameter, match="at most 4096 outcomes"):
        tb.Poisson(RESPONSE * 13, 0.1, mix_relations=True)
    told = tb.Histograms([1, 1, 0], [0, 1, 1])
    assert tb.Poisson(told, 0.1).delta(0.5).converged
    with pytest.raises(tb.InvalidParameter, match="at most 4096 outcomes"):
        tb.Poisson(told * 2, 0.1)


@pytest.mark.parametrize("k", [2, 5])
def test_losses_of_a_group_that_comes_end_where_nobody_is_drawn(k: int) -> None:
    q, end = 0.1, -k * math.log1p(-0.1)
    group = tb.Poisson(NOISE, q).group(k)
    assert group.delta(end * (1 - 1e-3), direction="add").upper > 0.0
    assert group.delta(end * (1 + 1e-9), direction="add").upper < 1e-290
    assert group.delta(end * 20, direction="remove").lower > 0.0
    largest = group.epsilon(0.0, direction="add")
    assert largest.lower <= end * (1 + 1e-15)
    assert end * (1 - 1e-15) <= largest.upper < 2.0 * end
    assert group.epsilon(0.0, direction="remove").upper == math.inf


def test_moves_that_floats_hold_well() -> None:
    """Centres are known to six roundings each: several moves of less than 1e-280 sigmas are refused."""
    makers = [
        lambda noise: tb.Poisson(noise, 0.5).group(2),
        lambda noise: tb.SampledGroup(noise, [0.5, 0.25]),
        lambda noise: tb.MixtureOfGaussians(noise.sigma, [0, 1], [0.5, 0.5]),
    ]
    for make in makers:
        found = make(tb.Gaussian(0.9e280)).delta(0.0)
        assert found.lower <= 1e-280 <= found.upper
        with pytest.raises(tb.InvalidParameter):
            make(tb.Gaussian(1.2e280))
    # a copy of a record that takes the place of another moves twice as far
    assert tb.WithReplacement(tb.Gaussian(1.9e280), 2, 10, relation="add_remove").batch == 2
    with pytest.raises(tb.UnknownRelation):
        tb.WithReplacement(tb.Gaussian(2.1e280), 2, 10, relation="add_remove")


@pytest.mark.parametrize("relation", ["add_remove", "zero_out", "replace_one"])
@pytest.mark.parametrize("make", [lambda noise: tb.Poisson(noise, 0.1), lambda noise: tb.TruncatedPoisson(noise, 0.1, 3, 20)])
def test_a_move_below_all_floats_is_no_more_at_the_lower_end(make: object, relation: str) -> None:
    """A move of 1e-324 sigmas is taken for the smallest float, five times as much: only the upper end may have that."""
    found = make(tb.Gaussian(1e300, 1e-24)).delta(0.0, relation=relation)  # type: ignore[operator]
    assert found.lower == 0.0 < found.upper < 1e-320


@pytest.mark.parametrize("make", [tb.TruncatedLaplace, tb.TruncatedGaussian])
def test_noise_that_is_cut_off_has_no_pair_of_three_laws(make: type) -> None:
    """The worst neighbours are known of noise that is symmetric and log-concave on the whole line (M28)."""
    with pytest.raises(tb.UnknownRelation):
        tb.Poisson(make(1.0, 3.0), 0.1, relation="replace_one")
    assert tb.Poisson(make(1.0, 3.0), 0.1).delta(0.5).converged
    assert tb.Poisson(tb.Laplace(1.0), 0.1, relation="replace_one").delta(0.05).converged


@pytest.mark.parametrize(
    ("mass", "known"),
    [
        (InfiniteMass(Mass.about(-1.0, 1e-12), 1801.0), True),
        (InfiniteMass(Mass.about(-1.0, 1e-12), 1800.0), False),
        (InfiniteMass(Mass.about(-699.0, 1e-12)), True),
        (InfiniteMass(Mass.about(-701.0, 1e-12)), False),
        (InfiniteMass(Mass.about(-1.0, 0.9e-3)), True),
        (InfiniteMass(Mass.about(-1.0, 1.1e-3)), False),
    ],
)
def test_what_a_dominated_pair_may_tell_for_certain(mass: InfiniteMass, known: bool) -> None:
    value, doubt = mass_known_well(mass)
    assert (value > 0.0) is known
    assert doubt < 2e-3


def test_one_of_two_pairs_is_told_at_sight_only_below_the_smaller_loss() -> None:
    """Of masses of 1/4 with losses from 3000 on and 1/2 of infinite loss only the second counts everywhere (M30)."""
    parts = InfiniteMass(Mass.exactly(Fraction(1, 2)), 3000.0), InfiniteMass(Mass.exactly(1))
    told = either_infinite([(parts[0], math.log(0.5)), (parts[1], math.log(0.5))], 1e-12)
    assert told.at(2199.0).lower == pytest.approx(0.75, rel=1e-9)
    for epsilon in (2201.0, 3001.0, math.inf):
        assert told.at(epsilon).lower <= 0.5
        assert told.at(epsilon).upper >= 0.75
    assert not either_infinite([], 0.0).possible


def test_a_capped_sample_told_at_sight_counts_far_below_its_losses_only() -> None:
    """With noise of 1e-5 the parts of the pair have losses of about 5e9 and 2e10 (M30)."""
    sampled = tb.TruncatedPoisson(tb.Gaussian(1e-5), q=0.1, cap=3, examples=20)
    above = tb.Poisson(tb.Gaussian(1e-5, 2.0), 0.1)
    for epsilon in (1.0, 1e6, 3.9e9, 4.1e9, 4.9e9, 5.1e9, 1.5e10, 1.9e10, 2.1e10, 1e12):
        found = sampled.delta(epsilon)
        assert found.lower <= above.delta(epsilon).upper
        assert found.upper >= tb.Poisson(tb.Gaussian(1e-5), 0.05).delta(epsilon).lower
    assert sampled.delta(1e6).lower > 0.05
    assert sampled.delta(2.1e10).lower == 0.0


@pytest.mark.parametrize("sigma", [1e-148, 0.9e-149, 1e-150, 1e-160])
def test_a_capped_sample_with_next_to_no_noise(sigma: float) -> None:
    found = tb.TruncatedPoisson(tb.Gaussian(sigma), q=0.1, cap=3, examples=20).delta(1.0)
    exact = tb.TruncatedPoisson(tb.Gaussian(0.0), q=0.1, cap=3, examples=20).delta(1.0)
    assert found.lower <= exact.upper
    assert found.upper >= exact.lower


def test_shares_and_batches_at_the_ends_of_what_is_counted() -> None:
    assert tb.WithoutReplacement(NOISE, 1, 2**53, relation="replace_one").delta(0.0).upper < 1e-12
    assert tb.WithReplacement(NOISE, 500, 1).delta(1.0).upper <= 1.0
    refused = [
        lambda: tb.WithoutReplacement(NOISE, 1, 2**53 + 1),
        lambda: tb.WithoutReplacement(NOISE, 8, 7),
        lambda: tb.WithReplacement(NOISE, 501, 1),
        lambda: tb.RandomAllocation(NOISE, 1_000_001),
        lambda: tb.RandomAllocation(NOISE, 4, 5),
        lambda: tb.RandomAllocation(NOISE, 4, 0),
        lambda: tb.ShuffledBatches(NOISE, 1_000_001),
        lambda: tb.TruncatedPoisson(NOISE, 0.5, 0, 10),
        lambda: tb.TruncatedPoisson(NOISE, 1.0 + 2.0**-52, 5, 10),
    ]
    for make in refused:
        with pytest.raises(tb.InvalidParameter):
            make()
    assert tb.RandomAllocation(NOISE, 1_000_000).batches == tb.ShuffledBatches(NOISE, 1_000_000).batches
    assert tb.RandomAllocation(NOISE, 4, 4).delta(1.0).upper == pytest.approx(tb.Gaussian(0.5).delta(1.0).upper, rel=1e-6)
    assert tb.TruncatedPoisson(NOISE, 1.0, 1, 10).delta(1.0).upper < tb.TruncatedPoisson(NOISE, 1.0, 10, 10).delta(1.0).upper


def test_the_choices_of_an_analyst_are_followed_for_32_steps() -> None:
    step = tb.WithoutReplacement(RESPONSE, 1, 2, relation="replace_one")
    assert step.choosing_analyst(1) is None
    assert step.choosing_analyst(33) is None
    assert step.choosing_analyst(32) is not None
    assert step.under("add_remove").choosing_analyst(2) is None  # type: ignore[attr-defined]
    for count in (32, 33):
        found = (step * count).delta(2.0)
        assert 0.0 < found.lower < found.upper


@pytest.mark.parametrize("ratio", [0.9e-3, 1.1e-3, 49.0, 51.0])
@pytest.mark.parametrize("share", [(1, 2), (1, 900), (1, 1100), (9, 10**10), (11, 10**10)])
def test_others_that_pull_one_way_within_what_cells_resolve(ratio: float, share: tuple[int, int]) -> None:
    """The answer of others at -1 is looked at through cells: no lower end may be above noise that tells all of it."""
    step = tb.WithoutReplacement(tb.Gaussian(1.0 / ratio), *share, relation="zero_out")
    rate, bound = Fraction(*share), tb.Gaussian(1.0 / ratio, 2.0)
    for epsilon in (0.0, 0.5):
        found = step.delta(epsilon)
        # who is told whether the record is drawn sees a move of one at most 2, or nothing
        assert found.lower <= float(rate) * bound.delta(0.0).upper * (1 + 1e-9) + 1e-15
        assert found.upper >= tb.Poisson(tb.Gaussian(1.0 / ratio), float(rate)).delta(epsilon).lower * (1 - 1e-9)


@pytest.mark.parametrize("ratio", [0.9e-3, 1.1e-3, 1.9, 2.1, 19.0, 21.0])
def test_the_largest_answer_within_what_its_grid_resolves(ratio: float) -> None:
    noise = tb.Gaussian(1.0 / ratio)
    for batches in (2, 50):
        for epsilon in (0.0, 0.5):
            found = tb.ShuffledBatches(noise, batches).delta(epsilon)
            assert found.lower <= noise.delta(epsilon).upper
            assert found.upper >= noise.delta(epsilon).lower


@pytest.mark.parametrize("m", [0.9e-100, 1.1e-100, 1.0, 0.9e100, 1.1e100])
def test_profiles_in_closed_form_and_by_cells(m: float) -> None:
    losses = np.array([0.0, 1.0])
    found = profile_above(GaussianPair(m))(losses)
    with mpmath.workdps(250):
        for loss, bound in zip(losses.tolist(), found.tolist(), strict=True):
            u, v = mpf(m) / 2 - mpf(loss) / mpf(m), -mpf(m) / 2 - mpf(loss) / mpf(m)
            assert bound >= mpmath.ncdf(u) - mpmath.exp(mpf(loss)) * mpmath.ncdf(v)


def test_matrices_at_the_ends_of_what_is_computed() -> None:
    assert tb.MatrixMechanism(1.0, [[1.0] * 1000]).delta(1.0).converged
    for strategy in ([[1.0] * 1001], [[1.1e100]], [[0.9e-100]]):
        with pytest.raises(tb.InvalidParameter):
            tb.MatrixMechanism(1.0, strategy)
    for entry in (0.9e100, 1.1e-100):
        found = tb.MatrixMechanism(entry, [[entry]]).delta(1.0)
        assert found.lower <= NOISE.delta(1.0).upper
        assert found.upper >= NOISE.delta(1.0).lower
    with pytest.raises(tb.InvalidParameter):
        tb.MatrixMechanism(1.0, [[1.0, 2.0]], participations=3)
    with pytest.raises(tb.InvalidParameter):
        tb.TreeAggregation(1.0, 8, separation=9)
    assert tb.TreeAggregation(1.0, 8, participations=8, separation=8).delta(1.0).converged


@pytest.mark.parametrize(("size", "alone"), [(199, True), (201, False)])
def test_sets_of_steps_are_tried_one_by_one_up_to_20000(size: int, alone: bool) -> None:
    """Two participations in 199 steps have 19,900 sets, in 201 steps 20,301. Both ends hold the truth, 4."""
    found = tb.MatrixMechanism(2.0, [[1.0] * size], participations=2)
    assert found.squares[0] <= 4.0 <= found.squares[1]
    assert found.delta(1.0).converged
    signed = tb.MatrixMechanism(2.0, [[(-1.0) ** i for i in range(size)]], participations=2)
    assert signed.squares[1] >= 4.0
    assert alone == (math.comb(size, 2) + size <= 20_000)
