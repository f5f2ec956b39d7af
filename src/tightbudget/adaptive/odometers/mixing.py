"""Odometers whose boundary mixes the lines of all slopes by a normal law (M16)."""

from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.odometers.base import positive_setting
from tightbudget.adaptive.odometers.boundaries import mixing_rate
from tightbudget.adaptive.odometers.concentration import ConcentrationOdometer
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional
from tightbudget.numerics.rounding import float_below


class MixingOdometer(ConcentrationOdometer):
    """Its boundary mixes lines at the rate `gamma`: if that is not given, one tight round the variance `tight_at`."""

    _not_written: ClassVar[frozenset[str]] = frozenset({"tight_at"})

    @formerly_positional("delta_for_steps", "tight_at", "gamma")
    def __init__(
        self, delta: Any, *, delta_for_steps: Any = 0, tight_at: Any = 1, gamma: Any = None, mix_relations: bool = False
    ) -> None:
        super().__init__(delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)
        self._gamma = (
            mixing_rate(self._level, positive_setting("tight_at", tight_at))
            if gamma is None
            else positive_setting("gamma", gamma)
        )
        self._rate = float_below(self._gamma)

    @property
    def gamma(self) -> Fraction:
        return self._gamma

    def _settings(self) -> State:
        return {**super()._settings(), "gamma": show(self._gamma)}
