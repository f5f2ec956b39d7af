"""How well the ends of a class's bracket need to be known: the upper one of its pairs, the lower one of its members.

The upper end is asked at the usual width first, and a glance is taken at the lower one. What is then known to be out of
reach is not pursued: a way to bound the class that is worse than another, and digits of ends that are sure to stay far
apart.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tightbudget.engine.question import USUAL
from tightbudget.engine.refine import SURELY_LESS
from tightbudget.numerics.bracket import Bracket

Ask = Callable[[float], Bracket]
"""A bracket that is as narrow, relative to its upper end, as the number given."""

Estimate = Callable[[], float]
"""About the answer to the same question; NaN where there is no good guess."""


class Estimates(NamedTuple):
    """Estimates of the answers of all ways, and of all members; none at all, or one for each."""

    ways: Sequence[Estimate] = ()
    members: Sequence[Estimate] = ()


NO_ESTIMATES = Estimates()

Look = Callable[[float], bool]
"""Whether one look at an answer shows that an end is no better."""


class Looks(NamedTuple):
    """Looks whether the upper end of a way is above an answer, or the lower end of a member below it; as above."""

    ways: Sequence[Look] = ()
    members: Sequence[Look] = ()


NO_LOOKS = Looks()

_OF_GAP = 1e-4  # of the distance between both ends: to know an end better makes the bracket hardly narrower
_TIMES, _LEAST_OF_GAP, _MOST_OF_GAP = 10.0, 1e-3, 0.01  # times the tolerance, and that at least and at most: lower ends
_MUCH_WORSE = 1.2  # times the upper end of another way
_GLANCE = 0.03  # of a member: what is far below the upper end is seen to be so


def ends_of_class(
    ways: Sequence[Ask],
    members: Sequence[Ask],
    rtol: float,
    pursue: bool,
    at_once: bool = False,
    estimates: Estimates = NO_ESTIMATES,
    looks: Looks = NO_LOOKS,
) -> tuple[Bracket, list[Bracket]]:
    """Return the bracket with the least upper end of several ways to bound a class, and those of its members.

    With `pursue` the ends are as well known as asked even where they are far apart, and no estimate counts; `at_once`
    if they have closed forms, so that those ends alone are known, as well as they will be, and one look shows whether
    an end is of use.
    """
    if at_once or (len(ways) == 1 and not members):
        return _ends_at_once(ways, members, rtol, looks)
    first = max(rtol, USUAL)
    if not pursue:
        members = _members_worth_asking(members, estimates.members, rtol)
    ways, bounds = _ways_asked(ways, first, () if pursue else estimates.ways)
    found = [member(first if pursue else max(rtol, _GLANCE)) for member in members]
    if not pursue and _sure_gap(bounds, found) <= 0.0:
        found = [member(first) for member in members]
    gap = 0.0 if pursue or not found else max(0.0, _sure_gap(bounds, found))
    least = min(bounds, key=_upper_end).upper
    largest = max((member.lower for member in found), default=0.0)
    fine = max(rtol, min(first, _OF_GAP * gap / least)) if gap else rtol
    worth = max(_LEAST_OF_GAP, min(_MOST_OF_GAP, _TIMES * rtol)) * gap
    bounds = [
        _ask_class_again(way, known, fine) if known.lower < least else known for way, known in zip(ways, bounds, strict=True)
    ]
    found = [
        _ask_class_again(ask, known, max(rtol, worth / known.upper)) if known.upper > largest else known
        for ask, known in zip(members, found, strict=True)
    ]
    return min(bounds, key=_upper_end), found


def _ends_at_once(ways: Sequence[Ask], members: Sequence[Ask], rtol: float, looks: Looks) -> tuple[Bracket, list[Bracket]]:
    """Return the brackets of those ways and members that are not seen to be worse than one before."""
    bounds, found = list[Bracket](), list[Bracket]()
    for i, way in enumerate(ways):
        if not (bounds and looks.ways and looks.ways[i](min(bounds, key=_upper_end).upper)):
            bounds.append(way(rtol))
    for i, member in enumerate(members):
        if not (found and looks.members and looks.members[i](max(one.lower for one in found))):
            found.append(member(rtol))
    return min(bounds, key=_upper_end), found


def _members_worth_asking(members: Sequence[Ask], estimates: Sequence[Estimate], rtol: float) -> Sequence[Ask]:
    """Return the member that seems to have the largest lower end, and those that may have a larger one.

    All of them if that is hard to tell; of those that seem to be as large, one will do.
    """
    if len(members) < 2 or not estimates:
        return members
    values = [estimate() for estimate in estimates]
    if math.isnan(sum(values)):
        return members
    best = values.index(max(values))
    return [
        member
        for i, (member, value) in enumerate(zip(members, values, strict=True))
        if i == best or SURELY_LESS * values[best] < value < (1.0 - rtol) * values[best]
    ]


def _ways_asked(ways: Sequence[Ask], rtol: float, estimates: Sequence[Estimate]) -> tuple[list[Ask], list[Bracket]]:
    """Return the ways with their brackets, but for those that seem to be much worse than one before."""
    asked, bounds = list[Ask](), list[Bracket]()
    for i, way in enumerate(ways):
        least = min((bound.upper for bound in bounds), default=math.inf)
        if i and estimates and least < math.inf and estimates[i]() > _MUCH_WORSE * least:
            continue
        asked.append(way)
        bounds.append(way(rtol))
    return asked, bounds


def _sure_gap(bounds: Sequence[Bracket], members: Sequence[Bracket]) -> float:
    """Return how far apart both ends are sure to stay; not above 0 if they may meet, or if one is not known at all."""
    upper = min(bound.upper for bound in bounds)
    gap = min(bound.lower for bound in bounds) - max((member.upper for member in members), default=math.inf)
    return gap if gap < upper else 0.0


def _ask_class_again(ask: Ask, known: Bracket, rtol: float) -> Bracket:
    return known if known.upper - known.lower <= rtol * known.upper else ask(rtol)


def _upper_end(bracket: Bracket) -> float:
    return bracket.upper
