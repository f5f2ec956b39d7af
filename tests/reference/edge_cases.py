"""Random mechanisms, compositions and questions at the edges of float64.

Denormal and huge parameters, probabilities next to 0, 1/2 and 1, counts up to 2^53; questions at 0, at infinity, at the
smallest floats, and just beside the largest loss and the infinite mass.
"""

import math
from collections.abc import Sequence
from random import Random

from flint import arb, ctx
from tests.reference.truth_edge_sums import Steps

import tightbudget as tb

TINY = 5e-324
FEW = (2, 2, 3, 4, 7)
MANY = (100, 10**6, 10**15, 2**53 - 1, 2**53)
WIDTHS = (1e-3,) * 12 + (0.5, 1e-9, 1e300, 1e-300, TINY)
EASY_WIDTHS = (1e-3,) * 12 + (0.5, 1e300)  # what a composition of many steps can be asked for by the thousand


def edge_number(random: Random, low: float = 1e-323, high: float = 1e300) -> float:
    """A float whose exponent is as likely large as small, now and then a round one or the smallest."""
    roll = random.random()
    if roll < 0.3:
        value = random.choice((1e-5, 0.1, 0.5, 1.0, 2.0, 3.0, 10.0, 37.0, 700.0, 745.0)) * random.choice(
            (1.0, random.random() + 0.5)
        )
    elif roll < 0.4:
        value = random.choice((TINY, 1.5e-323, 1e-320, 2.2250738585072014e-308, 1e-300, 1e-200, 1e-160, 1e150, 1e300))
    elif roll < 0.7:
        value = 10.0 ** random.uniform(-6, 4)
    else:
        value = 10.0 ** random.uniform(-323, 300)
    return min(max(value, low), high)


def edge_probability(random: Random) -> float:
    """A number strictly between 0 and 1, often next to one of them."""
    roll = random.random()
    if roll < 0.25:
        return random.choice((0.5, 0.25, 0.1, 0.01, 1e-3, random.random() or 0.5))
    if roll < 0.35:
        return random.choice((TINY, 1e-320, 1e-310, 2.3e-308, 1e-300, 1e-160))
    if roll < 0.5:
        return random.choice((1 - 2.0**-53, 1 - 2.0**-52, 1 - 1e-12, 1 - 1e-6, 0.5 + 2.0**-53, 0.5 - 2.0**-54, 0.75))
    return max(TINY, 10.0 ** random.uniform(-18, 0) if random.random() < 0.6 else 10.0 ** random.uniform(-323, 0)) * 0.999


def randomized_response(random: Random) -> tb.Mechanism:
    k = random.choice((2, 2, 3, 10, 10**6, 2**53, 10**15, 10**30, 10**300))
    p = (
        edge_probability(random)
        if random.random() < 0.7
        else min(1.0, max(0.0, (1 / k) * (1 + random.choice((0, 1e-15, -1e-15, 1e-9)))))
    )
    return tb.RandomizedResponse(p, k)


def pure_dp(random: Random) -> tb.Mechanism:
    return tb.PureDP(edge_number(random))


def approximate_dp(random: Random) -> tb.Mechanism:
    return tb.ApproximateDP(random.choice((0.0, edge_number(random), edge_number(random))), edge_probability(random))


def histograms(random: Random) -> tb.Mechanism:
    size = random.choice((1, 2, 2, 3, 3, 4))
    scale = [
        random.choice((0.0, 1.0, 1.0, 2.0, 1e-300, 1e-30, TINY, 1.5e-323, 1e-310, 1e300, 1e-12, random.random()))
        for _ in range(size)
    ]
    other = [random.choice((0.0, x, 2 * x, 3 * x, random.random(), 1.0, TINY)) for x in scale]
    factor = random.choice((1.0, 1.0, 1e-300, 2.0**-1000, 1e200))
    a, b = tuple(scale), tuple(min(1e307, x * factor) for x in other)
    if random.random() < 0.15:
        b = tuple(x * 2.0 for x in a)  # proportional: reveals nothing
    a, b = (x if max(x) > 0.0 else (1.0,) * size for x in (a, b))
    return tb.Histograms(a, b)


def laplace(random: Random) -> tb.Mechanism:
    return tb.Laplace(edge_number(random), random.choice((1.0, 1.0, edge_number(random))))


def gaussian(random: Random) -> tb.Mechanism:
    return tb.Gaussian(edge_number(random), random.choice((1.0, 1.0, edge_number(random))))


def gaussian_dp(random: Random) -> tb.Mechanism:
    return tb.GaussianDP(edge_number(random))


def truncated(random: Random) -> tb.Mechanism:
    kind = random.choice((tb.TruncatedLaplace, tb.TruncatedGaussian))
    scale = edge_number(random) if random.random() < 0.4 else 1.0
    cut = random.choice((38.4, 39.4, 37.5, 5.0, 700.0, 743.5, 744.0, 745.2, 1.0, 0.1, 1e-3, 2.0, edge_number(random)))
    bound = min(max(scale * cut, TINY), 1e300)
    shift = bound * random.choice(
        (1e-12, 1e-3, 1 / cut if cut else 1.0, 0.5, 1 - 1e-9, 1.0, 1.5, 2 - 2e-16, 2.0, random.random())
    )
    return kind(scale, bound, min(max(shift, TINY), 1e300))


def bounded_range(random: Random) -> tb.Mechanism:
    return tb.BoundedRange(edge_number(random))


def discrete_laplace(random: Random) -> tb.Mechanism:
    return tb.DiscreteLaplace(edge_number(random), random.choice((1, 1, 2, 3)))


def discrete_gaussian(random: Random) -> tb.Mechanism:
    return tb.DiscreteGaussian(min(edge_number(random), random.choice((0.3, 1.0))), random.choice((1, 1, 2)))


def clamped(random: Random) -> tb.Mechanism:
    kind = random.choice((tb.ClampedLaplace, tb.ClampedGaussian))
    mean = random.choice((0.0, -1.0, 0.5, 5.0, 5.5, 5.0 + 1e-12, 1e-300, -40.0, random.uniform(-3, 8)))
    scale = edge_number(random, high=1e300 if kind is tb.ClampedLaplace else 0.4)
    return kind(mean, scale, random.choice((1, 1.0, 0.5, 2, 1e-9, 1e-300, TINY)))


KINDS = {
    "randomized_response": randomized_response,
    "pure_dp": pure_dp,
    "approximate_dp": approximate_dp,
    "histograms": histograms,
    "laplace": laplace,
    "gaussian": gaussian,
    "gaussian_dp": gaussian_dp,
    "truncated": truncated,
    "bounded_range": bounded_range,
    "discrete_laplace": discrete_laplace,
    "discrete_gaussian": discrete_gaussian,
    "clamped": clamped,
}


def mechanism(random: Random, kind: str) -> tb.Mechanism:
    """One of a kind, sampled now and then, or samples of samples."""
    found = KINDS[kind](random)
    while random.random() < 0.35:
        found = tb.Poisson(found, edge_probability(random), mix_relations=True)
    return found


def composition(random: Random, kind: str, counts: Sequence[int]) -> tb.Composition:
    """Repetitions of one of a kind; one time in five of another mechanism too."""
    parts = [mechanism(random, kind) * random.choice(counts)]
    if random.random() < 0.2:
        parts.append(mechanism(random, random.choice(list(KINDS))) * random.choice(counts))
    return tb.compose(parts, mix_relations=True)


def epsilons(random: Random, sides: Sequence[Steps], count: int) -> list[float]:
    """Some to ask delta at: the ends of the scale, and both sides of the largest losses."""
    asked = [0.0, math.inf, TINY, 1e-310, 1.0, 700.0, 1e300]
    with ctx.workprec(400):
        tops = [nearest(one.largest()) for one in sides if one.items and one.bounded]
    for top in tops:
        if math.isfinite(top):
            asked += [top, math.nextafter(top, 0), math.nextafter(top, math.inf), top * (1 - 1e-9), top * 0.999, top * 0.5]
    return random.sample(asked, count)


def deltas(random: Random, sides: Sequence[Steps], count: int) -> list[float]:
    """Some to ask epsilon at: the ends of the scale, and both sides of the infinite masses."""
    asked = [0.0, TINY, 1e-320, 1e-310, 1e-300, 1e-100, 1e-6, 0.3, 1 - 2.0**-53, 1 - 1e-9, 1.0]
    with ctx.workprec(400):
        masses = [nearest(one.infinity()) for one in sides]
    for mass in masses:
        if 0.0 < mass < 1.0:
            asked += [mass, math.nextafter(mass, 0), math.nextafter(mass, 1), mass * (1 - 1e-10), mass * 0.99] * 2
            asked += [min(1.0, mass * (1 + 1e-10)), min(1.0, mass * 1.01)] * 2
    return random.sample(asked, count)


def nearest(x: arb) -> float:
    """A float from 0 near the middle of a ball, inf if it is too large for one or the ball says nothing."""
    return max(0.0, float(x.mid())) if x.is_finite() and abs(x) < 1.7e308 else math.inf
