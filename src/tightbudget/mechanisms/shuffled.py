"""Reports of many users, each randomised by itself, in random order (M37)."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, whole_count
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import REPLACE_ONE
from tightbudget.mechanisms.what_is_sampled import counts_examples, run_for_several
from tightbudget.numerics.rounding import U, lowered, raised
from tightbudget.pairs.base import Cells, Direction, Pair
from tightbudget.pairs.binary_reports import binary_reports_pair
from tightbudget.pairs.clones import MOST_EPSILON, MOST_USERS, clone_pair
from tightbudget.pairs.points import REMEMBERED, PointPair, swapped_points

STANDARD, STRONGER = "standard", "stronger"
_STRONGER_CLONE = "the stronger clone theorem (Feldman, McMillan and Talwar 2022)"
_SMALLEST = 1e-280  # of the epsilons that are computed with; of those beyond the report itself is taken


@dataclass(frozen=True)
class Shuffled(Mechanism):
    """Let each of many users randomise a report, and shuffle the reports.

    mechanism  what every user runs on the own record, one that is
               epsilon0-differentially private; or give epsilon0 instead
    epsilon0   0 or more: what the report of each user alone promises
    users      how many reports are shuffled, 1 to 1000000000
    clone      standard or stronger, the theorem to use; usually standard,
               which is proven here (M37). Of the stronger one (Feldman,
               McMillan and Talwar 2022) no proof has been checked: only
               epsilon and delta take it, and their brackets say so

    Neighbours: replace_one, that is, one user has another record. It stands
    for a class: the upper end holds for every mechanism with this epsilon0,
    the lower end is that of reports of one bit where all others hold the
    same.

    >>> from tightbudget import Shuffled
    >>> print(Shuffled(epsilon0=2, users=100).delta(epsilon=0.5))
    [0.00511..., 0.0319...]
    """

    name: ClassVar[str] = "shuffled"
    neighbours: ClassVar[str] = REPLACE_ONE
    attains_pair: ClassVar[bool] = False
    promises: ClassVar[tuple[str, ...]] = ("epsilon0",)
    reveal_more: ClassVar[tuple[str, ...]] = ("epsilon0",)
    hide_more: ClassVar[tuple[str, ...]] = ("users",)

    mechanism: Mechanism | None = None
    epsilon0: float | None = field(default=None, kw_only=True)
    users: int = field(kw_only=True)
    clone: str = field(default=STANDARD, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        if not 1 <= whole_count(self.users, "users") <= MOST_USERS:
            raise InvalidParameter("users", self.users, f"a whole number from 1 to {MOST_USERS}")
        if self.clone not in (STANDARD, STRONGER):
            raise InvalidParameter("clone", self.clone, f"{STANDARD} or {STRONGER}")
        if (self.mechanism is None) == (self.epsilon0 is None):
            raise InvalidParameter("epsilon0", self.epsilon0, "given if no mechanism is, and only then")
        if self.epsilon0 is not None:
            positive("epsilon0", self.epsilon0, zero=True)
        elif not isinstance(self.mechanism, Mechanism) or run_for_several(self.mechanism):
            raise InvalidParameter("mechanism", str(self.mechanism), "one mechanism for single records")
        elif counts_examples(self.mechanism):
            # its epsilon is that of one record among several; a clone has other data altogether
            hint = "Each user runs it on one record, their own."
            raise InvalidParameter("mechanism", str(self.mechanism), "one that takes any number of records", hint)
        elif not self.report.pure_epsilon < math.inf:
            raise InvalidParameter("mechanism", str(self.mechanism), "one whose losses have an end", "Laplace noise is one.")

    @property
    def promised_records(self) -> int:
        return int(self.users)

    @property
    def report(self) -> Mechanism:
        """What every user runs, under replace_one."""
        return PureDP(self.epsilon0) if self.mechanism is None else self.mechanism.under(REPLACE_ONE)  # type: ignore[arg-type]

    @property
    def rests_on(self) -> str:
        return _STRONGER_CLONE if self.clone == STRONGER and self.users > 1 else ""

    def pair(self, direction: Direction) -> Pair | None:
        epsilon = self.report.pure_epsilon
        if self.users == 1 or not _SMALLEST < epsilon < MOST_EPSILON:
            return PureDP(epsilon).pair(direction)
        return _shuffled_pair(epsilon, int(self.users), self.clone)

    def in_numbers(self) -> Mechanism:
        return self if self.mechanism is None else replace(self, mechanism=self.mechanism.in_numbers())

    def member(self) -> Mechanism:
        """Return reports of one bit: whether the loss of the report is above 0; all others hold the other record."""
        one, others = _positive_loss_chances(self.report.member().pair(Direction.REMOVE))
        return BinaryReports(one, others, int(self.users))

    def member_among_alike(self, relation: str) -> Mechanism | None:
        return self.member() if relation == REPLACE_ONE else None


@dataclass(frozen=True)
class BinaryReports(Mechanism):
    """Shuffled reports of one bit: all users report 1 with one probability, but for a user that may have another."""

    name: ClassVar[str] = "binary_reports"
    neighbours: ClassVar[str] = REPLACE_ONE

    one: float
    others: float
    users: int

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        if not 0.0 < self.others < self.one < 1.0:
            return None
        make = _shuffled_reports if direction is Direction.REMOVE else _swapped_reports
        return make(self.users, self.one, self.others)


@REMEMBERED.remember
def _shuffled_reports(users: int, one: float, others: float) -> PointPair:
    return binary_reports_pair(users, one, others)


@REMEMBERED.remember
def _swapped_reports(users: int, one: float, others: float) -> PointPair:
    made = _shuffled_reports(users, one, others)
    return swapped_points(made, unresolved=made.unresolved)  # which bounds what the list lacks of either law


@REMEMBERED.remember
def _shuffled_pair(epsilon: float, users: int, clone: str) -> PointPair:
    # fewer clones hide less: probabilities are rounded down
    inverse = math.exp(-epsilon)
    share = lowered(inverse if clone == STANDARD else 2.0 * inverse / (1.0 + inverse), 16)
    return clone_pair(("shuffled", epsilon, users, clone), epsilon, users, share)


def _positive_loss_chances(pair: Pair | None) -> tuple[float, float]:
    """Return how likely a loss above 0 is, under A at least and under B at most; any two such numbers are sound."""
    if pair is None:
        return 0.0, 0.0
    points = pair.points()
    likelier = Cells.join(points.where(points.low > pair.loss_shift(0.0)), pair.cells(np.array([0.0, math.inf])))
    known = likelier.where(likelier.log_b > -np.inf)
    one, others = float(np.exp(known.log_a - known.error).sum()), float(np.exp(known.log_b + known.error).sum())
    roundings = 16.0 + 2.0 * known.size
    return min(lowered(one, roundings), 1.0 - 2.0 * U), max(raised(others, roundings), _SMALLEST)
