"""What is proven of batches that are no Poisson samples: disjoint ones, one pass over the data after another (M26)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tightbudget.mechanisms import Composition, Gaussian
from tightbudget.training.phases import Phase


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Upper bounds of epsilon without any amplification, where an example is in at most one batch of each pass.

    They hold for any order that does not depend on the data, shuffled anew or not, and say nothing from below.
    `zero_out`: an example's gradients are replaced by 0. `replace_one`: they are replaced by those of another example.
    """

    passes: int
    zero_out: float
    replace_one: float


def shuffled(phases: Sequence[Phase], delta: float) -> Shuffled | None:
    """Return the bounds at delta; None where no batches were asked for, so that nothing can be said of passes."""
    if any(phase.sample_rate == 0 and phase.steps for phase in phases):
        return None
    ends = [_passes(phases, sensitivity).epsilon(delta, rtol=1e-6).upper for sensitivity in (1.0, 2.0)]
    return Shuffled(sum(phase.passes for phase in phases), *ends)


def _passes(phases: Sequence[Phase], sensitivity: float) -> Composition:
    """Return one Gaussian release for each pass: given the order, one batch of it contains the example."""
    noises = [(Gaussian(float(phase.noise_multiplier or 0.0), sensitivity), phase.passes) for phase in phases]
    return Composition(tuple(noises))
