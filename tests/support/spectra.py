"""Leaves made by hand on a grid with gaps, their spectrum, and what it means: the stored rows composed with 120
digits.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import acb, arb, arb_poly, ctx
from mpmath import mpf
from tests.reference.truth_numbers import ends

import tightbudget.engine.spectral.spectrum as engine
from tightbudget.engine.discretisation.discretise import DiscretisedPair
from tightbudget.engine.discretisation.tilted import TiltedPMF
from tightbudget.engine.saddle import Tilt
from tightbudget.engine.spectral.grid import SpectralGrid
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import PlanTarget

BITS = 400


def ball(number: float) -> arb:
    """Return a float as it is."""
    exact = Fraction(number)
    return arb(exact.numerator) / arb(exact.denominator)


def leaf(
    rows, begin: int, first: int, anchor: float = 0.0, log_scale=0.0, error=0.0, loss_shift: float = 0.0
) -> DiscretisedPair:
    """Return a leaf of three rows (spread A, merged A, merged B) from column `begin` of the grid on."""
    table = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    if table.shape[0] == 1:
        table = np.repeat(table, 3, axis=0)
    table = table / table.sum(axis=1)[:, None]
    scales, errors = (np.broadcast_to(np.asarray(value, dtype=np.float64), (3,)).copy() for value in (log_scale, error))

    def part(some: slice) -> TiltedPMF:
        none = np.zeros(table[some].shape[0])
        return TiltedPMF(table[some], first, anchor, scales[some], errors[some], none, none)

    return DiscretisedPair(part(slice(0, 1)), part(slice(1, 3)), loss_shift, begin)


def spectrum(
    leaves: Sequence[DiscretisedPair],
    counts: Sequence[int],
    places: np.ndarray,
    step: float = 0.1,
    theta: float = 1.0,
    error: float = 1e-6,
) -> Spectrum | None:
    """Return the spectrum of leaves already made, each repeated its count."""
    target = PlanTarget(
        Steps(tuple(zip(leaves, counts, strict=True))), Tilt(theta, 1.0, 1.0), 1.0, 1.0, error, 0.01, (), (None,) * len(leaves)
    )
    return engine.composed_spectrum(
        target, SpectralGrid(step, places, (0.0,) * len(leaves)), discretised_pair=lambda made, *_: made
    )


def rows_of(one: DiscretisedPair) -> np.ndarray:
    return np.concatenate([one.spread.rows, one.merged.rows])


def indices(one: DiscretisedPair, places: np.ndarray) -> list[int]:
    """Return the indices of a leaf's columns, counted from its peak."""
    mine = [round(k) for k in places[one.begin : one.begin + one.spread.size].tolist()]
    return [k - mine[0] + one.spread.first for k in mine]


class Truth:
    """The stored rows composed exactly: coefficients of three polynomials, and the index of the first."""

    def __init__(self, leaves: Sequence[DiscretisedPair], counts: Sequence[int], places: np.ndarray) -> None:
        ctx.prec = BITS
        self.low = sum(count * indices(one, places)[0] for one, count in zip(leaves, counts, strict=True))
        self.rows = []
        for kind in range(3):
            whole = arb_poly([1])
            for one, count in zip(leaves, counts, strict=True):
                at = indices(one, places)
                coefficients = [arb(0)] * (at[-1] - at[0] + 1)
                for i, value in zip(at, rows_of(one)[kind].tolist(), strict=True):
                    coefficients[i - at[0]] = ball(value)
                whole *= arb_poly(coefficients) ** count
            self.rows.append(whole.coeffs())

    def tail(self, kind: int, rate: arb, start: int) -> arb:
        """Return the sum of p_k e^{-rate k} over k >= start."""
        first = max(0, start - self.low)
        if first >= len(self.rows[kind]):
            return arb(0)
        return arb_poly(self.rows[kind][first:])((-rate).exp()) * (-rate * (self.low + first)).exp()

    def upper(self, found: Spectrum, epsilon: float, loss_shift: float = 0.0) -> mpf:
        """Return delta(epsilon) of the stored spread rows, every loss `loss_shift` larger."""
        ctx.prec = BITS
        h, theta = ball(found.step), ball(found.theta)
        shifted = Fraction(epsilon) - Fraction(found.anchors[0]) - Fraction(loss_shift)
        start = math.floor(shifted / Fraction(found.step)) + 1
        e = (arb(shifted.numerator) / arb(shifted.denominator)).exp()
        finite = self.tail(0, theta * h, start) - e * self.tail(0, (theta + 1) * h, start)
        return ends(finite * ball(float(found.log_scale[0])).exp())[0]

    def lower(self, found: Spectrum, epsilon: float, start: int) -> mpf:
        """Return A(S) - e^epsilon B(S) of the stored merged rows for the buckets from `start` on."""
        ctx.prec = BITS
        h, theta = ball(found.step), ball(found.theta)
        gain = self.tail(1, theta * h, start) * ball(float(found.log_scale[1])).exp()
        cost = self.tail(2, (theta + 1) * h, start) * (ball(epsilon) + ball(float(found.log_scale[2]))).exp()
        return ends(gain - cost)[1]


@lru_cache(maxsize=4096)
def node(j: int, period: int) -> arb:
    ctx.prec = BITS
    return 2 * arb.pi() * j / period


def transform(
    leaves: Sequence[DiscretisedPair], counts: Sequence[int], places: np.ndarray, kind: int, angle: arb, centre: int
) -> acb:
    """Return the product of all transforms at an angle, sums of places counted from the centre, exactly."""
    ctx.prec = BITS
    whole = acb(0, angle * centre).exp()
    for one, count in zip(leaves, counts, strict=True):
        mine = places[one.begin : one.begin + one.spread.size].tolist()
        value = acb(0)
        for k, p in zip(mine, rows_of(one)[kind].tolist(), strict=True):
            value += ball(p) * acb(0, -angle * round(k)).exp()
        whole *= value**count
    return whole
