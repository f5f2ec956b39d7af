"""Zero-concentrated differential privacy: every Rényi divergence D_a at most rho a; the rho of steps add up.

References: Bun, Steinke 2016, Definition 1.1 and Lemma 1.7; conversion by the best order as for Rényi DP (Canonne, Kamath,
Steinke 2020, Proposition 12).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tightbudget.classic.bound import prepared
from tightbudget.classic.promises import Promises
from tightbudget.divergences import zcdp as rho_of
from tightbudget.divergences import zcdp_delta, zcdp_epsilon
from tightbudget.errors import DoesNotApply
from tightbudget.mechanisms.base import Composable
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked


@dataclass(frozen=True)
class ZcdpBound:
    name: str = "zCDP"
    reference: str = "Bun, Steinke 2016"
    kind: str = "upper bound"

    def delta(self, asked: Composable | Promises, epsilon: float) -> float:
        rho = _rho(prepared(asked))
        return zcdp_delta(rho, epsilon_asked(epsilon))

    def epsilon(self, asked: Composable | Promises, delta: float) -> float:
        rho = _rho(prepared(asked))
        return zcdp_epsilon(rho, delta_asked(delta))

    def curve(self, asked: Composable | Promises, epsilons: Sequence[float]) -> list[float]:
        rho = _rho(prepared(asked))
        return [zcdp_delta(rho, epsilon) for epsilon in epsilons]


def _rho(promises: Promises) -> float:
    rho = rho_of(promises.composition)
    if math.isinf(rho):
        raise DoesNotApply("no rho is known with all Rényi divergences D_a at most rho times a")
    return rho


zcdp = ZcdpBound()
