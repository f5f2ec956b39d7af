"""One direction (add or remove) of a composition: profiles, made as a question calls for them."""

import contextlib
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.engine.chernoff import epsilon_upper, log_delta_upper, log_moments
from tightbudget.engine.closed.gaussian import gaussian_delta
from tightbudget.engine.closed.laplace import LaplaceDirection, laplace_direction
from tightbudget.engine.closed.one_step import Ends, single_delta, single_guess
from tightbudget.engine.levels.evaluate import evaluate_plan
from tightbudget.engine.levels.plan import LevelPlan, plan_levels
from tightbudget.engine.levels.profile import LevelProfile
from tightbudget.engine.rough_law import MOST_EPSILON, Aim, RoughLaw
from tightbudget.engine.saddle import Saddle, SaddlePoint
from tightbudget.engine.spectral.grid import displaced_at_aim, spectral_grid
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.spectral.smoothed import SmoothedProfile, smoothed_spectrum
from tightbudget.engine.spectral.spectrum import Spectrum, composed_spectrum
from tightbudget.engine.steps import MERGE_ERROR, Steps
from tightbudget.engine.target import PlanTarget, target_for
from tightbudget.numerics.byte_cache import ByteCache
from tightbudget.numerics.convolve import LONGEST, TooWide
from tightbudget.numerics.rounding import lowered, raised, strictly_raised
from tightbudget.pairs.base import NEGLIGIBLE
from tightbudget.pairs.infinite_mass import InfiniteMass

Array = NDArray[np.float64]

WIDEST = 0.25  # in log delta; a wider plan would save nothing
_MOST_EVENTS = 2**16  # for which a sum over all of them is quicker than a bucket list
_KEPT, _KEPT_BYTES = 64, 2**26  # profiles remembered, of one direction
MOST_PLACES = 2.0**17  # of a spectrum's grid
_GROWTH = 5.0  # power of a tilt with which the variance of the loss grows
_FEW = 4  # items, of which the law of the sum is quickly had
_NEAR = np.array([0.7, 0.85, 1.0, 1.15, 1.3])  # tilts to try in a Chernoff bound, relative to the saddle point
_MUCH = 1e-2  # of the variance of losses, that of Gaussian noise: then some hundred frequencies hold all of a composition
_DECADES_STEP, MOST_DECADES = 3, 306  # whole multiples of the first are used, up to the second


APART = 2
"""The number of the route that takes large losses apart (`engine/routes.py`)."""


_Key = tuple[int, int, int, float | None]  # decades, tilt index, width index and aim of a profile


class Way(NamedTuple):
    """How an answer was found."""

    route: int = 0  # its number
    ratio: float = 1.0  # of the answer to its saddle-point estimate
    finer: float = 1.0  # width in log delta that it took, relative to the one planned


class OneDirection:
    """The composition of pairs (A, B) in one direction. Keeps what it has computed; answers never depend on that."""

    route = "levels"
    gap_share = 0.3  # of the distance to the larger direction, to which the smaller one is composed

    def __init__(self, steps: Steps, name: str = "") -> None:
        self.steps, self.name = steps, name
        self._plans: dict[_Key, LevelPlan] = {}  # of profiles that were too long for who asked
        self._saddles: dict[int, Saddle] = {}

    @cached_property
    def _profiles(self) -> "ByteCache[_MadeProfile]":
        return ByteCache(_KEPT_BYTES, _KEPT)

    @cached_property
    def revealed(self) -> bool:
        """Whether some step leaves no finite loss that could be resolved."""
        return any(pair.infinity.upper > 0.5 and pair.coarse_cells().size == 0 for pair, _ in self.steps.items)

    @cached_property
    def infinity(self) -> InfiniteMass:
        """The mass of A with infinite loss: perhaps all of it, where finite losses of some step are not resolved."""
        return self.steps.infinity.or_more() if self.revealed else self.steps.infinity

    @cached_property
    def max_loss(self) -> float:
        return self.steps.max_loss

    def naive_delta(self, epsilon: float) -> float:
        """Return an upper bound on delta from the largest loss alone: a_inf + 1 - e^{epsilon - max_loss} (M8)."""
        gap = self.max_loss - epsilon if self.max_loss < math.inf else math.inf
        finite = -math.expm1(-gap) if gap > 0.0 else 0.0
        return min(1.0, strictly_raised(self.infinity.upper + finite, 8)) if finite else self.infinity.upper

    def shared_out_delta(self, epsilon: float) -> float:
        """Return the sum of all steps' deltas, each at its equal share of epsilon: an upper bound on delta (M9)."""
        share, total = lowered(epsilon / max(1, self.steps.total), 4), 0.0
        for pair, count in self.steps.items:
            gaussian = pair.gaussian
            if gaussian is not None:  # one that stands for several was merged
                one = gaussian_delta(gaussian.m, share, MERGE_ERROR + gaussian.m_error)[1]
            else:
                one = single_delta(pair, share, (0.0, pair.infinity.upper), Ends.UPPER)[1]
            total = strictly_raised(total + strictly_raised(count * one, 4), 4)
        return min(1.0, total)

    def exact(self, epsilon: float, ends: Ends = Ends.BOTH) -> tuple[float, float, str] | None:
        """Return bounds on delta(epsilon) that need no discretisation, if there are any, and how they were found.

        Of one step an end that is not asked for says nothing.
        """
        if not self.steps.items:
            return 0.0, 0.0, "nothing to lose"
        least, most = self.infinity.at(epsilon).lower, self.infinity.upper
        if epsilon >= self.infinity.certain_below < math.inf:  # losses that are counted as infinite may be as small
            return least, self.naive_delta(epsilon), "largest loss"
        if self.revealed or epsilon >= self.max_loss or epsilon == math.inf:
            return least, most, "infinite losses" if most else "largest loss"
        if self.max_loss < NEGLIGIBLE:  # denormal losses are known to no relative accuracy
            return least, self.naive_delta(epsilon), "largest loss"
        gaussian = self.steps.only_gaussian
        if gaussian is not None:
            return *gaussian_delta(gaussian.m, epsilon, MERGE_ERROR + gaussian.m_error), self.closed_form
        if self.laplace is not None:
            found = self.laplace.delta(epsilon)
            return None if found is None else (*found, self.laplace.route)
        if not self._single:
            return None
        return *single_delta(self.steps.items[0][0], epsilon, (least, most), ends), self.closed_form

    @cached_property
    def laplace(self) -> LaplaceDirection | None:
        """The closed form of repeated Laplace noise, if the composition is that."""
        return laplace_direction(self.steps)

    @cached_property
    def _single(self) -> bool:
        """Whether the composition is one pair of few events."""
        return self.steps.total == 1 and self.steps.items[0][0].points().size <= _MOST_EVENTS

    @property
    def closed_form(self) -> str:
        """The closed form by which `exact` answers at every epsilon; empty if there is none."""
        return "closed form" if self.steps.only_gaussian is not None else "one step" if self._single else ""

    def single_guess(self, delta: float) -> tuple[float, float] | None:
        """Return about the epsilon of one step, and how fast log delta falls there; None if there are several steps."""
        return single_guess(self.steps.items[0][0], delta) if self._single else None

    @property
    def fine_is_cheap(self) -> bool:
        """Whether a fine profile takes hardly longer than a coarse one.

        All frequencies of a lattice come at once; beside much Gaussian noise it takes few of them (M19).
        """
        others = [(pair, count) for pair, count in self.steps.items if pair.gaussian is None]
        if len(others) != 1 or not others[0][0].exponential:
            return False
        (pair, count), noises = others[0], [pair.gaussian for pair, _ in self.steps.items if pair.gaussian is not None]
        return all(noise.m * noise.m > _MUCH * count * pair.max_loss * pair.max_loss for noise in noises)

    def saddle(self, decades: int) -> Saddle:
        """Return the saddle points of the losses, without the largest that hold 10^-decades of A over all steps."""
        if decades not in self._saddles:
            self._saddles[decades] = Saddle(self.steps, self._log_tail_mass(decades))
        return self._saddles[decades]

    def large_losses_grow(self, decades: int, theta: float) -> bool:
        """Whether at a tilt large losses gain so fast that fine profiles had better take them apart."""
        return theta > 0.0 and self.saddle(decades).growth(theta) > _GROWTH

    @property
    def has_parts(self) -> bool:
        """Whether large losses can be taken apart (M20)."""
        return all(pair.covers_b for pair, _ in self.steps.items)

    def rough_law(self, decades: int, point: SaddlePoint) -> RoughLaw | None:
        """Return the law of the composed loss, roughly, where a saddle point says little of it; else None.

        Nor where grids are lattices.
        """
        items, saddle = self.steps.items, self.saddle(decades)
        plain = len(items) <= _FEW and all(pair.alignment is None and pair.gaussian is None for pair, _ in items)
        if not plain or not saddle.leaps(point.theta):
            return None
        return RoughLaw.of(saddle.cells, [count for _, count in items], point) if 0.0 < point.epsilon < MOST_EPSILON else None

    def profile(
        self, decades: int, tilt_index: int, width_index: int, most_points: float, aim: Aim | None = None
    ) -> LevelProfile | SpectralProfile | None:
        """Return the profile tilted to the tilt_index and about 2^(width_index/4) wide in log delta.

        With an aim it is so wide there, whatever it is elsewhere. None if that takes longer lists than `most_points`.
        """
        key = decades, tilt_index, width_index, None if aim is None else aim.epsilon
        made = self._profiles.get(key)  # looked up once: other threads put and forget profiles meanwhile
        if made is None:
            made = self._made(key, most_points, aim)
            if made is None:
                return None
            self._profiles.put(key, made)
        # whether a list is too long must not depend on whether somebody else has asked for it before
        found = made.profile
        return found if found is None or found.points <= most_points else None

    def in_reach(self, decades: int, tilt_index: int, width_index: int, most_points: float, aim: Aim | None = None) -> bool:
        """Whether longer lists than `most_points`, though none that cannot be made, would make this profile."""
        key = decades, tilt_index, width_index, None if aim is None else aim.epsilon
        made, chosen = self._profiles.get(key), self._plans.get(key)
        if made is not None:  # for somebody who allowed more
            return made.profile is not None and made.profile.points > most_points
        return chosen is not None and most_points < chosen.points <= LONGEST

    def _made(self, key: "_Key", most_points: float, aim: Aim | None) -> "_MadeProfile | None":
        """Make a profile, or find that none can be made; None if that takes longer lists than who asks allows."""
        decades, tilt_index, width_index, _ = key
        saddle = self.saddle(decades)
        # what overflows where nobody expected it is no answer; by default NumPy would warn and go on
        with contextlib.suppress(TooWide, ArithmeticError, MemoryError), np.errstate(all="raise", under="ignore"):
            chosen = self._plans.get(key)
            if chosen is None:
                tilt, width = saddle.at_index(tilt_index), 2.0 ** (width_index / 4.0)
                asked = target_for(self.steps, tilt, width, saddle.cells, aim)
                short = self._by_frequencies(asked, decades)
                if short is not None:
                    return _MadeProfile(short)
                chosen = plan_levels(asked)
            if chosen.points > most_points:
                if len(self._plans) >= _KEPT:
                    self._plans.clear()  # they are quickly made anew
                self._plans[key] = chosen
                return None
            return _MadeProfile(LevelProfile.of(evaluate_plan(chosen), self._left_out(decades), self.infinity, chosen.points))
        return _MadeProfile(None)

    def chernoff_delta(self, decades: int, tilt_index: int, epsilon: float) -> tuple[float, float]:
        """Return an upper bound on log delta(epsilon) of the losses followed, and one on what that leaves out."""
        thetas, moments, loss_shift = self._chernoff(decades, tilt_index)
        return log_delta_upper(moments, thetas, epsilon - loss_shift), self._left_out(decades)

    def chernoff_epsilon(self, decades: int, tilt_index: int, delta: float, estimate: float = 0.0, limit: float = 0.0) -> float:
        """Return an epsilon at which delta(epsilon) is certainly at most delta.

        The least is about the estimate; one that is not above the limit will do.
        """
        thetas, moments, loss_shift = self._chernoff(decades, tilt_index)
        finite = lowered(delta, 4) - self._left_out(decades)
        if finite <= 0.0:
            return math.inf
        return max(0.0, raised(epsilon_upper(moments, thetas, math.log(finite)), 16) + loss_shift)

    def chernoff_may_show(self, tilt: tuple[int, int], epsilon: float, limit: float) -> bool:
        """Whether the Chernoff bound on an answer of about epsilon may be below the limit."""
        return True

    def _chernoff(self, decades: int, tilt_index: int) -> tuple[Array, Array, float]:
        thetas = self.saddle(decades).at_index(tilt_index).theta * _NEAR
        return thetas, *log_moments(self.steps, thetas, self._log_tail_mass(decades))

    def known_upper(self, delta: float, wanted: float) -> tuple[float, str]:
        """Return an upper bound on epsilon that takes no composition, and how it was found; inf if there is none.

        It is looked for until one below `wanted` is found.
        """
        return math.inf, ""

    def learn_upper(self, delta: float, upper: float) -> None:
        """Take an upper bound on epsilon that was certified; whoever asks alone has no use for it."""

    def way(self) -> Way:
        """Return how to begin: with the first route, and as the law of the width says."""
        return Way()

    def learn_way(self, way: Way) -> None:
        """Take how an answer was found; whoever asks alone has no use for it."""

    def ceiling(self, least: float) -> float:
        """Return a loss of at least this up to which losses count as small."""
        return least

    def of_small_losses(self, steps: Steps) -> "OneDirection":
        """Return the direction of a composition without its large losses."""
        return OneDirection(steps)

    def _left_out(self, decades: int) -> float:
        """Return a bound on the mass that is infinite, too rare to be followed or unresolved."""
        return self.infinity.upper + 1.01 * (10.0**-decades * self._coarse_error + self.steps.unresolved)

    @cached_property
    def _coarse_error(self) -> float:
        """Factor by which masses of coarse cells may be larger than they are stored."""
        largest = max(float(pair.coarse_cells().error.max(initial=0.0)) for pair, _ in self.steps.items)
        return math.exp(largest) if largest < 700.0 else math.inf

    def _log_tail_mass(self, decades: int) -> float:
        return -decades * math.log(10.0) - math.log(self.steps.total)

    def _by_frequencies(self, asked: PlanTarget, decades: int) -> SpectralProfile | None:
        """Return the profile read off a spectrum, if that is short."""
        with contextlib.suppress(TooWide, ArithmeticError, MemoryError):
            smoothed = smoothed_spectrum(asked, MOST_PLACES)
            if smoothed is not None:
                return SmoothedProfile.of(smoothed[0], self._left_out(decades), self.infinity, smoothed[1])
        try:
            made, points = self._spectrum(asked, decades)
        except (TooWide, ArithmeticError, MemoryError):
            return None
        return None if made is None else SpectralProfile.of(made, self._left_out(decades), self.infinity, points)

    def _spectrum(self, asked: PlanTarget, decades: int) -> tuple[Spectrum | None, float]:
        """Return the spectrum, if it is short, and the number of points it took."""
        points = spectral_grid(asked, MOST_PLACES)
        made = composed_spectrum(asked, points)
        if made is not None and asked.shares:  # a bucket stands for the mean loss of what makes delta: any place is sound
            made = replace(made, anchors=(made.anchors[0], made.anchors[1] + displaced_at_aim(asked, points)))
        return made, float(points.places.size)


class AimedDirection:
    """Profiles of a direction that are narrow at an aim."""

    route = OneDirection.route

    def __init__(self, direction: OneDirection, aim: Aim) -> None:
        self.direction, self.aim = direction, aim

    def profile(
        self, decades: int, tilt_index: int, width_index: int, most_points: float
    ) -> LevelProfile | SpectralProfile | None:
        return self.direction.profile(decades, tilt_index, width_index, most_points, self.aim)

    def in_reach(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> bool:
        return self.direction.in_reach(decades, tilt_index, width_index, most_points, self.aim)


class _MadeProfile(NamedTuple):
    """A profile that was made; None if none can be."""

    profile: LevelProfile | SpectralProfile | None

    @property
    def nbytes(self) -> int:
        return 0 if self.profile is None else self.profile.nbytes


def width_index_of(width: float) -> int:
    """Return the width index, the largest number of quarter octaves whose power of two is at most width."""
    usable = max(width, 1e-14) if width < WIDEST else WIDEST  # also where it is NaN
    return math.floor(4.0 * math.log2(usable))


def decades_for(delta: float, rtol: float) -> int:
    """Return how many decades of A's mass must be resolved for a delta to be known to rtol."""
    decades = -math.log10(max(delta, 1e-300)) - math.log10(min(rtol, 1.0)) + 2.5
    return min(MOST_DECADES, _DECADES_STEP * max(1, math.ceil(decades / _DECADES_STEP)))
