"""What a reader must know of brackets for steps that stand for a class of mechanisms (decision 0008)."""

from tightbudget.mechanisms.composition import Composable

_OF_A_CLASS = (
    "A step stands for a class of cases. The upper end holds for all of them: report that one. The worst of them lies "
    "between the ends, yours may cost less than either, and no narrower bracket can be asked for (decision 0008). Theorems "
    "that know the class may prove less than the upper end"
)


def class_note(composition: Composable, compared: bool = False) -> str:
    """Return what a reader must know of a bracket for steps that stand for a class; nothing if at most one does.

    `compared` says that such theorems stand beside it.
    """
    parts = composition._parts
    several = sum(count for _, count in parts) > 1
    if not (several and any(mechanism.is_class for mechanism, count in parts if count)):
        return ""
    return f"{_OF_A_CLASS}." if compared else f"{_OF_A_CLASS} (see tightbudget compare)."
