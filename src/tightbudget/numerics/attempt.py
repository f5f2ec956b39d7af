"""One computation on the way to a bracket, written down: which route, at what cost, with what result."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """One route tried once, in one direction of a composition.

    `tilt` is the exponential tilt it was made for, `width` what it was asked for and `points` the length of its longest
    list. `lower` and `upper` are what it found: other attempts may be narrower. `held_back` says what kept it from
    being as narrow as asked.
    """

    route: str
    direction: str
    lower: float
    upper: float
    tilt: float | None = None
    width: float | None = None  # in log delta
    points: int = 0
    seconds: float = 0.0
    held_back: str = ""
