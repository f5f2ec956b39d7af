"""Bring the two ends together: precise brackets only where the target seems to be met, and as precise as it takes.

Nothing here is certified or needs to be: a poor guess costs time. What an end proves is in its bracket.
"""

import math
from dataclasses import replace

from tightbudget.calibration.candidates import Number, shortest_number
from tightbudget.calibration.points import COARSE, Guess, Points, TriedPoint

_MOST = 120  # brackets
_NEAR = 3.0  # times the tolerance: a guess as good as this is good enough
_LOOK = 2.0  # times the tolerance: how good the estimate of a bracket must be to make it so
_WIDE = 0.9  # of the tolerance: the width of brackets at the ends
_FIRST = 0.35  # of the tolerance: how far from the guess the first end is looked for
_MARGIN = 0.3  # of the room that is left: how far beyond the place where a bracket seems to decide
_FINEST = 1e-13  # no bracket is asked for more narrowly
_PLAIN = 5  # significant digits: a guess so near to a number that short is likely to be it
_STUCK = 3  # guesses that leave more than half of the interval before it is halved
_FAR_OFF = 100.0  # times the tolerance: ends so far apart are better guessed anew than settled
_TRIES = 4  # at each end, before what is between counts as undecided


def narrow_real(points: Points, rtol: float) -> str:
    """Narrow until the ends are `rtol` apart; return why they are not, if so."""
    tries = {True: 0, False: 0}  # to prove that the target is met, or missed
    looking = True
    stuck, before = 0, math.inf
    for _ in range(4 * _MOST):  # some turns take no bracket
        if points.evaluations >= _MOST:
            break
        best, miss = points.ends
        gap = points.scale.gap(best.number, miss.number)
        if gap <= rtol:
            return ""
        stuck = 0 if gap <= 0.5 * before else stuck + 1
        before = min(before, gap)
        guess = _guess_between_ends(points.guess(), best, miss)
        if guess is None or (stuck > _STUCK and guess.doubt > 100.0 * rtol):
            if not _halve_interval(points, best, miss):
                return _not_narrow(points)
            stuck = 0
        elif looking and guess.doubt > _NEAR * rtol:
            looking = _look_at_guess(points, guess, rtol)
        elif looking:
            looking = False
            _look_beside_guess(points, guess, rtol)
        elif not _settle_farther_end(points, guess, tries, rtol):
            if not points.latest.answer.converged or not _halve_interval(points, *points.ends):
                return _not_narrow(points)
            looking, tries = gap > _FAR_OFF * rtol, {True: 0, False: 0}  # the guess was poor: another one may do
    return _TOO_LONG


_TOO_LONG = f"{_MOST} brackets did not suffice"


def _not_narrow(points: Points) -> str:
    best, miss = points.ends
    apart = points.scale.apart(best.number, miss.number)
    return f"brackets are not narrow enough to decide between the two values, {apart}"


def _guess_between_ends(guess: Guess | None, best: TriedPoint, miss: TriedPoint) -> Guess | None:
    """Return the guess if it lies between the ends; the nearer end, if it lies just beyond."""
    if guess is None or _lies_between_ends(guess.place, best.place, miss.place):
        return guess
    nearer = min((best, miss), key=lambda end: abs(end.place - guess.place))
    beyond = abs(nearer.place - guess.place)
    return replace(guess, place=nearer.place) if beyond <= 0.1 * abs(best.place - miss.place) else None


def _lies_between_ends(place: float, one: float, other: float) -> bool:
    return min(one, other) < place < max(one, other)


def _number_of_few_digits(points: Points, place: float, spread: float) -> float:
    """Return a number with few digits near a place."""
    low, high = sorted(points.scale.number(place + side * spread) for side in (-1.0, 1.0))
    return shortest_number(low, high)


def _try_number_between_ends(points: Points, number: Number, width: float) -> TriedPoint | None:
    """Return the point at a number, if that lies between the ends."""
    best, miss = points.ends
    return points.at(number, max(width, _FINEST)) if _lies_between_ends(number, best.number, miss.number) else None


def _halve_interval(points: Points, best: TriedPoint, miss: TriedPoint) -> bool:
    """Look at the middle; return whether that made the interval smaller."""
    middle = _number_of_few_digits(points, 0.5 * (best.place + miss.place), 0.1 * abs(best.place - miss.place))
    if not _lies_between_ends(middle, best.number, miss.number):
        return False
    point = points.decided(middle, min(COARSE, max(0.3 * points.scale.gap(best.number, miss.number), _FINEST)))
    return point.met or point.missed


def _look_at_guess(points: Points, guess: Guess, rtol: float) -> bool:
    """Look at the guess itself; return whether it can be improved further."""
    fine = _LOOK * points.target.sharpness * guess.slope * rtol
    before = points.evaluations
    point = _try_number_between_ends(
        points,
        _number_of_few_digits(points, guess.place, 0.05 * guess.doubt),
        COARSE if guess.doubt > 0.01 else min(COARSE, fine),
    )
    return point is not None and point.answer.converged and points.evaluations > before


def _look_beside_guess(points: Points, guess: Guess, rtol: float) -> None:
    """Look a little to the side where the target is met; or at a number with few digits that is the guess, as it seems.

    At pure_dp(0.1) * 10, say, the target may be met just so.
    """
    width = min(COARSE, _WIDE * guess.slope * rtol)
    plain = _number_of_few_digits(points, guess.place, max(guess.doubt, 0.05 * rtol))
    if float(f"{plain:.{_PLAIN - 1}e}") == plain and _try_number_between_ends(points, plain, width) is not None:
        return
    aside = -_FIRST * rtol if points.reveals else _FIRST * rtol
    _try_number_between_ends(points, _number_of_few_digits(points, guess.place + aside, 0.1 * rtol), width)


def _settle_farther_end(points: Points, guess: Guess, tries: dict[bool, int], rtol: float) -> bool:
    """Look where a bracket seems to decide, at the end that is farther from there; return whether that is of use."""
    ends = dict(zip((True, False), points.ends, strict=True))
    edges = {met: points.edge(met, guess) for met in ends}
    room = rtol - abs(edges[True] - edges[False])
    margin = _MARGIN * room if room > 0.0 else 0.01 * abs(edges[True] - edges[False])
    away = {met: abs(end.place - edges[met]) for met, end in ends.items() if tries[met] < _TRIES}
    if not away or max(away.values()) <= 1.5 * margin:
        return False
    met = max(away, key=lambda met: away[met])
    tries[met] += 1
    aside = margin if met != points.reveals else -margin
    number = _number_of_few_digits(points, edges[met] + aside, 0.3 * margin)
    if _try_number_between_ends(points, number, min(COARSE, _WIDE * guess.slope * rtol)) is None:
        tries[met] = _TRIES  # there is nothing left on this side
    return True
