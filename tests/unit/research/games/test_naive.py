"""The unsound uses fail, by figures: exactly, and in simulation with a false-alarm rate of 1e-9 for each claim."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games import naive, walk

pytestmark = pytest.mark.slow


def natural() -> tuple[games.Counterexample, naive.UnsoundNaturalFilter, float]:
    adversary, delta = games.counterexample(first=0.1, second=0.45, epsilon=0.5)
    return adversary, naive.UnsoundNaturalFilter(0.5, delta * (1 + 1e-6)), delta


def test_the_natural_filter_leaks_half_as_much_again() -> None:
    adversary, meter, delta = natural()
    view = games.exact_filter(adversary, meter, rounds=3).view
    excess = 1 + 1 / (1 + math.exp(0.1))  # theory B.0: 1 + p_-
    assert delta == pytest.approx(1.56e-2, rel=3e-3)
    assert view.lower == pytest.approx(2.31e-2, rel=3e-3)
    assert view.lower == pytest.approx(delta * excess, rel=1e-9)
    assert excess == pytest.approx(1.475, rel=1e-4)


def test_each_of_the_two_plans_alone_is_within_the_promise() -> None:
    """The filter is not wrong about what it composes; the choice between the plans is what it misses."""
    adversary, meter, delta = natural()
    first, second, reveal = adversary.menu
    for plan in (games.Plan([first, second]), games.Plan([first, reveal])):
        assert games.exact_filter(plan, meter, rounds=2).view.upper <= delta * (1 + 1e-6)


def test_simulation_sees_the_natural_filter_fail() -> None:
    adversary, meter, _ = natural()
    view = games.play_filter(adversary, meter, rounds=3, runs=200_000, rng=np.random.default_rng(1)).view
    assert view.refutes(meter.delta)


def test_the_fixed_time_bound_fails_as_an_odometer() -> None:
    bounds = walk.odometer_bounds(naive.UnsoundFixedTimeOdometer(0.05), 0.1, 20_000)
    failing = walk.crossing_probabilities(0.1, bounds)
    assert failing[-1] == pytest.approx(0.1547, abs=5e-5)  # theory B.0 simulated .153
    assert failing[99] > 0.05  # a hundred rounds are enough


def test_the_fixed_time_bound_is_right_at_a_fixed_time() -> None:
    bounds = walk.odometer_bounds(naive.UnsoundFixedTimeOdometer(0.05), 0.1, 1000)
    only_at_the_end = np.full(1000, np.inf)
    only_at_the_end[-1] = bounds[-1]
    assert walk.crossing_probabilities(0.1, only_at_the_end)[-1] <= 0.05


def test_the_bound_as_printed_fails_too() -> None:
    """Its drift, twice the true one, hides the failure only where steps are large."""
    bounds = walk.odometer_bounds(naive.UnsoundFixedTimeOdometer(0.05, drift="drv"), 0.001, 20_000)
    assert walk.crossing_probabilities(0.001, bounds)[-1] == pytest.approx(0.1492, abs=5e-5)


def test_simulation_sees_the_fixed_time_bound_fail() -> None:
    played = games.play_odometer(
        games.StopWhenAhead(games.response(0.1)),
        naive.UnsoundFixedTimeOdometer(0.05),
        rounds=2000,
        runs=4000,
        rng=np.random.default_rng(2),
    )
    assert played.crossing.refutes(0.05)


def test_growing_steps_break_the_fixed_time_bound_quickly() -> None:
    """The sum of squares passes through many scales in few rounds."""
    menu = [games.response(1e-4 * 2**power) for power in range(10)]
    adversary = games.TinyThenLarge(menu, each=20)
    failing = games.exact_odometer(adversary, naive.UnsoundFixedTimeOdometer(0.05), rounds=200)
    assert failing.lower > 0.10


def test_dividing_delta_as_one_goes_fails() -> None:
    """The delta of the view in closed form but for one integral, and seen in simulation."""
    epsilon, first, second, threshold = 1.0, 0.5, 0.5, -0.2
    delta = naive.plain_gaussian_delta(math.hypot(first, second), epsilon) * (1 + 1e-9)
    rest = delta - naive.plain_gaussian_delta(first, epsilon)
    adversary = games.SpendTheRest(first, second, rest * (1 - 1e-9), threshold)
    law = norm(first**2 / 2, first)

    def told(loss: float) -> float:
        """delta of the second step, seen from a loss: E(1 - e^(epsilon - loss - L))_+."""
        gap = epsilon - loss
        return float(norm.cdf(second / 2 - gap / second) - math.exp(gap) * norm.cdf(-second / 2 - gap / second))

    after_tell = quad(lambda loss: law.pdf(loss) * told(loss), threshold, 8.0, epsabs=1e-12)[0]
    truth = after_tell + law.cdf(threshold) * adversary.menu[2].law.delta  # type: ignore[attr-defined]
    assert truth > 1.2 * delta
    played = games.play_filter(
        adversary, naive.UnsoundSplitFilter(epsilon, delta), rounds=3, runs=400_000, rng=np.random.default_rng(3)
    ).view
    assert played.lower() <= truth <= played.upper()
    assert played.refutes(delta)


def test_the_unsound_are_not_among_the_filters() -> None:
    assert not [name for name in dir(tb.filters) if "nsound" in name or "atural" in name]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: naive.UnsoundFixedTimeOdometer(0.0), "above 0"),
        (lambda: naive.UnsoundFixedTimeOdometer(0.1, drift="none"), "drift"),
        (lambda: naive.UnsoundFixedTimeOdometer(0.1).spend(tb.GaussianDP(mu=1)), "pure_dp"),
        (lambda: naive.UnsoundSplitFilter(1, 0.1).quote(tb.PureDP(epsilon=1)), "gaussian_dp"),
        (lambda: games.counterexample(first=0.1, second=0.7, epsilon=0.5), "second"),
        (lambda: games.step("laplace"), "increment"),
    ],
)
def test_bad_input_is_named(make: object, match: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=match):
        make()  # type: ignore[operator]
