"""A batch of a fixed size whose other records all pull one way, with normal noise: a member of a class (M31)."""

import numpy as np

from tightbudget.pairs.gaussian_mixture import sampled_mixture
from tightbudget.pairs.points import PointPair, point_pair

_SIGMAS = 18.0  # around all centres
_BEYOND = 1e-70  # more than there is beyond
_STEP = 0.04
_MOST_CELLS = 2000  # also where the record is far from the others: steps are coarser then, which tells less


def pulled_batch_pair(m: float, q: float, moved_first: bool) -> PointPair:
    """Return (1-q)N(0) + qN(2m) against (1-q)N(0) + qN(m), seen through cells of the answer.

    The loss does not grow with the answer, so its cells are merged by place. Merging them, and leaving out what lies
    beyond, can only lower what the pair tells. With `moved_first` the one that is moved by 2m is A.
    """
    span = 2.0 * (_SIGMAS + m)
    edges = np.linspace(-_SIGMAS, _SIGMAS + 2.0 * m, min(_MOST_CELLS, 1 + int(span / _STEP)))
    (log_far, error_far), (log_near, error_near) = (sampled_mixture(shift, q).log_masses(edges) for shift in (2.0 * m, m))
    log_a, log_b = (log_far, log_near) if moved_first else (log_near, log_far)
    error = np.maximum(error_far, error_near)
    return point_pair(
        ("pulled batch", m, q, moved_first),
        log_a - log_b,
        log_a,
        log_b,
        error=error,
        loss_error=2.0 * float(error.max()),
        unresolved=_BEYOND,
        unbounded=moved_first,  # beyond the last place the loss grows on, and falls before the first
    )
