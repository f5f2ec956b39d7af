"""A composition in one direction, in the form the engine likes best."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Pair
from tightbudget.pairs.gaussian import GaussianPair


@dataclass(frozen=True)
class Steps:
    """Distinct pairs with their counts. Equal pairs are counted together, and all whole Gaussians are one (M8)."""

    items: tuple[tuple[Pair, int], ...]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.items)

    @property
    def infinity(self) -> float:
        """Mass of A on which some step reveals everything: 1 - prod (1 - a_inf)^count."""
        if any(pair.infinity >= 1.0 for pair, _ in self.items):
            return 1.0
        return abs(math.expm1(math.fsum(count * math.log1p(-pair.infinity) for pair, count in self.items)))

    @property
    def unresolved(self) -> float:
        return math.fsum(count * pair.unresolved for pair, count in self.items)

    @property
    def max_loss(self) -> float:
        """No float smaller than the largest possible finite loss; exact where the sum is."""
        losses = [pair.max_loss for pair, _ in self.items]
        if math.inf in losses:
            return math.inf
        exact = sum((Fraction(loss) * count for loss, (_, count) in zip(losses, self.items, strict=True)), start=Fraction(0.0))
        if exact > sys.float_info.max:
            return math.inf
        rounded = float(exact)
        return rounded if Fraction(rounded) >= exact else math.nextafter(rounded, math.inf)

    @property
    def max_loss_lower(self) -> float:
        """No float larger than the supremum of the finite losses."""
        top = self.max_loss
        if math.isinf(top):
            return top
        slack = math.fsum(count * pair.slack(pair.max_loss) for pair, count in self.items)
        return max(0.0, top - 2.0 * slack - 8.0 * U * abs(top))

    @property
    def only_gaussian(self) -> GaussianPair | None:
        """Return the one Gaussian that the composition is, if it is one."""
        if len(self.items) == 1:
            pair, count = self.items[0]
            if isinstance(pair, GaussianPair) and pair.cut == math.inf and count == 1:
                return pair
        return None


def steps(pairs: Iterable[tuple[Pair, int]]) -> Steps:
    """Return the composition of the pairs, each repeated its count."""
    counts: dict[Pair, int] = {}
    squares: list[tuple[float, int]] = []
    for pair, count in pairs:
        if isinstance(pair, GaussianPair) and pair.cut == math.inf:
            squares.append((pair.m, count))
        else:
            counts[pair] = counts.get(pair, 0) + count
    if squares:
        counts[_merged(squares)] = 1
    return Steps(tuple(counts.items()))


def _merged(squares: list[tuple[float, int]]) -> GaussianPair:
    """N(m1, 1) x N(m2, 1) against N(0, 1)^2 is, by rotation, N(sqrt(m1^2 + m2^2), 1) against N(0, 1) (M8)."""
    if len(squares) == 1 and squares[0][1] == 1:
        return GaussianPair(squares[0][0])
    # hypot-style scaling keeps m^2 from over- or underflowing
    scale = max(m for m, _ in squares)
    m = scale * math.sqrt(math.fsum(count * (m / scale) ** 2 for m, count in squares))
    return GaussianPair(m)


MERGE_ERROR = 6.0 * U
"""Relative error of the merged m: a quotient, a square, an exact sum, a root and a product."""
