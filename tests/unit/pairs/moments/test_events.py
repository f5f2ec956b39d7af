"""Events: masses kept, doubt taken outward, tails bounded, subsampling mixed event by event."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf
from tests.support.lanes import mostly_slow

from tightbudget.pairs.base import Cells, Direction
from tightbudget.pairs.moments.events import Events, Tail, normal_events, point_events, subsampled_events
from tightbudget.pairs.moments.excess import log_excess, log_two_exponentials

ORDERS = np.array([1.001, 1.7, 3.0, 20.0])


def log_moment(masses: list[tuple[mpf, mpf]], order: float) -> mpf:
    return mpmath.log(mpmath.fsum(a * (a / b) ** (mpf(order) - 1) for a, b in masses if a > 0))


def cells(low: list[float], high: list[float], a: list[float], b: list[float], error: float = 1e-15) -> Cells:
    return Cells(np.array(low), np.array(high), np.log(a), np.log(b), np.full(len(low), error))


def assert_above(found: np.ndarray, masses: list[tuple[mpf, mpf]], excess: float) -> None:
    for order, value in zip(ORDERS, found, strict=True):
        truth = log_moment(masses, order)
        assert truth <= value <= truth * (1 + excess), (order, truth, value)


@given(theta=st.floats(-9, 6).map(lambda x: 10.0**x), size=st.floats(-12, 2.5), sign=st.sampled_from([-1.0, 1.0]))
def test_excess(theta: float, size: float, sign: float) -> None:
    loss = sign * 10.0**size
    with mpmath.workdps(60):
        t, x = mpf(theta), mpf(loss)
        truth = mpmath.log(mpmath.expm1(t * x) + t * mpmath.expm1(-x))
    found = float(log_excess(np.array([theta]), np.array([loss]))[0, 0])
    exponents = 100.0 * 2.0**-53 * abs(theta * loss)
    assert truth <= found + exponents <= truth + mpf("1e-10") + 3.0 * exponents


@given(order=st.floats(-6, 5).map(lambda x: 1.0 + 10.0**x), size=st.floats(-9, 2))
def test_two_exponentials(order: float, size: float) -> None:
    loss = 10.0**size
    with mpmath.workdps(60):
        a, x = mpf(order), mpf(loss)
        truth = mpmath.log(a * mpmath.expm1((a - 1) * x) + (a - 1) * mpmath.expm1(-a * x))
    found = float(log_two_exponentials(np.array([order - 1.0]), np.array([-order]), loss)[0])
    assert truth <= found <= truth + mpf("1e-8") + mpf(abs(truth)) * mpf("1e-12")


def test_a_cell_whose_mean_loss_is_not_known_counts_at_both_ends() -> None:
    """All of it may be at the lower end, where the excess of a moment of order near 1 is largest."""
    a, b = [mpf("0.006"), mpf("0.994")], [mpf("0.006") * mpmath.exp(5), 1 - mpf("0.006") * mpmath.exp(5)]
    last = float(mpmath.log(a[1] / b[1]))
    with np.errstate(divide="ignore"):
        found = point_events(cells([-5.0, last], [-1.0, last], [0.006, 0.994], [0.0, float(b[1])]), 1e-15, 0.0, 0.0)
    for order, value in zip(ORDERS, found.log_moment(ORDERS), strict=True):
        assert value >= log_moment(list(zip(a, b, strict=True)), order)


def test_a_cell_is_spread_to_its_ends() -> None:
    """A cell of two events, at -0.1 and 0.3, between -0.2 and 0.4, and one at 1; not more than its chord."""
    b = [mpf("0.3"), mpf("0.2")]
    a = [b[0] * mpmath.exp(mpf("-0.1")), b[1] * mpmath.exp(mpf("0.3"))]
    rest_a = 1 - sum(a)
    rest_b = rest_a * mpmath.exp(-1)
    lost = 1 - sum(b) - rest_b
    wide = cells([-0.2, 1.0], [0.4, 1.0], [float(sum(a)), float(rest_a)], [float(sum(b)), float(rest_b)])
    found = point_events(wide, 1e-15, float(lost), 0.0).log_moment(ORDERS)
    assert_above(found, [*zip(a, b, strict=True), (rest_a, rest_b)], 0.2)


@pytest.mark.parametrize("sign", [-1, 1])
def test_errors_of_masses_count(sign: int) -> None:
    """Logs off by as much as they say, in the direction that hides mass."""
    error = 0.05
    a, b = [mpf("0.7"), mpf("0.3")], [mpf("0.4"), mpf("0.6")]
    losses = [float(mpmath.log(x / y)) for x, y in zip(a, b, strict=True)]
    low = [losses[0] - 0.2, losses[1] - 0.2]
    high = [losses[0] + 0.2, losses[1] + 0.2]
    off_a, off_b = math.exp(-error), math.exp(sign * error)
    wrong = cells(low, high, [float(x) * off_a for x in a], [float(x) * off_b for x in b], error)
    found = point_events(wrong, 1e-15, 0.0, 0.0).log_moment(ORDERS)
    assert_above(found, list(zip(a, b, strict=True)), 1e3)


def test_errors_of_point_masses_count() -> None:
    error = 0.05
    a, b = [mpf("0.7"), mpf("0.3")], [mpf("0.4"), mpf("0.6")]
    losses = [float(mpmath.log(x / y)) for x, y in zip(a, b, strict=True)]
    low = cells(losses, losses, [float(x) * math.exp(-error) for x in a], [float(x) for x in b], error)
    found = point_events(low, 1e-15, 0.0, 0.0).log_moment(ORDERS)
    assert_above(found, list(zip(a, b, strict=True)), 0.2)


def test_doubt_below_zero_goes_down() -> None:
    """An event at loss -0.1 in the cell from -2 to 0, whose logs say that it is at -0.05, is not moved up to 0."""
    a = [mpf("0.7"), mpf("0.3")]
    b = [a[0] * mpmath.exp(mpf("0.1")), 1 - a[0] * mpmath.exp(mpf("0.1"))]
    top = float(mpmath.log(a[1] / b[1]))
    log_a, log_b = np.log([float(a[0]), float(a[1])]), np.log([float(b[0]), float(b[1])])
    log_b[0] -= 0.05
    found = point_events(
        Cells(np.array([-2.0, top]), np.array([0.0, top]), log_a, log_b, np.array([0.05, 1e-15])), 1e-15, 0.0, 0.0
    ).log_moment(ORDERS)
    assert_above(found, list(zip(a, b, strict=True)), 10.0)


def test_slack_of_losses_counts() -> None:
    a, b = [mpf("0.7"), mpf("0.3")], [mpf("0.4"), mpf("0.6")]
    losses = [float(mpmath.log(x / y)) * 0.98 for x, y in zip(a, b, strict=True)]
    short = cells(losses, losses, [0.7, 0.3], [0.4, 0.6])
    found = point_events(short, 0.02, 0.0, 0.0).log_moment(ORDERS)
    assert_above(found, list(zip(a, b, strict=True)), 0.3)


def test_lost_mass_counts() -> None:
    """A = (1, 0), B = (1/2, 1/2): the moment is 2^(a-1)."""
    loss = math.log(2.0)
    events = point_events(cells([loss], [loss], [1.0], [0.5]), 1e-15, 0.5, 0.0)
    assert_above(events.log_moment(ORDERS), [(mpf(1), mpf(1) / 2)], 1e-8)
    q = 0.3
    removed = [(mpf(q) + (1 - mpf(q)) / 2, mpf(1) / 2), ((1 - mpf(q)) / 2, mpf(1) / 2)]
    assert_above(subsampled_events(events, q, Direction.REMOVE).log_moment(ORDERS), removed, 1e-8)
    added = [(mpf(1), (1 - mpf(q)) + mpf(q) / 2)]
    assert_above(subsampled_events(events, q, Direction.ADD).log_moment(ORDERS), added, 1e-8)


def test_infinite_loss() -> None:
    loss = -math.log(2.0)
    events = point_events(cells([loss], [loss], [0.5], [1.0]), 1e-15, 0.0, 0.5)
    assert np.all(events.log_moment(ORDERS) == np.inf)
    assert np.all(subsampled_events(events, 0.1, Direction.REMOVE).log_moment(ORDERS) == np.inf)
    q = mpf("0.25")
    added = [(mpf(1) / 2, (1 - q) / 2 + q), (mpf(1) / 2, (1 - q) / 2)]
    assert_above(subsampled_events(events, 0.25, Direction.ADD).log_moment(ORDERS), added, 1e-8)


def normal_moment(m: float, q: float, order: float, direction: Direction, end: float) -> mpf:
    """Trapezium rule over the real line, far beyond where the grid ends."""
    step, total = mpf("0.05"), mpf(0)
    for k in range(-800, int(end / 0.05)):
        z = k * step
        p, b = mpmath.npdf(z, m), mpmath.npdf(z)
        a, b = (q * p + (1 - q) * b, b) if direction is Direction.REMOVE else (p, (1 - q) * p + q * b)
        total += a * (a / b) ** (mpf(order) - 1)
    return mpmath.log(step * total)


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(
    ("m", "q", "order"), mostly_slow([(0.5, 0.2, 50.0), (0.5, 0.9, 62.5), (0.1, 0.5, 400.0), (0.3, 0.9999, 150.0)], every=4)
)
def test_tails_beyond_the_grid_count(m: float, q: float, order: float, direction: Direction) -> None:
    """The grid ends long before the moment has its mass."""
    truth = normal_moment(m, mpf(q), order, direction, order * m + 15.0)
    found = subsampled_events(normal_events(m, 21.0), q, direction).log_moment(np.array([order]))
    assert truth <= found[0] <= truth * mpf("5")


def test_whole_normal_law() -> None:
    for m, reach in ((0.01, 46.0), (1.0, 46.0), (3.0, 90.0)):
        exact = 0.5 * ORDERS * (ORDERS - 1.0) * m * m
        found = normal_events(m, reach).log_moment(ORDERS)
        assert np.all(exact <= found)
        assert np.all(found <= exact * 1.003)


def test_unknown_tail_is_infinite() -> None:
    tail = Tail(0.0, lambda orders: np.full(orders.size, np.inf))
    events = Events(np.zeros(1), np.zeros(1), tail=tail)
    assert np.all(events.log_moment(ORDERS) == np.inf)
