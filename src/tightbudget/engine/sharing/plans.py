"""What a context keeps, bounded by bytes: plans that neighbours may follow, and pairs with what is known of them."""

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.direction import Way
from tightbudget.engine.discretisation.discretise import DiscretisedPair, discretise
from tightbudget.engine.discretisation.window import Window
from tightbudget.engine.sharing.bounds import Bounds, Place
from tightbudget.engine.sharing.grid_plan import GridPlan
from tightbudget.engine.sharing.pair_law import PairLaw
from tightbudget.engine.steps import Steps
from tightbudget.pairs.base import Pair

_PAIRS = 16  # with a few hundred coarse cells each
_BASES = 256  # likewise: those that are sampled
_FAMILIES = 16
_ROWS = 4  # two directions, each of which may change its tilt
_ROW = 4
_RESTED = 8
_LAWS = 16  # of some tilts of two directions
_PLANS, _PLAN_BYTES = 64, 2**25

Array = NDArray[np.float64]
Kind = tuple[str, int]
"""A direction's name and the number of its items; what else sets compositions apart is seen when a plan is tried."""


class SharedPlans:
    """Where questions begin to look. Nothing in here is part of a proof."""

    def __init__(self) -> None:
        self.starts: dict[str, float] = {}  # log theta of the saddle point found last, by direction
        self.nodes: dict[Kind, int] = {}  # of the spectrum made last
        self._grids: list[tuple[Kind, GridPlan]] = []  # the one followed last first
        self._counts: dict[str, tuple[int, bool]] = {}
        self._laws: list[PairLaw] = []  # the one made last first
        self._rows: list[tuple[Hashable, Array, DiscretisedPair]] = []
        self._rests: dict[Kind, int] = {}  # questions until rows are tried again
        self._ways: dict[str, tuple[int, Way, Way]] = {}  # count and way of the last question, way of the first in its row
        self._bounds: dict[Hashable, Bounds] = {}
        self._pairs: dict[Pair, Pair] = {}
        self._bases: dict[Pair, Pair] = {}

    @property
    def nbytes(self) -> int:
        grids = sum(plan.nbytes for _, plan in self._grids)
        return grids + sum(bounds.nbytes for bounds in self._bounds.values())

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

    def rest(self, kind: Kind) -> None:
        """Leave rows alone for a while: what serves many counts takes too long here."""
        self._rests[kind] = _RESTED

    def rests(self, kind: Kind) -> bool:
        """Whether rows are left alone, once more."""
        left = self._rests.get(kind, 0)
        self._rests[kind] = max(0, left - 1)
        return left > 0

    def way(self, name: str, count: int) -> Way:
        """Return the way to the last answer in a direction; where a row begins, that of the first in the last one."""
        if name not in self._ways:
            return Way()
        before, last, first = self._ways[name]
        return first if _ROW * count < before else last

    def learn_way(self, name: str, count: int, way: Way) -> None:
        """Keep the way to an answer."""
        before, _, first = self._ways.get(name, (math.inf, way, way))
        self._ways[name] = count, way, way if _ROW * count < before else first

    def discretised(self, pair: Pair, span: Window, step: float, theta: float, anchor: float, places: Array) -> DiscretisedPair:
        """Return what `discretise` does; of the last calls, what it has returned."""
        asked = pair, span, step, theta, anchor
        for known, on, made in self._rows:
            if on is places and known == asked:
                return made
        made = discretise(pair, span, step, theta, anchor, places)
        self._rows = [(asked, places, made), *self._rows[: _ROWS - 1]]
        return made

    def laws(self, pair: Pair) -> list[PairLaw]:
        """Return what is known of a pair, whatever it was composed to; the one made last first."""
        return [law for law in self._laws if law.pair is pair]

    def rising(self, count: int, name: str) -> bool:
        """Whether counts rise from one question to the next, in this direction; one that falls far begins a new row."""
        before, rises = self._counts.get(name, (count, False))
        if count != before and _ROW * count >= before:
            rises = count > before
        self._counts[name] = count, rises
        return rises

    def keep_law(self, law: PairLaw) -> None:
        """Keep a law, and forget the oldest."""
        self._laws = [law, *self._laws[: _LAWS - 1]]

    def grids(self, kind: Kind) -> list[GridPlan]:
        """Return the plans for compositions of this kind, the one followed last first."""
        return [plan for known, plan in self._grids if known == kind]

    def keep(self, kind: Kind, plan: GridPlan, followed: GridPlan | None = None) -> None:
        """Keep a plan that has served in place of the one it followed, and forget those that have not for long."""
        others = [one for one in self._grids if one[1] is not followed]
        new = len(others) == len(self._grids)
        self._grids = [(kind, plan), *others]
        while new and (len(self._grids) > _PLANS or sum(one.nbytes for _, one in self._grids) > _PLAN_BYTES):
            self._grids.pop()

    def known(self, steps: Steps) -> Steps:
        """Return the same steps, of pairs that were asked before where they are equal: these know their cells."""
        return Steps(tuple((self._known_pair(pair), count) for pair, count in steps.items))

    def _known_pair(self, pair: Pair) -> Pair:
        if not pair.keepable:
            return pair
        if pair not in self._pairs:
            pair = pair.on_known_base(self._known_base)
            while len(self._pairs) >= _PAIRS:
                del self._pairs[next(iter(self._pairs))]  # the oldest
            self._pairs[pair] = pair
        return self._pairs[pair]

    def _known_base(self, base: Pair) -> Pair:
        """Return the same pair as one that was sampled before: noises come back at every rate."""
        if not base.keepable:
            return base
        if base not in self._bases:
            while len(self._bases) >= _BASES:
                del self._bases[next(iter(self._bases))]
            self._bases[base] = base
        return self._bases[base]
