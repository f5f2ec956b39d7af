"""Phases of a training run: what a loop was told, as a number of steps, a sampling rate and a noise multiplier."""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tightbudget.adaptive.amounts import exact
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composition, Gaussian, Mechanism, Poisson
from tightbudget.mechanisms.checks import MOST_REPETITIONS, real, whole_count
from tightbudget.numerics.rounding import float_above
from tightbudget.training.safe_numbers import noise_below, plain_number, rate_above

NAMES = ("epochs", "steps", "batch", "sample_rate", "noise_multiplier")
_EITHER = (("epochs", "steps"), ("batch", "sample_rate"), ("noise_multiplier",))
_OF_PEERS = {
    "num_epochs": "epochs", "iterations": "steps", "num_steps": "steps", "batch_size": "batch", "q": "sample_rate",
    "sampling_probability": "sample_rate", "sampling_prob": "sample_rate", "sigma": "noise_multiplier",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phase:
    """So many equal steps. `epochs` and `batch` are there if the steps and the rate were worked out of them.

    `sample_rate` is the smallest float from batch / examples on: what is certified above holds for the quotient too.
    `noise_multiplier` is None only until it has been calibrated. `cut_evenly` states that a pass has exactly
    `in_a_pass` batches; otherwise it has one more, smaller batch if the loader keeps it.
    """

    steps: int
    sample_rate: float
    noise_multiplier: float | None
    epochs: Fraction | None = None
    batch: int | None = None
    examples: int | None = None
    in_a_pass: int = 1
    cut_evenly: bool = False

    @property
    def mechanism(self) -> Mechanism:
        """One step: normal noise on the sum of clipped gradients of a Poisson sample."""
        assert self.noise_multiplier is not None
        return Poisson(Gaussian(self.noise_multiplier), self.sample_rate)

    @property
    def passes(self) -> int:
        """How many passes over the data these steps would be, if every pass took disjoint batches; begun ones count."""
        return math.ceil(self.epochs) if self.epochs is not None else -(-self.steps // self.in_a_pass)


def composition_of_phases(phases: Sequence[Phase]) -> Composition:
    """Return the steps of all phases, one after another."""
    return Composition(tuple((phase.mechanism, phase.steps) for phase in phases))


def examples_given(examples: object) -> int | None:
    """Return the number of examples, from 1 on, or None if it was not given."""
    if examples is None:
        return None
    return whole_count(examples, "examples", least=1)


def phases_given(phases: object, outside: Mapping[str, Any], examples: int | None) -> tuple[Phase, ...]:
    """Return the phases; what one of them does not say is as `outside` says, which alone is a run of one phase."""
    if phases is None:
        return (_phase_as_told(outside, examples),)
    if isinstance(phases, str | bytes | Mapping) or not hasattr(phases, "__iter__"):
        raise InvalidParameter(
            "phases", phases, "a list of dictionaries", 'For example [{"epochs": 5, "noise_multiplier": 1.2}].'
        )
    listed = list(phases)
    if not listed:  # more likely a list that came out empty than a run without a step
        raise InvalidParameter("phases", phases, "at least one phase", "Leave it out for a run of one phase.")
    return tuple(_phase_as_told(_completed_phase(phase, outside), examples) for phase in listed)


def _completed_phase(phase: object, outside: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(phase, Mapping):
        raise InvalidParameter("phases", phase, "a list of dictionaries", f"A phase says {', '.join(NAMES)}.")
    for name in phase:
        if name not in NAMES:
            raise InvalidParameter("phases", name, f"dictionaries of {', '.join(NAMES)}", _phase_key_meant(name))
    said = {name: value for name, value in phase.items() if value is not None}
    inherited: dict[str, Any] = {}
    for names in _EITHER:
        if not any(name in said for name in names):
            inherited |= {name: outside[name] for name in names if outside.get(name) is not None}
    return inherited | said


def _phase_key_meant(name: object) -> str:
    close = difflib.get_close_matches(str(name), NAMES, n=1)
    meant = _OF_PEERS.get(str(name)) or (close[0] if close else "")
    return f"Did you mean {meant}?" if meant else ""


def _phase_as_told(said: Mapping[str, Any], examples: int | None) -> Phase:
    batch, quotient, rate = _phase_sampling(said.get("batch"), said.get("sample_rate"), examples)
    epochs, steps = _phase_length(said.get("epochs"), said.get("steps"), quotient)
    noise = said.get("noise_multiplier")
    checked = None if noise is None else noise_below("noise_multiplier", noise)
    batches = 1 / quotient if quotient else Fraction(MOST_REPETITIONS)
    return Phase(steps, rate, checked, epochs, batch, examples, math.floor(batches), batches.denominator == 1)


def _phase_sampling(batch: object, sample_rate: object, examples: int | None) -> tuple[int | None, Fraction, float]:
    """Return the batch, the rate as it was meant, and the rate as a float that is no smaller."""
    _check_one("batch", batch, "sample_rate", sample_rate)
    if sample_rate is not None:
        rate = rate_above("sample_rate", sample_rate)
        return None, _as_typed("sample_rate", sample_rate), rate
    if examples is None:
        raise InvalidParameter("examples", None, "given where batch is", "Or give sample_rate in place of both.")
    allowed = f"a whole number from 1 to the number of examples, {examples}"
    number = real("batch", batch, allowed)
    if not (1 <= number <= examples and number == math.floor(number)):
        hint = "It is the expected size of a batch; for another rate give sample_rate."
        raise InvalidParameter("batch", batch, allowed, hint)
    size = whole_count(batch, "batch")
    return size, Fraction(size, examples), float_above(Fraction(size, examples))


def _phase_length(epochs: object, steps: object, rate: Fraction) -> tuple[Fraction | None, int]:
    """Return the epochs, if they were given, and the number of steps: epochs / rate, rounded up."""
    _check_one("epochs", epochs, "steps", steps)
    if steps is not None:
        return None, whole_count(steps, "steps")
    length = _as_typed("epochs", epochs)
    if rate == 0 and length:
        raise InvalidParameter("sample_rate", 0, "above 0 where epochs are given", "Give the number of steps instead.")
    number = math.ceil(length / rate) if length else 0
    if number > MOST_REPETITIONS:
        raise InvalidParameter("epochs", epochs, f"so few that there are at most {MOST_REPETITIONS} steps")
    return length, number


def _check_one(first: str, one: object, second: str, other: object) -> None:
    if one is None and other is None:
        raise InvalidParameter(first, None, f"given, or {second} in its place")
    if one is not None and other is not None:
        raise InvalidParameter(second, other, f"left out where {first} is given", "Give one of the two.")


def _as_typed(name: str, value: object) -> Fraction:
    """Return the number as it was typed: a tenth of an epoch is exactly that, not the float nearest to it."""
    allowed = "a finite number, 0 or more"
    real(name, value, allowed)  # refuses text, which `exact` reads
    return exact(name, plain_number(value), allowed)
