"""The published buckets on the paper's examples, beside closed forms, exact sums and the engine."""

import math
import random
from fractions import Fraction

import mpmath
import pytest
from flint import fmpz_poly
from mpmath import mpf
from tests.support import atomic
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget import published
from tightbudget.published import Direction

N = 4000  # buckets enough to be sharp, few enough to be quick

PAPER = [
    (tb.RandomizedResponse(p=0.51) * 512, (0.0, 0.5, 2.0)),
    (tb.Laplace(scale=200) * 512, (0.0, 0.1, 0.3)),
    (tb.TruncatedLaplace(scale=200, bound=2500) * 512, (0.0, 0.1, 0.3)),
    (tb.TruncatedGaussian(sigma=200 * math.sqrt(2), bound=2500) * 512, (0.0, 0.1, 0.25)),
    (tb.Gaussian(sigma=200 * math.sqrt(2)) * 512, (0.0, 0.1, 0.25)),
    (tb.Poisson(tb.Gaussian(sigma=4), q=0.01) * 65536, (0.0, 1.0, 2.0)),
    (tb.Laplace(scale=200) * 100 + tb.Gaussian(sigma=80) * 77, (0.0, 0.2, 0.5)),
    (tb.ApproximateDP(epsilon=0.1, delta=1e-6) * 37, (0.0, 0.5, 2.0)),
    (tb.DiscreteGaussian(sigma=20) * 50, (0.0, 0.5, 1.0)),
    (tb.Histograms((1, 4, 5, 0), (2, 3, 4, 1)) * 21, (0.0, 1.0, 3.0)),
    (tb.PureDP(epsilon=0.0) * 5, (0.0, 1.0)),
]


@pytest.mark.parametrize(("composition", "epsilons"), mostly_slow(PAPER, every=4), ids=lambda value: str(value))
def test_the_engine_lies_inside(composition: tb.Composition, epsilons: tuple[float, ...]):
    pair = published.tree_pair(composition, n=N)
    for epsilon in epsilons:
        ours, engine = pair.delta(epsilon), composition.delta(epsilon, rtol=1e-7)
        assert ours.lower <= engine.upper
        assert engine.lower <= ours.upper
        # the engine is the narrower one, up to its own width
        assert ours.lower <= engine.lower + engine.width
        assert engine.upper - engine.width <= ours.upper <= pair.delta_without_ec(epsilon)


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6])
def test_epsilon_brackets_the_engine(delta: float):
    composition = tb.Gaussian(sigma=200 * math.sqrt(2)) * 512
    ours, engine = published.tree_pair(composition, n=N).epsilon(delta), composition.epsilon(delta, rtol=1e-6)
    assert ours.lower <= engine.upper
    assert engine.lower <= ours.upper
    assert ours.upper - ours.lower < 0.02 * engine.upper


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 3.0])
def test_randomised_response_against_the_binomial_sum(epsilon: float):
    p, r = Fraction(0.51), 512
    with mpmath.workdps(50):
        ratio = mpf(p.numerator) / (p.denominator - p.numerator)
        truth = mpmath.fsum(
            mpmath.binomial(r, k) * (mpf(p.numerator) / p.denominator) ** k * (1 - mpf(p.numerator) / p.denominator) ** (r - k)
            * max(mpf(0), 1 - mpmath.exp(epsilon) * ratio ** (r - 2 * k))
            for k in range(r + 1)
        )  # fmt: skip
    answer = published.tree_pair(tb.RandomizedResponse(p=0.51) * r, n=N).delta(epsilon)
    assert answer.lower <= truth <= answer.upper
    # losses sit on edges, so nothing is discretised; what is left is rounding, times e^epsilon for the masses of B
    assert answer.width < 1e-10 * math.exp(epsilon)


@pytest.mark.parametrize("r", [1, 2, 3, 13, 64, 100])
def test_gaussian_noise_against_the_closed_form(r: int):
    with mpmath.workdps(50):
        m, epsilon = mpmath.sqrt(r) / 10, mpf("0.25")
        truth = mpmath.ncdf(m / 2 - epsilon / m) - mpmath.exp(epsilon) * mpmath.ncdf(-m / 2 - epsilon / m)
    answer = published.tree_pair(tb.Gaussian(sigma=10) * r, n=N).delta(0.25)
    assert answer.lower <= truth <= answer.upper


def test_the_precise_embedding_of_laplace_noise():
    """Bucket i holds the integral of A from lbb(i) to rbb(i) = (mu1 + mu2 + i/gr)/2, its l that of B - A/f^i (section
    5.1).
    """
    scale, gr = 2.0, 16
    buckets = published.laplace(scale, n=32, granularity=gr).buckets
    with mpmath.workdps(40):
        step = mpf(1) / scale / gr  # ln f
        for i in range(-gr + 1, gr + 1):
            # A has its centre at 1, B at 0: the loss between them is (2x - 1)/scale
            low, high = (1 + mpf(i - 1) / gr) / 2, (1 + mpf(i) / gr) / 2
            a, b = _mass(low, high, 1, scale), _mass(low, high, 0, scale)
            if i == gr:  # all beyond has just the largest loss
                a, b = a + _mass(1, mpmath.inf, 1, scale), b + _mass(1, mpmath.inf, 0, scale)
            assert buckets.B[i + 32] == pytest.approx(float(a), rel=1e-13)
            assert buckets.ell[i + 32] == pytest.approx(float(b - a * mpmath.exp(-i * step)), rel=1e-9, abs=1e-16)
    assert buckets.B[-gr + 32] == pytest.approx(0.5 * math.exp(-1.0 / scale), rel=1e-13)
    assert abs(buckets.ell[-gr + 32]) < 1e-15  # its events have exactly the ratio of the bucket
    assert buckets.infinity == 0.0


def _mass(low: mpf, high: mpf, centre: int, scale: float) -> mpf:
    """Return the Laplace mass between 0 <= low and high."""

    def below(x: mpf) -> mpf:
        z = (x - centre) / scale
        return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2

    return below(high) - below(low)


def test_cut_off_noise_fills_bucket_infinity():
    leaf = published.truncated_laplace(scale=200, bound=2500, n=N)
    with mpmath.workdps(40):
        whole = 1 - mpmath.exp(-mpf(2500) / 200)
        only_a = (mpmath.exp(-mpf(2499) / 200) - mpmath.exp(-mpf(2500) / 200)) / 2 / whole
    assert leaf.buckets.distinguishing <= only_a <= leaf.buckets.infinity + leaf.buckets.error[0]
    assert leaf.buckets.infinity == pytest.approx(float(only_a), rel=1e-9)


def test_both_directions_of_sgd_differ_and_the_larger_one_counts():
    mechanism = tb.Poisson(tb.Gaussian(sigma=1), q=0.1) * 4
    pair = published.tree_pair(mechanism, n=N)
    assert pair.forward is not pair.backward
    remove, add = (published.delta_with_ec(tree.buckets, 0.5) for tree in pair.trees)
    assert pair.delta_up(0.5) == max(remove, add) > 1.05 * min(remove, add)
    assert pair.delta_low(0.5) == max(published.delta_low(tree.buckets, 0.5) for tree in pair.trees)
    assert published.sgd(1.0, 0.1, n=N).pair == mechanism.items[0][0].pair(Direction.REMOVE)


def test_the_floor_is_booked_not_hidden():
    """Far below the floor of float64 the published upper bound stays above the truth, and says what it cannot
    resolve.
    """
    composition = tb.Gaussian(sigma=200 * math.sqrt(2)) * 512
    pair = published.tree_pair(composition, n=N)
    truth = composition.delta(2.0)
    assert truth.upper < 1e-100 < 1e-16 < pair.delta_up(2.0) < 1e-9
    assert pair.delta_low(2.0) == 0.0
    answer = pair.epsilon(1e-40)
    assert answer.upper == math.inf
    assert not answer.converged
    assert answer.lower <= composition.epsilon(1e-40).upper


def lattice(seed: int) -> tuple[tb.Histograms, list[int], list[int], Fraction]:
    """Return a pair whose losses are whole multiples of 2 ln s, its integer weights under A and B, and s.

    With symmetric w_k, A_k = w_k s^k and B_k = w_k s^-k have the same sum, so k = -3..3 has exactly the loss 2 k ln s.
    """
    rng = random.Random(seed)
    s = Fraction(rng.choice([17, 33, 65]), rng.choice([16, 32, 64])) if seed % 2 else Fraction(65, 64)
    s = max(s, 1 / s, Fraction(65, 64))
    half = [rng.randint(1, 9) for _ in range(4)]
    weights = [half[abs(k)] * (s.numerator * s.denominator) ** 3 for k in range(-3, 4)]
    a = [int(w * s**k) for k, w in zip(range(-3, 4), weights, strict=True)]
    b = [int(w / s**k) for k, w in zip(range(-3, 4), weights, strict=True)]
    assert sum(a) == sum(b) < 2**53
    return tb.Histograms(tuple(a), tuple(b)), a, b, s


@pytest.mark.parametrize("r", [1, 5, 64, 700])
@pytest.mark.parametrize("seed", mostly_slow(range(6), every=6))
def test_lattice_pairs_against_exact_powers(seed: int, r: int):
    """Every rounding on the way is covered: the truth is a sum of integers, down to the floor and below it."""
    mechanism, a, b, s = lattice(seed)
    power_a, power_b, whole = fmpz_poly(a) ** r, fmpz_poly(b) ** r, sum(a) ** r
    pair = published.tree_pair(mechanism * r, n=N)
    floor = max(float(tree.buckets.error.max()) for tree in pair.trees) + 1e-15 * r
    assert floor < 2e-13 * r + 1e-12
    top = 6.0 * r * math.log(s)
    for epsilon in [top * x / 40 for x in range(24)]:
        g = atomic.exponential(epsilon)
        if g > 10**6:
            break
        gaps = (int(power_a[k]) * g.denominator - g.numerator * int(power_b[k]) for k in range(6 * r + 1))
        truth = Fraction(sum(gap for gap in gaps if gap > 0), whole * g.denominator)
        answer = pair.delta(epsilon)
        assert Fraction(answer.lower) <= truth <= Fraction(answer.upper)
        # losses sit on edges: the bracket is nothing but rounding, times e^epsilon for the masses of B
        assert answer.width <= 4 * floor * float(1 + g) + 1e-6 * float(truth)


def test_repeated_members_of_a_class():
    """Of bounded_range(0.1) * 100, Rényi accounting proves 2.40; the dominating pair has 2.61, which is no
    lower end.
    """
    composition = tb.BoundedRange(0.1) * 100
    pair = tb.published.tree_pair(composition, n=2000)
    proven = tb.compare(composition, delta=1e-6)["Rényi DP"].value
    found, ours = pair.epsilon(1e-6), composition.epsilon(1e-6)
    assert found.lower <= ours.upper
    assert found.lower <= proven <= found.upper
    assert found.lower >= 0.95 * ours.lower
    assert not found.converged
    assert "class" in found.reason
    assert pair.delta(1.0).lower <= composition.delta(1.0).upper
    assert not pair.curve([0.5, 1.0]).converged


def test_trees_of_a_class_by_hand():
    leaf = tb.published.embed(tb.BoundedRange(0.1), 2000)
    one = tb.published.TreePair(leaf, leaf)
    assert one.delta(0.05).converged
    tree = tb.published.power(leaf, 8)
    assert tb.published.TreePair(tree, tree).delta(0.1).lower == 0.0
    sampled = tb.published.power(tb.published.embed(tb.Poisson(tb.BoundedRange(0.1), q=0.5), 2000), 3)
    assert tb.published.TreePair(sampled, sampled).delta(0.01).lower == 0.0
