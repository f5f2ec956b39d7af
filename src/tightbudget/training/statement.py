"""What a training run guarantees, in words: the fields of NIST SP 800-226, each assumption spelt out.

The model is the statement that TensorFlow Privacy prints. Nothing here computes: every number comes from the run.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING
from typing import Protocol

from tightbudget.adaptive.amounts import exact
from tightbudget.mechanisms import Composition
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.training.phases import Phase
from tightbudget.training.shuffled import ShuffledBounds
from tightbudget.version import __version__

MOST_PHASES = 12  # that are listed
MOST_CHARACTERS = 1000  # of an expression that is shown

ASSUMPTIONS = (
    "- Batches are Poisson samples, drawn anew in every step. An empty batch is a step too, with noise, and no batch is "
    "cut to a largest size.",
    "- The gradient of each example is clipped on its own. Microbatches of several examples and layers that mix examples, "
    "such as batch normalisation, are not covered.",
    "- The noisy sum is divided by a number fixed beforehand, such as the expected batch size, never by the size of the "
    "batch that was drawn.",
    "- Noise is normal and independent in every coordinate and step. What its sampling in floating point might give away "
    "is not covered.",
    "- Batches and noise come from a cryptographically secure generator of random numbers, and its state stays secret.",
    "- Noise, sampling rate and number of steps were fixed before training. Stopping earlier is covered by this ε, not by "
    "a smaller one for the steps taken; parameters chosen by what training shows need a privacy filter.",
    "- Choosing hyperparameters, features or the best of several runs by looking at these examples is not covered.",
)


@dataclass(frozen=True, slots=True)
class StatementSection:
    """One field of the statement: its name for machines, its heading, and what it says."""

    name: str
    heading: str
    paragraphs: tuple[str, ...]


class StatedRun(Protocol):
    """What is stated of a training run."""

    @property
    def phases(self) -> tuple[Phase, ...]: ...
    @property
    def steps(self) -> int: ...
    @property
    def composition(self) -> Composition: ...
    @property
    def delta(self) -> float: ...
    @property
    def epsilon(self) -> Bracket: ...
    @property
    def examples(self) -> int | None: ...
    @property
    def shuffled(self) -> ShuffledBounds | None: ...
    @property
    def target_epsilon(self) -> float | None: ...
    @property
    def calibrated(self) -> float | None: ...
    @property
    def too_little(self) -> float | None: ...


def statement_sections(run: StatedRun) -> tuple[StatementSection, ...]:
    """Return the statement of a run, field by field."""
    return (
        StatementSection("guarantee", "Guarantee", _guarantee_in_words(run)),
        StatementSection("data", "Data", (_data_in_words(run),)),
        StatementSection("unit_of_privacy", "Unit of privacy", (_UNIT,)),
        StatementSection("neighbouring_relation", "Neighbouring relation", (_RELATION,)),
        StatementSection("release", "What is released and protected", (_RELEASE,)),
        StatementSection("trust_model", "Trust model", (_TRUST,)),
        StatementSection("cadence", "Release cadence", (_CADENCE,)),
        StatementSection("mechanism", "Mechanism", (_MECHANISM, *_parameters_in_words(run))),
        StatementSection("sampling", "Sampling", _sampling_in_words(run)),
        StatementSection("accounting", "Accounting", _accounting_in_words(run)),
        StatementSection("assumptions", "Assumptions", ASSUMPTIONS),
    )


_UNIT = (
    "One training example. A person is protected to this extent only if everyone contributed at most one example; several "
    "examples of one person are not covered."
)
_RELATION = (
    "add_remove: one dataset has one example more than the other. Sampling rate, noise and number of steps are the same "
    "for both. Replacing an example is another change, and this ε is not for it."
)
_RELEASE = (
    "Every noisy sum of gradients, hence every checkpoint and the final model, and whatever is computed from them without "
    "the training data. Not covered is anything else that is computed from the training data: training loss and "
    "accuracy, the batches and their sizes, gradients before noise."
)
_TRUST = "Central: whoever trains sees the data. The guarantee is against everyone who sees what is released."
_CADENCE = "Once, for this run. Every further run on the same examples adds to its ε and δ."
_MECHANISM = (
    "DP-SGD. In every step each example joins the batch with probability q, independently of the others. Its gradient is "
    "clipped to a norm C, the clipped gradients are summed, and normal noise of standard deviation C times the noise "
    "multiplier is added. The value of C does not matter to ε: noise is measured in it."
)


def _guarantee_in_words(run: StatedRun) -> tuple[str, ...]:
    found, said = run.epsilon, []
    if run.steps == 0:
        said.append(f"There are no steps and nothing is released: ε is 0 at δ = {run.delta!r}.")
    elif found.lower == math.inf:
        said.append(f"None: no finite ε holds at δ = {run.delta!r}. {_why_not(run)}")
    else:
        said.append(f"Differential privacy with ε at most {_at_most(found.upper)} at δ = {run.delta!r}.")
        said.append(f"The smallest such ε lies in {found}: both ends are proven, rounding included.")
    if not found.converged:
        said.append(f"The bracket holds but is wider than asked: {found.reason}.")
    return (*said, *_calibration_in_words(run), *large_delta_warning(run.delta, run.examples))


def _why_not(run: StatedRun) -> str:
    if any(phase.noise_multiplier == 0 and phase.steps for phase in run.phases):
        return "Without noise a step shows the clipped gradients as they are."
    return "With δ = 0 normal noise gives none; choose a δ above 0." if run.delta == 0 else ""


def _calibration_in_words(run: StatedRun) -> tuple[str, ...]:
    if run.target_epsilon is None:
        return ()
    missed = "" if run.too_little is None else f"; {run.too_little!r} provably is too little"
    return (f"The noise multiplier was calibrated to ε = {run.target_epsilon!r}: {run.calibrated!r} is enough{missed}.",)


def large_delta_warning(delta: float, examples: int | None) -> tuple[str, ...]:
    """Return a sentence where so large a δ says little of so many examples."""
    if examples is None or exact("delta", delta) * examples <= 1:
        return ()
    return (
        f"Warning: δ is larger than 1/{examples}, one over the number of examples. Publishing one example, chosen at "
        "random, would satisfy such a δ; choose a smaller one.",
    )


def _data_in_words(run: StatedRun) -> str:
    if run.examples is None:
        return "The number of training examples was not stated. δ should be well below one over it."
    return f"{_count_in_words(run.examples, 'training example')}. Their number is taken to be public, not protected."


def _parameters_in_words(run: StatedRun) -> tuple[str, ...]:
    listed = [f"- {_phase_in_words(phase)}." for phase in run.phases[:MOST_PHASES]]
    rest = len(run.phases) - MOST_PHASES
    return (*listed, *([f"- And {_count_in_words(rest, 'more phase')}."] if rest > 0 else []))


def _phase_in_words(phase: Phase) -> str:
    return (
        f"{_count_in_words(phase.steps, 'step')} at {_rate_in_words(phase)}, "
        f"noise multiplier {phase.noise_multiplier!r}{_epochs_in_words(phase)}"
    )


def _rate_in_words(phase: Phase) -> str:
    if phase.batch is None:
        return f"q = {phase.sample_rate!r}"
    return f"q = {phase.batch}/{phase.examples} ({phase.sample_rate!r})"


def _epochs_in_words(phase: Phase) -> str:
    if phase.epochs is None:
        return ""
    rate = f"{phase.examples} / {phase.batch}" if phase.batch is not None else f"1 / {phase.sample_rate!r}"
    return f" ({_epochs_as_number(float(phase.epochs))} epochs: {_epochs_as_number(float(phase.epochs))} × {rate}, rounded up)"


def _sampling_in_words(run: StatedRun) -> tuple[str, ...]:
    poisson = (
        "Poisson sampling is assumed: every example is in every batch with probability q, independently. Batches that are "
        "shuffled, of a fixed size or in a fixed order are no Poisson samples, and this ε does not hold for them."
    )
    bounds = run.shuffled
    if bounds is None or run.steps == 0:
        return (poisson,)
    passes = _count_in_words(bounds.passes, "pass", "passes") + _sharing_in_words(run)
    return (
        poisson,
        "For disjoint batches, in a fixed order or one shuffled independently of the data, each example at most once in "
        f"each of {passes}, no more is proven than without amplification: at the same δ, ε at most "
        f"{_at_most(bounds.zero_out)} if an example's gradients are replaced by 0 (zero_out), and at most "
        f"{_at_most(bounds.replace_one)} if by those of another example (replace_one). The smallest ε may be less. Batches "
        "of a fixed size drawn at random in every step are not covered.",
    )


def _sharing_in_words(run: StatedRun) -> str:
    return " (one that two phases share counts for both)" if len(run.phases) > 1 else ""


def _accounting_in_words(run: StatedRun) -> tuple[str, ...]:
    expression = str(run.composition)
    shown = expression if len(expression) <= MOST_CHARACTERS else f"{len(run.phases)} phases"
    return (
        "Numerical composition of privacy loss distributions, certified from above and below by "
        f"tightbudget {__version__}, of: {shown}.",
    )


def _count_in_words(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or one + 's'}"


def _epochs_as_number(value: float) -> str:
    return str(int(value)) if value.is_integer() and value < 1e15 else repr(value)


def _at_most(value: float) -> str:
    return decimal_rounded(value, 6, ROUND_CEILING)
