"""Receipts of charges on an individual budget: what the log says, for anybody; who may take part, for nobody else."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import CannotShare
from tightbudget.ledger.individual.records import Mask
from tightbudget.ledger.receipts import Receipt


class IndividualReceipt:
    """A charge, with who may take part. Only `receipt` may be shown, stored or sent: it is what the log says.

    PRIVATE: `mask` and `indices` are computed from people's records, and so is how many take part.
    """

    def __init__(self, receipt: Receipt, mask: Callable[[], Mask]) -> None:
        self.receipt = receipt
        self._read = mask
        self._mask: Mask | None = None

    @property
    def key(self) -> str:
        return self.receipt.key

    @property
    def state(self) -> str:
        return self.receipt.state

    @property
    def mask(self) -> Mask:
        """For each person, whether the step may be run on that person's record. PRIVATE."""
        if self._mask is None:
            self._mask = self._read()
            self._mask.flags.writeable = False
        return self._mask

    @property
    def indices(self) -> NDArray[np.intp]:
        """The places of those who may take part. PRIVATE."""
        return np.flatnonzero(self.mask)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndividualReceipt) and self.receipt == other.receipt

    def __hash__(self) -> int:
        return hash(self.receipt.hash)

    def __str__(self) -> str:
        return str(self.receipt)

    def __repr__(self) -> str:
        return f"<{self.receipt}>"

    def __reduce__(self) -> Any:
        raise CannotShare("Who takes part is as private as the records, and is not copied or pickled.", "Take its receipt.")
