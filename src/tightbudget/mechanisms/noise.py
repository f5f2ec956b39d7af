"""Noise that is added to a query: what a record can move the query by is its sensitivity, under each relation."""

from dataclasses import fields, replace
from fractions import Fraction
from typing import Self

from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import RELATIONS, moved_by
from tightbudget.numerics.rounding import float_above


class AdditiveNoise(Mechanism):
    """Noise that is told apart less the less the query moves. Subclasses have the fields used here.

    The sensitivity is for the relation stated; what a query moves under others follows from it, or is not known.
    """

    sensitivity: float
    relation: str

    def _under(self, relation: str) -> Self | None:
        factor = moved_by(self.relation, relation)
        if factor is None or relation == self.relation:
            return None if factor is None else self
        return replace(self, sensitivity=factor * self.sensitivity, relation=relation)  # type: ignore[type-var]

    def _group(self, k: int) -> Self | None:
        if "sensitivity" not in {field.name for field in fields(self)}:  # type: ignore[arg-type]
            return None
        moved = self.sensitivity * k if isinstance(self.sensitivity, int) else float_above(Fraction(self.sensitivity) * k)
        return replace(self, sensitivity=moved)  # type: ignore[type-var]

    @property
    def orders_exchanged(self) -> bool:
        return True  # the noise, moved, against the noise

    @property
    def absent_if_zeroed(self) -> bool:
        return True

    def _relation_hint(self, relation: str) -> str:
        known = " or ".join(other for other in RELATIONS if moved_by(other, relation) is not None)
        return f"State its sensitivity for {known}."
