"""One direction of a composition, planned after its neighbours."""

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.sharing.plans import SharedPlans
from tightbudget.engine.sharing.saddle import WarmSaddle
from tightbudget.engine.steps import Steps


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
