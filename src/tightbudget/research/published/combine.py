"""The two inner nodes of a composition tree: composition and squaring (Definitions 4 and 7, corrected; M11)."""

import math

import numpy as np

from tightbudget.numerics.rounding import GENEROUS, U, lowered, raised, raised_by
from tightbudget.research.published.buckets import REAL, TAIL, VIRTUAL, A, Array, Buckets, bucket_list
from tightbudget.research.published.convolution import bucket_convolution
from tightbudget.research.published.leaves import uncorrected_mass

_SPARE = 0.05  # of an error just booked: cutting that much more from the ends makes lists shorter and costs little


def composed_buckets(first: Buckets, second: Buckets) -> Buckets:
    """Return the buckets of T1 x T2: indices add, below -n they are clamped to -n, above n they leave the list.

    The convolution of the B-masses is the paper's sum over V (Definition 7); for what is clamped to -n it is the
    repaired one (Lemma 11).
    """
    n, log_factor = first.n, first.log_factor
    product = bucket_convolution(first.rows, second.rows)
    # exact rows have sums of at most 1, so an L1 error e of one factor becomes at most e (1 + error of the other)
    inherited = first.error + second.error + first.error * second.error
    fresh = product.error + 16.0 * U
    error = raised_by(inherited + fresh, GENEROUS)
    loss_shift = raised(first.loss_shift + second.loss_shift, 4)

    below, inside, above = _cut_to_buckets(product.rows, first.first + second.first + product.first, n)
    start = min(max(-n, first.first + second.first + product.first), n)
    if below is not None:
        below[REAL] = uncorrected_mass(float(below[A]), float(error[A]), n * log_factor, loss_shift)
        inside = np.concatenate([below[:, None], inside], axis=1)
    over_b = first.over_b * (float(second.rows[VIRTUAL].sum()) + second.over_b)
    over_b += float(first.rows[VIRTUAL].sum()) * second.over_b + float(above[VIRTUAL])
    return bucket_list(
        log_factor=log_factor,
        n=n,
        u=first.u + second.u,
        first=start,
        rows=inside,
        infinity=min(1.0, first.infinity + second.infinity * (1.0 - first.infinity) + float(above[A])),
        distinguishing=lowered(first.distinguishing + second.distinguishing * (1.0 - first.distinguishing), 8),
        over_b=over_b,
        loss_shift=loss_shift,
        error=error,
        tail=max(TAIL, _SPARE * float(fresh.max())),
    )


def squared_buckets(child: Buckets) -> Buckets:
    """Return the buckets for f^2: buckets 2i - 1 and 2i become bucket i, so losses are only ever rounded up.

    Bucket -n alone becomes bucket -n/2; without it, as Definition 4 is printed, its mass would be lost.
    """
    lead = (child.first + 1) % 2  # pairs begin at an odd index
    padded = np.pad(child.rows, ((0, 0), (lead, (child.rows.shape[1] + lead) % 2)))
    rows = padded[:, 0::2] + padded[:, 1::2]
    return bucket_list(
        log_factor=2.0 * child.log_factor,
        n=child.n,
        u=child.u // 2 + 1,
        first=(child.first - lead + 1) // 2,
        rows=rows,
        infinity=child.infinity,
        distinguishing=child.distinguishing,
        over_b=child.over_b,
        loss_shift=child.loss_shift,
        error=child.error + 2.0 * U,
    )


def _cut_to_buckets(rows: Array, first: int, n: int) -> tuple[Array | None, Array, Array]:
    """Return the sums of columns at indices <= -n (None if there are none), those between, and the sums above n."""
    start = min(max(0, -n - first + 1), rows.shape[1])
    stop = min(max(start, n - first + 1), rows.shape[1])
    below, above = (np.array([math.fsum(row) for row in part.tolist()]) for part in (rows[:, :start], rows[:, stop:]))
    inside = rows[:, start:stop]
    if start == 0 and inside.shape[1] == 0:
        inside = np.zeros((3, 1))
    return (below if start else None), inside, above
