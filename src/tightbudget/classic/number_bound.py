"""Bounds by one number of a composition, the mu of GDP or the rho of zCDP, that its steps add up to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tightbudget.classic.bound import prepared_promises
from tightbudget.classic.promises import Promises
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked
from tightbudget.mechanisms.composition import Composable


@dataclass(frozen=True)
class NumberBound:
    """What the number that a theorem gives a composition says of its delta and epsilon."""

    name: str
    reference: str
    number: Callable[[Promises], float]
    delta_by: Callable[[float, float], float]
    epsilon_by: Callable[[float, float], float]
    kind: str = "upper bound"

    def delta(self, asked: Composable | Promises, epsilon: float) -> float:
        return self.delta_by(self.number(prepared_promises(asked)), epsilon_asked(epsilon))

    def epsilon(self, asked: Composable | Promises, delta: float) -> float:
        return self.epsilon_by(self.number(prepared_promises(asked)), delta_asked(delta))

    def curve(self, asked: Composable | Promises, epsilons: Sequence[float]) -> list[float]:
        number = self.number(prepared_promises(asked))
        return [self.delta_by(number, epsilon) for epsilon in epsilons]
