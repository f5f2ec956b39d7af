"""About the longest plan of steps like the expected one that the engine certifies."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from tightbudget.adaptive.amounts import exact
from tightbudget.adaptive.filters.expected import Expected
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable
from tightbudget.numerics.rounding import float_below
from tightbudget.numerics.search import largest_that_fits

MOST_SLOTS = 2**20  # each try is priced by the engine
CLOSE_ENOUGH = 500  # a plan is the longest to this part of its length

Made = TypeVar("Made", covariant=True)


class Make(Protocol[Made]):
    """What makes a filter of a plan, or raises InvalidParameter if it costs more than the guarantee allows."""

    def __call__(self, plan: Composable) -> Made: ...


def longest_plan(expected: Expected, make: Make[Made]) -> Made:
    """Return the filter of about the longest plan of such steps.

    The search starts where another filter is known to get, since short plans may be certified less easily than long
    ones: their delta is far too small.
    """
    step = expected.step
    tried = dict[int, Made]()
    target, room = float_below(exact("epsilon", expected.epsilon)), float_below(exact("delta", expected.delta))

    def certified(count: int) -> bool:
        try:
            tried[count] = make(step * count)
        except InvalidParameter:
            return False
        return True

    def fits(count: int) -> bool:
        """Return whether so many fit; a rough price, a hundred times as fast, says so for all but a few counts."""
        try:
            rough = (step * count).delta(target)
        except InvalidParameter:
            return False
        return rough.upper <= room or (rough.lower <= room and certified(count))

    count = _longest_count_that_fits(fits, min(expected.known, MOST_SLOTS))
    while count and not (count in tried or certified(count)):
        count -= max(1, count // CLOSE_ENOUGH)
    return tried[count] if count in tried else make(step * 0)


def _longest_count_that_fits(fits: Callable[[int], bool], known: int) -> int:
    """Return about the largest count that fits; to begin with, `known` may."""
    if not (known and fits(known)):
        return largest_that_fits(fits, MOST_SLOTS)
    low = high = known
    while high < MOST_SLOTS and fits(min(2 * high, MOST_SLOTS)):
        high = low = min(2 * high, MOST_SLOTS)
    high = min(2 * high, MOST_SLOTS)
    while high - low > max(1, low // CLOSE_ENOUGH):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
