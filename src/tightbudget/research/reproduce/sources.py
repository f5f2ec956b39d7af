"""Series asked of the engine, of the published buckets and of the classic bounds, over the same points."""

import math
from collections.abc import Sequence

import numpy as np

from tightbudget.classic import Bound
from tightbudget.classic.promises import Promises
from tightbudget.errors import DoesNotApply
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.research.published import TreePair, tree_pair
from tightbudget.research.reproduce.model import Series
from tightbudget.research.reproduce.verdicts import OPEN, REFUTED

OURS = "tightbudget, both bounds"
PUBLISHED = "privacy buckets, both bounds"

BUCKETS, FEW_BUCKETS = 50_000, 5_000  # n; there are 2 n + 2 buckets
RTOL = 0.01  # of a curve; finer than a line


def bucket_number(quick: bool) -> int:
    return FEW_BUCKETS if quick else BUCKETS


def by_buckets(verdict: str, n: float) -> str:
    """Return the verdict on what the paper's 100,000 buckets achieve; fewer may confirm it but cannot refute it."""
    return OPEN if verdict == REFUTED and n < BUCKETS else verdict


def e_to(epsilons: Sequence[float]) -> list[float]:
    """Return e^epsilon, the x-axis of the paper; beyond floats it is not shown."""
    return [math.exp(value) if value < 700.0 else math.inf for value in epsilons]


def epsilon_grid(low: float, high: float, points: int) -> list[float]:
    """Return epsilons so that e^epsilon is evenly spaced from low to high."""
    return [math.log(value) for value in np.linspace(low, high, points).tolist()]


def engine_curve(composition: Composable, epsilons: Sequence[float], name: str = OURS, colour: int = 0) -> Series:
    curve = composition.curve(list(epsilons), RTOL)
    return Series(name, "bracket", e_to(epsilons), curve.upper.tolist(), curve.lower.tolist(), colour)


def bucket_curve(composition: Composable, epsilons: Sequence[float], n: int, name: str = PUBLISHED, colour: int = 0) -> Series:
    return tree_curve(tree_pair(composition, n), epsilons, name, colour)


def tree_curve(trees: TreePair, epsilons: Sequence[float], name: str = PUBLISHED, colour: int = 0) -> Series:
    curve = trees.curve(list(epsilons))
    return Series(name, "buckets", e_to(epsilons), curve.upper.tolist(), curve.lower.tolist(), colour)


def classic_curve(bound: Bound, composition: Composable, epsilons: Sequence[float], colour: int, name: str = "") -> Series:
    """Return a classic bound on delta; 1 where the theorem does not apply."""
    try:
        values = bound.curve(Promises(composition), list(epsilons))
    except DoesNotApply:
        values = [1.0 for _ in epsilons]
    return Series(name or bound.name, _series_kind(bound), e_to(epsilons), values, colour=colour, dash=1)


def classic_epsilon(bound: Bound, composition: Composable, delta: float) -> float:
    """Return a classic bound on epsilon; infinite where the theorem does not apply."""
    try:
        return bound.epsilon(composition, delta)
    except DoesNotApply:
        return math.inf


def engine_growth(mechanism: Mechanism, rounds: Sequence[int], delta: float, name: str = OURS, colour: int = 0) -> Series:
    """Return e^epsilon at a fixed delta as the number of compositions grows."""
    brackets = [(mechanism * r).epsilon(delta, rtol=1e-3) for r in rounds]
    lower, upper = e_to([bracket.lower for bracket in brackets]), e_to([bracket.upper for bracket in brackets])
    return Series(name, "bracket", [float(r) for r in rounds], upper, lower, colour)


def bucket_growth(
    mechanism: Mechanism, rounds: Sequence[int], delta: float, n: int, name: str = PUBLISHED, colour: int = 0
) -> Series:
    brackets = [tree_pair(mechanism * r, n).epsilon(delta) for r in rounds]
    lower, upper = e_to([bracket.lower for bracket in brackets]), e_to([bracket.upper for bracket in brackets])
    return Series(name, "buckets", [float(r) for r in rounds], upper, lower, colour)


def classic_growth(
    bound: Bound, mechanism: Mechanism, rounds: Sequence[int], delta: float, colour: int, name: str = ""
) -> Series:
    values = e_to([classic_epsilon(bound, mechanism * r, delta) for r in rounds])
    return Series(name or bound.name, _series_kind(bound), [float(r) for r in rounds], values, colour=colour, dash=1)


def _series_kind(bound: Bound) -> str:
    return "approximation" if bound.kind == "approximation" else "upper"
