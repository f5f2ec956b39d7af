"""The accountant that diffprivlib's tools and models accept: by `accountant=`, as the default, in a `with` block.

It is the one of `adapters/budget`, and an instance of diffprivlib's class too, of which no code runs. The default is
diffprivlib's: one for the whole process.
"""

from typing import Any, ClassVar, Self

from tightbudget.adapters import budget
from tightbudget.adapters.budget import Budget
from tightbudget.errors import InvalidParameter, MissingExtra

try:
    import diffprivlib.accountant
    import diffprivlib.utils
except ModuleNotFoundError as problem:
    raise MissingExtra("diffprivlib", "diffprivlib") from problem

__all__ = ["Budget", "BudgetAccountant", "BudgetError"]

_Peer: Any = diffprivlib.accountant.BudgetAccountant


class BudgetError(budget.BudgetError, diffprivlib.utils.BudgetError):  # type: ignore[misc]  # it ships no types
    """The same error, which is caught as diffprivlib's is."""


class BudgetAccountant(budget.BudgetAccountant, _Peer):  # type: ignore[misc]  # it ships no types
    """A budget for what diffprivlib releases, kept by a filter.

    >>> import diffprivlib
    >>> accountant = BudgetAccountant(epsilon=1.5, delta=0)
    >>> released = diffprivlib.tools.mean([0.1, 0.5, 0.7], bounds=(0, 1), accountant=accountant)
    >>> accountant.total()
    (epsilon=1.0, delta=0.0)
    """

    _error: ClassVar[type[budget.BudgetError]] = BudgetError

    @staticmethod
    def load_default(accountant: Any) -> Any:
        """Return the accountant, or diffprivlib's default if it is None; one of ours is made if there is none."""
        if accountant is None:
            if _Peer._default is None:
                _Peer._default = BudgetAccountant()
            return _Peer._default
        if not isinstance(accountant, _Peer):
            raise InvalidParameter("accountant", accountant, "a BudgetAccountant, or None for the default")
        return accountant

    def set_default(self) -> Self:
        """Make it diffprivlib's default, and return it."""
        _Peer._default = self
        return self

    @staticmethod
    def pop_default() -> Any:
        """Return diffprivlib's default and have none."""
        default, _Peer._default = _Peer._default, None
        return default
