"""The front door for training runs: from the numbers of a loop to a bracket and a statement."""

from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.keywords import says_its_arguments
from tightbudget.mechanisms.checks import asked_width
from tightbudget.training.calibrated import calibrated
from tightbudget.training.phases import Phase, composition_of_phases, examples_given, phases_given
from tightbudget.training.run import TrainingRun
from tightbudget.training.safe_numbers import delta_below, target_below
from tightbudget.training.shuffled import shuffled_bounds


@says_its_arguments
def dpsgd(
    *,
    examples: int | None = None,
    batch: int | None = None,
    epochs: float | None = None,
    noise_multiplier: float | None = None,
    delta: float,
    sample_rate: float | None = None,
    steps: int | None = None,
    target_epsilon: float | None = None,
    phases: Sequence[Mapping[str, Any]] | None = None,
    rtol: float = 1e-3,
    effort: float | None = None,
) -> TrainingRun:
    """Return what a run of DP-SGD costs: a bracket of epsilon at delta, for adding or removing one example.

    A run is `examples`, the expected size of a `batch`, `epochs` and the `noise_multiplier`: the standard deviation of
    the noise over the clipping norm, which itself does not matter. `sample_rate` may stand in place of `batch`, and
    `steps` in place of `epochs`; otherwise there are epochs x examples / batch steps, rounded up. `phases` is a list of
    dictionaries of these, one after another; what a phase does not say is taken from outside.

    `target_epsilon` may stand in place of `noise_multiplier`: then the least noise that is certified to keep it is
    searched for, one number for all phases that name none.

    Batches are Poisson samples. `rtol` and `effort` are as for `epsilon` of a composition.

    >>> run = dpsgd(examples=60000, batch=256, epochs=20, noise_multiplier=1.1, delta=1e-5)
    >>> print(run.steps, run.epsilon)
    4688 [1.31856, 1.31927]
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
    plan = phases_given(phases, outside, number)
    if target_epsilon is None:
        return _accounted_training_run(plan, number, asked, rtol, effort)
    target = target_below("target_epsilon", target_epsilon)
    width, _, effort = asked_width(rtol, 0.0, effort)
    found = calibrated(plan, target, asked, width, effort)
    bounds, noise = shuffled_bounds(found.phases, asked), found.noise_multiplier
    return TrainingRun(
        found.phases, asked, found.epsilon, number, bounds, target, calibrated=noise, too_little=found.too_little
    )


def _accounted_training_run(
    plan: tuple[Phase, ...], examples: int | None, delta: float, rtol: float, effort: float | None
) -> TrainingRun:
    if any(phase.noise_multiplier is None for phase in plan):
        raise InvalidParameter("noise_multiplier", None, "given for every phase", "Or give target_epsilon, to calibrate it.")
    epsilon = composition_of_phases(plan).epsilon(delta, rtol, effort=effort)
    return TrainingRun(plan, delta, epsilon, examples, shuffled_bounds(plan, delta))
