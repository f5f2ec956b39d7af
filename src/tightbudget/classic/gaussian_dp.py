"""Gaussian differential privacy: mu-GDP steps compose to sqrt(sum mu_i^2)-GDP.

Reference: Dong, Roth, Su 2022, Corollary 3.3 and (for the conversion) Corollary 2.13.
"""

import math

from tightbudget.classic.number_bound import NumberBound
from tightbudget.classic.promises import Promises
from tightbudget.divergences import gdp, gdp_delta, gdp_epsilon
from tightbudget.errors import DoesNotApply


def _composed_gdp_mu(promises: Promises) -> float:
    mu = gdp(promises.composition)
    if math.isinf(mu):
        raise DoesNotApply("no mu is known for which every step is mu-GDP")
    return mu


gaussian_dp = NumberBound("Gaussian DP", "Dong, Roth, Su 2022, Cor. 3.3", _composed_gdp_mu, gdp_delta, gdp_epsilon)
