"""Budgets, which are compared in both numbers, and the error of one that does not fit."""

from typing import Any, NamedTuple

from tightbudget.errors import BudgetRefused


class Budget(NamedTuple):
    """(epsilon, delta), of which one is at most another only if both its numbers are.

    >>> Budget(1.0, 0.0) <= Budget(2.0, 1e-6), Budget(1.0, 1e-6) <= Budget(2.0, 0.0)
    (True, False)
    """

    epsilon: float
    delta: float

    def __le__(self, other: tuple[float, ...]) -> bool:
        return self[0] <= other[0] and self[1] <= other[1]

    def __ge__(self, other: tuple[float, ...]) -> bool:
        return self[0] >= other[0] and self[1] >= other[1]

    def __lt__(self, other: tuple[float, ...]) -> bool:
        return self <= other and self != other

    def __gt__(self, other: tuple[float, ...]) -> bool:
        return self >= other and self != other

    def __repr__(self) -> str:
        return f"(epsilon={self.epsilon!r}, delta={self.delta!r})"


class BudgetError(BudgetRefused, ValueError):
    """A spend does not fit. Nothing was spent, and the accountant stays usable; `asked`, `spent` and `left` say why.

    `quote` is what the filter said; None where only delta has a ceiling.
    """

    def __init__(self, asked: Budget, spent: Budget, left: Budget, ceiling: Budget, quote: Any = None) -> None:
        self.asked, self.spent, self.left, self.ceiling, self.quote = asked, spent, left, ceiling, quote
        ValueError.__init__(
            self,
            f"A spend of {asked} is refused: {left} is left of {ceiling}, since {spent} is spent. "
            "Nothing was charged; spend at most what remaining() says.",
        )
