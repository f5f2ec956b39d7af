"""Brackets for an accountant, remembered: a search makes one for each trial, and tries some values twice."""

import math
from dataclasses import replace
from decimal import ROUND_CEILING, Context

from tightbudget.mechanisms import Composition
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.remembered import remembered

_MOST = 64  # answers; a search takes some ten trials
_DIGITS = 3  # of an epsilon, beyond those that the tolerance promises
_LITTLE, _MORE = 1.0, 4.0  # efforts: the second is tried where the first is not enough, of classes too


def epsilon_of(composition: Composition, relation: str, delta: float, rtol: float) -> Bracket:
    """Return a bracket of the smallest epsilon at a delta, its upper end in few digits; at once, if asked lately."""
    # other numbers may equal a float and yet be refused, or have no hash
    return (_known_epsilon if type(delta) is float else _asked_epsilon)(composition, relation, delta, rtol)


def delta_of(composition: Composition, relation: str, epsilon: float, rtol: float) -> Bracket:
    """Return a bracket of the smallest delta at an epsilon; at once, if that was asked lately."""
    return (_known_delta if type(epsilon) is float else _asked_delta)(composition, relation, epsilon, rtol)


def _asked_epsilon(composition: Composition, relation: str, delta: float, rtol: float) -> Bracket:
    asked = composition.asked(relation)
    found = asked.epsilon(delta, rtol, effort=_LITTLE)
    if not found.converged:
        found = _narrower_ends(found, asked.epsilon(delta, rtol, effort=_MORE))
    if delta == 0:  # a sum of promises, which people add up themselves
        return found
    return replace(found, upper=_in_few_digits(found, rtol))


def _asked_delta(composition: Composition, relation: str, epsilon: float, rtol: float) -> Bracket:
    asked = composition.asked(relation)
    found = asked.delta(epsilon, rtol, effort=_LITTLE)
    return found if found.converged else _narrower_ends(found, asked.delta(epsilon, rtol, effort=_MORE))


def _narrower_ends(first: Bracket, second: Bracket) -> Bracket:
    """Return the second bracket with the better of both ends: another plan may bring one of them less far."""
    return replace(second, lower=max(first.lower, second.lower), upper=min(first.upper, second.upper))


def _in_few_digits(bracket: Bracket, rtol: float) -> float:
    """Return the upper end, rounded up to digits that the tolerance leaves open; one of few digits stays as it is."""
    if not (0.0 < rtol < 1.0 and math.isfinite(bracket.upper)):
        return bracket.upper
    digits = Context(prec=_DIGITS - math.floor(math.log10(rtol)), rounding=ROUND_CEILING)
    # the number that is printed has the float as its nearest, and one that was raised has none below that
    return float(digits.create_decimal(repr(bracket.upper)))


_known_epsilon, _known_delta = remembered(_MOST)(_asked_epsilon), remembered(_MOST)(_asked_delta)
