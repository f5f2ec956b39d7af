"""T(fpr) = min_t delta(ln t) + t fpr: the largest power of a test, found where a line of slope fpr touches delta (M23).

Any epsilon gives an upper bound; lines through certified points give the lower one. Points are added where the lower
bound is lowest, so that neither a corner of delta nor its curvature needs to be known. Nothing about that choice is
certified or needs to be: poor points make a wide bracket, never a wrong one.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tightbudget.engine.reasons import ROUNDING
from tightbudget.errors import Contradiction
from tightbudget.numerics.rounding import AMPLE, TINIEST, U, float_above, lowered, raised
from tightbudget.tradeoff.lines import Gap, bounds_in_gaps
from tightbudget.tradeoff.signed import ROUGH, ProfilePoint, SignedProfile

_SHARE = 0.2  # of the tolerance that each delta may use
_MOST_POINTS = 120
_TURNS = 10  # points after which each delta is asked more narrowly
_FIRST, _STRIDE = 0.01, 0.03  # tolerances on the way
_MARGIN = 0.01  # of a gap: no closer to its ends
_NARROWEST = 1e-15
_LEFTMOST = -40.0  # where e^epsilon is less than a rounding of 1
_LEVEL = 1.5  # times the lowest value: points that lie below this are near the lowest


class Power(NamedTuple):
    """lower <= T <= upper, and why it is no narrower if it should be."""

    lower: float
    upper: float
    reason: str


def largest_power(profile: SignedProfile, fpr: float, rtol: float, smallest: float, scale: float) -> Power:
    """Return bounds on the largest power of a test with the false positive rate given, 0 < fpr < 1.

    Guarantee: lower <= inf over real epsilon of delta(epsilon) + e^epsilon fpr <= upper, rounding included; of a
    profile that is not known to be convex the lower end is 0. `scale` is an epsilon over which delta changes.
    """
    search = _TouchingSearch(profile, fpr, rtol, smallest)
    for epsilon in search.places(scale):
        if search.narrow_enough:
            break
        search.take(epsilon)
    return search.result()


class _TouchingSearch:
    """The points of one question, and what they show."""

    def __init__(self, profile: SignedProfile, fpr: float, rtol: float, smallest: float) -> None:
        self._profile, self._fpr, self._rtol, self._smallest = profile, fpr, rtol, smallest
        self._log_fpr = math.log(fpr)
        self._delta_rtol = ROUGH
        # farther right the sum only grows, or exceeds 1
        self._farthest = min(profile.max_loss, -self._log_fpr, profile.rightmost)
        self._taken = 0
        self._look()

    def take(self, epsilon: float) -> None:
        self._profile.ask(epsilon, self._delta_rtol)
        self._taken += 1
        self._look()

    def _look(self) -> None:
        """See what all points together show."""
        self._points = self._profile.points
        if not self._points:
            self.lower, self.upper, self._gaps = max(self._fpr, self._profile.at_infinity), 1.0, list[Gap]()
            return
        values = [self._value(point) for point in self._points]
        self.upper = min(1.0, *values)
        self._best = min(range(len(values)), key=values.__getitem__)
        # all points may lie above 1, the value at t = 0: then the minimum is left of them
        first, last = self._best if self.upper < 1.0 else 0, self._best
        while self.upper < 1.0 and first > 0 and self._value_lower(self._points[first]) <= self.upper:
            first -= 1
        while last < len(self._points) - 1 and self._value_lower(self._points[last]) <= self.upper:
            last += 1
        # where even the lower end of a point lies above, the minimum is on this side of it: a convex function has one
        outer_left = self.upper < 1.0 and (first > 0 or self._value_lower(self._points[first]) > self.upper)
        outer_right = last < len(self._points) - 1 or self._value_lower(self._points[last]) > self.upper
        every = bounds_in_gaps(self._points, self._log_fpr, self._profile.at_infinity, first, last)
        self._gaps = every[1 if outer_left else 0 : len(every) - (1 if outer_right else 0)]
        lowest = min((gap.bound for gap in self._gaps), default=0.0)
        # a test that ignores what it sees has power fpr, one that waits for proof that at infinity
        self.lower = max(lowest, self._fpr, self._profile.at_infinity)

    def _value(self, point: ProfilePoint) -> float:
        """Return an upper bound on delta + e^epsilon fpr; where epsilon is 0 it is the next float."""
        if point.epsilon == 0.0:
            return float_above(Fraction(point.upper) + Fraction(self._fpr))
        return raised(point.upper + self._risen(point.epsilon), 4)

    def _risen(self, epsilon: float) -> float:
        """Return e^epsilon fpr, rounded up."""
        exponent = self._log_fpr + epsilon
        if exponent > 1.0:
            return math.inf
        error = AMPLE + 4.0 * U * (abs(self._log_fpr) + abs(epsilon))
        return math.exp(exponent) * (1.0 + error) + TINIEST

    def _value_lower(self, point: ProfilePoint) -> float:
        """Return a lower bound on delta + e^epsilon fpr."""
        exponent = self._log_fpr + point.epsilon
        error = AMPLE + 4.0 * U * (abs(self._log_fpr) + abs(point.epsilon))
        risen = max(0.0, math.exp(min(exponent, 1.0)) * (1.0 - error) - TINIEST)
        return lowered(point.lower + risen, 4)

    @property
    def narrow_enough(self) -> bool:
        return self._within(self._rtol)

    def _within(self, rtol: float) -> bool:
        return self.upper - self.lower <= max(rtol * self.upper, self._smallest)

    def result(self) -> Power:
        if self.lower > self.upper and self._profile.convex:
            raise Contradiction(self.lower, self.upper)
        lower = self.lower if self._profile.convex else 0.0  # lines hold below a convex function only
        if self.narrow_enough:
            return Power(lower, self.upper, "")
        reasons = [point.reason for point in self._points if point.reason]
        return Power(lower, self.upper, reasons[0] if reasons else ROUNDING)

    def places(self, scale: float) -> Iterator[float]:
        """Yield where to ask next: at first wherever the minimum may be, then closer and closer."""
        yield from self._around(scale)
        yield from self._between()
        for tolerance in self._tolerances():
            best = self._points[self._best]
            doubt = (best.upper - best.lower) / self.upper
            if best.reason and tolerance < max(self._rtol, 2.0 * doubt):  # to ask for more is in vain
                yield from self._closer(max(tolerance, 4.0 * doubt))
                return
            self._delta_rtol = max(_SHARE * tolerance, _NARROWEST)
            yield from self._closer(tolerance)

    def _tolerances(self) -> Iterator[float]:
        """Yield how narrow the bracket should become: as asked, in strides, and beyond should that not do."""
        stride = _FIRST
        while stride > 10.0 * self._rtol:
            yield stride
            stride *= _STRIDE
        for narrower in (1.0, 0.1, 0.01):
            yield narrower * self._rtol

    def _closer(self, tolerance: float) -> Iterator[float]:
        """Yield places that make the bracket as narrow as this."""
        wanted = max(tolerance, self._rtol)
        yield self._points[self._best].epsilon
        yield from self._parabola(tolerance)
        for _ in range(_TURNS):
            chosen, best = self._where_lowest(), self._points[self._best]
            in_vain = best.reason and best.upper - best.lower > 0.5 * wanted * self.upper
            if chosen is None or in_vain or self._within(wanted) or self._taken > _MOST_POINTS:
                return
            yield chosen

    def _around(self, scale: float) -> Iterator[float]:
        """Yield steps that grow until the minimum lies between two of them."""
        if not self._points:
            yield 0.0
        for side in (1.0, -1.0):
            step = scale
            while self._best == (len(self._points) - 1 if side > 0.0 else 0):
                edge = self._points[self._best].epsilon
                place = min(edge + step, self._farthest) if side > 0.0 else max(edge - step, _LEFTMOST, self._profile.leftmost)
                if not side * (place - edge) > 0.0 or self._taken > _MOST_POINTS:
                    break
                yield place
                step *= 2.0
        if self._points[self._best].epsilon == self._farthest > 0.0:  # the largest loss: a little less is as good
            yield max(0.5 * self._farthest, self._farthest - 0.5 * self._rtol)

    def _between(self) -> Iterator[float]:
        """Yield the middle of the wider gap beside the lowest point, until neighbours are nearly as low."""
        while 0 < self._best < len(self._points) - 1 and self._taken <= _MOST_POINTS:
            left, middle, right = self._points[self._best - 1 : self._best + 2]
            level = _LEVEL * self._value(middle)
            before, after = middle.epsilon - left.epsilon, right.epsilon - middle.epsilon
            steep = [gap for gap, end in ((before, left), (after, right)) if self._value(end) > level]
            if not steep:
                return
            place = middle.epsilon + 0.5 * after if max(steep) == after else middle.epsilon - 0.5 * before
            if not left.epsilon < place < right.epsilon or place == middle.epsilon:
                return
            yield place

    def _parabola(self, tolerance: float) -> Iterator[float]:
        """Yield the bottom of the parabola through three points, and places beside it that make it certain."""
        if not 0 < self._best < len(self._points) - 1:
            return
        left, middle, right = self._points[self._best - 1 : self._best + 2]
        x, y, z = (point.epsilon - middle.epsilon for point in (left, middle, right))
        f, g, h = (self._value(point) for point in (left, middle, right))
        if not all(map(math.isfinite, (f, g, h))):
            return
        slope_left, slope_right = (g - f) / (y - x), (h - g) / (z - y)
        curvature = (slope_right - slope_left) / (z - x)  # half the second derivative
        if not curvature > 0.0:
            return
        bottom = middle.epsilon + min(max(0.5 * (x + y) - slope_left / (2.0 * curvature), 0.5 * x), 0.5 * z)
        beside = math.sqrt(_SHARE * tolerance * self.upper / curvature)
        for place in (bottom, bottom - beside, bottom + beside):
            if self._profile.leftmost <= place < self._farthest:
                yield place

    def _where_lowest(self) -> float | None:
        """Return a place in the gap whose bound is lowest, not too near its ends; None if there is none."""
        for gap in sorted(self._gaps):
            left, right = max(gap.left, -1e300), min(gap.right, self._farthest)
            if math.isinf(gap.left):
                left = max(right - 1.0, self._profile.leftmost)
            margin = _MARGIN * (right - left)
            place = min(max(gap.lowest, left + margin), right - margin)
            if not gap.left < gap.lowest < gap.right:  # no corner between: then halves are as good as anything
                place = left + 0.5 * (right - left)
            if left < place < right:
                return place
        return None
