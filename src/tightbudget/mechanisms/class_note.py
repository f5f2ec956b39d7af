"""What a reader must know of brackets for steps that stand for a class of mechanisms (decision 0008)."""

from tightbudget.mechanisms.composition import Composable

OF_A_CLASS = (
    "A step stands for a class of cases. The upper end holds for all of them: report that one. The worst of them lies "
    "between the ends, yours may cost less than either, and no narrower bracket can be asked for (decision 0008). Theorems "
    "that know the class may prove less than the upper end (see tightbudget compare)."
)


def class_note(composition: Composable) -> str:
    """Return what a reader must know of a bracket for steps that stand for a class; nothing if at most one does."""
    parts = composition._parts
    several = sum(count for _, count in parts) > 1
    return OF_A_CLASS if several and any(mechanism.is_class for mechanism, count in parts if count) else ""
