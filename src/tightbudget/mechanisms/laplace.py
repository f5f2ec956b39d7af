"""Laplace noise, whole or conditioned on an interval (theory D.2)."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.noise import AdditiveNoise
from tightbudget.mechanisms.relations import ADD_REMOVE
from tightbudget.mechanisms.shifted import shifted_less
from tightbudget.mechanisms.stated import Ratio
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import TINIEST, U, float_above
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.exponential import ExponentialPair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.replaced_laplace import ReplacedLaplacePair
from tightbudget.pairs.revealing import BEYOND, all_but_revealing, all_but_revealing_sample, revealing_pair

_MASS_ERROR = 1e-12  # of the logarithm of an infinite mass: a few roundings, with much room


@dataclass(frozen=True)
class Laplace(AdditiveNoise):
    """Laplace noise on a query: the Laplace mechanism.

    scale        scale b of the noise, 0 or more: 0 is no noise at all, inf
                 reveals nothing
    sensitivity  how far a record can move the query in the L1 norm, 0 or
                 more; usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated.

    >>> from tightbudget import Laplace
    >>> print((Laplace(scale=200) * 512).epsilon(delta=1e-5))
    [0.3885..., 0.3885...]
    """

    name: ClassVar[str] = "laplace"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("scale",)

    scale: float
    sensitivity: float = 1.0
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("scale", self.scale, "It is the scale b of the noise; 0 means no noise.", zero=True, infinite=True)
        positive("sensitivity", self.sensitivity, zero=True)

    def pair(self, direction: Direction) -> Pair | None:
        return self._pair  # the noise is symmetric: both directions have the same

    @cached_property
    def _pair(self) -> Pair | None:
        if self.sensitivity == 0 or math.isinf(self.scale):
            return None
        if self.scale == 0:
            return revealing_pair()
        top = quotient_up(self.sensitivity, self.scale)
        if math.isinf(top):
            return all_but_revealing(BEYOND)
        return ExponentialPair(top=top, reach=top, log_weight=math.log(0.5), log_point=math.log(0.5))

    @property
    def replaced_in_samples(self) -> bool:
        return True

    def sampled_replacement(self, q: float) -> Pair | None:
        if self.sensitivity == 0 or math.isinf(self.scale):
            return None
        if self.scale == 0:
            return revealing_pair(q)
        shift = quotient_up(self.sensitivity, self.scale)
        return all_but_revealing_sample(BEYOND, q) if math.isinf(shift) else ReplacedLaplacePair(shift, q)

    @property
    def _shift(self) -> Ratio:
        return Ratio(self.sensitivity, self.scale)

    @property
    def stated_epsilon(self) -> Ratio | None:
        return self._shift if self._shift.proper else None

    @property
    def reveals_everything(self) -> bool:
        return self._shift.exact == math.inf

    def known_to_dominate(self, step: Mechanism) -> bool:
        return isinstance(step, Laplace) and step._shift.exact <= self._shift.exact  # only shift over scale counts


@dataclass(frozen=True)
class TruncatedLaplace(AdditiveNoise):
    """Laplace noise conditioned on [-bound, bound].

    scale        scale b before the condition, above 0
    bound        largest noise there is, above 0
    sensitivity  how far a record can move the query, 0 or more; usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. Answers that
    only one of two neighbours can give make delta positive at every epsilon.

    >>> from tightbudget import TruncatedLaplace
    >>> print(TruncatedLaplace(scale=2, bound=20).delta(epsilon=1))
    [1.4726...e-5, 1.4726...e-5]
    """

    name: ClassVar[str] = "truncated_laplace"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("bound",)

    scale: float
    bound: float
    sensitivity: float = 1.0
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("scale", self.scale)
        positive("bound", self.bound)
        positive("sensitivity", self.sensitivity, zero=True)
        if self.bound / self.scale < 1e-150:
            raise InvalidParameter(
                "scale", self.scale, f"at most {1e150 * self.bound:g} for this bound", "The noise is uniform."
            )

    def pair(self, direction: Direction) -> Pair | None:
        shift, bound, scale = float(self.sensitivity), float(self.bound), float(self.scale)
        if shift == 0:
            return None
        if shift >= 2 * bound:
            return revealing_pair()
        top = quotient_up(shift, scale)
        if math.isinf(top):
            return all_but_revealing(BEYOND)
        kept = -math.expm1(-bound / scale)  # twice the mass that the bound leaves on either side
        log_weight = math.log(0.5) - math.log(kept)
        if shift < bound:
            # x in [shift - bound, 0] has loss +top; x in [-bound, shift - bound) only the unshifted noise can produce
            point = -math.expm1((shift - bound) / scale) / (2.0 * kept)
            exponent = (shift - bound) / scale
            log_only_a = exponent + math.log(-math.expm1(-top)) - math.log(2.0 * kept)
            error_bound = _MASS_ERROR + 8.0 * U * abs(exponent) + 2.0 * TINIEST / top
            return ExponentialPair(top, top, log_weight, math.log(point), InfiniteMass(Mass.about(log_only_a, error_bound)))
        reach = quotient_up(2 * Fraction(bound) - Fraction(shift), scale)
        both = math.exp((bound - shift) / scale) * -math.expm1(-reach) / (2.0 * kept)
        only_a = InfiniteMass(Mass.about(math.log1p(-both), _MASS_ERROR))
        return ExponentialPair(top, reach, log_weight, -math.inf, only_a)

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_less(self, step)


def quotient_up(numerator: float | Fraction, denominator: float) -> float:
    """Return the float next above (or equal to) the exact quotient: a largest loss must not be rounded down."""
    return float_above(Fraction(numerator) / Fraction(denominator))
