"""The privacy profile of one order of two neighbours at every real epsilon, negative ones included (M23).

For a pair (P, Q) the profile at -epsilon is 1 - e^-epsilon + e^-epsilon H_{e^epsilon}(Q||P), with that of the other
direction at epsilon >= 0. Written like this no digit cancels. Where the pair of the other direction is not known to be
(Q, P), one half of the profile is left open.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import AMPLE, lowered_by, raised_by

ROUGH = 0.02
"""A tolerance that shows where to look, and which of two directions is the larger."""

_SMALLEST = 1e-300  # of a width; as for delta


class ProfilePoint(NamedTuple):
    """lower <= delta(epsilon) <= upper, at an epsilon of either sign, and why it is not narrower if it should be."""

    epsilon: float
    lower: float
    upper: float
    reason: str = ""


class ProfileAnswers:
    """Brackets of delta in one direction, remembered as long as one question lasts: several profiles share them."""

    def __init__(self, effort: float | None) -> None:
        self._effort = effort
        self._known: dict[tuple[OneDirection, float], tuple[float, Bracket]] = {}

    def one(self, direction: OneDirection, epsilon: float, rtol: float) -> Bracket:
        """Return delta(epsilon) of one direction, as narrow as asked if that can be."""
        tolerance, known = self._known.get((direction, epsilon), (math.inf, None))
        if known is not None and (tolerance <= rtol or known.width <= max(rtol * known.upper, _SMALLEST)):
            return known
        found = delta_bracket((direction,), epsilon, rtol, _SMALLEST, self._effort)
        self._known[direction, epsilon] = rtol, found
        return found

    def largest(self, directions: Sequence[OneDirection], epsilon: float, rtol: float) -> Bracket:
        """Return the largest delta(epsilon); the smaller direction only as well as it takes to see that it is."""
        if len(directions) == 1:
            return self.one(directions[0], epsilon, rtol)
        rough = [self.one(direction, epsilon, max(rtol, ROUGH)) for direction in directions]
        order = sorted(range(len(rough)), key=lambda i: -rough[i].upper)
        best = self.one(directions[order[0]], epsilon, rtol)
        for i in order[1:]:
            other = rough[i] if rough[i].upper <= best.upper else self.one(directions[i], epsilon, rtol)
            larger = best if best.upper >= other.upper else other
            best = Bracket(max(best.lower, other.lower), larger.upper, larger.converged, larger.reason)
        return best


class SignedProfile:
    """delta(epsilon) = H_{e^epsilon}(P||Q), convex in e^epsilon; of several pairs the largest, which is convex too.

    `forward` are the directions whose profile counts at epsilon >= 0, `backward` those that count below 0. Where one of
    them is empty nothing is known, and nothing may be asked, on that side of 0. `convex` says that both are halves of
    the profiles of the same pairs of laws. Where that is not so upper ends hold, and lines below are no bounds.
    """

    def __init__(
        self,
        forward: Sequence[OneDirection],
        backward: Sequence[OneDirection],
        answers: ProfileAnswers,
        convex: bool = True,
    ) -> None:
        self._forward, self._backward, self._answers, self.convex = forward, backward, answers, convex
        self._points: dict[float, ProfilePoint] = {}

    @property
    def points(self) -> list[ProfilePoint]:
        """All that was asked for, in the order of epsilon."""
        return [self._points[epsilon] for epsilon in sorted(self._points)]

    @property
    def leftmost(self) -> float:
        """From here on the profile may be asked about."""
        return -math.inf if self._backward else 0.0

    @property
    def rightmost(self) -> float:
        """Up to here the profile may be asked about."""
        return math.inf if self._forward else 0.0

    @property
    def at_infinity(self) -> float:
        """A lower bound on delta(inf), the mass of P that Q does not have."""
        return max((d.infinity.infinite.lower for d in self._forward if d.steps.items), default=0.0)

    @property
    def max_loss(self) -> float:
        """From this epsilon on delta is that at infinity; inf if we know of none."""
        return max((d.max_loss for d in self._forward if d.steps.items), default=0.0)

    def ask(self, epsilon: float, rtol: float) -> None:
        """Add bounds at an epsilon to the points, together with what is known of it already."""
        found, known = self._asked(epsilon, rtol), self._points.get(epsilon)
        if known is not None:
            found = ProfilePoint(epsilon, max(known.lower, found.lower), min(known.upper, found.upper), found.reason)
        self._points[epsilon] = found

    def _asked(self, epsilon: float, rtol: float) -> ProfilePoint:
        assert self.leftmost <= epsilon <= self.rightmost
        directions = self._backward if epsilon < 0.0 or not self._forward else self._forward
        answer = self._answers.largest(directions, abs(epsilon), rtol)
        if epsilon >= 0.0:  # at 0 both halves are the total variation
            return ProfilePoint(epsilon, answer.lower, answer.upper, answer.reason)
        share, rest = math.exp(epsilon), -math.expm1(epsilon)
        lower = lowered_by(rest + share * answer.lower, AMPLE)
        return ProfilePoint(epsilon, lower, min(1.0, raised_by(rest + share * answer.upper, AMPLE)), answer.reason)
