"""Which sampling does a data loader do, and what one training run costs under each (M3, M26 to M31)."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.keywords import says_its_arguments
from tightbudget.lazy import found_at
from tightbudget.markup import html_table
from tightbudget.mechanisms import (
    Composition,
    Gaussian,
    Mechanism,
    Poisson,
    RandomAllocation,
    ShuffledBatches,
    TruncatedPoisson,
    WithoutReplacement,
    WithReplacement,
)
from tightbudget.mechanisms.checks import asked_width, delta_asked, whole_count
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT
from tightbudget.numerics.bracket import Bracket
from tightbudget.training.phases import Phase, examples_given, phases_given
from tightbudget.training.statement import large_delta_warning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POISSON = (
    "Every example is in a batch with the same probability, independently of all others and anew in each step, so that "
    "batches differ in size. Opacus does so unless told otherwise."
)
_CAPPED = "The same, but of a batch that comes out larger than the cap only so many are kept, chosen at random."
_FIXED = "Every step draws so many different examples from all of them, anew, as random.sample does."
_REPEATED = "Every step draws so many examples one by one, and may draw one twice, as RandomSampler(replacement=True) does."
_ALLOCATED = "In every pass each example goes to one of the batches, drawn for it alone: batches differ in size."
_SHUFFLED = (
    "In every pass the examples are shuffled and cut into batches, of which the last may be smaller, as "
    "DataLoader(shuffle=True) does. No gain from that is proven."
)
_NOTHING = str(Composition(()))
_MOST_ALLOCATED = 10_000  # batches of a pass, for which random allocation takes seconds
_ROOM = Fraction(5, 4)  # of the usual cap, over the expected size: four standard deviations of 256


@dataclass(frozen=True, slots=True)
class Sampling:
    """One way to sample: what a loader does, what to write for it, and what the run then costs under a relation."""

    name: str
    loader: str
    relation: str
    composition: Composable
    epsilon: Bracket


@dataclass(frozen=True, slots=True)
class Samplings:
    """One training run under every way to sample, at one delta.

    A loader does one of them. The smallest number is no reason to claim another one than the one it does. `left_out`
    says what is not known of a run like this, and why; `rounded` which numbers of passes and batches were rounded;
    `warnings` what is unwise about the question.
    """

    delta: float
    rows: tuple[Sampling, ...]
    left_out: tuple[str, ...] = ()
    rounded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sampling]:
        return iter(self.rows)

    @property
    def runs_nothing(self) -> bool:
        """Whether the run has no steps, so that there is nothing to sample."""
        return bool(self.rows) and all(str(row.composition) == _NOTHING for row in self.rows)

    def __str__(self) -> str:
        if self.runs_nothing:
            said = f"There are no steps and nothing is released: epsilon is 0 at delta = {self.delta!r}."
            return "\n".join([said, *self.warnings])
        shown = (f"{row.name}, {row.relation}: epsilon in {row.epsilon} of {row.composition}" for row in self.rows)
        return "\n".join([*shown, *(f"not known: {reason}" for reason in self.left_out), *self.rounded, *self.warnings])

    def _repr_html_(self) -> str:
        rows = [(row.name, row.relation, str(row.epsilon), str(row.composition)) for row in self.rows]
        return html_table(("sampling", "relation", "ε in", "write"), rows, caption=f"δ = {self.delta!r}")

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the brackets side by side and return the Matplotlib axes; without `ax` on a figure of their own."""
        axes: Axes = found_at("tightbudget.interfaces.samplings_plot:plot_samplings")(self, ax)
        return axes


@says_its_arguments
def samplings(
    *,
    examples: int,
    batch: int,
    delta: float,
    noise_multiplier: float,
    epochs: float | None = None,
    steps: int | None = None,
    cap: int | None = None,
    rtol: float = 1e-3,
    effort: float | None = None,
) -> Samplings:
    """Return what one run of DP-SGD costs under every way to sample batches, and what to write for each.

    The run is given as to `dpsgd`: so many `examples`, the size of a `batch` (expected, or exact), `epochs` or `steps`,
    and the `noise_multiplier`. `cap` is that of capped batches, by default a quarter more than the expected size.

    >>> found = samplings(examples=1000, batch=50, epochs=2, noise_multiplier=1.0, delta=1e-4)
    >>> for row in found:
    ...     print(row.name, row.relation, f"{row.epsilon:.1f}")
    Poisson add_remove [1.9, 2.0]
    Poisson replace_one [2.5, 2.6]
    Poisson, at most 63 add_remove [1.9, 4.7]
    Poisson, at most 63 replace_one [2.5, 5.1]
    fixed size add_remove [10.4, 10.6]
    fixed size replace_one [10.4, 11.1]
    with replacement add_remove [16.8, 16.9]
    with replacement replace_one [16.8, 23.5]
    random allocation add_remove [1.6, 1.7]
    random allocation replace_one [2.2, 3.2]
    shuffled zero_out [5.1, 5.8]
    shuffled replace_one [8.0, 13.9]
    """
    number = examples_given(examples)
    if number is None:
        raise InvalidParameter("examples", examples, "the number of training examples")
    outside = {"batch": batch, "epochs": epochs, "steps": steps, "noise_multiplier": noise_multiplier}
    (phase,) = phases_given(None, outside, number)
    if phase.noise_multiplier is None:
        raise InvalidParameter("noise_multiplier", noise_multiplier, "given", "It is sigma over the clipping norm.")
    asked, width = delta_asked(delta), asked_width(rtol, 0.0, effort)
    usual = math.ceil(_ROOM * whole_count(batch, "batch"))
    limit = usual if cap is None else whole_count(cap, "cap", least=1)
    rows, left_out = [], []
    for name, loader, relations, plan in _ways_to_sample(phase, limit):
        for relation in relations:
            try:
                under = plan().asked(relation)
            except UnknownRelation as problem:  # too large batches
                left_out.append(f"{name}, {relation}: {problem.hint}")
            except InvalidParameter as problem:  # too many batches
                left_out.append(f"{name}, {relation}: {problem}")
            else:
                rows.append(Sampling(name, loader, relation, under, under.epsilon(asked, width[0], effort=width[2])))
    warnings = large_delta_warning(asked, number)
    return Samplings(asked, tuple(rows), tuple(left_out), _rounded_passes(phase), warnings)


def _ways_to_sample(phase: Phase, cap: int) -> Iterator[tuple[str, str, tuple[str, ...], Callable[[], Composable]]]:
    """Yield every way to sample: name, what a loader does, relations that may be known, and how to make the run."""
    assert phase.batch is not None
    assert phase.examples is not None
    noise = Gaussian(float(phase.noise_multiplier or 0.0))
    of, rate, both = (phase.batch, phase.examples), phase.sample_rate, (ADD_REMOVE, REPLACE_ONE)
    kept = min(cap, phase.examples)
    yield "Poisson", _POISSON, both, lambda: _repeated(Poisson(noise, rate), phase.steps)
    capped = f"Poisson, at most {cap}"
    yield capped, _CAPPED, both, lambda: _repeated(TruncatedPoisson(noise, rate, kept, of[1]), phase.steps)
    yield "fixed size", _FIXED, both, lambda: _repeated(WithoutReplacement(noise, *of), phase.steps)
    yield "with replacement", _REPEATED, both, lambda: _repeated(WithReplacement(noise, *of), phase.steps)
    batches, passes = _whole_passes(phase)
    yield "random allocation", _ALLOCATED, both, lambda: _repeated(_allocated(noise, batches), passes)
    yield "shuffled", _SHUFFLED, (ZERO_OUT, REPLACE_ONE), lambda: _repeated(ShuffledBatches(noise, batches), passes)


def _allocated(noise: Gaussian, batches: int) -> Mechanism:
    epoch = RandomAllocation(noise, batches)
    if batches > _MOST_ALLOCATED:
        hint = f"More take minutes: ask about {epoch} alone."
        raise InvalidParameter("batches", batches, f"at most {_MOST_ALLOCATED} to be worked out beside the others", hint)
    return epoch


def _repeated(step: Mechanism, count: int) -> Composable:
    return step if count == 1 else step * count


def _whole_passes(phase: Phase) -> tuple[int, int]:
    """Return the batches of a pass, the smaller last one among them, and how many passes are begun."""
    assert phase.examples is not None
    batches = -(-phase.examples // phase.batch) if phase.batch else phase.in_a_pass
    return batches, phase.passes if phase.epochs is not None else -(-phase.steps // batches)


def _rounded_passes(phase: Phase) -> tuple[str, ...]:
    """Say what of the run is not answered for as it was given, where passes are counted."""
    batches, passes = _whole_passes(phase)
    said = []
    if phase.batch and phase.examples != batches * phase.batch:
        said.append(f"A pass has {batches} batches: {phase.examples} / {phase.batch} rounded up, as the last one is smaller.")
    made = phase.epochs if phase.epochs is not None else Fraction(phase.steps, batches)
    if made != passes:
        whole = "1 whole one" if passes == 1 else f"{passes} whole ones"
        said.append(
            f"{float(made):.6g} passes count as {whole}: of random allocation and shuffled passes, upper ends hold for the "
            "run, and lower ends are those of the whole passes."
        )
    return tuple(said)
