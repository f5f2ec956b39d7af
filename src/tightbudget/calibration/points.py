"""Numbers that were tried, with their brackets: what they prove of the target, and where it seems to be met."""

import math
from dataclasses import dataclass

from tightbudget.calibration.candidates import Number, Scale
from tightbudget.calibration.open_number import NotAllowed, OpenNumber
from tightbudget.calibration.targets import Target
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable
from tightbudget.numerics.bracket import Bracket

ROUGH = 0.05
"""The width asked for where only the side of the target matters; most first attempts are narrower anyway."""

COARSE = 1e-3
"""The width asked for where the next guess depends on it."""

_FINEST = 1e-13  # no bracket is asked for more narrowly
_ALIKE = 4.0  # times as wide is still about as narrow


@dataclass(frozen=True, slots=True)
class TriedPoint:
    """A number and the bracket there: `met` and `missed` are proven, `excess` is a guess."""

    number: Number
    place: float
    composition: Composable
    answer: Bracket
    asked: float  # width
    met: bool
    missed: bool
    excess: float
    least: float  # of the excess
    most: float
    doubt: float  # about how far off the excess is

    @property
    def spread(self) -> float:
        return self.most - self.least if math.isfinite(self.least) and math.isfinite(self.most) else math.inf


@dataclass(frozen=True, slots=True)
class Guess:
    """Where the excess seems to vanish, how steep it is there, and how far off that place may be."""

    place: float
    slope: float
    doubt: float


class Points:
    """All that were tried. Raises `InvalidParameter` where two of them prove that privacy turns around."""

    def __init__(self, open_number: OpenNumber, target: Target, effort: float | None, scale: Scale) -> None:
        self.open_number, self.target, self.scale = open_number, target, scale
        self.reveals: bool | None = None  # whether more of the number reveals more
        self.evaluations = 0
        self._effort = effort
        self._tried: dict[Number, TriedPoint] = {}

    def at(self, number: Number, width: float = COARSE) -> TriedPoint:
        """Return the point at a number, with a bracket about as narrow as asked; `NotAllowed` if there is none."""
        known = self._tried.get(number)
        if known is not None and (known.met or known.missed or known.asked <= width):
            return known
        composition = self.open_number.at(number) if known is None else known.composition
        self.evaluations += 1
        try:
            answer = self.target.ask(composition, width, self._effort)
        except InvalidParameter as problem:  # a pair that is made only now, with too many cells, say
            raise NotAllowed(str(problem)) from problem
        target = self.target
        met, missed, excess = target.met(answer), target.missed(answer), target.excess(answer.estimate)
        least, most = sorted((target.excess(answer.lower), target.excess(answer.upper)))
        doubt = answer.width / answer.upper / target.sharpness if 0.0 < answer.upper < math.inf else math.inf
        place = self.scale.place(number)
        point = TriedPoint(number, place, composition, answer, width, met, missed, excess, least, most, doubt)
        self._tried[number] = point
        self.check_trend(point)
        return point

    def decided(self, number: Number, width: float = ROUGH) -> TriedPoint:
        """Return the point, with a bracket narrow enough to say on which side of the target it is, if that can be."""
        point = self.at(number, width)
        while not (point.met or point.missed) and point.answer.converged and point.asked > _FINEST:
            before, point = point.answer, self.at(number, 0.01 * point.asked)
            if (point.answer.lower, point.answer.upper) == (before.lower, before.upper):
                break
        return point

    def check_trend(self, point: TriedPoint) -> None:
        """Refuse a template whose privacy certainly moves the other way between two points."""
        if self.reveals is None:
            return
        for other in self._tried.values():
            less, more = (point, other) if point.number < other.number else (other, point)
            private, exposed = (less, more) if self.reveals else (more, less)
            if private is not exposed and self.target.worse(private.answer, exposed.answer):
                raise _turns_around(self.open_number.text, self.target, less, more)

    def learn(self, less: TriedPoint, more: TriedPoint) -> None:
        """Take the way that privacy moves from two points that differ for certain, the smaller number first."""
        self.reveals = self.target.worse(more.answer, less.answer)
        for point in list(self._tried.values()):
            self.check_trend(point)

    def differ(self, one: TriedPoint, other: TriedPoint) -> bool:
        return self.target.worse(one.answer, other.answer) or self.target.worse(other.answer, one.answer)

    @property
    def latest(self) -> TriedPoint:
        """The number that was tried last, of those that are new."""
        return next(reversed(self._tried.values()))

    @property
    def best(self) -> TriedPoint | None:
        """The point that meets the target and reveals most."""
        return self._nearest([point for point in self._tried.values() if point.met], self.reveals is not False)

    @property
    def nearest_miss(self) -> TriedPoint | None:
        """The point that misses it and reveals least."""
        return self._nearest([point for point in self._tried.values() if point.missed], self.reveals is False)

    @property
    def ends(self) -> tuple[TriedPoint, TriedPoint]:
        """The best point and the nearest miss, once there are both."""
        best, miss = self.best, self.nearest_miss
        assert best is not None
        assert miss is not None
        return best, miss

    def first_beyond(self, met: bool) -> TriedPoint | None:
        """Return the point next to the best that is not proven to meet the target; or next to the miss, to miss it."""
        end = self.best if met else self.nearest_miss
        if end is None:
            return None
        upward = self.reveals is not False if met else self.reveals is False
        beyond = [
            point for point in self._tried.values() if point.number != end.number and (point.number > end.number) == upward
        ]
        return self._nearest(beyond, not upward)

    def edge(self, met: bool, guess: Guess) -> float:
        """Return the place where brackets seem to become narrow enough to prove that the target is met, or missed."""
        finest = min(point.asked for point in self._tried.values())  # wider ones do not tell where these end
        edges = [
            (abs(excess) + point.spread, point.place - excess / (guess.slope if self.reveals else -guess.slope))
            for point in self._tried.values()
            if point.asked <= _ALIKE * finest and math.isfinite(excess := point.most if met else point.least)
        ]
        return min(edges)[1] if edges else guess.place

    def _nearest(self, points: list[TriedPoint], largest: bool) -> TriedPoint | None:
        choose = max if largest else min
        return choose(points, key=lambda point: point.number, default=None)

    def guess(self) -> Guess | None:
        """Return where the target seems to be met, by a line through two points; None if no two are fit for it."""
        finite = [point for point in self._tried.values() if math.isfinite(point.excess)]
        finite.sort(key=lambda point: abs(point.excess) + point.doubt)
        if not finite:
            return None
        here = finite[0]
        lines = [line for other in finite[1:6] if (line := _excess_line(here, other, self.reveals)) is not None]
        if not lines:
            return None
        slope, error = min(lines, key=lambda line: line[1])
        away = here.excess / slope
        return Guess(here.place - away, abs(slope), abs(away) * min(1.0, error) + here.doubt / abs(slope))


def _excess_line(here: TriedPoint, other: TriedPoint, reveals: bool | None) -> tuple[float, float] | None:
    """Return the slope of the excess between two points, and about how far off it is, relatively."""
    run, rise = other.place - here.place, other.excess - here.excess
    if run == 0.0 or rise == 0.0 or (reveals is not None and (rise / run > 0.0) != reveals):
        return None
    return rise / run, abs(run) + (here.doubt + other.doubt) / abs(rise)


def _turns_around(text: str, target: Target, less: TriedPoint, more: TriedPoint) -> InvalidParameter:
    seen = ", ".join(f"{point.number!r} gives {target.asked} in {point.answer}" for point in (less, more))
    return InvalidParameter(
        "template",
        text,
        "monotone: more of ? must always reveal more, or always less",
        f"Here it does both: {seen}. Give bounds= (--min and --max) between which it goes one way.",
    )
