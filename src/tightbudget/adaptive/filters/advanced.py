"""The advanced filter of Rogers, Roth, Ullman and Vadhan 2016 (Theorem 5.1), as printed and with its proof used in full."""

import math
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import exact, show, to_float
from tightbudget.adaptive.filters.base import Sums
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.log_reciprocal import log_reciprocal
from tightbudget.adaptive.prices import in_float
from tightbudget.adaptive.states import State, at_least
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.rounding import U, float_below

CONSTANT = 28.04  # as printed; 8 y with y = 2 + log(1 + y) is 28.0419 (M14)
_ALLOWANCE = 1.0 + 64.0 * U
"""The bounds below are sums, products, roots and logarithms of positive floats without cancellation: some twenty roundings."""


class _Mixture(ConcentrationFilter):
    """Admit steps while drift + boundary(V) <= epsilon, V the sum of squared epsilons."""

    limit: ClassVar[str] = "epsilon"
    _unit: ClassVar[int] = prices.TICKS
    _own_sums: ClassVar[tuple[str, ...]] = ("drift", "squares")
    _beta: float
    """Where the boundary is tightest: any number fixed in advance is sound."""
    _log: float
    """The logarithm in the boundary, of which more is safe."""

    def _boundary(self, squares: float) -> float:
        raise NotImplementedError

    def _measure(self, sums: Sums) -> float:
        return (in_float(sums[0]) + self._boundary(in_float(sums[1]))) * _ALLOWANCE

    def _constants(self) -> State:
        return {"beta": repr(self._beta), "log": repr(self._log)}

    def _adopt(self, constants: State) -> None:
        self._beta = to_float(exact("beta", constants["beta"], "a number above 0"))
        if not 0.0 < self._beta < math.inf:
            raise InvalidParameter("beta", constants["beta"], "a number from 1e-300 to 1e300")
        self._log = at_least("log", constants["log"], self._log)


class AdvancedFilter(_Mixture):
    """Theorem 5.1 as printed: delta must be below 1/e, half of it pays for the tail and half for the deltas of steps."""

    kind: ClassVar[str] = "advanced"

    def __init__(self, epsilon: Any, delta: Any, or_basic: bool = False, *, mix_relations: bool = False) -> None:
        half = exact("delta", delta) / 2
        super().__init__(epsilon, delta, half, or_basic, mix_relations=mix_relations)
        if to_float(self._delta) >= math.exp(-1.0) * (1.0 - 4.0 * U):
            raise InvalidParameter("delta", delta, "below 1/e for the advanced filter", "The sharpened filter takes any.")
        self._budget = float_below(self._epsilon)
        log_inverse = -math.log(to_float(self._delta))
        self._beta = to_float(self._epsilon) ** 2 / (CONSTANT * log_inverse)
        self._log = math.log(2.0) + log_inverse

    def _full_price(self, increment: Increment) -> Sums:
        return prices.printed_drift(increment)

    def _boundary(self, squares: float) -> float:
        return math.sqrt(2.0 * (squares + self._beta) * (1.0 + 0.5 * math.log1p(squares / self._beta)) * self._log)

    def _settings(self) -> State:
        return {"epsilon": show(self._epsilon), "delta": show(self._delta), "or_basic": self._or_basic}


class SharpenedFilter(_Mixture):
    """The same proof, nothing given away: the exact mean loss, log(1/delta) only once, all of the tail's delta.

    `beta` is the sum of squares near which the boundary is tightest. The guarantee holds for any beta fixed in advance;
    the one of Theorem 5.1 if none is given.
    """

    kind: ClassVar[str] = "sharpened"

    def __init__(
        self,
        epsilon: Any,
        delta: Any,
        delta_for_steps: Any = 0,
        or_basic: bool = False,
        beta: Any = None,
        *,
        mix_relations: bool = False,
    ) -> None:
        super().__init__(epsilon, delta, delta_for_steps, or_basic, mix_relations=mix_relations)
        self._budget = float_below(self._epsilon)
        self._log = 2.0 * log_reciprocal(self._tail)
        self._given_beta = None if beta is None else exact("beta", beta, "a number above 0")
        if self._given_beta is None:
            self._beta = to_float(self._epsilon) ** 2 / (CONSTANT * max(-math.log(to_float(self._delta)), 1e-300))
        else:
            self._beta = to_float(self._given_beta)
        if not 0.0 < self._beta < math.inf:
            raise InvalidParameter("beta", beta, "a number from 1e-300 to 1e300")

    def _full_price(self, increment: Increment) -> Sums:
        return prices.exact_drift(increment)

    def _boundary(self, squares: float) -> float:
        return math.sqrt((squares + self._beta) * (self._log + math.log1p(squares / self._beta)))

    def _settings(self) -> State:
        return {**super()._settings(), "beta": None if self._given_beta is None else show(self._given_beta)}
