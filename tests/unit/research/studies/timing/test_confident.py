"""Confident bounds hold for every pair of distributions within the limits, whatever was sampled."""

import itertools
import math
import random
from fractions import Fraction

import pytest

import tightbudget as tb
from tightbudget.research.studies.timing import Confident, from_counts

COUNTS = [
    ((40, 30, 30), (20, 40, 40)),
    ((50, 0, 10), (45, 5, 5)),
    ((300, 1, 200), (0, 250, 250)),
    ((7, 3), (2, 9)),
    ((100, 100, 100, 5), (90, 120, 80, 0)),
]


def within(low: list[Fraction], high: list[Fraction], generator: random.Random) -> list[Fraction]:
    """A distribution with every cell between its limits, at the limits wherever there is room: begin low, fill up in
    turn.
    """
    masses, rest = list(low), 1 - sum(low)
    for cell in generator.sample(range(len(low)), len(low)):
        more = min(rest, high[cell] - low[cell])
        masses[cell] += more
        rest -= more
    assert rest == 0
    return masses


def delta(a: list[Fraction], b: list[Fraction], epsilon: float, rounds: int) -> Fraction:
    ratio, total = Fraction(math.exp(epsilon)), Fraction(0)
    for cells in itertools.product(range(len(a)), repeat=rounds):
        total += max(Fraction(0), math.prod(a[i] for i in cells) - ratio * math.prod(b[i] for i in cells))
    return total


@pytest.mark.parametrize("counts", COUNTS, ids=str)
@pytest.mark.parametrize("rounds", [1, 3])
def test_extreme_pairs_within_the_limits_are_covered(counts: tuple, rounds: int):
    bounds = Confident(*counts, rounds, 0.9)
    a_low, a_high, b_low, b_high = ([Fraction(x) for x in limits.tolist()] for limits in bounds._limits)
    generator = random.Random(7)
    for epsilon in (0.0, 0.4, 1.5):
        found = bounds.delta(epsilon)
        for _ in range(12):
            a, b = within(a_low, a_high, generator), within(b_low, b_high, generator)
            truth = max(delta(a, b, epsilon, rounds), delta(b, a, epsilon, rounds))
            assert Fraction(found.lower) <= truth <= Fraction(found.upper)


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_observations_may_come_from_different_pairs(counts: tuple):
    bounds = Confident(*counts, 2, 0.9)
    a_low, a_high, b_low, b_high = ([Fraction(x) for x in limits.tolist()] for limits in bounds._limits)
    generator = random.Random(3)
    ratio, found = Fraction(math.exp(0.5)), bounds.delta(0.5)
    for _ in range(12):
        pairs = [(within(a_low, a_high, generator), within(b_low, b_high, generator)) for _ in range(2)]
        (a1, b1), (a2, b2) = pairs
        forth = sum(max(Fraction(0), a1[i] * a2[j] - ratio * b1[i] * b2[j]) for i in range(len(a1)) for j in range(len(a1)))
        back = sum(max(Fraction(0), b1[i] * b2[j] - ratio * a1[i] * a2[j]) for i in range(len(a1)) for j in range(len(a1)))
        assert Fraction(found.lower) <= max(forth, back) <= Fraction(found.upper)


@pytest.mark.parametrize("counts", COUNTS, ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.5])
def test_one_observation_is_bounded_as_well_as_can_be(counts: tuple, epsilon: float):
    """The upper end for one observation, by trying every set of cells with the limits of its mass."""
    bounds = Confident(*counts, 1, 0.9)
    a_low, a_high, b_low, b_high = ([Fraction(x) for x in limits.tolist()] for limits in bounds._limits)
    ratio, cells = Fraction(math.exp(epsilon)), range(len(a_low))

    def worst(high: list, low: list, other_low: list, other_high: list) -> Fraction:
        values = []
        for size in range(len(high) + 1):
            for chosen in itertools.combinations(cells, size):
                rest = [i for i in cells if i not in chosen]
                most = min(sum(high[i] for i in chosen), 1 - sum(low[i] for i in rest))
                least = max(sum(other_low[i] for i in chosen), 1 - sum(other_high[i] for i in rest))
                values.append(most - ratio * least)
        return max(values)

    truth = max(worst(a_high, a_low, b_low, b_high), worst(b_high, b_low, a_low, a_high))
    assert Fraction(bounds.delta(epsilon).upper) >= truth
    assert float(truth) >= 0.8 * bounds.delta(epsilon).upper  # four simple bounds on the mass lose little


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.999])
def test_more_confidence_is_wider_and_holds_the_plug_in(confidence: float):
    measured = from_counts((40_000, 30_000, 30_000), (30_000, 35_000, 35_000))
    found, wider = (
        measured.confidence_bounds(5, confidence).delta(0.2),
        measured.confidence_bounds(5, 1 - (1 - confidence) / 10).delta(0.2),
    )
    model = measured.plug_in(5).delta(0.2)
    assert wider.lower < found.lower < model.lower < model.upper < found.upper < wider.upper


def test_epsilon_and_delta_agree():
    bounds = from_counts((400, 300, 300), (300, 350, 350)).confidence_bounds(5, 0.9)
    epsilons = bounds.epsilon(0.05)
    assert bounds.delta(epsilons.upper).upper <= 0.05 * 1.01
    assert bounds.delta(epsilons.lower).lower >= 0.05 * 0.99


def test_a_cell_never_hit_may_reveal_everything():
    bounds = Confident((99, 1), (100, 0), 1, 0.9)
    infinity = bounds.revealing
    assert infinity >= bounds._limits[1][1]  # what A may have where B may have nothing
    assert bounds.delta(50.0).upper >= infinity
    assert bounds.epsilon(infinity / 2).upper == math.inf
    assert bounds.epsilon(0.9).upper < math.inf
    assert Confident((99, 1), (99, 1), 1, 0.9).revealing == 0.0


def test_samples_that_say_nothing():
    bounds = Confident((1, 0), (0, 1), 3, 0.99)
    assert bounds.delta(0.0).lower == 0.0
    assert bounds.delta(10.0).upper == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1, 1.5, math.nan, "sure", None])
def test_bad_confidence(confidence: object):
    with pytest.raises(tb.InvalidParameter):
        from_counts((1, 2), (2, 1)).confidence_bounds(1, confidence)
