"""What a figure is: panels of series, numbers that claims are judged by, and the claims themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Number = tuple[float, float]
"""A value known to lie between two ends; equal ends where it is exact."""


@dataclass(frozen=True, slots=True)
class Series:
    """One curve. `kind` says how it is drawn and what it is.

    bracket        two certified bounds of ours, a band
    buckets        two bounds by the published privacy buckets
    upper          a classic upper bound
    approximation  no bound at all
    line           an exact function, such as a density
    area           what lies between two lines
    point          a value stated elsewhere
    marks          separate values, not joined by a line
    """

    name: str
    kind: str
    x: Sequence[float]
    upper: Sequence[float]
    lower: Sequence[float] | None = None
    colour: int = 0
    dash: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes.

    `target` draws the area e^eps <= 2, delta <= 1e-4 that Vuvuzela asks for; `ticks` are names for x = 0, 1, 2, ...
    """

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    x_log: bool = False
    y_log: bool = True
    floor: float = 0.0
    ceiling: float = 0.0
    target: bool = False
    ticks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Data:
    """All that was computed for a figure: enough to draw it and to judge every claim about it."""

    panels: Sequence[Panel]
    facts: Mapping[str, Number] = field(default_factory=dict)
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the paper beside what was found; `verdict` is one of those in `verdicts`.

    A `slip` is a number that the paper prints otherwise elsewhere: refuting it says nothing about the substance.
    """

    section: str
    statement: str
    found: str
    verdict: str
    reading: str = ""
    note: str = ""
    slip: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the paper. `settings` goes into the file and its hash; `compute` and `claims` are pure."""

    name: str
    title: str
    caption: str
    settings: Callable[[bool], dict[str, Any]]
    compute: Callable[[bool], Data]
    claims: Callable[[Mapping[str, Number]], Sequence[Claim]]
    columns: int = 2
