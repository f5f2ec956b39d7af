"""Several records that come and go together: group privacy (M27)."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import group_size
from tightbudget.mechanisms.composition import in_notation
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism, unknown_group
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.relations import REPLACE_ONE, Relations
from tightbudget.numerics.binomial import binomial
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.mixtures import NORMAL, Mixture

MOST_SAMPLED = 500
_LEAST, _FARTHEST = 1e-280, 1e140  # of a shift in sigmas: beyond, products and squares have no digits


@dataclass(frozen=True)
class Group(KeptPairs):
    """A Poisson sample seen by k records that come and go together.

    mechanism  what is run: a Poisson sample of Gaussian noise
    k          how many records the group has: 1 or more

    Neighbours: the relation of the sample, for all k records at once. As many
    of them count as are drawn, each on its own.

    >>> from tightbudget import Gaussian, Poisson
    >>> print(Poisson(Gaussian(sigma=1), q=0.1).group(3).delta(epsilon=1))
    [0.013386..., 0.013386...]
    """

    name: ClassVar[str] = "group"
    of_several: ClassVar[bool] = True

    mechanism: Mechanism
    k: int

    def __post_init__(self) -> None:
        self._check_parameters()
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter(
                "mechanism", in_notation(self.mechanism), "one mechanism", "A composition has a method group."
            )
        group_size(self.k)
        if not isinstance(self.mechanism, Poisson):
            hint = "For other steps call their method group in Python, or write group(...) in the notation."
            raise InvalidParameter("mechanism", str(self.mechanism), "a Poisson sample of Gaussian noise", hint)
        if not _group_pair_is_known(self.mechanism):
            raise unknown_group(self.mechanism)
        if self.k > MOST_SAMPLED:
            raise InvalidParameter("k", self.k, f"at most {MOST_SAMPLED} on a sample")

    @cached_property
    def relations(self) -> Relations:
        return self.mechanism.relations

    def _under(self, relation: str) -> Mechanism | None:
        return replace(self, mechanism=self.mechanism.under(relation)) if relation in self.mechanism.known_relations else None

    @property
    def orders_exchanged(self) -> bool:
        return True

    def _pair_in(self, direction: Direction) -> Pair | None:
        assert isinstance(self.mechanism, Poisson)
        return self.mechanism.pair(direction) if self.k == 1 else _sampled_pair(self.mechanism, int(self.k), direction)


def _group_pair_is_known(sampled: Poisson) -> bool:
    """Whether what is sampled is normal noise stated for records that come and go, of a shift that floats hold well."""
    noise = sampled.mechanism
    if not isinstance(noise, Gaussian) or len(sampled.relations) != 1 or noise.relation == REPLACE_ONE or not 0 < sampled.q < 1:
        return False
    return 0.0 < noise.sigma < math.inf and _LEAST < noise.sensitivity / noise.sigma < _FARTHEST


def group_of_sampled(sampled: Poisson, k: int) -> Mechanism | None:
    """Return the group of a Poisson sample, if it is known."""
    return Group(sampled, k) if _group_pair_is_known(sampled) else None


def _sampled_pair(sampled: Poisson, k: int, direction: Direction) -> Pair | None:
    """Return as many moves as records are drawn: Bin(k, q) of them."""
    noise = sampled.mechanism
    assert isinstance(noise, Gaussian)
    law, m = binomial(k, float(sampled.q)), noise.sensitivity / noise.sigma
    assert law.first == 0  # so few have all their terms
    none = k * math.log1p(-sampled.q)  # relatively accurate: the largest loss of ADD
    logs, errors = (none, *law.logs[1:].tolist()), (8.0 * U * -none, *law.errors[1:].tolist())
    moved = Mixture(tuple(j * m for j in range(k + 1)), logs, errors)
    if sampled.relation == REPLACE_ONE:
        return gaussian_mixture_pair(moved, moved)
    return gaussian_mixture_pair(moved, NORMAL) if direction is Direction.REMOVE else gaussian_mixture_pair(NORMAL, moved)
