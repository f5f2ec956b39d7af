"""Domination between steps of the same noise: what is shifted by less reveals less (M15)."""

from dataclasses import replace

from tightbudget.mechanisms.mechanism import Mechanism


def shifted_less(slot: Mechanism, step: Mechanism) -> bool:
    """Whether the step is the same noise with a smaller sensitivity: log-concave, it is told apart less."""
    if type(slot) is not type(step):
        return False
    smaller: float = step.sensitivity  # type: ignore[attr-defined]
    return smaller <= slot.sensitivity and replace(slot, sensitivity=smaller) == step  # type: ignore[attr-defined, type-var]
