"""Mechanisms as leaves of composition trees (sections 5.1 to 5.5): `embed`, and one function a mechanism.

Masses come from the mechanisms' own pairs, integrated exactly over each bucket (the paper's lbb and rbb); nothing is
sampled.
"""

import math
from collections.abc import Sequence

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, real
from tightbudget.mechanisms.gaussian import Gaussian, TruncatedGaussian
from tightbudget.mechanisms.histograms import Histograms
from tightbudget.mechanisms.laplace import Laplace, TruncatedLaplace
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.randomized_response import RandomizedResponse
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.points import point_pair
from tightbudget.research.published.tree import LARGEST_STEP, SMALLEST_STEP, Leaf, bucket_count

_NEGLIGIBLE_LOSS = 1e-16  # losses so rare that they may go to bucket infinity or -n
_ON_LATTICE = 1e-9  # in buckets

BUCKETS = 50_000
"""Default n: 100,000 buckets, as in the paper's evaluation."""


def embed(
    mechanism: Mechanism, n: int = BUCKETS, log_factor: float | None = None, direction: Direction = Direction.REMOVE
) -> Leaf:
    """Return the leaf of any mechanism; without a `log_factor`, the one of `fitting_log_factor`."""
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter("mechanism", mechanism, "a mechanism such as tb.Gaussian(sigma=4)")
    if not isinstance(direction, Direction):
        raise InvalidParameter("direction", direction, "Direction.REMOVE or Direction.ADD")
    mechanism.check_proven()
    count = bucket_count(n)
    pair = pair_or_nothing(mechanism, direction)
    step = fitting_log_factor(pair, count) if log_factor is None else log_factor
    # of one step alone: members only where the pair is not attained at every epsilon
    return Leaf(pair, step, count, str(mechanism), mechanism.members() != (mechanism,), bool(mechanism._members))


def laplace(scale: float, n: int = BUCKETS, granularity: int | None = None, sensitivity: float = 1.0) -> Leaf:
    """Return the precise embedding of Laplace noise (5.1): f = e^(sensitivity/scale/granularity); no atom is moved.

    `granularity` is the paper's gr: the largest loss sits on the edge of bucket gr.
    """
    mechanism, count = Laplace(scale, sensitivity), bucket_count(n)
    if granularity is None:
        return embed(mechanism, count)
    gr = real("granularity", granularity, f"a whole number from 1 to n = {count}")
    if not (1.0 <= gr <= count and gr == math.floor(gr)):
        raise InvalidParameter("granularity", granularity, f"a whole number from 1 to n = {count}")
    return embed(mechanism, count, pair_or_nothing(mechanism, Direction.REMOVE).max_loss / gr)


def truncated_laplace(scale: float, bound: float, n: int = BUCKETS, sensitivity: float = 1.0) -> Leaf:
    """Return the leaf of Laplace noise cut off at +-bound (5.1); what only A can produce is in bucket infinity."""
    return embed(TruncatedLaplace(scale, bound, sensitivity), n)


def gauss(sigma: float, n: int = BUCKETS, sensitivity: float = 1.0) -> Leaf:
    """Return the leaf of Gaussian noise."""
    return embed(Gaussian(sigma, sensitivity), n)


def truncated_gauss(sigma: float, bound: float, n: int = BUCKETS, sensitivity: float = 1.0) -> Leaf:
    """Return the leaf of Gaussian noise cut off at +-bound (5.2), by exact masses; the paper samples a histogram."""
    return embed(TruncatedGaussian(sigma, bound, sensitivity), n)


def sgd(sigma: float, q: float, n: int = BUCKETS, direction: Direction = Direction.REMOVE) -> Leaf:
    """Return the leaf of a DP-SGD step (5.4): (1-q) GS(0, sigma^2) + q GS(1, sigma^2), GS(0, sigma^2), or reversed."""
    return embed(Poisson(Gaussian(sigma), q), n, direction=direction)


def randomized_response(p: float, n: int = BUCKETS) -> Leaf:
    """Return the leaf of randomised response (5.5): truth with probability p; both losses sit on bucket edges."""
    return embed(RandomizedResponse(p), n)


def histograms(a: Sequence[float], b: Sequence[float], factor: float, n: int) -> Leaf:
    """Return the leaf of two histograms over the same cells (Definitions 4, 7); swap them for the other direction."""
    f = positive("factor", factor, "The bucket factor f must be above 1, e.g. 1.001.")
    if f <= 1.0:
        raise InvalidParameter("factor", factor, "a number above 1", "Close to 1 is fine: 1.001.")
    return embed(Histograms(a, b), n, math.log(f))  # type: ignore[arg-type]  # it checks and copies any list


def fitting_log_factor(pair: Pair, n: int) -> float:
    """Return a step with which all but a negligible part of the pair fits into -n, ..., n.

    Losses on a lattice get the edges of buckets whose indices are divisible by large powers of 2, so that squaring
    keeps them there. Starting too fine costs nothing: the square of a leaf is the leaf of the squared factor.
    """
    cells = pair.coarse_cells()
    if cells.size == 0:
        return 1.0 / n
    least = math.log(_NEGLIGIBLE_LOSS)
    used = np.zeros(cells.size, dtype=np.bool_)
    for logs in (cells.log_a, cells.log_b):
        used |= (np.logaddexp.accumulate(logs) > least) & (np.logaddexp.accumulate(logs[::-1])[::-1] > least)
    reach = float(np.maximum(np.abs(cells.low[used]), np.abs(cells.high[used])).max(initial=0.0))
    if not 0.0 < reach < math.inf:
        return 1.0 / n
    step, lattice = reach / n, pair.alignment
    if lattice is not None and pair.points().size:
        part = lattice.period / 2.0 ** math.floor(math.log2(lattice.period) - math.log2(step))
        where = lattice.anchor / part
        step = part if abs(where - round(where)) <= _ON_LATTICE else step
    return min(max(step, SMALLEST_STEP), LARGEST_STEP)


def pair_or_nothing(mechanism: Mechanism, direction: Direction) -> Pair:
    """Return the pair of the mechanism, also where it reveals nothing."""
    return mechanism.pair(direction) or nothing_pair()


def nothing_pair() -> Pair:
    """Return the pair of a mechanism that reveals nothing: A = B."""
    one = np.zeros(1)
    return point_pair(("nothing",), one, one, one, error=0.0)
