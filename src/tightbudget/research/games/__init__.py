"""The games of adaptive composition: filters and odometers played against adversaries, with coins or exactly (M18).

Belongs here: adversaries, steps and their losses, simulation, exact enumeration, worst cases, and unsound rules kept to
be broken.
Elsewhere: the filters and odometers that play (`adaptive`).
"""

from tightbudget.research.games.adversaries import (
    STOP,
    Bursts,
    Counterexample,
    Fixed,
    Greedy,
    Plan,
    SpendTheRest,
    StopWhenAhead,
    TinyThenLarge,
    View,
    counterexample,
)
from tightbudget.research.games.estimate import Estimate
from tightbudget.research.games.exact import exact_filter, exact_odometer
from tightbudget.research.games.shared_states import Unlimited
from tightbudget.research.games.simulate import paths, play_filter, play_odometer
from tightbudget.research.games.steps import Step, gaussian, response, step
from tightbudget.research.games.worst_case import worst_crossing, worst_view

__all__ = [
    "STOP",
    "Bursts",
    "Counterexample",
    "Estimate",
    "Fixed",
    "Greedy",
    "Plan",
    "SpendTheRest",
    "Step",
    "StopWhenAhead",
    "TinyThenLarge",
    "Unlimited",
    "View",
    "counterexample",
    "exact_filter",
    "exact_odometer",
    "gaussian",
    "paths",
    "play_filter",
    "play_odometer",
    "response",
    "step",
    "worst_crossing",
    "worst_view",
]
