"""A context for one charge on an individual budget: reserved when it is entered, committed when it is left."""

from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.ledger.budget import Spending
from tightbudget.ledger.individual.records import Mask


class IndividualSpending(Spending):
    """What `spend` returns: a context for one charge, whose `mask` says who may take part."""

    def __init__(self, budget: Any, *charge: Any) -> None:
        super().__init__(budget, *charge)

    @property
    def mask(self) -> Mask:
        """For each person, whether the step may be run on that person's record. PRIVATE."""
        receipt: Any = self.receipt
        if receipt is None:
            raise InvalidParameter("spend", "not entered yet", "used in a with statement")
        mask: Mask = receipt.mask
        return mask

    def __enter__(self) -> "IndividualSpending":
        super().__enter__()
        return self

    def __call__(self, function: Any) -> Any:
        raise InvalidParameter("spend", "a decorator", "used in a with statement", "The step must know who takes part.")
