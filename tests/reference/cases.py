"""Random compositions with their true delta, for the sandwich test.

`random_cases(rng, kind, n)` yields `Case(expression, epsilon, lower, upper)`: the expression in the package's notation,
an epsilon chosen so that delta is about log-uniform between 0.9 and 1e-200 where the mechanism allows it, and the ends
of an enclosure of the truth as exact mpmath numbers.
"""

import math
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import mpmath
from flint import arb, ctx
from tests.reference import truth_contour as contour
from tests.reference import truth_exact as exact
from tests.reference import truth_laplace as laplace
from tests.reference import truth_lattice as lattice
from tests.reference import truth_steps as steps
from tests.reference.truth_numbers import ends, rational
from tests.reference.truth_subsampled import SubsampledGaussianLaw

DEEPEST = -200 * math.log(10)


class Case(NamedTuple):
    expression: str
    epsilon: float
    lower: mpmath.mpf
    upper: mpmath.mpf


def random_cases(rng: Random, kind: str, n: int) -> Iterator[Case]:
    """Yield n cases; a draw whose truth cannot be computed cheaply is replaced by the next one."""
    made = 0
    while made < n:
        try:
            expression, epsilon, truth = KINDS[kind](rng)
        except ArithmeticError:
            continue
        made += 1
        yield Case(expression, epsilon, *ends(truth))


Drawn = tuple[str, float, arb]


def _log_uniform(rng: Random, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def _count(rng: Random, high: int) -> int:
    return round(_log_uniform(rng, 1, high))


def _times(mechanism: str, count: int) -> str:
    return f"{mechanism} * {count}"


def _epsilon(rng: Random, log_mgf: Callable[[float], float], highest: float = math.inf) -> float:
    """Return an epsilon with log delta roughly uniform: the saddle point t has log delta ~ K(t) - t K'(t)."""
    target = rng.uniform(DEEPEST, math.log(0.9))

    def slope(t: float) -> float:
        return (log_mgf(t * 1.0001) - log_mgf(t * 0.9999)) / (0.0002 * t)

    def deep(t: float) -> bool:
        return log_mgf(t) - t * slope(t) < target

    low, high = 1e-3, 0.01
    while high < 1e4 and not deep(high):
        low, high = high, 3 * high
    for _ in range(12):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if deep(middle) else (middle, high)
    eps = slope(low)
    if not 0 <= eps <= highest:
        eps = min(highest, max(0.0, eps)) * rng.random()
    return eps


def gaussian(rng: Random) -> Drawn:
    count, shift = _count(rng, 10**6), rng.choice([1.0, 1.0, _log_uniform(rng, 0.01, 100)])
    total = _log_uniform(rng, 0.01, 30)
    sigma = shift * math.sqrt(count) / total
    eps = _epsilon(rng, lambda t: t * (1 + t) * total**2 / 2)
    text = f"gaussian(sigma={sigma!r}, sensitivity={shift!r})"
    return _times(text, count), eps, exact.gaussian([(sigma, shift, count)], eps)


def mixed_gaussian(rng: Random) -> Drawn:
    parts = [(_log_uniform(rng, 0.5, 500), 1.0, _count(rng, 10**4)) for _ in range(rng.randint(2, 4))]
    square = sum(count / sigma**2 for sigma, _, count in parts)
    eps = _epsilon(rng, lambda t: t * (1 + t) * square / 2)
    text = " + ".join(_times(f"gaussian(sigma={sigma!r})", count) for sigma, _, count in parts)
    return text, eps, exact.gaussian(parts, eps)


def _two_point_mgf(loss: float, count: int) -> Callable[[float], float]:
    def log_mgf(t: float) -> float:
        return count * (t * loss + math.log1p(math.exp(-(1 + 2 * t) * loss)) - math.log1p(math.exp(-loss)))

    return log_mgf


def binary_response(rng: Random) -> Drawn:
    count, loss = _count(rng, 10**5), _log_uniform(rng, 1e-3, 3)
    p = 1 / (1 + math.exp(-loss))
    eps = _epsilon(rng, _two_point_mgf(loss, count), count * loss)
    return _times(f"randomized_response(p={p!r})", count), eps, exact.randomized_response(p, 2, count, eps)


def many_response(rng: Random) -> Drawn:
    k, count, p = rng.randint(3, 20), _count(rng, 40), rng.uniform(0.05, 0.95)
    loss = abs(math.log(p * (k - 1) / (1 - p)))
    eps = count * loss * rng.random()
    return _times(f"randomized_response(p={p!r}, k={k})", count), eps, exact.randomized_response(p, k, count, eps)


def promise(rng: Random) -> Drawn:
    count, loss = _count(rng, 10**5), _log_uniform(rng, 1e-3, 3)
    eps = _epsilon(rng, _two_point_mgf(loss, count), count * loss)
    if rng.random() < 0.5:
        return _times(f"pure_dp(epsilon={loss!r})", count), eps, exact.promise(loss, 0, count, eps)
    slip = _log_uniform(rng, 1e-30, 1e-2)
    text = f"approximate_dp(epsilon={loss!r}, delta={slip!r})"
    return _times(text, count), eps, exact.promise(loss, slip, count, eps)


def _histogram(rng: Random, cells: int) -> tuple[list[float], list[float]]:
    sharp = rng.choice([0.3, 1.0, 10.0])
    a, b = ([rng.gammavariate(sharp, 1) + 1e-9 for _ in range(cells)] for _ in range(2))
    if rng.random() < 0.2:
        (a if rng.random() < 0.5 else b)[rng.randrange(cells)] = 0.0
    return a, b


def _histogram_text(a: list[float], b: list[float], count: int) -> str:
    return _times(f"histograms(a={a!r}, b={b!r})", count)


def histogram(rng: Random) -> Drawn:
    cells = rng.randint(2, 5)
    most = {2: 400, 3: 50, 4: 18, 5: 11}[cells]
    count, (a, b) = rng.randint(1, most), _histogram(rng, cells)
    eps = _epsilon(rng, lambda t: count * _points(a, b).log_mgf(t), 50.0)
    return _histogram_text(a, b, count), eps, exact.histograms([(a, b, count)], eps)


def mixed_histograms(rng: Random) -> Drawn:
    parts = [(*_histogram(rng, cells), rng.randint(1, most)) for cells, most in ((2, 30), (3, 7))]
    eps = _epsilon(rng, lambda t: sum(n * _points(a, b).log_mgf(t) for a, b, n in parts), 50.0)
    return " + ".join(_histogram_text(*part) for part in parts), eps, exact.histograms(parts, eps)


def _points(a: list[float], b: list[float]) -> contour.PointsLaw:
    return contour.PointsLaw(*exact.normalised(a, b))


def discrete_laplace(rng: Random) -> Drawn:
    scale, shift, count = _log_uniform(rng, 0.3, 100), rng.randint(1, 5), _count(rng, 3000)
    plan = lattice.discrete_laplace(scale, shift)
    eps = _epsilon(rng, lambda t: count * plan.log_mgf(t), count * shift / scale)
    truth = lattice.lattice(lambda _: lattice.discrete_laplace(scale, shift), count, eps)
    return _times(f"discrete_laplace(scale={scale!r}, sensitivity={shift})", count), eps, truth


def discrete_gaussian(rng: Random) -> Drawn:
    sigma, shift, count = _log_uniform(rng, 0.4, 10), rng.randint(1, 3), _count(rng, 1000)
    plan = lattice.discrete_gaussian(sigma, shift, bits=60)
    eps = _epsilon(rng, lambda t: count * plan.log_mgf(t))
    truth = lattice.lattice(lambda bits: lattice.discrete_gaussian(sigma, shift, bits), count, eps)
    return _times(f"discrete_gaussian(sigma={sigma!r}, sensitivity={shift})", count), eps, truth


def _laplace_like(rng: Random, law: laplace.LaplaceLike, text: str) -> Drawn:
    count = _count(rng, 100)
    plan = contour.LaplaceLikeLaw(law)
    eps = _epsilon(rng, lambda t: count * plan.log_mgf(t), count * plan.e)
    return _times(text, count), eps, laplace.laplace_like(law, count, eps)


def plain_laplace(rng: Random) -> Drawn:
    scale = _log_uniform(rng, 0.2, 50)
    return _laplace_like(rng, laplace.laplace(scale), f"laplace(scale={scale!r})")


def truncated_laplace(rng: Random) -> Drawn:
    scale = _log_uniform(rng, 0.2, 50)
    bound = scale * _log_uniform(rng, 0.5, 300) + 0.51
    law = laplace.truncated_laplace(scale, bound)
    return _laplace_like(rng, law, f"truncated_laplace(scale={scale!r}, bound={bound!r})")


def bounded_range(rng: Random) -> Drawn:
    eta = _log_uniform(rng, 0.02, 5)
    return _laplace_like(rng, laplace.bounded_range(eta), f"bounded_range(eta={eta!r})")


def truncated_gaussian(rng: Random) -> Drawn:
    sigma, count = _log_uniform(rng, 0.5, 20), rng.choice([1, 16, 64, 500])
    bound = sigma * rng.uniform(2, 12) + 1
    text = _times(f"truncated_gaussian(sigma={sigma!r}, bound={bound!r})", count)
    law = contour.TruncatedGaussianLaw(sigma, bound)
    eps = _epsilon(rng, lambda t: count * law.log_mgf(t), 0.9 * count * (2 * bound - 1) / (2 * sigma**2))
    if count == 1:
        return text, eps, steps.one(steps.truncated_gaussian_step(sigma, bound), eps)
    return text, eps, contour.contour([(law, count)], eps, digits=16, limit=400)


def _both(value: Callable[[bool], arb]) -> arb:
    return value(True).max(value(False))


def subsampled_gaussian(rng: Random) -> Drawn:
    sigma, q = _log_uniform(rng, 0.5, 10), _log_uniform(rng, 1e-4, 0.5)
    count = rng.choice([1, _count(rng, 10**6), _count(rng, 10**6), round(_log_uniform(rng, 100, 10**6))])
    text = _times(f"poisson(gaussian(sigma={sigma!r}), q={q!r})", count)
    laws = {way: SubsampledGaussianLaw(sigma, q, remove=way) for way in (True, False)}
    eps = _epsilon(rng, lambda t: count * laws[True].log_mgf(t))
    if count == 1:
        base = steps.gaussian_step(sigma)
        # the add direction has no loss above -log(1-q): exactly zero is an exact ball
        return text, eps, _both(lambda way: steps.one(steps.subsampled(base, q, remove=way), eps))
    highest = -count * math.log1p(-q)
    if eps >= highest * (1 - 1e-9):  # the add direction is then zero, or too far in its own tail to matter
        return text, eps, contour.contour([(laws[True], count)], eps, digits=16, limit=400)
    return text, eps, _both(lambda way: contour.contour([(laws[way], count)], eps, digits=16, limit=400))


def subsampled_laplace(rng: Random) -> Drawn:
    scale, q = _log_uniform(rng, 0.3, 20), _log_uniform(rng, 1e-3, 0.5)
    count = rng.choice([1, 2, 5, 12])
    top = math.log1p(q * math.expm1(1 / scale))
    eps = rng.random() ** 2 * count * top
    text = _times(f"poisson(laplace(scale={scale!r}), q={q!r})", count)
    base = steps.laplace_step(scale)
    ways = {way: steps.subsampled(base, q, remove=way) for way in (True, False)}
    if count == 1:
        return text, eps, _both(lambda way: steps.one(ways[way], eps))
    edge = top * 1.0000001
    with ctx.workprec(300):
        return text, eps, _both(lambda way: steps.bracket(ways[way], count, eps, -edge, edge, 256))


def mixture(rng: Random) -> Drawn:
    """A Gaussian beside something with atoms or a subsampled Gaussian: the Gaussian makes the contour integral fast."""
    sigma, count = _log_uniform(rng, 0.5, 50), _count(rng, 200)
    texts = [_times(f"gaussian(sigma={sigma!r})", count)]
    ways: dict[bool, list[tuple[contour.Law, int]]] = {w: [(contour.GaussianLaw(sigma), count)] for w in (True, False)}
    for name in rng.sample(["laplace", "rr", "poisson"], rng.randint(1, 2)):
        count = _count(rng, 200)
        if name == "laplace":
            scale = _log_uniform(rng, 0.5, 50)
            texts.append(_times(f"laplace(scale={scale!r})", count))
            laws = dict.fromkeys(ways, contour.LaplaceLikeLaw(laplace.laplace(scale)))
        elif name == "rr":
            p = rng.uniform(0.5, 0.95)
            texts.append(_times(f"randomized_response(p={p!r})", count))
            truth = rational(p)
            laws = dict.fromkeys(ways, contour.PointsLaw([truth, 1 - truth], [1 - truth, truth]))
        else:
            noise, q = _log_uniform(rng, 0.7, 10), _log_uniform(rng, 1e-3, 0.3)
            texts.append(_times(f"poisson(gaussian(sigma={noise!r}), q={q!r})", count))
            laws = {way: SubsampledGaussianLaw(noise, q, remove=way) for way in ways}
        for way, parts in ways.items():
            parts.append((laws[way], count))
    eps = _epsilon(rng, lambda t: sum(n * law.log_mgf(t) for law, n in ways[True]))
    return " + ".join(texts), eps, _both(lambda way: contour.contour(ways[way], eps, digits=16, limit=400))


KINDS: dict[str, Callable[[Random], Drawn]] = {
    "gaussian": gaussian,
    "mixed_gaussian": mixed_gaussian,
    "binary_response": binary_response,
    "many_response": many_response,
    "promise": promise,
    "histogram": histogram,
    "mixed_histograms": mixed_histograms,
    "discrete_laplace": discrete_laplace,
    "discrete_gaussian": discrete_gaussian,
    "laplace": plain_laplace,
    "truncated_laplace": truncated_laplace,
    "bounded_range": bounded_range,
    "truncated_gaussian": truncated_gaussian,
    "subsampled_gaussian": subsampled_gaussian,
    "subsampled_laplace": subsampled_laplace,
    "mixture": mixture,
}
