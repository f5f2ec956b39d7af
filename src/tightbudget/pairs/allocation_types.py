"""In k of t batches, from below: the pair of merged answers, by how often each of them occurs (M29).

An epoch in which a record is in a random k of t batches has the likelihood ratio e_k(r_1, ..., r_t) / C(t, k), which
depends only on how often each answer occurs. With few different answers, or answers merged into few, these counts can
be listed.
"""

import math
from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from tightbudget.numerics.mass import NONE, Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Array, Cells, Direction, Pair
from tightbudget.pairs.infinite_mass import mass_known_well
from tightbudget.pairs.points import PointPair, point_pair

_MOST_ENTRIES = 2**18  # counts times the coefficients kept of each
_MOST_ANSWERS = 64
_MOST_BATCHES = 400
_LEAST_LOG = -575.0  # products of masses stay above e^-575, far from denormal
_TAIL = 0.3  # of a distribution beyond the outermost edge, over the number of answers


class AnswerTypes(NamedTuple):
    """Answers of one batch: their masses with and without the record, and the relative error of these."""

    p: Array
    q: Array
    error: float


def pair_of_types(base: Pair, batches: int, times: int, direction: Direction) -> PointPair | None:
    """Return a pair that the epoch dominates; None if even two answers have too many counts."""
    found = _allocation_types(cast(Hashable, base), batches, times)
    if found is None:
        return None
    p, q, error = found
    only_a, only_b = base.infinity, base.minus_infinity
    if direction is Direction.ADD:
        (p, q), (only_a, only_b) = (q, p), (only_b, only_a)
    both = (p > 0.0) & (q > 0.0)
    log_a, log_b = np.log(p[both]), np.log(q[both])
    errors = error + 4.0 * U * (2.0 + np.maximum(np.abs(log_a), np.abs(log_b)))
    return point_pair(
        ("types", base, batches, times, direction),
        log_a - log_b,
        log_a,
        log_b,
        error=errors,
        infinity=only_a.nearer(math.log(2.0 * batches), _type_mass(p[~both], error)),
        minus_infinity=only_b.nearer(math.log(2.0 * batches), _type_mass(q[~both], error)),
        loss_error=2.0 * float(errors.max(initial=0.0)),
    )


def _type_mass(masses: Array, error: float) -> Mass:
    total = float(masses.sum())
    return Mass.about(math.log(total), 2.0 * error + (masses.size + 64.0) * U) if total > 0.0 else NONE


@lru_cache(maxsize=16)  # both directions ask for it
def _allocation_types(base: Hashable, batches: int, times: int) -> tuple[Array, Array, float] | None:
    if batches > _MOST_BATCHES:
        return None
    answers = _few_answers(cast(Pair, base), batches, times)
    if answers is None:
        return None
    p, q = _counted_answers(answers, batches, times)
    roundings = 8.0 * batches + answers.p.size * (2.0 * times + 8.0) + 16.0
    return p, q, batches * answers.error + roundings * U


def _few_answers(base: Pair, batches: int, times: int) -> AnswerTypes | None:
    """Return the answers of one batch, merged into as many as have counts that are not too many."""
    most = _MOST_ANSWERS
    while math.comb(batches + most - 1, most - 1) * (times + 1) > _MOST_ENTRIES:
        most -= 1
    if most < 2:
        return None
    answers = _merged_answers(base, most)
    masses = np.concatenate([answers.p, answers.q])
    least = masses[masses > 0.0].min(initial=1.0)
    return answers if answers.p.size >= 2 and batches * math.log(least) > _LEAST_LOG else None


def _merged_answers(base: Pair, most: int) -> AnswerTypes:
    """Return the base with its losses merged into cells, which is post-processing."""
    points = base.points()
    (infinity, doubt), (minus_infinity, other_doubt) = (mass_known_well(mass) for mass in (base.infinity, base.minus_infinity))
    inner = most - sum(mass > 0.0 for mass in (infinity, minus_infinity))
    if isinstance(base, PointPair) and points.size <= inner:
        cells, place = points, np.arange(points.size)
    else:
        edges = _merged_answer_edges(base, max(1, inner))
        between = base.cells(np.concatenate([[-np.inf], edges, [np.inf]]))
        cells = Cells.join(between, points)
        place = np.concatenate([np.arange(between.size), np.searchsorted(edges, points.low)])
    p, q = (np.bincount(place, weights=np.exp(side)) for side in (cells.log_a, cells.log_b))
    some = (p > 0.0) & (q > 0.0)
    error = 2.0 * float(cells.error[np.isfinite(cells.log_a)].max(initial=0.0)) + (cells.size + 1000.0) * U
    only_p, only_q = ([mass] if mass > 0.0 else [] for mass in (infinity, minus_infinity))
    return AnswerTypes(
        np.concatenate([p[some], only_p, np.zeros(len(only_q))]),
        np.concatenate([q[some], np.zeros(len(only_p)), only_q]),
        error + doubt + other_doubt,
    )


def _merged_answer_edges(base: Pair, cells: int) -> Array:
    """Return losses between the cells, evenly spaced where most of either distribution lies."""
    coarse = base.coarse_cells()
    a, b = np.exp(coarse.log_a), np.exp(coarse.log_b)
    tail = _TAIL / cells
    low = coarse.high[int(np.searchsorted(np.cumsum(b), tail * b.sum()))]
    high = coarse.low[-1 - int(np.searchsorted(np.cumsum(a[::-1]), tail * a.sum()))]
    if cells < 3 or not low < high:
        return np.array([0.5 * (low + high)])[: cells - 1]
    return np.linspace(low, high, cells - 1)


def _counted_answers(answers: AnswerTypes, batches: int, times: int) -> tuple[Array, Array]:
    """Return the masses, with and without the record, of all ways in which the answers can be counted.

    Of answers that occur n_1, ..., n_m times they are t! / (n_1! ... n_m!) times the coefficients of z^k, over C(t, k),
    and of z^0 in the product of (q_i + p_i z)^n_i.
    """
    choose = _type_binomials(batches)
    left, kept = np.array([batches]), np.eye(1, times + 1)
    for i in range(answers.p.size):
        powers = _type_polynomial_powers(float(answers.p[i]), float(answers.q[i]), batches, times)
        if i == answers.p.size - 1:
            kept = _type_polynomial_product(kept, powers[left])
            break
        rows = np.repeat(np.arange(left.size), left + 1)
        used = np.arange(rows.size) - np.repeat(np.cumsum(left + 1) - (left + 1), left + 1)
        kept = _type_polynomial_product(kept[rows], choose[left[rows], used][:, None] * powers[used])
        left = left[rows] - used
    return kept[:, times] / choose[batches, times], kept[:, 0]


def _type_binomials(most: int) -> Array:
    table = np.zeros((most + 1, most + 1))
    table[:, 0] = 1.0
    for n in range(1, most + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


def _type_polynomial_powers(p: float, q: float, most: int, times: int) -> Array:
    """Return the coefficients of 1, z, ..., z^k in (q + p z)^n, for n = 0 ... most."""
    table = np.zeros((most + 1, times + 1))
    table[0, 0] = 1.0
    for n in range(1, most + 1):
        table[n] = q * table[n - 1]
        table[n, 1:] += p * table[n - 1, :-1]
    return table


def _type_polynomial_product(one: Array, other: Array) -> Array:
    """Return the coefficients of the products of polynomials, row by row."""
    product = np.zeros_like(one)
    for j in range(one.shape[1]):
        product[:, j:] += one[:, j : j + 1] * other[:, : one.shape[1] - j]
    return product
