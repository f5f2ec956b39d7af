"""Both directions of a composition as trees (`tree_pair`), and the bounds of Theorem 2."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.engine.reasons import OF_A_CLASS
from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.mechanisms.answers import Curve
from tightbudget.mechanisms.checks import delta_asked
from tightbudget.mechanisms.composition import Composable, compose
from tightbudget.notation import composition_given
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.search import first_at_most, last_at_least
from tightbudget.pairs.base import Direction, Pair
from tightbudget.research.published.embeddings import BUCKETS, fitting_log_factor, nothing_pair, pair_or_nothing
from tightbudget.research.published.readings import delta_low, delta_with_ec, delta_without_ec
from tightbudget.research.published.squaring import FREE_INFTY_BUDGET, joined, power
from tightbudget.research.published.tree import Leaf, Tree, bucket_count, check_tree

_SLOPE = 8.0  # of ln delta, a guess that only costs time
_TOLERANCE = 1e-10  # of epsilon
_FLOOR = "delta is below what these buckets resolve: bucket infinity and the rounding errors weigh more"


@dataclass(frozen=True, eq=False)
class TreePair:
    """Composition trees over (X, Y) and (Y, X) as in Definition 10; for symmetric pairs they may be one tree.

    Where leaves stand for a class of mechanisms, `member` is a composition of members: the lower bounds are its.
    """

    forward: Tree
    backward: Tree
    relation: str = ""
    member: "TreePair | None" = None

    def __post_init__(self) -> None:
        check_tree("forward", self.forward)
        check_tree("backward", self.backward)
        if self.forward.r != self.backward.r:
            raise InvalidParameter(
                "backward", f"a tree of {self.backward.r} leaves", f"one of {self.forward.r} leaves, as forward"
            )

    @property
    def trees(self) -> tuple[Tree, ...]:
        return (self.forward,) if self.forward is self.backward else (self.forward, self.backward)

    def delta_without_ec(self, epsilon: float) -> float:
        """Return the upper bound of Theorem 1: the larger of both directions' Definition 5."""
        return max(delta_without_ec(tree.buckets, epsilon) for tree in self.trees)

    def delta_up(self, epsilon: float) -> float:
        """Return the upper bound of Theorem 2: the larger of both directions' Definition 9."""
        return max(delta_with_ec(tree.buckets, epsilon) for tree in self.trees)

    def delta_low(self, epsilon: float) -> float:
        """Return the lower bound of Theorem 2. The LARGER of both directions is one, as delta is the larger of both."""
        if self.member is not None:
            return self.member.delta_low(epsilon)
        return 0.0 if self.of_a_class else max(delta_low(tree.buckets, epsilon) for tree in self.trees)

    @property
    def of_a_class(self) -> bool:
        """Whether the trees dominate compositions of a class of mechanisms, and no member may attain them."""
        return self.member is not None or any(tree.only_bounds or (tree.of_a_class and tree.r > 1) for tree in self.trees)

    def delta(self, epsilon: float) -> Bracket:
        """Return delta_low(epsilon) and delta_up(epsilon) as a bracket, rounding errors included."""
        lower, upper = self.delta_low(epsilon), self.delta_up(epsilon)
        if lower > upper:
            raise Contradiction(lower, upper)
        return Bracket(lower, upper, not self.of_a_class, OF_A_CLASS if self.of_a_class else "", self.relation)

    def epsilon(self, delta: float) -> Bracket:
        """Return a bracket of the smallest epsilon >= 0 whose delta is at most the one given, by search."""
        level = delta_asked(delta)
        upper = self._epsilon_up(level)
        lower = last_at_least(self.delta_low, math.nextafter(level, math.inf), 0.0, _SLOPE, _TOLERANCE)
        if self.delta_low(math.inf) > level:
            lower = math.inf
        if lower > upper:
            raise Contradiction(lower, upper)
        if self.of_a_class:
            return Bracket(lower, upper, False, OF_A_CLASS, self.relation)
        reached = math.isfinite(upper) or lower == math.inf
        return Bracket(lower, upper, converged=reached, reason="" if reached else _FLOOR, relation=self.relation)

    def _epsilon_up(self, level: float) -> float:
        if self.delta_up(math.inf) > level:
            return math.inf
        return first_at_most(self.delta_up, level, 0.0, _SLOPE, _TOLERANCE) if level > 0.0 else math.inf

    def curve(self, epsilons: ArrayLike) -> Curve:
        """Return lower and upper bounds of delta at each of the epsilons."""
        try:
            values = np.atleast_1d(np.asarray(epsilons, dtype=np.float64))
        except (TypeError, ValueError):
            raise InvalidParameter("epsilons", epsilons, "a list of numbers") from None
        brackets = [self.delta(value) for value in values.ravel().tolist()]
        lower = np.array([bracket.lower for bracket in brackets]).reshape(values.shape)
        upper = np.array([bracket.upper for bracket in brackets]).reshape(values.shape)
        return Curve(values, lower, upper, not self.of_a_class, self.relation)

    def __str__(self) -> str:
        names = ("A||B and B||A",) if self.forward is self.backward else ("A||B", "B||A")
        return "\n".join(f"{name}\n{tree}" for name, tree in zip(names, self.trees, strict=True))


def tree_pair(
    composition: Composable | str,
    n: int = BUCKETS,
    log_factor: float | None = None,
    free_infty_budget: float = FREE_INFTY_BUDGET,
) -> TreePair:
    """Return trees for both directions of any composition, squared adaptively (Figure 10).

    Without a `log_factor` each mechanism gets its own, finer by powers of 2 for smaller losses.
    """
    composition = composition_given("composition", composition)
    count = bucket_count(n)
    parts = compose([composition]).items
    forward, backward = (
        tuple((pair_or_nothing(mechanism, way), str(mechanism), times) for mechanism, times in parts) for way in Direction
    )
    member = composition._member
    first = _composition_tree(forward, count, log_factor, free_infty_budget)
    same = [pair for pair, _, _ in forward] == [pair for pair, _, _ in backward]
    second = first if same else _composition_tree(backward, count, log_factor, free_infty_budget)
    below = None if member is None else tree_pair(member, n, log_factor, free_infty_budget)
    return TreePair(first, second, composition.answers_for, below)


def _composition_tree(parts: Sequence[tuple[Pair, str, int]], n: int, log_factor: float | None, budget: float) -> Tree:
    if not parts:
        return Leaf(nothing_pair(), 1.0 / n if log_factor is None else log_factor, n, "nothing")
    fits = [fitting_log_factor(pair, n) for pair, _, _ in parts]
    widest = max(fits)
    result: Tree | None = None
    for (pair, label, times), fit in zip(parts, fits, strict=True):
        step = math.ldexp(widest, -math.floor(math.log2(widest) - math.log2(fit))) if log_factor is None else log_factor
        tree = power(Leaf(pair, step, n, label), times, budget)
        result = tree if result is None else joined(result, tree, budget)
    assert result is not None
    return result
