"""The largest of several noisy answers, of which one is moved: a part of what shuffled batches release (M26)."""

import numpy as np
from scipy import special

from tightbudget.numerics.rounding import U
from tightbudget.pairs.points import PointPair, point_pair

_CELLS = 1000
_LEAST = 1e-7  # cells with less are left out, so that a difference of probabilities has digits


def largest_answer_pair(m: float, answers: int, with_first: bool) -> PointPair:
    """Return the law of the largest of `answers` normal answers if one of them is moved by 2m, against by m.

    Cells are merged and some left out, which can only lower what the pair tells. With `with_first` the one moved by 2m
    is A.
    """
    edges = np.linspace(-9.0, 9.0 + 2.0 * m, _CELLS)
    others = (answers - 1) * special.log_ndtr(edges)
    far, near = (np.diff(np.exp(others + special.log_ndtr(edges - shift))) for shift in (2.0 * m, m))
    some = (far > _LEAST) & (near > _LEAST)
    log_far, log_near = np.log(far[some]), np.log(near[some])
    log_a, log_b = (log_far, log_near) if with_first else (log_near, log_far)
    # an exponent x <= 0 is good to some 16u|x|, which moves e^x by 6u at most; an edge by u (9 + 2m), m by 4u of itself
    error = 256.0 * U * (1.0 + m) / np.minimum(far[some], near[some])
    return point_pair(
        ("largest answer", m, answers, with_first),
        log_a - log_b,
        log_a,
        log_b,
        error=error,
        loss_error=2.0 * float(error.max(initial=0.0)),
    )
