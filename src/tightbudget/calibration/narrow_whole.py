"""Bring two whole numbers together until they are neighbours, or what lies between cannot be decided."""

import math

from tightbudget.calibration.points import COARSE, ROUGH, Guess, Points

_MOST = 120  # brackets
_SHARE = 0.5  # of the distance to the guess: how narrow a bracket must be to decide
_DOUBT = 0.1  # of the doubt about the guess: no bracket need be narrower
_BITS = 5  # of the largest count that certainly meets a target, where none is refuted
_TRIES = 5  # at each end, after a number that could not be decided


def narrow_whole(points: Points) -> str:
    """Narrow until the ends are neighbours; return why they are not, if so."""
    open_number = None
    slow, before = 0, math.inf
    while points.evaluations < _MOST and open_number is None:
        low, high = _whole_ends(points)
        if high - low <= 1:
            return ""
        slow = 0 if 4 * (high - low) <= before else slow + 1
        before = high - low
        # one that is guessed, most of the time; but every third one halves the interval, should the guesses be poor
        number, width = _guessed_whole_number(points, low, high) if slow % 3 < 2 else ((low + high) // 2, ROUGH)
        point = points.decided(number, width)
        if not (point.met or point.missed):
            open_number, finest = number, point.asked
    if open_number is not None:
        for met in (True, False):
            _approach_open_number(points, open_number, met, finest)
    low, high = _whole_ends(points)
    return "" if high - low <= 1 else f"brackets are not narrow enough to decide what lies between {low} and {high}"


def largest_met(points: Points, undecided: int, reason: str) -> str:
    """Look for the largest count that certainly meets the target, below one of which nothing is known; return why."""
    while points.evaluations < _MOST:
        best = points.best
        assert best is not None
        low = int(best.number)
        if undecided - low <= max(1, low >> _BITS):
            break
        # by the logarithm, where they are far apart
        middle = math.isqrt(low * undecided) if undecided > 4 * low > 0 else (low + undecided) // 2
        point = points.at(min(max(middle, low + 1), undecided - 1), ROUGH)
        if point.missed:
            return narrow_whole(points)
        if not point.met:
            undecided = int(point.number)
    return f"no larger count is proven to miss the target: {reason}"


def _whole_ends(points: Points) -> tuple[int, int]:
    low, high = sorted(int(end.number) for end in points.ends)
    return low, high


def _guessed_whole_number(points: Points, low: int, high: int) -> tuple[int, float]:
    """Return the number between two that is nearest to the guess, and how narrow its bracket should be."""
    guess = points.guess()
    if guess is None:
        return (low + high) // 2, ROUGH
    number = min(max(int(points.scale.number(guess.place)), low + 1), high - 1)
    away = max(_SHARE * abs(points.scale.place(number) - guess.place), _DOUBT * guess.doubt, 1e-9)
    return number, min(COARSE, away * guess.slope)


def _approach_open_number(points: Points, open_number: int, met: bool, width: float) -> None:
    """Move one end towards a number that could not be decided, to where brackets of this width seem to decide."""
    beyond = open_number  # the nearest to the end that could not be decided
    for _ in range(_TRIES):
        end = int(points.ends[0 if met else 1].number)
        if abs(beyond - end) <= 1:
            return
        low, high = sorted((end, beyond))
        number = min(max(_at_edge(points, met, low, high), low + 1), high - 1)
        point = points.at(number, width)
        if not (point.met or point.missed):
            beyond = number


def _at_edge(points: Points, met: bool, low: int, high: int) -> int:
    guess: Guess | None = points.guess()
    if guess is None:
        return (low + high) // 2
    edge = points.edge(met, guess)
    exact = edge if points.scale.linear else math.exp(edge) - 0.5
    return math.floor(exact) if met == points.reveals else math.ceil(exact)
