"""What is asked of every composition of a sweep, and how each is answered.

    { ask = "epsilon", delta = 1e-6 }            { ask = "delta", epsilon = [1, 2] }
    { ask = "tpr", fpr = 0.01 }                  { ask = "advantage" }
    { ask = "posterior", prior = 0.5, fpr = 0.01 }
    { ask = "calibrate", epsilon = 2, delta = 1e-6 }      of a composition with a `?`

A list stands for one question each.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tightbudget.calibration import calibrate
from tightbudget.calibration.which_target import target_asked
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import asked_width, delta_asked, epsilon_asked, exact_value, probability
from tightbudget.notation import Private
from tightbudget.numerics.bracket import Bracket
from tightbudget.sweeps.keys import brief_value, check_plan_keys, key_meant, plan_table
from tightbudget.tradeoff import risk

EXAMPLE = '{ ask = "epsilon", delta = 1e-6 }'
DEFAULT_RTOL = 1e-3

Numbers = Mapping[str, float]


class Found(NamedTuple):
    """An answer: the two ends of a bracket, and how it came out; `value` is the number that a calibration found."""

    lower: float
    upper: float
    converged: bool
    reason: str
    relation: str
    value: float = math.nan


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: which sets of numbers it may be given, how it is answered, and what that costs.

    The cost is relative to one bracket of ε; it only sets how many points make a batch.
    """

    takes: tuple[tuple[str, ...], ...]
    answer: Callable[[Private, Numbers, float, float | None], Bracket] | None  # None: of text with a `?`
    cost: float = 1.0
    rtol: float | None = None  # where the plan's own is not meant

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in self.takes for name in names))


def _epsilon_asked(private: Private, at: Numbers, rtol: float, effort: float | None) -> Bracket:
    return private.epsilon(at["delta"], rtol=rtol, effort=effort)


def _delta_asked(private: Private, at: Numbers, rtol: float, effort: float | None) -> Bracket:
    return private.delta(at["epsilon"], rtol=rtol, effort=effort)


def _answer_risk_question(method: str, private: Private, at: Numbers, rtol: float, effort: float | None) -> Bracket:
    bracket: Bracket = getattr(risk(private, rtol=rtol, effort=effort), method)(**at)
    return bracket


def _answer_calibration_question(expression: str, at: Numbers, rtol: float, effort: float | None, mix_relations: bool) -> Found:
    """Return the number that meets the target, between it and one that misses it."""
    target: Any = dict(at)
    found = calibrate(expression, **target, rtol=rtol, effort=effort, mix_relations=mix_relations)
    other = math.nan if found.too_little is None else float(found.too_little)
    value = float(found.value)
    lower, upper = min(value, other), max(value, other)
    if math.isnan(other):  # nothing is known to miss the target, so there is no bracket
        lower = upper = other
    return Found(lower, upper, found.converged, found.reason, found.relation, value)


def _down_to(given: Any) -> float:
    least = probability("down_to", given)
    if not least < 0.5:
        raise InvalidParameter("down_to", given, "a number, 0 or more and below 0.5", "1e-5 is a usual choice.")
    return least


CALIBRATE = "calibrate"
TARGETS = (
    ("epsilon", "delta"),
    ("advantage",),
    ("tpr", "fpr"),
    ("posterior", "prior"),
    ("posterior", "prior", "fpr"),
    ("bayes_error", "prior"),
)
KINDS = {
    "epsilon": Kind((("delta",),), _epsilon_asked),
    "delta": Kind((("epsilon",),), _delta_asked),
    "tpr": Kind((("fpr",),), partial(_answer_risk_question, "tpr"), cost=4.0),
    "advantage": Kind(((),), partial(_answer_risk_question, "advantage")),
    "bayes_error": Kind((("prior",),), partial(_answer_risk_question, "bayes_error"), cost=2.0),
    "posterior": Kind((("prior",), ("prior", "fpr")), partial(_answer_risk_question, "posterior"), cost=4.0),
    "gdp_mu": Kind(((), ("down_to",)), partial(_answer_risk_question, "gdp_mu"), cost=8.0),
    CALIBRATE: Kind(TARGETS, None, cost=20.0, rtol=1e-6),
}
CHECKS: Mapping[str, Callable[[Any], float]] = {
    "delta": delta_asked,
    "epsilon": epsilon_asked,
    "down_to": _down_to,
    **{name: partial(probability, name) for name in ("fpr", "prior", "tpr", "advantage", "posterior", "bayes_error")},
}


@dataclass(frozen=True, slots=True)
class Question:
    """One number that is asked for, at the numbers in `at`."""

    ask: str
    at: tuple[tuple[str, float], ...]
    rtol: float = DEFAULT_RTOL
    effort: float | None = None

    @property
    def target(self) -> str:
        """What it is asked at, in words.

        >>> Question("epsilon", (("delta", 1e-6),)).target
        'delta=1e-06'
        """
        return ", ".join(f"{name}={value!r}" for name, value in self.at)

    @property
    def cost(self) -> float:
        return KINDS[self.ask].cost

    def answer(self, private: Private | str, mix_relations: bool = False) -> Found:
        """Return the answer for a composition; a calibration takes its text, with a `?` in it."""
        answer = KINDS[self.ask].answer
        if answer is None or isinstance(private, str):
            return _answer_calibration_question(str(private), dict(self.at), self.rtol, self.effort, mix_relations)
        found = answer(private, dict(self.at), self.rtol, self.effort)
        return Found(found.lower, found.upper, found.converged, found.reason, found.relation)


def questions_of_plan(given: Any, rtol: float, effort: float | None) -> tuple[Question, ...]:
    """Return every question of a plan, each once."""
    if isinstance(given, (Mapping, str)) or not isinstance(given, Iterable):
        raise InvalidParameter("questions", brief_value(given), "a list of tables", f"For example [{EXAMPLE}].")
    found = [question for table in given for question in _expanded_questions(table, rtol, effort)]
    if not found:
        raise InvalidParameter("questions", brief_value(given), "at least one", f"For example [{EXAMPLE}].")
    if len({(question.ask, question.at) for question in found}) < len(found):
        raise InvalidParameter("questions", brief_value(given), "different from each other: the same is asked twice")
    return tuple(found)


def _expanded_questions(given: Any, rtol: float, effort: float | None) -> list[Question]:
    table = plan_table(given, "a question", EXAMPLE)
    if "ask" not in table:
        raise InvalidParameter("a question", brief_value(dict(table)), "a table with `ask`", f"For example {EXAMPLE}.")
    ask = table["ask"]
    if not isinstance(ask, str) or ask not in KINDS:
        raise InvalidParameter("ask", ask, f"one of {', '.join(KINDS)}", key_meant(ask, KINDS))
    kind = KINDS[ask]
    check_plan_keys(table, ["ask", *kind.names, "rtol", "effort"], f"the question of {ask}")
    names = tuple(name for name in kind.names if name in table)
    if not any(set(names) == set(needed) for needed in kind.takes):
        allowed = " or ".join(" and ".join(f"`{name}`" for name in needed) for needed in kind.takes)
        raise InvalidParameter(f"the question of {ask}", brief_value(dict(table)), f"a table with {allowed}")
    width, _, work = asked_width(table.get("rtol", kind.rtol or rtol), 0.0, table.get("effort", effort))
    each = itertools.product(*(_each_value_asked(table[name]) for name in names))
    return [Question(ask, _read_numbers(ask, names, given), width, work) for given in each]


def _read_numbers(ask: str, names: tuple[str, ...], given: tuple[Any, ...]) -> tuple[tuple[str, float], ...]:
    """Return numbers as floats; those of a target as `calibrate` reads them, so that no limit is rounded up."""
    read = {name: CHECKS[name](one) for name, one in zip(names, given, strict=True)}
    if ask == CALIBRATE and any(exact_value(one) is not None for one in given):
        target = target_asked(**dict(zip(names, given, strict=True)))
        read = {name: getattr(target, name) for name in names}
    return tuple(read.items())


def _each_value_asked(given: Any) -> list[Any]:
    if isinstance(given, np.ndarray):
        given = given.ravel().tolist()
    return list(given) if isinstance(given, (list, tuple)) else [given]
