"""The advanced filter of Rogers, Roth, Ullman and Vadhan 2016 (Theorem 5.1), as printed and with its proof in full."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, amount_to_float, exact, show
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.prices import TICKS
from tightbudget.adaptive.states import State, written_at_least
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.logs import log_reciprocal
from tightbudget.numerics.rounding import float_below, lowered, raised

CONSTANT = 28.04  # as printed; 8 y with y = 2 + log(1 + y) is 28.0419 (M14)
_ROUNDINGS = 64
"""The bounds below are sums, products, roots and logs of positive floats without cancellation: some 20 roundings."""


@dataclass(frozen=True, slots=True)
class _AdvancedBoundary:
    """What the loss stays below: its drift, and a boundary that is tightest where the sum of squares is `beta`."""

    beta: float
    """Any number fixed in advance is sound."""
    log: float
    """The logarithm in the boundary, of which more is safe."""

    def __post_init__(self) -> None:
        if not 0.0 < self.beta < math.inf:
            raise InvalidParameter("beta", self.beta, "a number from 1e-300 to 1e300")

    def __call__(self, *sums: float) -> float:
        drift, squares = sums
        return raised(drift + self._boundary(squares), _ROUNDINGS)

    def _boundary(self, squares: float) -> float:
        raise NotImplementedError

    def constants(self) -> State:
        return {"beta": repr(self.beta), "log": repr(self.log)}

    def with_constants(self, constants: State) -> Self:
        """Return the boundary with the constants that a state wrote down; refuse any that would admit more."""
        beta = amount_to_float(exact("beta", constants["beta"], "a number above 0"))
        return type(self)(beta, written_at_least("log", constants["log"], self.log))

    def lowered_from(self, old: Self) -> Self:
        """Return the boundary with the old beta: with another one it may admit what the old one refused (M14)."""
        return type(self)(old.beta, max(self.log, old.log))


class _Printed(_AdvancedBoundary):
    __slots__ = ()

    def _boundary(self, squares: float) -> float:
        return math.sqrt(2.0 * (squares + self.beta) * (1.0 + 0.5 * math.log1p(squares / self.beta)) * self.log)


class _Sharpened(_AdvancedBoundary):
    __slots__ = ()

    def _boundary(self, squares: float) -> float:
        return math.sqrt((squares + self.beta) * (self.log + math.log1p(squares / self.beta)))


class _MixtureFilter(ConcentrationFilter):
    """Admit steps while drift + boundary(V) <= epsilon, V the sum of squared epsilons."""

    def _below(self, boundary: _AdvancedBoundary) -> Limits:
        whole = self._epsilon
        cap = Cap("epsilon", float_below(whole), of=("drift", "squares"), measure=boundary)
        return self._within({"drift": min(whole, whole**2), "squares": whole**2}, cap)


class AdvancedFilter(_MixtureFilter):
    """Theorem 5.1 as printed: delta must be below 1/e, half of it is for the tail and half for the deltas of steps."""

    kind: ClassVar[str] = "advanced"

    @formerly_positional("or_basic")
    def __init__(self, epsilon: Any, delta: Any, *, or_basic: bool = False, mix_relations: bool = False) -> None:
        half = exact("delta", delta) / 2
        super().__init__(epsilon, delta, delta_for_steps=half, or_basic=or_basic, mix_relations=mix_relations)
        if amount_to_float(self._delta) >= lowered(math.exp(-1.0), 4):
            raise InvalidParameter("delta", delta, "below 1/e for the advanced filter", "The sharpened filter takes any.")

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        return _named_drift_price(prices.printed_drift(increment), prices.squares_price(increment))

    def _limits(self) -> Limits:
        log_inverse = -math.log(amount_to_float(self._delta))
        return self._below(_Printed(_printed_beta(self._epsilon, log_inverse), math.log(2.0) + log_inverse))

    def _settings(self) -> State:
        return {"epsilon": show(self._epsilon), "delta": show(self._delta), "or_basic": self._or_basic}


class SharpenedFilter(_MixtureFilter):
    """The same proof, nothing given away: the exact mean loss, log(1/delta) only once, all of the tail's delta.

    `beta` is the sum of squares near which the boundary is tightest. The guarantee holds for any beta fixed in advance;
    the one of Theorem 5.1 if none is given.
    """

    kind: ClassVar[str] = "sharpened"

    @formerly_positional("delta_for_steps", "or_basic", "beta")
    def __init__(
        self,
        epsilon: Any,
        delta: Any,
        *,
        delta_for_steps: Any = 0,
        or_basic: bool = False,
        beta: Any = None,
        mix_relations: bool = False,
    ) -> None:
        self._given_beta = None if beta is None else exact("beta", beta, "a number above 0")
        super().__init__(epsilon, delta, delta_for_steps=delta_for_steps, or_basic=or_basic, mix_relations=mix_relations)

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        return _named_drift_price(prices.exact_drift(increment), prices.squares_price(increment))

    def _limits(self) -> Limits:
        if self._given_beta is None:
            beta = _printed_beta(self._epsilon, -math.log(amount_to_float(self._delta)))
        else:
            beta = amount_to_float(self._given_beta)
        return self._below(_Sharpened(beta, 2.0 * log_reciprocal(self._tail)))

    def _settings(self) -> State:
        return {**super()._settings(), "beta": None if self._given_beta is None else show(self._given_beta)}


def _printed_beta(epsilon: Fraction, log_inverse: float) -> float:
    return amount_to_float(epsilon) ** 2 / (CONSTANT * max(log_inverse, 1e-300))  # a delta near 1 may be the float 1


def _named_drift_price(with_drift: prices.Price, price: prices.Price) -> Mapping[str, Amount]:
    drift, (squares, delta, epsilon) = with_drift[0], price
    in_units = drift if isinstance(drift, float) else Fraction(drift, TICKS)
    return {"drift": in_units, "squares": squares, "delta": delta, "epsilon": epsilon}
