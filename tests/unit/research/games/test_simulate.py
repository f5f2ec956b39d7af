"""The laws of the steps and the rules of the game, as far as they are not covered by exact comparison."""

import math
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games import naive
from tightbudget.research.games.estimate import Estimate
from tightbudget.research.games.steps import Normal, Response

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("bit", [0, 1])
def test_randomised_response_follows_its_table(bit: int) -> None:
    """Definition 2.6, every cell, each with a false-alarm rate of 2e-9."""
    epsilon, delta, runs = 0.4, 0.1, 200_000
    losses = Response(epsilon, delta).draw(np.random.default_rng(bit), runs, bit)
    tells = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    sign = 1 - 2 * bit
    for loss, probability in ((sign * math.inf, delta), (sign * epsilon, tells), (-sign * epsilon, 1 - delta - tells)):
        seen = Estimate(int((losses == loss).sum()), runs)
        assert seen.lower() <= probability <= seen.upper()


@pytest.mark.parametrize("bit", [0, 1])
def test_the_gaussian_loss_has_its_mean_and_variance(bit: int) -> None:
    """Six standard errors: a false-alarm rate below 1e-8."""
    mu, runs = 0.5, 200_000
    losses = Normal(mu).draw(np.random.default_rng(bit), runs, bit)
    assert abs(losses.mean() - (0.5 - bit) * mu**2) < 6 * mu / math.sqrt(runs)
    assert abs(losses.std() - mu) < 6 * mu / math.sqrt(2 * runs)


@pytest.mark.parametrize(
    ("increment", "law"),
    [
        (tb.PureDP(epsilon=0.3), Response(0.3)),
        (tb.ApproximateDP(epsilon=0.3, delta=0.01), Response(0.3, 0.01)),
        (tb.GaussianDP(mu=0.2), Normal(0.2)),
        (tb.Gaussian(sigma=4.0, sensitivity=2.0), Normal(0.5)),
    ],
)
def test_a_promise_is_played_by_its_worst_mechanism(increment: Any, law: Any) -> None:
    assert games.step(increment) == games.Step(increment, law)


def test_the_same_seed_gives_the_same_game() -> None:
    def played() -> games.Estimate:
        return games.play_odometer(
            games.Bursts(games.response(0.1), games.response(0.3)),
            naive.UnsoundFixedTimeOdometer(0.05),
            rounds=50,
            runs=500,
            rng=np.random.default_rng(4),
        ).crossing

    assert played() == played()


def test_a_refused_step_ends_the_run_and_is_not_played() -> None:
    budget = tb.filters.BasicFilter(epsilon=0.5, delta=0)
    game = games.play_filter(games.Fixed(games.response(0.1)), budget, rounds=100, runs=50, rng=np.random.default_rng(0))
    assert game.mean_rounds == 5
    assert game.pointwise.failures == 0
    assert budget.spent["epsilon"] == 0  # the caller's filter is not touched


def test_a_loss_that_equals_its_bound_is_no_failure() -> None:
    """Ten answers that all tell: the loss is the sum 0.1 + ... + 0.1, one ulp beside the budget of 1."""
    budget = tb.filters.BasicFilter(epsilon=1, delta=0)
    game = games.play_filter(games.Fixed(games.response(0.1)), budget, rounds=20, runs=50_000, rng=np.random.default_rng(0))
    assert game.mean_rounds == 10
    assert game.pointwise.failures == 0


def test_paths_show_every_round_and_end_where_the_adversary_stops() -> None:
    losses, bounds = games.paths(
        games.StopWhenAhead(games.response(0.1)),
        naive.UnsoundFixedTimeOdometer(0.5),
        rounds=60,
        runs=40,
        rng=np.random.default_rng(1),
    )
    assert losses.shape == bounds.shape == (40, 61)
    for loss, bound in zip(losses, bounds, strict=True):
        played = int(np.isfinite(loss).sum())
        assert np.isnan(loss[played:]).all()
        assert played == 61 or loss[played - 1] > bound[played - 1]
        assert not (loss[1 : played - 1] > bound[1 : played - 1] * (1 + 1e-9)).any()


def test_spending_the_rest_never_spends_both() -> None:
    adversary = games.SpendTheRest(0.5, 0.5, 0.01, threshold=0.0)
    view = games.View(1, np.array([-1.0, 1.0]), np.full(2, 9.0), np.ones((2, 3), bool))
    assert adversary.next_step(view).tolist() == [2, 1]


@pytest.mark.parametrize(("rounds", "runs", "bit"), [(0, 1, 0), (1, 0, 0), (1, 1, 2), (1.5, 1, 0), (True, 1, 0)])
def test_bad_games_are_refused(rounds: Any, runs: Any, bit: Any) -> None:
    with pytest.raises(tb.InvalidParameter):
        games.play_filter(
            games.Fixed(games.response(0.1)),
            games.Unlimited(1.0),
            rounds=rounds,
            runs=runs,
            bit=bit,
            rng=np.random.default_rng(0),
        )


def test_a_revealed_bit_under_an_odometer_that_shows_infinity_goes_on() -> None:
    meter = tb.odometers.MixtureOdometer(delta=0.05)  # nothing kept for the deltas of steps
    adversary = games.Greedy([games.response(0.1), games.response(0.2, 0.3)])
    game = games.play_odometer(adversary, meter, rounds=8, runs=50, rng=np.random.default_rng(0))
    assert game.mean_rounds == 8
    assert game.crossing.failures == 0  # infinity is a bound, if a useless one
