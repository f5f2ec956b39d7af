"""One route pursued: profiles of one source at one tilt, made finer until they do or cannot (M9)."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from tightbudget.engine.direction import WIDEST, width_index_of
from tightbudget.engine.reasons import NO_LISTS, ROUNDING, TOO_LONG
from tightbudget.numerics.attempt import Attempt

_HOPEFUL = 8.0  # times as wide as planned: then a finer grid is likely to do
_WIDEST = width_index_of(WIDEST)
_FINER, _NEXT, _FINEST = -8, -16, -28  # quarter octaves of one refinement: at least, of the widest plan, and at most
OF_PLAN = 0.8  # of the width that the law asks for
_DEAR = 2.0**17  # points: some tens of milliseconds
_COARSER = 4  # quarter octaves to the next plan where one is too long


class Profile(Protocol):
    """Bounds on the privacy profile: on delta at every epsilon."""

    @property
    def route(self) -> str:
        """How it was made, in words."""

    @property
    def tilt(self) -> float | None:
        """The tilt near which it is sharp, if it has one."""

    @property
    def points(self) -> float:
        """Length of the longest list it took."""

    def delta_lower(self, epsilon: float) -> float: ...
    def delta_upper(self, epsilon: float) -> float: ...


class Source(Protocol):
    """Where profiles come from."""

    @property
    def route(self) -> str:
        """How profiles are made that take the longest lists, in words."""

    def profile(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> Profile | None: ...

    def in_reach(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> bool:
        """Whether a profile that was not made would be with longer lists than these, such as a larger effort allows."""


Read = Callable[[Profile], tuple[float, float]]
Record = Callable[[Attempt], None]


class Pursuit:
    """A source and a tilt, and what they have brought so far."""

    def __init__(self, source: Source, tilt: tuple[int, int], most_points: float, direction: str, record: Record) -> None:
        self.source, self.tilt = source, tilt
        self.lower, self.upper = 0.0, math.inf
        self.final, self.reason = False, ""  # nothing left to improve, and why
        self._most_points = most_points
        self._made = _WIDEST + 1  # the finest width there is a profile for
        self._planned = 0.0  # width, relative to the upper end
        self.law = 0.0  # how wide the first bracket was, relative to what the law of the width says; 0 if that is not known
        self._started = self._made
        self._in_vain = 0  # refinements that brought little
        self._dear = False  # the next refinement takes long lists
        self._direction, self._record = direction, record

    @property
    def width(self) -> float:
        return self.upper - self.lower

    @property
    def finer(self) -> float:
        """The width that was made, in log delta, relative to the one that was planned first."""
        return float(2.0 ** ((self._made - self._started) / 4.0))

    def hopeful(self, wanted: float) -> bool:
        """Whether a finer grid is likely to make the bracket as narrow as wanted."""
        if self.final or self._in_vain or self._dear:
            return False
        # the widest plan there is may be too wide for the law of the width
        return self._made == _WIDEST or self.width <= _HOPEFUL * max(wanted, self._planned * self.upper) < math.inf

    def start(self, read: Read, planned: float, log_width: float) -> None:
        """Make a profile for a bracket of the relative width planned, which is `log_width` in log delta."""
        self._planned = planned
        self._started = width_index_of(OF_PLAN * log_width)
        attempt = self._compute(read, self._started, self._most_points)
        if planned > 0.0 and self._made == self._started < _WIDEST and 0.0 < planned * self.upper < math.inf:
            self.law = self.width / (planned * self.upper) * (log_width / 2.0 ** (self._made / 4.0))
        self._write(attempt)

    def try_refining(self, read: Read, wanted: float) -> None:
        """Refine, unless that takes long lists."""
        self._refine(read, wanted, min(_DEAR, self._most_points))

    def refine(self, read: Read, wanted: float) -> None:
        self._refine(read, wanted, self._most_points)

    def _refine(self, read: Read, wanted: float, most_points: float) -> None:
        before = self.width
        ratio = min(0.5, 0.6 * wanted / before) if 0.0 < before < math.inf else 0.1
        finest = _FINEST if self._made < _WIDEST else _NEXT
        finer = max(finest, min(_FINER, math.floor(4.0 * math.log2(max(ratio, 1e-12)))))
        self._planned = 0.0
        attempt = self._compute(read, self._made + finer, most_points)
        if self._dear:
            return
        # A finer grid should narrow the bracket as planned; one that does not, twice, is held up by rounding.
        if before < math.inf and self.width > before * 2.0 ** (0.075 * finer):
            self._in_vain += 1
        if not self.final and self._in_vain > 1:
            self.final, self.reason = True, ROUNDING
        self._write(attempt)

    def _write(self, attempt: Attempt) -> None:
        self._record(replace(attempt, held_back=self.reason) if self.reason else attempt)

    def _compute(self, read: Read, wanted: int, most_points: float) -> Attempt:
        """Bring lower and upper to the width wanted, or as near as the lists may be long; never widens them."""
        self._dear = False
        begun, width = time.perf_counter(), 2.0 ** (wanted / 4.0)
        route, tilt, points, lower, upper = self.source.route, None, 0, 0.0, math.inf
        in_reach = False  # of a larger effort
        # nothing wider than what there is already would help
        for width_index in range(wanted, self._made, _COARSER):
            profile = self.source.profile(*self.tilt, width_index, most_points)
            if profile is None and most_points < self._most_points:
                self._dear = True
                break
            in_reach = in_reach or (profile is None and self.source.in_reach(*self.tilt, width_index, most_points))
            if profile is not None:
                try:
                    with np.errstate(all="raise", under="ignore"):  # what overflows is no answer
                        lower, upper = read(profile)
                except ArithmeticError:  # an epsilon so many steps away that no float counts them
                    continue
                self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)
                self._most_points -= profile.points
                self._made = width_index
                route, tilt, points = profile.route, profile.tilt, int(profile.points)
                break
        if self._made > wanted and not self._dear:
            self.final, self.reason = True, TOO_LONG if in_reach else NO_LISTS
        seconds = time.perf_counter() - begun
        return Attempt(route, self._direction, lower, upper, tilt, width, points, seconds)
