"""A composition of dominating pairs in one direction: equal pairs counted together, Gaussians merged into one (M8)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import U, float_above, float_below
from tightbudget.pairs.base import Pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.infinite_mass import InfiniteMass, some_infinite
from tightbudget.pairs.negligible import without_negligible


@dataclass(frozen=True)
class Steps:
    """Distinct pairs with their counts. Equal pairs are counted together, and all whole Gaussians are one (M8)."""

    items: tuple[tuple[Pair, int], ...]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.items)

    @cached_property
    def infinity(self) -> InfiniteMass:
        """Mass of A on which some step reveals everything, or next to everything."""
        infinite = some_infinite((pair.infinity, count) for pair, count in self.items)
        # beside a part of a pair an event has only the part of its mass that goes with it (M20)
        return infinite if all(pair.whole for pair, _ in self.items) else infinite.or_less()

    @property
    def unresolved(self) -> float:
        return math.fsum(count * pair.unresolved for pair, count in self.items)

    @property
    def max_loss(self) -> float:
        """No float smaller than the largest possible finite loss; exact where the sum is."""
        losses = [(pair.max_loss, count) for pair, count in self.items]
        return math.inf if math.inf in (loss for loss, _ in losses) else float_above(_sum_of_losses(losses))

    @property
    def max_loss_lower(self) -> float:
        """No float larger than the supremum of the finite losses."""
        losses = [(pair.max_loss_lower, count) for pair, count in self.items]
        if -math.inf in (loss for loss, _ in losses):
            return -math.inf
        return math.inf if math.inf in (loss for loss, _ in losses) else float_below(_sum_of_losses(losses))

    @cached_property
    def only_gaussian(self) -> GaussianPair | None:
        """Return the one Gaussian that the composition is, if it is one."""
        if len(self.items) == 1:
            pair, count = self.items[0]
            return pair.gaussian if count == 1 else None
        return None


def _sum_of_losses(losses: list[tuple[float, int]]) -> Fraction:
    return sum((Fraction(loss) * count for loss, count in losses), start=Fraction(0))


def engine_steps(pairs: Iterable[tuple[Pair, int]]) -> Steps:
    """Return the composition of the pairs, each repeated its count."""
    counts: dict[Pair, int] = {}
    squares: list[tuple[GaussianPair, int]] = []
    for pair, count in pairs:
        if pair.gaussian is not None:
            squares.append((pair.gaussian, count))
        else:
            kept = without_negligible(pair)
            counts[kept] = counts.get(kept, 0) + count
    if squares:
        merged = _merged_gaussians(squares)
        counts[without_negligible(merged) if counts else merged] = 1  # alone it has a closed form
    return Steps(tuple(counts.items()))


def _merged_gaussians(squares: list[tuple[GaussianPair, int]]) -> GaussianPair:
    """N(m1, 1) x N(m2, 1) against N(0, 1)^2 is, by rotation, N(sqrt(m1^2 + m2^2), 1) against N(0, 1) (M8)."""
    if len(squares) == 1 and squares[0][1] == 1:
        return squares[0][0]
    # hypot-style scaling keeps m^2 from over- or underflowing
    scale = max(pair.m for pair, _ in squares)
    m = scale * math.sqrt(math.fsum(count * (pair.m / scale) ** 2 for pair, count in squares))
    return GaussianPair(m, m_error=max(pair.m_error for pair, _ in squares))


MERGE_ERROR = 6.0 * U
"""Relative error of the merged m: a quotient, a square, an exact sum, a root and a product."""


def noise_ends(gaussian: GaussianPair) -> tuple[float, float]:
    """Return the least and the largest m that the merged noise may have."""
    error = MERGE_ERROR + gaussian.m_error
    return gaussian.m * max(0.0, 1.0 - error - 4.0 * U), gaussian.m * (1.0 + error + 4.0 * U)
