"""The best adversary there is for a menu, by backward induction (M18).

Instead of trying strategies, take in every state the step that serves the adversary most. The value of the first state
is then the supremum over all adversaries who choose from the menu, coins included: no strategy on these steps can do
better. Only for randomised response, and only for few rounds: every state that any strategy can reach is looked at.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import U
from tightbudget.research.games.exceeds import TIE
from tightbudget.research.games.lattice import Lattice
from tightbudget.research.games.shared_states import PlayedFilter, PlayedOdometer, SharedStates
from tightbudget.research.games.simulate import check_game
from tightbudget.research.games.steps import Response, Step

MOST_STATES = 3_000_000

_Judge = Callable[[float, float], float]  # what a stopped game is worth to the adversary, by loss and bound
_Ends = Callable[[float, float], bool]  # whether the game is decided


@dataclass(frozen=True)
class Worst:
    """The supremum over all adversaries on a menu, with the number of states it was taken over."""

    value: Bracket
    states: int


def worst_view(menu: Sequence[Step], meter: PlayedFilter, *, rounds: int) -> Worst:
    """Return the largest delta(epsilon) of the stopped view that any adversary on the menu reaches against the filter.

    The menu of randomised response is symmetric in the bit, so the other direction has the same supremum.
    """
    epsilon = float(meter.epsilon)

    def stopped(loss: float, bound: float) -> float:
        return max(0.0, -math.expm1(min(epsilon - loss, 0.0)))

    search = _WorstCaseSearch(menu, SharedStates.of_filter(meter, menu), rounds)
    # what a stopped game is worth moves by at most the rounding of its loss
    return search.worst(stopped, ends=lambda loss, bound: False, doubt=8.0 * U * (epsilon + search.lattice.reach))


def worst_crossing(menu: Sequence[Step], meter: PlayedOdometer, *, rounds: int) -> Worst:
    """Return the largest probability, over all adversaries on the menu, of a loss that is ever above the odometer."""

    def over(loss: float, bound: float) -> bool:
        return loss > bound * (1.0 + TIE)

    search = _WorstCaseSearch(menu, SharedStates.of_odometer(meter, menu), rounds)
    return search.worst(lambda loss, bound: float(over(loss, bound)), ends=over, doubt=0.0)


class _WorstCaseSearch:
    def __init__(self, menu: Sequence[Step], shared: SharedStates, rounds: int) -> None:
        check_game(rounds, 1, 0)
        self.lattice = Lattice(menu, rounds)
        self.shared, self.rounds = shared, rounds
        self.values: dict[tuple[int, int, int], float] = {}

    def worst(self, stopped: _Judge, ends: _Ends, doubt: float) -> Worst:
        value = self._value(0, 0, 0, stopped, ends)
        # A round costs a probability good to 8 ulp, two products and two sums. A maximum of bounds is a bound on the
        # maximum.
        error = U * (12.0 * self.rounds + 8.0) * value + doubt
        return Worst(Bracket(max(0.0, value - error), min(1.0, value + error)), len(self.values))

    def _value(self, round_: int, node: int, place: int, stopped: _Judge, ends: _Ends) -> float:
        # the round matters only for the end of the game, and with few rounds left it must
        key = (round_, node, place)
        if key in self.values:
            return self.values[key]
        if len(self.values) >= MOST_STATES:
            raise InvalidParameter(
                "rounds", self.rounds, f"so few that at most {MOST_STATES} states are reached", "Simulate instead."
            )
        bound = self.shared.bound(node)
        loss = float(place * self.lattice.unit)
        best = stopped(loss, bound) if round_ else 0.0
        if round_ < self.rounds and not (round_ and ends(loss, bound)):
            for choice, law in enumerate(self.lattice.laws):
                if self.shared.accepted(node, choice):
                    best = max(best, self._continued(round_, node, place, choice, law, stopped, ends))
        self.values[key] = best
        return best

    def _continued(self, round_: int, node: int, place: int, choice: int, law: Response, stopped: _Judge, ends: _Ends) -> float:
        child = self.shared.child(node, choice)
        told = law.likely * self._value(round_ + 1, child, place + self.lattice.sizes[choice], stopped, ends)
        misled = (
            math.exp(-law.epsilon)
            * law.likely
            * self._value(round_ + 1, child, place - self.lattice.sizes[choice], stopped, ends)
        )
        # revealed: the loss is infinite, which fails unless the odometer already shows infinity
        revealed = stopped(math.inf, self.shared.bound(child)) if law.delta > 0.0 else 0.0
        return law.delta * revealed + (1.0 - law.delta) * (told + misled)
