"""A question in one direction: what is known of the answer so far, and how it is read off a privacy profile (M9)."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

from tightbudget.engine import reasons
from tightbudget.engine.closed.gaussian import gaussian_guess
from tightbudget.engine.closed.laplace import LaplaceDirection
from tightbudget.engine.closed.one_step import Ends
from tightbudget.engine.direction import APART, MOST_DECADES, WIDEST, OneDirection, Way, decades_for
from tightbudget.engine.pursuit import Profile
from tightbudget.engine.rough_law import Aim, RoughLaw
from tightbudget.numerics.attempt import Attempt
from tightbudget.numerics.rounding import GENEROUS, TINIEST, raised, raised_by
from tightbudget.numerics.search import FARTHEST, first_at_most, last_at_least

USUAL = 1e-3
"""The tolerance unless another is asked for; estimates are made for it before any stage."""

_NEAR = 0.4  # of the answer
_NARROW, _COARSER = 0.35, 1.3  # of the width wanted: then a coarser plan would have done
_SURELY = 0.999  # of an estimate: what is below that is hardly above the answer
_LIKE_ROUNDING, _LIKE_SUMS = 2e-13, 1e-12  # of epsilon and delta: to search sums more closely is in vain
_SETTLED = 1e3  # times as wide: then another route may be narrower
_REGULAR = 0.3  # skewness of the tilted loss, up to which a saddle-point estimate is good to a few per cent
_ALIKE = 2.5  # times: the slope of log delta and a tilt that serves it
_FAR = 8.0  # times the answer: losses so large are better taken apart, where they can be
_LEFT = 1e-16  # of delta, that finite losses may use where rounding cannot tell

Tilt = tuple[int, int]
"""How many decades of A's mass are followed, and the index of the tilt on its ladder."""


@dataclass(frozen=True, slots=True)
class AnswerEstimate:
    """Roughly the answer, the part of delta that finite losses have, and the tilt at which that is."""

    answer: float = 0.0
    finite: float = 0.0
    theta: float = 0.0


class DirectionQuestion(ABC):
    """One direction's bracket of the answer. Attempts make it narrower; it never becomes wider."""

    def __init__(self, direction: OneDirection, trace: list[Attempt]) -> None:
        self.direction, self.trace = direction, trace
        self.lower, self.upper = 0.0, math.inf
        self.estimate = AnswerEstimate()
        self.settled = False  # nothing left to improve
        self.way = Way()  # how the narrowest bracket was found
        self.first_route = direction.way().route  # the number of the one to begin with
        self.without_end = reasons.TOO_SMALL  # why there may be no finite upper end
        self._tilts: dict[float, Tilt] = {}  # by tolerance

    def settle(self, lower: float, upper: float, route: str, seconds: float = 0.0) -> None:
        """Take the answer as final."""
        self.lower, self.upper, self.settled = lower, upper, True
        self.estimate = AnswerEstimate(upper, self.estimate.finite, self.estimate.theta)
        self.record(route, lower, upper, seconds)

    @property
    def likely(self) -> float:
        """About the answer: the middle of its bracket, where that tells more than the estimate."""
        if self.upper - self.lower < _NEAR * self.upper < math.inf:
            return 0.5 * (self.lower + self.upper)
        return min(max(self.lower, self.estimate.answer), self.upper)

    def narrow(self, lower: float, upper: float) -> None:
        self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)

    def record(self, route: str, lower: float, upper: float, seconds: float) -> None:
        """Write an attempt down that took no grid."""
        self.trace.append(Attempt(route, self.direction.name, lower, upper, seconds=seconds))

    def tilt(self, rtol: float) -> Tilt:
        """Return the tilt of the saddle point; the first time, take the estimate that goes with it."""
        if rtol not in self._tilts:
            self._tilts[rtol] = self._saddle_point(rtol)
        return self._tilts[rtol]

    @abstractmethod
    def _saddle_point(self, rtol: float) -> Tilt: ...

    @property
    def large_losses_grow(self) -> bool:
        """Whether fine profiles had better take large losses apart."""
        return self.direction.large_losses_grow(self.decades(USUAL), self.estimate.theta)

    def aim(self, tilt: Tilt) -> Aim | None:
        """Return where profiles are to be narrow, if the tilt does not say it."""
        return None

    @abstractmethod
    def large_loss_tilt(self, rtol: float) -> Tilt | None:
        """Return the tilt for one large loss, and take the estimate that goes with it; None if no loss is so large."""

    @abstractmethod
    def decades(self, rtol: float) -> int:
        """Return how many decades of A's mass matter."""

    @abstractmethod
    def epsilon_in_question(self) -> float:
        """Return roughly the epsilon at which the profile must be sharp."""

    @abstractmethod
    def log_width(self, width: float) -> float:
        """Return the width in log delta that makes a bracket of the given absolute width."""

    @abstractmethod
    def read(self, profile: Profile, rtol: float) -> tuple[float, float]:
        """Return the answer's bounds from bounds on delta(epsilon)."""

    @abstractmethod
    def chernoff(self, tilt: Tilt, limit: float) -> float:
        """Return an upper bound on the answer that takes no composition; one that is below the limit will do."""

    def chernoff_may_show(self, limit: float) -> bool:
        """Whether a Chernoff bound is likely enough to be below the limit to be worth its time."""
        return True


class DeltaQuestion(DirectionQuestion):
    """What is delta at this epsilon?"""

    def __init__(self, direction: OneDirection, epsilon: float, trace: list[Attempt]) -> None:
        super().__init__(direction, trace)
        self.epsilon, self.lower, self.upper = epsilon, direction.infinity.at(epsilon).lower, direction.naive_delta(epsilon)
        begun = time.perf_counter()
        exact = direction.exact(epsilon)
        if exact is not None:
            self.settle(*exact, time.perf_counter() - begun)
        else:
            self.tilt(USUAL)

    def _saddle_point(self, rtol: float) -> Tilt:
        decades = decades_for(1.0, rtol)
        while True:  # the deeper the answer, the rarer the losses that matter
            point = self.direction.saddle(decades).for_epsilon(self.epsilon)
            self._estimate(point.log_delta)
            needed = self.decades(rtol)
            if needed <= decades:
                return decades, point.tilt_index
            decades = min(needed, 3 * decades)  # an estimate far below what is followed is too low

    def _estimate(self, log_delta: float) -> None:
        finite = math.exp(min(0.0, log_delta))
        self.estimate = AnswerEstimate(min(1.0, finite + self.direction.infinity.upper), finite)

    def decades(self, rtol: float) -> int:
        return decades_for(self.estimate.finite + self.direction.infinity.at(self.epsilon).lower, rtol)

    def epsilon_in_question(self) -> float:
        return self.epsilon

    def large_loss_tilt(self, rtol: float) -> Tilt | None:
        decades = self.decades(rtol)
        point = self.direction.saddle(decades).large_loss_for_epsilon(self.epsilon)
        # where tilts leap over epsilon the estimate says nothing of how rare the losses are that matter
        while point is None and decades < MOST_DECADES:
            decades = min(3 * decades, MOST_DECADES)
            point = self.direction.saddle(decades).large_loss_for_epsilon(self.epsilon)
        if point is None:
            return None
        self.estimate = replace(self.estimate, finite=math.exp(min(0.0, point.log_delta)))
        decades = self.decades(rtol)
        point = self.direction.saddle(decades).large_loss_for_epsilon(self.epsilon)
        if point is None:
            return None
        self._estimate(point.log_delta)
        return decades, point.tilt_index

    def log_width(self, width: float) -> float:
        return width / max(self.estimate.finite, 1e-300)

    def read(self, profile: Profile, rtol: float) -> tuple[float, float]:
        return profile.delta_lower(self.epsilon), profile.delta_upper(self.epsilon)

    def chernoff(self, tilt: Tilt, limit: float) -> float:
        log_delta, left_out = self.direction.chernoff_delta(*tilt, self.epsilon)
        upper = min(1.0, raised(raised_by(math.exp(min(0.0, log_delta)), GENEROUS) + left_out, 4.0))
        return upper if upper <= limit else min(upper, self.direction.shared_out_delta(self.epsilon))


class EpsilonQuestion(DirectionQuestion):
    """What is the smallest epsilon with at most this delta?"""

    def __init__(
        self,
        direction: OneDirection,
        delta: float,
        trace: list[Attempt],
        larger: float = 0.0,
        certain: float = 0.0,
        ends: Ends = Ends.BOTH,
    ) -> None:
        """Ask; `larger` is about the answer of another direction, beside which this one may be known not to matter.

        That answer is at least `certain`, or no more where only the upper end is asked for. An end that is not asked
        for is left where it is if there is a closed form.
        """
        super().__init__(direction, trace)
        self.delta, self._larger, self._certain, self._ends = delta, larger, certain, ends
        self._laws: dict[Tilt, RoughLaw] = {}  # of the sum, where the tilt says little of the answer
        self.saddle_estimate = 0.0  # what the answer was estimated at before anything was computed
        infinity, exact = direction.infinity, direction.steps.infinity.infinite.exact or None
        near, high = infinity.at(0.0), infinity.upper
        top = max(0.0, direction.max_loss) if direction.steps.items else 0.0
        if not direction.steps.items or delta >= 1.0:
            self.settle(0.0, 0.0, "nothing to lose")
        elif delta < near.lower or (delta == 0.0 and near.certain) or (exact is not None and exact > delta):
            self.settle(infinity.certain_below, math.inf, "infinite losses")
            self.without_end = reasons.BEYOND
        elif delta in (0.0, exact):  # nothing left for finite losses
            self.settle(max(0.0, direction.steps.max_loss_lower), math.inf if delta < high else top, "largest loss")
        elif delta >= high and top == 0.0:
            self.settle(0.0, 0.0, "largest loss")
        elif direction.revealed:
            self.settle(0.0, math.inf, "infinite losses")
        elif high > 0.0 and delta <= high:  # all but nothing is left for finite losses
            self.without_end = reasons.AT_INFINITY
            self._prepare(max(_LEFT * delta, TINIEST), top if exact is not None else math.inf)
        else:
            self._prepare(delta - high, top)

    def _prepare(self, finite: float, top: float) -> None:
        """Estimate the answer from the part of delta that finite losses may use; or give it in closed form."""
        self.estimate, self.upper = AnswerEstimate(finite=finite), top
        begun = time.perf_counter()
        wanted = min(top, _SURELY * self._larger)
        known, route = self.direction.known_upper(self.delta, wanted)
        if known < wanted:
            self.estimate, self.upper = AnswerEstimate(known, finite), known
            self.record(route, 0.0, known, time.perf_counter() - begun)
            return
        # where another direction has at least as much, how much less this one has does not matter
        if top <= self._certain:
            self.settle(0.0, top, "largest loss")
            return
        if self._certain > 0.0 and self.direction.closed_form and self._exact_upper(self._certain) <= self.delta:
            self.settle(0.0, self._certain, self.direction.closed_form, time.perf_counter() - begun)
            return
        gaussian = self.direction.steps.only_gaussian
        guess = self.direction.single_guess(finite) if gaussian is None else gaussian_guess(gaussian.m, finite)
        if guess is not None:
            self.estimate = AnswerEstimate(min(guess[0], top), finite, guess[1])
        elif not self._summed(self.direction.laplace):
            self.tilt(USUAL)
        if self.direction.closed_form:
            tolerance = 1e-10 * self.estimate.answer
            lower, upper = self._crossings(self._exact_lower, self._exact_upper, tolerance)
            self.settle(lower, min(upper, top), self.direction.closed_form, time.perf_counter() - begun)

    def _summed(self, laplace: LaplaceDirection | None) -> bool:
        """Take what repeated Laplace noise has in closed form, and return whether that settles the question."""
        guess = None if laplace is None else laplace.guess(self.delta)
        if laplace is None or guess is None:
            return False
        answer, theta = guess
        begun = time.perf_counter()
        self.estimate = replace(self.estimate, answer=answer, theta=theta)
        tolerance = max(_LIKE_ROUNDING * answer, _LIKE_SUMS / theta)
        lower, upper = self._crossings(laplace.delta_lower, laplace.delta_upper, tolerance)
        self.lower, self.upper = lower, min(self.upper, upper)
        seconds = time.perf_counter() - begun
        if self.upper - self.lower > _SETTLED * tolerance:
            self.record(laplace.route, self.lower, self.upper, seconds)
            return False
        self.settle(self.lower, self.upper, laplace.route, seconds)
        return True

    def _exact_lower(self, epsilon: float) -> float:
        exact = self.direction.exact(epsilon, Ends.LOWER)
        assert exact is not None
        return exact[0]

    def _exact_upper(self, epsilon: float) -> float:
        exact = self.direction.exact(epsilon, Ends.UPPER)
        assert exact is not None
        return exact[1]

    def _saddle_point(self, rtol: float) -> Tilt:
        decades, log_delta = self.decades(rtol), math.log(self.estimate.finite)
        point = self.direction.saddle(decades).for_delta(log_delta)
        epsilon, theta, tilt_index = point.epsilon, point.theta, point.tilt_index
        law = self.direction.rough_law(decades, point)
        found = None if law is None else law.for_delta(log_delta)
        if law is not None and found is not None:
            # where delta falls much faster than the tilt says, or slower, no grid for that tilt is any good
            alike = theta < _ALIKE * found[1] < _ALIKE**2 * theta
            if self.direction.has_parts and not (alike and law.farthest < _FAR * found[0]):
                (epsilon, theta), self.first_route = found, APART
            elif alike:
                epsilon, theta = found
                tilt_index = self.direction.saddle(decades).gentle_tilt(tilt_index, epsilon)
                self._laws[decades, tilt_index] = law
        self._estimate(self.direction.way().ratio * epsilon, theta)
        self.saddle_estimate = self.saddle_estimate or epsilon
        return decades, tilt_index

    def aim(self, tilt: Tilt) -> Aim | None:
        law = self._laws.get(tilt)
        return None if law is None else law.aimed_at(self.epsilon_in_question())

    @property
    def regular(self) -> bool:
        """Whether the estimate is that of a law near a normal one: else it may be far too large."""
        theta = self.estimate.theta
        return theta > 0.0 and abs(self.direction.saddle(self.decades(USUAL)).skewness(theta)) < _REGULAR

    def _estimate(self, epsilon: float, theta: float) -> None:
        self.estimate = AnswerEstimate(min(max(self.lower, epsilon), self.upper), self.estimate.finite, theta)

    def decades(self, rtol: float) -> int:
        return decades_for(self.estimate.finite, rtol)

    def epsilon_in_question(self) -> float:
        self.estimate = replace(self.estimate, answer=self.likely)
        return self.estimate.answer

    def large_loss_tilt(self, rtol: float) -> Tilt | None:
        decades = self.decades(rtol)
        point = self.direction.saddle(decades).large_loss_for_delta(math.log(self.estimate.finite))
        if point is None:
            return None
        self._estimate(point.epsilon, point.theta)
        return decades, point.tilt_index

    def log_width(self, width: float) -> float:
        if self.estimate.answer == 0.0:
            return WIDEST
        return width * self.estimate.theta * self.delta / self.estimate.finite

    def read(self, profile: Profile, rtol: float) -> tuple[float, float]:
        return self._crossings(profile.delta_lower, profile.delta_upper, 0.05 * rtol * self.estimate.answer)

    def chernoff(self, tilt: Tilt, limit: float) -> float:
        return self.direction.chernoff_epsilon(*tilt, self.delta, self.estimate.answer, limit)

    def learn(self, width: float, wanted: float) -> None:
        """Leave for neighbours how the answer was found, in a bracket of this width where one was wanted."""
        if self.saddle_estimate > 0.0 and not self.settled:
            finer = min(1.0, self.way.finer * (_COARSER if width < _NARROW * wanted else 1.0))
            ratio = 0.5 * (self.lower + self.upper) / self.saddle_estimate
            self.direction.learn_way(Way(self.way.route, ratio, finer))

    def chernoff_may_show(self, limit: float) -> bool:
        return self.direction.chernoff_may_show(self.tilt(USUAL), self.estimate.answer, limit)

    def _crossings(
        self, delta_lower: Callable[[float], float], delta_upper: Callable[[float], float], tolerance: float
    ) -> tuple[float, float]:
        guess, slope = self.estimate.answer, self.estimate.theta * self.estimate.finite / self.delta
        tolerance = max(tolerance, 1e-15 * guess, 1e-300)
        most = min(self.upper, FARTHEST)  # beyond what is known to be enough nothing is looked for
        if self.direction.closed_form and self._ends is Ends.LOWER:
            return last_at_least(delta_lower, self.delta, guess, slope, tolerance, most), self.upper
        upper = first_at_most(delta_upper, self.delta, guess, slope, tolerance, most)
        if self.direction.closed_form and self._ends is Ends.UPPER:
            return self.lower, upper
        near = upper if math.isfinite(upper) and not self.direction.closed_form else min(guess, upper)
        lower = last_at_least(delta_lower, self.delta, near, slope, tolerance, most)
        return lower, upper
