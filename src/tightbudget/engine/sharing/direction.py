"""One direction of a composition, planned after its neighbours."""

import contextlib
import math
from dataclasses import replace

import numpy as np

from tightbudget.engine.direction import MOST_PLACES, OneDirection, width_index_of
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.sharing.bounds import place_of
from tightbudget.engine.sharing.grid_plan import GridPlan, planned_spectrum
from tightbudget.engine.sharing.pair_law import PairLaw, pair_law
from tightbudget.engine.sharing.plans import Kind, SharedPlans
from tightbudget.engine.sharing.saddle import WarmSaddle
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import PlanTarget, target_for
from tightbudget.numerics.convolve import TooWide

_HOPEFUL = 0.95  # of what a Chernoff bound is estimated to exceed the answer by
_TOO_MANY_NODES = 400  # then there is no room for others
_AHEAD = 0.6  # standard deviations of the composed loss
_SHARP = 0.999  # of a limit: then a bound by the modulus is likely to be below it
_MANY_NODES = 64  # then a few large losses matter, spectra change from point to point, and room for others is dear


class SharedDirection(OneDirection):
    """A direction that begins to look where its neighbours have ended. What it finds is certified as ever."""

    gap_share = 0.15  # for the bound to serve neighbours too

    def __init__(self, steps: Steps, name: str, plans: SharedPlans) -> None:
        super().__init__(plans.known(steps), name)
        self.asked = steps
        self._shared_plans = plans

    def saddle(self, decades: int) -> Saddle:
        if decades not in self._saddles:
            tail = self._log_tail_mass(decades)
            self._saddles[decades] = WarmSaddle(self.steps, tail, self._shared_plans.starts, self.name)
        return self._saddles[decades]

    def known_upper(self, delta: float, wanted: float) -> tuple[float, str]:
        place = place_of(self.steps, delta)
        known = math.inf if place is None else self._shared_plans.known_upper(place)
        if known < wanted or not wanted > 0.0:
            return known, "neighbours"
        return self._upper_by_laws(delta), "modulus"

    def _upper_by_laws(self, delta: float) -> float:
        """Return the bound by the modulus, at the tilt of a composition of the same pair and nearly as many steps."""
        if len(self.steps.items) != 1:
            return math.inf
        pair, count = self.steps.items[0]
        nearest = min(self._shared_plans.laws(pair), key=lambda law: abs(math.log(law.count / count)), default=None)
        return math.inf if nearest is None else self._upper_by(nearest, delta)

    def _upper_by(self, law: PairLaw, delta: float) -> float:
        count = self.steps.items[0][1]
        rare = count * math.exp(law.log_tail) * self._coarse_error
        return law.epsilon_upper(count, delta, self.infinity[1] + 1.01 * (rare + self.steps.unresolved))

    def chernoff_epsilon(self, decades: int, tilt_index: int, delta: float, excess: float = 0.0) -> float:
        law = self._law_at(decades, tilt_index, excess)
        return super().chernoff_epsilon(decades, tilt_index, delta, excess) if law is None else self._upper_by(law, delta)

    def _law_at(self, decades: int, tilt_index: int, excess: float) -> PairLaw | None:
        """Return the law at a tilt, fine enough for a bound that exceeds epsilon by about `excess`."""
        saddle = self.saddle(decades)
        tilt = saddle.at_index(tilt_index)
        width = 2.0 ** (width_index_of(self.gap_share * max(excess, 0.0) * tilt.theta) / 4.0)
        with contextlib.suppress(TooWide, ArithmeticError, MemoryError), np.errstate(all="raise", under="ignore"):
            return self._law(target_for(self.steps, tilt, width, saddle.cells))
        return None

    def _law(self, asked: PlanTarget, follow: bool = True) -> PairLaw | None:
        """Return a law that serves the target, a known one or one by a neighbour's plan; None if there is no such."""
        if not _one_smooth_pair(asked):
            return None
        plans, kind = self._shared_plans, (self.name, 1)
        known = self._known_law(asked)
        if known is not None or not follow:
            return known
        asked = self._for_those_to_come(asked)
        for plan in plans.grids(kind):
            step = plan.step_for(asked)
            if step is not None:
                if plan.hopeless:
                    return None
                plans.keep(kind, plan.at_step(step), plan)
                return self._new_law(asked, plan, step)
        return None

    def _known_law(self, asked: PlanTarget) -> PairLaw | None:
        laws = self._shared_plans.laws(asked.steps.items[0][0])
        return next((law for law in laws if law.serves(asked)), None)

    def _new_law(self, asked: PlanTarget, plan: GridPlan, step: float) -> PairLaw:
        law = pair_law(asked, plan, step, self._shared_plans.discretised)
        self._shared_plans.keep_law(law)
        return law

    def _for_those_to_come(self, asked: PlanTarget) -> PlanTarget:
        """Return the target with a tilt for the next count too, where counts rise: more steps ask for a smaller one."""
        if not self._shared_plans.rising(asked.steps.items[0][1], self.name):
            return asked
        tilt = asked.tilt
        ahead = replace(tilt, theta=max(tilt.theta - _AHEAD / tilt.root_curvature, 0.5 * tilt.theta))
        return target_for(asked.steps, ahead, asked.width, list(asked.cells))

    def learn_upper(self, delta: float, upper: float) -> None:
        place = place_of(self.steps, delta)
        if place is not None and upper < self._shared_plans.known_upper(place):
            self._shared_plans.learn_upper(place, upper)

    def chernoff_may_show(self, tilt: tuple[int, int], epsilon: float, limit: float) -> bool:
        if self._shared_plans.grids((self.name, 1)) and len(self.steps.items) == 1:  # then it is one by the modulus
            return epsilon < _SHARP * limit
        # the bound has the largest weight where the saddle-point estimate has an integral (M9)
        decades, tilt_index = tilt
        there = self.saddle(decades).at_index(tilt_index)
        theta, spread = there.theta, 0.5 * math.log(2.0 * math.pi) + math.log(there.root_curvature)
        excess = spread + math.log(theta) - theta * math.log1p(1.0 / theta)
        return epsilon + _HOPEFUL * excess / theta < limit

    def _spectrum(self, asked: PlanTarget) -> tuple[Spectrum | None, float]:
        kind = (self.name, len(self.steps.items))
        made, points = self._spectrum_after(kind, asked)
        self._shared_plans.nodes[kind] = _MANY_NODES if made is None else made.nodes.size
        return made, points

    def _spectrum_after(self, kind: Kind, asked: PlanTarget) -> tuple[Spectrum | None, float]:
        """Return the spectrum by a neighbour's plan, or by a new one; alone where spectra have many nodes."""
        nodes = self._shared_plans.nodes.get(kind, 0)
        law = self._law(asked, nodes < _MANY_NODES)
        made = None if law is None else law.spectrum(asked.steps.items[0][1], asked.width)
        if law is not None and made is not None:
            return made, float(law.laws.places.size)
        if nodes >= _MANY_NODES:
            return self._spectrum_of_many_nodes(asked, nodes)
        for plan in self._shared_plans.grids(kind):
            step = plan.step_for(asked)
            if step is not None and plan.hopeless:
                self._shared_plans.keep(kind, plan.rested(), plan)
                return super()._spectrum(asked)
            if step is not None:
                found, followed = plan.follow(asked, step, self._shared_plans.discretised)
                self._shared_plans.keep(kind, followed, plan)
                return found, float(plan.grid.places.size)
        made, points, new = planned_spectrum(asked, MOST_PLACES)
        if new is not None:
            self._shared_plans.keep(kind, new)
        return made, points

    def _spectrum_of_many_nodes(self, asked: PlanTarget, nodes: int) -> tuple[Spectrum | None, float]:
        """Return the spectrum by a plan of its own, with room for other counts where those are likely to come."""
        rising = _one_smooth_pair(asked) and self._shared_plans.rising(asked.steps.items[0][1], self.name)
        if not rising or nodes >= _TOO_MANY_NODES:
            return super()._spectrum(asked)
        ahead = self._for_those_to_come(asked)
        made, points, plan = planned_spectrum(ahead, MOST_PLACES)
        if plan is not None:
            self._new_law(ahead, plan, plan.grid.step)
        return made, points


def _one_smooth_pair(asked: PlanTarget) -> bool:
    """Whether there is one pair, repeated, and no point masses that ask for a grid of their own."""
    return len(asked.steps.items) == 1 and not asked.steps.items[0][0].alignment
