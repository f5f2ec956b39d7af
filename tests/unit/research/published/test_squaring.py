"""Figure 10: t doublings for r = 2^t, the 2.2 rule, the free budget, and general r."""

import pytest

import tightbudget as tb
from tightbudget.published import Compose, Leaf, Square, Tree, embed, joined, power


def leaf(n: int = 64, log_factor: float | None = None) -> Leaf:
    return embed(tb.Laplace(scale=5), n, log_factor)


def squarings(tree: Tree) -> int:
    """Return how often the factor was squared on the way down to the left-most leaf."""
    count = 0
    while tree.children:
        count += isinstance(tree, Square)
        tree = tree.children[0]
    return count


@pytest.mark.parametrize("t", [0, 1, 2, 5, 9])
def test_a_power_of_two_takes_t_doublings(t: int):
    tree = power(leaf(), 2**t)
    doublings = 0
    while tree.children:
        doublings += isinstance(tree, Compose)
        assert not isinstance(tree, Compose) or tree.left is tree.right
        tree = tree.children[0]
    assert doublings == t


@pytest.mark.parametrize("r", [1, 2, 3, 7, 12, 100, 511])
def test_any_number_of_compositions(r: int):
    assert power(leaf(), r).r == r


def test_the_rule_squares_when_infinity_more_than_doubles():
    one = leaf(log_factor=0.01)  # 0.64 at most: the fourth doubling would overflow
    tree: Tree = one
    for _ in range(6):
        plain = Compose(tree, tree)
        next_tree = joined(tree, tree)
        grows = plain.buckets.infinity > max(1e-14, 2.2 * tree.buckets.infinity)
        assert squarings(next_tree) == squarings(tree) + grows
        assert next_tree.buckets.infinity <= plain.buckets.infinity
        tree = next_tree
    assert 0 < squarings(tree) < 6


def test_a_free_budget_delays_squaring():
    one = leaf(log_factor=0.01)
    counts = [squarings(power(one, 64, free_infty_budget=budget)) for budget in (0.0, 1e-14, 1e-3, 1.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0 < counts[0]


def test_trees_of_different_factors_are_aligned():
    tree = joined(leaf(log_factor=0.01), leaf(log_factor=0.04))
    assert tree.log_factor == 0.04
    far = joined(leaf(log_factor=0.01), leaf(log_factor=0.01 * 2.0**100))
    assert far.log_factor == 0.01 * 2.0**100
    assert far.buckets.B.sum() == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(tb.InvalidParameter, match="power of 2"):
        joined(leaf(log_factor=0.01), leaf(log_factor=0.03))


@pytest.mark.parametrize("r", [0, -1, 1.5, "many", None])
def test_r_is_a_whole_number(r: object):
    with pytest.raises(tb.InvalidParameter):
        power(leaf(), r)  # type: ignore[arg-type]


def test_only_trees_are_composed():
    for call in (lambda: power("tree", 2), lambda: joined("tree", leaf()), lambda: joined(leaf(), "tree")):  # type: ignore[arg-type]
        with pytest.raises(tb.InvalidParameter, match="composition tree"):
            call()


@pytest.mark.parametrize("budget", [-1.0, "much", float("nan")])
def test_the_budget_is_not_negative(budget: object):
    with pytest.raises(tb.InvalidParameter, match="free_infty_budget"):
        power(leaf(), 4, budget)  # type: ignore[arg-type]


def test_squaring_a_leaf_is_the_leaf_of_the_squared_factor():
    fine, coarse = Square(leaf(log_factor=0.01)).buckets, leaf(log_factor=0.02).buckets
    assert fine.u == coarse.u == 1
    for name in ("B", "ell", "ell_virtual"):
        ours, direct = getattr(fine, name), getattr(coarse, name)
        assert ours == pytest.approx(direct, abs=1e-15)
