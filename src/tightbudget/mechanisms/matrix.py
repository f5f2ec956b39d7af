"""Tree aggregation and the matrix mechanism: one release of normal noise, however many steps it has (M35)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, real
from tightbudget.mechanisms.gaussian import Gaussian, gaussian_pair
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.noise import AdditiveNoise
from tightbudget.mechanisms.participation import strategy_squares, tree_squares
from tightbudget.mechanisms.relations import ADD_REMOVE
from tightbudget.numerics.rounding import lowered, raised
from tightbudget.pairs.base import Direction, Pair

_MOST_STEPS = 1_000_000
_MOST_COLUMNS = 1000
_SIGMA = "It is the standard deviation of the noise on each measurement; 0 means no noise."


class CorrelatedNoise(AdditiveNoise):
    """Normal noise on measurements that a record moves in several steps. Subclasses have the fields used here."""

    attains_pair: ClassVar[bool] = False
    of_many_steps: ClassVar[bool] = True

    sigma: float

    @cached_property
    def squares(self) -> tuple[float, float]:
        """Bounds on the square of how far contributions of norm 1 can move all measurements together."""
        raise NotImplementedError

    def pair(self, direction: Direction) -> Pair | None:
        lower, upper = self.squares
        root = math.sqrt(upper) if lower == upper else raised(math.sqrt(upper), 4)
        return gaussian_pair(self.sigma, float(self.sensitivity) * root)

    @property
    def is_class(self) -> bool:
        lower, upper = self.squares
        return lower < upper * (1.0 - 1e-6)  # else only rounding keeps the ends apart

    def member(self) -> Mechanism:
        lower, upper = self.squares
        if lower == upper:
            return self
        moved = lowered(float(self.sensitivity) * math.sqrt(lower), 8)
        return Gaussian(self.sigma, moved, relation=self.relation)


@dataclass(frozen=True)
class TreeAggregation(CorrelatedNoise):
    """Normal noise on every node of a binary tree over the steps of a stream.

    sigma           standard deviation of the noise on a node, 0 or more
    steps           how many steps there are, from 1 to 1000000
    participations  in how many steps a record takes part at most; usually 1
    separation      how many steps lie from one participation to the next at
                    least; usually 1, that is, any
    sensitivity     how far a record can move one step in the L2 norm; usually 1
    relation        the relation that the sensitivity is for: add_remove,
                    replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. All steps
    together are one release, also of streams chosen as they go.

    >>> from tightbudget import TreeAggregation
    >>> stream = TreeAggregation(4, 8, participations=2, separation=4)
    >>> print(stream.delta(epsilon=1))
    [0.060585..., 0.060585...]
    """

    name: ClassVar[str] = "tree_aggregation"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("sigma",)

    sigma: float
    steps: int
    participations: int = 1
    separation: int = 1
    sensitivity: float = 1.0
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma, _SIGMA, zero=True, infinite=True)
        steps = _whole_for_matrix("steps", self.steps, _MOST_STEPS)
        _whole_for_matrix("participations", self.participations, steps)
        _whole_for_matrix("separation", self.separation, steps)
        positive("sensitivity", self.sensitivity, zero=True)

    @cached_property
    def squares(self) -> tuple[float, float]:
        return tree_squares(int(self.steps), int(self.participations), int(self.separation))


@dataclass(frozen=True)
class MatrixMechanism(CorrelatedNoise):
    """Normal noise on C x for a matrix C: a strategy, as in DP-FTRL.

    sigma           standard deviation of the noise on a measurement, 0 or more
    strategy        the matrix C, a list of rows, a column for each step; up to
                    1000 columns
    participations  in how many steps a record takes part at most; usually 1
    separation      how many steps lie from one participation to the next at
                    least; usually 1, that is, any
    sensitivity     how far a record can move one step in the L2 norm; usually 1
    relation        the relation that the sensitivity is for: add_remove,
                    replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. Where many
    sets of steps are possible the two ends are those of different records.

    >>> from tightbudget import MatrixMechanism
    >>> print(MatrixMechanism(2.0, [[1, 0], [1, 1]]).epsilon(delta=1e-6))
    [3.3076..., 3.3076...]
    """

    name: ClassVar[str] = "matrix_mechanism"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("sigma",)

    sigma: float
    strategy: tuple[tuple[float, ...], ...]
    participations: int = 1
    separation: int = 1
    sensitivity: float = 1.0
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma, _SIGMA, zero=True, infinite=True)
        rows = _strategy_rows(self.strategy)
        object.__setattr__(self, "strategy", rows)
        _whole_for_matrix("participations", self.participations, len(rows[0]))
        _whole_for_matrix("separation", self.separation, len(rows[0]))
        positive("sensitivity", self.sensitivity, zero=True)

    @cached_property
    def squares(self) -> tuple[float, float]:
        return strategy_squares(np.array(self.strategy), int(self.participations), int(self.separation))

    def __str__(self) -> str:
        return super().__str__().replace(repr(list(self.strategy)), repr([list(row) for row in self.strategy]))


def _whole_for_matrix(name: str, value: object, most: int) -> int:
    number = real(name, value, f"a whole number from 1 to {most}")
    if not 1.0 <= number <= most or number != math.floor(number):
        raise InvalidParameter(name, value, f"a whole number from 1 to {most}")
    return int(number)


def _entry(name: str, entry: object) -> float:
    number = real(name, entry, "a finite number")
    if not math.isfinite(number):
        raise InvalidParameter(name, entry, "a finite number")
    return number


def _strategy_rows(strategy: object) -> tuple[tuple[float, ...], ...]:
    allowed = "a list of rows of numbers, all of the same length"
    if isinstance(strategy, str) or not isinstance(strategy, Iterable):
        raise InvalidParameter("strategy", strategy, allowed)
    rows = list[tuple[float, ...]]()
    for row in strategy:
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise InvalidParameter("strategy", row, allowed)
        here = len(rows)
        rows.append(tuple(_entry(f"strategy[{here}][{column}]", entry) for column, entry in enumerate(row)))
        if len(rows[here]) != len(rows[0]):
            raise InvalidParameter(f"strategy[{here}]", f"a row of {len(rows[here])}", f"of {len(rows[0])}, as the first one")
    if not rows or not rows[0]:
        raise InvalidParameter("strategy", [list(row) for row in rows], allowed)
    if len(rows[0]) > _MOST_COLUMNS:
        raise InvalidParameter("strategy", f"{len(rows[0])} columns", f"at most {_MOST_COLUMNS} columns")
    largest = max(abs(entry) for row in rows for entry in row)
    if not largest <= 1e100 or 0.0 < largest < 1e-100:
        raise InvalidParameter("strategy", largest, "entries of which the largest is 0 or from 1e-100 to 1e100 in size")
    return tuple(rows)
