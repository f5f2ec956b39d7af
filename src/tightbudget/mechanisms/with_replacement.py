"""Batches of a fixed size, drawn with replacement (M31)."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.batches import check_batch
from tightbudget.mechanisms.gaussian import Gaussian, gaussian_pair
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT
from tightbudget.mechanisms.without_replacement import OneBranch
from tightbudget.numerics.rounding import U, lowered, raised, strictly_raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.copies import copies_pair
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.profile_grid import pair_of_profiles
from tightbudget.pairs.profile_of import inner_losses, profile_above

_MOST_COPIES = 500  # of a record in a batch, on average: the probability of none is still a float
_LARGEST_BATCH = 1000  # of which all binomial probabilities are had
_RARE = 1e-100  # copies so many that they are as rare as this count as if they revealed everything


@dataclass(frozen=True)
class WithReplacement(Mechanism):
    """Add normal noise to a batch of a fixed size, drawn with replacement.

    mechanism  the noise: a Gaussian
    batch      how many records are drawn, each of all, afresh in every step
    examples   how many there are to draw from, at least; under add_remove
               in the larger of the two data sets
    relation   replace_one or add_remove; usually replace_one

    Neighbours: replace_one, unless add_remove is stated. A record may be
    drawn several times, and counts as often. Under replace_one the upper end
    holds for every choice of the other records, the lower end for one in
    which they all look like the record that is not there, and copies count
    once (M31). Under add_remove the pair is attained (M27).

    >>> from tightbudget import Gaussian, WithReplacement
    >>> step = WithReplacement(Gaussian(sigma=4), 256, examples=60000)
    >>> print((step * 1000).epsilon(delta=1e-6))
    [0.28..., 0.34...]
    """

    name: ClassVar[str] = "with_replacement"
    attains_pair: ClassVar[bool] = False
    reveal_more: ClassVar[tuple[str, ...]] = ("batch",)
    hide_more: ClassVar[tuple[str, ...]] = ("examples",)

    mechanism: Mechanism
    batch: int
    examples: int
    relation: str = field(default=REPLACE_ONE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        check_batch(self.mechanism, self.batch, self.examples)
        if not isinstance(self.mechanism, Gaussian):
            raise InvalidParameter("mechanism", str(self.mechanism), "a gaussian", "Of other noise nothing is proven here.")
        if self.batch > _MOST_COPIES * self.examples:
            raise InvalidParameter("batch", self.batch, f"at most {_MOST_COPIES} times examples")
        if self.relation == ZERO_OUT:
            raise UnknownRelation(ZERO_OUT, self, [ADD_REMOVE, REPLACE_ONE], "Ask about one of these.")
        if self.relation == ADD_REMOVE and not self._comes_and_goes:
            raise UnknownRelation(
                ADD_REMOVE, self, [REPLACE_ONE], f"Take batches of at most {_LARGEST_BATCH}, and usual noise."
            )

    @property
    def _comes_and_goes(self) -> bool:
        """Whether all binomial probabilities of the batch are had, and the noise is such as floats hold well."""
        noise = self._replaced
        usual = 0.0 < noise.sigma < math.inf and 1e-280 < noise.sensitivity / noise.sigma < 1e140
        return self.batch <= _LARGEST_BATCH and usual

    def _under(self, relation: str) -> Mechanism | None:
        if relation == self.relation:
            return self
        return None if relation == ZERO_OUT or not self._comes_and_goes else replace(self, relation=relation)

    @property
    def _replaced(self) -> Gaussian:
        replaced = self.mechanism.under(REPLACE_ONE)
        assert isinstance(replaced, Gaussian)
        return replaced

    def member(self) -> Mechanism:
        if self.relation == ADD_REMOVE:
            return self  # its pair is attained
        drawn = _drawn(self.batch, self.examples) if self.examples > 1 else float(self.batch > 0)
        return OneBranch(self._replaced, lowered(drawn, 32))

    def pair(self, direction: Direction) -> Pair | None:
        noise = self._replaced
        if self.batch == 0 or gaussian_pair(noise.sigma, noise.sensitivity) is None:
            return None
        if self.examples == 1:  # the record is all there is, batch times
            return gaussian_pair(noise.sigma, raised(noise.sensitivity * self.batch, 4))
        if self.relation == ADD_REMOVE:
            return copies_pair(int(self.batch), int(self.examples), noise.sensitivity / noise.sigma, direction)
        return _pair(int(self.batch), int(self.examples), float(noise.sigma), float(noise.sensitivity))


def _probability_of_none(batch: int, examples: int) -> float:
    """Return the probability that a record is not drawn, good to 4 (1 + batch/examples) roundings."""
    return math.exp(batch * math.log1p(-1.0 / examples))


def _drawn(batch: int, examples: int) -> float:
    """Return the probability that a record is drawn at all, good to some 10 roundings."""
    return -math.expm1(batch * math.log1p(-1.0 / examples))


@REMEMBERED.remember
def _pair(batch: int, examples: int, sigma: float, shift: float) -> PointPair:
    """Return a pair of the profile sum_k p_k d_k(g'), d_k for k copies replaced."""
    drawn = min(1.0, raised(_drawn(batch, examples), 32))
    copies, beyond = _copies(batch, examples)
    terms = [(p, gaussian_pair(sigma, raised(k * shift, 2))) for k, p in copies]
    profiles = [(p, profile_above(pair)) for p, pair in terms if pair is not None]

    def profile(losses: Array) -> Array:
        inner, total = inner_losses(losses, drawn), np.full(losses.size, beyond)
        for p, one in profiles:
            total += p * one(inner)
        return np.minimum(strictly_raised(total, 2.0 * len(profiles) + 8.0), drawn)

    made = pair_of_profiles(("with replacement", batch, examples, sigma, shift), profile)
    assert made is not None  # some record is drawn, and noise does not hide it
    return made


def _copies(batch: int, examples: int) -> tuple[list[tuple[int, float]], float]:
    """Return bounds on the probabilities of 1, 2, ... copies of a record, and one on that of more than all of these."""
    made: list[tuple[int, float]] = []
    p = _probability_of_none(batch, examples)
    for k in range(1, batch + 1):
        p *= (batch - k + 1) / (k * (examples - 1.0))
        bound = p * (1.0 + (8.0 * k + 8.0 * (1.0 + batch / examples)) * U)
        if p < _RARE and k > 2.0 * batch / (examples - 1.0):  # each further one is half as likely, or less
            return made, 2.0 * bound
        made.append((k, bound))
    return made, 0.0
