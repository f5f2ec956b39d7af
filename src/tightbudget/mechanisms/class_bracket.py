"""How well the ends of a class's bracket need to be known: the upper one of its pairs, the lower one of its members.

Both are asked at the usual width first. What is then known to be out of reach is not pursued: a way to bound the class
that is worse than another, and digits of ends that are sure to stay far apart.
"""

from collections.abc import Callable, Sequence

from tightbudget.engine.question import USUAL
from tightbudget.numerics.bracket import Bracket

Ask = Callable[[float], Bracket]
"""A bracket that is as narrow, relative to its upper end, as the number given."""

_OF_GAP = 1e-4  # of the distance between both ends: to know an end better makes the bracket hardly narrower


def ends_of_class(
    ways: Sequence[Ask], members: Sequence[Ask], rtol: float, pursue: bool, at_once: bool = False
) -> tuple[Bracket, list[Bracket]]:
    """Return the bracket with the least upper end of several ways to bound a class, and those of its members.

    With `pursue` the ends are as well known as asked even where they are far apart; `at_once` if they have closed
    forms, so that those ends alone are known, as well as they will be.
    """
    if at_once or (len(ways) == 1 and not members):
        return min((way(rtol) for way in ways), key=_upper_end), [member(rtol) for member in members]
    first = max(rtol, USUAL)
    bounds, found = [way(first) for way in ways], [member(first) for member in members]
    least = min(bounds, key=_upper_end).upper
    largest = max((member.lower for member in found), default=0.0)
    fine = rtol if pursue or not found else max(rtol, min(first, _class_ends_worth(bounds, found)))
    bounds = [
        _ask_class_again(way, known, fine) if known.lower < least else known for way, known in zip(ways, bounds, strict=True)
    ]
    found = [
        _ask_class_again(ask, known, fine) if known.upper > largest else known
        for ask, known in zip(members, found, strict=True)
    ]
    return min(bounds, key=_upper_end), found


def _class_ends_worth(bounds: Sequence[Bracket], members: Sequence[Bracket]) -> float:
    """Return how well ends are worth knowing, relative to the upper one: the bracket is sure to stay so wide."""
    upper = min(bound.upper for bound in bounds)
    gap = min(bound.lower for bound in bounds) - max(member.upper for member in members)
    return _OF_GAP * gap / upper if 0.0 < gap < upper else 0.0


def _ask_class_again(ask: Ask, known: Bracket, rtol: float) -> Bracket:
    return known if known.upper - known.lower <= rtol * known.upper else ask(rtol)


def _upper_end(bracket: Bracket) -> float:
    return bracket.upper
