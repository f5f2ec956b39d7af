"""Events of discrete mechanisms with their probabilities under A and B, to 60 digits, from the definitions."""

from functools import cache
from itertools import pairwise

import mpmath
from mpmath import mpf

import tightbudget as tb
from tightbudget.pairs.base import Direction

DIGITS = 60
Events = list[tuple[mpf, mpf]]  # probabilities under A and under B


@cache
def events(mechanism: tb.Mechanism, direction: Direction) -> Events:
    """Return the events; tails that hold less than 1e-500 are left out."""
    with mpmath.workdps(DIGITS):
        remove = direction is Direction.REMOVE
        if isinstance(mechanism, tb.Poisson):
            q, base = mpf(mechanism.q), events(mechanism.mechanism, direction)
            return [(q * a + (1 - q) * b, b) if remove else (a, (1 - q) * a + q * b) for a, b in base]
        without, record = _neighbours(mechanism)
        both = list(zip(record, without, strict=True))
        return both if remove else [(b, a) for a, b in both]


def _neighbours(mechanism: tb.Mechanism) -> tuple[list[mpf], list[mpf]]:
    match mechanism:
        case tb.RandomizedResponse(p=p, k=k):
            truth = mpf(p)
            lie = (1 - truth) / (k - 1)
            rest = [(k - 2) * lie] if k > 2 else []
            return [lie, truth, *rest], [truth, lie, *rest]
        case tb.PureDP(promised_epsilon=epsilon):
            return _promise(mpf(epsilon), mpf(0))
        case tb.ApproximateDP(promised_epsilon=epsilon, promised_delta=delta):
            return _promise(mpf(epsilon), mpf(delta))
        case tb.Histograms(a=a, b=b):
            return [mpf(x) / mpmath.fsum(b) for x in b], [mpf(x) / mpmath.fsum(a) for x in a]
        case tb.DiscreteLaplace(scale=scale, sensitivity=shift):
            return _discrete_laplace(mpf(scale), int(shift))
        case tb.DiscreteGaussian(sigma=sigma, sensitivity=shift):
            return _discrete_gaussian(mpf(sigma), int(shift))
        case tb.ClampedGaussian(mean=mean, sigma=sigma, sensitivity=shift):
            return _clamped(lambda x: mpmath.ncdf(x / mpf(sigma)), mean, shift, int(mean + shift + 46 * sigma))
        case tb.ClampedLaplace(mean=mean, scale=scale, sensitivity=shift):
            return _clamped(lambda x: _laplace_cdf(x / mpf(scale)), mean, shift, int(mean + shift + 200 * scale))
    raise NotImplementedError(mechanism)


def _promise(epsilon: mpf, delta: mpf) -> tuple[list[mpf], list[mpf]]:
    rest = 1 - delta
    likely, rare = rest / (1 + mpmath.exp(-epsilon)), rest * mpmath.exp(-epsilon) / (1 + mpmath.exp(-epsilon))
    extra = [(delta, mpf(0)), (mpf(0), delta)] if delta else []
    pairs = [(likely, rare), (rare, likely), *extra]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _discrete_laplace(scale: mpf, shift: int) -> tuple[list[mpf], list[mpf]]:
    """All x <= 0 have one loss and all x >= shift have one: they are one event each."""
    ratio = mpmath.exp(-1 / scale)
    mass = [(1 - ratio) / (1 + ratio) * ratio**x for x in range(shift + 1)]
    first = [mass[0] / (1 - ratio), *mass[1:-1], mass[-1] / (1 - ratio)]
    return first, first[::-1]


def _discrete_gaussian(sigma: mpf, shift: int) -> tuple[list[mpf], list[mpf]]:
    reach = int(50 * sigma) + 2
    weights = {x: mpmath.exp(-mpf(x * x) / (2 * sigma**2)) for x in range(-reach - shift, reach + shift + 1)}
    total = mpmath.fsum(weights.values())
    places = range(-reach, reach + shift + 1)
    return [weights[x] / total for x in places if x - shift in weights], [weights[x - shift] / total for x in places]


def _laplace_cdf(x: mpf) -> mpf:
    return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2


def _clamped(cdf, mean: float, shift: float, last: int) -> tuple[list[mpf], list[mpf]]:
    """Outcome 0 is noise <= 0, outcome n is noise in (n-1, n]; from `last` on all outcomes are one."""
    both = []
    for centre in (mpf(mean), mpf(mean) + mpf(shift)):
        edges = [mpf(n) - centre for n in range(max(last, 1) + 1)]
        # symmetric noise: differences are taken on the side where the tails are small
        inner = [cdf(y) - cdf(x) if x + y < 0 else cdf(-x) - cdf(-y) for x, y in pairwise(edges)]
        both.append([cdf(edges[0]), *inner, cdf(-edges[-1])])
    return both[0], both[1]


def hockey_stick(points: Events, epsilon: float) -> mpf:
    """Return sum of max(0, a - e^epsilon b)."""
    with mpmath.workdps(DIGITS):
        e = mpmath.exp(mpf(epsilon))
        return mpmath.fsum(max(mpf(0), a - e * b) for a, b in points)
