"""What is proven of batches that are no Poisson samples: disjoint ones, one pass over the data after another (M26)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tightbudget.mechanisms import Composition, Gaussian
from tightbudget.training.phases import Phase


@dataclass(frozen=True, slots=True)
class ShuffledBounds:
    """Upper bounds of epsilon without any amplification, where an example is in at most one batch of each pass.

    They hold for any order that does not depend on the data, shuffled anew or not, and say nothing from below.
    `passes` counts one that two phases share for each of them. `zero_out`: an example's gradients are replaced by 0.
    `replace_one`: they are replaced by those of another example.
    """

    passes: int
    zero_out: float
    replace_one: float


def shuffled_bounds(phases: Sequence[Phase], delta: float) -> ShuffledBounds | None:
    """Return the bounds at delta; None where no batches were asked for, so that nothing can be said of passes."""
    if any(phase.sample_rate == 0 and phase.steps for phase in phases):
        return None
    passes = _passes_met(phases)
    ends = [_releases_of_passes(phases, passes, sensitivity).epsilon(delta, rtol=1e-6).upper for sensitivity in (1.0, 2.0)]
    return ShuffledBounds(sum(passes), *ends)


def _passes_met(phases: Sequence[Phase]) -> list[int]:
    """Return how many passes each phase has steps of; one that begins in the middle of a pass meets one more (M26)."""
    passes, between = [], True  # whether a phase begins with a pass
    for phase in phases:
        begun_before = 0 if not phase.steps else 1 - (1 - phase.steps) // phase.in_a_pass
        passes.append(phase.passes if between else begun_before)
        between = between and _ends_with_a_pass(phase)
    return passes


def _ends_with_a_pass(phase: Phase) -> bool:
    """Return whether a phase that begins with a pass ends with one, whether a last, smaller batch is kept or not."""
    if phase.epochs is not None:
        return phase.epochs.denominator == 1
    return phase.steps == 0 or (phase.cut_evenly and phase.steps % phase.in_a_pass == 0)


def _releases_of_passes(phases: Sequence[Phase], passes: Sequence[int], sensitivity: float) -> Composition:
    """Return one Gaussian release for each pass: given the order, one batch of it contains the example."""
    noises = [(Gaussian(float(phase.noise_multiplier or 0.0), sensitivity), n) for phase, n in zip(phases, passes, strict=True)]
    return Composition(tuple(noises))
