"""Rényi divergences of a composition, of any order, in the worse of both directions (M10)."""

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tightbudget.divergences.orders import orders_asked
from tightbudget.divergences.pure import pure_epsilon
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.notation import composition_given
from tightbudget.numerics.rounding import raised
from tightbudget.pairs.base import Direction
from tightbudget.pairs.moments.concentrated import NEXT_TO_ONE

Array = NDArray[np.float64]


@overload
def renyi(c: Composable | str, orders: float) -> float: ...
@overload
def renyi(c: Composable | str, orders: ArrayLike) -> Any: ...
def renyi(c: Composable | str, orders: Any) -> Any:
    r"""Return upper bounds on the Rényi divergences of orders a >= 1, a number for a number and an array for an array.

    $$D_a = \frac{1}{a-1}\ln E_A e^{(a-1)\ell}$$

    Guarantee:  at least D_a(A||B) of the composition in both directions; steps add up in each direction apart.
                inf if an infinite loss has positive probability or the moment is infinite or too large for a float.
    Rounding:   up; relative excess about 1e-12 for closed forms and points, below 1e-2 elsewhere.
    Reference:  M10.

    >>> from tightbudget import Gaussian
    >>> renyi(Gaussian(sigma=2.0) * 10, 8.0)
    10.0...
    """
    private, values = composition_given("c", c), orders_asked(orders)
    flat = np.atleast_1d(values).ravel()
    bound = np.empty(flat.size)
    finite = np.isfinite(flat)
    largest = pure_epsilon(private)
    bound[finite] = np.minimum(_finite_orders(private, np.maximum(flat[finite], NEXT_TO_ONE)), largest)
    bound[~finite] = largest
    return float(bound[0]) if values.ndim == 0 else bound.reshape(values.shape)


def _finite_orders(c: Composable, orders: Array) -> Array:
    counts: dict[Mechanism, int] = {}
    for mechanism, count in c._parts:
        counts[mechanism] = counts.get(mechanism, 0) + count
    worst = np.zeros(orders.size)
    for direction in Direction:
        total = np.zeros(orders.size)
        with np.errstate(over="ignore"):
            for mechanism, count in counts.items():
                total += count * mechanism.log_moment(direction, orders)
            # as many roundings as there are parts, and four more
            bound = raised(total / (orders - 1.0), 2.0 * (len(counts) + 4))
        worst = np.maximum(worst, np.where(total > 0.0, np.nextafter(bound, math.inf), 0.0))
    return worst
