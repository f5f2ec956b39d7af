"""Odometers whose bound holds with high probability: part of delta pays for the tail of the loss (M16)."""

import math
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive.amounts import float_up, show
from tightbudget.adaptive.odometers.base import Odometer, Sums
from tightbudget.adaptive.odometers.boundaries import ROUNDINGS
from tightbudget.adaptive.states import State, written_at_least
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.logs import log_reciprocal
from tightbudget.numerics.rounding import raised

SMALLEST_DELTA = Fraction(1, 10**300)


class ConcentrationOdometer(Odometer):
    """An odometer whose delta is split, before the first step, into a part for concentration and a part for steps.

    Its `_bound` is drift and boundary, which hold with probability `1 - (delta - delta_for_steps)`; `_level` is the
    logarithm of the reciprocal of that difference. With `or_basic` the running epsilon is never above the sum of the
    epsilons, if every step has one: that much is certain, so the better of the two bounds costs nothing.
    """

    or_basic: ClassVar[bool] = True

    def __init__(self, delta: Any, *, delta_for_steps: Any = 0, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)
        if not SMALLEST_DELTA <= self._delta < 1:
            raise InvalidParameter("delta", delta, "from 1e-300 to below 1 for this odometer", "1e-6 is a usual choice.")
        rest = self._delta - self._for_steps
        if rest < SMALLEST_DELTA:
            raise InvalidParameter("delta_for_steps", delta_for_steps, f"below delta, which is {show(self._delta)}")
        self._level = log_reciprocal(rest)

    def _settings(self) -> State:
        return {"delta": show(self._delta), "delta_for_steps": show(self._for_steps)}

    def _constants(self) -> State:
        return {"log": repr(self._level)}

    def _use_constants(self, constants: State) -> None:
        self._level = written_at_least("log", constants["log"], self._level)

    def _running(self, sums: Sums) -> float:
        failing = sums["delta"]
        if failing > self._for_steps:
            return math.inf
        # a step whose loss is only likely to be bounded may have a mean above that of randomised response (M16)
        excess = log_reciprocal(Fraction(1 - failing)) if failing else 0.0
        bound = raised(self._bound(sums) + excess, ROUNDINGS)
        return min(float_up(sums["epsilon"]), bound) if self.or_basic else bound
