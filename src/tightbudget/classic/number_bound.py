"""Bounds by one number of a composition, the mu of GDP or the rho of zCDP, that its steps add up to."""

from collections.abc import Callable
from dataclasses import dataclass

from tightbudget.classic.bound import EdgeAnswers
from tightbudget.classic.promises import Promises


@dataclass(frozen=True)
class NumberBound(EdgeAnswers[float]):
    """What the number that a theorem gives a composition says of its delta and epsilon."""

    name: str
    reference: str
    number: Callable[[Promises], float]
    delta_by: Callable[[float, float], float]
    epsilon_by: Callable[[float, float], float]
    kind: str = "upper bound"

    def _told(self, promises: Promises) -> float:
        return self.number(promises)

    def _delta(self, promises: Promises, told: float, epsilon: float) -> float:
        return self.delta_by(told, epsilon)

    def _epsilon(self, promises: Promises, told: float, delta: float) -> float:
        return self.epsilon_by(told, delta)
