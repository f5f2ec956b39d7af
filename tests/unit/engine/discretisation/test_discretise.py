"""Leaves: the spread reading lies above the exact pair and the merged one below, whatever was cut, moved or doubted.

Windows are cut so tightly and stated errors made so large that each term of the certificate is needed.
"""

import dataclasses
import math
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import pair_truth as truth
from tests.support import readings
from tests.support.doubles import Misplaced, RoughPair, Spikes
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.engine.discretisation.discretise import DiscretisedPair
from tightbudget.engine.discretisation.discretise import discretise as on_window
from tightbudget.engine.discretisation.window import loss_window, tail_truncated
from tightbudget.numerics.convolve import TooWide
from tightbudget.pairs.base import Cells, Direction, Pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.poisson import poisson_pair

NO_CAP = -1e6  # nothing is so rare that it is left out
LAPLACE = tb.Laplace(0.5).pair(Direction.ADD)
PAIRS: dict[str, tuple[Pair, truth.Law]] = {
    "gaussian": (GaussianPair(0.7), truth.gaussian(0.7)),
    "truncated gaussian": (GaussianPair(1.0, 2.5), truth.gaussian(1.0, 2.5)),
    "laplace": (LAPLACE, truth.laplace(0.5)),
    "bounded range": (tb.BoundedRange(1.5).pair(Direction.ADD), truth.bounded_range(1.5)),
    "poisson remove": (poisson_pair(LAPLACE, 0.1, Direction.REMOVE), truth.subsampled(truth.laplace(0.5), 0.1, remove=True)),
    "poisson add": (
        poisson_pair(GaussianPair(2.0), 0.3, Direction.ADD),
        truth.subsampled(truth.gaussian(2.0), 0.3, remove=False),
    ),
}
# (step, anchor, tilt, tail): fine and coarse grids, on and off the points, gentle and steep tilts, a third cut away
SHAPES = [
    (0.05, 0.0, 1.0, 1e-9),
    (0.5, 0.1, 1.0, 1e-3),
    (0.25, 0.0, 0.05, 0.1),
    (0.1, 0.03, 6.0, 0.3),
    (3.0, 0.0, 1.0, 1e-6),
    (0.01, 0.0, 1.0, 1e-9),
]


def discretised(pair: Pair, step: float, theta: float, anchor: float, tail: float, log_tail_mass: float) -> DiscretisedPair:
    return on_window(pair, loss_window(tail_truncated(pair, log_tail_mass), theta, tail), step, theta, anchor)


def exact(law: truth.Law, epsilon: float) -> mpf:
    """Return the finite part of delta(epsilon)."""
    with mpmath.workdps(truth.DIGITS):
        a, b = law.tails(mpf(epsilon))
        return a - law.infinity - mpmath.exp(mpf(epsilon)) * b


def knots(stack, step: float) -> list[float]:
    """Return grid points and points between them, over the list and a little beyond."""
    ends = [stack.anchor + step * stack.first, stack.anchor + step * (stack.first + stack.size - 1)]
    every = np.linspace(ends[0] - step, ends[1] + step, 25)
    on_grid = stack.anchor + step * np.arange(stack.first, stack.first + stack.size, max(1, stack.size // 15))
    return sorted({*every.tolist(), *on_grid.tolist()})


@pytest.mark.slow
@pytest.mark.parametrize("shape", mostly_slow([(shape,) for shape in SHAPES], every=3), ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_spread_lies_above(name: str, shape: tuple[float, float, float, float]):
    pair, law = PAIRS[name]
    step, anchor, theta, tail = shape
    found = discretised(pair, step, theta, anchor, tail, NO_CAP)
    for epsilon in knots(found.spread, step):
        assert readings.upper(found.spread, step, theta, epsilon, found.loss_shift) >= exact(law, epsilon)


@pytest.mark.parametrize("shape", mostly_slow([(shape,) for shape in SHAPES], every=3), ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_merged_lies_below(name: str, shape: tuple[float, float, float, float]):
    pair, law = PAIRS[name]
    step, anchor, theta, tail = shape
    found = discretised(pair, step, theta, anchor, tail, NO_CAP)
    for epsilon in knots(found.merged, step):
        bound = readings.lower(found.merged, step, theta, epsilon)
        assert bound == 0 or bound <= exact(law, epsilon)


@pytest.mark.parametrize("name", PAIRS)
def test_both_are_close_on_a_fine_grid(name: str):
    """Soundness is cheap for [0, 1]; these readings leave little room."""
    pair, law = PAIRS[name]
    found = discretised(pair, 0.01, 1.0, 0.0, 1e-12, NO_CAP)
    for epsilon in (0.05, 0.1):
        true = exact(law, epsilon)
        assert readings.upper(found.spread, 0.01, 1.0, epsilon, found.loss_shift) <= true * (1 + mpf("2e-3")) + mpf(10) ** -9
        assert readings.lower(found.merged, 0.01, 1.0, epsilon) >= true * (1 - mpf("2e-3")) - mpf(10) ** -9


@pytest.mark.parametrize("name", PAIRS)
def test_no_mass_is_lost(name: str):
    """What lies below the window is moved up into it, what lies above is in the certificate: A keeps its mass."""
    pair, law = PAIRS[name]
    theta, tail = 0.5, 0.2
    found = discretised(pair, 0.1, theta, 0.0, tail, NO_CAP)
    kept = mpmath.fsum(mass for _, mass in readings.masses(found.spread, 0.1, theta))
    lowest = found.spread.anchor + 0.1 * found.spread.first
    # the most that the certificate can be worth, at the lowest loss
    spare = mpf(float(found.spread.error[0])) * readings.scale(found.spread, theta, lowest)
    assert kept + spare >= (1 - law.infinity) * (1 - mpf(10) ** -12)


@pytest.mark.parametrize("error", [1e-6, 0.3])
def test_what_a_window_leaves_out_may_be_more_than_it_looks(error: float):
    """Masses below and beyond are known only to the error of the coarse cells."""
    cells, theta = RoughPair(GaussianPair(1.0), error=error, a=-1.0).coarse_cells(), 0.5
    found = loss_window(cells, theta, 0.1)
    below, beyond = cells.high <= found.low, cells.low >= found.high
    assert below.any()
    assert beyond.any()
    exact = cells.log_a + error
    assert found.log_below >= np.logaddexp.reduce(exact[below])
    assert found.log_beyond >= np.logaddexp.reduce((exact + theta * cells.low)[beyond])
    upper = np.logaddexp.reduce((exact + theta * cells.high)[beyond])  # a coarse cell is no wider than this
    assert found.log_beyond >= upper - 1e-12


def test_doubtful_masses_move_losses_up():
    """With a too small and b too large by 5 %, the loss looks 10 % too small: the share that goes up must make up for
    it.
    """
    error_bound, step = 0.05, 0.2
    rough = RoughPair(LAPLACE, error=error_bound, a=-1.0, b=1.0)
    found = discretised(rough, step, 1.0, 0.0, 1e-12, NO_CAP)
    points = readings.masses(found.spread, step, 1.0)
    with mpmath.workdps(readings.DIGITS):
        # the masses are e^-error_bound too small: that is in the certificate; the losses are not, so B may not gain
        a = mpmath.fsum(mass for _, mass in points) * mpmath.exp(mpf(error_bound))
        b = mpmath.fsum(mass * mpmath.exp(-loss) for loss, mass in points) * mpmath.exp(mpf(error_bound))
        assert abs(a - 1) <= mpf(10) ** -12
        assert b <= 1 + mpf(10) ** -12


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b"), [(-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0)])
def test_doubtful_masses_stay_inside_the_readings(a: float, b: float):
    step, theta = 0.05, 1.0
    found = discretised(RoughPair(LAPLACE, error=0.02, a=a, b=b), step, theta, 0.0, 1e-12, NO_CAP)
    law = PAIRS["laplace"][1]
    for epsilon in knots(found.spread, step):
        assert readings.upper(found.spread, step, theta, epsilon, found.loss_shift) >= exact(law, epsilon)
        below = readings.lower(found.merged, step, theta, epsilon)
        assert below == 0 or below <= exact(law, epsilon)


@pytest.mark.parametrize("shift", [-0.03, 0.03])
def test_misplaced_edges_stay_inside_the_readings(shift: float):
    """Cells that reach a little higher, or lower, than their edges hold losses above, or below, what they look like."""
    step, theta, law = 0.1, 1.0, truth.bounded_range(1.5)
    found = discretised(Misplaced(tb.BoundedRange(1.5).pair(Direction.ADD), shift=shift), step, theta, 0.0, 1e-12, NO_CAP)
    assert found.loss_shift >= abs(shift)
    for epsilon in knots(found.spread, step):
        assert readings.upper(found.spread, step, theta, epsilon, found.loss_shift) >= exact(law, epsilon) * (
            1 - mpf(10) ** -12
        )
        below = readings.lower(found.merged, step, theta, epsilon)
        assert below == 0 or below <= exact(law, epsilon)


@pytest.mark.parametrize("row", [0, 1])
def test_the_certificate_covers_the_stated_errors(row: int):
    """Masses that may be off by 5 % make rows that may be off by 5 %."""
    stack = discretised(RoughPair(LAPLACE, error=0.05), 0.1, 1.0, 0.0, 1e-12, NO_CAP).merged
    assert stack.error[row] >= math.expm1(0.05)
    assert discretised(RoughPair(LAPLACE, error=0.05), 0.1, 1.0, 0.0, 1e-12, NO_CAP).spread.error[0] >= math.expm1(0.05)


def test_slack_includes_that_of_the_pair():
    assert discretised(RoughPair(LAPLACE, extra_slack=0.125), 0.1, 1.0, 0.0, 1e-9, NO_CAP).loss_shift >= 0.125
    assert discretised(LAPLACE, 0.1, 1.0, 0.0, 1e-9, NO_CAP).loss_shift < 1e-12


@pytest.mark.parametrize("off", [0.9e-9, -0.9e-9, 0.0])
def test_a_point_put_on_the_grid_is_at_most_slack_higher(off: float):
    """A point this close to the grid is moved to it; if that was down, the loss_shift says by how much."""
    step = 4.0
    losses = [step * (k + off) for k in (-2, 0, 1)]
    found = discretised(Spikes(tuple(losses), (0.2, 0.3, 0.5)), step, 0.5, 0.0, 1e-12, NO_CAP)
    points = [(loss, mass) for loss, mass in readings.masses(found.spread, step, 0.5) if mass > 1e-12]
    assert len(points) == 3
    for (place, _), loss in zip(points, losses, strict=True):
        assert mpf(loss) <= place + mpf(found.loss_shift)


@pytest.mark.parametrize("place", [0.01, 0.3, 0.5, 0.99])
def test_a_point_between_two_grid_points_keeps_both_masses(place: float):
    step, anchor = 0.5, 0.25
    loss = anchor + step * (3 + place)
    found = discretised(Spikes((loss,), (1.0,)), step, 1.0, anchor, 1e-12, NO_CAP)
    points = readings.masses(found.spread, step, 1.0)
    with mpmath.workdps(readings.DIGITS):
        a = mpmath.fsum(mass for _, mass in points)
        b = mpmath.fsum(mass * mpmath.exp(-x) for x, mass in points)
        assert abs(a - 1) <= mpf(10) ** -14
        # rounding may only make B lighter, and by no more than rounding
        assert 0 <= 1 - b * mpmath.exp(mpf(loss)) <= mpf(10) ** -13
        # of the two grid points around it, the one above is the nearer one for `place` near 1
        assert [float(x) for x, mass in points if mass > 1e-9] == pytest.approx([anchor + 3 * step, anchor + 4 * step])


@pytest.mark.parametrize("epsilon", [0.0, 0.7, 5.0])
def test_points_of_b_are_in_the_merged_reading(epsilon: float):
    """Without them the lower reading would claim A(S) in place of A(S) - e^epsilon B(S)."""
    losses, masses = (-1.0, 0.5, 0.9, 6.0), (0.1, 0.3, 0.4, 0.2)
    found = discretised(Spikes(losses, masses), 0.5, 1.0, 0.0, 1e-12, NO_CAP)
    true = readings.hockey_stick([(mpf(x), mpf(m)) for x, m in zip(losses, masses, strict=True)], mpf(epsilon))
    assert readings.lower(found.merged, 0.5, 1.0, epsilon) <= true
    assert readings.upper(found.spread, 0.5, 1.0, epsilon, found.loss_shift) >= true


def test_points_are_not_lost_at_huge_indices():
    """The grid has 1e10 steps between the anchor and the points, so that where each lies is known to a few steps in
    1e6.
    """
    step = 1e-9
    losses = (10.0 + 0.1 * step, 10.0 + 7.5 * step, 10.0 + 20.0 * step)
    found = discretised(Spikes(losses, (0.25, 0.25, 0.5)), step, 1.0, 0.0, 1e-15, NO_CAP)
    assert mpmath.fsum(mass for _, mass in readings.masses(found.spread, step, 1.0)) == pytest.approx(1.0, rel=1e-12)


def test_the_cap_leaves_out_only_the_largest_losses():
    pair = Spikes((0.0, 1.0, 2.0, 30.0), (0.5, 0.3, 0.199, 0.001))
    tail_truncated = discretised(pair, 1.0, 1.0, 0.0, 1e-12, math.log(0.002))
    points = [float(loss) for loss, mass in readings.masses(tail_truncated.spread, 1.0, 1.0) if mass > 1e-6]
    assert points == pytest.approx([0.0, 1.0, 2.0])
    whole = discretised(pair, 1.0, 1.0, 0.0, 1e-12, math.log(0.0005))
    assert float(max(loss for loss, mass in readings.masses(whole.spread, 1.0, 1.0) if mass > 1e-6)) == pytest.approx(30.0)


# on a grid with gaps

_COARSE = np.concatenate([-(2.0 ** np.arange(12.0, 5.0, -1.0)), np.arange(-60.0, -12.0, 4.0), np.arange(-12.0, 10.0)])
GAPS = np.concatenate([_COARSE, np.arange(10.0, 60.0, 2.0), 2.0 ** np.arange(6.0, 13.0)])


def on_gaps(pair: Pair, step: float, theta: float, anchor: float, tail: float) -> DiscretisedPair:
    return on_window(pair, loss_window(tail_truncated(pair, NO_CAP), theta, tail), step, theta, anchor, GAPS)


def losses(found: DiscretisedPair, step: float, stack) -> list[mpf]:
    """Return the loss of each column of the spread reading: the grid point itself, from the anchor of the list on."""
    first = GAPS[found.begin]
    return [
        mpf(float(stack.anchor)) + mpf(step) * mpf(float(k - first) + stack.first) for k in GAPS[found.begin :][: stack.size]
    ]


def untilted(found: DiscretisedPair, step: float, theta: float, row: int) -> list[mpf]:
    """Return the masses of spread A, merged A and merged B, column by column."""
    stack, i, tilt = (found.spread, 0, theta) if row == 0 else (found.merged, row - 1, theta + row - 1)
    first = GAPS[found.begin]
    with mpmath.workdps(readings.DIGITS):
        return [
            mpf(float(value))
            * mpmath.exp(mpf(float(stack.log_scale[i])) - mpf(tilt) * mpf(step) * mpf(float(k - first) + stack.first))
            for k, value in zip(GAPS[found.begin :].tolist(), stack.rows[i], strict=False)
        ]


@pytest.mark.parametrize(
    "shape", [(0.05, 0.0, 1.0, 1e-9), (0.1, 0.03, 6.0, 0.3), (0.25, 0.0, 0.05, 0.1), (1.0, 0.0, 1.0, 1e-6)], ids=str
)
@pytest.mark.parametrize("name", PAIRS)
def test_the_truth_lies_between_on_a_grid_with_gaps(name: str, shape: tuple[float, float, float, float]):
    pair, law = PAIRS[name]
    step, anchor, theta, tail = shape
    found = on_gaps(pair, step, theta, anchor, tail)
    places = losses(found, step, found.spread)
    a = untilted(found, step, theta, 0)
    merged_a, merged_b = untilted(found, step, theta, 1), untilted(found, step, theta, 2)
    with mpmath.workdps(readings.DIGITS):
        largest = mpf(theta) ** mpf(theta) / (1 + mpf(theta)) ** (1 + mpf(theta))
        for epsilon in [float(x) + off for x in places[::3] for off in (0.0, 0.4 * step)]:
            shifted = mpf(epsilon) - mpf(found.loss_shift)
            scale = mpmath.exp(mpf(float(found.spread.log_scale[0])) - mpf(theta) * (shifted - mpf(float(found.spread.anchor))))
            above = readings.hockey_stick(list(zip(places, a, strict=True)), shifted)
            assert above + mpf(float(found.spread.error[0])) * largest * scale >= exact(law, epsilon)
            e, first = mpmath.exp(mpf(epsilon)), next((i for i, x in enumerate(places) if x > epsilon), len(places))
            if first == len(places):
                continue
            index = places[first] - mpf(float(found.spread.anchor))
            charge = sum(
                mpf(float(found.merged.error[row]))
                * factor
                * mpmath.exp(mpf(float(found.merged.log_scale[row])) - (theta + row) * index)
                for row, factor in ((0, 1), (1, e))
            )
            assert mpmath.fsum(merged_a[first:]) - e * mpmath.fsum(merged_b[first:]) - charge <= exact(law, epsilon)


@pytest.mark.parametrize("name", PAIRS)
def test_no_mass_is_lost_on_a_grid_with_gaps(name: str):
    """Neither of A nor of B: what is split between distant points keeps both."""
    pair, law = PAIRS[name]
    step, theta = 0.1, 0.5
    found = on_gaps(pair, step, theta, 0.0, 1e-14)
    places, a = losses(found, step, found.spread), untilted(found, step, theta, 0)
    with mpmath.workdps(readings.DIGITS):
        assert abs(mpmath.fsum(a) - (1 - law.infinity)) <= mpf(10) ** -10
        spread_b = mpmath.fsum(m * mpmath.exp(-x) for x, m in zip(places, a, strict=True))
        assert spread_b == pytest.approx(mpmath.fsum(untilted(found, step, theta, 2)), rel=1e-9)


@pytest.mark.parametrize("place", [13.0, 13.999, 0.5, -14.0, 70.0])
def test_a_point_in_a_gap_keeps_both_masses(place: float):
    step = 0.125
    loss = step * place
    found = on_gaps(Spikes((loss,), (1.0,)), step, 1.0, 0.0, 1e-12)
    with mpmath.workdps(readings.DIGITS):
        points = list(zip(losses(found, step, found.spread), untilted(found, step, 1.0, 0), strict=True))
        assert abs(mpmath.fsum(mass for _, mass in points) - 1) <= mpf(10) ** -13
        b = mpmath.fsum(mass * mpmath.exp(-x) for x, mass in points)
        # masses are floats, so they may miss by some roundings, which `error` is charged for
        assert -(mpf(2) ** -50) <= 1 - b * mpmath.exp(mpf(loss)) <= mpf(10) ** -12


def test_a_grid_that_ends_too_early_is_refused():
    with pytest.raises(TooWide):
        on_window(LAPLACE, loss_window(tail_truncated(LAPLACE, NO_CAP), 1.0, 1e-9), 0.1, 1.0, 0.0, np.arange(-5.0, 6.0))


@dataclass(frozen=True)
class Stretched(RoughPair):
    """A pair that cuts its cells a tenth farther out than it is asked to, and admits to it by its loss_shift."""

    def loss_shift(self, loss: float) -> float:
        return self.exact.loss_shift(loss) + 0.11 * abs(loss)

    def cells(self, edges: np.ndarray) -> Cells:
        found = self.exact.cells(1.1 * edges)
        return Cells(edges[:-1], edges[1:], found.log_a, found.log_b, found.error)


def test_the_slack_is_that_of_the_outermost_points():
    """A window that ends just above a point of the grid has its last cell reach to the next point, far beyond."""
    pair = Stretched(GaussianPair(1.0))
    span = dataclasses.replace(loss_window(pair.coarse_cells(), 1.0, 1e-3), low=-2.0, high=6.5)
    found = on_window(pair, span, 0.1, 1.0, 0.0, GAPS)
    assert found.loss_shift >= pair.loss_shift(0.1 * GAPS[found.begin + found.spread.size - 1])
