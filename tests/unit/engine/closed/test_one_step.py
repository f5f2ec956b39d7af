"""One release, straight from its masses, against 50 digits; also when the masses themselves are in doubt."""

import math

import mpmath
import pytest
from mpmath import mpf
from tests.support import pair_truth as truth
from tests.support import point_truth
from tests.support.doubles import Misplaced, RoughPair, Spikes

import tightbudget as tb
from tightbudget.engine.closed.one_step import Ends, single_delta, single_guess
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.poisson import poisson_pair

LAPLACE = tb.Laplace(0.5).pair(Direction.ADD)
LAWS = {
    "laplace": (LAPLACE, truth.laplace(0.5)),
    "truncated gaussian": (GaussianPair(1.0, 3.0), truth.gaussian(1.0, 3.0)),
    "subsampled gaussian": (
        poisson_pair(GaussianPair(1.0), 0.01, Direction.REMOVE),
        truth.subsampled(truth.gaussian(1.0), 0.01, remove=True),
    ),
    "subsampled laplace": (
        poisson_pair(LAPLACE, 0.2, Direction.ADD),
        truth.subsampled(truth.laplace(0.5), 0.2, remove=False),
    ),
}
NOISE = tb.Gaussian(1)
ROUGH = [
    tb.TruncatedPoisson(NOISE, 0.1, 3, 20, relation="replace_one").pair(Direction.REMOVE),
    tb.WithReplacement(NOISE, 10, 100).pair(Direction.REMOVE),
    tb.WithReplacement(NOISE, 10, 100, relation="add_remove").pair(Direction.REMOVE),
    tb.WithReplacement(NOISE, 10, 100, relation="add_remove").pair(Direction.ADD),
    tb.WithoutReplacement(NOISE, 10, 100, relation="replace_one").pair(Direction.ADD),
    tb.Poisson(NOISE, 0.1, relation="replace_one").pair(Direction.ADD),
]


def exact(law: truth.Law, epsilon: float) -> mpf:
    with mpmath.workdps(truth.DIGITS):
        a, b = law.tails(mpf(epsilon))
        return a - mpmath.exp(mpf(epsilon)) * b


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.1, 1.0, 1.9999999])
@pytest.mark.parametrize("name", LAWS)
def test_the_truth_lies_inside(name: str, epsilon: float):
    pair, law = LAWS[name]
    lower, upper = single_delta(pair, epsilon, (pair.infinity.infinite.lower, pair.infinity.upper))
    true = exact(law, epsilon)
    assert mpf(lower) <= true <= mpf(upper)
    assert upper - lower <= 1e-6 * upper + 1e-14


@pytest.mark.parametrize(
    "mechanism", [tb.RandomizedResponse(0.7), tb.DiscreteLaplace(0.5, 3), tb.Histograms((1, 2, 3), (3, 2, 1))], ids=str
)
@pytest.mark.parametrize("direction", Direction)
def test_points(mechanism: tb.Mechanism, direction: Direction):
    pair, events = mechanism.pair(direction), point_truth.events(mechanism, direction)
    # also exactly at the losses, where a point counts or does not by its last digit
    for epsilon in [0.0, 0.3, *(loss for loss in pair.points().low.tolist() if loss >= 0.0)]:
        lower, upper = single_delta(pair, epsilon, (0.0, 0.0))
        assert mpf(lower) <= point_truth.hockey_stick(events, epsilon) <= mpf(upper)


@pytest.mark.parametrize(("a", "b"), [(-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0)])
def test_doubtful_masses(a: float, b: float):
    rough = RoughPair(LAPLACE, error=1e-3, a=a, b=b)
    for epsilon in (0.0, 0.5, 1.5, 1.99):
        lower, upper = single_delta(rough, epsilon, (0.0, 0.0))
        assert mpf(lower) <= exact(LAWS["laplace"][1], epsilon) <= mpf(upper)


def test_doubtful_losses():
    """Losses may be a tenth larger or smaller than they look."""
    pair = RoughPair(Spikes((0.0, 1.0, 2.0), (0.2, 0.3, 0.5)), extra_slack=0.1)
    for epsilon in (0.0, 0.95, 1.0, 1.05, 1.5, 1.97):
        lower, upper = single_delta(pair, epsilon, (0.0, 0.0))
        for shift in (-0.1, 0.0, 0.1):
            true = sum(m * max(0.0, -math.expm1(epsilon - x - shift)) for x, m in ((0.0, 0.2), (1.0, 0.3), (2.0, 0.5)))
            assert lower <= true * (1.0 + 1e-12)
            assert true * (1.0 - 1e-12) <= upper


@pytest.mark.parametrize("shift", [-0.05, 0.05])
def test_misplaced_edges(shift: float):
    """The tail above epsilon is really that above a point a little higher or lower."""
    exact_pair, law = tb.BoundedRange(2.0).pair(Direction.ADD), truth.bounded_range(2.0)
    for epsilon in (0.1, 0.5, 1.5, 1.96):
        lower, upper = single_delta(Misplaced(exact_pair, shift=shift), epsilon, (0.0, 0.0))
        assert mpf(lower) <= exact(law, epsilon) <= mpf(upper)


def test_what_is_unresolved_is_charged():
    pair = Spikes((0.0, 1.0), (0.5, 0.4), unresolved=0.1)
    lower, upper = single_delta(pair, 0.5, (0.0, 0.0))
    finite = 0.4 * -math.expm1(-0.5)
    assert upper >= finite + 0.1  # all of it may have a huge loss
    assert lower <= finite  # or none


@pytest.mark.parametrize("error", [0.05, 0.4, 2.0, 30.0, 600.0])
@pytest.mark.parametrize("name", LAWS)
def test_an_error_of_a_logarithm_is_a_factor(name: str, error: float):
    """Masses that are too small by a factor e^error, and say so: 1 + error is less than that."""
    pair, law = LAWS[name]
    for epsilon in (0.0, 0.1, 1.0):
        for rough in (RoughPair(pair, error, a=-1.0, b=-1.0), RoughPair(pair, error, a=1.0, b=1.0)):
            lower, upper = single_delta(rough, epsilon, (pair.infinity.infinite.lower, pair.infinity.upper))
            assert mpf(lower) <= exact(law, epsilon) <= mpf(upper)


@pytest.mark.parametrize("name", LAWS)
def test_one_end_alone_is_that_of_both(name: str) -> None:
    pair = LAWS[name][0]
    for epsilon in (0.0, 0.1, 1.0):
        lower, upper = single_delta(pair, epsilon, (0.0, 0.0))
        assert single_delta(pair, epsilon, (0.0, 0.0), Ends.LOWER) == (lower, 1.0)
        assert single_delta(pair, epsilon, (0.0, 0.0), Ends.UPPER) == (0.0, upper)


@pytest.mark.parametrize("name", LAWS)
def test_the_guess_is_near(name: str) -> None:
    pair, law = LAWS[name]
    for epsilon in (1e-3, 0.1, 0.9):
        finite = float(exact(law, epsilon)) - pair.infinity.upper
        if finite > 0.0:
            guess, slope = single_guess(pair, finite)
            assert guess == pytest.approx(epsilon, rel=0.05, abs=0.01)
            assert slope > 0.0


@pytest.mark.parametrize("pair", ROUGH, ids=lambda pair: type(pair).__name__)
@pytest.mark.parametrize("epsilon", [0.02, 0.3, 2.0])
def test_the_guess_of_derived_pairs_is_near(pair: Pair, epsilon: float) -> None:
    """From places of their own, not from coarse cells."""
    epsilon = min(epsilon, 0.5 * pair.max_loss)
    delta = single_delta(pair, epsilon, (0.0, 0.0))[0] - pair.infinity.upper
    guess, slope = single_guess(pair, delta)
    assert guess == pytest.approx(epsilon, rel=0.05, abs=0.01)
    further = single_delta(pair, 1.001 * epsilon, (0.0, 0.0))[0] - pair.infinity.upper
    assert slope == pytest.approx(math.log(delta / further) / (1e-3 * epsilon), rel=0.5)


def test_a_guess_is_made_where_nothing_can_be_seen() -> None:
    for pair in (Spikes((0.5,), (1.0,)), Spikes((-1.0, 0.5), (0.5, 0.5)), GaussianPair(1e-200)):
        for delta in (1e-300, 0.5, 1.0):
            guess, slope = single_guess(pair, delta)
            assert 0.0 <= guess < math.inf
            assert 0.0 < slope < math.inf


@pytest.mark.parametrize(
    "mechanism", [tb.RandomizedResponse(0.7), tb.DiscreteLaplace(0.5, 3), tb.Histograms((1, 2, 3), (3, 2, 1))], ids=str
)
def test_between_point_masses_the_guess_is_the_answer(mechanism: tb.Mechanism) -> None:
    """Nothing lies between them: delta falls in a straight line over e^epsilon, however far apart they are."""
    pair = mechanism.pair(Direction.REMOVE)
    for epsilon in (0.01, 0.3, 0.5, 0.999 * pair.max_loss):
        delta = float(point_truth.hockey_stick(point_truth.events(mechanism, Direction.REMOVE), epsilon))
        guess, slope = single_guess(pair, delta)
        assert guess == pytest.approx(epsilon, rel=1e-9)
        further = float(point_truth.hockey_stick(point_truth.events(mechanism, Direction.REMOVE), epsilon + 1e-7))
        assert slope == pytest.approx((delta - further) / delta / 1e-7, rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "mixture_of_gaussians(sigma=0.066229, centres=[0, 1, 3.00321], probabilities=[0.5, 0.25, 0.25])",
        "group(poisson(gaussian(sigma=0.0603209), q=0.554264), k=6)",
        "with_replacement(gaussian(sigma=0.0985997), batch=19, examples=1000, relation='add_remove')",
        "poisson(gaussian(sigma=0.05), q=0.01, relation='replace_one')",
    ],
)
@pytest.mark.parametrize("delta", [1e-3, 5.328660251701735e-09, 1e-30])
def test_small_noise_is_found_as_closely(text: str, delta: float) -> None:
    """Losses of thousands, where e^loss is no float: a guess that saw nothing there left [0.69, 79998]."""
    found = tb.parse(text).epsilon(delta)
    assert found.upper - found.lower <= 1e-8 * found.upper
