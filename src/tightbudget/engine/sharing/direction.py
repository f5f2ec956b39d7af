"""One direction of a composition, planned after its neighbours."""

import math

from tightbudget.engine.direction import MOST_PLACES, OneDirection
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.sharing.bounds import place_of
from tightbudget.engine.sharing.grid_plan import planned
from tightbudget.engine.sharing.plans import Kind, SharedPlans
from tightbudget.engine.sharing.saddle import WarmSaddle
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import Target

_HOPEFUL = 0.95  # of what a Chernoff bound is estimated to exceed the answer by
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

    def known_upper(self, delta: float) -> float:
        place = place_of(self.steps, delta)
        return math.inf if place is None else self._shared_plans.known_upper(place)

    def learn_upper(self, delta: float, upper: float) -> None:
        place = place_of(self.steps, delta)
        if place is not None and upper < self._shared_plans.known_upper(place):
            self._shared_plans.learn_upper(place, upper)

    def chernoff_may_show(self, tilt: tuple[int, int], epsilon: float, limit: float) -> bool:
        # the bound has the largest weight where the saddle-point estimate has an integral (M9)
        decades, tilt_index = tilt
        there = self.saddle(decades).at_index(tilt_index)
        theta, spread = there.theta, 0.5 * math.log(2.0 * math.pi) + math.log(there.root_curvature)
        excess = spread + math.log(theta) - theta * math.log1p(1.0 / theta)
        return epsilon + _HOPEFUL * excess / theta < limit

    def _spectrum(self, asked: Target) -> tuple[Spectrum | None, float]:
        kind = (self.name, len(self.steps.items))
        made, points = self._spectrum_after(kind, asked)
        self._shared_plans.nodes[kind] = _MANY_NODES if made is None else made.nodes.size
        return made, points

    def _spectrum_after(self, kind: Kind, asked: Target) -> tuple[Spectrum | None, float]:
        """Return the spectrum by a neighbour's plan, or by a new one; alone where spectra have many nodes."""
        if self._shared_plans.nodes.get(kind, 0) >= _MANY_NODES:
            return super()._spectrum(asked)
        for plan in self._shared_plans.grids(kind):
            step = plan.step_for(asked)
            if step is not None and plan.hopeless:
                self._shared_plans.keep(kind, plan.rested(), plan)
                return super()._spectrum(asked)
            if step is not None:
                found, followed = plan.follow(asked, step, self._shared_plans.discretised)
                self._shared_plans.keep(kind, followed, plan)
                return found, float(plan.grid.places.size)
        made, points, new = planned(asked, MOST_PLACES)
        if new is not None:
            self._shared_plans.keep(kind, new)
        return made, points
