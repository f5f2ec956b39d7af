"""Bodies of requests that compute: their form is checked here, what they mean by the library."""

import math
import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StrictBool, StrictStr, WithJsonSchema, model_validator

from tightbudget.calibration.which_target import raised_for_prior
from tightbudget.mechanisms.checks import limit_above, limit_below
from tightbudget.numerics.typed import NoFloat, TypedFloat, typed_number

MOST_POINTS = 2001
MOST_PHASES = 1000
_NUMBER = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,4})?")  # as JSON has them, and not too long
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def number_as_written(value: Any) -> float | int:
    """Return a number as it was written, also as a text; infinite ones are "inf" and "-inf", as in answers."""
    if isinstance(value, str) and value in _INFINITE:
        return _INFINITE[value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value) if value.lstrip("-").isdigit() else _float_in_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError('must be a number, or "inf"')
    if isinstance(value, int) and abs(value) > 2**1023:
        raise ValueError("is larger than any float")
    return value


def limit_as_written(value: Any) -> float | int:
    """Return a limit as a float that is no larger than what was written."""
    number = number_as_written(value)
    return limit_below(number, float(number))


def least_as_written(value: Any) -> float | int:
    """Return a number that is safe if rounded up, as a float no smaller than what was written."""
    number = number_as_written(value)
    return limit_above(number, float(number))


def _plain_as_written(value: Any) -> float | int:
    number = number_as_written(value)
    return number if isinstance(number, int) else float(number)


def _float_in_text(text: str) -> float:
    try:
        return typed_number(text)
    except NoFloat as problem:
        raise ValueError(f"is {problem}") from None


def _whole_in_body(value: Any) -> int:
    number = number_as_written(value)
    if not math.isfinite(number) or number != int(number):
        raise ValueError("must be a whole number")
    return int(number)


_NUMBER_SCHEMA = WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "examples": ["1e-6", *_INFINITE]}]})
Number = Annotated[float, PlainValidator(_plain_as_written), _NUMBER_SCHEMA]
LimitDown = Annotated[float, PlainValidator(limit_as_written), _NUMBER_SCHEMA]
AtLeast = Annotated[float, PlainValidator(least_as_written), _NUMBER_SCHEMA]
Whole = Annotated[int, PlainValidator(_whole_in_body), WithJsonSchema({"type": "integer"})]
Numbers = Annotated[list[Number], Field(min_length=1, max_length=MOST_POINTS)]

_DPSGD = "poisson(gaussian(sigma=4), q=0.01) * 65536"


class Asked(BaseModel):
    """What every question about a composition has."""

    model_config = ConfigDict(extra="forbid")

    expression: StrictStr = Field(description="A composition in the notation.", examples=[_DPSGD])
    rtol: Number = Field(1e-3, description="Width asked for, relative to the upper end.")
    effort: Number | None = Field(None, description="How much work is allowed: 1 is a second or so for each route.")
    relation: StrictStr | None = Field(
        None, description="add_remove, replace_one or zero_out; by default the one that the steps state."
    )
    mix_relations: StrictBool = Field(False, description="Compose steps that are for different neighbouring relations.")


class OneWay(Asked):
    direction: StrictStr | None = Field(None, description="remove or add; by default the larger of both counts.")


class EpsilonAsked(OneWay):
    delta: Number = Field(description="The δ to hold, from 0 to 1.", examples=[1e-6])


class DeltaAsked(OneWay):
    epsilon: Number = Field(description="The ε to hold.", examples=[0.5])


class CurveAsked(OneWay):
    epsilons: Numbers | None = Field(None, description="The ε of the points; or give min, max and points.")
    min: Number = Field(0.0, description="First ε; it may be negative.")
    max: Number | None = Field(None, description="Last ε; by default where δ is negligible.")
    points: Whole = Field(101, description=f"Number of ε, evenly spaced, from 2 to {MOST_POINTS}.")


class ComparisonAsked(Asked):
    delta: Number | None = Field(None, description="Compare the ε at this δ; or give epsilon.", examples=[1e-5])
    epsilon: Number | None = Field(None, description="Compare the δ at this ε; or give delta.", examples=[None])


class CalibrationAsked(Asked):
    expression: StrictStr = Field(
        description="A composition with ? in place of one number.", examples=["poisson(gaussian(sigma=?), q=0.01) * 10000"]
    )
    rtol: Number = Field(1e-6, description="How far apart the value and one that misses may be, relatively.")
    epsilon: LimitDown | None = Field(None, description="The ε to keep; with delta.", examples=[2.0])
    delta: LimitDown | None = Field(None, description="The δ to keep it at.", examples=[1e-6])
    advantage: LimitDown | None = Field(None, description="Or the membership advantage to keep.", examples=[None])
    tpr: LimitDown | None = Field(None, description="Or the true positive rate to keep; with fpr.", examples=[None])
    fpr: AtLeast | None = Field(None, description="The false positive rate of the test.", examples=[None])
    posterior: LimitDown | None = Field(
        None, description="Or what an attacker may come to believe; with prior.", examples=[None]
    )
    prior: AtLeast | None = Field(None, description="What the attacker believed before.", examples=[None])
    bayes_error: AtLeast | None = Field(None, description="Or how often the best guess must be wrong.", examples=[None])
    min: Number | None = Field(None, description="Least ? to try; with max.", examples=[None])
    max: Number | None = Field(None, description="Largest ? to try; with min.", examples=[None])

    @model_validator(mode="before")
    @classmethod
    def _error_at_the_prior_that_was_written(cls, data: Any) -> Any:
        """Raise the limit of the Bayes error by what the prior is rounded by: it may fall either way (M24)."""
        if not isinstance(data, dict) or data.get("bayes_error") is None or data.get("prior") is None:
            return data
        try:
            prior, least = number_as_written(data["prior"]), least_as_written(data["bayes_error"])
        except ValueError:  # said where the fields are read
            return data
        if not isinstance(prior, TypedFloat) or not 0.0 <= prior <= 1.0:
            return data
        return {**data, "bayes_error": raised_for_prior(float(least), prior, limit_above(prior, float(prior)))}


class RiskAsked(Asked):
    delta: Number = Field(1e-6, description="The δ of the ε that is told.")
    unit: StrictStr = Field("record", description="What is protected, in a word or two.", max_length=40, examples=["person"])
    prior: Number = Field(0.5, description="What the attacker believes before, above 0 and below 1.")
    fprs: Numbers | None = Field(None, description="False positive rates at which the ROC curve is asked for, too.")


class PhaseAsked(BaseModel):
    """One phase of a training run; what it does not say is taken from the run."""

    model_config = ConfigDict(extra="forbid")

    batch: Number | None = None
    sample_rate: Number | None = None
    epochs: Number | None = None
    steps: Number | None = None
    noise_multiplier: Number | None = None


class TrainingAsked(BaseModel):
    """A run of DP-SGD by the numbers of its loop."""

    model_config = ConfigDict(extra="forbid")

    examples: Number | None = Field(None, description="Number of training examples.", examples=[60000])
    batch: Number | None = Field(None, description="Expected size of a batch.", examples=[256])
    epochs: Number | None = Field(None, description="Epochs.", examples=[20])
    noise_multiplier: Number | None = Field(
        None, description="Standard deviation of the noise over the clipping norm.", examples=[1.1]
    )
    target_epsilon: LimitDown | None = Field(None, description="Find the least noise for this ε instead.", examples=[None])
    delta: LimitDown = Field(description="The δ to hold, well below 1/examples.", examples=[1e-5])
    sample_rate: Number | None = Field(None, description="Sampling rate, in place of batch.", examples=[None])
    steps: Number | None = Field(None, description="Number of steps, in place of epochs.", examples=[None])
    phases: Annotated[list[PhaseAsked], Field(min_length=1, max_length=MOST_PHASES)] | None = Field(
        None, description="Several phases.", examples=[None]
    )
    rtol: Number = Field(1e-3, description="Width asked for, relative to the upper end.")
    effort: Number | None = Field(None, description="How much work is allowed.")
