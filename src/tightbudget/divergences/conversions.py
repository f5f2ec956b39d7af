"""From Rényi, zCDP, GDP and pure bounds to epsilon and delta, each rounded to the safe side (M10)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tightbudget.divergences.orders import orders_asked
from tightbudget.divergences.renyi import renyi
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked, real
from tightbudget.mechanisms.gaussian import GaussianDP
from tightbudget.mechanisms.promise import PureDP
from tightbudget.numerics.rounding import U, raised, strictly_raised
from tightbudget.pairs.base import log_or_minus_inf
from tightbudget.pairs.moments.concentrated import pure_rho

Array = NDArray[np.float64]

_ROUNDS, _POINTS = 4, 512  # of the search for a good order: every order is sound, a poor one only loosens


def rdp_delta(order: Any, tau: Any, epsilon: float) -> Any:
    """Return delta(epsilon) implied by D_a <= tau, at most 1, rounded up; arrays of orders and taus give an array.

    delta = (1/a) (1 - 1/a)^(a-1) e^{(a-1)(tau - epsilon)}, the best possible from one order; 1 - e^{epsilon - tau} at
    a = inf; never more than the total variation, sqrt(1 - e^-tau).
    """
    a, bound = _orders_and_bounds(order, tau)
    e = epsilon_asked(epsilon)
    if e == math.inf:  # a finite divergence leaves no infinite loss
        return _float_or_array(np.where(np.isinf(bound), 1.0, 0.0))
    delta = np.minimum(_converted_delta(a, bound, e), _total_variation(bound))
    return _float_or_array(np.where(bound == 0.0, 0.0, delta))


def rdp_epsilon(order: Any, tau: Any, delta: float) -> Any:
    """Return an epsilon >= 0 with delta(epsilon) <= delta implied by D_a <= tau, rounded up; arrays as in `rdp_delta`.

    epsilon = tau + log(1 - 1/a) - (log delta + log a) / (a-1); 0 where the total variation is at most delta.
    """
    a, bound = _orders_and_bounds(order, tau)
    d = delta_asked(delta)
    nothing = (bound == 0.0) | (_total_variation(bound) <= d) | (d == 1.0)  # everything keeps (0, 1)
    return _float_or_array(np.where(nothing, 0.0, _converted_epsilon(a, bound, d)))


def best_rdp_delta(orders: ArrayLike, taus: ArrayLike, epsilon: float) -> tuple[float, float]:
    """Return the least delta that some order gives, and that order."""
    return _best_order(orders, rdp_delta(orders, taus, epsilon))


def best_rdp_epsilon(orders: ArrayLike, taus: ArrayLike, delta: float) -> tuple[float, float]:
    """Return the least epsilon that some order gives, and that order."""
    return _best_order(orders, rdp_epsilon(orders, taus, delta))


def zcdp_delta(rho: float, epsilon: float) -> float:
    """Return delta(epsilon) implied by rho-zCDP, rounded up: the best of all orders a, at tau = rho a."""
    r, e = _conversion_argument("rho", rho), epsilon_asked(epsilon)
    if r in (0.0, math.inf) or e == math.inf:
        return float(r == math.inf)
    return min(float(rdp_delta(1.0, r, e)), _over_orders(lambda a: _converted_delta(a, _times_up(r, a), e)))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Return an epsilon with delta(epsilon) <= delta implied by rho-zCDP, rounded up."""
    r, d = _conversion_argument("rho", rho), delta_asked(delta)
    if r == 0.0 or d == 1.0:
        return 0.0
    if r == math.inf or d == 0.0:
        return math.inf
    return min(float(rdp_epsilon(1.0, r, d)), _over_orders(lambda a: _converted_epsilon(a, _times_up(r, a), d)))


def gdp_delta(mu: float, epsilon: float) -> float:
    """Return delta(epsilon) implied by mu-GDP, rounded up."""
    m, e = _conversion_argument("mu", mu), epsilon_asked(epsilon)
    return 1.0 if m == math.inf else GaussianDP(m).delta(e).upper


def gdp_epsilon(mu: float, delta: float) -> float:
    """Return an epsilon with delta(epsilon) <= delta implied by mu-GDP, rounded up."""
    m, d = _conversion_argument("mu", mu), delta_asked(delta)
    if m == math.inf:
        return 0.0 if d == 1.0 else math.inf
    return GaussianDP(m).epsilon(d, rtol=1e-9).upper


def pure_to_rdp(epsilon: float, orders: Any) -> Any:
    """Return the Rényi divergences that epsilon-DP allows, rounded up: those of randomised response."""
    return renyi(PureDP(epsilon), orders)


def pure_to_zcdp(epsilon: float) -> float:
    """Return rho = epsilon tanh(epsilon / 2), rounded up: epsilon-DP implies rho-zCDP (Steinke 2024)."""
    return pure_rho(epsilon_asked(epsilon))


def _converted_delta(a: Array, tau: Array, epsilon: float) -> Array:
    """Return the bound of one order on delta(epsilon), epsilon finite."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        theta, gap = a - 1.0, tau - epsilon
        # the product is rounded at the size of its terms
        error_bound = 8.0 * U * (theta * (tau + epsilon + 2.0) + 4.0 * np.log(a) + 8.0)
        log_delta = theta * gap + _log_weight(a) + error_bound
        delta = strictly_raised(np.exp(np.minimum(log_delta, 0.0)), 8)
        delta = np.where(np.isnan(log_delta) | np.isinf(tau), 1.0, np.minimum(delta, 1.0))
        pure = np.where(tau <= epsilon, 0.0, raised(-np.expm1(-gap), 8))
    return np.where(np.isinf(a), np.minimum(pure, 1.0), delta)


def _converted_epsilon(a: Array, tau: Array, delta: float) -> Array:
    """Return the bound of one order on epsilon(delta), from 0."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        theta, log_delta = a - 1.0, log_or_minus_inf(delta)
        error_bound = 8.0 * U * (tau + (abs(log_delta) + 4.0 * np.log(a) + 8.0) / theta + 2.0)
        epsilon = tau + (_log_weight(a) - log_delta) / theta + error_bound
    epsilon = np.where(np.isinf(a), tau, epsilon)
    return np.maximum(np.where(np.isnan(epsilon), np.inf, epsilon), 0.0)


def _log_weight(a: Array) -> Array:
    """Return log of (1/a) (1 - 1/a)^(a-1)."""
    theta = a - 1.0
    # near 1 the quotient keeps what 1 - 1/a would lose
    log_rest = np.where(a < 2.0, np.log(theta / a), np.log1p(-1.0 / a))
    weight: Array = np.where(theta > 0.0, theta * log_rest, 0.0) - np.log(a)
    return weight


def _total_variation(tau: Array) -> Array:
    """delta(epsilon) <= delta(0) <= sqrt(1 - e^-KL), and KL <= D_a (Bretagnolle and Huber)."""
    distance: Array = raised(np.sqrt(-np.expm1(-tau)), 8)
    return distance


def _over_orders(bound: Callable[[Array], Array]) -> float:
    """Return the least value found over orders 1 + theta: a grid, and finer ones about its best point."""
    low, high, best = math.log(1e-9), math.log(1e150), math.inf
    for _ in range(_ROUNDS):
        logs = np.linspace(low, high, _POINTS)
        values = bound(1.0 + np.exp(logs))
        place = int(np.argmin(values))
        best = min(best, float(values[place]))
        low, high = float(logs[max(place - 1, 0)]), float(logs[min(place + 1, _POINTS - 1)])
    return best


def _times_up(rho: float, a: Array) -> Array:
    with np.errstate(over="ignore"):
        product: Array = strictly_raised(rho * a, 4)
    return product


def _orders_and_bounds(order: Any, tau: Any) -> tuple[Array, Array]:
    a = orders_asked(order, "order")
    try:
        bound = np.asarray(tau).astype(np.float64)
        a, bound = np.broadcast_arrays(a, bound)
    except (TypeError, ValueError):
        raise InvalidParameter("tau", tau, "a number, 0 or more, for each order") from None
    if not (bound >= 0.0).all():
        raise InvalidParameter("tau", tau, "a number, 0 or more, for each order")
    return a, bound


def _conversion_argument(name: str, value: object) -> float:
    number = real(name, value, "a number from 0 to inf")
    if not number >= 0.0:
        raise InvalidParameter(name, value, "a number from 0 to inf")
    return number


def _best_order(orders: ArrayLike, values: Any) -> tuple[float, float]:
    flat, order = np.atleast_1d(values).ravel(), np.atleast_1d(np.asarray(orders, dtype=np.float64)).ravel()
    place = int(np.argmin(flat))
    return float(flat[place]), float(np.broadcast_to(order, flat.shape)[place])


def _float_or_array(values: Array) -> Any:
    return float(values) if values.ndim == 0 else values
