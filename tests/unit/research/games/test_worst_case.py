"""Backward induction against the plain search of every strategy on every path."""

import pytest
from tests.support import brute_force

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games import naive

MENU = [games.response(0.05), games.response(0.2, 0.002), games.response(0.0, 0.01)]
PLAIN = [(item.increment, item.law.epsilon, item.law.delta) for item in MENU]


def generous() -> tb.filters.SharpenedFilter:
    return tb.filters.SharpenedFilter(epsilon=0.4, delta=0.9, delta_for_steps=0.05)


@pytest.mark.slow
def test_the_largest_delta_of_a_view() -> None:
    worst = games.worst_view(MENU, generous(), rounds=5).value
    truth = brute_force.best_view(PLAIN, generous, 0.4, 5)
    assert truth > 0.02
    assert worst.lower <= truth <= worst.upper
    assert worst.width < 1e-12 * worst.upper


@pytest.mark.slow
def test_the_largest_crossing_probability() -> None:
    menu = [games.response(0.05), games.response(0.2)]
    plain = [(item.increment, item.law.epsilon, item.law.delta) for item in menu]
    worst = games.worst_crossing(menu, naive.UnsoundFixedTimeOdometer(0.3), rounds=7).value
    truth = brute_force.best_crossing(plain, lambda: naive.UnsoundFixedTimeOdometer(0.3), 7)
    assert truth > 0.1
    assert worst.lower <= truth <= worst.upper


@pytest.mark.parametrize(
    "adversary",
    [
        games.Fixed(games.response(0.2, 0.002)),
        games.StopWhenAhead(games.response(0.05)),
        games.Greedy(MENU[:2]),
        games.Bursts(MENU[0], MENU[1], trigger=0.1),
        games.TinyThenLarge(MENU[:2], each=3),
    ],
    ids=lambda adversary: adversary.name,
)
def test_no_strategy_beats_the_best(adversary: games.Greedy) -> None:
    worst = games.worst_view(MENU, generous(), rounds=12).value
    assert games.exact_filter(adversary, generous(), rounds=12).view.lower <= worst.upper


@pytest.mark.slow
def test_the_counterexample_is_the_best_that_can_be_done_on_its_menu() -> None:
    """The search finds the two-step adversary by itself."""
    adversary, delta = games.counterexample()
    natural = naive.UnsoundNaturalFilter(0.5, delta * (1 + 1e-6))
    worst = games.worst_view(adversary.menu, natural, rounds=4).value
    played = games.exact_filter(adversary, natural, rounds=4).view
    assert worst.upper == pytest.approx(played.upper, rel=1e-12)


def test_a_menu_without_a_common_unit_is_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match="short decimals"):
        games.worst_view([games.response(0.1), games.response(2**0.5)], generous(), rounds=3)
