"""What a step costs each person: one amount for all, or one for each."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.amounts import exact
from tightbudget.errors import InvalidParameter

Array = NDArray[np.float64]


def one_for_all(amount: Any) -> Fraction:
    """Return one number, read as the decimal that was typed."""
    return exact("increment", amount.item() if isinstance(amount, np.ndarray) else amount)


def one_for_each(amounts: Any, people: int) -> Array | None:
    """Return the amounts if there is one for each person, all checked before anything is spent; None for one number.

    They are a plain copy: what was checked is what is charged, whoever writes to the caller's array meanwhile.
    """
    _refuse_masks(amounts)
    array = _increment_row(amounts) if isinstance(amounts, np.ndarray | list | tuple) else None
    if array is None or array.ndim == 0:
        return None
    if array.shape != (people,):
        raise InvalidParameter("increment", f"of shape {array.shape}", f"one number, or {people} of them in a row")
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise InvalidParameter("increment", f"of type {array.dtype}", "whole or floating-point numbers of at most 64 bits")
    if not array.min() >= 0:  # written so that NaN is refused too
        raise InvalidParameter("increment", float(array.min()), "numbers, 0 or more", "Nobody was charged.")
    return array.astype(np.float64, copy=False)


def _refuse_masks(amounts: Any) -> None:
    """Refuse what NumPy's operations leave out: a masked amount would neither be checked nor charged."""
    if any(isinstance(each, np.ma.MaskedArray) for each in (amounts if isinstance(amounts, list | tuple) else [amounts])):
        raise InvalidParameter("increment", "masked", "numbers without a mask", "Give inf for those who are to be left out.")


def _increment_row(amounts: NDArray[Any] | list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    try:
        return np.array(amounts, subok=False)
    except ValueError:
        raise InvalidParameter("increment", amounts, "one number, or a list with one for each person") from None
