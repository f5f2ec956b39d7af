"""Mass whose loss is infinite, or so large that it is counted as infinite (M2)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tightbudget.numerics.mass import NONE, Mass, any_of
from tightbudget.numerics.rounding import TINIEST, U, raised

_MARGIN = 800.0  # at an epsilon this far below the losses counted, e^epsilon B of their events is below 1e-330 of A (M2)
MODERATE = 1000.0
"""Losses and epsilons beside which an event of at most e^-1800 times the mass makes no difference to any float."""

_KNOWN_WELL = 1e-3  # error of a logarithm
_LEAST_LOG = -700.0  # floats above e^-700 have all their digits
_UNKNOWN = 700.0  # error of a logarithm of which nothing is known
_NEXT_TO_NOTHING = 1e-300
_SHARE_OF_B = 4.0 * U  # relative: more than e^-_MARGIN for each of as many steps as a float can count


@dataclass(frozen=True, slots=True)
class InfiniteMass:
    """The mass that one law has on an event to which the other law gives at most e^-beyond times as much.

    With beyond = inf the other law gives it nothing: the loss is infinite. Otherwise the loss is finite, and counting
    it as infinite is sound for an upper bound only. A lower bound may count the mass at epsilons far below `beyond` and
    nowhere else, so no lower end can be had without an epsilon. What the other law gives the event is in the pair's
    `unresolved` where that law is A.
    """

    _mass: Mass
    beyond: float = math.inf

    @property
    def possible(self) -> bool:
        """Whether the mass may be more than 0."""
        return self._mass.possible

    @property
    def upper(self) -> float:
        """No float smaller than the mass."""
        return self._mass.upper

    @property
    def certain_below(self) -> float:
        """Below this epsilon `at` is the mass itself; from there on only its upper end bounds delta."""
        return self.beyond - _MARGIN

    def at(self, epsilon: float) -> Mass:
        """Return what the event adds to delta(epsilon): the mass, or anything from 0 to it beyond its range."""
        if self.beyond == math.inf or not self.possible:
            return self._mass
        return Mass(self._mass.log_lower - _SHARE_OF_B if epsilon < self.certain_below else -math.inf, self._mass.log_upper)

    @property
    def elsewhere(self) -> float:
        """No float smaller than what the other law gives the event."""
        return raised(_exp(-self.beyond), 8) + TINIEST if self.possible and self.beyond < math.inf else 0.0

    @property
    def infinite(self) -> Mass:
        """What the event adds to delta at every epsilon: its mass if the loss is infinite, else perhaps nothing."""
        return self.at(math.inf)

    def mixed_log(self, share: float) -> tuple[float, float]:
        """Return the log of the mass and its error, once the other law has at least `share` of it mixed in.

        Both laws then have mass there. What the other law had before is part of the error; where that might be seen, in
        the loss as well, nothing is known of the event.
        """
        log, error = self._mass.log
        if not self.certain_below + math.log(share) > 0.0:
            return log, _UNKNOWN
        return log, error + _exp(-self.beyond - math.log(share))

    @property
    def below_floats(self) -> bool:
        """Whether the mass may be nothing, and is no more than next to nothing: then it is left out, and charged."""
        return self.possible and not self._mass.certain and self.upper <= _NEXT_TO_NOTHING

    def times(self, factor: float) -> "InfiniteMass":
        """Return the mass of the event on a Poisson sample at rate `factor`, whose law is else the second one (M3)."""
        mass = self._mass.times(factor)
        if self.beyond == math.inf:
            return InfiniteMass(mass)
        beyond = self.beyond + math.log(factor)
        return InfiniteMass(Mass(mass.log_lower, min(0.0, mass.log_upper + _exp(-beyond))), beyond - 4.0 * U * self.beyond)

    def nearer(self, by: float, mass: Mass) -> "InfiniteMass":
        """Return `mass` as that of an event made of this one, to which the other law gives up to e^by times as much."""
        return InfiniteMass(mass, self.beyond - by)

    def or_less(self) -> "InfiniteMass":
        """Return the same where only a part of what the event is made of counts: it may be nothing too."""
        return InfiniteMass(Mass(-math.inf, self._mass.log_upper), self.beyond) if self.possible else self

    def or_more(self) -> "InfiniteMass":
        """Return the same where nothing is known of the rest: it may be infinite too."""
        return self if self._mass.exact == 1 else InfiniteMass(Mass(self._mass.log_lower, 0.0), self.beyond)


NOWHERE = InfiniteMass(NONE)
"""No event has an infinite loss."""


def some_infinite(masses: Iterable[tuple[InfiniteMass, int]]) -> InfiniteMass:
    """Return the mass on which at least one of many independent steps has an infinite loss (M2)."""
    some = [(mass, count) for mass, count in masses if mass.possible]
    beyond = min((mass.beyond for mass, _ in some), default=math.inf)
    return InfiniteMass(any_of((mass._mass, count) for mass, count in some), beyond)


def either_infinite(parts: Sequence[tuple[InfiniteMass, float]], error: float) -> InfiniteMass:
    """Return the mass of disjoint events together, each times e^log_weight; `error` is that of these logs."""
    some = [(one, weight) for one, weight in parts if one.possible]
    if not some:
        return NOWHERE
    low, high = (
        float(np.logaddexp.reduce([weight + end for end, weight in ends]))
        for ends in zip(*(((one._mass.log_lower, weight), (one._mass.log_upper, weight)) for one, weight in some), strict=True)
    )
    error += 16.0 * U * (1.0 + (abs(low) if low > -math.inf else 0.0) + abs(high))
    return InfiniteMass(Mass(low - error, min(0.0, high + error)), min(one.beyond for one, _ in some))


def mass_known_well(mass: InfiniteMass) -> tuple[float, float]:
    """Return the mass and its relative error, for a pair that the event's own is to dominate; 0 if it is not known.

    Leaving an event out can only hide what it shows. So an event is left out whose mass is known badly, or to which the
    other law gives more than e^-1800 times as much. Less than that is less than any rounding, beside finite losses of
    up to some hundred and however many steps.
    """
    log, error = mass.at(MODERATE).log
    return (math.exp(log), math.expm1(error)) if error < _KNOWN_WELL and log > _LEAST_LOG else (0.0, 0.0)


def _exp(exponent: float) -> float:
    return math.exp(min(exponent, 700.0))
