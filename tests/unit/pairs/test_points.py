"""Discrete pairs against 60 digits: masses, losses, lattices, and that nothing is missing."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import point_truth as truth
from tests.support.engine_answers import delta_of
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.numerics.mass import Mass
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import point_pair, swapped_points

BASES = [
    tb.RandomizedResponse(0.75),
    tb.RandomizedResponse(0.51),
    tb.RandomizedResponse(0.1, k=5),
    tb.RandomizedResponse(0.9999, k=100),
    tb.PureDP(1e-3),
    tb.PureDP(10.0),
    tb.ApproximateDP(1.0, 1e-5),
    tb.ApproximateDP(0.1, 0.4),
    tb.DiscreteLaplace(3.0),
    tb.DiscreteLaplace(0.7, sensitivity=4),
    tb.DiscreteGaussian(2.0),
    tb.DiscreteGaussian(0.3, sensitivity=2),
    tb.ClampedGaussian(mean=5.0, sigma=2.0, sensitivity=1.0),
    tb.ClampedGaussian(mean=0.5, sigma=0.8, sensitivity=2.5),
    tb.ClampedLaplace(mean=6.0, scale=2.0, sensitivity=2.0),
    tb.ClampedLaplace(mean=-1.5, scale=0.7, sensitivity=1.25),
    tb.Histograms((0.5, 0.3, 0.2), (0.1, 0.6, 0.3)),
    tb.Histograms((5.0, 0.0, 2.0, 1e-9), (1.0, 4.0, 0.0, 1.0)),
]
MECHANISMS = (
    BASES
    + [tb.Poisson(base, q, mix_relations=True) for base in BASES for q in (1e-6, 0.3, 0.999)]
    + [tb.Poisson(tb.Poisson(BASES[0], 0.5, mix_relations=True), 0.1)]
)
# Those whose events can be told apart by their losses; hockey sticks serve for the others.
ONE_TO_ONE = [
    m
    for m in MECHANISMS
    if m.name != "clamped_laplace" and not (m.name == "poisson" and ("clamped" in str(m) or "discrete_gaussian" in str(m)))
]

every = pytest.mark.parametrize("mechanism", mostly_slow(MECHANISMS, every=4), ids=str)
directions = pytest.mark.parametrize("direction", Direction)


@directions
@every
def test_nothing_is_missing(mechanism: tb.Mechanism, direction: Direction):
    pair = mechanism.pair(direction)
    for points in (pair.points(), pair.coarse_cells()):
        assert np.exp(points.log_a).sum() + pair.infinity.upper == pytest.approx(1.0, rel=1e-12)
        assert np.exp(points.log_b).sum() + pair.minus_infinity.upper == pytest.approx(1.0, rel=1e-12)
    assert pair.unresolved < 1e-290


@directions
@every
def test_hockey_stick(mechanism: tb.Mechanism, direction: Direction):
    """The floats, taken as exact, have the delta of the mechanism up to the errors they state."""
    pair, exact = mechanism.pair(direction), truth.events(mechanism, direction)
    points = pair.points()
    with mpmath.workdps(truth.DIGITS):
        floats = [(mpmath.exp(mpf(a)), mpmath.exp(mpf(b))) for a, b in zip(points.log_a, points.log_b, strict=True)]
        error_bounds = [mpmath.expm1(mpf(error)) for error in points.error]
        for epsilon in np.linspace(-1.0, 1.05, 9) * abs(pair.max_loss):
            e = mpmath.exp(mpf(epsilon))
            error_bound = mpmath.fsum(
                (a + e * b) * d for (a, b), d in zip(floats, error_bounds, strict=True) if mpmath.log(a / b) > epsilon - 1e-9
            )
            found = truth.hockey_stick(floats, epsilon) + mpf(pair.infinity.upper)
            assert (
                abs(found - truth.hockey_stick(exact, epsilon))
                <= error_bound + mpf(pair.infinity.upper) * mpf(2) ** -48 + mpf(10) ** -299
            )


def matched(mechanism: tb.Mechanism, direction: Direction) -> list[tuple[tuple[float, ...], tuple[mpf, mpf, mpf]]]:
    """Return (loss, log a, log b, error) of the pair beside loss, a and b of the truth, event by event."""
    points = mechanism.pair(direction).points()
    both = sorted((mpmath.log(a / b), a, b) for a, b in truth.events(mechanism, direction) if a > 0 and b > 0)
    # far tails: the pair stops at 45 deviations and leaves them to `unresolved`
    least = mpf(max(points.log_a.min(), -1000.0)) - mpf(10) ** -9
    both = [(loss, a, b) for loss, a, b in both if mpmath.log(a) >= least]
    rows = [row for row in zip(points.low, points.log_a, points.log_b, points.error, strict=True) if row[1] >= least]
    return list(zip(rows, both, strict=True))


@directions
@pytest.mark.parametrize("mechanism", ONE_TO_ONE, ids=str)
def test_masses(mechanism: tb.Mechanism, direction: Direction):
    with mpmath.workdps(truth.DIGITS):
        for (_, log_a, log_b, error), (_, a, b) in matched(mechanism, direction):
            assert abs(mpf(log_a) - mpmath.log(a)) <= error
            assert abs(mpf(log_b) - mpmath.log(b)) <= error


@directions
@pytest.mark.parametrize("mechanism", ONE_TO_ONE, ids=str)
def test_losses(mechanism: tb.Mechanism, direction: Direction):
    pair = mechanism.pair(direction)
    with mpmath.workdps(truth.DIGITS):
        unit = mpf(10) ** -50  # the truth has 60 digits
        for (low, *_), (loss, *_) in matched(mechanism, direction):
            assert abs(mpf(low) - loss) <= pair.loss_shift(float(loss)) + unit
            assert loss <= mpf(pair.max_loss) + unit
        largest = max(loss for _, (loss, *_) in matched(mechanism, direction))
        assert pair.unresolved > 0.0 or mpf(pair.max_loss_lower) <= largest + unit


@directions
@every
def test_stated_errors_are_small(mechanism: tb.Mechanism, direction: Direction):
    pair = mechanism.pair(direction)
    points = pair.points()
    assert (points.error <= 1e-12 * (1.0 + np.abs(points.log_a) + np.abs(points.log_b))).all()


LATTICES = [(str(m), m.pair(direction)) for m in MECHANISMS for direction in Direction if m.pair(direction).alignment]


@pytest.mark.parametrize("pair", [pair for _, pair in LATTICES], ids=[name for name, _ in LATTICES])
def test_a_lattice_holds_every_point(pair: Pair):
    alignment, points = pair.alignment, pair.points()
    assert alignment is not None
    steps = (points.low - alignment.anchor) / alignment.period
    off = np.abs(steps - np.round(steps)) * alignment.period
    assert (off <= 1e-12 * (1.0 + np.abs(points.low).max())).all()


@pytest.mark.parametrize(
    "mechanism", [tb.RandomizedResponse(0.7), tb.PureDP(2.0), tb.DiscreteLaplace(3.0), tb.DiscreteGaussian(5.0, 2)], ids=str
)
def test_known_lattices_are_found(mechanism: tb.Mechanism):
    """The period is the gap between neighbouring losses, not a fraction of it."""
    pair = mechanism.pair(Direction.REMOVE)
    assert pair.alignment is not None
    assert pair.alignment.period == pytest.approx(float(np.diff(pair.points().low).min()), rel=1e-9)


def test_a_lattice_is_recognised_by_its_losses():
    pair = point_pair(("test",), np.array([0.6, -0.3, 1.5]), np.log([0.3, 0.3, 0.4]), np.zeros(3), error=0.0)
    assert pair.alignment is not None
    assert pair.alignment.period == pytest.approx(0.9)
    crooked = point_pair(("test",), np.array([0.0, 1.0, np.pi]), np.log([0.3, 0.3, 0.4]), np.zeros(3), error=0.0)
    assert crooked.alignment is None


def test_equal_keys_make_equal_pairs():
    assert tb.PureDP(1.0).pair(Direction.REMOVE) == tb.PureDP(1.0).pair(Direction.ADD)
    assert tb.PureDP(1.0).pair(Direction.REMOVE) != tb.PureDP(1.1).pair(Direction.REMOVE)


def test_a_swapped_pair_has_the_profile_of_the_other_order() -> None:
    losses, masses = np.array([-1.0, 0.25, 2.0]), np.array([0.2, 0.3, 0.4])
    pair = point_pair(
        ("three", "one"),
        losses,
        np.log(masses),
        np.log(masses) - losses,
        error=1e-15,
        infinity=InfiniteMass(Mass.exactly(1.0 - masses.sum())),
        minus_infinity=InfiniteMass(Mass.exactly(1.0 - float((masses * np.exp(-losses)).sum()))),
    )
    other = swapped_points(pair)
    assert other.infinity == pair.minus_infinity
    for epsilon in (0.1, 0.5, 1.5):
        # H_g(B||A) = 1 - g + g H_{1/g}(A||B)
        below = float(np.maximum(masses * (1.0 - np.exp(-epsilon - losses)), 0.0).sum()) + pair.infinity.upper
        assert delta_of(other, 1, epsilon).upper == pytest.approx(-np.expm1(epsilon) + np.exp(epsilon) * below, rel=1e-9)
    again = swapped_points(other)
    assert (again.losses == pair.losses).all()
    assert (again.log_a == pair.log_a).all()
    assert again.key != pair.key


@pytest.mark.parametrize(
    ("size", "lists_b", "covered"), [(5, True, True), (1024, True, True), (1025, True, False), (5, False, False)]
)
def test_a_list_covers_b_if_it_says_so_and_no_event_is_merged(size: int, lists_b: bool, covered: bool) -> None:
    """Coarse cells of several events cannot be cut where large losses begin."""
    losses = np.linspace(-1.0, 1.0, size)
    logs = np.full(size, -math.log(size))
    pair = point_pair(("covers", size, lists_b), losses, logs, logs - losses, error=1e-14, lists_b=lists_b)
    assert pair.covers_b is covered
    assert not covered or np.array_equal(pair.coarse_cells().low, pair.coarse_cells().high)
