"""The sensitivity of a strategy matrix: how far the contributions of one record can move what is measured (M35).

A record takes part in some of the steps, at most so many, each at least so many after the last. Steps are columns.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import GENEROUS, U, lowered_by, raised_by

Array = NDArray[np.float64]

_MOST_SETS = 20_000  # of steps that are tried one by one


def most_participations(steps: int, participations: int, separation: int) -> int:
    return min(participations, -(-steps // separation))


def tree_squares(steps: int, participations: int, separation: int) -> tuple[int, int]:
    """Return bounds on the largest sum, over the nodes of a binary tree, of squares of how often a record is below it.

    The nodes of a level hold at most so many participations each, and all of them together no more than there are:
    squares add up to most if as many nodes as possible are full.
    """
    total = most_participations(steps, participations, separation)
    places = np.arange(total) * separation
    lower = upper = 0
    for level in range(steps.bit_length()):
        nodes, most = steps >> level, min(total, -(-(1 << level) // separation))
        full = min(total // most, nodes)
        rest = total - full * most if full < nodes else 0
        upper += full * most * most + rest * rest
        below = places >> level
        counts = np.bincount(below[below < nodes])
        lower += int((counts * counts).sum())
    return lower, upper


def strategy_squares(strategy: Array, participations: int, separation: int) -> tuple[float, float]:
    """Return bounds on max |sum_{i in pi} C_i u_i|^2 over sets of steps pi and unit vectors u_i of any dimension."""
    steps = strategy.shape[1]
    total = most_participations(steps, participations, separation)
    absolute = np.abs(strategy)
    rounding = U * (strategy.shape[0] + 4.0)
    # <u_i, u_j> lies between -1 and 1, so that absolute values bound every choice
    products = np.abs(strategy.T @ strategy) + rounding * (absolute.T @ absolute)
    # a set need not be part of a larger one: all sizes count
    if sum(math.comb(_participation_free_steps(steps, size, separation), size) for size in range(1, total + 1)) <= _MOST_SETS:
        upper = _largest_sum(products, total, separation)
    else:
        upper = _bound_on_sums(products, total, separation)
    return _attained_sensitivity(strategy, total, separation), raised_by(upper, GENEROUS)


def _largest_sum(products: Array, total: int, separation: int) -> float:
    """Return the largest sum of products over sets of up to `total` steps, tried one by one."""
    largest = 0.0
    for size in range(1, total + 1):
        for chosen in itertools.combinations(range(_participation_free_steps(products.shape[0], size, separation)), size):
            places = np.array(chosen) + (separation - 1) * np.arange(size)
            largest = max(largest, float(products[np.ix_(places, places)].sum()))
    return largest


def _participation_free_steps(steps: int, size: int, separation: int) -> int:
    """Return from how many steps a set of this size is chosen once the distances between its members are left out."""
    return steps - (size - 1) * (separation - 1)


def _bound_on_sums(products: Array, total: int, separation: int) -> float:
    """Return a bound: each step with the others that suit it best, and then the best steps by that weight."""
    steps = products.shape[0]
    apart = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps))) >= separation
    weights = np.diag(products) + _best_choice(np.where(apart, products, 0.0), total - 1, separation)
    return float(_best_choice(weights[None, :], total, separation)[0])


def _best_choice(weights: Array, total: int, separation: int) -> Array:
    """Return, for each row, the largest sum of at most `total` weights that are `separation` apart."""
    rows, steps = weights.shape
    best = np.zeros((steps + separation, rows))
    for _ in range(total):
        following = np.zeros_like(best)
        for step in range(steps - 1, -1, -1):
            following[step] = np.maximum(following[step + 1], weights[:, step] + best[step + separation])
        best = following
    found: Array = best[0]
    return found


def _attained_sensitivity(strategy: Array, total: int, separation: int) -> float:
    """Return what some records attain: those that take part at even distances, or once, the same vector each time."""
    steps = strategy.shape[1]
    largest = 0.0
    for count in {1, total}:
        for first in range(steps - (count - 1) * separation):
            chosen = strategy[:, first : first + (count - 1) * separation + 1 : separation]
            moved = np.abs(chosen.sum(axis=1)) - U * (count + 2.0) * np.abs(chosen).sum(axis=1)
            largest = max(largest, float((np.maximum(moved, 0.0) ** 2).sum()))
    return lowered_by(largest, GENEROUS)
