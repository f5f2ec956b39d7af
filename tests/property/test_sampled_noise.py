"""Normal noise on batches of up to four records, every batch counted: no data set exceeds the upper end, and some data
set reaches the lower one.

Sums over batches are numbers with probabilities; with noise they are mixtures of normal laws. P(S) - g Q(S) for S where
the density of P is above g times that of Q is their hockey-stick divergence; any other S is below it.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from tests.property.strategies import examples, log_uniform

import tightbudget as tb

Sums = dict[float, float]
Draws = Callable[[list[float]], Sums]
noises = log_uniform(0.3, 5.0)
values = st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1.0, 1.0))
chances = st.floats(0.01, 0.99)
relations = st.sampled_from(["add_remove", "replace_one", "zero_out"])
asked_epsilons = st.one_of(st.just(0.0), log_uniform(1e-3, 3.0))


def added_up(batches: list[tuple[float, tuple[float, ...]]]) -> Sums:
    sums: Sums = {}
    for probability, batch in batches:
        place = math.fsum(batch)
        sums[place] = sums.get(place, 0.0) + probability
    return sums


def poisson(q: float, cap: int) -> Draws:
    def draw(records: list[float]) -> Sums:
        found = []
        for drawn in itertools.product((False, True), repeat=len(records)):
            chosen = [record for record, taken in zip(records, drawn, strict=True) if taken]
            kept = list(itertools.combinations(chosen, min(cap, len(chosen))))
            probability = math.prod(q if taken else 1.0 - q for taken in drawn) / len(kept)
            found += [(probability, batch) for batch in kept]
        return added_up(found)

    return draw


def without_replacement(batch: int) -> Draws:
    def draw(records: list[float]) -> Sums:
        drawn = list(itertools.combinations(records, batch))
        return added_up([(1.0 / len(drawn), one) for one in drawn])

    return draw


def with_replacement(batch: int) -> Draws:
    def draw(records: list[float]) -> Sums:
        drawn = list(itertools.product(records, repeat=batch))
        return added_up([(1.0 / len(drawn), one) for one in drawn])

    return draw


def attained(first: Sums, second: Sums, sigma: float, epsilon: float) -> float:
    """Return P(S) - g Q(S), S found on a grid and made exact by halving: a lower bound on H_g, good to some 1e-14."""
    places, g = [*first, *second], math.exp(epsilon)
    x = np.linspace(min(places) - 12.0 * sigma, max(places) + 12.0 * sigma, 1201)

    def above(at: np.ndarray) -> np.ndarray:
        here, there = (
            np.logaddexp.reduce([math.log(w) - 0.5 * ((at - c) / sigma) ** 2 for c, w in sums.items()])
            for sums in (first, second)
        )
        return np.asarray(here - there > epsilon)

    inside = above(x)
    turns = np.flatnonzero(inside[1:] != inside[:-1])
    low, high = x[turns], x[turns + 1]
    for _ in range(60):
        middle = 0.5 * (low + high)
        same = above(middle) == inside[turns]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    edges = np.concatenate([[-np.inf] if inside[0] else [], 0.5 * (low + high), [np.inf] if inside[-1] else []])
    return math.fsum(
        sign * w * (special.ndtr((end - c) / sigma) - special.ndtr((begin - c) / sigma))
        for begin, end in edges.reshape(-1, 2)
        for sign, sums in ((1.0, first), (-g, second))
        for c, w in sums.items()
    )


def neighbours(relation: str, mine: float, theirs: float, others: list[float]) -> tuple[list[float], list[float]]:
    there = {"add_remove": others, "replace_one": [theirs, *others], "zero_out": [0.0, *others]}[relation]
    return [mine, *others], there


def check(step: tb.Mechanism, draw: Draws, sigma: float, epsilon: float, count: int, data: st.DataObject) -> None:
    """Check both ends in both directions: the upper one on drawn records, the lower one on extreme ones."""
    relation = step.answers_for
    drawn = neighbours(
        relation, data.draw(values), data.draw(values), data.draw(st.lists(values, min_size=count, max_size=count))
    )
    extreme = [neighbours(relation, 1.0, -1.0, [other] * count) for other in (-1.0, 0.0, 1.0)]
    laws = [(draw(here), draw(there)) for here, there in [drawn, *extreme]]
    if relation == "replace_one":  # either may be the one in whose place the other comes
        laws += [law[::-1] for law in laws]
    for direction in ("remove", "add"):
        found = [attained(*(law if direction == "remove" else law[::-1]), sigma, epsilon) for law in laws]
        answer = step.delta(epsilon, direction=direction)
        assert max(found) <= answer.upper * (1.0 + 1e-9) + 1e-13, direction
        assert answer.lower <= max(found) * (1.0 + 1e-9) + 1e-13, direction


@given(noises, chances, st.integers(0, 3), st.integers(1, 4), relations, asked_epsilons, st.data())
@examples()
def test_samples_with_and_without_a_cap(
    sigma: float, q: float, others: int, cap: int, relation: str, epsilon: float, data: st.DataObject
) -> None:
    step = tb.TruncatedPoisson(tb.Gaussian(sigma), q, cap, others + 1, relation=relation)
    check(step, poisson(q, cap), sigma, epsilon, others, data)
    if cap > others:
        check(tb.Poisson(tb.Gaussian(sigma), q, relation=relation), poisson(q, cap), sigma, epsilon, others, data)


@given(noises, st.integers(1, 3), relations, asked_epsilons, st.data())
@examples()
def test_batches_without_replacement(sigma: float, others: int, relation: str, epsilon: float, data: st.DataObject) -> None:
    batch = data.draw(st.integers(1, others + (relation != "add_remove")))
    step = tb.WithoutReplacement(tb.Gaussian(sigma), batch, others + 1, relation=relation)
    check(step, without_replacement(batch), sigma, epsilon, others, data)


@given(noises, st.integers(1, 3), st.integers(1, 3), st.sampled_from(["add_remove", "replace_one"]), asked_epsilons, st.data())
@examples()
def test_batches_with_replacement(
    sigma: float, others: int, batch: int, relation: str, epsilon: float, data: st.DataObject
) -> None:
    step = tb.WithReplacement(tb.Gaussian(sigma), batch, others + 1, relation=relation)
    check(step, with_replacement(batch), sigma, epsilon, others, data)


@given(noises, st.lists(chances, min_size=1, max_size=4), relations, asked_epsilons, st.data())
@examples()
def test_groups_with_rates_of_their_own(
    sigma: float, rates: list[float], relation: str, epsilon: float, data: st.DataObject
) -> None:
    """The members move the query by at most 1 each, in any direction; those in their place too."""

    def law(records: list[float]) -> Sums:
        found = []
        for drawn in itertools.product((False, True), repeat=len(rates)):
            probability = math.prod(q if taken else 1.0 - q for q, taken in zip(rates, drawn, strict=True))
            found.append((probability, tuple(itertools.compress(records, drawn))))
        return added_up(found)

    step = tb.SampledGroup(tb.Gaussian(sigma), rates, relation=relation)
    size = len(rates)
    members = st.lists(values, min_size=size, max_size=size)
    extreme = ([1.0] * size, [-1.0] * size)
    for here, there in ((data.draw(members), data.draw(members)), extreme):
        absent = law(there) if relation == "replace_one" else {0.0: 1.0}
        for direction, pair in (("remove", (law(here), absent)), ("add", (absent, law(here)))):
            found, answer = attained(*pair, sigma, epsilon), step.delta(epsilon, direction=direction)
            assert found <= answer.upper * (1.0 + 1e-9) + 1e-13
            assert (here, there) != extreme or answer.lower <= found * (1.0 + 1e-9) + 1e-13
