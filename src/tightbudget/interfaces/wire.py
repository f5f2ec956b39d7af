"""The JSON shapes of answers, shared by everything that speaks to machines.

JSON has no infinity and no NaN, so these two travel as the strings "inf" and "nan"; every other float is written with
the digits that give the same float back. The usual shortest digits may lie inside a bracket, so its ends are written
with digits that lie outside as well: they are bounds for a reader of decimals and for one of floats.
"""

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

from tightbudget.numerics.decimals import decimal_at_least, decimal_at_most
from tightbudget.version import __version__

if TYPE_CHECKING:
    from tightbudget.calibration import Calibration
    from tightbudget.calibration.verdict import Verdict
    from tightbudget.comparison import Comparison
    from tightbudget.interfaces.explanation import Explanation
    from tightbudget.mechanisms.answers import Curve
    from tightbudget.numerics.attempt import Attempt
    from tightbudget.numerics.bracket import Bracket
    from tightbudget.tradeoff.roc import Roc
    from tightbudget.training import TrainingRun

Wire = dict[str, Any]


class End(float):
    """A float with the digits it is written in."""

    text: str

    def __new__(cls, value: float, text: str) -> Self:
        end = super().__new__(cls, value)
        end.text = text
        return end

    def __str__(self) -> str:
        return self.text


def lower_end(value: float) -> float | str:
    """Return a lower bound whose digits, read as a decimal number, are no more than it.

    >>> print(lower_end(0.3), upper_end(0.3), upper_end(math.inf))
    0.29999999999999998 0.3 inf
    """
    return End(value, decimal_at_most(float(value))) if math.isfinite(value) else json_number(value)


def upper_end(value: float) -> float | str:
    """Return an upper bound whose digits, read as a decimal number, are no less than it."""
    return End(value, decimal_at_least(float(value))) if math.isfinite(value) else json_number(value)


def json_number(value: float) -> float | str:
    """Return the value, or its name where JSON has no number for it.

    >>> json_number(0.5), json_number(math.inf)
    (0.5, 'inf')
    """
    value = float(value)
    return value if math.isfinite(value) else str(value)


def bracket_shape(
    expression: str, asked: dict[str, float], answer: "Bracket", rtol: float, note: str = "", direction: str | None = None
) -> Wire:
    """Return the shape of one bracket; `asked` is {"delta": ...} or {"epsilon": ...}, `direction` None for both."""
    return {
        "expression": expression,
        "relation": answer.relation,
        "direction": direction,
        **{name: json_number(value) for name, value in asked.items()},
        "lower": lower_end(answer.lower),
        "upper": upper_end(answer.upper),
        "estimate": json_number(answer.estimate),
        "converged": answer.converged,
        "reason": answer.reason,
        "rtol": rtol,
        "trace": [attempt_shape(one) for one in answer.trace],
        "note": note,
        "version": __version__,
    }


def attempt_shape(tried: "Attempt") -> Wire:
    """Return the shape of one attempt on the way to a bracket."""
    return {
        "route": tried.route,
        "direction": tried.direction,
        "lower": lower_end(tried.lower),
        "upper": upper_end(tried.upper),
        "tilt": None if tried.tilt is None else json_number(tried.tilt),
        "width": tried.width,
        "points": tried.points,
        "seconds": tried.seconds,
        "held_back": tried.held_back,
    }


def curve_shape(expression: str, answer: "Curve", note: str = "") -> Wire:
    """Return the shape of a curve: three lists of equal length."""
    return {
        "expression": expression,
        "relation": answer.relation,
        "epsilon": [json_number(value) for value in answer.epsilons.tolist()],
        "lower": [lower_end(value) for value in answer.lower.tolist()],
        "upper": [upper_end(value) for value in answer.upper.tolist()],
        "converged": answer.converged,
        "note": note,
        "version": __version__,
    }


def comparison_shape(answer: "Comparison") -> Wire:
    """Return the shape of a comparison: what was asked, and a list of bounds with ours first."""
    asked = {"delta": answer.delta} if answer.delta is not None else {"epsilon": answer.epsilon}
    return {
        "expression": answer.expression,
        "relation": answer.relation,
        **{name: json_number(value) for name, value in asked.items() if value is not None},
        "bounds": [
            {
                "name": row.name,
                "kind": row.kind,
                "lower": None if row.lower is None else lower_end(row.lower),
                "upper": None if row.value is None else upper_end(row.value),
                "reason": row.reason,
                "reference": row.reference,
            }
            for row in answer.rows
        ],
        "converged": answer.converged,
        "reason": answer.reason,
        "note": answer.note,
        "version": __version__,
    }


def verdict_shape(expression: str, epsilon: float, delta: float, found: "Verdict", note: str = "") -> Wire:
    """Return the shape of a verdict on a budget; `asked` is what the bracket is of, epsilon or delta."""
    return {
        "expression": expression,
        "relation": found.answer.relation,
        "epsilon": json_number(epsilon),
        "delta": json_number(delta),
        "verdict": found.word,
        "asked": found.target.name,
        "lower": lower_end(found.answer.lower),
        "upper": upper_end(found.answer.upper),
        "reason": found.answer.reason,
        "note": note,
        "version": __version__,
    }


def calibration_shape(answer: "Calibration", note: str = "") -> Wire:
    """Return the shape of a calibration: what was asked, the value that meets it, and the one that misses it."""
    return {
        "template": answer.template,
        "argument": answer.argument,
        "target": {field.name: _as_given(getattr(answer.target, field.name)) for field in fields(answer.target)},
        "value": _as_given(answer.value),
        "achieved": _ends_on_the_wire(answer.achieved),
        "too_little": _as_given(answer.too_little),
        "missed": None if answer.missed is None else _ends_on_the_wire(answer.missed),
        "expression": str(answer.composition),
        "relation": answer.relation,
        "converged": answer.converged,
        "reason": answer.reason,
        "rtol": answer.rtol,
        "evaluations": answer.evaluations,
        "note": note,
        "version": __version__,
    }


def explanation_shape(answer: "Explanation", rtol: float, note: str = "") -> Wire:
    """Return the shape of an explanation: the numbers and the words."""
    return {
        "expression": str(answer.composition),
        "relation": answer.relation,
        "unit": answer.unit,
        "prior": answer.prior,
        "delta": json_number(answer.delta),
        "epsilon": _with_reason(answer.epsilon),
        "advantage": _with_reason(answer.advantage),
        "tpr": [{"fpr": rate, **_with_reason(power)} for rate, power in zip(answer.rates, answer.tpr, strict=True)],
        "bayes_error": _with_reason(answer.bayes_error),
        "posterior": [{"fpr": answer.rates[0], **_with_reason(answer.posterior)}, {"fpr": None, **_with_reason(answer.most)}],
        "words": [{"heading": one.heading, "paragraphs": list(one.paragraphs)} for one in answer.sections],
        "converged": answer.converged,
        "reason": answer.reason,
        "rtol": rtol,
        "note": note,
        "version": __version__,
    }


def roc_shape(answer: "Roc") -> Wire:
    """Return the shape of a trade-off curve: three lists of equal length."""
    return {
        "fpr": [json_number(value) for value in answer.fprs.tolist()],
        "lower": [lower_end(value) for value in answer.lower.tolist()],
        "upper": [upper_end(value) for value in answer.upper.tolist()],
        "converged": answer.converged,
    }


def training_shape(answer: "TrainingRun", rtol: float) -> Wire:
    """Return the shape of a training run, the ends of brackets in digits that lie outside them."""
    plain = answer.as_dict()
    if answer.shuffled is not None:
        bounds = {name: upper_end(getattr(answer.shuffled, name)) for name in ("zero_out", "replace_one")}
        plain["shuffled"] = {**plain["shuffled"], **bounds}
    return {
        **plain,
        **_ends_on_the_wire(answer.epsilon),
        "rtol": rtol,
        "trace": [attempt_shape(one) for one in answer.epsilon.trace],
    }


def _with_reason(answer: "Bracket") -> Wire:
    return {**_ends_on_the_wire(answer), "converged": answer.converged, "reason": answer.reason}


def _as_given(value: float | None) -> float | str | None:
    return value if value is None or isinstance(value, int) else json_number(value)


def _ends_on_the_wire(answer: "Bracket") -> Wire:
    return {"lower": lower_end(answer.lower), "upper": upper_end(answer.upper)}


def json_text(shape: Any) -> str:
    """Return the shape as JSON, with ends in their own digits."""
    match shape:
        case End():
            return shape.text
        case dict():
            return "{" + ", ".join(f"{json.dumps(name)}: {json_text(value)}" for name, value in shape.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(json_text, shape)) + "]"
    return json.dumps(shape, allow_nan=False)
