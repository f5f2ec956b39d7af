"""Runs that declared the same share one state, and meet again wherever their balances are the same."""

from typing import Any

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games.shared_states import SharedStates


class Counter:
    """An odometer that shows the sum of the epsilons and counts its steps."""

    def __init__(self) -> None:
        self.epsilon, self.steps = 0.0, 0

    def spend(self, increment: tb.PureDP) -> float:
        self.epsilon, self.steps = self.epsilon + increment.promised_epsilon, self.steps + 1
        return self.epsilon

    def state(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "sequence": self.steps}


def test_the_number_of_steps_does_not_tell_states_apart() -> None:
    meter = Counter()
    shared = SharedStates.of_odometer(meter, [games.response(0.0), games.response(0.5), games.response(1.0)])
    assert shared.child(0, 0) == 0  # a step that costs nothing leads back
    twice = shared.child(shared.child(0, 1), 1)
    assert shared.child(0, 2) == twice != 0
    assert shared.bound(twice) == 1.0
    assert meter.steps == 0
