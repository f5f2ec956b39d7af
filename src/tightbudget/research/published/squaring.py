"""Adaptive squaring (Figure 10): double the composition, and square the factor if bucket infinity grows too fast."""

import math

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, whole_count
from tightbudget.research.published.tree import Compose, Square, Tree, check_tree

GROWTH = 2.2
"""The paper's rule: composing a list with itself about doubles B(inf); more than this factor is the sign to square."""

FREE_INFTY_BUDGET = 1e-14
"""Default of `free_infty_budget`: up to this B(inf), nothing is squared."""


def joined(left: Tree, right: Tree, free_infty_budget: float = FREE_INFTY_BUDGET) -> Tree:
    """Return left x right, both squared first if bucket infinity would otherwise grow too much.

    The trees' factors may differ by squarings; the smaller one is squared up. Any choice here is sound.
    """
    check_tree("left", left)
    check_tree("right", right)
    left, right = _aligned_trees(left, right)
    tree = Compose(left, right)
    before, after = left.buckets.infinity + right.buckets.infinity, tree.buckets.infinity
    if after > free_infty_budget and after > 0.5 * GROWTH * before:
        twin = left is right
        left = Square(left)
        return Compose(left, left if twin else Square(right))
    return tree


def power(tree: Tree, r: int, free_infty_budget: float = FREE_INFTY_BUDGET) -> Tree:
    """Return the r-fold composition of a tree: t doublings for r = 2^t, otherwise by the binary digits of r."""
    check_tree("tree", tree)
    count, budget = whole_count(r), positive("free_infty_budget", free_infty_budget, zero=True)
    if count == 0:
        raise InvalidParameter("r", r, "a whole number from 1")
    result: Tree | None = None
    while True:
        if count & 1:
            result = tree if result is None else joined(result, tree, budget)
        count >>= 1
        if not count:
            return result if result is not None else tree
        tree = joined(tree, tree, budget)


def _aligned_trees(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    if math.frexp(left.log_factor)[0] != math.frexp(right.log_factor)[0]:
        raise InvalidParameter(
            "right", f"a tree with ln f = {right.log_factor!r}", f"one whose ln f is {left.log_factor!r} times a power of 2"
        )
    while left.log_factor < right.log_factor:
        left = Square(left)
    while right.log_factor < left.log_factor:
        right = Square(right)
    return left, right
