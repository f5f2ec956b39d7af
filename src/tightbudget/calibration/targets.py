"""What is to be met: a limit, what is asked of a composition, and what its bracket says of the limit."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from tightbudget.errors import Contradiction
from tightbudget.mechanisms import Composable
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import float_above


@dataclass(frozen=True)
class Target(ABC):
    """A number that must not be exceeded."""

    name: ClassVar[str]  # of the parameter that is the limit
    sign: ClassVar[str] = "<="
    sharpness: ClassVar[float] = 12.0  # times as good as its width is the estimate of a bracket, most of the time (M6)

    @property
    @abstractmethod
    def limit(self) -> float: ...

    @abstractmethod
    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        """Return a bracket of what the limit is for."""

    @property
    def given(self) -> str:
        """Under what condition, in words: " at delta = 1e-06", say."""
        return ""

    @property
    def asked(self) -> str:
        """What is asked, in words."""
        return f"{self.name}{self.given}"

    def met(self, answer: Bracket) -> bool:
        """Whether the limit is certainly kept."""
        return answer.upper <= self.limit

    def missed(self, answer: Bracket) -> bool:
        """Whether it is certainly exceeded."""
        return answer.lower > self.limit

    def excess(self, value: float) -> float:
        """Return how far a value exceeds the limit, as a logarithm; only the search goes by it."""
        if self.limit == 0.0:
            return math.inf if value > 0.0 else -math.inf
        return _log_for_target(value) - _log_for_target(self.limit)

    def worse(self, answer: Bracket, than: Bracket) -> bool:
        """Whether one answer certainly reveals more than another."""
        return answer.lower > than.upper

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.limit!r}{self.given}"


@dataclass(frozen=True)
class BudgetTarget(Target):
    """(epsilon, delta)-differential privacy."""

    name: ClassVar[str] = "epsilon"

    epsilon: float
    delta: float

    @property
    def limit(self) -> float:
        return self.epsilon

    @property
    def given(self) -> str:
        return f" at delta = {self.delta!r}"

    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        answer = composition.epsilon(delta=self.delta, rtol=rtol, effort=effort)
        known = stated_sum(composition)
        if known is None or known >= answer.upper:
            return answer
        if known < answer.lower:
            raise Contradiction(answer.lower, known)
        return replace(answer, upper=known)


@dataclass(frozen=True)
class DeltaTarget(BudgetTarget):
    """(epsilon, delta)-differential privacy, by its delta: where epsilon is 0 nothing lies below it to search."""

    name: ClassVar[str] = "delta"

    @property
    def limit(self) -> float:
        return self.delta

    @property
    def given(self) -> str:
        return f" at epsilon = {self.epsilon!r}"

    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        return composition.delta(epsilon=self.epsilon, rtol=rtol, effort=effort)


@dataclass(frozen=True)
class AdvantageTarget(Target):
    """The membership advantage of the best attack, which is delta at epsilon 0."""

    name: ClassVar[str] = "advantage"

    advantage: float

    @property
    def limit(self) -> float:
        return self.advantage

    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        return composition.delta(epsilon=0.0, rtol=rtol, effort=effort)


def stated_sum(composition: Composable) -> float | None:
    """Return the sum of the epsilons that the parameters state, rounded up once: an upper bound at every delta.

    None unless every step states one and keeps it for certain: an (epsilon, delta) promise may be broken.
    Engines add rounded losses, so that they cannot tell whether ten steps of 1/10 keep an epsilon of 1.
    """
    total = Fraction(0)
    for mechanism, count in composition._parts:
        stated = None if mechanism.stated_epsilon is None else mechanism.stated_epsilon.exact
        if not isinstance(stated, Fraction) or mechanism.pure_epsilon == math.inf:
            return None
        total += stated * count
    return float_above(total)


def _log_for_target(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf
