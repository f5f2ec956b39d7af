"""Mechanisms known only by what they promise; their dominating pair is a form of randomised response (theory A.1)."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.mechanisms.checks import positive, probability
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ANY
from tightbudget.mechanisms.stated import Promise, Ratio
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import AMPLE, TINIEST, U, float_above, raised_by
from tightbudget.pairs.base import Direction, Pair, log_or_minus_inf
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import point_pair
from tightbudget.pairs.revealing import revealing_pair


@dataclass(frozen=True, init=False)
class PureDP(Mechanism):
    """Any mechanism that promises epsilon-differential privacy.

    epsilon  0 or more; inf promises nothing

    Neighbours: any relation, that of the steps it is composed with. It is
    kept as `promised_epsilon`, because `epsilon` is the question that every
    mechanism answers.

    >>> from tightbudget import PureDP
    >>> print((PureDP(epsilon=0.1) * 100).epsilon(delta=1e-6))
    [4.774..., 4.774...]
    """

    name: ClassVar[str] = "pure_dp"
    neighbours: ClassVar[str] = ANY
    promises: ClassVar[tuple[str, ...]] = ("promised_epsilon",)
    reveal_more: ClassVar[tuple[str, ...]] = ("epsilon",)

    promised_epsilon: float = field(metadata={"argument": "epsilon"})

    def __init__(self, epsilon: float) -> None:
        positive("epsilon", epsilon, zero=True, infinite=True)
        object.__setattr__(self, "promised_epsilon", epsilon)
        self._check_parameters()

    def _group(self, k: int) -> Mechanism:
        return PureDP(_promised_epsilon_times(k, self.promised_epsilon))

    @property
    def orders_exchanged(self) -> bool:
        return True  # the worst law of the promise is the same in both orders

    def pair(self, direction: Direction) -> Pair | None:
        return promise_pair(float(self.promised_epsilon), 0.0)

    @property
    def promise(self) -> Promise:
        return Promise(self.promised_epsilon)

    @property
    def stated_epsilon(self) -> Ratio:
        return Ratio(self.promised_epsilon)

    @property
    def reveals_everything(self) -> bool:
        return self.promised_epsilon == math.inf

    def known_to_dominate(self, step: Mechanism) -> bool:
        return keeps_promise(self.promise, step)


@dataclass(frozen=True, init=False)
class ApproximateDP(Mechanism):
    """Any mechanism that promises (epsilon, delta)-differential privacy.

    epsilon  0 or more; inf promises nothing
    delta    from 0 to 1

    Neighbours: any relation, that of the steps it is composed with. They are
    kept as `promised_epsilon` and `promised_delta`, because `epsilon` and
    `delta` are the questions that every mechanism answers.

    >>> from tightbudget import ApproximateDP
    >>> print((ApproximateDP(0.1, delta=1e-9) * 100).epsilon(delta=1e-6))
    [4.787..., 4.787...]
    """

    name: ClassVar[str] = "approximate_dp"
    neighbours: ClassVar[str] = ANY
    promises: ClassVar[tuple[str, ...]] = ("promised_epsilon", "promised_delta")
    reveal_more: ClassVar[tuple[str, ...]] = ("epsilon", "delta")

    promised_epsilon: float = field(metadata={"argument": "epsilon"})
    promised_delta: float = field(metadata={"argument": "delta"})

    def __init__(self, epsilon: float, delta: float) -> None:
        positive("epsilon", epsilon, zero=True, infinite=True)
        probability("delta", delta)
        object.__setattr__(self, "promised_epsilon", epsilon)
        object.__setattr__(self, "promised_delta", delta)
        self._check_parameters()

    def _group(self, k: int) -> Mechanism:
        epsilon, delta = float(self.promised_epsilon), float(self.promised_delta)
        if math.isinf(epsilon) or delta == 0.0:
            return ApproximateDP(_promised_epsilon_times(k, epsilon), delta)
        # from one record to the next: delta (1 + e^epsilon + ... + e^((k-1) epsilon))
        times = k if epsilon == 0.0 else math.expm1(k * epsilon) / math.expm1(epsilon) if k * epsilon < 700.0 else math.inf
        return ApproximateDP(_promised_epsilon_times(k, epsilon), min(1.0, raised_by(delta * times, AMPLE) + TINIEST))

    @property
    def orders_exchanged(self) -> bool:
        return True  # the worst law of the promise is the same in both orders

    def pair(self, direction: Direction) -> Pair | None:
        return promise_pair(float(self.promised_epsilon), float(self.promised_delta))

    @property
    def promise(self) -> Promise:
        return Promise(self.promised_epsilon, self.promised_delta)

    @property
    def stated_epsilon(self) -> Ratio:
        return Ratio(self.promised_epsilon)

    @property
    def reveals_everything(self) -> bool:
        return self.promised_epsilon == math.inf or self.promised_delta == 1

    def known_to_dominate(self, step: Mechanism) -> bool:
        return keeps_promise(self.promise, step)


def _promised_epsilon_times(k: int, epsilon: float) -> float:
    return epsilon if math.isinf(epsilon) else float_above(Fraction(epsilon) * k)


def keeps_promise(promise: Promise, step: Mechanism) -> bool:
    """Whether the step keeps the promise: it is then a post-processing of the pair that stands for it (KOV)."""
    if step.promise is not None:
        return step.promise.epsilon <= promise.epsilon and step.promise.delta <= promise.delta
    if step.pure_epsilon <= promise.epsilon:
        return True
    return promise.delta > 0.0 and step.delta(promise.epsilon).upper <= promise.delta


def promise_pair(epsilon: float, delta: float) -> Pair | None:
    """Return the worst pair that is (epsilon, delta)-differentially private (theory A.1)."""
    if delta == 1.0 or math.isinf(epsilon):
        return revealing_pair()
    if epsilon == 0.0:
        return revealing_pair(delta) if delta > 0.0 else None
    log_rest = math.log1p(-delta)
    # log of e^eps/(1+e^eps) and 1/(1+e^eps)
    likely, rare = -math.log1p(math.exp(-epsilon)), -epsilon - math.log1p(math.exp(-epsilon))
    log_a = np.array([rare, likely]) + log_rest
    revealed = InfiniteMass(Mass.exactly(delta))
    return point_pair(
        ("promise", epsilon, delta),
        np.array([-epsilon, epsilon]),
        log_a,
        log_a[::-1].copy(),
        error=8.0 * U * (1.0 + epsilon + abs(log_or_minus_inf(1.0 - delta))),
        infinity=revealed,
        minus_infinity=revealed,
        period=2.0 * epsilon,
        top=(epsilon, epsilon),
    )
