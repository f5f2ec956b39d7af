"""One step of a game: what is declared to the filter or odometer, and the law of its privacy loss.

The loss of a step is log(P[output | bit 0] / P[output | bit 1]), whichever bit the data hold (M18). A promise is played
by the worst mechanism that keeps it: every (epsilon, delta)-DP mechanism is a post-processing of randomised response
(theory A.1), every mu-GDP mechanism one of a Gaussian.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import ApproximateDP, GaussianDP, Mechanism, PureDP
from tightbudget.mechanisms.checks import positive, probability

Losses = NDArray[np.float64]

_QUOTIENT = 1e-15  # relative rounding of a quotient of two floats


class Law(Protocol):
    """The law of the loss of one step."""

    @property
    def size(self) -> float:
        """The loss of an ordinary outcome; strategies weigh their steps by it."""
        ...

    def draw(self, rng: np.random.Generator, runs: int, bit: int) -> Losses: ...


@dataclass(frozen=True)
class Response:
    """RR_{epsilon,delta} of Definition 2.6: reveal the bit with probability delta, else answer with loss +-epsilon."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, zero=True)
        probability("delta", self.delta)

    @property
    def size(self) -> float:
        return self.epsilon

    @property
    def likely(self) -> float:
        """The probability of the answer that points to the bit, given that the bit is not revealed."""
        return 1.0 / (1.0 + math.exp(-self.epsilon))

    def draw(self, rng: np.random.Generator, runs: int, bit: int) -> Losses:
        sign = 1.0 - 2.0 * bit
        if self.delta == 0.0:
            return np.where(rng.random(runs) < self.likely, sign * self.epsilon, -sign * self.epsilon)
        coin = rng.random(runs)
        answer = np.where(coin < self.delta + (1.0 - self.delta) * self.likely, sign * self.epsilon, -sign * self.epsilon)
        return np.where(coin < self.delta, sign * math.inf, answer)


@dataclass(frozen=True)
class Normal:
    """Gaussian noise with sensitivity / sigma = mu: loss N(mu^2/2, mu^2) under bit 0, N(-mu^2/2, mu^2) under 1."""

    mu: float

    def __post_init__(self) -> None:
        positive("mu", self.mu, zero=True)

    @property
    def size(self) -> float:
        return self.mu

    def draw(self, rng: np.random.Generator, runs: int, bit: int) -> Losses:
        return rng.normal((0.5 - bit) * self.mu**2, self.mu, runs)


@dataclass(frozen=True)
class Step:
    """An increment as declared, and how it is played."""

    increment: Any
    law: Law

    def __post_init__(self) -> None:
        if not _keeps(self.increment, self.law):
            raise InvalidParameter(
                "law",
                self.law,
                "a law that keeps what is declared",
                "With this law the game would not be about the declared step.",
            )


def _keeps(increment: Any, law: Law) -> bool:
    """Whether a law is known to keep what a mechanism declares, or neither of the two is known here."""
    promise, noise = getattr(increment, "promise", None), getattr(increment, "normal_noise", None)
    if isinstance(law, Response) and promise is not None:
        return bool(law.epsilon <= promise.epsilon and law.delta <= promise.delta)
    if isinstance(law, Normal) and noise is not None:
        return bool(law.mu <= noise.exact * (1.0 + _QUOTIENT))
    return True


def response(epsilon: float, delta: float = 0.0) -> Step:
    """Declare epsilon- or (epsilon, delta)-DP and play randomised response.

    >>> response(0.1).law
    Response(epsilon=0.1, delta=0.0)
    """
    return Step(
        PureDP(epsilon=epsilon) if delta == 0.0 else ApproximateDP(epsilon=epsilon, delta=delta), Response(epsilon, delta)
    )


def gaussian(mu: float) -> Step:
    """Declare mu-GDP and play a Gaussian mechanism."""
    return Step(GaussianDP(mu=mu), Normal(mu))


def step(increment: Any) -> Step:
    """Return the increment with the worst mechanism that keeps its promise.

    >>> step(PureDP(epsilon=0.5)).law
    Response(epsilon=0.5, delta=0.0)
    """
    if isinstance(increment, Mechanism) and increment.promise is not None:
        return Step(increment, Response(*map(float, increment.promise)))
    if isinstance(increment, Mechanism) and increment.normal_noise is not None:
        noise = increment.normal_noise
        return Step(increment, Normal(float(noise.above) / float(noise.below)))
    raise InvalidParameter(
        "increment", increment, "pure_dp, approximate_dp, gaussian_dp or gaussian", "Pass Step(increment, law) for another."
    )
