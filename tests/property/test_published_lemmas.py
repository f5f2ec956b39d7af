"""Every lemma of sections 3 and 4 of "Tight on Budget?", on random small pairs and random trees, against exact
fractions.

Two things are checked side by side: that the statement holds for the exact quantities, event by event, and that the
numbers of the package are those quantities up to the error it states.
"""

import functools
import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from tests.support import atomic
from tests.support.atomic import INFINITY, Atomic

from tightbudget.mechanisms.histograms import Histograms
from tightbudget.pairs.base import Direction
from tightbudget.published import Compose, Leaf, Square, Tree, delta_low, delta_with_ec, delta_without_ec
from tightbudget.research.published.buckets import REAL, VIRTUAL, A

SEEDS = range(60)
EPSILONS = (0.0, 0.05, 0.3, 0.9, 2.0)
FACTORS = (Fraction(6, 5), Fraction(5, 4), Fraction(3, 2), Fraction(2))


class Case(NamedTuple):
    exact: Atomic
    tree: Tree


@functools.cache
def case(seed: int) -> Case:
    """Return a random tree of at most four leaves, as exact events and as ours."""
    rng = random.Random(seed)
    f, n = rng.choice(FACTORS), 2 * rng.randint(1, 6)
    return _random_tree(rng, f, n, rng.randint(1, 4), rng.randint(0, 2))


def _random_tree(rng: random.Random, f: Fraction, n: int, leaves: int, squarings: int) -> Case:
    if squarings and rng.random() < 0.6:
        child = _random_tree(rng, f, n, leaves, squarings - 1)
        return Case(atomic.square(child.exact), Square(child.tree))
    if leaves == 1:
        made = _random_leaf(rng, f, n)
        for _ in range(squarings):
            made = Case(atomic.square(made.exact), Square(made.tree))
        return made
    split = rng.randint(1, leaves - 1)
    left = _random_tree(rng, f, n, split, squarings)
    right = left if 2 * split == leaves and rng.random() < 0.5 else _random_tree(rng, f, n, leaves - split, squarings)
    return Case(atomic.compose(left.exact, right.exact), Compose(left.tree, right.tree))


def _random_leaf(rng: random.Random, f: Fraction, n: int) -> Case:
    """Return a leaf of a few events; with zeros, equal entries and ratios that are powers of f among them."""
    size = rng.randint(2, 4)
    a = [Fraction(rng.randint(0, 9)) for _ in range(size)]
    b = [rng.choice([p * f ** rng.randint(-3, 3), Fraction(rng.randint(0, 9)), p]) for p in a]
    a[0], b[0] = a[0] + 1, b[0] + 1
    whole = math.lcm(*(q.denominator for q in b))
    weights = [q * whole for q in b]  # as floats: exact, or the truth would be that of another leaf
    pair = Histograms(tuple(map(float, a)), tuple(map(float, weights))).pair(Direction.REMOVE)
    if pair is None or any(Fraction(float(q)) != q for q in weights):
        return _random_leaf(rng, f, n)
    a, b = [p / sum(a) for p in a], [q / sum(b) for q in b]
    return Case(atomic.leaf(a, b, f, n), Leaf(pair, math.log(f), n))


def numbers(values: list[Fraction]) -> np.ndarray:
    return np.array([float(value) for value in values])


def exact_row(tree: Atomic, what: str) -> np.ndarray:
    return numbers([tree.sum(index, what) for index in range(-tree.n, tree.n + 1)])


@pytest.mark.parametrize("seed", range(12))
def test_lemma_1_delta_is_the_largest_gap_over_all_sets(seed: int):
    rng = random.Random(seed)
    events = _random_leaf(rng, Fraction(3, 2), 4).exact
    for epsilon in EPSILONS:
        g = atomic.exponential(epsilon)
        gaps = [x.a - g * x.b for x in events.events]
        largest = max(
            sum(subset, start=Fraction(0)) for k in range(len(gaps) + 1) for subset in itertools.combinations(gaps, k)
        )
        assert largest == atomic.delta(events, g)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_6_no_loss_is_above_its_bucket(seed: int):
    exact, tree = case(seed)
    for x in exact.events:
        if x.index != INFINITY:
            assert x.a <= exact.f ** int(x.index) * x.b
    assert tree.log_factor == pytest.approx(math.log(exact.f), rel=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_7_bucket_values_are_sums_over_atomic_events(seed: int):
    exact, tree = case(seed)
    buckets = tree.buckets
    gap = np.abs(buckets.B - exact_row(exact, "a")).sum() + abs(buckets.infinity - float(exact.sum(INFINITY, "a")))
    assert gap <= buckets.error[A] + 1e-15 < 1e-10
    # Definition 4 is a partition: nothing is lost, neither at -n nor by squaring
    assert buckets.B.sum() + buckets.infinity == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_8_error_correction_terms_are_sums_over_atomic_events(seed: int):
    exact, tree = case(seed)
    buckets = tree.buckets
    # at -n the mass is taken without its error, times f^n: the row may be a little too small
    assert np.abs(buckets.ell - exact_row(exact, "real")).max() <= 1e-8
    assert np.abs(buckets.ell_virtual - exact_row(exact, "virtual")).max() <= 1e-10
    assert buckets.u == exact.u


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_9_terms_are_not_negative(seed: int):
    exact, tree = case(seed)
    assert all(x.real >= 0 and x.virtual >= 0 for x in exact.events)
    assert tree.buckets.ell.min() >= -1e-8
    assert tree.buckets.ell_virtual.min() >= -1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_10_the_real_term_is_at_most_the_virtual_one(seed: int):
    exact, tree = case(seed)
    assert all(x.real <= x.virtual for x in exact.events)
    rows, error = tree.buckets.rows, tree.buckets.error
    assert (rows[REAL] <= rows[VIRTUAL] + error[REAL] + error[VIRTUAL]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_11_the_virtual_term_is_exact(seed: int):
    exact, tree = case(seed)
    buckets = tree.buckets
    for x in exact.events:
        if x.index != INFINITY:
            assert x.virtual == x.b - x.a / exact.f ** int(x.index)
    # so the stored row is the mass under B of the very same events
    stored = np.zeros(2 * buckets.n + 1)
    stored[buckets.stored + buckets.n] = buckets.rows[VIRTUAL]
    gap = np.abs(stored - exact_row(exact, "b")).sum() + abs(buckets.over_b - float(exact.sum(INFINITY, "b")))
    assert gap <= buckets.error[VIRTUAL] + 1e-15


def test_lemma_11_as_printed_misses_events_clamped_by_composition():
    """Randomised response with e^eps0 = f^n, both outcomes low: the printed recursion recovers P_A f^n, not P_A
    f^2n.
    """
    f, n = Fraction(3, 2), 2
    low = f**-n / (1 + f**-n)
    one = atomic.leaf([1 - low, low], [low, 1 - low], f, n)
    x = next(event for event in one.events if event.index == -n)
    both = next(event for event in atomic.compose(one, one).events if event.a == x.a * x.a)
    printed = atomic.printed_term(x, x, x.virtual, x.virtual, f)
    assert both.a / f ** int(both.index) + printed == both.a * f**n
    assert both.a / f ** int(both.index) + both.virtual == both.b == both.a * f ** (2 * n)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_12_the_real_term_is_at_most_a_misplacement_by_u_buckets(seed: int):
    exact, _ = case(seed)
    finite = [(x, int(x.index)) for x in exact.events if x.index != INFINITY]
    if not finite:
        pytest.skip("all losses of this case are infinite")
    for x, index in finite:
        assert x.real <= x.a * (exact.f ** (exact.u - index) - exact.f**-index)


def test_lemma_12_needs_u_to_add_up():
    """Section 4.4 lets u grow by 1 a composition. Four steps that each round up by nearly a bucket refute that."""
    f, high, low = Fraction(2), Fraction(109, 100), Fraction(91, 400)  # the two ratios P_A / P_B
    a = (1 - 1 / low) / (1 / high - 1 / low)
    one = atomic.leaf([a, 1 - a], [a / high, (1 - a) / low], f, 20)
    two = atomic.compose(one, one)
    four = atomic.compose(two, two)
    g = Fraction(177, 100)
    assert four.u == 4
    assert atomic.delta_with_ec(replace(four, u=3), g) < 0 == atomic.delta(four, g) < atomic.delta_with_ec(four, g)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_12_the_real_row_never_exceeds_what_it_stands_for(seed: int):
    """A smaller row is sound, a larger one is not."""
    exact, tree = case(seed)
    buckets = tree.buckets
    stored = np.zeros(2 * buckets.n + 1)
    stored[buckets.stored + buckets.n] = buckets.rows[REAL]
    real = numbers([
        exact.sum(index, "a") / exact.f**index + exact.sum(index, "real") for index in range(-exact.n, exact.n + 1)
    ])  # fmt: skip
    assert np.maximum(stored - real, 0.0).sum() <= buckets.error[REAL] + 1e-15


@pytest.mark.parametrize("seed", SEEDS)
def test_theorem_1_buckets_are_sound(seed: int):
    exact, tree = case(seed)
    for epsilon in EPSILONS:
        g = atomic.exponential(epsilon)
        upper = Fraction(delta_without_ec(tree.buckets, epsilon))
        assert atomic.delta(exact, g) <= upper
        assert float(upper) == pytest.approx(float(atomic.delta_without_ec(exact, g)), rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_13_error_correction_is_sound(seed: int):
    exact, tree = case(seed)
    for epsilon in EPSILONS:
        g = atomic.exponential(epsilon)
        upper = Fraction(delta_with_ec(tree.buckets, epsilon))
        assert atomic.delta(exact, g) <= upper <= Fraction(delta_without_ec(tree.buckets, epsilon))


@pytest.mark.parametrize("seed", SEEDS)
def test_definition_9_is_what_is_computed(seed: int):
    """Off the edges of buckets, where j_eps does not hang on a rounding, the bound is that of Definition 9."""
    exact, tree = case(seed)
    for epsilon in EPSILONS[1:]:
        g = atomic.exponential(epsilon)
        assert delta_with_ec(tree.buckets, epsilon) == pytest.approx(
            float(atomic.delta_with_ec(exact, g)), rel=1e-10, abs=1e-11
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_theorem_2_the_lower_bound_is_one(seed: int):
    exact, tree = case(seed)
    for epsilon in EPSILONS:
        g = atomic.exponential(epsilon)
        lower = Fraction(delta_low(tree.buckets, epsilon))
        assert 0 <= lower <= atomic.delta(exact, g)
        assert float(lower) == pytest.approx(float(atomic.delta_low(exact, g)), rel=1e-10, abs=1e-11)


def test_the_random_trees_meet_every_case():
    """Clamped events, infinite ones, squared ones, corrected ones: otherwise the tests above prove little."""
    cases = [case(seed).exact for seed in SEEDS]
    assert sum(any(x.index == -tree.n for x in tree.events) for tree in cases) > 5
    assert sum(any(x.index == INFINITY and x.b > 0 for x in tree.events) for tree in cases) > 5
    assert sum(any(x.index == INFINITY and x.b == 0 for x in tree.events) for tree in cases) > 5
    assert sum(tree.u > 2 for tree in cases) > 5
    corrected = sum(atomic.delta_with_ec(tree, Fraction(1)) < atomic.delta_without_ec(tree, Fraction(1)) for tree in cases)
    assert corrected > 3
    assert sum(atomic.delta(tree, Fraction(1)) > atomic.delta_low(tree, Fraction(1)) for tree in cases) > 5
