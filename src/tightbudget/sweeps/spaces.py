"""The points of a sweep, found by their place: a grid of a million points is never written out.

`place` counts in the order of evaluation, in which neighbours differ little; `point` in the order of the plan.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.sweeps.axes import axis
from tightbudget.sweeps.keys import brief_value, check_plan_keys, plan_table
from tightbudget.sweeps.values import Value, one_kind, value


class Space(Protocol):
    """Points with the same parameters."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def size(self) -> int: ...

    def at(self, place: int) -> tuple[int, tuple[Value, ...]]:
        """Return the number of the point that is evaluated at this place, and its values."""
        ...

    def written(self) -> Iterator[str]:
        """Yield what the points are made of, for a fingerprint."""
        ...

    def values(self, name: str) -> tuple[Value, ...]:
        """Return the different values of a parameter, which are all of one kind."""
        ...


@dataclass(frozen=True)
class Grid:
    """Every combination of the values of some parameters; the last of `names` changes first from point to point."""

    names: tuple[str, ...]
    axes: tuple[tuple[Value, ...], ...]
    evaluated: tuple[str, ...]  # the same names, so that those come last that leave most of the work the same
    backwards: frozenset[str] = frozenset()  # those whose last value is evaluated first

    @cached_property
    def size(self) -> int:
        return math.prod(len(values) for values in self.axes)

    @cached_property
    def _strides(self) -> dict[str, int]:
        strides, step = {}, 1
        for name, values in zip(reversed(self.names), reversed(self.axes), strict=True):
            strides[name] = step
            step *= len(values)
        return strides

    @cached_property
    def _axis(self) -> dict[str, tuple[Value, ...]]:
        return dict(zip(self.names, self.axes, strict=True))

    def at(self, place: int) -> tuple[int, tuple[Value, ...]]:
        chosen: dict[str, Value] = {}
        point = 0
        for name in reversed(self.evaluated):
            place, index = divmod(place, len(self._axis[name]))
            if name in self.backwards:
                index = len(self._axis[name]) - 1 - index
            chosen[name] = self._axis[name][index]
            point += index * self._strides[name]
        return point, tuple(chosen[name] for name in self.names)

    def written(self) -> Iterator[str]:
        for name, values in zip(self.names, self.axes, strict=True):
            yield name
            yield from map(repr, values)

    def values(self, name: str) -> tuple[Value, ...]:
        return self._axis[name]


@dataclass(frozen=True)
class Listed:
    """Points one by one, evaluated in the order in which they are listed."""

    names: tuple[str, ...]
    columns: tuple[tuple[Value, ...], ...]
    number: int

    @property
    def size(self) -> int:
        return self.number

    def at(self, place: int) -> tuple[int, tuple[Value, ...]]:
        return place, tuple(column[place] for column in self.columns)

    def written(self) -> Iterator[str]:
        yield str(self.number)
        for name, column in zip(self.names, self.columns, strict=True):
            yield name
            yield from map(repr, column)

    def values(self, name: str) -> tuple[Value, ...]:
        return tuple(dict.fromkeys(self.columns[self.names.index(name)]))


class Order(Protocol):
    """In which order neighbours share most."""

    def by_sharing(self, names: Sequence[str]) -> tuple[str, ...]: ...

    def backwards(self, name: str, values: Sequence[Value]) -> bool: ...


def grid_space(given: Any, order: Order) -> Grid:
    """Return the grid of a plan, evaluated in the order in which neighbours share most."""
    table = plan_table(given, "grid", "{ sigma = [1, 2, 4] }")
    names = tuple(table)
    axes = tuple(axis(name, table[name]) for name in names)
    backwards = frozenset(name for name, values in zip(names, axes, strict=True) if order.backwards(name, values))
    return Grid(names, axes, order.by_sharing(names), backwards)


def listed_space(given: Any) -> Listed:
    """Return the points of a plan, which is a list of tables with the same keys."""
    example = "{ sigma = 1, q = 0.01 }"
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence) or not given:
        raise InvalidParameter("points", brief_value(given), "a list of tables", f"For example [{example}].")
    names = tuple(plan_table(given[0], "points[0]", example))
    rows = [_space_row(names, place, plan_table(table, f"points[{place}]", example)) for place, table in enumerate(given)]
    columns = zip(names, zip(*rows, strict=True), strict=False)  # no names, no columns
    return Listed(names, tuple(one_kind(name, column) for name, column in columns), len(rows))


def _space_row(names: tuple[str, ...], place: int, table: Mapping[str, Any]) -> tuple[Value, ...]:
    check_plan_keys(table, names, f"points[{place}]")
    for name in names:
        if name not in table:
            raise InvalidParameter(f"points[{place}]", brief_value(dict(table)), f"given {name!r}, as the first point is")
    return tuple(value(name, table[name]) for name in names)
