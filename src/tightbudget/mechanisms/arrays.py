"""Questions in arrays: numbers in, brackets out, in the same shape."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.answers import Brackets
from tightbudget.numerics.bracket import Bracket


def float_array(values: Any) -> NDArray[Any]:
    """Return an array of floats; a single number stays as it was given, in an array of no dimensions."""
    try:
        array = np.asarray(values)
        floats = array if array.ndim == 0 else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("values", values, "a number or an array of numbers") from None
    if array.dtype.kind in "Of" and ((floats == 0.0) & (array != 0)).any():  # fractions or long doubles
        raise InvalidParameter("values", "nearer to 0 than any float", "a number or an array of numbers")
    return floats


def ask_each(value: Any, ask: Callable[[Any], Bracket]) -> Any:
    """Return the answer to one question, or for an array of them an array of answers."""
    if isinstance(value, int | float):
        return ask(value)
    array = float_array(value)
    if array.ndim == 0:
        return ask(value)
    answers = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        answers[index] = ask(array[index])
    return Brackets(answers)
