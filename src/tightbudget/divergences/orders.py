"""The orders of Rényi divergences: which are legal, and where accountants look."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter

Array = NDArray[np.float64]

ORDERS: Array = np.unique(
    np.concatenate(
        [1.0 + np.geomspace(1e-2, 1.0, 40), np.arange(2.0, 65.0), np.arange(2.25, 8.0, 0.25), np.geomspace(64.0, 1e6, 100)]
    )
)
"""From 1.01 to a million, all whole numbers to 64 among them; an order between two of them brings next to nothing."""
ORDERS.setflags(write=False)


def orders_asked(orders: Any, name: str = "orders") -> Array:
    """Check that orders are numbers from 1, perhaps infinite."""
    allowed = "a number from 1, inf included, or an array of such"
    try:
        values = np.asarray(orders)
        if values.dtype.kind not in "fiu":
            raise TypeError
        values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(name, orders, allowed) from None
    wrong = ~(values >= 1.0)
    if wrong.any():
        raise InvalidParameter(name, float(values[wrong].flat[0]), allowed, "2 is a usual choice.")
    return values
