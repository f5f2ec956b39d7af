"""When one step is known to be dominated by another: whatever it reveals, the other reveals at least as much (M15).

Every rule is exact: numbers are compared as the rationals that the floats are, or by bounds rounded to the safe side.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from tightbudget import divergences
from tightbudget.mechanisms import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GaussianDP,
    Laplace,
    Mechanism,
    Poisson,
    PureDP,
    TruncatedGaussian,
    TruncatedLaplace,
)

Scaled = Gaussian | Laplace
Shifted = TruncatedGaussian | TruncatedLaplace | DiscreteGaussian | DiscreteLaplace


@lru_cache(4096)
def dominates(slot: Mechanism, step: Mechanism) -> bool:
    """Return True if the step is known to be a post-processing of the slot, whatever the data; False if we cannot tell."""
    if slot == step or _less_shifted(slot, step) or _keeps_promise(slot, step):
        return True
    if isinstance(step, Poisson):
        # a small sample can be taken from a larger one, and that from the whole
        if isinstance(slot, Poisson) and step.q <= slot.q and dominates(slot.mechanism, step.mechanism):
            return True
        return dominates(slot, step.mechanism)
    return False


def _less_shifted(slot: Mechanism, step: Mechanism) -> bool:
    """Log-concave noise that is shifted by less can be told apart less; only shift over scale counts on the whole line."""
    if type(slot) is not type(step):
        return False
    if isinstance(slot, Scaled) and isinstance(step, Scaled):
        # cross-multiplied: a scale may be 0 or inf
        return _times(step.sensitivity, _scale(slot)) <= _times(slot.sensitivity, _scale(step))
    if isinstance(slot, Shifted) and isinstance(step, Shifted):
        return step.sensitivity <= slot.sensitivity and replace(slot, sensitivity=step.sensitivity) == step  # type: ignore[arg-type]
    return False


def _keeps_promise(slot: Mechanism, step: Mechanism) -> bool:
    """Every step that keeps a promise is a post-processing of the pair that stands for it (KOV; definition of GDP)."""
    if isinstance(slot, PureDP | ApproximateDP):
        delta = slot.promised_delta if isinstance(slot, ApproximateDP) else 0.0
        if isinstance(step, PureDP | ApproximateDP):
            asked = step.promised_delta if isinstance(step, ApproximateDP) else 0.0
            return step.promised_epsilon <= slot.promised_epsilon and asked <= delta
        if divergences.pure_epsilon(step) <= slot.promised_epsilon:
            return True
        return delta > 0.0 and step.delta(slot.promised_epsilon).upper <= delta
    if isinstance(slot, GaussianDP):
        return divergences.gdp(step) <= slot.mu or (isinstance(step, GaussianDP) and step.mu <= slot.mu)
    if isinstance(slot, Gaussian):
        mu = divergences.gdp(step)
        return mu < math.inf and Fraction(mu) * Fraction(slot.sigma) <= Fraction(slot.sensitivity)
    return False


def _scale(mechanism: Scaled) -> float:
    return mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale


def _times(sensitivity: float, scale: float) -> Fraction | float:
    if math.isinf(scale):
        return math.inf if sensitivity else Fraction(0)
    return Fraction(sensitivity) * Fraction(scale)
