"""What a process that computes does: one question in, the bytes of one answer out, in the shapes of the command.

It is imported where processes start, so that each of them has the whole library at hand.
"""

import math
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tightbudget.calibration import calibrate
from tightbudget.comparison import compare
from tightbudget.errors import TightBudgetError
from tightbudget.interfaces import wire
from tightbudget.interfaces.api.meaning import Question, check_calibration, check_comparison, check_curve, check_risk
from tightbudget.interfaces.api.problems import Problem, of_error, too_much
from tightbudget.interfaces.explanation import explained_risk
from tightbudget.interfaces.spaced import spaced_epsilons
from tightbudget.interfaces.web.pictures import PICTURES
from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.answers import Curve
from tightbudget.mechanisms.class_note import class_note
from tightbudget.mechanisms.file_access import without_files
from tightbudget.notation import parse
from tightbudget.numerics.bracket import Bracket
from tightbudget.tradeoff import risk
from tightbudget.training import dpsgd

AS_ASKED, CHEAP, FREE = "as asked", "cheap", "free"
"""How much work is done: what was asked for, little of it, or none beyond reading the question."""

LIMIT = "the service's limit of time or memory was reached"
OUT_OF_MEMORY = 70  # exit code of a process that ran out of memory: what it has half done is thrown away with it
_CHEAP_RTOL, _CHEAP_CALIBRATION, _CHEAP_EFFORT = 0.5, 0.1, 0.05


class Answer(NamedTuple):
    """What is sent to the client; `lasting` says whether the same question has the same answer for ever."""

    status: int
    body: bytes
    lasting: bool = True


def answer(kind: str, question: Question, how: str = AS_ASKED) -> Answer:
    """Return the answer to a question whose form has been checked."""
    return guarded(lambda: _KINDS[kind](question, how), how == AS_ASKED)


def guarded(work: Callable[[], wire.Wire], lasting: bool = False) -> Answer:
    """Return the answer that the work makes, or the problem that it meets."""
    try:
        with without_files():
            shape = work()
        return Answer(200, wire.json_text(shape).encode(), lasting)
    except TightBudgetError as error:
        problem = of_error(error)
    except Problem as found:
        problem = found
    except (OverflowError, RecursionError):
        problem = too_much()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    return Answer(problem.status, problem.body, lasting)


def _answer_epsilon(question: Question, how: str) -> wire.Wire:
    private, delta = _asked_composition(question), question["delta"]
    found = _answered_bracket(question, how, private, (0.0, math.inf), lambda **width: private.epsilon(delta=delta, **width))
    return wire.bracket_shape(
        str(private), {"delta": delta}, found, question["rtol"], class_note(private), question["direction"]
    )


def _answer_delta(question: Question, how: str) -> wire.Wire:
    private, epsilon = _asked_composition(question), question["epsilon"]
    found = _answered_bracket(question, how, private, (0.0, 1.0), lambda **width: private.delta(epsilon=epsilon, **width))
    return wire.bracket_shape(
        str(private), {"epsilon": epsilon}, found, question["rtol"], class_note(private), question["direction"]
    )


def _answered_bracket(
    question: Question, how: str, private: Composable, known: tuple[float, float], ask: Callable[..., Bracket]
) -> Bracket:
    """Return the bracket, or where little work is allowed a wider one that holds too; `known` holds of any."""
    if how == FREE:
        private.check_relations()
        return Bracket(*known, converged=False, reason=LIMIT, relation=private.answers_for)
    found = ask(**_answer_width(question, how))
    if how == CHEAP and not found.width <= question["rtol"] * found.upper:
        return replace(found, converged=False, reason=LIMIT)
    return found


def _answer_curve(question: Question, how: str) -> wire.Wire:
    check_curve(question)
    private = _asked_composition(question)
    if question["epsilons"] is not None:
        epsilons = np.array(question["epsilons"], dtype=float)
    else:
        epsilons = spaced_epsilons(private, question["min"], question["max"], question["points"])
    if how == FREE:
        zeros = np.zeros_like(epsilons)
        found = Curve(epsilons, zeros, zeros + 1.0, False, private.answers_for)
    else:
        found = private.curve(epsilons, **_answer_width(question, how))
    return _limited_answer(wire.curve_shape(str(private), found, class_note(private)), how)


def _answer_comparison(question: Question, how: str) -> wire.Wire:
    check_comparison(question)
    private = _asked_composition(question)
    rtol = _answer_width(question, _not_free(how))["rtol"]
    return _limited_answer(
        wire.comparison_shape(compare(private, delta=question["delta"], epsilon=question["epsilon"], rtol=rtol)), how
    )


def _answer_calibration(question: Question, how: str) -> wire.Wire:
    check_calibration(question)
    names = ("epsilon", "delta", "advantage", "tpr", "fpr", "posterior", "prior", "bayes_error")
    width = _answer_width(question, _not_free(how), _CHEAP_CALIBRATION)
    low, high = question["min"], question["max"]
    found = calibrate(
        question["expression"],
        **{name: question[name] for name in names},
        **width,
        bounds=None if low is None else (low, high),
        mix_relations=question["mix_relations"],
        relation=question["relation"],
    )
    return _limited_answer(wire.calibration_shape(found, class_note(found.composition)), how)


def _answer_risk(question: Question, how: str) -> wire.Wire:
    check_risk(question)
    private, width = _asked_composition(question), _answer_width(question, _not_free(how))
    found = explained_risk(private, question["delta"], question["unit"], question["prior"], **width)
    shape = wire.explanation_shape(found, question["rtol"], class_note(private))
    if question["fprs"] is not None:
        shape["roc"] = wire.roc_shape(risk(private, **width).roc(question["fprs"]))
    return _limited_answer(shape, how)


def _answer_dpsgd(question: Question, how: str) -> wire.Wire:
    given = {name: value for name, value in question.items() if name not in ("rtol", "effort")}
    return _limited_answer(
        wire.training_shape(dpsgd(**given, **_answer_width(question, _not_free(how))), question["rtol"]), how
    )


def _picture_answerer(kind: str) -> Callable[[Question, str], wire.Wire]:
    """Return what makes the data of a picture; there is no cheap one."""

    def made(question: Question, how: str) -> wire.Wire:
        if how != AS_ASKED:
            raise too_much()
        return PICTURES[kind](question)

    return made


def _asked_composition(question: Question) -> Composable:
    private = parse(question["expression"], question["mix_relations"])
    return private.asked(question["relation"], question.get("direction"))


def _answer_width(question: Question, how: str, cheap_rtol: float = _CHEAP_RTOL) -> dict[str, Any]:
    if how == AS_ASKED:
        return {"rtol": question["rtol"], "effort": question["effort"]}
    return {"rtol": max(question["rtol"], cheap_rtol), "effort": _CHEAP_EFFORT}


def _not_free(how: str) -> str:
    """Refuse questions of which nothing is known before work is done."""
    if how == FREE:
        raise too_much()
    return how


def _limited_answer(shape: wire.Wire, how: str) -> wire.Wire:
    """Say in the shape that little work was done."""
    if how != AS_ASKED:
        shape["converged"] = False
        shape["reason"] = LIMIT
    return shape


_KINDS: dict[str, Callable[[Question, str], wire.Wire]] = {
    "epsilon": _answer_epsilon,
    "delta": _answer_delta,
    "curve": _answer_curve,
    "compare": _answer_comparison,
    "calibrate": _answer_calibration,
    "risk": _answer_risk,
    "dpsgd": _answer_dpsgd,
    **{f"picture of {kind}": _picture_answerer(kind) for kind in PICTURES},
}
KINDS = tuple(_KINDS)
