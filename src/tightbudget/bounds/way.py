"""One way to a bracket: a source of profiles and a tilt, made finer until it does or cannot (M9)."""

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from tightbudget.bounds.direction import WIDEST, quarters

TOO_LONG = "a narrower bracket needs longer bucket lists than the memory limit allows"
ROUNDING = "rounding errors are as large as the bracket; a finer grid would not help"

_HOPEFUL = 16.0  # times as wide as planned: then a finer grid is likely to do
_FINER, _FINEST = -8, -40  # quarter octaves of one refinement
_COARSER = 4  # quarter octaves to the next plan where one is too long


class Reading(Protocol):
    """Bounds on delta at every epsilon."""

    @property
    def points(self) -> float:
        """Length of the longest list it took."""

    def delta_lower(self, epsilon: float) -> float: ...
    def delta_upper(self, epsilon: float) -> float: ...


class Source(Protocol):
    """Where readings come from."""

    def profile(self, cap: int, rung: int, quarter: int, most_points: float) -> Reading | None: ...


Read = Callable[[Reading], tuple[float, float]]


class Way:
    """A source and a tilt, and what they have brought so far."""

    def __init__(self, source: Source, tilt: tuple[int, int], most_points: float) -> None:
        self.source, self.tilt = source, tilt
        self.lower, self.upper = 0.0, math.inf
        self.final, self.reason = False, ""  # nothing left to improve, and why
        self._most_points = most_points
        self._quarter = 0
        self._made = quarters(WIDEST) + 1  # the finest width there is a profile for
        self._planned = 0.0  # width
        self._disappointed = 0  # refinements that brought little

    @property
    def width(self) -> float:
        return self.upper - self.lower

    def hopeful(self, wanted: float) -> bool:
        """Whether a finer grid is likely to make the bracket as narrow as wanted."""
        return not self.final and self.width <= _HOPEFUL * max(wanted, self._planned)

    def start(self, read: Read, width: float, log_width: float) -> None:
        """Make a profile for a bracket of the given width, which is `log_width` in log delta."""
        self._planned, self._quarter = width, quarters(0.8 * log_width)
        self._compute(read)

    def refine(self, read: Read, wanted: float) -> None:
        before = self.width
        ratio = min(0.5, 0.6 * wanted / before) if 0.0 < before < math.inf else 0.1
        finer = max(_FINEST, min(_FINER, math.floor(4.0 * math.log2(max(ratio, 1e-12)))))
        self._planned, self._quarter = wanted, self._quarter + finer
        self._compute(read)
        # A finer grid should narrow the bracket as planned; one that does not, twice, is held up by rounding.
        if before < math.inf and self.width > before * 2.0 ** (0.075 * finer):
            self._disappointed += 1
        if not self.final and (self._disappointed > 1 or self.width == before):
            self.final, self.reason = True, ROUNDING

    def _compute(self, read: Read) -> None:
        """Bring lower and upper to the current width, or as near as the lists may be long; never widens them."""
        profile: Reading | None = None
        # nothing wider than what there is already would help
        for quarter in range(self._quarter, self._made, _COARSER):
            profile = self.source.profile(*self.tilt, quarter, self._most_points)
            if profile is not None:
                try:
                    with np.errstate(all="raise", under="ignore"):  # what overflows is no answer
                        lower, upper = read(profile)
                except ArithmeticError:  # an epsilon so many steps away that no float counts them
                    continue
                self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)
                self._most_points -= profile.points
                self._made = quarter
                break
        if profile is None or quarter > self._quarter:
            self.final, self.reason = True, TOO_LONG
