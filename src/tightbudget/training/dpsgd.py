"""The front door for training runs: from the numbers of a loop to a bracket and a statement."""

from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.training.phases import examples_given, phases_given
from tightbudget.training.run import TrainingRun, composition
from tightbudget.training.safe_numbers import delta_below
from tightbudget.training.shuffled import shuffled


def dpsgd(
    *,
    examples: int | None = None,
    batch: int | None = None,
    epochs: float | None = None,
    noise_multiplier: float | None = None,
    delta: float,
    sample_rate: float | None = None,
    steps: int | None = None,
    phases: Sequence[Mapping[str, Any]] | None = None,
    rtol: float = 1e-3,
    effort: float | None = None,
) -> TrainingRun:
    """Return what a run of DP-SGD costs: a bracket of epsilon at delta, for adding or removing one example.

    A run is `examples`, the expected size of a `batch`, `epochs` and the `noise_multiplier`: the standard deviation of
    the noise over the clipping norm, which itself does not matter. `sample_rate` may stand in place of `batch`, and
    `steps` in place of `epochs`; otherwise there are epochs x examples / batch steps, rounded up. `phases` is a list of
    dictionaries of these, one after another; what a phase does not say is taken from outside.

    Batches are Poisson samples. `rtol` and `effort` are as for `epsilon` of a composition.

    >>> run = dpsgd(examples=60000, batch=256, epochs=20, noise_multiplier=1.1, delta=1e-5)
    >>> print(run.steps, run.epsilon)
    4688 [1.31852, 1.31928]
    """
    asked = delta_below(delta)
    number = examples_given(examples)
    outside = {
        "batch": batch,
        "epochs": epochs,
        "noise_multiplier": noise_multiplier,
        "sample_rate": sample_rate,
        "steps": steps,
    }
    run = phases_given(phases, outside, number)
    if any(phase.noise_multiplier is None for phase in run):
        raise InvalidParameter("noise_multiplier", None, "given for every phase")
    return TrainingRun(run, asked, composition(run).epsilon(asked, rtol, effort=effort), number, shuffled(run, asked))
