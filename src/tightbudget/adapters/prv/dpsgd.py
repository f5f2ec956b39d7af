"""DP-SGD as `prv_accountant.dpsgd` has it: an accountant of equal steps, and the noise for a target."""

from tightbudget.adapters.prv.accountant import PRVAccountant, Triple
from tightbudget.adapters.prv.privacy_random_variables import RATE, PoissonSubsampledGaussianMechanism
from tightbudget.calibration import calibrate
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composition, Gaussian, Poisson
from tightbudget.mechanisms.checks import positive, whole_count
from tightbudget.training.safe_numbers import budget_below, rate_above


class NoSuitableNoise(InvalidParameter, RuntimeError):
    """No noise multiplier up to `mu_max` keeps the target; a RuntimeError too, as there."""

    code = "no_suitable_noise"


class DPSGDAccountant(PRVAccountant):
    """DP-SGD, or any training with normal noise on Poisson samples.

    >>> accountant = DPSGDAccountant(noise_multiplier=0.8, sampling_probability=5e-3, max_steps=1000)
    >>> low, estimate, up = accountant.compute_epsilon(delta=1e-6, num_steps=1000)
    >>> low, up
    (2.003..., 2.004...)
    """

    def __init__(
        self,
        noise_multiplier: float,
        sampling_probability: float,
        max_steps: int,
        eps_error: float = 0.1,
        delta_error: float = 1e-9,
    ) -> None:
        prv = PoissonSubsampledGaussianMechanism(sampling_probability, noise_multiplier)
        super().__init__(prv, eps_error, delta_error, max_self_compositions=max_steps)

    def compute_epsilon(self, delta: float, num_steps: int) -> Triple:  # type: ignore[override]  # called so there
        """Return (lower end, estimate, upper end) of epsilon at a delta, after so many steps."""
        return super().compute_epsilon(delta, num_steps)


def find_noise_multiplier(
    sampling_probability: float,
    num_steps: int,
    target_epsilon: float,
    target_delta: float,
    eps_error: float = 0.1,
    mu_max: float = 100.0,
) -> float:
    """Return the least noise multiplier, to six digits, that is certified to keep (target_epsilon, target_delta).

    The upper end at the noise returned is at most `target_epsilon`, not `target_epsilon + eps_error` as there: the
    error is not needed. `NoSuitableNoise` is raised if it takes more noise than `mu_max`.

    >>> find_noise_multiplier(sampling_probability=0.01, num_steps=1000, target_epsilon=2.0, target_delta=1e-6)
    1.029...
    """
    positive("eps_error", eps_error, "0.1 is a usual choice.")
    most = positive("mu_max", mu_max, infinite=True)
    q, steps = rate_above("sampling_probability", sampling_probability, RATE), whole_count(num_steps, "num_steps")
    epsilon, delta = budget_below(positive("target_epsilon", target_epsilon), target_delta)

    def run(noise: float) -> Composition:
        return Poisson(Gaussian(sigma=noise), q) * steps

    if run(0.0).epsilon(delta).certainly_at_most(epsilon):  # nothing is drawn, or so seldom that delta pays for it
        return 0.0
    found = calibrate(f"poisson(gaussian(sigma=?), q={q!r}) * {steps}", epsilon=epsilon, delta=delta)
    if found.value > most:
        allowed = f"at least {found.value!r}, the least noise that keeps the target"
        raise NoSuitableNoise("mu_max", mu_max, allowed, "Or choose a larger epsilon, fewer steps or a smaller rate.")
    return float(found.value)
