"""Batches of a fixed size, drawn with replacement (M31)."""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.mechanisms.batches import check_batch
from tightbudget.mechanisms.gaussian import Gaussian, gaussian_pair
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT
from tightbudget.mechanisms.without_replacement import OneBranch
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U, lowered, raised, strictly_raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.both_branches import both_branches_pair
from tightbudget.pairs.copies import copies_pair
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.mixtures import NORMAL, Mixture
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.profile_grid import pair_of_profiles
from tightbudget.pairs.profile_of import inner_losses, profile_above
from tightbudget.pairs.told_gaussians import ToldGaussiansPair

_MOST_COPIES = 500  # of a record in a batch, on average: the probability of none is still a float
_LARGEST_BATCH = 1000  # of which all binomial probabilities are had
_LEAST_MOVE, _MOST_MOVE = 1e-100, 1e4  # sigmas: less is hidden in rounding, more is told at sight
_LEAST_RATE = 2.0**-50
_FEW_COPIES = 5  # on average: of more the lower end counts them once
_HARDLY_EVER = 1e-35  # of the probability to be drawn: copies that a lower end may leave out
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
    which they all look like the record that is not there (M31). Under
    add_remove the pair is attained (M27), and batches are of at most 1000.

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
            raise UnknownRelation(ZERO_OUT, self, [ADD_REMOVE, REPLACE_ONE], self._relation_hint(ZERO_OUT))
        if self.relation == ADD_REMOVE and not self._comes_and_goes:
            raise UnknownRelation(ADD_REMOVE, self, [REPLACE_ONE], self._relation_hint(ADD_REMOVE))

    @property
    def promised_records(self) -> int:
        return int(self.examples)

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

    def _relation_hint(self, relation: str) -> str:
        if relation == ZERO_OUT:
            return "Ask about add_remove or replace_one."
        if self.batch > _LARGEST_BATCH:
            return f"Under add_remove a batch may have at most {_LARGEST_BATCH} examples."
        return "Under add_remove sigma must be above 0, and neither tiny nor huge beside the sensitivity."

    @property
    def _replaced(self) -> Gaussian:
        replaced = self.mechanism.under(REPLACE_ONE)
        assert isinstance(replaced, Gaussian)
        return replaced

    def member(self) -> Mechanism:
        if self.relation == ADD_REMOVE:
            return self  # its pair is attained
        if self.batch > 0 and self.batch <= _FEW_COPIES * self.examples and self.examples > 1 and self._usual(self._replaced):
            return SomeCopies(self._replaced, self.batch, self.examples)
        drawn = _chance_of_being_drawn(self.batch, self.examples) if self.examples > 1 else float(self.batch > 0)
        return OneBranch(self._replaced, lowered(drawn, 32))

    @property
    def orders_exchanged(self) -> bool:
        return self.relation == ADD_REMOVE

    def member_among_alike(self, relation: str) -> Mechanism | None:
        return self.under(relation).member() if relation == REPLACE_ONE else None

    def pair(self, direction: Direction) -> Pair | None:
        if self.relation == REPLACE_ONE or self.batch == 0 or self.examples == 1:
            return self._pair
        noise = self._replaced
        if gaussian_pair(noise.sigma, noise.sensitivity) is None:
            return None
        return copies_pair(int(self.batch), int(self.examples), noise.sensitivity / noise.sigma, direction)

    @cached_property
    def _pair(self) -> Pair | None:
        """The pair for both directions, of a record that is replaced, that is all there is, or that is never drawn."""
        noise, batch, examples = self._replaced, int(self.batch), int(self.examples)
        if batch == 0 or gaussian_pair(noise.sigma, noise.sensitivity) is None:
            return None
        if examples == 1:  # batch times
            return gaussian_pair(noise.sigma, raised(noise.sensitivity * batch, 4))
        if self._usual(noise):
            return both_branches_pair(
                _told_copies(batch, examples, noise.sensitivity / noise.sigma), _drawn_rate_above(batch, examples)
            )
        return _pair_of_copies_drawn(batch, examples, float(noise.sigma), float(noise.sensitivity))

    def _usual(self, noise: Gaussian) -> bool:
        """Whether the noise, the largest number of copies and the rate are such as floats hold well."""
        copies = 2.0 * self.batch / self.examples + 100.0
        return (
            noise.sigma > 0.0
            and _LEAST_MOVE < noise.sensitivity / noise.sigma < _MOST_MOVE / copies
            and _LEAST_RATE < _drawn_rate_above(int(self.batch), int(self.examples)) < 1.0
        )


@dataclass(frozen=True)
class SomeCopies(Mechanism):
    """A batch whose other records all look like the one that is not there, in every step: a member of the class.

    A record that is drawn so often as happens with a probability of 1e-35 or less is taken not to be drawn: that hides
    more.
    """

    name: ClassVar[str] = "some_copies"

    mechanism: Gaussian
    batch: int
    examples: int

    larger = Direction.REMOVE

    def pair(self, direction: Direction) -> Pair | None:
        batch, examples, m = int(self.batch), int(self.examples), self.mechanism.sensitivity / self.mechanism.sigma
        copies, logs, errors = _weights_of_copies(batch, examples)
        moves = Mixture(tuple(k * m for k in copies), logs, errors)
        above, below = (moves, NORMAL) if direction is Direction.REMOVE else (NORMAL, moves)
        return gaussian_mixture_pair(above, below)


def _probability_of_none(batch: int, examples: int) -> float:
    """Return the probability that a record is not drawn, good to 4 (1 + batch/examples) roundings."""
    return math.exp(batch * math.log1p(-1.0 / examples))


def _chance_of_being_drawn(batch: int, examples: int) -> float:
    """Return the probability that a record is drawn at all, good to some 10 roundings."""
    return -math.expm1(batch * math.log1p(-1.0 / examples))


def _drawn_rate_above(batch: int, examples: int) -> float:
    """Return no less than the probability that a record is drawn."""
    return min(1.0, raised(_chance_of_being_drawn(batch, examples), 32))


def _told_copies(batch: int, examples: int, m: float) -> Pair:
    """Return the pair of a record that is drawn and replaced, if it is told how often it was drawn: m for each copy.

    Sampled as in both branches, it has the profile sum_k p_k d_k(g').
    """
    (copies, logs, errors), beyond = _weights_told(batch, examples)
    return ToldGaussiansPair(tuple(k * m for k in copies), logs, errors, beyond)


@REMEMBERED.remember
def _pair_of_copies_drawn(batch: int, examples: int, sigma: float, shift: float) -> PointPair:
    """Return a pair of many dots of the profile sum_k p_k d_k(g'), d_k for k copies replaced."""
    drawn = _drawn_rate_above(batch, examples)
    copies, beyond = _copies_with_replacement(batch, examples)
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


def _copies_error(k: int, batch: int, examples: int) -> float:
    """Bound on the relative error of the probability of k copies."""
    return (8.0 * k + 8.0 * (1.0 + batch / examples)) * U


class _Weights(NamedTuple):
    """Numbers of copies, the logs of their probabilities, and bounds on the errors of these."""

    copies: tuple[int, ...]
    logs: tuple[float, ...]
    errors: tuple[float, ...]


# A search for the noise asks about one batch again and again.


@lru_cache(maxsize=64)
def _weights_told(batch: int, examples: int) -> tuple[_Weights, InfiniteMass]:
    """Return the weights of 1, 2, ... copies of a record that is drawn, and the probability of more than these."""
    copies, beyond = _copies_with_replacement(batch, examples)
    drawn = _chance_of_being_drawn(batch, examples)
    weights = _Weights(
        tuple(k for k, _ in copies),
        tuple(math.log(p / drawn) for _, p in copies),
        tuple(4.0 * _copies_error(k, batch, examples) + 256.0 * U for k, _ in copies),
    )
    # more than that of all others: it is taken from the first ones
    more = raised(beyond / drawn, 64)
    return weights, InfiniteMass(Mass.about(math.log(more), 4.0 * U * abs(math.log(more)))) if more else NOWHERE


@lru_cache(maxsize=64)
def _weights_of_copies(batch: int, examples: int) -> _Weights:
    """Return the weights of 0, 1, ... copies, without those that hardly ever occur."""
    copies, _ = _copies_with_replacement(batch, examples, _HARDLY_EVER * _chance_of_being_drawn(batch, examples))
    none = batch * math.log1p(-1.0 / examples)
    return _Weights(
        (0, *(k for k, _ in copies)),
        (none, *(math.log(p) for _, p in copies)),
        (16.0 * U * (1.0 - none), *(4.0 * _copies_error(k, batch, examples) + 16.0 * U for k, _ in copies)),
    )


@lru_cache(maxsize=64)
def _copies_with_replacement(batch: int, examples: int, rare: float = _RARE) -> tuple[tuple[tuple[int, float], ...], float]:
    """Return bounds on the probabilities of 1, 2, ... copies of a record, and one on that of more than all of these."""
    made: list[tuple[int, float]] = []
    p = _probability_of_none(batch, examples)
    for k in range(1, batch + 1):
        p *= (batch - k + 1) / (k * (examples - 1.0))
        bound = p * (1.0 + _copies_error(k, batch, examples))
        if made and p < rare and k > 2.0 * batch / (examples - 1.0):  # each further one is half as likely, or less
            return tuple(made), 2.0 * bound
        made.append((k, bound))
    return tuple(made), 0.0
