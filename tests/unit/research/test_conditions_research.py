"""Both sides of the limits of published buckets, of bounds by samples and of games played exactly."""

import itertools
import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import games
from tightbudget.numerics.clopper_pearson import clopper_pearson
from tightbudget.numerics.rounding import U
from tightbudget.research.games import exact, worst_case
from tightbudget.research.games.lattice import LARGEST, Lattice
from tightbudget.research.games.steps import response
from tightbudget.research.published import tree as trees
from tightbudget.research.published.buckets import MOST_ERROR, bucket_list
from tightbudget.research.published.tree import MOST_BUCKETS, Leaf
from tightbudget.research.studies.timing import from_counts
from tightbudget.research.studies.vuvuzela import Setting

LAPLACE = tb.Laplace(scale=2.0)


def test_buckets_of_a_tree_fit_into_the_longest_transform() -> None:
    assert trees.bucket_count(MOST_BUCKETS) == MOST_BUCKETS
    assert trees.bucket_count(2) == 2
    for n in (MOST_BUCKETS + 2, 0, 3):
        with pytest.raises(tb.InvalidParameter):
            trees.bucket_count(n)


def test_edges_of_buckets_are_floats() -> None:
    pair = LAPLACE.pair(tb.published.Direction.REMOVE)
    assert pair is not None
    for step in (1e-200, 1e200):
        Leaf(pair, step, 4)
        with pytest.raises(tb.InvalidParameter):
            Leaf(pair, math.nextafter(step, 0.0 if step < 1.0 else math.inf), 4)


@pytest.mark.parametrize(("error", "says"), [(MOST_ERROR, True), (math.nextafter(MOST_ERROR, 1.0), False)])
def test_a_list_that_is_known_badly_says_nothing(error: float, says: bool) -> None:
    rows = np.tile([0.5, 0.5], (3, 1))
    made = bucket_list(
        log_factor=0.1, n=4, u=1, first=0, rows=rows, infinity=0.0, distinguishing=0.0, over_b=0.0, loss_shift=0.0,
        error=np.full(3, error),
    )  # fmt: skip
    assert (made.infinity < 1.0) == says


def test_losses_at_both_ends_of_the_list() -> None:
    """A loss of n buckets is in the last one, one beyond is lost; one far below -n is clamped, and no mass with it."""
    for cells, index in (([9, 1], 8), ([9.000001, 1], None)):
        step = math.log(9.0) / 8.0
        leaf = tb.published.histograms(cells, cells[::-1], math.exp(step), 8)
        last = leaf.buckets.B[-1] + leaf.buckets.B[-2]
        assert (last > 0.5) == (index is not None)
        assert (leaf.buckets.infinity > 0.5) == (index is None)
        assert leaf.buckets.B.sum() + leaf.buckets.infinity == pytest.approx(1.0, abs=1e-9)


def test_so_many_cells_have_limits() -> None:
    assert len(from_counts((1,) * 1000, (1,) * 1000).confidence_bounds(1).a) == 1000
    with pytest.raises(tb.InvalidParameter):
        from_counts((1,) * 1001, (1,) * 1001)


@pytest.mark.parametrize("confidence", [1e-9, 0.5, 1.0 - 1e-9])
def test_confidence_lies_between_0_and_1(confidence: float) -> None:
    bounds = from_counts((5, 7), (7, 5)).confidence_bounds(2, confidence)
    assert 0.0 <= bounds.delta(0.1).lower <= bounds.delta(0.1).upper <= 1.0
    for beyond in (0.0, 1.0):
        with pytest.raises(tb.InvalidParameter):
            from_counts((5, 7), (7, 5)).confidence_bounds(2, beyond)


def test_limits_of_cells_that_all_or_none_have_hit() -> None:
    low, high = clopper_pearson(np.array([0, 1, 9]), 0.01)
    assert low[0] == 0.0 < low[1]
    low, high = clopper_pearson(np.array([0, 10]), 0.01)
    assert (low[0], high[1]) == (0.0, 1.0)
    assert high[0] == pytest.approx(1.0 - 0.01**0.1, rel=1e-8)
    assert high[0] >= 1.0 - 0.01**0.1
    assert low[1] <= 0.01**0.1


def one_count(setting: Setting, change: int, size: int) -> np.ndarray:
    """The law of a count of dummies and `change` more."""
    edges = np.arange(-1.0, size)
    rate = (edges - setting.mean) / setting.scale
    below = np.where(rate < 0.0, 0.5 * np.exp(np.minimum(rate, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(rate, 0.0)))
    law = np.diff(below)
    law[0] = below[1]
    return np.concatenate([np.zeros(change), law])[:size]


def test_the_part_of_epsilon_that_the_other_counts_must_have() -> None:
    """Below the largest loss of one count nothing is known of the others; above it, they make up for the rest."""
    setting = Setting("dialing", "laplace", 12, 4.0)
    largest = setting._largest_loss()
    assert largest == pytest.approx(0.5, abs=1e-9)
    first, second = one_count(setting, 0, 200), one_count(setting, 2, 200)
    for epsilon, rounds in itertools.product((0.0, 0.4999, 0.5001, 0.6, 0.99), (1, 2)):
        a, b = (first, second) if rounds == 1 else (np.outer(first, first).ravel(), np.outer(second, second).ravel())
        truth = float(np.maximum(0.0, a - math.exp(epsilon) * b).sum())
        other = float(np.maximum(0.0, b - math.exp(epsilon) * a).sum())
        found = setting.delta(epsilon, rounds)
        assert found.lower <= max(truth, other) * (1 + 1e-9) + 1e-15
        assert found.upper >= max(truth, other) * (1 - 1e-9)


def test_places_of_losses_are_whole_numbers_that_floats_hold() -> None:
    menu = [response(1.0), response(2.0**-20)]
    Lattice(menu, LARGEST // 2**20)
    with pytest.raises(tb.InvalidParameter, match="short decimals"):
        Lattice(menu, LARGEST // 2**20 + 1)


def test_a_tie_is_no_failure() -> None:
    tie = 1.0 + 2.0**-36
    above = games.exact_odometer(games.Plan([response(1.0)]), Shows(1.0 / tie * (1.0 - 8.0 * U)), rounds=1)
    below = games.exact_odometer(games.Plan([response(1.0)]), Shows(1.0 / tie * (1.0 + 8.0 * U)), rounds=1)
    assert above.lower > 0.7
    assert below.upper == 0.0


def test_so_many_states_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(rounds: int) -> object:
        return games.exact_filter(games.Fixed(response(0.1)), games.Unlimited(1.0), rounds=rounds)

    def search(rounds: int) -> int:
        return games.worst_view([response(0.1)], games.Unlimited(1.0), rounds=rounds).states

    monkeypatch.setattr(exact, "MOST_STATES", 6)
    play(5)
    with pytest.raises(tb.InvalidParameter, match="so few that at most 6 states"):
        play(6)
    monkeypatch.setattr(worst_case, "MOST_STATES", search(3))
    search(3)
    with pytest.raises(tb.InvalidParameter, match="so few that at most"):
        search(4)


class Shows:
    """An odometer that shows one number."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def spend(self, increment: object) -> float:
        return self.epsilon

    def state(self) -> dict[str, float]:
        return {"epsilon": self.epsilon}
