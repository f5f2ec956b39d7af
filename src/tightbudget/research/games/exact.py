"""The same games without coins: every reachable state with its exact probability (M18).

Only for steps of randomised response, whose losses lie on a lattice. A state is (state of the filter or odometer, place
of the loss on the lattice, bit revealed or not). Ways that lead to the same state are added up, so the work grows with
the number of states and not with the number of paths.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import U
from tightbudget.research.games.adversaries import STOP, Adversary, View, next_steps
from tightbudget.research.games.exceeds import exceeds
from tightbudget.research.games.lattice import Lattice
from tightbudget.research.games.shared_states import PlayedFilter, PlayedOdometer, SharedStates
from tightbudget.research.games.simulate import check_game
from tightbudget.research.games.steps import Response

MOST_STATES = 2_000_000


@dataclass(frozen=True)
class ExactFilterGame:
    view: Bracket  # delta(epsilon) of the stopped view
    pointwise: Bracket  # Pr[loss > epsilon]
    states: int


def exact_filter(adversary: Adversary, meter: PlayedFilter, *, rounds: int, bit: int = 0) -> ExactFilterGame:
    """Return the exact delta(epsilon) of the stopped view and the exact Pr[loss > epsilon]."""
    tree = _ExactTree(adversary, SharedStates.of_filter(meter, adversary.menu), rounds, bit)
    ended: list[_ExactStates] = []
    while (done := tree.advance()) is not None:
        ended.append(done)
    epsilon = float(meter.epsilon)
    weights, tails, doubts = [], [], []
    for states in ended:
        gap = epsilon - states.loss
        with np.errstate(over="ignore"):
            share = np.maximum(0.0, -np.expm1(np.minimum(gap, 0.0)))
        weights.append(states.mass * share)
        tails.append(states.mass * exceeds(states.loss, epsilon))
        # (1 - e^(epsilon - L))_+ moves by at most the rounding of L, and is 0 where L is clearly below; infinity is
        # exact
        rounding = 8.0 * U * (epsilon + tree.lattice.reach)
        doubts.append(rounding * states.mass[np.isfinite(states.loss) & (states.loss > epsilon - rounding)])
    return ExactFilterGame(
        view=tree.bracket(weights, float(np.concatenate(doubts).sum())), pointwise=tree.bracket(tails), states=tree.visited
    )


def exact_odometer(adversary: Adversary, meter: PlayedOdometer, *, rounds: int, bit: int = 0) -> Bracket:
    """Return the exact probability that the realised loss is ever above what the odometer shows."""
    shared = SharedStates.of_odometer(meter, adversary.menu)
    tree = _ExactTree(adversary, shared, rounds, bit)
    crossed: list[NDArray[np.float64]] = [np.zeros(1)]
    while tree.advance() is not None:
        if tree.going is not None:
            over = exceeds(tree.going.loss, shared.bounds(tree.going.node))
            crossed.append(tree.going.mass[over])
            tree.going = tree.going.where(~over)  # failed for good: what follows does not matter
    return tree.bracket(crossed)


@dataclass
class _ExactStates:
    node: NDArray[np.intp]
    revealed: NDArray[np.int64]
    place: NDArray[np.int64]  # of the loss, in units of the lattice
    mass: NDArray[np.float64]
    loss: NDArray[np.float64]  # of the bit that is played, against the other

    def where(self, chosen: NDArray[np.bool_]) -> "_ExactStates":
        return _ExactStates(self.node[chosen], self.revealed[chosen], self.place[chosen], self.mass[chosen], self.loss[chosen])


class _ExactTree:
    """The states after some rounds, with the largest relative error of their masses in units of U."""

    def __init__(self, adversary: Adversary, shared: SharedStates, rounds: int, bit: int) -> None:
        check_game(rounds, 1, bit)
        self.lattice = Lattice(adversary.menu, rounds)
        self.adversary, self.shared, self.rounds, self.sign = adversary, shared, rounds, 1 - 2 * bit
        self.round, self.ulps, self.visited = 0, 0.0, 1
        self.going: _ExactStates | None = self._states(np.zeros((1, 3), np.int64), np.ones(1))

    def advance(self) -> _ExactStates | None:
        """Play one round; return the states that have ended in it, or None when the game was over before."""
        states = self.going
        if states is None:
            return None
        if self.round == self.rounds or states.mass.size == 0:
            self.going = None
            return states
        accepts = self.shared.accepts(states.node)
        # the adversary is told log(P0/P1), whichever bit is played
        seen = self.sign * states.loss
        choices = next_steps(self.adversary, View(self.round, seen, self.shared.bounds(states.node), accepts))
        goes = (choices != STOP) & np.take_along_axis(accepts, np.maximum(choices, 0)[:, None], axis=1)[:, 0]
        ended = states.where(~goes)
        self.going = self._branches(states.where(goes), choices[goes]) if goes.any() else None
        self.round += 1
        return ended

    def bracket(self, parts: list[NDArray[np.float64]], doubt: float = 0.0) -> Bracket:
        """Return the sum of the parts with the rounding of their masses and of the final sum."""
        total = math.fsum(np.concatenate(parts).tolist())
        error = (self.ulps + 8.0) * U * 1.01 * total + doubt
        return Bracket(max(0.0, total - error), min(1.0, total + error))

    def _branches(self, states: _ExactStates, choices: NDArray[np.intp]) -> _ExactStates:
        nodes = self.shared.move(states.node, choices)
        rows, masses = [], []
        for index, (law, size) in enumerate(zip(self.lattice.laws, self.lattice.sizes, strict=True)):
            chosen = np.flatnonzero(choices == index)
            if chosen.size:
                for move, revealed, probability in _game_outcomes(law, size):
                    hidden = 1 - (states.revealed[chosen] | revealed)
                    # once the bit is revealed the loss is infinite, wherever it was
                    rows.append(np.column_stack([nodes[chosen], 1 - hidden, hidden * (states.place[chosen] + move)]))
                    masses.append(states.mass[chosen] * probability)
        keys, which, ways = _merged_game_states(np.concatenate(rows))
        if keys.shape[0] > MOST_STATES:
            raise InvalidParameter(
                "rounds", self.rounds, f"so few that at most {MOST_STATES} states are reached", "Simulate instead."
            )
        mass = np.bincount(which, weights=np.concatenate(masses)).astype(np.float64)
        # each mass: a probability good to 8 ulp, a product, and the sum over the ways into the state
        self.ulps += 10.0 + float(ways.max())
        self.visited += keys.shape[0]
        return self._states(keys, mass)

    def _states(self, keys: NDArray[np.int64], mass: NDArray[np.float64]) -> _ExactStates:
        loss = np.where(keys[:, 1] > 0, math.inf, keys[:, 2] * float(self.lattice.unit))
        return _ExactStates(keys[:, 0].astype(np.intp), keys[:, 1], keys[:, 2], mass, loss)


def _merged_game_states(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]:
    """Return the distinct rows, which of them each row is, and how often each occurs: np.unique by one number a row."""
    low = rows.min(axis=0)
    spans = rows.max(axis=0) - low + 1
    if math.prod(spans.tolist()) >= 2**62:
        distinct, which, ways = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        return distinct, which.ravel(), ways
    shifted = rows - low
    numbers = (shifted[:, 0] * spans[1] + shifted[:, 1]) * spans[2] + shifted[:, 2]
    _, first, which, ways = np.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
    return rows[first], which, ways


def _game_outcomes(law: Response, size: int) -> list[tuple[int, int, float]]:
    """Return (move on the lattice, revealed, probability) of each possible answer, seen from the bit that is played."""
    # 1 - likely would cancel; the two are e^eps : 1
    unlikely = math.exp(-law.epsilon) * law.likely
    answers = [(size, 0, (1.0 - law.delta) * law.likely), (-size, 0, (1.0 - law.delta) * unlikely), (0, 1, law.delta)]
    return [answer for answer in answers if answer[2] > 0.0]
