"""Every shipped filter keeps its promise against every adversary: exactly where steps are randomised response.

delta = 0.05 at epsilon = 1 leaves room for views that come close. Claims about coins have a false-alarm rate of 1e-9
each.
"""

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget import games
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.research.games import players

EPSILON, DELTA = 1.0, 0.05
FILTERS = players.shipped_filters()
ADVERSARIES = players.filter_adversaries(EPSILON, DELTA)


@pytest.mark.slow
def test_every_filter_plays() -> None:
    assert {type(make(EPSILON, DELTA)) for make in FILTERS.values()} == set(ALL)


@pytest.mark.parametrize("adversary", mostly_slow(ADVERSARIES.values(), every=3), ids=list(ADVERSARIES))
@pytest.mark.parametrize("make", mostly_slow(FILTERS.values(), every=5), ids=list(FILTERS))
def test_the_view_is_as_private_as_promised(make: players.MakeFilter, adversary: games.Greedy) -> None:
    # the residual filter takes some milliseconds a step, the others microseconds
    rounds = 12 if isinstance(make(EPSILON, DELTA), tb.filters.ResidualFilter) else 100
    for bit in (0, 1):
        assert games.exact_filter(adversary, make(EPSILON, DELTA), rounds=rounds, bit=bit).view.upper <= DELTA


@pytest.mark.parametrize("make", mostly_slow(FILTERS.values(), every=5), ids=list(FILTERS))
def test_no_adversary_at_all_does_better_on_a_menu(make: players.MakeFilter) -> None:
    """The supremum over all strategies, with reveals as large as the filter keeps delta for."""
    slow = isinstance(make(EPSILON, DELTA), tb.filters.ResidualFilter)
    menu = [games.response(0.2), games.response(0.5), games.response(0.0, DELTA / 5)]
    worst = games.worst_view(menu, make(EPSILON, DELTA), rounds=5 if slow else 14).value
    assert worst.upper <= DELTA
    assert worst.lower > 1e-3  # the search does get somewhere


POINTWISE = ["basic", "advanced", "sharpened", "whitehouse"]


@pytest.mark.parametrize("name", POINTWISE)
@pytest.mark.parametrize("adversary", ["fixed", "stop-when-ahead", "greedy", "bursts", "tiny-then-large"])
def test_the_loss_itself_is_above_epsilon_as_rarely_as_promised(name: str, adversary: str) -> None:
    """Definition 3.2, for steps without a delta: these four bound the loss, not only the divergence."""
    game = games.exact_filter(ADVERSARIES[adversary], FILTERS[name](EPSILON, DELTA), rounds=100)
    assert game.pointwise.upper <= DELTA


@pytest.mark.parametrize("name", mostly_slow(["zcdp", "rdp, order 8", "rdp, 9 orders", "gdp"], every=4))
def test_gaussian_steps_do_not_refute_the_promise(name: str) -> None:
    for seed, adversary in enumerate(
        (games.Fixed(games.gaussian(0.1)), games.Greedy([games.gaussian(0.05), games.gaussian(0.2)]))
    ):
        rng = np.random.default_rng(seed)
        played = games.play_filter(adversary, FILTERS[name](EPSILON, DELTA), rounds=200, runs=50_000, rng=rng)
        assert not played.view.refutes(DELTA)
        assert played.view.failures > 0  # there is something to see


@pytest.mark.slow
def test_the_gaussian_filter_is_used_up_to_its_promise() -> None:
    """With one size of step its view has the delta of one Gaussian, a closed form: the game is played right."""
    adversary = games.Fixed(games.gaussian(0.05))
    budget = tb.filters.GDPFilter(EPSILON, DELTA)
    steps = budget.remaining(tb.GaussianDP(mu=0.05))
    truth = (tb.GaussianDP(mu=0.05) * steps).delta(epsilon=EPSILON, rtol=1e-9)
    played = games.play_filter(adversary, budget, rounds=10_000, runs=100_000, rng=np.random.default_rng(5))
    assert played.mean_rounds == steps
    assert played.view.lower() <= truth.upper
    assert played.view.upper() >= truth.lower
    assert truth.lower > 0.9 * DELTA
