"""Answers of a sweep as people read them: a question, a value of a parameter, a bracket rounded outward."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.bracket import Bracket

Found = Mapping[str, NDArray[Any]]


def shown_question(found: Found, row: int) -> str:
    return " at ".join(part for part in (found["question"][row], found["target"][row]) if part)


def shown_value(value: Any) -> str:
    """Return a parameter as it would be typed."""
    plain = value.item() if isinstance(value, np.generic) else value
    return repr(plain).removesuffix(".0") if not isinstance(plain, str) else plain


def shown_answer(found: Found, row: int) -> str:
    """Return the bracket, the number that was calibrated, or why there is none."""
    if found["error"][row]:
        return f"failed: {found['error'][row]}"
    lower, upper, value = (float(found[name][row]) for name in ("lower", "upper", "value"))
    if not math.isnan(value):
        return repr(value).removesuffix(".0")
    return str(Bracket(lower, upper)) + ("" if found["converged"][row] else " (wider than asked)")
