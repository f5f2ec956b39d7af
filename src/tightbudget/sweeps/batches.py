"""A batch: the points of one task, with all that a worker needs to answer them."""

from collections.abc import Iterator
from dataclasses import dataclass

from tightbudget.sweeps.plan import SweepPlan
from tightbudget.sweeps.questions import CALIBRATE, Question
from tightbudget.sweeps.values import Value


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One composition of a sweep: its number in the plan, the values of its parameters, its notation."""

    number: int
    values: tuple[Value, ...]
    expression: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Points that are answered one after another, in this order, by one worker that starts afresh."""

    number: int
    points: tuple[SweepPoint, ...]
    questions: tuple[Question, ...]
    mix_relations: bool = False

    @property
    def asks_of_compositions(self) -> bool:
        """Whether the points are compositions; those to be calibrated have a `?` in place of a number."""
        return all(question.ask != CALIBRATE for question in self.questions)


def batch(plan: SweepPlan, number: int) -> Batch:
    """Return a batch by its number."""
    first = number * plan.points_per_batch
    places = range(first, min(first + plan.points_per_batch, plan.space.size))
    return Batch(number, tuple(_sweep_point(plan, place) for place in places), plan.questions, plan.mix_relations)


def rows_of(plan: SweepPlan, number: int) -> int:
    """Return how many answers a batch has."""
    first = number * plan.points_per_batch
    return (min(first + plan.points_per_batch, plan.space.size) - first) * len(plan.questions)


def _sweep_point(plan: SweepPlan, place: int) -> SweepPoint:
    number, values = plan.space.at(place)
    return SweepPoint(number, values, plan.template.filled(dict(zip(plan.space.names, values, strict=True))))


def batches(plan: SweepPlan, numbers: Iterator[int]) -> Iterator[Batch]:
    """Yield batches by their numbers, each made when it is wanted."""
    return (batch(plan, number) for number in numbers)
