"""What prv_accountant's command compute-dp-epsilon answers: DP-SGD by our bracket and by Rényi DP."""

from dataclasses import dataclass

from tightbudget.adapters.prv.privacy_random_variables import PoissonSubsampledGaussianMechanism
from tightbudget.classic import renyi_dp
from tightbudget.errors import DoesNotApply
from tightbudget.mechanisms import Composition
from tightbudget.mechanisms.checks import whole_count
from tightbudget.numerics.bracket import Bracket
from tightbudget.training.safe_numbers import delta_below


@dataclass(frozen=True)
class Computed:
    """The composition asked about, our bracket of its epsilon, and the upper bound by Rényi DP if there is one."""

    composition: Composition
    bracket: Bracket
    by_renyi: float | None


def compute_dp_epsilon(
    sampling_probability: float, noise_multiplier: float, num_compositions: int, delta: float, rtol: float = 1e-3
) -> Computed:
    """Return epsilon at a delta after so many steps of DP-SGD.

    >>> print(compute_dp_epsilon(0.01, 1.0, 1000, 1e-6).bracket)
    [2.124..., 2.125...]
    """
    step = PoissonSubsampledGaussianMechanism(sampling_probability, noise_multiplier).mechanism
    composition, asked = step * whole_count(num_compositions, "num_compositions"), delta_below(delta)
    bracket = composition.epsilon(asked, rtol)
    try:
        by_renyi: float | None = renyi_dp.epsilon(composition, asked)
    except DoesNotApply:
        by_renyi = None
    return Computed(composition, bracket, by_renyi)
