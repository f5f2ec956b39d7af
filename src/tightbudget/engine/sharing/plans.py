"""What a context keeps, bounded by bytes: plans that neighbours may follow, and pairs with what is known of them."""

from tightbudget.engine.steps import Steps
from tightbudget.numerics.byte_cache import ByteCache
from tightbudget.pairs.base import Pair

_PAIRS, _PAIR_BYTES = 64, 2**26


class SharedPlans:
    """Where questions begin to look. Nothing in here is part of a proof."""

    def __init__(self) -> None:
        self.starts: dict[str, float] = {}  # log theta of the saddle point found last, by direction
        self._pairs: ByteCache[_KnownPair] = ByteCache(_PAIR_BYTES, _PAIRS)

    @property
    def nbytes(self) -> int:
        return self._pairs.nbytes

    def known(self, steps: Steps) -> Steps:
        """Return the same steps, of pairs that were asked before where they are equal: these know their cells."""
        return Steps(tuple((self._known_pair(pair), count) for pair, count in steps.items))

    def _known_pair(self, pair: Pair) -> Pair:
        known = self._pairs.get((pair,))
        if known is None:
            known = _KnownPair(pair)
            self._pairs.put((pair,), known)
        return known.pair


class _KnownPair:
    """A pair, counted with the coarse cells that it will have."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        cells, points = pair.coarse_cells(), pair.points()
        self.nbytes = 5 * (cells.low.nbytes + points.low.nbytes)
