"""Shuffled batches: one pass over the data, cut into batches after a shuffle, as most data loaders do (M26)."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import real
from tightbudget.mechanisms.composition import in_notation
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.random_allocation import RandomAllocation
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, check_one_relation
from tightbudget.mechanisms.what_is_sampled import check_sampled
from tightbudget.numerics.rounding import float_below, lowered
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.largest_answer import largest_answer_pair

_MOST_BATCHES = 1_000_000
_FEW_DIGITS = 2.0  # sensitivities in sigmas beyond which cells are left out that tell much of the largest answer
_MODERATE = (1e-3, 20.0)  # sensitivities in sigmas for which the largest answer is worth its grid


@dataclass(frozen=True)
class ShuffledBatches(Mechanism):
    """Shuffle the records, cut them into batches, run a mechanism on each.

    mechanism  what is run on every batch: noise on a query, stated for
               add_remove
    batches    how many batches one pass has, from 1 to 1000000
    relation   zero_out or replace_one; usually zero_out

    Neighbours: zero_out, unless replace_one is stated. One pass is one
    step. No amplification is proven for shuffled batches: the upper end is
    that of the mechanism alone, as if the batch of a record were known. The
    lower end is that of one data set, and far above Poisson sampling.

    >>> from tightbudget import Gaussian, ShuffledBatches
    >>> print(ShuffledBatches(Gaussian(sigma=1), batches=2).delta(epsilon=1))
    [0.116..., 0.12...]
    """

    name: ClassVar[str] = "shuffled_batches"
    attains_pair: ClassVar[bool] = False

    mechanism: Mechanism
    batches: int
    relation: str = field(default=ZERO_OUT, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        check_sampled(self.mechanism)
        if not isinstance(self.mechanism, Mechanism) or not self.mechanism.absent_if_zeroed:
            hint = "Shuffle each part of a composition."
            raise InvalidParameter("mechanism", in_notation(self.mechanism), "noise on a query", hint)
        check_one_relation([("what is shuffled", frozenset({ADD_REMOVE})), (self.mechanism, self.mechanism.relations)])
        if self.relation not in (ZERO_OUT, REPLACE_ONE):
            raise InvalidParameter("relation", self.relation, "zero_out or replace_one", _ONE_MORE)
        number = real("batches", self.batches, f"a whole number from 1 to {_MOST_BATCHES}")
        if not 1.0 <= number <= _MOST_BATCHES or number != int(number):
            raise InvalidParameter("batches", self.batches, f"a whole number from 1 to {_MOST_BATCHES}")

    def _under(self, relation: str) -> Mechanism | None:
        return None if relation == ADD_REMOVE else self if relation == self.relation else replace(self, relation=relation)

    def _relation_hint(self, relation: str) -> str:
        return _ONE_MORE

    @property
    def _alone(self) -> Mechanism:
        """The batch that the record is in."""
        return self.mechanism.under(self.relation)

    def pair(self, direction: Direction) -> Pair | None:
        return self._alone.pair(direction)

    def member(self) -> Mechanism:
        if self.batches == 1:
            return self._alone.member()
        noise = self.mechanism
        if isinstance(noise, Gaussian) and self.relation == REPLACE_ONE:
            doubled = replace(noise, sensitivity=2.0 * float(noise.sensitivity))
            return RandomAllocation(doubled, self.batches).member()
        ratio = float(noise.sensitivity) / float(noise.sigma) if isinstance(noise, Gaussian) and noise.sigma else 0.0
        if _MODERATE[0] <= ratio <= _MODERATE[1]:
            return _LargestAnswerOfPass(lowered(ratio, 4), int(self.batches))
        return self._first_answer

    def member_among_alike(self, relation: str) -> Mechanism | None:
        if self.batches == 1:
            return self.mechanism.member_among_alike(relation)
        if relation not in self.known_relations:
            return None
        return self._first_answer if relation == ZERO_OUT else self.under(relation).member()

    def members(self) -> tuple[Mechanism, ...]:
        member = self.member()
        if isinstance(member, _LargestAnswerOfPass) and member.m > _FEW_DIGITS:
            return member, self._first_answer
        return (member,)

    @property
    def _first_answer(self) -> Mechanism:
        """The first answer of a pass in which all other records are zero: the record is as often in it as in any."""
        return Poisson(self.mechanism.member(), float_below(Fraction(1, int(self.batches))), mix_relations=True)

    @property
    def reveals_everything(self) -> bool:
        return self.mechanism.reveals_everything


@dataclass(frozen=True)
class _LargestAnswerOfPass(Mechanism):
    """The largest answer of a pass in which all other records pull one way: the record is one or two steps off."""

    name: ClassVar[str] = "largest_answer"
    neighbours: ClassVar[str] = ZERO_OUT

    m: float
    answers: int

    def pair(self, direction: Direction) -> Pair | None:
        return largest_answer_pair(self.m, self.answers, direction is Direction.REMOVE)


_ONE_MORE = "A record more or less moves the others from batch to batch."
