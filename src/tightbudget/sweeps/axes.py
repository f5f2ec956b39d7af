"""The values of one swept parameter: a list, or a range with both its ends.

sigma = [0.8, 1.0, 1.2]
sigma = { from = 0.5, to = 4, points = 36 }                                      evenly spaced
q     = { from = 1e-4, to = 0.1, points = 31, scale = "log" }                    by equal factors
steps = { from = 1000, to = 10000, step = 500 }                                  as far as `to`
steps = { from = 100, to = 1e6, points = 41, scale = "log", whole = true }       rounded, each once
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, real
from tightbudget.sweeps.keys import brief_value, check_plan_keys, key_meant
from tightbudget.sweeps.values import Value, one_kind, value

RANGE = ("from", "to", "points", "step", "scale", "whole")
SCALES = ("linear", "log")
MOST_VALUES = 1_000_000
DIGITS = 6
Number = int | float
EXAMPLE = "[0.5, 1, 2], or { from = 0.5, to = 2, points = 16 }"


def axis(name: str, given: Any) -> tuple[Value, ...]:
    """Return the values of a parameter in their order, each once."""
    found = one_kind(name, _axis_range(name, given) if isinstance(given, Mapping) else _axis_list(name, given))
    if not found:
        raise InvalidParameter(name, brief_value(given), "at least one value", f"For example {EXAMPLE}.")
    if len(set(found)) < len(found):
        twice = next(one for place, one in enumerate(found) if one in found[:place])
        raise InvalidParameter(name, twice, "there once: a point is answered once")
    return found


def _axis_list(name: str, given: Any) -> tuple[Value, ...]:
    if isinstance(given, np.ndarray) and given.ndim == 1:
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
        raise InvalidParameter(name, brief_value(given), "a list of values or a range", f"For example {EXAMPLE}.")
    return tuple(value(name, one) for one in given)


def _axis_range(name: str, given: Mapping[str, Any]) -> tuple[Value, ...]:
    check_plan_keys(given, RANGE, f"the range of {name}")
    for end in ("from", "to"):
        if end not in given:
            raise InvalidParameter(name, brief_value(dict(given)), "a range with `from` and `to`", f"For example {EXAMPLE}.")
    first, last = (_axis_end(name, given, end) for end in ("from", "to"))
    if not first < last:
        raise InvalidParameter(f"{name}.to", given["to"], f"above `from`, which is {given['from']!r}")
    if ("points" in given) == ("step" in given):
        raise InvalidParameter(
            name, brief_value(dict(given)), "a range with one of `points` and `step`", f"For example {EXAMPLE}."
        )
    values = _stepped_axis(name, given, first, last) if "step" in given else _spaced_axis(name, given, first, last)
    return _rounded_axis(name, given, values)


def _axis_end(name: str, given: Mapping[str, Any], end: str) -> Number:
    found = value(f"{name}.{end}", given[end])
    if isinstance(found, str) or not abs(found) < float("inf"):
        raise InvalidParameter(f"{name}.{end}", found, "a finite number")
    return found


def _stepped_axis(name: str, given: Mapping[str, Any], first: Number, last: Number) -> tuple[Value, ...]:
    """Return first, first + step, ... in decimal arithmetic: 0.1, 0.2, 0.3 and not 0.30000000000000004."""
    if "scale" in given:
        raise InvalidParameter(f"{name}.scale", given["scale"], "absent beside `step`", "Give `points` for another scale.")
    positive(f"{name}.step", given["step"])
    start, end, step = (Fraction(repr(value(name, one))) for one in (first, last, given["step"]))
    count = int((end - start) / step) + 1
    _check_number(name, count)
    whole = isinstance(first, int) and isinstance(value(name, given["step"]), int)
    exact = (start + place * step for place in range(count))
    return tuple(int(one) if whole else float(one) for one in exact)


def _spaced_axis(name: str, given: Mapping[str, Any], first: Number, last: Number) -> tuple[Value, ...]:
    scale = given.get("scale", "linear")
    if scale not in SCALES:
        raise InvalidParameter(f"{name}.scale", scale, f"one of {', '.join(SCALES)}", key_meant(scale, SCALES))
    points = value(f"{name}.points", given["points"])
    if not isinstance(points, int) or points < 2:
        raise InvalidParameter(f"{name}.points", brief_value(given["points"]), f"a whole number from 2 to {MOST_VALUES}")
    _check_number(name, points)
    low, high = float(first), float(last)
    if scale == "log":
        positive(f"{name}.from", first, "A log scale has no 0.")
        spaced = np.geomspace(low, high, points)
    else:
        spaced = np.linspace(low, high, points)
    # Between the ends values have few digits, so that what is printed is what was asked.
    short = [low, *(float(f"{one:.{DIGITS}g}") for one in spaced[1:-1].tolist()), high]
    return tuple(short) if bool((np.diff(short) > 0.0).all()) else (low, *spaced[1:-1].tolist(), high)


def _check_number(name: str, count: int) -> None:
    if count > MOST_VALUES:
        raise InvalidParameter(f"the number of values of {name}", count, f"at most {MOST_VALUES}")


def _rounded_axis(name: str, given: Mapping[str, Any], values: tuple[Value, ...]) -> tuple[Value, ...]:
    whole = given.get("whole", False)
    if not isinstance(whole, bool):
        raise InvalidParameter(f"{name}.whole", whole, "true or false")
    return tuple(dict.fromkeys(round(real(name, one, "a number")) for one in values)) if whole else values
