"""Randomised response over k values."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probability, real
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import REPLACE_ONE, ZERO_OUT
from tightbudget.mechanisms.trends import Trend
from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U, float_above
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import point_pair
from tightbudget.pairs.revealing import revealing_pair

_ONE_ANSWER = "Each record gives one answer, and one that is not there gives none, which shows."
_NONE_AS_ANY = "If a record without a value answers each of the values alike, state relation='zero_out'."


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """Tell the true one of k values with probability p, else another.

    p  probability of the truth, from 0 to 1; the other k - 1 values
       are equally likely
    k  how many values there are, a whole number from 2; usually 2
    relation  replace_one, or zero_out: then a record may be none, for which
              each of the values is answered alike; usually replace_one

    Neighbours: replace_one, that is, another true value, unless zero_out is
    stated.

    >>> from tightbudget import RandomizedResponse
    >>> print((RandomizedResponse(p=0.6) * 100).epsilon(delta=1e-6))
    [25.471..., 25.472...]
    """

    name: ClassVar[str] = "randomized_response"

    p: float
    k: int = 2
    relation: str = field(default=REPLACE_ONE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        probability("p", self.p)
        values = real("k", self.k, "a whole number from 2")
        if not (values >= 2.0 and math.isfinite(values) and values == math.floor(values)):
            raise InvalidParameter("k", self.k, "a whole number from 2")
        if self.relation not in (REPLACE_ONE, ZERO_OUT):
            raise InvalidParameter("relation", self.relation, "replace_one or zero_out", f"{_ONE_ANSWER} {_NONE_AS_ANY}")

    def _under(self, relation: str) -> Mechanism | None:
        if relation == self.relation:
            return self
        # what a record without a value answers must be stated; another value is there in any case
        return replace(self, relation=relation) if relation == REPLACE_ONE else None

    def _relation_hint(self, relation: str) -> str:
        return f"{_ONE_ANSWER} {_NONE_AS_ANY}" if relation == ZERO_OUT else _ONE_ANSWER

    def trend(self, argument: str) -> Trend | None:
        # below 1/k a lie is likelier than the truth, and more truth hides more
        return Trend(reveals=True, low=float_above(Fraction(1, int(self.k))), high=1.0) if argument == "p" else None

    def _group(self, k: int) -> Composable | None:
        return self * k  # each of them answers

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        if self.relation == ZERO_OUT:
            return _pair_with_none(Fraction(self.p), int(self.k), direction)
        return self._pair_of_two_values

    @cached_property
    def _pair_of_two_values(self) -> Pair | None:
        """The pair of two true values: the same in both directions."""
        # floats are exact rationals: whether p is just 1/k, and by how much it is not, is decided without rounding
        exact_truth = Fraction(self.p)
        exact_lie = (1 - exact_truth) / (int(self.k) - 1)
        if exact_truth == exact_lie:
            return None
        if 0 in (exact_truth, exact_lie):
            return revealing_pair(1.0 if exact_lie == 0 else exact_lie)
        exact_both = (int(self.k) - 2) * exact_lie
        truth, lie, both = (log_fraction(mass) if mass else -math.inf for mass in (exact_truth, exact_lie, exact_both))
        # log1p keeps the loss relatively accurate when p is close to 1/k
        ratio = max(exact_truth, exact_lie) / min(exact_truth, exact_lie)
        moderate = ratio < 2**1000
        size = math.log1p(float(ratio - 1)) if moderate else log_fraction(ratio)
        loss = size if exact_truth > exact_lie else -size
        others = [0.0] * (exact_both > 0)
        losses = np.array([-loss, loss, *others])
        log_a = np.array([lie, truth, *(both for _ in others)])
        log_b = np.array([truth, lie, *(both for _ in others)])
        return point_pair(
            ("randomized_response", exact_truth, int(self.k)),
            losses,
            log_a,
            log_b,
            error=16.0 * U * (1.0 + float(np.abs(log_a).max())),
            period=size if others else 2.0 * size,
            loss_error=0.0 if moderate else 16.0 * U * size,
        )


def _pair_with_none(truth: Fraction, values: int, direction: Direction) -> Pair | None:
    """Return the pair of a record and none: the true value against all others together, which none tells alike."""
    record, none = (truth, 1 - truth), (Fraction(1, values), Fraction(values - 1, values))
    if record == none:
        return None
    first, second = (record, none) if direction is Direction.REMOVE else (none, record)
    both = [(a, b) for a, b in zip(first, second, strict=True) if a and b]
    # log1p keeps the losses relatively accurate when p is close to 1/k
    losses = np.array([math.log1p(float(a / b - 1)) if 2 * a > b and a < 2**1000 * b else log_fraction(a / b) for a, b in both])
    log_a, log_b = (np.array([log_fraction(mass) for mass in masses]) for masses in zip(*both, strict=True))
    infinity, minus_infinity = (
        InfiniteMass(Mass.exactly(next((a for a, b in zip(*laws, strict=True) if a and not b), Fraction(0))))
        for laws in ((first, second), (second, first))
    )
    size = 1.0 + float(np.abs([log_a, log_b]).max())
    return point_pair(
        ("randomized_response or none", truth, values, direction),
        losses,
        log_a,
        log_b,
        error=16.0 * U * size,
        infinity=infinity,
        minus_infinity=minus_infinity,
        loss_error=16.0 * U * float(np.abs(losses).max()),
    )
