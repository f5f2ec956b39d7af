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
from tightbudget.pairs.base import Direction

Scaled = Gaussian | Laplace
Shifted = TruncatedGaussian | TruncatedLaplace | DiscreteGaussian | DiscreteLaplace


@lru_cache(4096)
def dominates(slot: Mechanism, step: Mechanism) -> bool:
    """Return True if the step is known to be a post-processing of the slot, whatever the data; False if we cannot tell."""
    if slot == step or reveals_nothing(step) or _reveals_everything(slot):
        return True
    if _less_shifted(slot, step) or _keeps_promise(slot, step):
        return True
    if isinstance(step, Poisson):
        # a small sample can be taken from a larger one, and that from the whole
        if isinstance(slot, Poisson) and step.q <= slot.q and dominates(slot.mechanism, step.mechanism):
            return True
        return dominates(slot, step.mechanism)
    return False


def reveals_nothing(step: Mechanism) -> bool:
    """Return whether both distributions of the step are the same: pairs round no loss down to none."""
    return all(step.pair(direction) is None for direction in Direction)


def _reveals_everything(slot: Mechanism) -> bool:
    """Return whether a slot is known to show all there is; by its parameters, since pairs may round up to it."""
    if isinstance(slot, PureDP | ApproximateDP):
        return slot.promised_epsilon == math.inf or (isinstance(slot, ApproximateDP) and slot.promised_delta == 1)
    if isinstance(slot, Poisson):
        return slot.q == 1 and _reveals_everything(slot.mechanism)
    return isinstance(slot, Scaled) and _shift(slot) == math.inf


def _less_shifted(slot: Mechanism, step: Mechanism) -> bool:
    """Log-concave noise that is shifted by less can be told apart less; only shift over scale counts on the whole line."""
    if isinstance(slot, Gaussian | GaussianDP) and isinstance(step, Gaussian | GaussianDP):
        return _shift(step) <= _shift(slot)
    if type(slot) is not type(step):
        return False
    if isinstance(slot, Laplace) and isinstance(step, Laplace):
        return _shift(step) <= _shift(slot)
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
    if isinstance(slot, Gaussian | GaussianDP):
        mu = divergences.gdp(step)
        return mu < math.inf and Fraction(mu) <= _shift(slot)
    return False


def _shift(noise: Scaled | GaussianDP) -> Fraction | float:
    """Return by how much of its scale the noise is shifted, exactly: 0 if that reveals nothing, inf if it reveals everything.

    A shift of 0 comes first: without noise, too, it reveals nothing.
    """
    if isinstance(noise, GaussianDP):
        return Fraction(noise.mu)
    scale = noise.sigma if isinstance(noise, Gaussian) else noise.scale
    if noise.sensitivity == 0 or scale == math.inf:
        return Fraction(0)
    return Fraction(noise.sensitivity) / Fraction(scale) if scale > 0 else math.inf
