"""Upper bounds on log E_A e^{(a-1)L} of one step in one direction: closed forms where there are any, else events (M10)."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.divergences import subsampled_gaussian
from tightbudget.divergences.events import Events, Tail, normal_events, normal_tail, point_events, subsampled
from tightbudget.divergences.excess import log_two_exponentials
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.bounded_range import BoundedRange
from tightbudget.mechanisms.clamped import ClampedGaussian
from tightbudget.mechanisms.discrete import DiscreteGaussian
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import REACH, Cells, Direction, Pair
from tightbudget.pairs.exponential import ExponentialPair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.points import PointPair

Array = NDArray[np.float64]

_MOST_EVENTS = 4096  # longer lists are grouped into the cells of their survey
_EXPONENTIAL_CELLS = 512
_RANGES = (1e-150, 1e150)  # of bounded ranges whose quotients have digits
_NEAR = 25.0  # orders a with a m below this have their moment within the 45 sigmas of the first grid


def log_moment(mechanism: Mechanism, direction: Direction, orders: Array) -> Array:
    """Return upper bounds on log E_A e^{(a-1)L} = (a-1) D_a at orders a > 1; inf where it is infinite or not known.

    >>> from tightbudget import Gaussian
    >>> log_moment(Gaussian(sigma=1.0), Direction.REMOVE, np.array([3.0]))
    array([3.])
    """
    pair = mechanism.pair(direction)
    if pair is None:
        return np.zeros(orders.size)
    if pair.infinity.possible:
        return np.full(orders.size, np.inf)
    with np.errstate(over="ignore"):
        largest = (orders - 1.0) * pair.max_loss * (1.0 + 4.0 * U)
        least = np.minimum(largest, _log_moment(mechanism, pair, direction, orders))
        return np.maximum(least, TINIEST)  # a little is not nothing


def _log_moment(mechanism: Mechanism, pair: Pair, direction: Direction, orders: Array) -> Array:
    if isinstance(mechanism, Poisson):
        if mechanism.q == 1:
            return log_moment(mechanism.mechanism, direction, orders)
        return _subsampled(mechanism, direction, orders)
    if isinstance(pair, GaussianPair) and pair.cut == math.inf:
        return gaussian(pair.m, orders)
    if isinstance(mechanism, DiscreteGaussian):
        return discrete_gaussian(float(mechanism.sigma), int(mechanism.sensitivity), orders)
    if isinstance(mechanism, BoundedRange):
        return bounded_range(float(mechanism.eta), orders)
    if isinstance(pair, ExponentialPair):
        return laplace(pair.top, orders)
    bound = _base_events(mechanism, pair, REACH).log_moment(orders)
    if isinstance(mechanism, ClampedGaussian):
        # a count is the Gaussian mechanism's output, rounded
        bound = np.minimum(bound, gaussian(_noise_ratio(mechanism), orders))
    return bound


def gaussian(m: float, orders: Array) -> Array:
    """D_a = a m^2 / 2."""
    with np.errstate(over="ignore"):
        return 0.5 * orders * (orders - 1.0) * m * m * (1.0 + 16.0 * U) + 5e-324


def discrete_gaussian(sigma: float, shift: int, orders: Array) -> Array:
    """D_a (a-1) = a(a-1) m^2 / 2 + log S(a shift) / S(0), S(c) = sum_x e^{-(x-c)^2 / 2 sigma^2} <= S(0)."""
    bound = gaussian(shift / sigma, orders)
    if sigma > 4.0:  # the sums differ by less than e^{-2 pi^2 sigma^2} < 1e-137, of themselves
        return bound
    c = np.mod((orders - 1.0) * shift, 1.0)
    reach = math.ceil(40.0 * sigma) + 2
    x = np.arange(-reach, reach + 1.0)
    exponent = -0.5 * ((x[None, :] - c[:, None]) / sigma) ** 2
    peak = exponent.max(axis=1)
    log_moved = peak + np.log(np.exp(exponent - peak[:, None]).sum(axis=1))
    log_still = math.log(float(np.exp(-0.5 * (x / sigma) ** 2).sum()))
    # c is off by 2u a shift, which moves the logarithm by at most that over sigma^2; exponents are rounded at their
    # size
    error_bound = 64.0 * U * (1.0 + orders * shift / (sigma * sigma) + np.abs(peak))
    exact: Array = np.minimum(bound, bound + log_moved - log_still + error_bound)
    return np.maximum(exact, 0.0)


def laplace(top: float, orders: Array) -> Array:
    """E_A e^{(a-1)L} - 1 = (a (e^{(a-1) top} - 1) + (a-1) (e^{-a top} - 1)) / (2a - 1), top = sensitivity / scale."""
    excess = log_two_exponentials(orders - 1.0, -orders, top) - np.log(2.0 * orders - 1.0)
    excess += 16.0 * U * (1.0 + np.abs(excess) + np.log(orders))
    moment: Array = np.logaddexp(0.0, excess) * (1.0 + 32.0 * U)
    return moment


def bounded_range(eta: float, orders: Array) -> Array:
    """Return the largest moment of any pair whose losses lie in some [t - eta, t]; at most a (a-1) eta^2 / 8.

    It is that of two points, t - eta and t, at the worst t. With x = (1 - e^{-a eta}) / (1 - e^{-eta}) and
    y = x e^{-eta} - e^{-a eta} it is e^{at} (x e^{-t} - y), largest at e^t = (a-1) x / (a y).
    """
    thetas = orders - 1.0
    concentrated = gaussian(0.5 * eta, orders)
    if not _RANGES[0] < eta < _RANGES[1]:  # the quotients below have no digits
        return concentrated
    x = np.expm1(-orders * eta) / math.expm1(-eta)
    # y = (e^{-eta} - e^{-a eta}) / (1 - e^{-eta}), a quotient without cancellation
    log_y = np.log(-np.expm1(-thetas * eta)) - eta - math.log(-math.expm1(-eta))
    log_ratio = np.log(thetas) - np.log(orders) + np.log(x) - log_y
    error_bound = 32.0 * U * orders * (4.0 + eta + np.abs(np.log(thetas)) + np.log(orders) + abs(math.log(-math.expm1(-eta))))
    return np.minimum(concentrated, log_y - np.log(thetas) + orders * log_ratio + error_bound)


def _subsampled(mechanism: Poisson, direction: Direction, orders: Array) -> Array:
    q, base = float(mechanism.q), mechanism.mechanism
    # Both pairs mix (A, B) with one whose moment is 1, and moments are convex in the pair.
    whole = log_moment(base, direction, orders)
    bound = np.logaddexp(math.log1p(-q), math.log(q) + whole) + 16.0 * U * (
        2.0 + np.where(np.isinf(whole), 0.0, whole) - math.log(q)
    )
    m = _normal_ratio(base)
    near = orders * m <= _NEAR
    if near.any():
        bound[near] = np.minimum(bound[near], _chain(mechanism, direction, REACH + m).log_moment(orders[near]))
    if not near.all():
        far = orders[~near]
        reach = _reach(m, float(far.max()), q)
        bound[~near] = np.minimum(bound[~near], _chain(mechanism, direction, reach).log_moment(far))
    pair = base.pair(direction)
    if direction is Direction.REMOVE and isinstance(pair, GaussianPair) and pair.cut == math.inf:
        for place in np.flatnonzero((orders == np.floor(orders)) & (orders <= subsampled_gaussian.LARGEST_ORDER)):
            exact = subsampled_gaussian.log_moment(pair.m, q, int(orders[place]))
            bound[place] = min(bound[place], exact)
    return bound


def _chain(mechanism: Mechanism, direction: Direction, reach: float) -> Events:
    """Return the events of a mechanism, however often it is subsampled."""
    if isinstance(mechanism, Poisson) and mechanism.q < 1:
        return subsampled(_chain(mechanism.mechanism, direction, reach), float(mechanism.q), direction)
    if isinstance(mechanism, Poisson):
        return _chain(mechanism.mechanism, direction, reach)
    pair = mechanism.pair(direction)
    assert pair is not None  # a mechanism that reveals nothing has no pair when subsampled either
    return _base_events(mechanism, pair, reach)


def _reach(m: float, order: float, q: float) -> float:
    """Return how far to resolve a normal law: past the peak of the moment, or to where sampling no longer matters."""
    peak = order * m + 20.0
    alike = (math.log(order) - math.log(q) - math.log1p(-q) + 12.0) / m + m
    return max(REACH + m, min(peak, alike))


def _normal_ratio(mechanism: Mechanism) -> float:
    """Return m if the mechanism is normal noise under its subsampling, else 0."""
    if isinstance(mechanism, Poisson):
        return _normal_ratio(mechanism.mechanism)
    pair = mechanism.pair(Direction.REMOVE)
    return pair.m if isinstance(pair, GaussianPair) and pair.cut == math.inf else 0.0


def _base_events(mechanism: Mechanism, pair: Pair, reach: float) -> Events:
    if isinstance(pair, GaussianPair) and pair.cut == math.inf:
        return normal_events(pair.m, reach)
    if isinstance(pair, ExponentialPair):
        return _exponential_events(pair)
    cells = pair.points() if isinstance(pair, PointPair) and pair.losses.size <= _MOST_EVENTS else pair.coarse_cells()
    widest = float(max(np.abs(cells.low).max(initial=0.0), np.abs(cells.high).max(initial=0.0)))
    tail = _tail(mechanism) if pair.unresolved > 0.0 else None
    minus_infinity = pair.minus_infinity.upper + pair.unresolved
    return point_events(cells, pair.loss_shift(widest), minus_infinity, pair.infinity.upper, tail)


def _exponential_events(pair: ExponentialPair) -> Events:
    edges = pair.reach * np.linspace(-1.0, 1.0, _EXPONENTIAL_CELLS + 1)
    cells = Cells.join(pair.cells(edges), pair.points()) if pair.reach > 0.0 else pair.points()
    return point_events(cells, pair.loss_shift(pair.top), pair.minus_infinity.upper, pair.infinity.upper)


def _tail(mechanism: Mechanism) -> Tail:
    """Return what lies beyond the list of a mechanism that has no end; infinite if we do not know it."""
    if isinstance(mechanism, ClampedGaussian):
        # The list ends at least 45 sigma beyond both means, and a count is rounded normal noise.
        m = _noise_ratio(mechanism)
        return normal_tail(m, REACH * (1.0 - 1e-9) + m)
    if isinstance(mechanism, DiscreteGaussian):
        return _discrete_tail(float(mechanism.sigma), int(mechanism.sensitivity))
    return Tail(0.0, lambda orders: np.full(orders.size, np.inf))


def _noise_ratio(mechanism: ClampedGaussian) -> float:
    return float(mechanism.sensitivity) / float(mechanism.sigma) * (1.0 + 2.0 * U)


def _discrete_tail(sigma: float, shift: int) -> Tail:
    """Return x < -R: e^{a(a-1)m^2/2} sum_{y > R} e^{-(y - (a-1)shift)^2 / 2 sigma^2} over a norm of at least 1."""
    m, end = shift / sigma, math.ceil(REACH * sigma) + 2

    def log_moment(orders: Array) -> Array:
        gap = (end - (orders - 1.0) * shift) / sigma
        # terms fall: the first and the integral; or, where they do not yet, the sum over all, at most that of the norm
        far = -0.5 * gap * gap * (1.0 - 16.0 * U) + math.log1p(sigma * math.sqrt(0.5 * math.pi)) + 1e-9
        return gaussian(m, orders) + np.where(gap > 0.0, np.minimum(far, 0.0), 0.0)

    return Tail(m * (end / sigma) * (1.0 - 1e-9), log_moment)
