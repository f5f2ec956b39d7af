"""Questions checked for what the library does not check itself: what the command checks of its options."""

import math
from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.api.bodies import MOST_POINTS

Question = dict[str, Any]
LONGEST_UNIT = 40


def check_curve(question: Question) -> None:
    low, high, points = question["min"], question["max"], question["points"]
    if question["epsilons"] is not None:
        return
    if not math.isfinite(low):
        raise InvalidParameter("min", low, "a finite number")
    if high is not None and not low < high < math.inf:
        raise InvalidParameter("max", high, f"a finite number above min, which is {low!r}")
    if not 2 <= points <= MOST_POINTS:
        raise InvalidParameter("points", points, f"a whole number from 2 to {MOST_POINTS}")


def check_comparison(question: Question) -> None:
    if (question["delta"] is None) == (question["epsilon"] is None):
        raise InvalidParameter("delta", question["delta"], "given, or epsilon in its place, not both")


def check_calibration(question: Question) -> None:
    low, high = question["min"], question["max"]
    if (low is None) != (high is None):
        raise InvalidParameter("max", high, "given together with min")
    if low is not None and not -math.inf < low < high < math.inf:
        raise InvalidParameter("max", high, f"a finite number above min, which is {low!r}")
    targets = ("epsilon", "advantage", "tpr", "posterior", "bayes_error")
    if [question[name] for name in targets].count(None) != len(targets) - 1:
        raise InvalidParameter("epsilon", question["epsilon"], f"the one target, or another of {', '.join(targets[1:])}")


def check_risk(question: Question) -> None:
    prior, unit = question["prior"], question["unit"]
    if not 0.0 < prior < 1.0:
        raise InvalidParameter("prior", prior, "above 0 and below 1", "0.5 is an attacker who is unsure.")
    if not (0 < len(unit) <= LONGEST_UNIT and unit.isprintable() and unit == unit.strip()):
        raise InvalidParameter("unit", unit, f"a word or two, up to {LONGEST_UNIT} characters", "person and record are usual.")
