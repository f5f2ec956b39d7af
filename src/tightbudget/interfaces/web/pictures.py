"""What the explorer draws, computed: bands that hold between their points too, and numbers rounded outward."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.comparison import compare_curves
from tightbudget.interfaces import band, roc_band
from tightbudget.interfaces.web.rounded import at_least, at_most, percent_at_least
from tightbudget.interfaces.wire import Wire
from tightbudget.mechanisms import Composable
from tightbudget.notation import parse
from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.tradeoff import risk

Array = NDArray[np.float64]

RTOL = 1e-2  # narrower than the line that is drawn
BOUNDS = ("GDP, central limit", "Rényi DP", "moments accountant", "zCDP", "KOV, optimal", "advanced", "naive")
_POINTS, _EVERY, _DIGITS = 65, 4, 5
_LOWEST = 1e-300
_PARTS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
_RATES = tuple(10.0 ** (-4.0 + place / 4.0) for place in range(17))


def curve_picture(question: dict[str, Any]) -> Wire:
    """Return δ over ε by our band and by the classic bounds, and ε at the δ that was asked for."""
    private, delta = parse(question["expression"]), question["delta"]
    asked = private.epsilon(delta=delta, rtol=RTOL)
    high = 2.0 * asked.upper if 0.0 < asked.upper < math.inf else 1.0
    epsilons = np.linspace(0.0, high, _POINTS)
    found = compare_curves(private, epsilons, RTOL, BOUNDS)
    lower, upper = np.asarray(found.band.lower), np.asarray(found.band.upper)
    places = band.places_between(epsilons)
    bounds = [
        {
            "name": line.name,
            "kind": line.kind,
            "delta": _upper_line_in_picture(band.upper_line(places, epsilons, np.asarray(line.deltas))),
        }
        for line in sorted(found.lines, key=lambda line: BOUNDS.index(line.name))
    ]
    return {
        "expression": str(private),
        "relation": private.answers_for,
        "epsilon": _picture_digits(_kept_for_picture(places), ROUND_FLOOR),
        "lower": _lower_line_in_picture(band.lower_line(places, epsilons, lower, upper)),
        "upper": _upper_line_in_picture(band.upper_line(places, epsilons, upper)),
        "bounds": bounds,
        "at": {
            "delta": delta,
            "lower": at_most(asked.lower),
            "upper": at_least(asked.upper),
            "epsilon": _finite_in_picture(asked.upper),
        },
    }


def growth_picture(question: dict[str, Any]) -> Wire:
    """Return ε for fewer and more steps, or for repetitions of the whole where its steps differ."""
    private, delta = parse(question["expression"]), question["delta"]
    parts = private._parts
    alone = len(parts) == 1 and parts[0][1] > 1
    step, now = parts[0] if alone else (private, 1)
    counts = sorted({max(1, round(part * now)) for part in _PARTS}) if alone else list(range(1, 9))
    found = [(step * count).epsilon(delta=delta, rtol=RTOL) for count in counts]
    return {
        "what": "steps" if alone else "times all of it",
        "now": now,
        "counts": counts,
        "lower": [_finite_in_picture(each.lower) for each in found],
        "upper": [_finite_in_picture(each.upper) for each in found],
        "words": [f"[{at_most(each.lower)}, {at_least(each.upper)}]" for each in found],
    }


def roc_picture(question: dict[str, Any]) -> Wire:
    """Return how many of the guilty a test finds at each rate of false alarms, and at the one that was asked for."""
    private: Composable = parse(question["expression"])
    attack, rate = risk(private, rtol=RTOL), question["fpr"]
    rates = np.array(_RATES)
    found = attack.roc(rates)
    lower, upper = np.asarray(found.lower), np.asarray(found.upper)
    places = roc_band.roc_places_between(rates)
    chosen, advantage, most = attack.tpr(rate), attack.advantage(), attack.posterior(0.5)
    return {
        "fpr": places.tolist(),
        "lower": _picture_digits(roc_band.roc_lower_line(places, rates, lower), ROUND_FLOOR),
        "upper": _picture_digits(roc_band.roc_upper_line(places, rates, lower, upper), ROUND_CEILING),
        "at": {
            "fpr": rate,
            "lower": at_most(chosen.lower, 3),
            "upper": at_least(chosen.upper, 3),
            "tpr": chosen.upper,
        },
        "advantage": {"lower": at_most(advantage.lower, 3), "upper": at_least(advantage.upper, 3)},
        "most": percent_at_least(most.upper),
        "sure": most.upper >= 1.0,
    }


def _kept_for_picture(values: Array) -> Array:
    return np.append(values[:-1:_EVERY], values[-1:])


def _upper_line_in_picture(line: Array) -> list[float]:
    """Return every fourth value, one place late: δ falls, so that straight lines between them are nowhere below it."""
    kept = _kept_for_picture(np.maximum(line, _LOWEST))
    return _picture_digits(np.append(kept[:1], kept[:-1]), ROUND_CEILING)


def _lower_line_in_picture(line: Array) -> list[float]:
    """Return every fourth value, one place early: straight lines between them are nowhere above δ."""
    kept = _kept_for_picture(np.maximum(line, 0.0))
    return _picture_digits(np.append(kept[1:], kept[-1:]), ROUND_FLOOR)


def _picture_digits(values: Array, rounding: str) -> list[float]:
    return [float(decimal_rounded(value, _DIGITS, rounding)) for value in values.tolist()]


def _finite_in_picture(value: float) -> float | None:
    return value if math.isfinite(value) else None


PICTURES: dict[str, Callable[[dict[str, Any]], Wire]] = {
    "curve": curve_picture,
    "growth": growth_picture,
    "roc": roc_picture,
}
