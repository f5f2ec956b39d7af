"""`prv_accountant` by its own names: change the import, and brackets are certified and every legal input is answered.

Belongs here: the random variables, accountants, search for noise and command of prv_accountant 0.2, which need it not
installed.
Elsewhere: what its command prints (`interfaces/cli`); the random variables are mechanisms of `mechanisms`.
"""

from tightbudget.adapters.prv.accountant import Accountant, PRVAccountant
from tightbudget.adapters.prv.dpsgd import DPSGDAccountant, find_noise_multiplier
from tightbudget.adapters.prv.privacy_random_variables import (
    ApproximateDPMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
    PrivacyRandomVariable,
    PureDPMechanism,
)

__all__ = [
    "Accountant",
    "ApproximateDPMechanism",
    "DPSGDAccountant",
    "GaussianMechanism",
    "LaplaceMechanism",
    "PRVAccountant",
    "PoissonSubsampledGaussianMechanism",
    "PrivacyRandomVariable",
    "PureDPMechanism",
    "find_noise_multiplier",
]
