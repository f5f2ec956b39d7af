"""Composition trees (Definition 3): leaves, compositions and squarings, to be built by hand, evaluated and printed.

A tree is data. Its buckets are worked out when first asked for and kept on the node, so a node that occurs often (T x T
is one node twice) is evaluated once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import real
from tightbudget.pairs.base import Pair
from tightbudget.research.published.buckets import Buckets, bucket_factor
from tightbudget.research.published.combine import composed_buckets, squared_buckets
from tightbudget.research.published.leaves import leaf_buckets

SMALLEST_STEP, LARGEST_STEP = 1e-200, 1e200
"""Limits of ln f, so that no edge is beyond all floats."""

MOST_BUCKETS = 2**19 - 2
"""Largest n: the convolution of two lists then fits into the longest transform we make."""


class Tree:
    """A node of a composition tree; `log_factor` is ln f, `n` the last index before infinity, `r` the number of leaves.

    `of_a_class` says that some leaf is the least pair that dominates a class of mechanisms: one such leaf alone is
    attained by a member, a composition need not be, and its buckets say nothing from below (decision 0008). The buckets
    of a tree that `only_bounds` never do: some leaf is a pair that no mechanism of its class attains even alone.

    Nodes are compared by identity: two leaves of the same mechanism are two runs of it.
    """

    log_factor: float
    n: int
    r: int
    of_a_class: bool
    only_bounds: bool

    @property
    def children(self) -> "tuple[Tree, ...]":
        raise NotImplementedError

    @property
    def factor(self) -> float:
        """The bucket factor f_T."""
        return bucket_factor(self.log_factor)

    @cached_property
    def buckets(self) -> Buckets:
        """The privacy buckets with error-correction terms of this tree."""
        for node in _children_first(self):
            if "buckets" not in node.__dict__:
                node.__dict__["buckets"] = node._evaluate()
        evaluated: Buckets = self.__dict__["buckets"]
        return evaluated

    def _evaluate(self) -> Buckets:
        raise NotImplementedError

    def _title(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(_drawn_tree_lines(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(log_factor={self.log_factor!r}, n={self.n}, r={self.r})"


@dataclass(frozen=True, eq=False, repr=False)
class Leaf(Tree):
    """Privacy buckets of one pair (A, B), with factor f = e^log_factor and buckets -n, ..., n and infinity."""

    pair: Pair
    log_factor: float
    n: int
    label: str = "A/B"
    r: int = field(init=False, default=1)
    of_a_class: bool = False
    only_bounds: bool = False

    def __post_init__(self) -> None:
        allowed = f"a number from {SMALLEST_STEP:g} to {LARGEST_STEP:g}"
        step = real("log_factor", self.log_factor, allowed)
        if not SMALLEST_STEP <= step <= LARGEST_STEP:
            raise InvalidParameter("log_factor", self.log_factor, allowed, "It is ln f; f must be above 1.")
        object.__setattr__(self, "log_factor", step)
        object.__setattr__(self, "n", bucket_count(self.n))

    @property
    def children(self) -> tuple[Tree, ...]:
        return ()

    def _evaluate(self) -> Buckets:
        return leaf_buckets(self.pair, self.log_factor, self.n)

    def _title(self) -> str:
        return f"leaf {self.label}  f=exp({self.log_factor:.6g})  n={self.n}"


@dataclass(frozen=True, eq=False, repr=False)
class Compose(Tree):
    """The composition T1 x T2 of two trees with the same factor and the same n."""

    left: Tree
    right: Tree
    log_factor: float = field(init=False)
    n: int = field(init=False)
    r: int = field(init=False)
    of_a_class: bool = field(init=False)
    only_bounds: bool = field(init=False)

    def __post_init__(self) -> None:
        for name, part in (("left", self.left), ("right", self.right)):
            check_tree(name, part)
        if self.left.log_factor != self.right.log_factor:
            raise InvalidParameter(
                "right", f"a tree with ln f = {self.right.log_factor!r}", f"one with ln f = {self.left.log_factor!r}, as left",
                "Square the one with the smaller factor.",
            )  # fmt: skip
        if self.left.n != self.right.n:
            raise InvalidParameter("right", f"a tree with n = {self.right.n}", f"one with n = {self.left.n}, as left")
        _tree_label(self, self.left.log_factor, self.left.n, self.left.r + self.right.r)
        object.__setattr__(self, "of_a_class", self.left.of_a_class or self.right.of_a_class)
        object.__setattr__(self, "only_bounds", self.left.only_bounds or self.right.only_bounds)

    @property
    def children(self) -> tuple[Tree, ...]:
        return (self.left, self.right)

    def _evaluate(self) -> Buckets:
        return composed_buckets(self.left.buckets, self.right.buckets)

    def _title(self) -> str:
        return f"compose  r={self.r}"


@dataclass(frozen=True, eq=False, repr=False)
class Square(Tree):
    """The tree with its factor squared: the same events in half as many buckets."""

    child: Tree
    log_factor: float = field(init=False)
    n: int = field(init=False)
    r: int = field(init=False)
    of_a_class: bool = field(init=False)
    only_bounds: bool = field(init=False)

    def __post_init__(self) -> None:
        check_tree("child", self.child)
        _tree_label(self, 2.0 * self.child.log_factor, self.child.n, self.child.r)
        object.__setattr__(self, "of_a_class", self.child.of_a_class)
        object.__setattr__(self, "only_bounds", self.child.only_bounds)

    @property
    def children(self) -> tuple[Tree, ...]:
        return (self.child,)

    def _evaluate(self) -> Buckets:
        return squared_buckets(self.child.buckets)

    def _title(self) -> str:
        return f"square  f=exp({self.log_factor:.6g})"


def bucket_count(n: object) -> int:
    """Return n if it is an even whole number that we can work with."""
    allowed = f"an even whole number from 2 to {MOST_BUCKETS}"
    number = real("n", n, allowed)
    if not (2.0 <= number <= MOST_BUCKETS and number % 2.0 == 0.0):
        raise InvalidParameter("n", n, allowed, "There are 2n + 2 buckets; squaring halves their indices.")
    return int(number)


def _tree_label(node: Tree, log_factor: float, n: int, r: int) -> None:
    for name, value in (("log_factor", log_factor), ("n", n), ("r", r)):
        object.__setattr__(node, name, value)


def check_tree(name: str, value: object) -> None:
    if not isinstance(value, Tree):
        raise InvalidParameter(name, value, "a composition tree: a Leaf, Compose or Square")


def _children_first(tree: Tree) -> Iterator[Tree]:
    """Yield each node once, children before parents; without recursion, as trees built by hand may be deep."""
    done: set[int] = set()
    waiting: list[tuple[Tree, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if id(node) in done:
            continue
        if ready:
            done.add(id(node))
            yield node
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(node.children))


def _drawn_tree_lines(tree: Tree) -> list[str]:
    """Return the lines of a drawing; equal twins are drawn once as "2 x", a node drawn before is only named."""
    numbers: dict[int, int] = {}
    lines: list[str] = []
    waiting: list[tuple[Tree, str, str]] = [(tree, "", "")]
    while waiting:
        node, head, indent = waiting.pop()
        if id(node) in numbers:
            lines.append(f"{head}#{numbers[id(node)]} again")
            continue
        numbers[id(node)] = len(numbers) + 1
        lines.append(f"{head}#{numbers[id(node)]} {node._title()}")
        children = node.children
        if len(children) == 2 and children[0] is children[1]:
            waiting.append((children[0], indent + "└─ 2 x ", indent + "       "))
        elif children:
            last = (children[-1], indent + "└─ ", indent + "   ")
            others = [(child, indent + "├─ ", indent + "│  ") for child in children[:-1]]
            waiting.extend([last, *reversed(others)])
    return lines
