"""Mixture odometer: the walk of losses against a normal mixture of lines, on both sides (M16)."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.log_reciprocal import up
from tightbudget.adaptive.odometers.base import ConcentrationOdometer, Sums, from_ticks, positive
from tightbudget.adaptive.odometers.boundaries import mixing_rate, mixture
from tightbudget.adaptive.states import State
from tightbudget.numerics.rounding import float_below


class MixingOdometer(ConcentrationOdometer):
    """Its boundary mixes lines at the rate `gamma`: that which is tight round the variance `tight_at`, unless it is given."""

    _not_written: ClassVar[frozenset[str]] = frozenset({"tight_at"})

    def __init__(
        self, delta: Any, delta_for_steps: Any = 0, tight_at: Any = 1, gamma: Any = None, *, mix_relations: bool = False
    ) -> None:
        super().__init__(delta, delta_for_steps, mix_relations=mix_relations)
        self._gamma = mixing_rate(self._level, positive("tight_at", tight_at)) if gamma is None else positive("gamma", gamma)
        self._rate = float_below(self._gamma)

    @property
    def gamma(self) -> Fraction:
        return self._gamma

    def _settings(self) -> State:
        return {**super()._settings(), "gamma": show(self._gamma)}


class MixtureOdometer(MixingOdometer):
    r"""Good over a wide range round the variance $V=\sum\varepsilon_i^2$ of `tight_at`; `gamma` may be given instead.

    It bounds the absolute value of the loss, for which it needs steps whose losses are bounded: pure and approximate
    ones.

    >>> from tightbudget import PureDP
    >>> odometer = MixtureOdometer(delta=1e-6, tight_at=1)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    6.165
    """

    kind: ClassVar[str] = "mixture"
    sums: ClassVar[tuple[str, ...]] = ("drift", "epsilon_squared", "delta", "epsilon")
    two_sided: ClassVar[bool] = True

    def _price(self, increment: Increment) -> Sums:
        return _priced(increment)

    def _concentrated(self, sums: Sums) -> float:
        return up(sums[0]) + mixture(up(sums[1]), self._level, self._rate)


@lru_cache(prices.REMEMBERED)
def _priced(increment: Increment) -> Sums:
    drift, squares, delta, epsilon = prices.exact_drift(increment)
    return from_ticks(drift), from_ticks(squares), delta, epsilon
