"""One direction's part of a question: the ways to try, and the bracket that all of them leave (M9)."""

import math
from collections.abc import Callable

from tightbudget.engine.closed.gaussian import gaussian_guess
from tightbudget.engine.closed.laplace import LaplaceDirection
from tightbudget.engine.direction import WIDEST, OneDirection, decades_for
from tightbudget.engine.large_losses.apart import SplitDirection, ceilings, splittable
from tightbudget.engine.large_losses.layers import NEGLIGIBLE, layered
from tightbudget.engine.route import Reading, Source, Way
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.numerics.search import FARTHEST, first_at_most, last_at_least
from tightbudget.pairs.exponential import ExponentialPair

_USUAL = 1e-3  # tolerance until a stage says otherwise
_LATTICE = 1e-5
PATIENT = 1e-4  # whoever asks for a narrower bracket than this will wait for it
_MOST_POINTS, _MOST_POINTS_PATIENT = 2.0**19, 2.0**21  # in all lists of a way: a second, and some 300 MB
_NEAR = 0.4  # of the answer
_ALIKE = 0.01  # epsilons, relatively
_LIKE_ROUNDING, _LIKE_SUMS = 2e-13, 1e-12  # of epsilon and delta: to search sums more closely is in vain
_SETTLED = 1e3  # times as wide: then another way may be narrower

_LEFT = 1e-16  # of delta, that finite losses may use where rounding cannot tell
_TOO_SMALL = "delta is so near the smallest numbers of float64 that no finite upper end can be certified"
_BEYOND = "the answer is finite, but no float is as large"
_AT_INFINITY = "delta is, up to rounding, the probability that everything is revealed"

Maker = Callable[[], Way | None]


class Asker:
    """One direction's bracket of the answer, made narrower by one computation at a time; it never becomes wider."""

    def __init__(self, direction: OneDirection) -> None:
        self.direction = direction
        self.lower, self.upper = 0.0, math.inf
        self.estimate = 0.0  # a rough value of the answer
        self.settled = False  # nothing left to improve
        self.without_end = _TOO_SMALL  # why there may be no finite upper end
        self.rtol = _USUAL
        self.ways: list[Way] = []
        self.untried: list[Maker] = []
        self._best: Maker | None = None  # the maker of the way that did best
        self._tilts: dict[float, tuple[int, int]] = {}  # by tolerance
        self._stages = 0  # begun so far

    @property
    def first_stage(self) -> float:
        """The tolerance to begin with: for repeated Laplace noise a fine one takes hardly longer than a coarse one."""
        items = self.direction.steps.items
        return _LATTICE if len(items) == 1 and isinstance(items[0][0], ExponentialPair) else _USUAL

    @property
    def reason(self) -> str:
        """Why there is nothing left to try."""
        return next((way.reason for way in reversed(self.ways) if way.reason), "")

    def settle(self, lower: float, upper: float) -> None:
        """Take the answer as final."""
        self.lower, self.upper, self.estimate, self.settled = lower, upper, upper, True

    def aim(self, rtol: float) -> None:
        """Begin a stage: try all ways anew with this tolerance in mind, the one that did best so far first."""
        self.rtol, self.ways, self._stages = rtol, [], self._stages + 1
        makers: list[Maker] = [self.tilted, self.large_loss, self.apart, self.layers, self.apart, self.layers, self.apart]
        if self._best is not None and self._best in makers:
            makers.remove(self._best)
            makers.insert(0, self._best)
        self.untried = [] if self.settled else makers
        self._tried: dict[str, list[float]] = {}  # epsilons for which large losses were taken apart

    def advance(self, width: float, wanted: float) -> bool:
        """Compute once more; return whether there was anything left to try.

        The first plan is for a bracket of the given width, all others for the wanted one. Every way is tried before one
        is pursued that did much worse than planned: where the law of the width fails, a finer grid is no help, or a
        dear one.
        """
        if self.ways and self.ways[-1].hopeful(wanted):
            # later stages begin with the way that did best: there is no need to look around before it is pursued
            look_around = self.untried and (self._stages == 1 or len(self.ways) > 1)
            self._take(self.ways[-1].try_refining if look_around else self.ways[-1].refine, wanted)
            return True
        while self.untried:
            maker = self.untried.pop(0)
            way = maker()
            if way is not None:
                first = not self.ways
                self.ways.append(way)
                asked = width if first else wanted
                planned = width / max(self.estimate, 1e-300) if first else 0.0
                self._take(way.start, planned, self.log_width(asked))
                self._best = maker if first or way.width < min(one.width for one in self.ways[:-1]) else self._best
                return True
        left = [way for way in self.ways if not way.final]
        if left:
            best = min(left, key=lambda way: way.width)
            self._take(best.refine, wanted)
        return bool(left)

    def _take(self, compute: Callable[..., None], *arguments: float) -> None:
        compute(self.read, *arguments)
        self.lower = max([self.lower, *(way.lower for way in self.ways)])
        self.upper = min([self.upper, *(way.upper for way in self.ways)])

    def way(self, source: Source, decades: int, tilt_index: int) -> Way | None:
        """Return a new way; None if it was tried already."""
        if any(way.source is source and way.tilt == (decades, tilt_index) for way in self.ways):
            return None
        patient = self.rtol < PATIENT and self._stages > 1
        return Way(source, (decades, tilt_index), _MOST_POINTS_PATIENT if patient else _MOST_POINTS)

    def cheapen(self) -> None:
        """Lower the upper end to a bound that takes no composition, if that is better."""
        if not self.settled:
            tilts = {way.tilt for way in self.ways if way.source is self.direction} or {self.tilt()}
            self.upper = min(self.upper, *(self.cheap_upper(*tilt) for tilt in tilts))

    def log_width(self, width: float) -> float:
        """Return the width in log delta that makes a bracket of the given absolute width."""
        raise NotImplementedError

    def read(self, profile: Reading) -> tuple[float, float]:
        """Return the answer's bounds from bounds on delta(epsilon)."""
        raise NotImplementedError

    def cheap_upper(self, decades: int, tilt_index: int) -> float:
        """Return an upper bound on the answer that takes no composition."""
        raise NotImplementedError

    def tilt(self) -> tuple[int, int]:
        """Return the decades to follow and the index of the tilt at the saddle point."""
        if self.rtol not in self._tilts:
            self._tilts[self.rtol] = self.saddle_point()
        return self._tilts[self.rtol]

    def saddle_point(self) -> tuple[int, int]:
        """Return the decades and the tilt of the saddle point, and take the estimate that goes with it."""
        raise NotImplementedError

    def tilted(self) -> Way | None:
        return self.way(self.direction, *self.tilt())

    def large_loss(self) -> Way | None:
        """Return the way with a tilt for one large loss, and take the estimate that goes with it."""
        raise NotImplementedError

    finite: float  # the part of delta that finite losses have, roughly

    def apart(self) -> Way | None:
        """Return the way of the small losses alone, with what the large ones give added to it."""
        epsilon = self.epsilon_in_question()
        if not self._new("apart", epsilon) or not splittable(self.direction.steps, epsilon):
            return None
        found, decades = SplitDirection(self.direction.steps, ceilings(self.direction.steps, epsilon)), self.decades()
        return self.way(found, decades, found.small.saddle(decades).for_epsilon(epsilon).tilt_index)

    def layers(self) -> Way | None:
        """Return the way that tells compositions apart by the number of their large losses."""
        epsilon, decades = self.epsilon_in_question(), self.decades()
        if not self._new("layers", epsilon):
            return None
        found = layered(self.direction.steps, epsilon, decades, NEGLIGIBLE * self.rtol * self.finite)
        return self.way(found, decades, 0) if found is not None else None

    def _new(self, kind: str, epsilon: float) -> bool:
        """Whether nothing of the kind was tried in this stage for about this epsilon."""
        tried = self._tried.setdefault(kind, [])
        new = all(abs(epsilon - other) > _ALIKE * epsilon for other in tried)
        tried.append(epsilon)
        return new

    def decades(self) -> int:
        raise NotImplementedError

    def epsilon_in_question(self) -> float:
        raise NotImplementedError


class DeltaAsker(Asker):
    def __init__(self, direction: OneDirection, epsilon: float) -> None:
        super().__init__(direction)
        self.epsilon, self.lower, self.upper = epsilon, direction.infinity[0], direction.naive_delta(epsilon)
        exact = direction.exact(epsilon)
        if exact is not None:
            self.settle(*exact)
        else:
            self.tilt()

    def saddle_point(self) -> tuple[int, int]:
        decades = decades_for(1.0, self.rtol)
        while True:  # the deeper the answer, the rarer the losses that matter
            point = self.direction.saddle(decades).for_epsilon(self.epsilon)
            self.finite = math.exp(min(0.0, point.log_delta))
            needed = self.decades()
            if needed <= decades:
                break
            decades = min(needed, 3 * decades)  # an estimate far below what is followed is too low
        self.estimate = min(1.0, self.finite + self.direction.infinity[1])
        return decades, point.tilt_index

    def decades(self) -> int:
        return decades_for(self.finite + self.direction.infinity[0], self.rtol)

    def log_width(self, width: float) -> float:
        return width / max(self.finite, 1e-300)

    def epsilon_in_question(self) -> float:
        return self.epsilon

    def large_loss(self) -> Way | None:
        rough = self.direction.saddle(self.decades()).large_loss_for_epsilon(self.epsilon)
        if rough is None:
            return None
        self.finite = math.exp(min(0.0, rough.log_delta))
        decades = self.decades()
        point = self.direction.saddle(decades).large_loss_for_epsilon(self.epsilon)
        if point is None:
            return None
        self.finite = math.exp(min(0.0, point.log_delta))
        self.estimate = min(1.0, self.finite + self.direction.infinity[1])
        return self.way(self.direction, decades, point.tilt_index)

    def cheap_upper(self, decades: int, tilt_index: int) -> float:
        log_delta, left_out = self.direction.chernoff_delta(decades, tilt_index, self.epsilon)
        return (math.exp(min(0.0, log_delta)) * (1.0 + 1e-9) + left_out) * (1.0 + 4.0 * U)

    def read(self, profile: Reading) -> tuple[float, float]:
        return profile.delta_lower(self.epsilon), profile.delta_upper(self.epsilon)


class EpsilonAsker(Asker):
    def __init__(self, direction: OneDirection, delta: float) -> None:
        super().__init__(direction)
        self.delta = delta
        low, high = direction.infinity
        mass = direction.steps.infinity
        exact = mass.exact if mass.possible else None
        top = max(0.0, direction.max_loss) if direction.steps.items else 0.0
        if not direction.steps.items or delta >= 1.0:
            self.settle(0.0, 0.0)
        elif delta < low or (delta == 0.0 and mass.certain) or (exact is not None and exact > delta):
            self.settle(direction.steps.infinity_from, math.inf)
            self.without_end = _BEYOND
        elif delta in (0.0, exact):  # nothing left for finite losses
            self.settle(max(0.0, direction.steps.max_loss_lower), math.inf if delta < high else top)
        elif delta >= high and top == 0.0:
            self.settle(0.0, 0.0)
        elif direction.revealed:
            self.settle(0.0, math.inf)
        elif high > 0.0 and delta <= high:  # all but nothing is left for finite losses
            self.without_end = _AT_INFINITY
            self._prepare(max(_LEFT * delta, TINIEST), top if exact is not None else math.inf)
        else:
            self._prepare(delta - high, top)

    def _prepare(self, finite: float, top: float) -> None:
        """Estimate the answer from the part of delta that finite losses may use; or give it in closed form."""
        self.finite, self.upper = finite, top
        gaussian = self.direction.steps.only_gaussian
        if gaussian is not None:
            self.estimate, self.theta = gaussian_guess(gaussian.m, finite)
        elif not self._summed(self.direction.laplace):
            self.tilt()
        if self.direction.closed_form:
            lower, upper = self._crossings(lambda x: self._exact(x)[0], lambda x: self._exact(x)[1], 1e-10 * self.estimate)
            self.settle(lower, min(upper, top))

    def _summed(self, laplace: LaplaceDirection | None) -> bool:
        """Take what repeated Laplace noise has in closed form, and return whether that settles the question."""
        guess = None if laplace is None else laplace.guess(self.delta)
        if laplace is None or guess is None:
            return False
        self.estimate, self.theta = guess
        tolerance = max(_LIKE_ROUNDING * self.estimate, _LIKE_SUMS / self.theta)
        lower, upper = self._crossings(laplace.delta_lower, laplace.delta_upper, tolerance)
        self.lower, self.upper = lower, min(self.upper, upper)
        if self.upper - self.lower > _SETTLED * tolerance:
            return False
        self.settle(self.lower, self.upper)
        return True

    def _exact(self, epsilon: float) -> tuple[float, float]:
        exact = self.direction.exact(epsilon)
        assert exact is not None
        return exact

    def saddle_point(self) -> tuple[int, int]:
        point = self.direction.saddle(self.decades()).for_delta(math.log(self.finite))
        self.theta = point.theta
        self.estimate = min(max(self.lower, point.epsilon), self.upper)
        return self.decades(), point.tilt_index

    def decades(self) -> int:
        return decades_for(self.finite, self.rtol)

    def epsilon_in_question(self) -> float:
        if self.upper - self.lower < _NEAR * self.upper < math.inf:  # then it is known better than any estimate
            self.estimate = 0.5 * (self.lower + self.upper)
        return self.estimate

    def large_loss(self) -> Way | None:
        point = self.direction.saddle(self.decades()).large_loss_for_delta(math.log(self.finite))
        if point is None:
            return None
        self.estimate, self.theta = min(max(self.lower, point.epsilon), self.upper), point.theta
        return self.way(self.direction, self.decades(), point.tilt_index)

    def log_width(self, width: float) -> float:
        if self.estimate == 0.0:
            return WIDEST
        return width * self.theta * self.delta / self.finite

    def cheap_upper(self, decades: int, tilt_index: int) -> float:
        return self.direction.chernoff_epsilon(decades, tilt_index, self.delta)

    def read(self, profile: Reading) -> tuple[float, float]:
        return self._crossings(profile.delta_lower, profile.delta_upper, 0.05 * self.rtol * self.estimate)

    def _crossings(
        self, delta_lower: Callable[[float], float], delta_upper: Callable[[float], float], tolerance: float
    ) -> tuple[float, float]:
        guess, slope = self.estimate, self.theta * self.finite / self.delta
        tolerance = max(tolerance, 1e-15 * guess, 1e-300)
        most = min(self.upper, FARTHEST)  # beyond what is known to be enough nothing is looked for
        upper = first_at_most(delta_upper, self.delta, guess, slope, tolerance, most)
        near = upper if math.isfinite(upper) and not self.direction.closed_form else min(guess, upper)
        lower = last_at_least(delta_lower, self.delta, near, slope, tolerance, most)
        return lower, upper
