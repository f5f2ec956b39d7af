"""A training run and what it costs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING
from typing import Any

from tightbudget.markup import html_record
from tightbudget.mechanisms import Composition
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.training.layout import as_markdown, statement_as_text
from tightbudget.training.phases import Phase, composition_of_phases
from tightbudget.training.shuffled import ShuffledBounds
from tightbudget.training.statement import StatementSection, statement_sections
from tightbudget.version import __version__


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A run of DP-SGD: its phases, and the bracket of its epsilon at delta.

    `target_epsilon`, `calibrated` and `too_little` are there if noise was calibrated: the epsilon to keep, the noise
    multiplier that was found, and a smaller one that provably misses it. `shuffled` has bounds for batches that are no
    Poisson samples.
    """

    phases: tuple[Phase, ...]
    delta: float
    epsilon: Bracket
    examples: int | None = None
    shuffled: ShuffledBounds | None = None
    target_epsilon: float | None = None
    calibrated: float | None = field(default=None, kw_only=True)
    too_little: float | None = field(default=None, kw_only=True)

    @property
    def steps(self) -> int:
        """How many steps there are; epochs x examples / batch is rounded up, in each phase."""
        return sum(phase.steps for phase in self.phases)

    @property
    def q(self) -> float | None:
        """The sampling rate, rounded up to a float; None if phases differ in it."""
        return _common_phase_value([phase.sample_rate for phase in self.phases])

    @property
    def noise_multiplier(self) -> float | None:
        """The noise multiplier; None if phases differ in it."""
        return _common_phase_value([phase.noise_multiplier for phase in self.phases])

    @property
    def composition(self) -> Composition:
        """What is accounted for: `epsilon` is the bracket of this composition."""
        return composition_of_phases(self.phases)

    @property
    def sections(self) -> tuple[StatementSection, ...]:
        """The statement in its parts."""
        return statement_sections(self)

    @property
    def statement(self) -> str:
        """What the run guarantees, to whom, and under which assumptions; in lines of at most 80 columns."""
        return statement_as_text(self.sections, 80)

    @property
    def markdown(self) -> str:
        """The statement in Markdown."""
        return as_markdown(self.sections)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it fit for JSON; what is infinite is the text "inf"."""
        return {
            "expression": str(self.composition),
            "relation": self.epsilon.relation,
            "delta": self.delta,
            "lower": _training_number(self.epsilon.lower),
            "upper": _training_number(self.epsilon.upper),
            "estimate": _training_number(self.epsilon.estimate),
            "converged": self.epsilon.converged,
            "reason": self.epsilon.reason,
            "examples": self.examples,
            "steps": self.steps,
            "q": self.q,
            "noise_multiplier": _training_number(self.noise_multiplier),
            "target_epsilon": _training_number(self.target_epsilon),
            "calibrated": _training_number(self.calibrated),
            "too_little": _training_number(self.too_little),
            "phases": [_phase_shape(phase) for phase in self.phases],
            "sampling": "poisson",
            "shuffled": None if self.shuffled is None else _shuffled_shape(self.shuffled),
            "statement": {one.name: [text.removeprefix("- ") for text in one.paragraphs] for one in self.sections},
            "version": __version__,
        }

    def _repr_html_(self) -> str:
        asked = [("ε", self.epsilon), ("δ", self.delta), ("relation", self.epsilon.relation), ("steps", self.steps)]
        phases = [(f"phase {k}", f"{one.mechanism}, {one.steps} times") for k, one in enumerate(self.phases[:20], start=1)]
        batches: list[tuple[str, object]] = [("batches", "Poisson samples")]
        if self.shuffled is not None:
            most = decimal_rounded(self.shuffled.zero_out, 6, ROUND_CEILING)
            batches.append(("ε of disjoint batches", f"at most {most} (zero_out)"))
        return html_record([*asked, *phases, *batches], caption="DP-SGD training run")

    def __str__(self) -> str:
        how = "; ".join(f"{phase.steps} steps at q = {phase.sample_rate:.6g}" for phase in self.phases[:3])
        more = f"; {len(self.phases) - 3} more phases" if len(self.phases) > 3 else ""
        return f"ε in {self.epsilon} at δ = {self.delta!r} ({self.epsilon.relation}): DP-SGD, {how}{more}"


def _common_phase_value(values: Sequence[float | None]) -> float | None:
    return values[0] if values and all(value == values[0] for value in values) else None


def _training_number(value: float | None) -> float | str | None:
    return str(value) if value is not None and math.isinf(value) else value


def _phase_shape(phase: Phase) -> dict[str, Any]:
    return {
        "steps": phase.steps,
        "sample_rate": phase.sample_rate,
        "noise_multiplier": _training_number(phase.noise_multiplier),
        "epochs": None if phase.epochs is None else float(phase.epochs),
        "batch": phase.batch,
    }


def _shuffled_shape(bounds: ShuffledBounds) -> dict[str, Any]:
    ends = {"zero_out": _training_number(bounds.zero_out), "replace_one": _training_number(bounds.replace_one)}
    return {"passes": bounds.passes, **ends}
