"""What a context keeps, bounded by bytes: plans that neighbours may follow, and pairs with what is known of them."""

import math
from collections.abc import Hashable

from tightbudget.engine.sharing.bounds import Bounds, Place
from tightbudget.engine.sharing.grid_plan import GridPlan
from tightbudget.engine.steps import Steps
from tightbudget.pairs.base import Pair

_PAIRS, _PAIR_BYTES = 16, 2**25
_FAMILIES = 16
_PLANS, _PLAN_BYTES = 64, 2**25

Kind = tuple[str, int]
"""A direction's name and the number of its items; what else sets compositions apart is seen when a plan is tried."""


class SharedPlans:
    """Where questions begin to look. Nothing in here is part of a proof."""

    def __init__(self) -> None:
        self.starts: dict[str, float] = {}  # log theta of the saddle point found last, by direction
        self._grids: list[tuple[Kind, GridPlan]] = []  # the one followed last first
        self._bounds: dict[Hashable, Bounds] = {}
        self._pairs: dict[Pair, _KnownPair] = {}

    @property
    def nbytes(self) -> int:
        grids = sum(plan.nbytes for _, plan in self._grids)
        return self._pair_bytes() + grids + sum(bounds.nbytes for bounds in self._bounds.values())

    def known_upper(self, place: Place) -> float:
        """Return a bound on epsilon there that follows from those of neighbours."""
        bounds = self._bounds.get(place[0])
        return math.inf if bounds is None else bounds.upper(place[1])

    def learn_upper(self, place: Place, upper: float) -> None:
        """Keep a bound on epsilon that was certified there."""
        family, numbers = place
        if family not in self._bounds:
            if len(self._bounds) >= _FAMILIES:
                self._bounds.clear()
            self._bounds[family] = Bounds(len(numbers))
        self._bounds[family].add(numbers, upper)

    def grids(self, kind: Kind) -> list[GridPlan]:
        """Return the plans for compositions of this kind, the one followed last first."""
        return [plan for known, plan in self._grids if known == kind]

    def keep(self, kind: Kind, plan: GridPlan) -> None:
        """Keep a plan that has served, and forget those that have not for long."""
        if self._grids and self._grids[0][1] is plan:
            return
        self._grids = [(kind, plan), *(one for one in self._grids if one[1] is not plan)]
        while sum(one.nbytes for _, one in self._grids) > _PLAN_BYTES or len(self._grids) > _PLANS:
            self._grids.pop()

    def known(self, steps: Steps) -> Steps:
        """Return the same steps, of pairs that were asked before where they are equal: these know their cells."""
        return Steps(tuple((self._known_pair(pair), count) for pair, count in steps.items))

    def _known_pair(self, pair: Pair) -> Pair:
        known = self._pairs.get(pair)
        if known is None:
            known = self._pairs[pair] = _KnownPair(pair)
            while len(self._pairs) > _PAIRS or self._pair_bytes() > _PAIR_BYTES:
                del self._pairs[next(iter(self._pairs))]  # the oldest
        return known.pair

    def _pair_bytes(self) -> int:
        return sum(known.nbytes for known in self._pairs.values())


class _KnownPair:
    """A pair, counted with the coarse cells that it will have."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        cells, points = pair.coarse_cells(), pair.points()
        self.nbytes = 5 * (cells.low.nbytes + points.low.nbytes)
