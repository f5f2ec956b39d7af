"""Gaussian noise on a batch drawn with replacement: as many moves as there are copies of a record (M27)."""

import math
from functools import lru_cache

from tightbudget.numerics.binomial import binomial
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.mixtures import NORMAL, Mixture


def copies_pair(batch: int, examples: int, m: float, direction: Direction) -> Pair:
    """Return the pair of a record that comes or goes, of which each copy moves the query by m sigmas; examples > 1."""
    copies = _mixture_of_copies(batch, examples, m)
    above, below = (copies, NORMAL) if direction is Direction.REMOVE else (NORMAL, copies)
    return gaussian_mixture_pair(above, below)


def _mixture_of_copies(batch: int, examples: int, m: float) -> Mixture:
    """Return Bin(batch, 1/examples) moves, for a batch so small that all its probabilities are had."""
    return Mixture(tuple(k * m for k in range(batch + 1)), *_copies_drawn(batch, examples))


@lru_cache(maxsize=64)
def _copies_drawn(batch: int, examples: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the logs of the probabilities of 0, 1, 2, ... copies, and bounds on their errors."""
    q = 1.0 / examples  # off by a rounding, which counts once for every copy, and once for all that are none
    law = binomial(batch, q)
    assert law.first == 0
    none = batch * math.log1p(-q)
    errors = [error + U * (2.0 * k + 4.0 * batch * q) for k, error in enumerate(law.errors.tolist())]
    return (none, *law.logs[1:].tolist()), (16.0 * U * -none, *errors[1:])
