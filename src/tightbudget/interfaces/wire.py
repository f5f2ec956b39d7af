"""The JSON shapes of answers, shared by everything that speaks to machines.

JSON has no infinity and no NaN, so these two travel as the strings "inf" and "nan"; every other float is written with
the digits that give the same float back.
"""

import json
import math
from typing import Any

from tightbudget import __version__
from tightbudget.comparison import Comparison
from tightbudget.mechanisms.base import Curve
from tightbudget.numerics.bracket import Bracket

Wire = dict[str, Any]


def number(value: float) -> float | str:
    """Return the value, or its name where JSON has no number for it.

    >>> number(0.5), number(math.inf)
    (0.5, 'inf')
    """
    value = float(value)
    return value if math.isfinite(value) else str(value)


def bracket(expression: str, asked: dict[str, float], answer: Bracket, rtol: float, note: str = "") -> Wire:
    """Return the shape of one bracket; `asked` is {"delta": ...} or {"epsilon": ...}."""
    return {
        "expression": expression,
        "relation": answer.relation,
        **{name: number(value) for name, value in asked.items()},
        "lower": number(answer.lower),
        "upper": number(answer.upper),
        "estimate": number(answer.estimate),
        "converged": answer.converged,
        "reason": answer.reason,
        "rtol": rtol,
        "note": note,
        "version": __version__,
    }


def curve(expression: str, answer: Curve, note: str = "") -> Wire:
    """Return the shape of a curve: three lists of equal length."""
    return {
        "expression": expression,
        "relation": answer.relation,
        "epsilon": [number(value) for value in answer.epsilons.tolist()],
        "lower": [number(value) for value in answer.lower.tolist()],
        "upper": [number(value) for value in answer.upper.tolist()],
        "converged": answer.converged,
        "note": note,
        "version": __version__,
    }


def comparison(answer: Comparison) -> Wire:
    """Return the shape of a comparison: what was asked, and a list of bounds with ours first."""
    asked = {"delta": answer.delta} if answer.delta is not None else {"epsilon": answer.epsilon}
    return {
        "expression": answer.expression,
        "relation": answer.relation,
        **{name: number(value) for name, value in asked.items() if value is not None},
        "bounds": [
            {
                "name": row.name,
                "kind": row.kind,
                "lower": None if row.lower is None else number(row.lower),
                "upper": None if row.value is None else number(row.value),
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


def dumps(shape: Wire) -> str:
    return json.dumps(shape, allow_nan=False)
