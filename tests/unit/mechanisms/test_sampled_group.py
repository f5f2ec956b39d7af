"""Groups whose records have rates of their own: all subsets counted, equal rates, edges, and what is refused (M27)."""

import copy
import itertools
import math
import pickle
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.mixture_truth import Mixtures, delta_of_two, mirrored

import tightbudget as tb

NOISE = tb.Gaussian(1.0)


def subsets(rates: list[float]) -> list[Fraction]:
    """Return how likely each number of records is to be drawn: the probabilities of all subsets, added up."""
    law = [Fraction(0)] * (len(rates) + 1)
    for drawn in itertools.product((False, True), repeat=len(rates)):
        law[sum(drawn)] += math.prod(
            (Fraction(q) if taken else 1 - Fraction(q) for q, taken in zip(rates, drawn, strict=True)), start=Fraction(1)
        )
    return law


def truth(rates: list[float], move: mpf, relation: str, direction: str, epsilon: float) -> mpf:
    moved = [(mpf(w.numerator) / w.denominator, j * move) for j, w in enumerate(subsets(rates)) if w]
    still = [(mpf(1), mpf(0))]
    if relation == "replace_one":
        return Mixtures(moved, mirrored(moved)).delta(mpf(epsilon))
    pair = Mixtures(moved, still) if direction == "remove" else Mixtures(still, mirrored(moved))
    return pair.delta(mpf(epsilon))


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
@pytest.mark.parametrize("seed", range(4))
def test_every_subset_counted(seed: int, relation: str, direction: str) -> None:
    choice = random.Random(seed)
    rates = [choice.choice([choice.random(), 10.0 ** choice.uniform(-9, -1), 0.0, 1.0]) for _ in range(choice.randint(2, 7))]
    rates[0], sigma = choice.uniform(0.1, 0.9), 2.0 ** choice.randint(-1, 3)  # a power of two: moves are exact
    step = tb.SampledGroup(tb.Gaussian(sigma), rates, relation=relation)
    for epsilon in (0.0, 0.25, 1.0):
        answer = step.delta(epsilon, rtol=1e-9, direction=direction)
        with mpmath.workdps(60):
            exact = truth(rates, 1 / mpf(sigma), relation, direction, epsilon)
            if exact < mpf(10) ** -30:  # beyond the largest loss, where the place of a loss is not found
                continue
            assert mpf(answer.lower) <= exact <= mpf(answer.upper)
        assert answer.upper - answer.lower <= 1e-9 * answer.upper or not answer.converged


def test_two_steps() -> None:
    rates = [0.25, 0.5, 0.0625]
    parts, still = [(float(w), float(j)) for j, w in enumerate(subsets(rates))], [(1.0, 0.0)]
    for direction, a, b in (("remove", parts, still), ("add", still, [(w, -c) for w, c in parts])):
        answer = (tb.SampledGroup(NOISE, rates) * 2).delta(0.5, rtol=1e-6, direction=direction)
        exact = delta_of_two(a, b, 0.5)
        assert answer.lower * (1 - 1e-9) <= exact <= answer.upper * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
def test_equal_rates_are_a_group_and_one_is_a_sample(relation: str) -> None:
    sampled = tb.Poisson(NOISE, 0.1)
    for k, other in ((1, sampled), (4, sampled.group(4))):
        mine = (tb.SampledGroup(NOISE, [0.1] * k) * 3).delta(0.5, rtol=1e-6, relation=relation)
        same = (other * 3).delta(0.5, rtol=1e-6, relation=relation)
        assert max(mine.lower, same.lower) <= min(mine.upper, same.upper)
        assert mine.relation == relation


def test_records_that_are_never_or_always_drawn() -> None:
    assert tb.SampledGroup(NOISE, [0, 0.0]).delta(0.0).upper == 0.0
    assert tb.SampledGroup(tb.Gaussian(math.inf), [0.5]).delta(0.0).upper == 0.0
    always = tb.SampledGroup(NOISE, [1, 1, 0]).delta(0.5, rtol=1e-9)
    same = tb.Gaussian(1.0, sensitivity=2.0).delta(0.5, rtol=1e-9)
    assert max(always.lower, same.lower) <= min(always.upper, same.upper)
    replaced = tb.SampledGroup(NOISE, [1, 1, 0], relation="replace_one").delta(0.5, rtol=1e-9)
    same = tb.Gaussian(1.0, sensitivity=4.0).delta(0.5, rtol=1e-9)
    assert max(replaced.lower, same.lower) <= min(replaced.upper, same.upper)


def test_a_larger_rate_reveals_more_and_the_order_does_not_matter() -> None:
    answers = [(tb.SampledGroup(NOISE, [0.1, q]) * 5).epsilon(1e-5) for q in (0.0, 0.1, 0.5, 1.0)]
    assert all(one.upper < other.lower for one, other in itertools.pairwise(answers))
    assert tb.SampledGroup(NOISE, [0.1, 0.3]).delta(0.5) == tb.SampledGroup(NOISE, [0.3, 0.1]).delta(0.5)


def test_numbers_of_all_kinds() -> None:
    plain = tb.SampledGroup(tb.Gaussian(2), [0.5, 0.25, 0.0])
    for rates in (np.array([0.5, 0.25, -0.0]), (Fraction(1, 2), np.float32(0.25), 0), iter([0.5, 0.25, False + 0])):
        assert tb.SampledGroup(tb.Gaussian(2), rates) == plain
    assert str(plain) == "sampled_group(gaussian(sigma=2), rates=[0.5, 0.25, 0.0])"
    for other in (copy.deepcopy(plain), pickle.loads(pickle.dumps(plain)), tb.parse(str(plain))):
        assert other == plain
        assert other.delta(0.5) == plain.delta(0.5)
    assert tb.calibrate("sampled_group(gaussian(sigma=?), rates=[0.1, 0.2]) * 10", epsilon=2, delta=1e-5).value > 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((NOISE, []), "rates is 'an empty list', but must be a list of numbers between 0 and 1"),
        ((NOISE, 0.1), "rates is 0.1"),
        ((NOISE, "0.1"), "rates is '0.1', but must be a list of numbers between 0 and 1, as in"),
        ((NOISE, [0.1, 1.5]), r"rates\[1\] is 1.5, but must be between 0 and 1. It is how likely"),
        ((NOISE, [-0.1]), r"rates\[0\] is -0.1, but must be between 0 and 1"),
        ((NOISE, [0.1, math.nan]), r"rates\[1\] is nan"),
        ((NOISE, [True]), r"rates\[0\] is True"),
        ((NOISE, [Fraction(1, 10**400)]), "nearer to 0"),
        ((NOISE, [0.1] * 501), "at most 500"),
        ((tb.Laplace(1.0), [0.1]), "Gaussian noise"),
        ((tb.Gaussian(1.0, relation="replace_one"), [0.1]), "stated for add_remove"),
        ((tb.Poisson(NOISE, 0.1), [0.1]), "Gaussian noise"),
        ((tb.Gaussian(0.0), [0.1]), "sigma is 0.0"),
    ],
)
def test_what_is_refused(arguments: tuple[object, ...], said: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=said):
        tb.SampledGroup(*arguments)  # type: ignore[arg-type]


def test_a_group_is_not_sampled_once_more() -> None:
    group = tb.SampledGroup(NOISE, [0.1, 0.2])
    for ask in (
        lambda: tb.Poisson(group, 0.1),
        lambda: tb.RandomAllocation(group, 3),
        lambda: tb.WithoutReplacement(group, 1, 3),
    ):
        with pytest.raises(tb.InvalidParameter):
            ask()
    with pytest.raises(tb.TightBudgetError):
        group.group(2)
