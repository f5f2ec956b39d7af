"""Gaussian noise, whole or truncated, and the promise of GDP, which behaves like it."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.noise import AdditiveNoise
from tightbudget.mechanisms.relations import ADD_REMOVE, ANY
from tightbudget.mechanisms.shifted import shifted_less
from tightbudget.mechanisms.stated import Ratio
from tightbudget.numerics.rounding import TINIEST, float_above
from tightbudget.pairs.base import NEGLIGIBLE, Direction, Pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.gaussian_mixture import replaced_gaussian_pair
from tightbudget.pairs.revealing import BEYOND, all_but_revealing, all_but_revealing_sample, revealing_pair

_LEAST = 1e-280  # of a cut-off and a shift, in sigmas: below, their quotients and products are no longer relatively accurate
_FARTHEST = 1e151  # shift in sigmas whose square, the loss, is near the end of the floats


@dataclass(frozen=True)
class Gaussian(AdditiveNoise):
    """Normal noise on a query: the Gaussian mechanism.

    sigma        standard deviation of the noise, 0 or more: 0 is no noise
                 at all, inf reveals nothing
    sensitivity  how far a record can move the query in the L2 norm, 0 or
                 more; usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated.

    >>> from tightbudget import Gaussian
    >>> print((Gaussian(sigma=20) * 512).epsilon(delta=1e-6))
    [5.6269..., 5.6269...]
    """

    name: ClassVar[str] = "gaussian"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("sigma",)

    sigma: float
    sensitivity: float = 1.0
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma, "It is a standard deviation; 0 means no noise.", zero=True, infinite=True)
        positive("sensitivity", self.sensitivity, zero=True)

    def pair(self, direction: Direction) -> Pair | None:
        return self._pair

    @cached_property
    def _pair(self) -> Pair | None:
        return gaussian_pair(self.sigma, self.sensitivity)

    @property
    def replaced_in_samples(self) -> bool:
        return True

    def sampled_replacement(self, q: float) -> Pair | None:
        if self.sensitivity == 0 or math.isinf(self.sigma):
            return None
        if self.sigma == 0:
            return revealing_pair(q)
        m = max(self.sensitivity / self.sigma, TINIEST)  # underflow must not turn a little loss into none
        return all_but_revealing_sample(BEYOND, q) if m > 0.1 * _FARTHEST else replaced_gaussian_pair(m, q)

    @property
    def normal_noise(self) -> Ratio:
        return Ratio(self.sensitivity, self.sigma)

    @property
    def reveals_everything(self) -> bool:
        return self.normal_noise.exact == math.inf

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_more(self.normal_noise, step)


@dataclass(frozen=True)
class TruncatedGaussian(AdditiveNoise):
    """Normal noise conditioned on [-bound, bound].

    sigma        standard deviation before the condition, above 0
    bound        largest noise there is, above 0
    sensitivity  how far a record can move the query, 0 or more; usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. Answers that
    only one of two neighbours can give make delta positive at every epsilon.

    >>> from tightbudget import TruncatedGaussian
    >>> print(TruncatedGaussian(sigma=2, bound=8).delta(epsilon=1))
    [0.0068..., 0.0068...]
    """

    name: ClassVar[str] = "truncated_gaussian"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("bound",)

    sigma: float
    bound: float
    sensitivity: float = 1.0
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma)
        positive("bound", self.bound)
        positive("sensitivity", self.sensitivity, zero=True)
        for name, value in (("bound", self.bound), ("sensitivity", self.sensitivity)):
            if value and value / self.sigma < _LEAST:
                raise InvalidParameter(name, value, f"at least {_LEAST:g} sigma", "The noise is uniform, or nothing is hidden.")

    def pair(self, direction: Direction) -> Pair | None:
        if self.sensitivity == 0:
            return None
        if self.sensitivity >= 2 * self.bound:
            return revealing_pair()
        m, cut = self.sensitivity / self.sigma, self.bound / self.sigma
        # beyond this losses are infinite or, all but 1e-300 of them, about m^2/2: no float holds their bounds
        return all_but_revealing(BEYOND) if m > _FARTHEST else GaussianPair(m, cut)

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_less(self, step)


@dataclass(frozen=True)
class GaussianDP(Mechanism):
    """Any mechanism that promises mu-Gaussian differential privacy.

    mu  0 or more: telling neighbours apart is no easier than telling
        N(mu, 1) from N(0, 1)

    Neighbours: any relation, that of the steps it is composed with.

    >>> from tightbudget import GaussianDP
    >>> print((GaussianDP(mu=0.1) * 100).epsilon(delta=1e-6))
    [4.8865..., 4.8865...]
    """

    name: ClassVar[str] = "gaussian_dp"
    neighbours: ClassVar[str] = ANY
    promises: ClassVar[tuple[str, ...]] = ("mu",)
    reveal_more: ClassVar[tuple[str, ...]] = ("mu",)

    mu: float

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("mu", self.mu, zero=True)

    def _group(self, k: int) -> Mechanism:
        return GaussianDP(float_above(Fraction(self.mu) * k))

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        return gaussian_pair(1.0, self.mu)

    @property
    def normal_noise(self) -> Ratio:
        return Ratio(self.mu)

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_more(self.normal_noise, step)


def shifted_more(slot: Ratio, step: Mechanism) -> bool:
    """Whether normal noise shifted by this much dominates the step: by its shift, or by its mu (definition of GDP)."""
    shift = slot.exact
    if step.normal_noise is not None and step.normal_noise.exact <= shift:
        return True
    mu = step.gdp_mu()
    return mu < math.inf and Fraction(mu) <= shift


def gaussian_pair(sigma: float, sensitivity: float) -> Pair | None:
    """Return N(sensitivity, sigma^2) against N(0, sigma^2); None if they are equal."""
    if sensitivity == 0 or math.isinf(sigma):
        return None
    m = sensitivity / sigma if sigma > 0 else math.inf
    if m == 0.0:
        m = TINIEST  # underflow must not turn a little loss into none
    if sigma == 0:
        return revealing_pair()
    # beyond this the loss, about m^2/2, is larger than any float
    return (
        all_but_revealing(BEYOND)
        if math.isinf(0.5 * m * m)
        else GaussianPair(m, m_error=TINIEST / m if m < NEGLIGIBLE else 0.0)
    )
