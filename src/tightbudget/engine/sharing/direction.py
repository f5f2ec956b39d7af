"""One direction of a composition, planned after its neighbours."""

import math

from tightbudget.engine.direction import MOST_PLACES, OneDirection
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.sharing.bounds import place_of
from tightbudget.engine.sharing.grid_plan import planned
from tightbudget.engine.sharing.plans import SharedPlans
from tightbudget.engine.sharing.saddle import WarmSaddle
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import Target


class SharedDirection(OneDirection):
    """A direction that begins to look where its neighbours have ended. What it finds is certified as ever."""

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

    def _spectrum(self, asked: Target) -> tuple[Spectrum | None, float]:
        kind = (self.name, len(self.steps.items))
        for plan in self._shared_plans.grids(kind):
            step = plan.step_for(asked)
            if step is not None:
                found, followed = plan.follow(asked, step)
                self._shared_plans.keep(kind, followed)
                return found, float(plan.grid.places.size)
        made, points, new = planned(asked, MOST_PLACES)
        if new is not None:
            self._shared_plans.keep(kind, new)
        return made, points
