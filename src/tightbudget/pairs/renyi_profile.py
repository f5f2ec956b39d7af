"""The profile that bounds on Rényi divergences imply, at many losses at once (M34)."""

import numpy as np

from tightbudget.numerics.rounding import U, raised, strictly_raised
from tightbudget.pairs.base import Array
from tightbudget.pairs.profile_grid import Profile

_HALVINGS = 45  # of the range of orders: any order is sound, a poor one only loosens
_CHUNK = 1024  # losses that are tried with every order at a time


def zcdp_profile(rho: float) -> Profile:
    """Return the profile of D_a <= rho a at every order a, each loss with nearly the best order."""

    def profile(losses: Array) -> Array:
        low, high = np.full(losses.size, -25.0), np.full(losses.size, 60.0)  # of log(a - 1)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            theta = np.exp(middle)
            # the exponent falls until (2a - 1) rho - loss + log(1 - 1/a) is positive
            rising = (2.0 * theta + 1.0) * rho - losses - np.log1p(1.0 / theta) > 0.0
            low, high = np.where(rising, low, middle), np.where(rising, middle, high)
        orders = 1.0 + np.exp(0.5 * (low + high))
        return np.minimum(_renyi_delta(orders, raised(rho * orders, 4), losses), _renyi_total_variation(rho))

    return profile


def renyi_profile(orders: Array, bounds: Array) -> Profile:
    """Return the profile of D_a <= bound at each of some orders."""

    def profile(losses: Array) -> Array:
        made = np.full(losses.size, _renyi_total_variation(float(bounds.min())))
        for start in range(0, losses.size, _CHUNK):
            part = losses[start : start + _CHUNK]
            made[start : start + _CHUNK] = np.minimum(
                made[start : start + _CHUNK], _renyi_delta(orders[:, None], bounds[:, None], part[None, :]).min(axis=0)
            )
        return made

    return profile


def _renyi_delta(orders: Array, bounds: Array, losses: Array) -> Array:
    """Return (1/a) (1 - 1/a)^(a-1) e^{(a-1)(bound - loss)}, at most 1, rounded up (M10)."""
    theta = orders - 1.0
    log_rest = np.where(orders < 2.0, np.log(theta / orders), np.log1p(-1.0 / orders))
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows says nothing: at most 1
        log_delta = theta * (bounds - losses) + theta * log_rest - np.log(orders)
        error = 8.0 * U * (theta * (bounds + losses + 2.0) + 4.0 * np.log(orders) + 8.0)
        known = np.nan_to_num(np.minimum(log_delta + error, 0.0), nan=0.0)
    deltas: Array = np.minimum(1.0, strictly_raised(np.exp(known), 8))
    return deltas


def _renyi_total_variation(divergence: float) -> float:
    """Bound on the total variation: sqrt(1 - e^-KL), and KL is at most the divergence of any order (M10)."""
    return float(min(1.0, strictly_raised(np.sqrt(-np.expm1(-divergence)), 8)))
