"""Losses so large that they are counted as infinite: a lower end may count them far below them, and nowhere else (M2).

Each mechanism here is dominated by a plain one whose losses floats hold, so no lower end may be above that one's upper
end, whatever the mechanism is wrapped in.
"""

import math
from collections.abc import Callable

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.engine import refine
from tightbudget.errors import Contradiction

NEXT_TO_CERTAIN = {
    "clamped laplace": (tb.ClampedLaplace(0, 1e-101, 1.5e-97), tb.PureDP(15_000.0)),
    "clamped laplace, both sides": (tb.ClampedLaplace(-1.5e-97, 1e-101, 3e-97), tb.PureDP(30_000.0)),
    "clamped gaussian": (tb.ClampedGaussian(0, 1e-101, 1.5e-97), tb.Gaussian(1 / 15_000)),
    "mixture": (tb.MixtureOfGaussians(1, [0, 20_000], [0.5, 0.5]), tb.Gaussian(1 / 20_000)),
}

WRAPPERS: dict[str, Callable[[tb.Mechanism], tb.Mechanism | tb.Composition]] = {
    "alone": lambda base: base,
    "three times": lambda base: base * 3,
    "beside another": lambda base: base + tb.Laplace(1.0),
    "beside a larger loss": lambda base: base + tb.PureDP(50_000.0),
    "sampled": lambda base: tb.Poisson(base, 0.25),
    "sampled twice": lambda base: tb.Poisson(tb.Poisson(base, 1e-300), 1e-20),
    "sampled and composed": lambda base: tb.Poisson(base, 1e-3) * 2 + tb.Laplace(2.0),
    "allocated": lambda base: tb.RandomAllocation(base, batches=4),
    "allocated twice": lambda base: tb.RandomAllocation(base, batches=3, times=2),
    "allocated and composed": lambda base: tb.RandomAllocation(base, batches=4) * 2,
    "best of a geometric number": lambda base: tb.RepeatAndSelect(base, mean=3.0),
    "best of a Poisson number": lambda base: tb.RepeatAndSelect(base, runs="poisson", mean=2.0),
    "best of a binomial number": lambda base: tb.RepeatAndSelect(base, runs="binomial", trials=2, p=0.5),
    "best of two, composed": lambda base: tb.RepeatAndSelect(base, runs="binomial", trials=2, p=0.5) * 2 + tb.Laplace(1.0),
    "a sample of the best": lambda base: tb.Poisson(tb.RepeatAndSelect(base, mean=2.0), 0.1),
}
REFUSED = {("allocated twice", "clamped laplace, both sides")}
EPSILONS = (0.0, 1.0, 900.0, 5e3, 9e3, 1.4e4, 1.6e4, 4e4, 7e4, 1e6, 1e8, 3e8, 1e12, 1e300)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("name", NEXT_TO_CERTAIN)
def test_no_lower_end_is_above_what_dominates(name: str, wrapper: str) -> None:
    base, plain = NEXT_TO_CERTAIN[name]
    if (wrapper, name) in REFUSED:
        with pytest.raises(tb.InvalidParameter):
            WRAPPERS[wrapper](base).delta(1.0)
        return
    made, above = WRAPPERS[wrapper](base), WRAPPERS[wrapper](plain)
    for epsilon in EPSILONS:
        found, most = made.delta(epsilon), above.delta(epsilon)
        assert found.lower <= most.upper * (1.0 + 1e-12), epsilon
        assert most.lower <= 1.0
    for delta in (1e-6, 0.1, 0.3, 0.6, 0.9):
        found, most = made.epsilon(delta), above.epsilon(delta)
        assert found.lower <= most.upper * (1.0 + 1e-12), delta
    counts = made.delta(1.0)
    assert counts.upper > 0.0


def test_a_loss_counted_as_infinite_beside_a_larger_one() -> None:
    """Losses 15,000 and 50,000, each with probability 1/2, else -ln 2: the search for epsilon goes beyond the first."""
    steps = tb.ClampedLaplace(0, 1e-101, 1.5e-97) + tb.ClampedLaplace(0, 1e-5, 0.5)
    with mpmath.workdps(40):
        one, two, else_ = mpf(15_000), mpf(50_000), -mpmath.log(2)
        sums = [one + two, one + else_, else_ + two, 2 * else_]

        def delta(epsilon: mpf) -> mpf:
            return mpmath.fsum(max(mpf(0), 1 - mpmath.exp(epsilon - loss)) for loss in sums) / 4

        truth = mpf(15_000) + else_ + mpmath.log(mpf(3) / 5)
        assert abs(delta(truth) - mpf("0.6")) < mpf(10) ** -30
        found = steps.epsilon(0.6, direction="add")
        assert found.lower <= truth <= found.upper
        assert found.lower > 9_000
        for epsilon in (1.0, 9e3, 9.3e3, 1.4e4, 14_999.5, 2e4, 4.9e4, 6e4, 7e4):  # both sides of what a lower end may count
            bracket = steps.delta(epsilon, direction="add")
            assert bracket.lower <= delta(mpf(epsilon)) <= bracket.upper
        assert steps.delta(9e3, direction="add").converged


def test_the_smallest_of_the_losses_counted_as_infinite_limits_all() -> None:
    """Losses of 30,000, and of some 2e8 with probability 1/2: beyond 30,000 a lower end may count one of them."""
    small, large = tb.ClampedLaplace(-1.5e-97, 1e-101, 3e-97), tb.MixtureOfGaussians(1, [0, 20_000], [0.5, 0.5])
    steps = small + large
    near, between, beyond = (steps.delta(epsilon, direction="remove") for epsilon in (1e3, 1e5, 1e9))
    assert near.lower == pytest.approx(1.0, rel=1e-9)  # the first loss occurs for certain
    assert between.lower <= 0.5 + 1e-9 <= between.upper
    assert beyond.lower == 0.0


def test_no_mu_is_infinite_where_losses_are_finite() -> None:
    for base, largest in ((tb.Gaussian(1e-160), 1e160), (tb.Poisson(tb.Gaussian(1e-160), 0.5), 1e160)):
        found = tb.risk(base).gdp_mu()
        assert found.lower <= largest <= found.upper


def test_a_random_batch_of_what_is_told_at_sight() -> None:
    allocated = tb.RandomAllocation(tb.MixtureOfGaussians(1, [0, 20_000], [0.5, 0.5]), batches=4)
    assert allocated.delta(1e9).lower == 0.0
    assert allocated.epsilon(1e-6).lower <= tb.Gaussian(1 / 20_000).epsilon(1e-6).upper
    assert allocated.delta(1e6).lower == pytest.approx(0.5, rel=1e-6)
    found = tb.calibrate(
        "random_allocation(mixture_of_gaussians(?, [0, 20000], [0.5, 0.5]), batches=4)", epsilon=1e9, delta=1e-6
    )
    enough = 0.44736  # with this much noise the plain mechanism keeps the target: 20000 / 0.44736 = 44706.7
    assert tb.Gaussian(enough / 20_000).epsilon(1e-6).upper <= 1e9
    assert found.too_little is not None
    assert found.too_little < enough


def test_the_best_run_of_what_is_next_to_certain() -> None:
    base = tb.ClampedLaplace(-1.5e-97, 1e-101, 3e-97)
    best = tb.RepeatAndSelect(base, runs="binomial", trials=2, p=0.5)
    assert best.delta(1e6).lower == 0.0
    assert best.delta(1.0).lower == pytest.approx(0.75, rel=1e-9)  # one of two runs is made: 1 - 1/4


def test_a_contradiction_behind_a_larger_direction_is_seen() -> None:
    """Two ends that cross say that a bound is wrong, though the other direction has the larger answer."""

    class Ends:
        def __init__(self, lower: float, upper: float) -> None:
            self.lower, self.upper = lower, upper

    larger, wrong = Ends(4.0, 5.0), Ends(2.0, 1.0)
    for questions in ([larger, wrong], [wrong, larger]):
        with pytest.raises(Contradiction):
            refine._both_directions(questions)  # type: ignore[arg-type]
    assert refine._both_directions([larger, Ends(1.0, 2.0)])[:2] == (4.0, 5.0)  # type: ignore[list-item]


def test_published_buckets_count_no_finite_loss_as_infinite() -> None:
    pair = tb.published.tree_pair(tb.ClampedLaplace(0, 1e-101, 1.5e-97), n=400)
    for epsilon in (2e4, 1e6, 1e300, math.inf):
        assert pair.delta(epsilon).lower == 0.0
