"""Zero-concentrated differential privacy: every Rényi divergence D_a at most rho a; the rho of steps add up.

References: Bun, Steinke 2016, Definition 1.1 and Lemma 1.7; conversion by the best order as for Rényi DP (Canonne,
Kamath, Steinke 2020, Proposition 12).
"""

import math

from tightbudget.classic.number_bound import NumberBound
from tightbudget.classic.promises import Promises
from tightbudget.divergences import zcdp as rho_of
from tightbudget.divergences import zcdp_delta, zcdp_epsilon
from tightbudget.errors import DoesNotApply


def _composed_zcdp_rho(promises: Promises) -> float:
    rho = rho_of(promises.composition)
    if math.isinf(rho):
        raise DoesNotApply("no rho is known with all Rényi divergences D_a at most rho times a")
    return rho


zcdp = NumberBound("zCDP", "Bun, Steinke 2016", _composed_zcdp_rho, zcdp_delta, zcdp_epsilon)
