"""Poisson samples of which no more than a given number of records are kept (M30)."""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, NamedTuple

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probability, whole_count
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relations
from tightbudget.mechanisms.what_is_sampled import check_sampled
from tightbudget.mechanisms.without_replacement import WithoutReplacement
from tightbudget.numerics.binomial import MOST_TERMS, binomial, terms_of
from tightbudget.numerics.rounding import TINIEST, U, raised
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst
from tightbudget.pairs.either import EitherPair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.mixtures import NORMAL, Mixture
from tightbudget.pairs.poisson import poisson_pair
from tightbudget.pairs.revealing import revealing_pair

_HARDLY = -755.0  # logs of probabilities that are not known are below this
_USUAL = 1e-100, 1e3  # shifts and rates that no rounding needs care for: they have a loss in closed form
_FARTHEST = 1e149  # shift in sigmas whose square, the loss, is near the end of the floats


class _Share(NamedTuple):
    """A probability and what it leaves of 1, as logs, with bounds on their errors."""

    log: float
    log_rest: float
    error: float
    rest_error: float


@dataclass(frozen=True)
class TruncatedPoisson(KeptPairs):
    """Run Gaussian noise on a Poisson sample of which at most `cap` are kept.

    mechanism  what is run on the batch: Gaussian noise for add_remove
    q          probability with which each record is drawn, from 0 to 1
    cap        how many of those drawn are kept at most, chosen uniformly:
               1 or more
    examples   how many there are to draw from; under add_remove in the
               larger of the two data sets
    relation   add_remove, replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. Where the cap
    is reached a record that is drawn takes the place of another. The upper
    end holds for all data, the lower end is that of records which are all
    zero but one (M30). With q = 1 it is without_replacement.

    >>> from tightbudget import Gaussian, TruncatedPoisson
    >>> step = TruncatedPoisson(Gaussian(sigma=1), 0.1, cap=3, examples=20)
    >>> print(step.delta(epsilon=1))
    [0.000141..., 0.00317...]
    """

    name: ClassVar[str] = "truncated_poisson"
    attains_pair: ClassVar[bool] = False

    mechanism: Mechanism
    q: float
    cap: int
    examples: int
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        check_sampled(self.mechanism)
        if not isinstance(self.mechanism, Gaussian) or self.mechanism.relations != {ADD_REMOVE}:
            raise InvalidParameter(
                "mechanism",
                str(self.mechanism),
                "Gaussian noise stated for add_remove",
                "No other is proven on capped samples.",
            )
        probability("q", self.q, "For a batch of 256 out of 60000 use 256/60000.")
        for name in ("cap", "examples"):
            whole_count(getattr(self, name), name, least=1)
        if 0.0 < self.q < 1.0 and terms_of(int(self.examples), float(self.q)) > MOST_TERMS:
            raise InvalidParameter(
                "examples", self.examples, "fewer at this q", "A batch of a billion records is as far as it goes."
            )

    @cached_property
    def relations(self) -> Relations:
        return frozenset({self.relation})

    def _under(self, relation: str) -> Mechanism | None:
        return self if relation == self.relation else replace(self, relation=relation) if self.relation == ADD_REMOVE else None

    @property
    def promised_records(self) -> int:
        return int(self.examples)

    @property
    def _uncapped(self) -> Poisson:
        mechanism = self.mechanism.under(ZERO_OUT) if self.relation == ZERO_OUT else self.mechanism
        return Poisson(mechanism, self.q, relation=self.relation)

    @property
    def _never_capped(self) -> bool:
        return self.cap >= self.examples or self.q == 0

    @cached_property
    def _always_full(self) -> WithoutReplacement | None:
        """What it is where every record is drawn and so many are kept; None if fewer may be drawn, or all are kept."""
        if self.q < 1 or self._never_capped:
            return None
        return WithoutReplacement(self.mechanism, int(self.cap), int(self.examples), relation=self.relation)

    @property
    def is_class(self) -> bool:
        return self._always_full.is_class if self._always_full else not self._never_capped

    def member(self) -> Mechanism:
        return self.members()[0]

    def members(self) -> tuple[Mechanism, ...]:
        """Return what it is where all other records are zero: Poisson sampling at the rate at which one is kept."""
        if self._always_full:
            return self._always_full.members()
        return (self._uncapped if self._never_capped else replace(self._uncapped, q=self._kept[0]),)

    def member_among_alike(self, relation: str) -> Mechanism | None:
        if relation not in self.known_relations:
            return None
        stated = replace(self, relation=relation)
        one: Mechanism | None = stated._always_full or (stated._uncapped if self._never_capped else None)
        if one is not None:
            return one.member_among_alike(relation)
        return stated.member() if relation == ZERO_OUT else None  # the others are drawn by chance, too

    def choosing_analyst(self, count: int) -> ChoosingAnalyst | None:
        return self._always_full.choosing_analyst(count) if self._always_full else None

    @property
    def _kept(self) -> tuple[float, float]:
        """Bounds on the probability with which a record is in the batch."""
        log_drawn = math.log(self.q)
        capped, kept = self._capped, self._kept_if_capped
        parts = (capped.log_rest + log_drawn, capped.log + kept.log)
        value = math.exp(parts[0]) + math.exp(parts[1])
        share = capped.error + capped.rest_error + kept.error + 16.0 * U * (1.0 - log_drawn + abs(max(parts)))
        return max(0.0, value * (1.0 - share) - TINIEST), min(1.0, value * (1.0 + share) + TINIEST)

    @property
    def _drawn(self) -> _Share:
        log, log_rest = math.log(self.q), math.log1p(-self.q)
        return _Share(log, log_rest, 4.0 * U * -log, 4.0 * U * -log_rest)

    @cached_property
    def _capped(self) -> _Share:
        """The probability that at least `cap` of the other records are drawn."""
        n, cap = int(self.examples), int(self.cap)
        return _at_least(n - 1, float(self.q), cap)

    @cached_property
    def _kept_if_capped(self) -> _Share:
        """The probability that the record is kept, given that: cap/n Pr[Bin(n, q) > cap] over that of the cap."""
        n, cap = int(self.examples), int(self.cap)
        more, _, more_error, _ = _at_least(n, float(self.q), cap + 1)
        if more == -math.inf or self._capped.log == -math.inf:  # hardly ever capped: no more is kept than is drawn
            return self._drawn
        log = min(math.log(cap / n) + more - self._capped.log, math.log(self.q))
        error = more_error + self._capped.error + 16.0 * U * (1.0 + abs(math.log(cap / n)) + abs(self._capped.log))
        kept = math.exp(log)
        return _Share(log, math.log1p(-kept), error, 4.0 * U + 2.0 * error * kept / (1.0 - kept))

    @cached_property
    def _pairs(self) -> dict[Direction, Pair | None]:
        remove, add = self._pair_in(Direction.REMOVE), self._pair_in(Direction.ADD)
        if isinstance(remove, EitherPair) and isinstance(add, EitherPair):
            add = replace(add, swapped=remove)  # ADD is REMOVE reversed (M30)
        return {Direction.REMOVE: remove, Direction.ADD: add}

    def _pair_in(self, direction: Direction) -> Pair | None:
        if self._never_capped:
            return self._uncapped.pair(direction)
        if self._always_full:
            return self._always_full.pair(direction)
        assert isinstance(self.mechanism, Gaussian)
        if self.mechanism.reveals_nothing:
            return None
        sigma, sensitivity = self.mechanism.sigma, self.mechanism.sensitivity
        m = max(sensitivity / sigma, TINIEST) if sigma else math.inf
        if m > _FARTHEST:
            return revealing_pair(self._kept[1])
        capped = self._capped
        second = self._part(direction, 2.0 * m, m if self.relation == ZERO_OUT else 2.0 * m, self._kept_if_capped)
        first = self._part(direction, m, m, self._drawn)
        # told which of the two it is, divergences add up: more of either can only raise them
        logs = max(capped.log_rest, _HARDLY), max(capped.log, _HARDLY)
        return EitherPair(first, second, logs, max(capped.error, capped.rest_error))

    def _part(self, direction: Direction, present: float, other: float, share: _Share) -> Pair:
        """Return the pair of a record that moves the query by `present`, and by `other` where it is another or zero."""
        here, there = (
            Mixture((0.0, move), (share.log_rest, share.log), (share.rest_error, share.error)) for move in (present, other)
        )
        zeroed = self.relation == ZERO_OUT and other < present
        rate = raised(math.exp(share.log), 4) * (1.0 + 2.0 * share.error)
        if self.relation != REPLACE_ONE and not zeroed and _USUAL[0] < present < _USUAL[1] and _USUAL[0] < rate < 1.0:
            return poisson_pair(GaussianPair(present), rate, direction)  # a larger rate dominates (M3)
        if self.relation != REPLACE_ONE and not zeroed:
            there = NORMAL
        above, below = (here, there) if direction is Direction.REMOVE else (there, here)
        return gaussian_mixture_pair(above, below)

    @property
    def subsamples(self) -> bool:
        return self.q < 1 or self.cap < self.examples

    @property
    def whole(self) -> Mechanism:
        return self.mechanism.under(REPLACE_ONE)


@lru_cache(maxsize=256)  # a search for the noise asks about one sample again and again
def _at_least(n: int, q: float, least: int) -> _Share:
    """Return the probability that at least so many of n records are drawn, and what it leaves of 1."""
    law = binomial(n, q)
    (log, error), (log_rest, rest_error) = law.log_between(least, n), law.log_between(0, least - 1)
    return _Share(log, log_rest, error, rest_error)
