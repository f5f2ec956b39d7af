"""Two numbers between which the target stops being met: one proven to meet it, one proven to miss it."""

import math
from collections.abc import Callable

from tightbudget.calibration.candidates import Number
from tightbudget.calibration.open_number import NotAllowed
from tightbudget.calibration.points import ROUGH, Points, TriedPoint
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import MOST_REPETITIONS
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.decimals import decimal_at_most

_FARTHEST = 1e290
_TURNS = 14  # from a factor of 2 on, squared each time
_GUESSED = 4  # turns
_FIRST_FACTOR = 2.0
_LARGEST_FACTOR = 2.0**64
_PAST = 1.25  # times as far as the target seems to be, so that the next point is likely beyond it
_BOUNDED = "the bounds allow no other ?."
_EDGE = 200  # halvings until what is still allowed is known to the last bit
_DEAR_EDGE = 8  # where each takes a bracket


class NotRefuted(Exception):
    """Some number certainly meets the target, and at one that reveals more the bracket is too wide to tell."""

    def __init__(self, number: Number, reason: str) -> None:
        self.number, self.reason = number, reason


def enclose_target(points: Points, bounds: tuple[Number, Number] | None) -> None:
    """Find both; or raise `InvalidParameter`, if every number meets the target, or none does.

    Raise `NotRefuted` where some number meets it and none can be proven to miss it.
    """
    if bounds is not None:
        _find_ends_between(points, *bounds)
        return
    start = points.open_number.start()
    points.reveals = points.open_number.reveals(start)
    here = points.decided(start)
    if points.reveals is None:
        here = _find_trend(points, here)
    assert points.reveals is not None
    while not (points.best and points.nearest_miss):
        _walk_to_other_end(points, here, upward=points.reveals == (points.best is not None))
        here = points.best or points.nearest_miss or here


def _find_ends_between(points: Points, low: Number, high: Number) -> None:
    ends = []
    for number in (low, high):
        try:
            ends.append(points.decided(number))
        except NotAllowed as problem:
            raise problem.__cause__ from None  # type: ignore[misc]
    less, more = ends
    points.reveals = points.open_number.reveals(low)
    if points.reveals is None:
        if not points.differ(less, more):
            raise _same_everywhere(points, less, more)
        points.learn(less, more)
    if points.best is None or points.nearest_miss is None:
        private, exposed = (less, more) if points.reveals else (more, less)
        if not exposed.met:
            _give_up(points, exposed)
        raise _met_by_all(points, exposed, _BOUNDED) if points.best else _met_by_none(points, private, _BOUNDED)


def _find_trend(points: Points, here: TriedPoint) -> TriedPoint:
    """Step away from a point, both ways in turn, until privacy has moved for certain; return the last point."""
    factor, last = 2.0, here
    for _ in range(_TURNS):
        for up in (True, False):
            number = _moved_end(points, here.number, factor if up else 1.0 / factor)
            try:
                last = points.at(number, ROUGH)
            except NotAllowed:
                continue
            if points.differ(here, last):
                points.learn(*((here, last) if last.number > here.number else (last, here)))
                return last
        factor = min(factor * factor, _LARGEST_FACTOR)
    raise _same_everywhere(points, here, last)


def _walk_to_other_end(points: Points, here: TriedPoint, upward: bool) -> None:
    """Go one way until the target is passed: to where it seems to be, and beyond by ever larger factors."""
    wanted_met = points.reveals != upward
    factor = _FIRST_FACTOR
    for turn in range(_TURNS):
        step = factor
        guess = points.guess()
        # where risks are all but none, or all, guesses lag behind: after some, steps go by the factor alone
        if turn < _GUESSED and guess is not None and (guess.place > here.place) == upward:
            step = min(step, math.exp(min(max(_PAST * abs(guess.place - here.place), 0.01), 700.0)))
        number = _moved_end(points, here.number, step if upward else 1.0 / step)
        if number == here.number:
            break
        try:
            there = points.decided(number)
        except NotAllowed as problem:
            _at_the_edge(points, here, number, wanted_met, str(problem))
            return
        if (there.met if wanted_met else there.missed) or (points.best and points.nearest_miss):
            return
        here = there
        factor = min(factor * factor, _LARGEST_FACTOR)
    if not wanted_met and not here.met:
        _give_up(points, here)
    raise _met_by_none(points, here, None) if wanted_met else _met_by_all(points, here, None)


def _give_up(points: Points, undecided: TriedPoint) -> None:
    """Raise `NotRefuted` if some number meets the target."""
    if points.best is not None and (points.reveals or not points.scale.whole):
        raise NotRefuted(undecided.number, f"at ? = {undecided.number!r} {_end_in_words(points, undecided)}, too wide to tell")


def _moved_end(points: Points, number: Number, factor: float) -> Number:
    """Return the number times a factor, or a whole number beyond it, within what is looked at."""
    if not points.scale.whole:
        return min(max(float(f"{number * factor:.3g}"), 1.0 / _FARTHEST), _FARTHEST)
    moved = number * factor
    return min(math.ceil(moved), MOST_REPETITIONS) if factor > 1.0 else math.floor(moved)


def _at_the_edge(points: Points, inside: TriedPoint, outside: Number, wanted_met: bool, why: str) -> None:
    """Look at the last number that is allowed; if the target is not passed there either, say so."""
    allows = points.open_number.allows
    dear = allows(outside)  # then it is the question that is refused
    ask: Callable[[Number], bool] = (lambda number: _end_is_answered(points, number)) if dear else allows
    last = _last_allowed(points, inside.number, outside, ask, _DEAR_EDGE if dear else _EDGE)
    try:
        there = points.decided(last)
    except NotAllowed:
        there = inside
    if not (there.met if wanted_met else there.missed):
        if not wanted_met and not there.met:
            _give_up(points, there)
        raise _met_by_none(points, there, why) if wanted_met else _met_by_all(points, there, why)


def _end_is_answered(points: Points, number: Number) -> bool:
    try:
        points.at(number, ROUGH)
    except NotAllowed:
        return False
    return True


def _last_allowed(points: Points, inside: Number, outside: Number, ask: Callable[[Number], bool], most: int) -> Number:
    for _ in range(most):
        middle = _middle_of_ends(points, inside, outside)
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if ask(middle) else (inside, middle)
    return inside


def _middle_of_ends(points: Points, one: Number, other: Number) -> Number:
    if points.scale.whole:
        return (int(one) + int(other)) // 2
    low, high = sorted((one, other))
    return math.sqrt(low) * math.sqrt(high) if 0.0 < 4.0 * low < high else low + 0.5 * (high - low)


def _met_by_none(points: Points, point: TriedPoint, why: str | None) -> InvalidParameter:
    cause = "the other steps, or losses without bound, cost that much whatever ? is."
    hint = f"Even with ? = {point.number!r} {_end_in_words(points, point)}: {f'beyond, {why}' if why else cause}"
    return InvalidParameter(points.target.name, points.target.limit, "a limit that some ? meets", hint)


def _met_by_all(points: Points, point: TriedPoint, why: str | None) -> InvalidParameter:
    if not point.met:  # nor missed
        best = "" if points.best is None else f"? = {points.best.number!r} certainly meets it. "
        hint = (
            f"{best}At ? = {point.number!r} {_end_in_words(points, point)}, too wide to tell; give bounds= (--min and --max)."
        )
        return InvalidParameter(points.target.name, points.target.limit, "a limit that some ? is proven to miss", hint)
    hint = (
        f"Even with ? = {point.number!r} {_end_in_words(points, point)}: "
        f"{f'beyond, {why}' if why else 'there is nothing to choose.'}"
    )
    return InvalidParameter(points.target.name, points.target.limit, "a limit that some ? misses", hint)


def _end_in_words(points: Points, point: TriedPoint) -> str:
    if point.answer.lower == math.inf:
        rest: Bracket = point.composition.delta(epsilon=math.inf)
        if rest.lower == 0.0:  # normal noise at delta 0
            return f"every epsilon is exceeded{points.target.given}, by outcomes however rare"
        return f"delta is at least {decimal_at_most(rest.lower)} at every epsilon"
    return f"{points.target.asked} is in {point.answer}"


def _same_everywhere(points: Points, one: TriedPoint, other: TriedPoint) -> InvalidParameter:
    if other.met or other.missed:
        return _met_by_all(points, other, None) if other.met else _met_by_none(points, other, None)
    seen = f"from {min(one.number, other.number)!r} to {max(one.number, other.number)!r} it stays in {one.answer}"
    allowed = "such that privacy depends on ?"
    return InvalidParameter("template", points.open_number.text, allowed, f"{points.target.asked.capitalize()}: {seen}.")
