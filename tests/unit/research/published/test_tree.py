"""Composition trees as data: validity (Definition 3), evaluation once per node, drawings."""

import math

import pytest

import tightbudget as tb
from tightbudget.published import Compose, Leaf, Square, Tree, TreePair, embed
from tightbudget.research.published import tree as tree_module


def leaf(n: int = 8, log_factor: float = 0.25) -> Leaf:
    return embed(tb.RandomizedResponse(p=0.6), n, log_factor)


def test_definition_3_factors_and_sizes():
    one = leaf()
    assert one.factor == math.exp(0.25)
    assert (Square(one).log_factor, Square(one).n) == (0.5, 8)
    assert (Compose(one, one).log_factor, Compose(one, one).n, Compose(one, one).r) == (0.25, 8, 2)


@pytest.mark.parametrize("n", [0, 1, 3, -2, 2.5, 2**20, "many", None, math.nan, True])
def test_definition_3_n_is_even(n: object):
    with pytest.raises(tb.InvalidParameter, match="n is"):
        leaf(n)  # type: ignore[arg-type]


@pytest.mark.parametrize("log_factor", [0.0, -1.0, 1e-300, 1e300, math.inf, math.nan, "f"])
def test_definition_3_f_is_above_1(log_factor: object):
    with pytest.raises(tb.InvalidParameter, match="log_factor is"):
        leaf(log_factor=log_factor)  # type: ignore[arg-type]


def test_definition_3_composition_needs_equal_factors_and_sizes():
    with pytest.raises(tb.InvalidParameter, match="Square the one with the smaller factor"):
        Compose(leaf(), Square(leaf()))
    with pytest.raises(tb.InvalidParameter, match="n = 8"):
        Compose(leaf(8), leaf(10))


@pytest.mark.parametrize("node", [Square, lambda part: Compose(part, leaf()), lambda part: Compose(leaf(), part)])
def test_a_node_holds_trees(node: object):
    with pytest.raises(tb.InvalidParameter, match="a Leaf, Compose or Square"):
        node("not a tree")  # type: ignore[operator]


def test_composition_is_not_associative():
    """The paper's example: 0.6 n down, 0.6 n down, 0.5 n up; what is clamped first ends higher."""
    from numpy import array

    from tightbudget.pairs.points import point_pair

    def single(index: int) -> Leaf:
        loss = array([0.1 * index])
        return Leaf(point_pair(("at", index), loss, array([0.0]), -loss, error=0.0), 0.1, 10)

    down, up = single(-6), single(5)
    first = Compose(Compose(down, down), up).buckets
    second = Compose(down, Compose(down, up)).buckets
    assert first.indices[first.B > 0.5].tolist() == [-5]
    assert second.indices[second.B > 0.5].tolist() == [-7]


def test_a_shared_node_is_evaluated_once(monkeypatch: pytest.MonkeyPatch):
    calls = []
    whole = tree_module.composed_buckets
    monkeypatch.setattr(tree_module, "composed_buckets", lambda left, right: calls.append(1) or whole(left, right))
    tree: Tree = leaf()
    for _ in range(20):
        tree = Compose(tree, tree)
    assert tree.r == 2**20
    first = tree.buckets
    assert len(calls) == 20
    assert tree.buckets is first


@pytest.mark.slow
def test_a_deep_tree_needs_no_recursion():
    one = leaf(n=64)
    tree: Tree = one
    for _ in range(1500):
        tree = Compose(tree, one)
    assert tree.r == 1501
    assert tree.buckets.u == 1501
    assert len(str(tree).splitlines()) == 3000  # the innermost composition draws its leaf once


def test_a_drawing():
    one, other = leaf(), embed(tb.PureDP(epsilon=0.5), 8, 0.5)
    tree = Compose(Square(Compose(one, one)), Compose(other, Square(one)))
    assert str(tree) == "\n".join(
        [
            "#1 compose  r=4",
            "├─ #2 square  f=exp(0.5)",
            "│  └─ #3 compose  r=2",
            "│     └─ 2 x #4 leaf randomized_response(p=0.6)  f=exp(0.25)  n=8",
            "└─ #5 compose  r=2",
            "   ├─ #6 leaf pure_dp(epsilon=0.5)  f=exp(0.5)  n=8",
            "   └─ #7 square  f=exp(0.5)",
            "      └─ #4 again",
        ]
    )
    assert repr(tree) == "Compose(log_factor=0.5, n=8, r=4)"


def test_a_drawing_of_two_directions():
    one, other = leaf(), leaf()
    assert str(TreePair(one, one)).startswith("A||B and B||A\n#1 leaf")
    assert [line for line in str(TreePair(one, other)).splitlines() if "||" in line] == ["A||B", "B||A"]


def test_a_pair_of_trees_has_equal_sizes():
    with pytest.raises(tb.InvalidParameter, match="1 leaves"):
        TreePair(leaf(), Compose(leaf(), leaf()))
    with pytest.raises(tb.InvalidParameter, match="composition tree"):
        TreePair(leaf(), "tree")  # type: ignore[arg-type]
