"""A lower bound on min_t delta(ln t) + t fpr from finitely many points: straight lines below a convex function (M23).

delta falls and is convex in t = e^epsilon. Left of two points it lies above the line through them, drawn from the lower
end of the nearer to the upper end of the farther one, and so it does right of two others. Between neighbouring points
two such lines, one from each side, leave a triangle; its lowest corner is the bound.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tightbudget.numerics.rounding import AMPLE, TINIEST, U, lowered_by, raised_by
from tightbudget.tradeoff.signed import ProfilePoint

_NEAREST = 8  # points on either side from which lines are drawn: those of others lie lower
_FAR = 200.0  # in epsilon: products of three powers of e up to this are floats
_LARGE = 30.0  # fpr t beyond e to this power is more than any bound needs


class Gap(NamedTuple):
    """Below `bound` the minimum cannot be, if it lies between the points left and right; where it would be lowest."""

    bound: float
    left: float
    right: float
    lowest: float


class _ConvexLine(NamedTuple):
    """delta >= height - slope (tau - at), in tau = e^(epsilon - reference)."""

    at: float
    height: float
    slope: float

    def value(self, tau: float) -> float:
        return self.height - self.slope * (tau - self.at)


def bounds_in_gaps(points: Sequence[ProfilePoint], log_fpr: float, at_infinity: float, first: int, last: int) -> list[Gap]:
    """Return a bound for each gap from that left of points[first] to that right of points[last]; log_fpr is finite.

    Guarantee: if the minimum lies in the gap then it is at least `bound`, rounding included.
    """
    return [_bound_in_gap(points, place, log_fpr, at_infinity) for place in range(first, last + 2)]


def _bound_in_gap(points: Sequence[ProfilePoint], place: int, log_fpr: float, at_infinity: float) -> Gap:
    """Return the bound for the gap left of points[place]; place may be their number."""
    left, right = points[place - 1] if place > 0 else None, points[place] if place < len(points) else None
    reference = (right or points[-1]).epsilon if left is None else left.epsilon
    exponent = log_fpr + reference
    # fpr e^reference; the sum of two floats and their errors moves it by so much, relatively
    error = AMPLE + 4.0 * U * (abs(log_fpr) + abs(reference))
    c = max(0.0, math.exp(min(exponent, _LARGE)) * (1.0 - error) - TINIEST)
    near = [point for point in points if abs(point.epsilon - reference) < _FAR]
    a = 0.0 if left is None else 1.0
    b = math.inf
    if right is not None:
        gap = right.epsilon - reference
        b = 1.0 if left is None else math.exp(gap) if gap < _FAR else math.inf
    falling = _best_line(_from_left(near, left, reference), a, b)
    rising = _best_line(_from_right(near, right, reference), a, b)
    floor = max(at_infinity if right is None else right.lower, 0.0)
    bound, lowest = _corner_of_lines(falling, rising, floor, c, a, b)
    return Gap(
        max(0.0, bound),
        -math.inf if left is None else left.epsilon,
        math.inf if right is None else right.epsilon,
        reference + math.log(lowest) if lowest > 0.0 else -math.inf,
    )


def _from_left(points: Sequence[ProfilePoint], left: ProfilePoint | None, reference: float) -> Iterator[_ConvexLine]:
    """Lines through two points on the left, which hold to the right of both; where there is none, the line 1 - t."""
    if left is None:
        if reference < _FAR:
            yield _ConvexLine(0.0, 1.0, raised_by(math.exp(reference), AMPLE))
        return
    before = [point for point in points if point.epsilon <= left.epsilon][-_NEAREST:]
    for j, second in enumerate(before):
        at = math.exp(second.epsilon - reference)
        for first in before[:j]:
            run = -at * math.expm1(first.epsilon - second.epsilon)
            if run > 0.0:
                # too steep is safe
                yield _ConvexLine(at, second.lower, raised_by(max(0.0, first.upper - second.lower) / run, AMPLE) + TINIEST)


def _from_right(points: Sequence[ProfilePoint], right: ProfilePoint | None, reference: float) -> Iterator[_ConvexLine]:
    """Lines through two points on the right, which hold to the left of both."""
    if right is None:
        return
    after = [point for point in points if point.epsilon >= right.epsilon][:_NEAREST]
    for i, first in enumerate(after):
        at = math.exp(first.epsilon - reference)
        yield _ConvexLine(at, first.lower, 0.0)  # delta falls
        for second in after[i + 1 :]:
            run = at * math.expm1(second.epsilon - first.epsilon)
            if 0.0 < run < math.inf and first.lower > second.upper:
                # too flat is safe
                yield _ConvexLine(at, first.lower, lowered_by((first.lower - second.upper) / run, AMPLE))


def _best_line(lines: Iterator[_ConvexLine], a: float, b: float) -> _ConvexLine | None:
    """Return the line that is highest in the middle; any of them would do."""
    middle = 0.5 * (a + b) if b < math.inf else a
    return max(lines, key=lambda line: line.value(middle), default=None)


def _corner_of_lines(
    falling: _ConvexLine | None, rising: _ConvexLine | None, floor: float, c: float, a: float, b: float
) -> tuple[float, float]:
    """Return a lower bound on max(lines, floor) + c tau over [a, b], and where it is lowest."""
    flat = lowered_by(floor + c * a, AMPLE), a
    rising = rising or _ConvexLine(a, floor, 0.0)
    choices = [flat, _end_of_line(rising, c, a, b)]
    if falling is not None:
        choices.append(_end_of_line(falling, c, a, b))
        choices.append(_crossing_of_lines(falling, rising, c, a, b))
    return max(choice for choice in choices if choice[0] == choice[0])  # what overflowed says nothing


def _end_of_line(line: _ConvexLine, c: float, a: float, b: float) -> tuple[float, float]:
    """Return the smallest value of the line plus c tau on [a, b]: at one of the ends."""
    if c >= line.slope:
        return _line_sum_below(line, c, a), a
    return (_line_sum_below(line, c, b), b) if b < math.inf else (-math.inf, b)


def _line_sum_below(line: _ConvexLine, c: float, tau: float) -> float:
    rise = line.slope * (line.at - tau)
    total = line.height + rise + c * tau
    return total - AMPLE * (line.height + line.slope * (line.at + tau) + c * tau)


def _crossing_of_lines(falling: _ConvexLine, rising: _ConvexLine, c: float, a: float, b: float) -> tuple[float, float]:
    """Return the bound where one line falls and one rises: a mean of both is level, and no part is negative."""
    if not rising.slope < c < falling.slope < math.inf or b == math.inf:
        return -math.inf, a
    share = (c - rising.slope) / (falling.slope - rising.slope)
    level = share * (falling.height + falling.slope * falling.at) + (1.0 - share) * (rising.height + rising.slope * rising.at)
    # the mean is level up to rounding: what is left of its slope counts as far as the gap reaches
    spare = AMPLE * (level + (c + share * falling.slope + (1.0 - share) * rising.slope) * b)
    where = (falling.height + falling.slope * falling.at - rising.height - rising.slope * rising.at) / (
        falling.slope - rising.slope
    )
    return level - spare, min(max(where, a), b)
