"""The pair at the other end: everything is revealed."""

import numpy as np

from tightbudget.pairs.points import PointPair, point_pair


def revealing(mass: float = 1.0) -> PointPair:
    """Return the pair of a release that, with the given probability, shows everything and otherwise nothing."""
    if mass == 1.0:
        empty = np.empty(0)
        return point_pair(("revealing", 1.0), empty, empty, empty, error=0.0, infinity=1.0, lost=1.0)
    log_rest = np.log1p(-np.array([mass]))
    return point_pair(("revealing", mass), np.zeros(1), log_rest, log_rest, error=1e-15, infinity=mass, lost=mass)
