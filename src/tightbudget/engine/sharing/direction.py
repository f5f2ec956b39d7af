"""One direction of a composition, planned after its neighbours."""

import contextlib
import math

import numpy as np

from tightbudget.engine.direction import APART, MOST_PLACES, OneDirection, Way, width_index_of
from tightbudget.engine.discretisation.window import tail_truncated
from tightbudget.engine.rough_law import RoughLaw
from tightbudget.engine.saddle import SaddlePoint
from tightbudget.engine.sharing.bounds import place_of
from tightbudget.engine.sharing.grid_plan import GridPlan, planned_spectrum, seen_once
from tightbudget.engine.sharing.pair_law import OFF, PairLaw, own_law, pair_law
from tightbudget.engine.sharing.plans import Kind, SharedPlans
from tightbudget.engine.sharing.saddle import WarmSaddle
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import PlanTarget, target_for
from tightbudget.numerics.convolve import TooWide

_HOPEFUL = 0.95  # of what a Chernoff bound is estimated to exceed the answer by
_CEILINGS = 2.0  # of small losses, for each octave: the same ones serve some counts
_POOR = 0.85  # ratio of an answer to its estimate: then large losses play a part that the saddle point does not see
_FARTHEST = 0.25  # the least ratio that is believed, and the inverse of the largest
_SPAN = 3.0  # counts up to so many times as large are served by the law of a row
_AHEAD, _REACH = 1.2, 1.7  # standard deviations of the composed loss: where its tilt lies, and how far it serves
_ROW_WIDTH = 0.02  # in log delta, at most
_LESS = 0.993  # of a bound that is wanted, for what it is compared with is only estimated
_SHARP = 0.999  # of a limit: then a bound by the modulus is likely to be below it
_MANY_NODES = 64  # then a few large losses matter, spectra change from point to point, and room for others is dear


class SharedDirection(OneDirection):
    """A direction that begins to look where its neighbours have ended. What it finds is certified as ever."""

    gap_share = 0.15  # for the bound to serve neighbours too

    def __init__(self, steps: Steps, name: str, plans: SharedPlans) -> None:
        super().__init__(plans.known(steps), name)
        self.asked = steps
        self._shared_plans = plans
        self._row_kind = f"{name} in rows", 1
        self._warm_saddles: dict[int, WarmSaddle] = {}

    def saddle(self, decades: int) -> WarmSaddle:
        if decades not in self._warm_saddles:
            tail = self._log_tail_mass(decades)
            self._warm_saddles[decades] = WarmSaddle(self.steps, tail, self._shared_plans.starts, self.name)
        return self._warm_saddles[decades]

    def large_losses_grow(self, decades: int, theta: float) -> bool:
        return False  # how a neighbour was answered says it

    def rough_law(self, decades: int, point: SaddlePoint) -> RoughLaw | None:
        return None  # the ratio of a neighbour's answer to its estimate is known

    def known_upper(self, delta: float, wanted: float) -> tuple[float, str]:
        place = place_of(self.steps, delta)
        known = math.inf if place is None else self._shared_plans.known_upper(place)
        if known < wanted or not wanted > 0.0:
            return known, "neighbours"
        return self._upper_by_laws(delta, wanted), "modulus"

    def way(self) -> Way:
        return self._shared_plans.way(self.name, self.steps.total)

    def learn_way(self, way: Way) -> None:
        # where estimates are poor, large losses stand out; taken apart, they take less, unless that was tried in vain
        apart = way.ratio < _POOR and (way.route == APART or self.way().route != APART)
        route = APART if apart else 0
        ratio = way.ratio if _FARTHEST < way.ratio < 1.0 / _FARTHEST else 1.0
        self._shared_plans.learn_way(self.name, self.steps.total, Way(route, ratio, way.finer if route == way.route else 1.0))

    def ceiling(self, least: float) -> float:
        return float(2.0 ** (math.ceil(_CEILINGS * math.log2(least)) / _CEILINGS)) if 0.0 < least < math.inf else least

    def of_small_losses(self, steps: Steps) -> OneDirection:
        return SharedDirection(steps, f"{self.name}, small losses", self._shared_plans)

    def _upper_by_laws(self, delta: float, wanted: float) -> float:
        """Return a bound by the law of the same pair that was made for nearly as many steps.

        That by the modulus if it is below the one wanted; else, if it can be shown, a little less than that.
        """
        if len(self.steps.items) != 1:
            return math.inf
        pair, count = self.steps.items[0]
        nearest = min(self._shared_plans.laws(pair), key=lambda law: abs(math.log(law.count / count)), default=None)
        if nearest is None:
            return math.inf
        upper = self._upper_by(nearest, delta)
        if upper < wanted or not abs(math.log(nearest.count / count)) < math.log(_SPAN):
            return upper
        with contextlib.suppress(TooWide, ArithmeticError, MemoryError), np.errstate(all="raise", under="ignore"):
            return min(upper, self._upper_at(_LESS * wanted, nearest, _ROW_WIDTH, nearest.reach, delta))
        return upper

    def _upper_by(self, law: PairLaw, delta: float) -> float:
        return law.epsilon_upper(self.steps.items[0][1], delta, self._not_followed(law))

    def _not_followed(self, law: PairLaw) -> float:
        """Return a bound on the mass that is infinite, too rare to be in the law or unresolved."""
        rare = self.steps.items[0][1] * math.exp(law.log_tail) * self._coarse_error
        return self.infinity.upper + 1.01 * (rare + self.steps.unresolved)

    def chernoff_epsilon(self, decades: int, tilt_index: int, delta: float, estimate: float = 0.0, limit: float = 0.0) -> float:
        saddle = self.saddle(decades)
        tilt = saddle.at_index(tilt_index)
        width = 2.0 ** (width_index_of(self.gap_share * max(limit - estimate, 0.0) * tilt.theta) / 4.0)
        with contextlib.suppress(TooWide, ArithmeticError, MemoryError), np.errstate(all="raise", under="ignore"):
            asked = target_for(self.steps, tilt, width, saddle.cells)
            law, _ = self._law(asked, decades)
            if law is not None:
                upper = self._upper_by(law, delta)
                return upper if upper < limit else min(upper, self._upper_at(limit, law, width, law.off(tilt), delta))
        return super().chernoff_epsilon(decades, tilt_index, delta, estimate, limit)

    def _upper_at(self, epsilon: float, law: PairLaw, width: float, off: float, delta: float) -> float:
        """Return epsilon if delta is certainly no larger there, as seen by the law; else inf."""
        made = law.spectrum(self.steps.items[0][1], width, off) if epsilon > 0.0 else None
        if made is None:
            return math.inf
        found = SpectralProfile.of(made, self._not_followed(law), self.infinity, 0.0)
        return epsilon if found.delta_upper(epsilon) <= delta else math.inf

    def _law(self, asked: PlanTarget, decades: int) -> tuple[PairLaw | None, Spectrum | None]:
        """Return a law that serves the target, a known one or a new one, and the spectrum if it was made with it."""
        if not _one_smooth_pair(asked):
            return None, None
        known = self._known_law(asked)
        if known is not None:
            return known, None
        if self._shared_plans.rising(asked.steps.items[0][1], self.name):
            return self._of_a_row(asked, decades)
        plans, kind = self._shared_plans, (self.name, 1)
        for plan in plans.grids(kind):
            step = plan.step_for(asked)
            if step is not None:
                if plan.hopeless:
                    return None, None
                plans.keep(kind, plan.at_step(step), plan)
                return self._new_law(asked, plan, step), None
        return None, None

    def _known_law(self, asked: PlanTarget) -> PairLaw | None:
        laws = self._shared_plans.laws(asked.steps.items[0][0])
        return next((law for law in laws if law.serves(asked)), None)

    def _new_law(self, asked: PlanTarget, plan: GridPlan, step: float, reach: float = OFF) -> PairLaw:
        law = pair_law(asked, plan, step, self._shared_plans.discretised, reach)
        self._shared_plans.keep_law(law)
        return law

    def learn_upper(self, delta: float, upper: float) -> None:
        place = place_of(self.steps, delta)
        if place is not None and upper < self._shared_plans.known_upper(place):
            self._shared_plans.learn_upper(place, upper)

    def chernoff_may_show(self, tilt: tuple[int, int], epsilon: float, limit: float) -> bool:
        if len(self.steps.items) == 1 and (
            self._shared_plans.grids((self.name, 1)) or self._shared_plans.grids(self._row_kind)
        ):  # then it is one by the modulus
            return epsilon < _SHARP * limit
        # the bound has the largest weight where the saddle-point estimate has an integral (M9)
        decades, tilt_index = tilt
        there = self.saddle(decades).at_index(tilt_index)
        theta, spread = there.theta, 0.5 * math.log(2.0 * math.pi) + math.log(there.root_curvature)
        excess = spread + math.log(theta) - theta * math.log1p(1.0 / theta)
        return epsilon + _HOPEFUL * excess / theta < limit

    def _spectrum(self, asked: PlanTarget, decades: int) -> tuple[Spectrum | None, float]:
        kind = (self.name, len(self.steps.items))
        law, made = self._law(asked, decades)
        if law is not None and made is None:
            made = _spectrum_by(law, asked)
        if law is not None and made is not None:
            return made, float(law.laws.places.size)
        made, points = self._spectrum_after(kind, asked, decades)
        self._shared_plans.nodes[kind] = _MANY_NODES if made is None else made.nodes.size
        return made, points

    def _of_a_row(self, asked: PlanTarget, decades: int) -> tuple[PairLaw | None, Spectrum | None]:
        """Return a law made to serve larger counts too, and the spectrum of this one."""
        plans, kind = self._shared_plans, self._row_kind
        if plans.rests(kind):
            return None, None
        ahead = self._row(asked, decades)
        for plan in plans.grids(kind):
            step = plan.step_for(ahead)
            if step is not None:
                law = self._new_law(ahead, plan, step, _REACH)
                made = _spectrum_by(law, asked)
                if made is not None:
                    plans.keep(kind, plan.at_step(step), plan)
                    return law, made
                break
        found = seen_once(ahead, MOST_PLACES, _SPAN)
        if found is None:
            plans.rest(kind)
            return None, None
        if found.plan is not None:
            plans.keep(kind, found.plan)
        law = own_law(ahead, found, _REACH)
        plans.keep_law(law)
        return law, _spectrum_by(law, asked)

    def _row(self, asked: PlanTarget, decades: int) -> PlanTarget:
        """Return the target of a law that serves counts up to `_SPAN` times as large: those ask for smaller tilts."""
        (pair, count), tilt, saddle = asked.steps.items[0], asked.tilt, self.saddle(decades)
        theta = max(tilt.theta - _AHEAD / tilt.root_curvature, 0.5 * tilt.theta)
        ahead = saddle.of_more(theta, _SPAN)
        cells = tail_truncated(pair, self._log_tail_mass(decades) - math.log(_SPAN))
        return target_for(Steps(((pair, round(_SPAN * count)),)), ahead, min(asked.width, _ROW_WIDTH), [cells])

    def _spectrum_after(self, kind: Kind, asked: PlanTarget, decades: int) -> tuple[Spectrum | None, float]:
        """Return the spectrum by a neighbour's plan, or by a new one; alone where spectra have many nodes."""
        nodes = self._shared_plans.nodes.get(kind, 0)
        if nodes >= _MANY_NODES:
            return super()._spectrum(asked, decades)
        for plan in self._shared_plans.grids(kind):
            step = plan.step_for(asked)
            if step is not None and plan.hopeless:
                self._shared_plans.keep(kind, plan.rested(), plan)
                return super()._spectrum(asked, decades)
            if step is not None:
                found, followed = plan.follow(asked, step, self._shared_plans.discretised)
                self._shared_plans.keep(kind, followed, plan)
                return found, float(plan.grid.places.size)
        made, points, new = planned_spectrum(asked, MOST_PLACES)
        if new is not None:
            self._shared_plans.keep(kind, new)
        return made, points


def _spectrum_by(law: PairLaw, asked: PlanTarget) -> Spectrum | None:
    return law.spectrum(asked.steps.items[0][1], asked.width, law.off(asked.tilt))


def _one_smooth_pair(asked: PlanTarget) -> bool:
    """Whether there is one pair, repeated, and no point masses that ask for a grid of their own."""
    return len(asked.steps.items) == 1 and not asked.steps.items[0][0].alignment
