"""Which filter admits how many of the steps that are expected: to be asked before the first step, never after."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from tightbudget.adaptive.filters.base import Filter
from tightbudget.adaptive.filters.basic import BasicFilter
from tightbudget.adaptive.filters.expected import Expected
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.adaptive.increments import Increment
from tightbudget.errors import InvalidParameter
from tightbudget.keywords import says_its_arguments_as


@dataclass(frozen=True)
class Choice:
    """A filter, ready to be used, and how many of the expected steps it admits; or why it does not apply.

    `or_more` says that the counting was cut off: the filter admits `count` steps and perhaps many more.
    """

    name: str
    count: int
    filter: Filter | None
    note: str
    or_more: bool = False


@dataclass(frozen=True)
class Choices(Sequence[Choice]):
    """All filters, those that admit most first; of equal counts, one that was cut off comes first."""

    increment: Increment
    epsilon: str
    delta: str
    rows: tuple[Choice, ...]

    @overload
    def __getitem__(self, index: int) -> Choice: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Choice, ...]: ...
    def __getitem__(self, index: int | slice) -> Choice | tuple[Choice, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.rows)

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        lines = [f"steps like {self.increment} within epsilon {self.epsilon}, delta {self.delta}"]
        lines += [f"  {row.name:<{width}}  {_shown_count(row):>12}  {row.note}".rstrip() for row in self.rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_table

        caption = f"steps like {self.increment} within epsilon {self.epsilon}, delta {self.delta}"
        return html_table(("filter", "admits", ""), ((row.name, _shown_count(row), row.note) for row in self.rows), caption)


@says_its_arguments_as("best")
def best_filters(epsilon: Any, delta: Any, expected: Increment | str, delta_for_steps: Any = None) -> Choices:
    """Return how many steps like the expected one each filter admits, with the filters ready to be used.

    Choose one before the first step and stay with it: the choice must not depend on any answer. `delta_for_steps` is
    the part of delta kept for the deltas of steps; if it is not given, none for a step without delta and half of delta
    for one with.

    >>> from tightbudget import PureDP
    >>> print(best_filters(epsilon=1, delta=1e-6, expected=PureDP(epsilon=0.1)))
    steps like pure_dp(epsilon=0.1) within epsilon 1, delta 1e-06
      basic                     10
      rdp, one order            10  order 1583.5
      slots                     10  this very plan, fixed in advance
      rdp, 32 orders             8
      ...
    """
    promised = BasicFilter(epsilon, delta).state()
    plan = Expected.of(epsilon, delta, expected, delta_for_steps)
    rows = list[Choice]()
    for kind in ALL:
        known = max((row.count for row in rows), default=0)
        rows += [_choice_of(name, make, plan.step) for name, make in kind.candidates(replace(plan, known=known))]
    return Choices(plan.step, promised["epsilon"], promised["delta"], tuple(sorted(rows, key=_choice_rank)))


def _choice_of(name: str, make: Callable[[], Filter], expected: Increment) -> Choice:
    try:
        made = make()
        count, or_more = made.counted(expected)
    except InvalidParameter as problem:
        return Choice(name, 0, None, _why_not(problem))
    return Choice(name, count, made, made.note(expected, count, or_more), or_more)


def _choice_rank(row: Choice) -> tuple[int, bool]:
    return -row.count, not row.or_more


def _why_not(problem: InvalidParameter) -> str:
    """Return what a filter needs: a step of another kind, or another epsilon or delta."""
    needed = problem.allowed.removesuffix(" for this filter")
    return f"needs {needed}" if problem.name == "increment" else f"needs {problem.name} {needed}"


def _shown_count(row: Choice) -> str:
    return str(row.count) if row.filter is not None else "-"
