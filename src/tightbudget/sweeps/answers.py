"""Answering a batch: the one function that runs on workers."""

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

from tightbudget.engine.sharing.work import sharing_work
from tightbudget.errors import TightBudgetError
from tightbudget.notation import Private, parse
from tightbudget.sweeps.batches import Batch, SweepPoint
from tightbudget.sweeps.questions import Question
from tightbudget.sweeps.values import Value


class PointAnswer(NamedTuple):
    """One question at one point: a bracket, or why there is none; `value` is a number that was calibrated."""

    point: int
    values: tuple[Value, ...]
    question: str
    target: str
    lower: float = math.nan
    upper: float = math.nan
    converged: bool = False
    reason: str = ""
    relation: str = ""
    value: float = math.nan
    seconds: float = math.nan
    error: str = ""


def answer_batch(batch: Batch) -> list[PointAnswer]:
    """Return the answers of a batch, point by point.

    Points share work with those before them in the batch, and with nothing else: what is answered depends neither on
    the worker nor on what it did before.
    """
    with sharing_work():
        return [answer for point in batch.points for answer in _point_answers(batch, point)]


def _point_answers(batch: Batch, point: SweepPoint) -> Iterator[PointAnswer]:
    try:
        private = parse(point.expression, batch.mix_relations) if batch.asks_of_compositions else point.expression
    except (TightBudgetError, OSError, MemoryError) as problem:
        yield from (_failed_point_answer(point, question, problem) for question in batch.questions)
        return
    for question in batch.questions:
        yield _answer_at_point(point, question, private, batch.mix_relations)


def _answer_at_point(point: SweepPoint, question: Question, private: Private | str, mix_relations: bool) -> PointAnswer:
    started = time.perf_counter()
    try:
        found = question.answer(private, mix_relations)
    except Exception as problem:  # of this point alone: all others are still answered
        return _failed_point_answer(point, question, problem)
    return PointAnswer(
        point.number,
        point.values,
        question.ask,
        question.target,
        *found,
        seconds=time.perf_counter() - started,
    )


def _failed_point_answer(point: SweepPoint, question: Question, problem: Exception) -> PointAnswer:
    sentence = str(problem).partition("\n")[0]
    said = sentence if isinstance(problem, TightBudgetError) else f"{type(problem).__name__}: {sentence}"
    return PointAnswer(point.number, point.values, question.ask, question.target, error=said)


def lost_batch(batch: Batch, problem: str) -> list[PointAnswer]:
    """Return the answers of a batch that no worker lived to answer."""
    unanswered = ((point, question) for point in batch.points for question in batch.questions)
    return [
        PointAnswer(point.number, point.values, question.ask, question.target, error=problem) for point, question in unanswered
    ]
