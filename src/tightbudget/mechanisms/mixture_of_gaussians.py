"""Normal noise on a query that a record moves by a random distance (M27)."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import numbers_from_0, positive
from tightbudget.mechanisms.gaussian import gaussian_pair
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT
from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.mixtures import NORMAL, Mixture
from tightbudget.pairs.points import point_pair
from tightbudget.pairs.revealing import revealing_pair

_COMES_OR_GOES = "The distances are of a record that comes or goes; where one is replaced, group says it for sampled records."
_SUM_ERROR = Fraction(1, 10**14)  # room for the roundings of decimals and of quotients by a sum
_LEAST = 1e-280  # of a centre, in sigmas: below, quotients are no longer relatively accurate
_FARTHEST = 1e150  # of a centre, in sigmas: its square, the loss, is near the end of the floats


@dataclass(frozen=True)
class MixtureOfGaussians(KeptPairs):
    """Normal noise on a query that a record moves by a random distance.

    sigma          standard deviation of the noise, 0 or more: 0 is no noise
                   at all, inf reveals nothing
    centres        how far the record moves the query in the L2 norm, each 0
                   or more: a list
    probabilities  how likely each of the distances is: a list as long, of
                   sum 1; what rounding leaves of that is shared out in
                   proportion
    relation       add_remove or zero_out: a record that contributes nothing
                   might as well be absent; usually add_remove

    Neighbours: add_remove, unless zero_out is stated. The direction of each
    move may depend on the others and on the data.

    >>> from tightbudget import MixtureOfGaussians
    >>> moved = MixtureOfGaussians(2, [0, 1, 3], [0.8, 0.15, 0.05])
    >>> print(moved.delta(epsilon=1))
    [0.00170..., 0.00170...]
    """

    name: ClassVar[str] = "mixture_of_gaussians"
    hide_more: ClassVar[tuple[str, ...]] = ("sigma",)

    sigma: float
    centres: tuple[float, ...]
    probabilities: tuple[float, ...]
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma, "It is a standard deviation; 0 means no noise.", zero=True, infinite=True)
        object.__setattr__(self, "centres", numbers_from_0("centres", self.centres))
        object.__setattr__(self, "probabilities", numbers_from_0("probabilities", self.probabilities))
        if len(self.centres) != len(self.probabilities):
            raise InvalidParameter(
                "probabilities",
                f"a list of {len(self.probabilities)}",
                f"as long as centres, a list of {len(self.centres)}",
                "Give each centre its probability.",
            )
        total = sum(map(Fraction, self.probabilities), Fraction(0))
        if abs(total - 1) > _SUM_ERROR:
            hint = "Give what is missing to centre 0." if total < 1 else "Each centre has its own."
            raise InvalidParameter("probabilities", f"a list of sum {float(total)!r}", "a list of sum 1", hint)
        for place, centre in enumerate(self.centres):
            if centre > 0.0 and 0.0 < self.sigma < math.inf and centre / self.sigma < _LEAST:
                raise InvalidParameter(f"centres[{place}]", centre, f"0, or at least {_LEAST:g} sigma", "Write 0 for no move.")

        if self.relation not in (ADD_REMOVE, ZERO_OUT):
            raise InvalidParameter("relation", self.relation, "add_remove or zero_out", _COMES_OR_GOES)

    def _under(self, relation: str) -> Mechanism | None:
        return None if relation == REPLACE_ONE else self if relation == self.relation else replace(self, relation=relation)

    def _relation_hint(self, relation: str) -> str:
        return _COMES_OR_GOES

    @property
    def orders_exchanged(self) -> bool:
        return True

    def _pair_in(self, direction: Direction) -> Pair | None:
        shares = self._shares
        if max(shares) == 0.0 or math.isinf(self.sigma):
            return None
        if len(shares) == 1:
            return gaussian_pair(self.sigma, next(iter(shares)))
        if self.sigma == 0:
            return _without_noise(shares.get(0.0, Fraction(0)), direction)
        mixture = _query_mixture(shares, float(self.sigma))
        above, below = (mixture, NORMAL) if direction is Direction.REMOVE else (NORMAL, mixture)
        return gaussian_mixture_pair(above, below)

    @property
    def _shares(self) -> dict[float, Fraction]:
        """The probabilities of the centres, exactly of sum 1."""
        total = sum(map(Fraction, self.probabilities), Fraction(0))
        shares = dict[float, Fraction]()
        for centre, probability in sorted(zip(self.centres, self.probabilities, strict=True)):
            if probability:
                shares[centre] = shares.get(centre, Fraction(0)) + Fraction(probability) / total
        return shares

    @property
    def reveals_everything(self) -> bool:
        return self.sigma == 0 and all(centre > 0.0 for centre in self._shares)


def _query_mixture(shares: dict[float, Fraction], sigma: float) -> Mixture:
    """Return the law of the query with noise of variance 1; what is too far for a float is as far as one holds."""
    weights = dict[float, Fraction]()
    for centre, share in shares.items():
        place = min(centre / sigma, _FARTHEST)
        weights[place] = weights.get(place, Fraction(0)) + share
    logs = [log_fraction(weight) for weight in weights.values()]
    return Mixture(tuple(weights), tuple(logs), tuple(12.0 * U * abs(log) for log in logs))


def _without_noise(stays: Fraction, direction: Direction) -> Pair:
    """Return the pair of a query without noise that stays where it is with some probability."""
    if stays == 0:
        return revealing_pair()
    log, zero = np.array([log_fraction(stays)]), np.zeros(1)
    moves = InfiniteMass(Mass.exactly(1 - stays))
    error = 12.0 * U * float(-log[0])
    key = ("moved without noise", stays, direction)
    if direction is Direction.REMOVE:
        return point_pair(key, log, log, zero, error=error, infinity=moves, loss_error=error)
    return point_pair(key, -log, zero, log, error=error, minus_infinity=moves, loss_error=error)
