"""Pairs that take a while to make, made once for each direction and kept with the mechanism."""

from tightbudget.cached import cached_property
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.pairs.base import Direction, Pair


class KeptPairs(Mechanism):
    """A mechanism that says in `_pair_in` how a pair is made, and is asked for it once."""

    def pair(self, direction: Direction) -> Pair | None:
        return self._pairs[direction]

    @cached_property
    def _pairs(self) -> dict[Direction, Pair | None]:
        return {direction: self._pair_in(direction) for direction in Direction}

    def _pair_in(self, direction: Direction) -> Pair | None:
        raise NotImplementedError
