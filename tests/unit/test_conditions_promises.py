"""Both sides of the limits within which bounds of profiles, selections, promises, shuffles and games were proved."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget import games
from tightbudget.mechanisms.renyi_promises import ZCDP
from tightbudget.mechanisms.sampled_promise import SampledPromise
from tightbudget.pairs.binary_reports import binary_reports_pair
from tightbudget.pairs.clones import clone_pair
from tightbudget.pairs.from_profile import pair_from_profile
from tightbudget.pairs.hollow_laplace import HollowLaplacePair
from tightbudget.pairs.integer_shifts import can_be_listed
from tightbudget.pairs.moments.subsampled_gaussian import sampled_log_moments
from tightbudget.pairs.power_laws import renyi_pair
from tightbudget.pairs.rayleigh import zcdp_pair
from tightbudget.pairs.short_stream import short_stream_pair
from tightbudget.research.games.steps import Normal, Response

# M32: from a profile to a pair


def list_with_excess(excess: float) -> dict[float, float]:
    """Losses -1 and 1, whose masses of B add up to 1 + excess."""
    rare = (1.0 + excess - math.exp(-1.0)) / (math.e - math.exp(-1.0))
    return {-1.0: rare, 1.0: 1.0 - rare}


def test_a_list_of_losses_has_the_masses_of_two_laws_but_for_rounding() -> None:
    assert tb.from_loss_distribution({0.0: 0.5, 1.0: 0.5 + 9e-7}).delta(0.5).upper >= (0.5 + 9e-7) * -math.expm1(-0.5)
    with pytest.raises(tb.InvalidParameter, match="add up to 1"):
        tb.from_loss_distribution({0.0: 0.5, 1.0: 0.5 + 1.1e-6}).delta(0.5)
    for_a = list_with_excess(9e-10)
    assert tb.from_loss_distribution(for_a).delta(0.5).upper >= for_a[1.0] * -math.expm1(-0.5)
    with pytest.raises(tb.InvalidParameter, match="at most 1"):
        tb.from_loss_distribution(list_with_excess(1.1e-9)).delta(0.5)


def test_losses_of_a_list_are_of_moderate_size() -> None:
    assert tb.from_loss_distribution({600.0: 0.5, 0.0: 0.5}).delta(599.0).upper >= 0.5 * -math.expm1(-1.0)
    with pytest.raises(tb.InvalidParameter, match="from -600 to 600"):
        tb.from_loss_distribution({math.nextafter(600.0, math.inf): 0.5, 0.0: 0.5})


def test_profiles_are_bounded_from_1_to_e_650() -> None:
    bounds = np.array([0.5, 0.4])
    for ratio in (math.nextafter(1.0, 2.0), math.exp(650.0)):
        assert pair_from_profile(("limit", ratio), np.array([ratio]), bounds, bounds) is not None
    for ratio in (1.0, 0.5, math.exp(651.0)):
        with pytest.raises(AssertionError):
            pair_from_profile(("limit", ratio), np.array([ratio]), bounds, bounds)


# M33: selection


def laplace_delta(top: mpf, x: mpf) -> mpf:
    return 1 - mpmath.exp((x - top) / 2) if abs(x) <= top else max(mpf(0), 1 - mpmath.exp(x))


def test_queries_that_take_more_than_the_threshold() -> None:
    """From e2 = e1 on the Laplace profile is a bound at losses from e2 - e1 on, and below only the chord."""
    with mpmath.workdps(30):
        for threshold, queries in ((1.0, 1.0), (1.0, math.nextafter(1.0, 0.0)), (1.0, math.nextafter(1.0, 2.0)), (0.5, 2.0)):
            top, hole = mpf(threshold) + mpf(queries), max(mpf(0), mpf(queries) - mpf(threshold))
            asked = tb.SparseVector(threshold, queries)
            for x in (hole, hole + mpf("1e-9"), hole + (top - hole) / 2, hole * mpf("0.999999"), mpf(0)):
                true = laplace_delta(top, x)
                if x < hole:  # the chord, a straight line in e^x
                    low, high = mpmath.exp(-hole), mpmath.exp(hole)
                    share = (mpmath.exp(x) - low) / (high - low)
                    true = (1 - share) * laplace_delta(top, -hole) + share * laplace_delta(top, hole)
                assert mpf(asked.delta(float(x)).upper) >= true * (1 - mpf("1e-12"))
                assert mpf(asked.delta(float(x)).upper) <= true + mpf("1e-9")


def test_a_hole_lies_between_0_and_the_largest_loss() -> None:
    HollowLaplacePair(2.0, math.nextafter(2.0, 0.0))
    for hole in (0.0, 2.0, -1.0):
        with pytest.raises(AssertionError):
            HollowLaplacePair(2.0, hole)


@pytest.mark.parametrize(("rate", "move"), [(1e-4, 1.0), (1e4, 1.0), (1.0, 1e-5), (1.0, 25.0)])
def test_short_streams_have_rates_and_moves_of_moderate_size(rate: float, move: float) -> None:
    assert short_stream_pair(rate, move, True).losses.size > 0
    step = tb.SparseVector(rate * move, query_epsilon=2.0 * move)
    assert step.member() != tb.PureDP(0.0)
    assert 0.0 <= step.delta(0.0).lower <= step.delta(0.0).upper
    for outside in ((0.999 * rate, move), (1.001 * rate, move), (rate, 0.999 * move), (rate, 1.001 * move)):
        if 1e-4 <= outside[0] <= 1e4 and 1e-5 <= outside[1] <= 25.0:
            continue
        with pytest.raises(AssertionError):
            short_stream_pair(*outside, True)
        assert tb.SparseVector(outside[0] * outside[1], query_epsilon=2.0 * outside[1]).member() == tb.PureDP(0.0)


# M34, M36: promises on Rényi divergences


def order_bound(order: float, tau: float, epsilon: float) -> mpf:
    """The best bound on delta of one order (M10)."""
    with mpmath.workdps(60):
        a = mpf(order)
        variation = mpmath.sqrt(-mpmath.expm1(-mpf(tau)))
        return min(variation, (1 / a) * (1 - 1 / a) ** (a - 1) * mpmath.exp((a - 1) * (mpf(tau) - mpf(epsilon))))


@pytest.mark.parametrize("rho", [1e4, math.nextafter(1e4, math.inf)])
def test_a_large_rho_is_bounded_by_moments_alone(rho: float) -> None:
    """Up to 1e4 the pair is followed; beyond, all counts as revealed and epsilon has the bound by divergences."""
    found = tb.ZCDP(rho).epsilon(1e-6)
    assert rho + 3.0 * math.sqrt(rho) < found.upper <= (rho + 2.0 * math.sqrt(rho * math.log(1e6))) * (1 + 1e-9)
    assert (tb.ZCDP(rho).delta(1.02e4).upper == 1.0) == (rho > 1e4)
    if rho > 1e4:
        with pytest.raises(AssertionError):
            zcdp_pair(rho)


@pytest.mark.parametrize("rho", [1e-14, math.nextafter(1e-14, 0.0)])
def test_a_small_rho_is_followed_by_dots(rho: float) -> None:
    with mpmath.workdps(40):
        epsilon = 4e-7
        best = min(order_bound(1.0 + t, (1.0 + t) * rho, epsilon) for t in np.geomspace(1e6, 1e8, 4000))
        assert best <= tb.ZCDP(rho).delta(epsilon).upper * (1 + 1e-6)
        assert tb.ZCDP(rho).delta(epsilon).upper <= best * (1 + 1e-3)
    if rho < 1e-14:
        with pytest.raises(AssertionError):
            zcdp_pair(rho)


@pytest.mark.parametrize(
    ("order", "tau", "followed"),
    [
        (1.0 + 1.0000001e-6, 1e-3, True), (1.0 + 0.9e-6, 1e-3, False),
        (1e6, 0.5, True), (1.1e6, 0.5, False),
        (2.0, 1e-20, True), (2.0, 0.9e-20, False),
        (2.0, 1e4, True), (2.0, 1.1e4, False),
    ],
)  # fmt: skip
def test_orders_and_divergences_that_are_followed(order: float, tau: float, followed: bool) -> None:
    for epsilon in (tau + 30.0 / (order - 1.0), tau + 40.0 / (order - 1.0)):  # beyond the chord from the total variation
        bound, found = order_bound(order, tau, epsilon), tb.RDP(order, tau).delta(epsilon).upper
        assert found >= bound * (1 - mpf(10) ** -9)
        assert found <= bound * (1 + mpf(10) ** -2) or not followed or tau == 1e4
    if followed:
        renyi_pair((order,), (tau,))
    else:
        with pytest.raises(AssertionError):
            renyi_pair((order,), (tau,))


def test_samples_have_binomial_sums_at_whole_orders_from_2_to_512() -> None:
    promise = SampledPromise(ZCDP(0.01), 0.01)

    def binomial_sum(order: int) -> mpf:
        with mpmath.workdps(40):
            q = mpf(0.01)
            terms = (
                mpmath.binomial(order, k) * (1 - q) ** (order - k) * q**k * mpmath.exp(k * (k - 1) * mpf(0.01))
                for k in range(order + 1)
            )
            return mpmath.log(mpmath.fsum(terms)) / (order - 1)

    for order in (2, 3, 300, 512):
        bound = float(promise.bounds_at(np.array([float(order)]))[0])
        least = min(binomial_sum(order), mpf(order) * mpf(0.01))
        assert least <= bound <= least * (1 + mpf(10) ** -6)
    low, between, high = (float(promise.bounds_at(np.array([order]))[0]) for order in (2.0, 2.5, 3.0))
    assert 1.5 * between == pytest.approx(0.5 * (1.0 * low + 2.0 * high), rel=1e-9)  # chords of (a - 1) D_a
    beyond = float(promise.bounds_at(np.array([512.5]))[0])
    assert beyond >= float(promise.bounds_at(np.array([512.0]))[0])
    for orders in ([1], [513]):
        with pytest.raises(AssertionError):
            sampled_log_moments(np.ones(600), 0.01, np.array(orders))
    for q in (0.0, 1.0):
        with pytest.raises(AssertionError):
            sampled_log_moments(np.ones(600), q, np.array([2]))


def test_what_is_removed_adds_up_to_less_than_1() -> None:
    step = tb.ZCDP(0.1, delta="0.25")
    assert 0.75 <= (step * 3).delta(60.0).upper < 0.76
    assert (step * 4).delta(60.0).upper == 1.0
    assert (step * 3).epsilon(0.75).upper == math.inf
    assert (step * 3).epsilon(0.7500001).upper < math.inf


def test_promises_say_nothing_of_replaced_records_in_samples_nor_of_groups() -> None:
    for promise in (tb.ZCDP(0.1), tb.RDP(2, 0.1)):
        assert tb.Poisson(promise, 0.1).delta(0.5).upper < promise.delta(0.5).upper
        for relation in ("replace_one", "zero_out"):
            assert promise.under(relation) == promise
            with pytest.raises(tb.UnknownRelation):
                tb.Poisson(promise, 0.1, relation=relation)
            assert relation not in tb.Poisson(promise, 0.1).known_relations
        assert promise.group(1) == promise
        with pytest.raises(tb.InvalidParameter, match="group privacy is known"):
            promise.group(2)


# M37: shuffled reports


def test_the_largest_loss_of_reports_that_are_computed_with() -> None:
    inside, outside = (tb.Shuffled(epsilon0=epsilon, users=1000) for epsilon in (599.9, 600.0))
    assert inside.delta(10.0).upper <= outside.delta(10.0).upper == tb.PureDP(600.0).delta(10.0).upper
    tiny = [tb.Shuffled(epsilon0=epsilon, users=1000).delta(0.0).upper for epsilon in (1.1e-280, 0.9e-280)]
    assert 0.0 < tiny[0] <= 1.1e-280
    assert tiny[1] <= tb.PureDP(0.9e-280).delta(0.0).upper
    clone_pair(("limit",), 599.0, 10, 0.5)
    for epsilon, share in ((600.0, 0.5), (1e-291, 0.5), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(AssertionError):
            clone_pair(("limit",), epsilon, 10, share)


@pytest.mark.parametrize(
    ("users", "near", "far"),
    [(2000, 8.0, 8.001), (299, 2.92, 2.93)],  # the largest epsilon, and the least mean, of an average of signs
)
def test_many_clones_and_few_agree_where_they_meet(users: int, near: float, far: float) -> None:
    for epsilon in (0.1, 0.5, 1.5):
        one, other = (tb.Shuffled(epsilon0=promised, users=users).delta(epsilon) for promised in (near, far))
        assert one.lower <= one.upper
        assert one.upper * (1 - 1e-3) <= other.upper <= 1.1 * one.upper


def test_few_events_and_many_agree_where_they_meet() -> None:
    """Up to 283 users there are at most 40,000 events, which are kept as they are."""
    for epsilon in (0.05, 0.2, 0.35):
        few, more = (tb.Shuffled(epsilon0=1.0, users=users).delta(epsilon).upper for users in (283, 284))
        assert more <= few * (1 + 1e-3)
        assert few <= more * (1 + 5e-2)


@pytest.mark.parametrize("users", [999, 1001])
def test_few_numbers_of_ones_and_groups_of_them_are_no_more_than_there_is(users: int) -> None:
    """Randomised response with epsilon0 = 2, all others alike: up to 1000 values of the number of ones stand alone."""
    with mpmath.workdps(30):
        rare = 1 / (1 + mpmath.exp(2))
        row = [mpmath.binomial(users - 1, k) * rare**k * (1 - rare) ** (users - 1 - k) for k in range(users)] + [mpf(0)]
        a = [(1 - rare) * (row[k - 1] if k else 0) + rare * row[k] for k in range(users + 1)]
        b = [rare * (row[k - 1] if k else 0) + (1 - rare) * row[k] for k in range(users + 1)]
        for epsilon in (0.0, 0.05, 0.2):
            g = mpmath.exp(epsilon)
            truth = [
                mpmath.fsum(max(mpf(0), x - g * y) for x, y in zip(one, other, strict=True)) for one, other in ((a, b), (b, a))
            ]
            for direction, true in zip(("remove", "add"), truth, strict=True):
                lower = tb.Shuffled(epsilon0=2.0, users=users).delta(epsilon, direction=direction).lower
                assert true * (1 - mpf("1e-3")) <= lower <= true


def test_reports_of_one_bit_differ() -> None:
    binary_reports_pair(10, 0.6, 0.4)
    for one, others in ((0.4, 0.4), (0.4, 0.6), (1.0, 0.5), (0.5, 0.0)):
        with pytest.raises(AssertionError):
            binary_reports_pair(10, one, others)
    assert tb.Shuffled(tb.RandomizedResponse(0.5), users=10).delta(0.0).upper == 0.0


# M38: noise on vectors


def test_shifts_of_up_to_thirty_sigmas_are_listed() -> None:
    assert can_be_listed(1.0, (30,))
    assert not can_be_listed(1.0, (30, 1))
    near, far = (tb.DiscreteGaussian(1.0, sensitivity, dimension=1000) for sensitivity in (1.0, 31.0))
    assert near.moment_promise is None
    assert far.moment_promise == tb.ZCDP(31 * 31 / 2)


# M39: the best of several runs

BINOMIAL = {"runs": "negative_binomial", "gamma": 0.5}


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        (BINOMIAL | {"eta": -1.0 + 2.0**-53}, BINOMIAL | {"eta": -1.0}),
        (BINOMIAL | {"eta": 1000.0}, BINOMIAL | {"eta": 1000.1}),
        ({"gamma": 1e-12}, {"gamma": 0.9e-12}),
        ({"gamma": 1.0}, {"gamma": 1.1}),
        ({"mean": 1.0}, {"mean": 0.999}),
        ({"mean": 1e12}, {"mean": 1.1e12}),
        ({"runs": "poisson", "mean": 1e-100}, {"runs": "poisson", "mean": 0.9e-100}),
        ({"runs": "binomial", "trials": 2, "p": 1.0 - 2.0**-53}, {"runs": "binomial", "trials": 2, "p": 1.0}),
        ({"runs": "binomial", "trials": 1, "p": 1.0}, {"runs": "binomial", "trials": 1, "p": 1.1}),
        ({"runs": "binomial", "trials": 10**12, "p": 1e-12}, {"runs": "binomial", "trials": 10**12 + 1, "p": 1e-12}),
    ],
)  # fmt: skip
def test_laws_of_the_number_of_runs(inside: dict[str, object], outside: dict[str, object]) -> None:
    answer = tb.RepeatAndSelect(tb.RandomizedResponse(0.6), **inside).delta(0.1)  # type: ignore[arg-type]
    assert 0.0 <= answer.lower <= answer.upper <= 1.0
    with pytest.raises(tb.InvalidParameter):
        tb.RepeatAndSelect(tb.RandomizedResponse(0.6), **outside)  # type: ignore[arg-type]


def test_slopes_that_are_too_far_apart_reveal_everything() -> None:
    """A Poisson number of runs with mean m costs m tanh(1/2): up to 650 it is followed."""
    near, far = (tb.RepeatAndSelect(tb.PureDP(1.0), runs="poisson", mean=mean) for mean in (1380.0, 1407.0))
    assert 1380 * math.tanh(0.5) < 638 < 650 < 1407 * math.tanh(0.5)
    assert near.delta(640.0).upper < 1e-200
    assert far.delta(655.0).upper == 1.0


# M18: games


def test_a_step_is_played_by_what_keeps_its_promise() -> None:
    for kept in (games.response(0.1), games.response(0.1, 1e-3), games.gaussian(0.3), games.step(tb.Gaussian(3.0))):
        assert games.Step(kept.increment, kept.law) == kept
    games.Step(tb.PureDP(0.1), Response(0.05))
    games.Step(None, Response(0.1))  # nothing is declared
    for increment, law in (
        (tb.PureDP(0.1), Response(math.nextafter(0.1, 1.0))),
        (tb.PureDP(0.1), Response(0.1, 1e-9)),
        (tb.ApproximateDP(0.1, 1e-3), Response(0.1, 2e-3)),
        (tb.GaussianDP(0.3), Normal(0.31)),
        (tb.Gaussian(3.0), Normal(0.34)),
    ):
        with pytest.raises(tb.InvalidParameter, match="keeps what is declared"):
            games.Step(increment, law)
