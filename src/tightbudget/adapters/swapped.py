"""Budgets whose delta is as large as their epsilon: more likely a slip than a wish."""

import warnings


def warn_if_swapped(epsilon: float, delta: float, wrapped: int = 0) -> None:
    """Warn who made the object that calls this, if its budget looks as if the two numbers were exchanged.

    `wrapped` counts the decorators between the two.
    """
    if 0 < epsilon <= delta:  # with an epsilon of 0, delta is all there is to choose
        sentence = f"delta = {delta!r} is no smaller than epsilon = {epsilon!r}. Are the two swapped?"
        warnings.warn(sentence, stacklevel=3 + wrapped)
