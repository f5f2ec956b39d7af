"""The trade-off curve of a composition, both directions together: hull above, one direction's tests below (M23).

The upper end bounds the trade-off function of f-DP, the hull of both directions' curves; the lower end is the power of
a test between two neighbours in one order. The two readings differ only between the points where both have slope 1.
"""

import math
from collections.abc import Sequence

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.reasons import OF_A_CLASS
from tightbudget.engine.refine import delta_bracket, epsilon_bracket
from tightbudget.engine.steps import noise_ends
from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.questions import NEGLIGIBLE_WIDTH
from tightbudget.tradeoff.signed import ProfileAnswers, SignedProfile
from tightbudget.tradeoff.touching import Power, largest_power

HULL = (
    "between the best tests of both directions the curve of both together is their hull; the upper end is that of the hull, "
    "the lower end that of one direction"
)
_ONE_DIRECTION = "A test compares two neighbours in either order. Ask about the composition without asked(direction=...)."
_ROUGH = 0.1


class TradeOff:
    """Answers about one composition; keeps the points it has asked for, as long as one question lasts."""

    def __init__(self, composition: Composable, effort: float | None) -> None:
        composition.check_proven()
        if composition._only is not None:
            raise InvalidParameter(
                "composition", str(composition), "a composition asked about in both directions", _ONE_DIRECTION
            )
        directions = composition._directions
        attained = composition._members or (composition,)
        self._is_class = bool(composition._members)
        answers = ProfileAnswers(effort)
        self._hull = SignedProfile(directions, directions, answers, convex=composition._orders_exchanged)
        # one profile for both orders is its own hull
        alone = not self._is_class and len(directions) == 1 and composition._orders_exchanged
        orders = [order for one in attained for order in _neighbour_orders(one)]
        self._apart = [] if alone else [SignedProfile(*order, answers) for order in orders]
        self._scale = _halving_epsilon(directions, effort)
        self._directions, self._answers = directions, answers
        self._attained = [direction for one in attained for direction in one._directions]

    @property
    def at_infinity(self) -> tuple[float, float]:
        """Bounds on the mass that reveals everything, in the worse direction; of a class the lower one of a member."""
        low = [direction.infinity.infinite.lower for direction in self._attained if direction.steps.items]
        high = [direction.infinity.upper for direction in self._directions if direction.steps.items]
        return max(low, default=0.0), max(high, default=0.0)

    @property
    def normal_shift(self) -> tuple[float, float]:
        """Bounds on the m whose normal curve this is, or is above and below: from 0 to inf if it is another curve."""
        shown = [direction.steps.only_gaussian for direction in self._attained if direction.steps.items]
        above = [direction.steps.only_gaussian for direction in self._directions if direction.steps.items]
        least = max((noise_ends(pair)[0] for pair in shown if pair is not None), default=0.0)
        most = max((math.inf if pair is None else noise_ends(pair)[1] for pair in above), default=math.inf)
        return least, most

    @property
    def scale(self) -> float:
        """Roughly the epsilon over which delta changes by half."""
        return self._scale

    @property
    def max_loss(self) -> float:
        return self._hull.max_loss

    def delta_upper(self, epsilon: float, rtol: float) -> float:
        """Return an upper bound on delta(epsilon), epsilon >= 0, of both directions."""
        return self._answers.largest(self._directions, epsilon, rtol).upper

    def touching_epsilon(self, fpr: float) -> float:
        """Return roughly the epsilon >= 0 of the line that touches the curve at a rate."""
        distance = self.delta_upper(0.0, _ROUGH)  # at most what the power exceeds the rate by
        largest_power(self._hull, fpr, _ROUGH * distance / (distance + fpr), NEGLIGIBLE_WIDTH, self._scale)
        points = [point for point in self._hull.points if point.epsilon >= 0.0]
        if not points:  # what is certain without asking was narrow enough
            return self._scale
        return min(points, key=lambda point: point.upper + math.exp(min(1.0, point.epsilon + math.log(fpr)))).epsilon

    def tpr(self, fpr: float, rtol: float) -> Power:
        """Return bounds on the largest true positive rate at a false positive rate 0 < fpr < 1."""
        hull = largest_power(self._hull, fpr, rtol, NEGLIGIBLE_WIDTH, self._scale)
        if not self._apart:
            return hull
        lower, reason = 0.0, hull.reason
        for profile in self._apart:
            found = largest_power(profile, fpr, rtol, NEGLIGIBLE_WIDTH, self._scale)
            lower, reason = max(lower, found.lower), reason or found.reason
            if lower > hull.upper:
                raise Contradiction(lower, hull.upper)
            if hull.upper - lower <= max(rtol * hull.upper, NEGLIGIBLE_WIDTH):
                return Power(lower, hull.upper, "")
        return Power(lower, hull.upper, reason or (OF_A_CLASS if self._is_class else HULL))

    def power_attained(self, fpr: float, rtol: float) -> float:
        """Return the lower end of `tpr`, without the hull that it is compared with."""
        profiles = self._apart or [self._hull]
        return max(largest_power(one, fpr, rtol, NEGLIGIBLE_WIDTH, self._scale).lower for one in profiles)


Order = tuple[Sequence[OneDirection], Sequence[OneDirection]]


def _neighbour_orders(attained: Composable) -> list[Order]:
    """Return, for each order of two neighbours, the profile that counts above 0 and the one that counts below.

    Where the directions are not known to be those of one pair of laws, in either order, each says something of its own
    pair alone: of (P, Q) above 0, and of (Q, P) below.
    """
    directions = attained._directions
    if not attained._orders_exchanged:
        return [order for one in directions for order in (((one,), ()), ((), (one,)))]
    if len(directions) == 1:
        return [(directions, directions)]
    remove, add = directions
    return [((remove,), (add,)), ((add,), (remove,))]


def _halving_epsilon(directions: Sequence[OneDirection], effort: float | None) -> float:
    """Return an epsilon over which delta changes by half; roughly, and never 0."""
    at_zero = delta_bracket(directions, 0.0, _ROUGH, NEGLIGIBLE_WIDTH, effort).upper
    if at_zero == 0.0:
        return 1.0
    half = epsilon_bracket(directions, 0.5 * at_zero, _ROUGH, NEGLIGIBLE_WIDTH, effort).upper
    return half if 0.0 < half < math.inf else 1.0
