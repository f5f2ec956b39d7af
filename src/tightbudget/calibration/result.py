"""The answer of a calibration: a value proven to meet the target, and one beside it proven to miss it."""

from dataclasses import dataclass

from tightbudget.calibration.targets import Target
from tightbudget.mechanisms import Composable
from tightbudget.numerics.bracket import Bracket


@dataclass(frozen=True, slots=True)
class Calibration:
    """The best value found for the open number of a template.

    `value` meets the target: the upper end of `achieved`, the bracket there, proves it. `too_little` is the nearest
    value found that misses it: too little noise, or too much of what reveals. The lower end of `missed`, the bracket
    there, proves that. `converged` says whether the two are at most `rtol` apart (whole numbers: neighbours); if not,
    `reason` says why, and both are proven all the same. `evaluations` counts the brackets it took.
    """

    value: int | float
    achieved: Bracket
    too_little: int | float | None
    missed: Bracket | None
    target: Target
    composition: Composable
    template: str
    rtol: float
    evaluations: int
    converged: bool = True
    reason: str = ""
    argument: str = ""

    @property
    def relation(self) -> str:
        """The neighbouring relation the target is met for."""
        return self.achieved.relation

    def sentences(self) -> list[str]:
        """Return what is proven of each of the two values."""
        lines = [f"? = {self.value!r} keeps {self.target}: {self.target.name} in {self.achieved} ({self.relation})"]
        if self.missed is not None:
            lines.append(f"? = {self.too_little!r} does not: {self.target.name} in {self.missed}")
        return lines

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        rows: list[tuple[str, object]] = [("target", self.target), ("value", repr(self.value))]
        rows.append((f"{self.target.name} there, in", self.achieved))
        if self.missed is not None:
            rows += [("misses it", repr(self.too_little)), (f"{self.target.name} there, in", self.missed)]
        rows.append(("relation", self.relation))
        return html_record([*rows, *([] if self.converged else [("not as near as asked", self.reason)])], self.template)

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), *([] if self.converged else [f"not as near as asked: {self.reason}"])])
