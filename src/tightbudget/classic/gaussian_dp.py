"""Gaussian differential privacy: mu-GDP steps compose to sqrt(sum mu_i^2)-GDP.

Reference: Dong, Roth, Su 2022, Corollary 3.3 and (for the conversion) Corollary 2.13.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tightbudget.classic.bound import prepared
from tightbudget.classic.promises import Promises
from tightbudget.divergences import gdp, gdp_delta, gdp_epsilon
from tightbudget.errors import DoesNotApply
from tightbudget.mechanisms.base import Composable
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked


@dataclass(frozen=True)
class GaussianBound:
    """What mu-GDP says of a composition, for the mu that a theorem gives it."""

    name: str
    reference: str
    mu: Callable[[Promises], float]
    kind: str = "upper bound"

    def delta(self, asked: Composable | Promises, epsilon: float) -> float:
        return gdp_delta(self.mu(prepared(asked)), epsilon_asked(epsilon))

    def epsilon(self, asked: Composable | Promises, delta: float) -> float:
        return gdp_epsilon(self.mu(prepared(asked)), delta_asked(delta))

    def curve(self, asked: Composable | Promises, epsilons: Sequence[float]) -> list[float]:
        mu = self.mu(prepared(asked))
        return [gdp_delta(mu, epsilon) for epsilon in epsilons]


def _mu(promises: Promises) -> float:
    mu = gdp(promises.composition)
    if math.isinf(mu):
        raise DoesNotApply("no mu is known for which every step is mu-GDP")
    return mu


gaussian_dp = GaussianBound("Gaussian DP", "Dong, Roth, Su 2022, Cor. 3.3", _mu)
