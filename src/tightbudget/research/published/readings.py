"""What a tree says about delta: without error correction (Definition 5), with it (9), and from below (Theorem 2).

All three read one direction, delta(eps) = sum max(0, P_A - e^eps P_B). Errors of the stored masses are charged in full.
"""

import math

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import epsilon_asked
from tightbudget.numerics.rounding import GENEROUS, U, raised, raised_by
from tightbudget.research.published.buckets import REAL, VIRTUAL, A, Array, Buckets


def delta_without_ec(buckets: Buckets, epsilon: float) -> float:
    """Return the upper bound of Definition 5: B(inf) + sum of B(i) (1 - e^eps / f^i) over f^i > e^eps.

    Guarantee: delta(epsilon) <= result <= 1.
    """
    epsilon = _epsilon_asked_of_buckets(buckets, epsilon)
    terms = _plain_terms(buckets, epsilon)
    return _charged_up(buckets, float(terms.sum()), float(terms.sum()), 0.0)


def delta_with_ec(buckets: Buckets, epsilon: float) -> float:
    """Return the upper bound of Definition 9: from bucket j_eps + u on, B(i)/f^i is corrected by the real term l(i).

    Guarantee: delta(epsilon) <= result <= delta_without_ec(epsilon).
    Which of these buckets are corrected is free; those where rounding eats up the gain are not.
    """
    epsilon = _epsilon_asked_of_buckets(buckets, epsilon)
    plain = _plain_terms(buckets, epsilon)
    without = _charged_up(buckets, float(plain.sum()), float(plain.sum()), 0.0)
    if epsilon > 700.0:
        return without
    scale = math.exp(epsilon)
    corrected = buckets.rows[A] - scale * buckets.rows[REAL]
    chosen = (buckets.stored >= _first_corrected(buckets, epsilon)) & (corrected < plain)
    total = float(np.where(chosen, corrected, plain).sum())
    size = float(np.where(chosen, buckets.rows[A] + scale * buckets.rows[REAL], plain).sum())
    return min(without, _charged_up(buckets, total, size, scale * float(buckets.error[REAL])))


def delta_low(buckets: Buckets, epsilon: float) -> float:
    """Return the lower bound of Theorem 2: each bucket is one event, of masses B(i) and B(i)/f^i + l~(i).

    Bucket infinity counts with the events that B cannot produce, or as one event (M11).
    Guarantee: 0 <= result <= delta(epsilon).
    """
    epsilon = _epsilon_asked_of_buckets(buckets, epsilon)
    certain = buckets.distinguishing
    if epsilon > 700.0:
        return certain
    scale = math.exp(epsilon)
    a, b = buckets.rows[A], scale * buckets.rows[VIRTUAL]
    chosen = a > b
    total = float(np.where(chosen, a - b, 0.0).sum())
    size = float(np.where(chosen, a + b, 0.0).sum()) + buckets.infinity + scale * buckets.over_b
    total += max(certain, buckets.infinity - scale * buckets.over_b)
    charge = float(buckets.error[A]) + scale * float(buckets.error[VIRTUAL]) + _bucket_sum_rounding(buckets) * size
    return max(certain, total - raised_by(charge, GENEROUS))


def first_index(buckets: Buckets, epsilon: float) -> int:
    """Return j_eps, the smallest index with f^j >= e^eps, for finite epsilon."""
    asked = _epsilon_asked_of_buckets(buckets, epsilon)
    if math.isinf(asked):
        raise InvalidParameter("epsilon", epsilon, "a finite number, 0 or more")
    return math.ceil(asked / buckets.log_factor)


def _epsilon_asked_of_buckets(buckets: object, epsilon: float) -> float:
    if not isinstance(buckets, Buckets):
        raise InvalidParameter("buckets", buckets, "the buckets of a composition tree, such as tree.buckets")
    return epsilon_asked(epsilon)


def _first_corrected(buckets: Buckets, epsilon: float) -> int:
    """Return j_eps + u. Losses may be `loss_shift` lower than their bucket says, and the quotient is rounded."""
    return math.ceil(raised((epsilon + buckets.loss_shift) / buckets.log_factor, 8)) + buckets.u


def _plain_terms(buckets: Buckets, epsilon: float) -> Array:
    """Return B(i) max(0, 1 - e^eps / f^i), every loss taken as large as it may be."""
    loss = buckets.stored * buckets.log_factor
    error_bound = buckets.loss_shift + 8.0 * U * (np.abs(loss) + epsilon + buckets.loss_shift) if epsilon < math.inf else 0.0
    terms: Array = buckets.rows[A] * -np.expm1(-np.maximum(loss - epsilon + error_bound, 0.0))
    return terms


def _bucket_sum_rounding(buckets: Buckets) -> float:
    """Return the relative error of a sum over all buckets of terms that are good to a few roundings."""
    return U * (float(buckets.rows.shape[1]) + 32.0)


def _charged_up(buckets: Buckets, total: float, size: float, charge: float) -> float:
    """Return the sum and bucket infinity with all that may be missing; `size` is the sum of absolute values."""
    whole = (
        total + buckets.infinity + float(buckets.error[A]) + charge + _bucket_sum_rounding(buckets) * (size + buckets.infinity)
    )
    return min(1.0, raised(whole, 8))
