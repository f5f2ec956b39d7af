"""UNSOUND rules that people use without filters and odometers, kept only to show that they fail (M18, theory B.0).

None of these gives privacy. They exist so that the games can break them; use `tb.filters` and `tb.odometers`.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import ApproximateDP, GaussianDP, PureDP
from tightbudget.mechanisms.checks import positive, probability
from tightbudget.mechanisms.composition import compose


@dataclass(frozen=True)
class NaiveAnswer:
    """The answer of an unsound filter."""

    accepted: bool
    reason: str = ""


class UnsoundNaturalFilter:
    """UNSOUND. Continue while the composition of what was realised has delta(epsilon) <= delta: the "natural" filter.

    It composes the declared steps as if they had been fixed in advance. The adversary who chooses the branch by the
    outcome gets more: `counterexample` gets (1 + p_-) delta.
    """

    kind = "unsound natural (PLD)"

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = positive("epsilon", epsilon), probability("delta", delta)
        self._realised: list[Any] = []

    def quote(self, increment: Any) -> NaiveAnswer:
        # the lower end: as generous as the tight composition allows
        realised = compose([*self._realised, increment]).delta(epsilon=self.epsilon, rtol=1e-7).lower
        return NaiveAnswer(realised <= self.delta, f"the composition has delta {realised:.4g}")

    def spend(self, increment: Any) -> None:
        self._realised.append(increment)

    def state(self) -> list[str]:
        return sorted(str(increment) for increment in self._realised)  # composing does not depend on the order


class UnsoundSplitFilter:
    """UNSOUND. A Gaussian filter that divides delta as it goes: delta_Gauss(sum mu^2; epsilon) + sum delta_i <= delta.

    Each half is right when its share of delta is fixed in advance. Here a run that has no chance of a large loss any
    more still owns the share that was meant for it, and may spend it on a chance to reveal everything.
    """

    kind = "unsound split of delta"

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = positive("epsilon", epsilon), probability("delta", delta)
        self._squares, self._deltas = 0.0, 0.0

    def quote(self, increment: Any) -> NaiveAnswer:
        squares, deltas = self._with(increment)
        needed = plain_gaussian_delta(math.sqrt(squares), self.epsilon) + deltas
        return NaiveAnswer(needed <= self.delta, f"needs delta {needed:.4g}")

    def spend(self, increment: Any) -> None:
        self._squares, self._deltas = self._with(increment)

    def state(self) -> dict[str, float]:
        return {"squares": self._squares, "deltas": self._deltas}

    def _with(self, increment: Any) -> tuple[float, float]:
        """Return the sums after a step; the counterexample is about steps of two kinds and takes no others."""
        if isinstance(increment, GaussianDP):
            return self._squares + float(increment.mu) ** 2, self._deltas
        if isinstance(increment, ApproximateDP) and float(increment.promised_epsilon) == 0.0:
            return self._squares, self._deltas + float(increment.promised_delta)
        raise InvalidParameter("increment", increment, "gaussian_dp(mu) or approximate_dp(epsilon=0, delta)")


class UnsoundFixedTimeOdometer:
    """UNSOUND. A bound for a number of rounds fixed in advance, read after every round.

    drift + sqrt(2 V log(1/delta)) with V = sum eps_i^2. The drift of "mean" is sum eps_i tanh(eps_i/2) (KOV, Theorem
    3.5), of "drv" it is sum eps_i (e^eps_i - 1) (Theorem 2.10 of the odometers paper). Each is right at one round
    chosen beforehand.
    """

    def __init__(self, delta: float, drift: str = "mean") -> None:
        self.delta = probability("delta", delta)
        if self.delta == 0.0:
            raise InvalidParameter("delta", delta, "above 0")
        if drift not in ("mean", "drv"):
            raise InvalidParameter("drift", drift, "'mean' or 'drv'")
        self.kind = f"unsound fixed-time ({'KOV' if drift == 'mean' else 'DRV'})"
        self._drift = drift
        self._counts: Counter[float] = Counter()  # sums over counts do not depend on the order of the steps

    @property
    def epsilon(self) -> float:
        drift = math.fsum(count * self._drift_of(epsilon) for epsilon, count in self._counts.items())
        squares = math.fsum(count * epsilon**2 for epsilon, count in self._counts.items())
        return drift + math.sqrt(2.0 * squares * math.log(1.0 / self.delta))

    def spend(self, increment: Any) -> float:
        if not isinstance(increment, PureDP):
            raise InvalidParameter("increment", increment, "pure_dp(epsilon)")
        self._counts[float(increment.promised_epsilon)] += 1
        return self.epsilon

    def state(self) -> list[tuple[float, int]]:
        return sorted(self._counts.items())

    def _drift_of(self, epsilon: float) -> float:
        if self._drift == "mean":
            return epsilon * math.tanh(epsilon / 2.0)
        return epsilon * math.expm1(epsilon) if epsilon < 700.0 else math.inf


def plain_gaussian_delta(mu: float, epsilon: float) -> float:
    """Return delta(epsilon) of mu-GDP in plain floats; good enough for a filter that is unsound anyhow."""
    if mu == 0.0:
        return 0.0
    return float(ndtr(mu / 2.0 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2.0 - epsilon / mu))
