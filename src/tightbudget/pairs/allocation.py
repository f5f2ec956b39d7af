"""One of t batches, drawn at random: the law of the mean of t likelihood ratios, from above and from below (M29).

A record that is in one of t batches has the pair ((1/t) sum_i Q^(i-1) P Q^(t-i), Q^t), with the likelihood ratio
R = (1/t) sum_i r_i. Laws of means are made by doubling, on a geometric grid of ratios: split between two grid points
they belong to a pair that dominates, merged at one to a pair that is dominated.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.numerics.mass import NONE, Mass
from tightbudget.numerics.rounding import GENEROUS, U, lowered, raised, raised_by
from tightbudget.pairs.base import Array, Cells, Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass, mass_known_well
from tightbudget.pairs.points import PointPair, point_pair

_TAIL = 1e-40  # of either distribution, cut off at either end of a law
_LEAST_FINITE = 1e-30  # of either distribution, at finite losses, for a law of these
_RARE = 1e-30  # ratios of 0 that are as rare are told apart for certain, with all that they are averaged with
_LEAST = 1e-120  # masses below are cut off anywhere: products of two are far from denormal
_LOST = 1e-300  # what may be left of a mass that is no normal float
_FINENESS = 0.007  # step of the grid, in standard deviations of the logarithm of R
_MOST_POINTS = 40_000
_LEAST_RANGE = 1e-6  # of losses that are worth a grid
_LEAST_TOLD = 0.02  # the least deviation that is resolved beside ratios of 0
_LEAST_STEP = 1e-9  # coarse beside the rounding of a mean near 1
_MOST_RANGE = 400.0  # beyond, what little is left of Q where P lies has no digits


@dataclass(frozen=True, eq=False)
class RatioLaw:
    """A pair (P, Q) by its likelihood ratios e^{h k}, k = first, first + 1, ...

    p, q      masses of P and Q at each of them
    zero      mass of Q where P has none
    infinity  mass of P where Q has none
    error     bound on the relative error of all these masses
    moved     the ratios of the events at a grid point are within this, in their logarithms, of e^{h k}
    """

    h: float
    first: int
    p: Array
    q: Array
    zero: float
    infinity: float
    error: float
    moved: float

    @cached_property
    def places(self) -> NDArray[np.int64]:
        return np.arange(self.first, self.first + self.q.size)

    @property
    def losses(self) -> Array:
        losses: Array = self.places.astype(np.float64) * self.h
        return losses


def allocated_pair(base: Pair, batches: int, blocks: int, direction: Direction, above: bool) -> PointPair:
    """Return the pair of a record that is in one of the batches of each block: one that dominates, or is dominated.

    `base` is that of one batch, (with, without).
    """
    law = _allocated_law(cast(Hashable, base), batches, blocks, above)
    only_p, only_q = (_allocation_mass(value, law.error) for value in (law.infinity, law.zero))
    if above:  # what is counted as told is so of this pair, which dominates
        told = InfiniteMass(only_p), InfiniteMass(only_q)
    else:  # any of the batches may have the answer that hardly ever occurs without the record
        told = (
            base.infinity.nearer(math.log(2.0 * batches * blocks), only_p),
            base.minus_infinity.nearer(math.log(2.0 * blocks), only_q),
        )
    return _as_pair(law, ("allocated", base, batches, blocks, above), direction, *told)


def resolvable_allocation(base: Pair) -> bool:
    """Tell whether the losses of a pair are neither too close nor too far apart for a grid of ratios.

    Both distributions have to have something there: next to all of either may be told for certain.
    """
    cells = base.coarse_cells()
    if not min(float(np.exp(cells.log_a).sum()), float(np.exp(cells.log_b).sum())) > _LEAST_FINITE:
        return False
    (low, high), _ = _allocation_extent(base)
    told = base.infinity.possible or base.minus_infinity.possible
    return (told or high - low > _LEAST_RANGE) and high - low < _MOST_RANGE


@lru_cache(maxsize=16)  # both directions ask for it
def _allocated_law(base: Hashable, batches: int, blocks: int, above: bool) -> RatioLaw:
    return _power_ratio_law(_mean_of(cast(Pair, base), batches, above), blocks, above)


def _as_pair(
    law: RatioLaw, key: tuple[object, ...], direction: Direction, only_p: InfiniteMass, only_q: InfiniteMass
) -> PointPair:
    some = (law.q > 0.0) & (law.p > 0.0)
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(law.p[some]), np.log(law.q[some])
    losses = law.losses[some] if law.moved else log_p - log_q  # a merged event has the ratio of its masses
    error = law.error + law.moved + 4.0 * U * (2.0 + np.maximum(np.abs(log_p), np.abs(log_q)))
    loss_error = law.moved if law.moved else 2.0 * float(error.max(initial=0.0))
    remove = direction is Direction.REMOVE
    return point_pair(
        (*key, direction),
        losses if remove else -losses,
        log_p if remove else log_q,
        log_q if remove else log_p,
        error=error,
        infinity=only_p if remove else only_q,
        minus_infinity=only_q if remove else only_p,
        period=law.h if law.moved else None,
        loss_error=loss_error,
    )


def _allocation_mass(value: float, error: float) -> Mass:
    return Mass.about(math.log(value), GENEROUS + 2.0 * error) if value > 0.0 else NONE


def _mean_of(base: Pair, batches: int, above: bool) -> RatioLaw:
    """Return the law of the mean of `batches` ratios: its bits say when to double and when to add one."""
    ends, deviation = _allocation_extent(base)
    law = _one_batch_law(base, ends, _allocation_grid_step(ends, deviation, 1), above)
    count = 1
    for bit in bin(batches)[3:]:
        law, count = _mean_ratio_law(law, law, 0.5, above), 2 * count
        if bit == "1":
            law, count = _mean_ratio_law(law, _one_batch_law(base, ends, law.h, above), count / (count + 1), above), count + 1
        wanted = _allocation_grid_step((float(law.losses[0]), float(law.losses[-1])), deviation, count)
        if wanted <= 0.5 * law.h and count < batches:
            law = _refined_ratio_law(law)
    return law


def _allocation_grid_step(ends: tuple[float, float], deviation: float, count: int) -> float:
    return max(_FINENESS * deviation / math.sqrt(count), (ends[1] - ends[0]) / _MOST_POINTS, _LEAST_STEP)


def _allocation_extent(base: Pair) -> tuple[tuple[float, float], float]:
    """Return losses between which the base lies but for _TAIL, and the standard deviation of its loss under Q."""
    cells = base.coarse_cells()
    a, b = np.exp(cells.log_a), np.exp(cells.log_b)
    above = np.flatnonzero(np.cumsum(a[::-1])[::-1] > _TAIL)
    below = np.flatnonzero(np.cumsum(b) > _TAIL)
    if not above.size or not below.size:  # hardly any of one law is on finite losses
        return (-math.inf, math.inf), math.inf
    low, high = float(cells.low[below[0]]), float(cells.high[above[-1]])
    middle = 0.5 * np.maximum(cells.low, low) + 0.5 * np.minimum(cells.high, high)
    inside = (cells.high >= low) & (cells.low <= high)
    weight = np.where(inside, b, 0.0)
    mean = float(weight @ middle) / float(weight.sum())
    resolved = high - low < _MOST_RANGE  # else there is no grid, and squares may be beyond floats
    deviation = math.sqrt(max(float(weight @ (middle - mean) ** 2), 0.0)) if resolved else high - low
    # what P cannot produce becomes a small ratio, far from the others: no grid can be fine and reach it
    told = base.minus_infinity.possible
    return (low, high), max(deviation, _LEAST_TOLD) if told else deviation


def _one_batch_law(base: Pair, ends: tuple[float, float], h: float, above: bool) -> RatioLaw:
    """Return the base on the grid; what lies beyond its ends is told for certain, or merged into the last cells."""
    first, last = math.floor(ends[0] / h) - 1, math.ceil(ends[1] / h) + 1
    edges = np.concatenate([[-np.inf], h * np.arange(first, last + 1), [np.inf]])
    cells, points = base.cells(edges), base.points()
    joined = Cells.join(cells, points)
    widest = max(abs(float(edges[1])), abs(float(edges[-2])), float(np.abs(points.low).max(initial=0.0)))
    error = float(joined.error[joined.log_a > -np.inf].max(initial=0.0)) + 8.0 * U * (1000.0 + widest)
    place = np.concatenate([np.arange(first - 1, first - 1 + cells.size), np.floor(points.low / h).astype(np.int64)])
    p, q = np.exp(joined.log_a), np.exp(joined.log_b)
    size, at = last - first + 2, np.clip(place - first, -1, last - first)
    infinity, zero = base.infinity.upper + base.unresolved, base.minus_infinity.upper + base.unresolved
    if not above:
        (infinity, doubt), (zero, other_doubt) = (mass_known_well(mass) for mass in (base.infinity, base.minus_infinity))
        error += doubt + other_doubt
        masses = [_allocation_masses_at(np.maximum(at, 0), side, size) for side in (p, q)]
        return _ratio_law(h, first, masses[0], masses[1], zero, infinity, raised_by(2.0 * error + size * U, GENEROUS), 0.0)
    inside = (at >= 0) & (at < last - first) & (q > _LEAST)  # losses may be so large that q has no digits left
    zero, infinity = zero + float(q[~inside].sum()), infinity + float(p[~inside].sum())
    at, q, loss = at[inside], q[inside], joined.log_a[inside] - joined.log_b[inside]
    up = np.clip(np.expm1(np.clip(loss - h * (at + first), 0.0, h)) / math.expm1(h), 0.0, 1.0)
    spread = _allocation_masses_at(at, (1.0 - up) * q, size) + _allocation_masses_at(at + 1, up * q, size)
    moved = 2.0 * (base.loss_shift(widest) + 2.0 * error) + 32.0 * U * (1.0 + widest)
    return _ratio_law(h, first, np.empty(0), spread, zero, infinity, raised_by(2.0 * error + size * U, GENEROUS), moved)


def _allocation_masses_at(places: NDArray[np.int64], masses: Array, size: int) -> Array:
    return np.bincount(places, weights=masses, minlength=size).astype(np.float64)


def _ratio_law(h: float, first: int, p: Array, q: Array, zero: float, infinity: float, error: float, moved: float) -> RatioLaw:
    """Return the law without its tails: where masses are split, those of P follow from those of Q."""
    if moved:
        p = q * np.exp(np.minimum(h * np.arange(first, first + q.size), 700.0))  # P has no more than 1, so q has less
        ends = np.cumsum(p[::-1])[::-1] > _TAIL, np.cumsum(q) > _TAIL
    else:
        ends = np.cumsum((p + q)[::-1])[::-1] > _TAIL, np.cumsum(p + q) > _TAIL
    # the lesser of two masses that are this small may be denormal, or 0 where it is not; so may products of two
    keep = ends[0] & ends[1] & (q > _LEAST) & (p > _LEAST)
    if moved:  # what is cut off tells P and Q apart for certain
        zero, infinity = (
            min(1.0, zero + raised_by(float(q[~keep].sum()) + q.size * _LOST, GENEROUS)),
            min(1.0, infinity + raised_by(float(p[~keep].sum()) + q.size * _LOST, GENEROUS)),
        )
    some = np.flatnonzero(keep)
    if not some.size:
        some = np.array([0])
    begin, end = int(some[0]), int(some[-1]) + 1
    p, q = np.where(keep, p, 0.0)[begin:end], np.where(keep, q, 0.0)[begin:end]
    return RatioLaw(h, first + begin, p, q, zero, infinity, error, moved)


def _refined_ratio_law(law: RatioLaw) -> RatioLaw:
    """Return the law on the grid of half the step, on which it lies too."""
    p, q = np.zeros(2 * law.q.size - 1), np.zeros(2 * law.q.size - 1)
    p[::2], q[::2] = law.p, law.q
    return RatioLaw(0.5 * law.h, 2 * law.first, p, q, law.zero, law.infinity, law.error, law.moved)


def _mean_ratio_law(one: RatioLaw, other: RatioLaw, weight: float, above: bool) -> RatioLaw:
    """Return the law of weight R1 + (1 - weight) R2, for independent ratios on the same grid.

    On a geometric grid the mean of e^{h i} and e^{h j} is e^{h j} times what depends on i - j alone.
    """
    h, rest = one.h, 1.0 - weight
    lags = np.arange(one.first - other.first - other.q.size + 1, one.first - other.first + one.q.size)
    exponent = h * lags
    larger = np.maximum(exponent, 0.0)
    rise = larger + np.log(weight * np.exp(exponent - larger) + rest * np.exp(-larger))
    alone = (math.log(weight), math.log(rest))  # what a ratio becomes beside a ratio of 0
    fall = math.ceil(-min(alone) / h) + 2 if max(one.zero, other.zero) > _RARE else 2
    first = min(one.first, other.first) - fall
    size = max(one.first + one.q.size, other.first + other.q.size) - first + 3
    p, q = np.zeros(size), np.zeros(size)
    steps = np.floor(rise / h) if above else np.rint(rise / h)
    share = np.clip(np.expm1(rise - h * steps) / math.expm1(h), 0.0, 1.0)
    symmetric = one is other
    for lag, step, up in zip(lags.tolist(), steps.astype(int).tolist(), share.tolist(), strict=True):
        if symmetric and lag < 0:
            continue
        times = 2.0 if symmetric and lag else 1.0
        begin = max(other.first, one.first - lag)
        end = min(other.first + other.q.size, one.first + one.q.size - lag)
        i, j = slice(begin + lag - one.first, end + lag - one.first), slice(begin - other.first, end - other.first)
        at = begin + step - first
        both = times * one.q[i] * other.q[j]
        if above:
            q[at : at + end - begin] += (1.0 - up) * both
            q[at + 1 : at + 1 + end - begin] += up * both
        else:
            q[at : at + end - begin] += both
            p[at : at + end - begin] += times * (weight * (one.p[i] * other.q[j]) + rest * (one.q[i] * other.p[j]))
    zero, infinity = one.zero * other.zero, weight * one.infinity + rest * other.infinity
    for law, share_of, log_factor, beside in ((one, weight, alone[0], other.zero), (other, rest, alone[1], one.zero)):
        if beside <= _RARE:
            zero, infinity = (zero + beside, infinity + share_of * beside) if above else (zero, infinity)
            continue
        step = math.floor(log_factor / h)
        up = min(max(math.expm1(log_factor - h * step) / math.expm1(h), 0.0), 1.0)
        at = law.first + step - first
        if above:
            q[at : at + law.q.size] += (1.0 - up) * law.q * beside
            q[at + 1 : at + 1 + law.q.size] += up * law.q * beside
        else:
            q[at : at + law.q.size] += law.q * beside
            p[at : at + law.q.size] += share_of * law.p * beside
    rounding = U * (2.0 * lags.size + 32.0)
    width = float(np.abs(exponent).max(initial=0.0)) + abs(min(alone))
    moved = max(one.moved, other.moved) + 32.0 * U * (2.0 + width) if above else 0.0
    error = raised_by(one.error + other.error + rounding, GENEROUS)
    return _ratio_law(h, first, p, q, zero, infinity, error, moved)


def _product_ratio_law(one: RatioLaw, other: RatioLaw, above: bool) -> RatioLaw:
    """Return the law of R1 R2, for independent ratios on the same grid: places add up."""
    q = np.convolve(one.q, other.q)
    p = np.empty(0) if above else np.convolve(one.p, other.p)
    rounding = U * (2.0 * min(one.q.size, other.q.size) + 16.0)
    error = raised_by(one.error + other.error + rounding, GENEROUS)
    zero, infinity = _either(one.zero, other.zero, above), _either(one.infinity, other.infinity, above)
    return _ratio_law(one.h, one.first + other.first, p, q, zero, infinity, error, one.moved + other.moved)


def _either(one: float, other: float, above: bool) -> float:
    """Return the probability that one of two independent events occurs, rounded up or down."""
    found = one + other * (1.0 - one)
    return min(1.0, raised(found, 4)) if above else lowered(found, 4)


def _power_ratio_law(law: RatioLaw, times: int, above: bool) -> RatioLaw:
    result = law
    for bit in bin(times)[3:]:
        result = _product_ratio_law(result, result, above)
        if bit == "1":
            result = _product_ratio_law(result, law, above)
    return result
