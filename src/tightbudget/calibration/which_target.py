"""Which target is meant by the limits that were given; one kind at a time, and whole."""

import math
from fractions import Fraction
from typing import Any

from tightbudget.calibration.risk_targets import BayesErrorTarget, PosteriorTarget, TruePositiveRateTarget
from tightbudget.calibration.targets import AdvantageTarget, BudgetTarget, DeltaTarget, Target
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import (
    delta_asked,
    epsilon_asked,
    exact_value,
    limit_above,
    limit_below,
    not_lost_to_zero,
    real,
)
from tightbudget.numerics.rounding import float_above

_CHANCE = "a number from 0 to 1"
_GO_WITH = {
    "epsilon": ("delta",),
    "advantage": (),
    "tpr": ("fpr",),
    "posterior": ("prior", "fpr"),
    "bayes_error": ("prior",),
}
_OPTIONAL = {("posterior", "fpr")}
_WAYS = "one of epsilon (with delta), advantage, tpr (with fpr), posterior (with prior) and bayes_error (with prior)"


def target_asked(**limits: Any) -> Target:
    """Return the target that limits by name make, None for those that were left out."""
    given = {name: value for name, value in limits.items() if value is not None}
    kinds = [kind for kind in _GO_WITH if kind in given]
    if len(kinds) != 1:
        raise InvalidParameter("target", ", ".join(kinds) or None, _WAYS)
    (kind,) = kinds
    for name in _GO_WITH[kind]:
        if name not in given and (kind, name) not in _OPTIONAL:
            raise InvalidParameter(name, None, f"given with {kind}", _example_of_limit(name))
    for name in given:
        if name not in (kind, *_GO_WITH[kind]):
            raise InvalidParameter(name, given[name], f"left out where the target is {kind}")
    if kind == "epsilon":
        return _budget_target(given["epsilon"], given["delta"])
    chances = {name: _target_probability(kind, name, value) for name, value in given.items()}
    if kind == "bayes_error":
        chances[kind] = raised_for_prior(chances[kind], given["prior"], chances["prior"])
    makers: dict[str, Any] = {
        "advantage": AdvantageTarget,
        "tpr": TruePositiveRateTarget,
        "posterior": PosteriorTarget,
        "bayes_error": BayesErrorTarget,
    }
    _check_reach(kind, chances)
    target: Target = makers[kind](**chances)
    return target


def _check_reach(kind: str, chances: dict[str, float]) -> None:
    """Refuse what even a release that reveals nothing does not keep: guessing is always allowed."""
    limit = chances[kind]
    if kind == "tpr" and limit <= chances["fpr"]:
        raise InvalidParameter("tpr", limit, f"above the fpr, {chances['fpr']!r}", "Whoever guesses has a tpr of the fpr.")
    if kind == "posterior" and limit <= chances["prior"]:
        raise InvalidParameter("posterior", limit, f"above the prior, {chances['prior']!r}", "Nobody need forget it.")
    least = min(chances.get("prior", 0.5), 1.0 - chances.get("prior", 0.5))
    if kind == "bayes_error" and limit >= least:
        raise InvalidParameter("bayes_error", limit, f"below {least!r}", "Whoever goes by the prior is wrong so often.")


def _budget_target(epsilon: object, delta: object) -> Target:
    most, rare = limit_below(epsilon, epsilon_asked(epsilon)), limit_below(delta, delta_asked(delta))
    if math.isinf(most):
        raise InvalidParameter("epsilon", epsilon, "a finite number, 0 or more", "Every composition has an infinite epsilon.")
    return BudgetTarget(most, rare) if most > 0.0 else DeltaTarget(most, rare)


def _target_probability(kind: str, name: str, value: object) -> float:
    """Return a limit on the safe side of what was given, and under what it is to be kept where that is harder."""
    number = not_lost_to_zero(name, value, real(name, value, _CHANCE), _CHANCE)
    if not 0.0 <= number <= 1.0:
        raise InvalidParameter(name, value, _CHANCE, "It is a probability.")
    return limit_below(value, number) if name == kind != "bayes_error" else min(1.0, limit_above(value, number))


def raised_for_prior(limit: float, given: object, prior: float) -> float:
    """Return a limit of the Bayes error that, kept at a prior, is kept as given at the prior that was meant (M24)."""
    exact = exact_value(given)
    return limit if exact is None else float_above(Fraction(limit) + abs(exact - Fraction(prior)))


def _example_of_limit(name: str) -> str:
    return {
        "delta": "1e-6 is a usual choice; 0 is pure privacy.",
        "fpr": "0.01 is a usual choice.",
        "prior": "0.5 is a coin toss.",
    }[name]
