"""The states of one filter or odometer that the runs of a game share.

Filters and odometers see declared increments only, never outcomes, so runs with the same declarations share a state.
Each state is a node; runs that reach the same state by different ways meet again there. What a node answers is what the
shipped object answers: nothing is recomputed here.
"""

import copy
import json
from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tightbudget.research.games.steps import Step

Nodes = NDArray[np.intp]


class PlayedFilter(Protocol):
    """The part of a privacy filter that a game needs."""

    @property
    def epsilon(self) -> Any: ...

    def quote(self, increment: Any) -> Any: ...

    def spend(self, increment: Any) -> Any: ...

    def state(self) -> Any: ...


class PlayedOdometer(Protocol):
    """The part of a privacy odometer that a game needs; `epsilon` is the bound it shows now."""

    @property
    def epsilon(self) -> float: ...

    def spend(self, increment: Any) -> float: ...

    def state(self) -> Any: ...


class SharedStates:
    """The states that the runs of a game have reached, as nodes: 0 is the fresh one."""

    def __init__(self, meter: Any, menu: Sequence[Step], *, is_filter: bool) -> None:
        self._increments = [item.increment for item in menu]
        self._is_filter = is_filter
        self._meters: dict[int, Any] = {}
        self._bounds: list[float] = []
        self._accepts: list[list[bool]] = []
        self._known: dict[str, int] = {}
        self._children: dict[int, int] = {}
        self._enter(copy.deepcopy(meter))

    @classmethod
    def of_filter(cls, meter: PlayedFilter, menu: Sequence[Step]) -> Self:
        return cls(meter, menu, is_filter=True)

    @classmethod
    def of_odometer(cls, meter: PlayedOdometer, menu: Sequence[Step]) -> Self:
        return cls(meter, menu, is_filter=False)

    def bounds(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return the epsilon of the filter, or what the odometer shows at each node."""
        return self._at(nodes, self._bounds, np.float64)

    def accepts(self, nodes: Nodes) -> NDArray[np.bool_]:
        return self._at(nodes, self._accepts, np.bool_)

    def move(self, nodes: Nodes, choices: NDArray[np.intp]) -> Nodes:
        """Declare the chosen step in every run and return the nodes reached; all other nodes are dropped."""
        moves = nodes * len(self._increments) + choices
        if (moves == moves[0]).all():  # most often all runs declare alike
            return np.full(moves.size, self._together(int(nodes[0]), int(choices[0])), np.intp)
        distinct, which = np.unique(moves, return_inverse=True)
        reached = np.array([self._child(int(move)) for move in distinct], np.intp)
        self._keep(set(reached.tolist()))
        return reached[which]

    def bound(self, node: int) -> float:
        return self._bounds[node]

    def accepted(self, node: int, choice: int) -> bool:
        return self._accepts[node][choice]

    def child(self, node: int, choice: int) -> int:
        return self._child(node * len(self._increments) + choice)

    def _together(self, node: int, choice: int) -> int:
        """Spend in place: nobody stays behind, so no copy is needed and no other way leads to the new node."""
        meter = self._meters[node]
        meter.spend(self._increments[choice])
        self._keep(set())
        return self._add(meter)

    def _keep(self, live: set[int]) -> None:
        self._meters = {node: meter for node, meter in self._meters.items() if node in live}
        self._known = {key: node for key, node in self._known.items() if node in live}
        self._children.clear()

    def _at(self, nodes: Nodes, table: list[Any], dtype: Any) -> NDArray[Any]:
        if (nodes == nodes[0]).all():
            row = np.asarray(table[int(nodes[0])], dtype)
            return np.broadcast_to(row, (nodes.size, *row.shape))
        distinct, which = np.unique(nodes, return_inverse=True)
        rows: NDArray[Any] = np.array([table[node] for node in distinct.tolist()], dtype)[which]
        return rows

    def _child(self, move: int) -> int:
        if move not in self._children:
            node, choice = divmod(move, len(self._increments))
            meter = copy.deepcopy(self._meters[node])
            meter.spend(self._increments[choice])
            self._children[move] = self._enter(meter)
        return self._children[move]

    def _enter(self, meter: Any) -> int:
        key = _shared_balance(meter)
        if key not in self._known:
            self._known[key] = self._add(meter)
        return self._known[key]

    def _add(self, meter: Any) -> int:
        node = len(self._bounds)
        self._meters[node] = meter
        self._bounds.append(float(meter.epsilon))
        self._accepts.append([self._accepted(meter, increment) for increment in self._increments])
        return node

    def _accepted(self, meter: Any, increment: Any) -> bool:
        return bool(meter.quote(increment).accepted) if self._is_filter else True


def _shared_balance(meter: Any) -> str:
    """Return the state without the number of steps that led to it: no later decision depends on that."""
    state = meter.state()
    kept = {name: value for name, value in state.items() if name != "sequence"} if isinstance(state, dict) else state
    return json.dumps(kept, sort_keys=True)


class Unlimited:
    """The filter that lets everything through: AdaptParamComp (Algorithm 2) by itself, judged at epsilon."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def quote(self, increment: Any) -> "Unlimited":
        return self

    accepted = True

    def spend(self, increment: Any) -> None:
        pass

    def state(self) -> dict[str, float]:
        return {"epsilon": self.epsilon}
