"""The privacy random variables of `prv_accountant` by their names: each stands for a mechanism of ours."""

from dataclasses import dataclass, field
from fractions import Fraction

from tightbudget.mechanisms import ApproximateDP, Composable, Gaussian, Laplace, Mechanism, Poisson, PureDP
from tightbudget.mechanisms.checks import not_lost_to_zero, positive, probability
from tightbudget.numerics.rounding import float_above
from tightbudget.training.safe_numbers import noise_below, plain_number, rate_above

__all__ = [
    "ApproximateDPMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "PoissonSubsampledGaussianMechanism",
    "PrivacyRandomVariable",
    "PureDPMechanism",
]

RATE = "It is the size of a batch over the number of records."
"""What to say to whoever gives a rate that is none."""


class PrivacyRandomVariable:
    """The privacy loss of one step, known by the mechanism that has it.

    There is no cdf here: a function known at points and up to rounding cannot be certified, and none is needed. Numbers
    that no float holds are rounded so that the mechanism reveals more rather than less.
    """

    mechanism: Mechanism


@dataclass(frozen=True)
class PoissonSubsampledGaussianMechanism(PrivacyRandomVariable):
    """Normal noise on Poisson samples: a step of DP-SGD.

    The order of the arguments is that of prv_accountant's code; its README has them the other way round, so give them
    by name. There it is the loss when a record is removed; here both directions count.

    >>> print(PoissonSubsampledGaussianMechanism(sampling_probability=5e-3, noise_multiplier=0.8).mechanism)
    poisson(gaussian(sigma=0.8), q=0.005)
    """

    sampling_probability: float
    noise_multiplier: float
    mechanism: Mechanism = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        q = rate_above("sampling_probability", self.sampling_probability, RATE)
        vars(self)["mechanism"] = Poisson(Gaussian(sigma=noise_below("noise_multiplier", self.noise_multiplier)), q)


@dataclass(frozen=True)
class GaussianMechanism(PrivacyRandomVariable):
    """Normal noise of standard deviation `noise_multiplier` on a query of that sensitivity in the L2 norm.

    >>> print(GaussianMechanism(noise_multiplier=8.0).mechanism)
    gaussian(sigma=8.0)
    """

    noise_multiplier: float
    l2_sensitivity: float = 1.0
    mechanism: Mechanism = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sigma = noise_below("noise_multiplier", self.noise_multiplier)
        vars(self)["mechanism"] = Gaussian(sigma, sensitivity=_shift_above("l2_sensitivity", self.l2_sensitivity))


@dataclass(frozen=True)
class LaplaceMechanism(PrivacyRandomVariable):
    """Laplace noise of scale 1 on a query that a record moves by mu.

    >>> print(LaplaceMechanism(mu=0.1).mechanism)
    laplace(scale=1.0, sensitivity=0.1)
    """

    mu: float
    mechanism: Mechanism = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        vars(self)["mechanism"] = Laplace(scale=1.0, sensitivity=_shift_above("mu", self.mu))


@dataclass(frozen=True)
class PureDPMechanism(PrivacyRandomVariable):
    """Any mechanism that is (eps, 0)-differentially private.

    >>> print(PureDPMechanism(eps=0.1).mechanism)
    pure_dp(epsilon=0.1)
    """

    eps: float
    mechanism: Mechanism = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive("eps", self.eps, zero=True, infinite=True)
        vars(self)["mechanism"] = PureDP(self.eps)


@dataclass(frozen=True)
class ApproximateDPMechanism(PrivacyRandomVariable):
    """Any mechanism that is (epsilon, delta)-differentially private.

    >>> print(ApproximateDPMechanism(epsilon=0.1, delta=1e-9).mechanism)
    approximate_dp(epsilon=0.1, delta=1e-09)
    """

    epsilon: float
    delta: float
    mechanism: Mechanism = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, zero=True, infinite=True)
        probability("delta", self.delta)
        vars(self)["mechanism"] = ApproximateDP(self.epsilon, self.delta)


def mechanism_of(prv: object) -> Composable | None:
    """Return what stands for the variable: its mechanism, or itself if it is one of ours; None if nothing is proven.

    A cdf of a user's own, also on a subclass of a variable above, says that the loss is another.
    """
    if isinstance(prv, Composable):
        return prv
    ours = isinstance(prv, PrivacyRandomVariable) and not hasattr(prv, "cdf")
    return getattr(prv, "mechanism", None) if ours else None


def _shift_above(name: str, value: object) -> float:
    """Return a shift as the smallest float from it on: more of it reveals more."""
    number = not_lost_to_zero(name, value, positive(name, value, zero=True), "a finite number, 0 or more")
    given = plain_number(value)
    if type(given) in (int, float) or not hasattr(given, "as_integer_ratio"):
        return number
    return float_above(Fraction(*given.as_integer_ratio()))
