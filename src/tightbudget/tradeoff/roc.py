"""The trade-off curve as two arrays: the largest true positive rate at each false positive rate (M23)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.bracket import Bracket

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """lower[i] <= TPR at FPR fprs[i] <= upper[i], of the best test between any two neighbours.

    Between the points the curve is above the straight lines through the lower ends: tests can be mixed with a coin.
    """

    fprs: "Array"
    lower: "Array"
    upper: "Array"
    converged: bool
    relation: str

    def __str__(self) -> str:
        """Return a line for each false positive rate; what is printed are bounds too."""
        ends = zip(*(values.ravel().tolist() for values in (self.fprs, self.lower, self.upper)), strict=True)
        lines = [f"fpr={fpr!r}: tpr in {Bracket(lower, upper)}" for fpr, lower, upper in ends]
        return "\n".join([*lines, f"({self.relation})"])

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_table

        ends = zip(*(values.ravel().tolist() for values in (self.fprs, self.lower, self.upper)), strict=True)
        note = "" if self.converged else "Some bounds are further apart than asked."
        rows = ((repr(fpr), Bracket(lower, upper)) for fpr, lower, upper in ends)
        return html_table(("FPR", f"TPR in ({self.relation})"), rows, note=note)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Roc):
            return NotImplemented
        arrays = ("fprs", "lower", "upper")  # compared whole: == of arrays is an array
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        return same and (self.converged, self.relation) == (other.converged, other.relation)

    __hash__ = None  # type: ignore[assignment]  # as for every object made of arrays
