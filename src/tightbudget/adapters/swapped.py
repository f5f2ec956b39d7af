"""Budgets whose delta is as large as their epsilon: more likely a slip than a wish."""

import warnings


def warn_if_swapped(epsilon: float, delta: float) -> None:
    """Warn who made the object that calls this, if its budget looks as if the two numbers were exchanged."""
    if 0 < epsilon <= delta:  # with an epsilon of 0, delta is all there is to choose
        warnings.warn(f"delta = {delta!r} is no smaller than epsilon = {epsilon!r}. Are the two swapped?", stacklevel=3)
