"""Curves of what a test can achieve, in exact fractions, and the pairs of distributions that have them (M13).

A point (beta, alpha) is a test that accepts with probability alpha under A and beta under B. The curve of a pair is the
largest alpha for each beta: concave, from beta = 0 to (1, 1). If the curve of one pair is nowhere below that of
another, then no composition of the one has a smaller delta than that of the other.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import point_pair
from tightbudget.pairs.revealing import revealing_pair

Point = tuple[Fraction, Fraction]  # beta, alpha


def roc_curve(b: Sequence[Fraction], a: Sequence[Fraction], start: Point = (Fraction(0), Fraction(0))) -> list[Point]:
    """Return the vertices of the curve that begins at `start` and takes the steps (b[i], a[i]), the steepest first."""
    points = [start]
    for beta, alpha in sorted(zip(b, a, strict=True), key=_roc_slope):
        points.append((points[-1][0] + beta, points[-1][1] + alpha))
    return points


def _roc_slope(step: Point) -> tuple[bool, Fraction]:
    """Order steps from steep to flat; upright ones come first."""
    beta, alpha = step
    return beta > 0, -alpha / beta if beta else Fraction(0)


def lowest_roc(curves: Sequence[Sequence[Point]]) -> list[Point]:
    """Return the vertices, from beta = 0 to 1, of the pointwise smallest of concave curves and the constant 1.

    A curve is flat behind its last vertex. Between neighbouring vertices of any of them all are straight, so the
    smallest can only have corners there and where two of them cross.
    """
    every = sorted({Fraction(0), Fraction(1), *(x for points in curves for x, _ in points if 0 < x < 1)})
    rows = [*(_roc_heights(points, every) for points in curves), [Fraction(1)] * len(every)]
    corners = {(x, min(column)) for x, column in zip(every, zip(*rows, strict=True), strict=True)}
    for place, (left, right) in enumerate(pairwise(every)):
        lines = [(row[place], row[place + 1]) for row in rows]
        for i, first in enumerate(lines):
            for second in lines[:i]:
                before, after = first[0] - second[0], first[1] - second[1]
                if before * after < 0:
                    share = before / (before - after)
                    height = min(y0 + (y1 - y0) * share for y0, y1 in lines)
                    corners.add((left + (right - left) * share, height))
    return sorted(corners)


def _roc_heights(points: Sequence[Point], places: Iterable[Fraction]) -> list[Fraction]:
    across = [x for x, _ in points]
    heights = []
    for x in places:
        last = bisect_right(across, x) - 1  # of several points one above the other this is the highest
        (x0, y0), (x1, y1) = points[last], points[min(last + 1, len(points) - 1)]
        heights.append(y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return heights


def roc_hull(points: Iterable[Point]) -> list[Point]:
    """Return the vertices of the smallest concave curve above the points, (0, 0) and (1, 1)."""
    result: list[Point] = []
    for x, y in sorted({*points, (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}):
        while result and (result[-1][0] == x or (len(result) > 1 and not _turns_down(result[-2], result[-1], (x, y)))):
            result.pop()
        result.append((x, y))
    return result


def _turns_down(first: Point, second: Point, third: Point) -> bool:
    return (second[1] - first[1]) * (third[0] - second[0]) > (third[1] - second[1]) * (second[0] - first[0])


@dataclass(frozen=True)
class CurvePair(Mechanism):
    """The pair with a given curve: a step of the curve is an event, with masses (alpha, beta) of its rise and run."""

    name: ClassVar[str] = "curve_pair"
    neighbours: ClassVar[str] = "between the two samples"

    points: tuple[Point, ...]

    def pair(self, direction: Direction) -> Pair | None:
        steps = [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(self.points)]
        infinity = self.points[0][1]
        both = [(log_fraction(alpha), log_fraction(beta)) for beta, alpha in steps if alpha and beta]
        minus_infinity = sum((beta for beta, alpha in steps if not alpha), Fraction(0))
        if infinity == 0 and all(alpha == beta for beta, alpha in steps):
            return None
        if not both:
            return revealing_pair()
        log_a, log_b = np.array(both).T
        if direction is Direction.ADD:
            log_a, log_b, infinity, minus_infinity = log_b, log_a, minus_infinity, infinity
        error = 16.0 * U * (2.0 + float(np.abs(both).max()))
        return point_pair(
            ("curve_pair", self.points, direction),
            log_a - log_b,
            log_a,
            log_b,
            error=error,
            infinity=InfiniteMass(Mass.exactly(infinity)),
            minus_infinity=InfiniteMass(Mass.exactly(minus_infinity)),
            loss_error=2.0 * error,
        )
