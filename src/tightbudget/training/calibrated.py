"""Noise for a target: the one noise multiplier of all phases that name none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tightbudget.calibration import Calibration, calibrate
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composition
from tightbudget.numerics.bracket import Bracket
from tightbudget.training.phases import Phase, composition_of_phases


class Calibrated(NamedTuple):
    """The phases with the noise found, the bracket of epsilon there, and less noise that provably misses the target."""

    phases: tuple[Phase, ...]
    epsilon: Bracket
    noise_multiplier: float
    too_little: float | None


def calibrated(phases: Sequence[Phase], epsilon: float, delta: float, rtol: float, effort: float | None) -> Calibrated:
    """Return the phases with the least noise that is certified to keep epsilon at delta."""
    _check_calibrated_phases(phases, delta)
    found = _searched_noise(phases, epsilon, delta, effort)
    return Calibrated(with_noise(phases, found.value), _bracket_at_noise(found, rtol), found.value, found.too_little)


def with_noise(phases: Sequence[Phase], noise_multiplier: float) -> tuple[Phase, ...]:
    """Return the phases, those without noise with this one."""
    return tuple(
        replace(phase, noise_multiplier=noise_multiplier) if phase.noise_multiplier is None else phase for phase in phases
    )


def _check_calibrated_phases(phases: Sequence[Phase], delta: float) -> None:
    if delta == 0.0:
        raise InvalidParameter("delta", delta, "above 0 where noise is calibrated", "Normal noise keeps no ε at δ = 0.")
    unsaid = [phase for phase in phases if phase.noise_multiplier is None]
    if phases and not unsaid:
        allowed = "left out in at least one phase where target_epsilon is given"
        raise InvalidParameter("noise_multiplier", phases[0].noise_multiplier, allowed)
    if not any(phase.steps for phase in unsaid):
        raise InvalidParameter("steps", 0, "above 0 where noise is calibrated", "Nothing is released, whatever the noise.")


def _searched_noise(phases: Sequence[Phase], epsilon: float, delta: float, effort: float | None) -> Calibration:
    def tried(noise_multiplier: float) -> Composition:
        return composition_of_phases(with_noise(phases, noise_multiplier))

    try:
        return calibrate(_noise_template(phases) or tried, epsilon=epsilon, delta=delta, effort=effort)
    except InvalidParameter as problem:
        _, _, why = str(problem).partition(". ")
        allowed = "one that some noise multiplier just keeps"
        raise InvalidParameter("target_epsilon", epsilon, allowed, why.replace("?", "noise_multiplier")) from None


def _noise_template(phases: Sequence[Phase]) -> str:
    """Return the notation of a run of one phase, of which it is known that less noise reveals more; "" for others."""
    if len(phases) != 1:
        return ""
    return f"poisson(gaussian(sigma=?), q={phases[0].sample_rate!r}) * {phases[0].steps}"


def _bracket_at_noise(found: Calibration, rtol: float) -> Bracket:
    """Return the bracket at the noise found; it is as narrow as asked only if the noise is, too."""
    achieved = found.achieved
    if not found.converged:
        return replace(achieved, converged=False, reason=found.reason)
    narrow = achieved.width <= rtol * achieved.upper
    return replace(achieved, converged=narrow, reason="" if narrow else achieved.reason)
