"""Several records that come and go together, each drawn at a rate of its own (M27)."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probabilities
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.group import MOST_SAMPLED
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, Relations
from tightbudget.mechanisms.what_is_sampled import check_sampled
from tightbudget.numerics.binomial import poisson_binomial
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.mixtures import NORMAL, Mixture

_LEAST, _FARTHEST = 1e-280, 1e140  # of a shift in sigmas: beyond, products and squares have no digits


@dataclass(frozen=True)
class SampledGroup(KeptPairs):
    """Run Gaussian noise on a sample that draws each of a group at its rate.

    mechanism  what is run on the sample: Gaussian noise for add_remove
    rates      probability with which each record of the group is in the
               sample, independently, from 0 to 1: a list of at most 500
    relation   add_remove, replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated, for all records
    of the group at once. Records that are replaced keep their rates. Where
    all rates are equal this is group(poisson(...), k).

    >>> from tightbudget import Gaussian, SampledGroup
    >>> step = SampledGroup(Gaussian(sigma=1), [0.1, 0.05, 0.01])
    >>> print((step * 100).epsilon(delta=1e-6))
    [14.50..., 14.5...]
    """

    name: ClassVar[str] = "sampled_group"
    of_several: ClassVar[bool] = True

    mechanism: Mechanism
    rates: tuple[float, ...]
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        check_sampled(self.mechanism)
        if not isinstance(self.mechanism, Gaussian) or self.mechanism.relations != {ADD_REMOVE}:
            raise InvalidParameter("mechanism", str(self.mechanism), "Gaussian noise stated for add_remove")
        if not self.mechanism.reveals_nothing and not _LEAST < self._move < _FARTHEST:
            raise InvalidParameter("sigma", self.mechanism.sigma, f"noise of {1 / _FARTHEST:g} to {1 / _LEAST:g} sensitivities")
        hint = "It is how likely the record is to be in the sample."
        object.__setattr__(self, "rates", probabilities("rates", self.rates, hint))
        if len(self.rates) > MOST_SAMPLED:
            raise InvalidParameter("rates", f"a list of {len(self.rates)}", f"a list of at most {MOST_SAMPLED}")

    @property
    def _move(self) -> float:
        """How far one record moves the query, in sigmas."""
        assert isinstance(self.mechanism, Gaussian)
        return self.mechanism.sensitivity / self.mechanism.sigma if self.mechanism.sigma else math.inf

    @cached_property
    def relations(self) -> Relations:
        return frozenset({self.relation})

    def _under(self, relation: str) -> Mechanism | None:
        return replace(self, relation=relation)

    @property
    def orders_exchanged(self) -> bool:
        return True

    def _pair_in(self, direction: Direction) -> Pair | None:
        certain = sum(rate == 1.0 for rate in self.rates)
        uncertain = sorted(rate for rate in self.rates if 0.0 < rate < 1.0)
        if self.mechanism.reveals_nothing or not certain + len(uncertain):
            return None
        moved = _moves_of_drawn_group(certain, uncertain, self._move)
        if self.relation == REPLACE_ONE:
            return gaussian_mixture_pair(moved, moved)
        # a record that is zeroed adds nothing to the sum, as if it had not been drawn
        return gaussian_mixture_pair(moved, NORMAL) if direction is Direction.REMOVE else gaussian_mixture_pair(NORMAL, moved)


def _moves_of_drawn_group(certain: int, uncertain: list[float], move: float) -> Mixture:
    """Return as many moves as records are drawn: those that are certain, and some of the others."""
    law = poisson_binomial(uncertain)
    none = math.fsum(math.log1p(-rate) for rate in uncertain)  # relatively accurate: the largest loss of ADD
    logs, errors = (none, *law.logs[1:].tolist()), (8.0 * U * -none, *law.errors[1:].tolist())
    return Mixture(tuple((certain + j) * move for j in range(len(uncertain) + 1)), logs, errors)
