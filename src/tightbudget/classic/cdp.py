"""Concentrated differential privacy by an affine fit: D_a <= xi + rho a for every order a > 1.

Among the lines that lie above all Rényi divergences the one is taken that gives the least answer (M12). Dwork and
Rothblum 2016 define concentration; Meiser and Mohammadi 2018, section 5.7, compare with such a line (they print a >= 0;
a > 1 is meant). The conversion is that of Rényi DP.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, EdgeAnswers
from tightbudget.classic.promises import Promises
from tightbudget.divergences import pure_epsilon, rdp_delta, rdp_epsilon, renyi, zcdp
from tightbudget.errors import DoesNotApply
from tightbudget.numerics.rounding import raised_by
from tightbudget.pairs.base import NEGLIGIBLE

Array = NDArray[np.float64]

_ORDERS = 1.0 + np.geomspace(1e-4, 1e6, 240)  # at which the divergences are looked at, and converted
_SLOPES = np.concatenate([np.geomspace(1e-4, 1.0, 33), [1.1, 1.3, 1.6, 2.0]])  # of the lines tried, in units of rho of zCDP


@dataclass(frozen=True)
class CdpBound(EdgeAnswers[Array]):
    name: str = "CDP, affine fit"
    reference: str = "Dwork, Rothblum 2016"
    kind: str = "upper bound"

    def _told(self, promises: Promises) -> Array:
        return _cdp_lines(promises)

    def _delta(self, promises: Promises, told: Array, epsilon: float) -> float:
        return _least_over_orders(told, lambda a, tau: rdp_delta(a, tau, epsilon))

    def _epsilon(self, promises: Promises, told: Array, delta: float) -> float:
        return _least_over_orders(told, lambda a, tau: rdp_epsilon(a, tau, delta))


def _least_over_orders(taus: Array, convert: Callable[[Array, Array], Array]) -> float:
    return float(np.min(convert(np.broadcast_to(_ORDERS, taus.shape), taus)))


def _cdp_lines(promises: Promises) -> Array:
    """Return xi + rho a at the orders, one row a line; each line bounds every divergence."""
    if promises.lines is None:
        composition = promises.composition
        taus = np.asarray(renyi(composition, _ORDERS))
        promises.lines = fitted_lines(_ORDERS, taus, zcdp(composition), pure_epsilon(composition))
    if not promises.lines.size:
        raise DoesNotApply("its Rényi divergences do not lie below any line that is known")
    return promises.lines


@np.errstate(over="ignore", invalid="ignore")  # a line that is nowhere finite is left out
def fitted_lines(orders: Array, taus: Array, rho_zcdp: float, pure: float) -> Array:
    """Return the lines tried, at the orders, given the divergences there and bounds on those beyond the last."""
    if (math.isinf(rho_zcdp) and math.isinf(pure)) or np.isinf(taus[0]):
        return np.empty((0, orders.size))
    if pure == 0.0:  # nothing is revealed
        return np.zeros((1, orders.size))
    unit = max(rho_zcdp if math.isfinite(rho_zcdp) else pure, NEGLIGIBLE)  # any slope above 0 may be tried
    slopes = unit * _SLOPES
    lines = [xi_for(rho, orders, taus, rho_zcdp, pure) + rho * orders for rho in slopes.tolist()]
    if math.isfinite(rho_zcdp):
        lines.append(rho_zcdp * orders)
    if math.isfinite(pure):
        lines.append(np.full(orders.size, pure))
    rows = raised_by(np.maximum(np.array(lines), 0.0), ROUNDING)
    kept: Array = rows[np.isfinite(rows).all(axis=1)]
    return kept


def xi_for(rho: float, orders: Array, taus: Array, rho_zcdp: float, pure: float) -> float:
    """Return xi with D_a <= xi + rho a for every a > 1; inf if no such xi is known.

    (a-1) D_a is convex, so between two orders it lies below its chord s (a-1) + c; below the first order D_a is at most
    the divergence there.
    """
    t, g = orders - 1.0, (orders - 1.0) * taus
    if not np.isfinite(g).all():
        return math.inf
    slope = np.diff(g) / np.diff(t)
    rest = g[1:] - slope * t[1:]
    # s + c/t - rho (1 + t) has its one peak at sqrt(-c/rho), and for c >= 0 falls from the start
    peak = np.clip(np.sqrt(np.maximum(-rest, 0.0) / rho), t[:-1], t[1:])
    allowance = ROUNDING * (slope + np.abs(rest) / peak + rho * (1.0 + peak))
    between = float((slope + rest / peak - rho * (1.0 + peak) + allowance).max())
    beyond = (rho_zcdp - rho) * float(orders[-1]) if rho >= rho_zcdp else pure - rho * float(orders[-1])
    if math.isnan(between) or math.isnan(beyond):  # a slope beyond what floats hold
        return math.inf
    return max(float(taus[0]) - rho, between, beyond)


cdp = CdpBound()
