"""The assumptions of M1 and M19 on elementary and special functions, measured against ball arithmetic.

No standard says how good `exp` or `erfcx` are, and the libraries differ between versions and processors. Every row of
the table on page M1 is measured here, on random arguments of every size that the package meets. The numbers asserted
are the ones assumed there; `make test-lowest` measures them in the oldest libraries that the package accepts.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from flint import arb, ctx
from scipy import special

from tightbudget.numerics.rounding import U

RNG = np.random.default_rng(12)
BITS = 240
SMALLEST_NORMAL = 2.0**-1022
Truth = Callable[[arb], arb]


def signed(values: np.ndarray) -> np.ndarray:
    return values * RNG.choice([-1.0, 1.0], values.size)


def powers(low: float, high: float, count: int) -> np.ndarray:
    return 10.0 ** RNG.uniform(low, high, count)


def one_by_one(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda values: np.array([function(value) for value in values.tolist()])


def below(x: arb) -> arb:
    """P(Z <= x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def log_below(x: arb) -> arb:
    return below(x).log() if x < 3 else (-below(-x)).log1p()


def log_quantile(y: arb) -> arb:
    """The x with ln P(Z <= x) = y: Newton's steps from the float, which are good to more digits than we look at."""
    x = arb(float(special.ndtri_exp(float(y))))
    for _ in range(6):
        hazard = (-x * x / 2 - log_below(x)).exp() / (2 * arb.pi()).sqrt()
        x = (x - (log_below(x) - y) / hazard).mid()
    return x


EXPONENTS = np.concatenate([RNG.uniform(-745.0, 709.0, 1500), signed(powers(-18.0, 2.8, 1500)), RNG.uniform(-1.0, 1.0, 1500)])
POSITIVE = np.concatenate([powers(-307.0, 308.0, 1500), 1.0 + signed(powers(-15.0, -0.4, 1500)), RNG.uniform(0.3, 3.0, 1500)])
ABOVE_MINUS_ONE = np.concatenate(
    [powers(-307.0, 300.0, 1000), signed(powers(-18.0, -1e-4, 2500)), -1.0 + powers(-15.0, -1.0, 1000)]
)
ANGLES = np.concatenate([RNG.uniform(-10.0, 10.0, 2000), signed(powers(-10.0, 15.0, 2000)), [math.pi, math.pi / 2]])
SMALL_ANGLES = np.concatenate([powers(-300.0, 0.0, 1500), RNG.uniform(0.0, 3.1, 1500)])
HALVES = np.concatenate([powers(-300.0, 2.5, 2000), RNG.uniform(0.0, 5.0, 2000)])
LEFT = np.concatenate([RNG.uniform(-1.0, 1.0, 3000), RNG.uniform(-45.0, -1.0, 2000), -powers(1.6, 4.0, 500)])
TAILS = np.concatenate([RNG.uniform(-math.sqrt(0.5), 1.0, 2500), RNG.uniform(1.0, 50.0, 2500), powers(1.6, 4.0, 500)])


class Row(NamedTuple):
    """A line of the table: a function, its truth, arguments, and how many u are assumed."""

    function: Callable[[np.ndarray], np.ndarray]
    truth: Truth
    arguments: np.ndarray
    assumed: float


RELATIVE = {
    "np.exp": Row(np.exp, arb.exp, EXPONENTS, 2.0),
    "np.expm1": Row(np.expm1, arb.expm1, EXPONENTS, 2.0),
    "np.log": Row(np.log, arb.log, POSITIVE, 2.0),
    "np.log1p": Row(np.log1p, arb.log1p, ABOVE_MINUS_ONE, 2.0),
    "math.exp": Row(one_by_one(math.exp), arb.exp, EXPONENTS, 2.0),
    "math.expm1": Row(one_by_one(math.expm1), arb.expm1, EXPONENTS, 2.0),
    "math.log": Row(one_by_one(math.log), arb.log, POSITIVE, 2.0),
    "math.log1p": Row(one_by_one(math.log1p), arb.log1p, ABOVE_MINUS_ONE, 2.0),
    "np.sin": Row(np.sin, arb.sin, SMALL_ANGLES, 4.0),
    "ndtr": Row(special.ndtr, below, np.concatenate([RNG.uniform(0.0, 1.0, 3000), RNG.uniform(1.0, 45.0, 1000)]), 4.0),
    "erfcx": Row(special.erfcx, lambda x: (x * x).exp() * x.erfc(), TAILS, 12.0),
    "cube": Row(lambda x: x**3, lambda x: x**3, powers(-100.0, 100.0, 3000), 2.0),
    "np.tanh": Row(np.tanh, arb.tanh, HALVES, 4.0),
    "math.tanh": Row(one_by_one(math.tanh), arb.tanh, HALVES, 4.0),
    "math.sinh": Row(one_by_one(math.sinh), arb.sinh, HALVES, 4.0),
    "math.cosh": Row(one_by_one(math.cosh), arb.cosh, HALVES, 4.0),
    "math.erfc": Row(one_by_one(math.erfc), arb.erfc, RNG.uniform(0.0, 6.0, 2000), 16.0),
    "gammaln": Row(special.gammaln, arb.lgamma, np.floor(powers(0.5, 6.0, 2000)), 8.0),
    "erfinv": Row(special.erfinv, arb.erfinv, powers(-300.0, math.log10(0.47), 1000), 16.0),
    "ndtri_exp": Row(special.ndtri_exp, log_quantile, -powers(math.log10(1.3), 8.0, 300), 2.0**14),
}
ABSOLUTE = {
    "np.cos": Row(np.cos, arb.cos, ANGLES, 4.0),
    "np.sin": Row(np.sin, arb.sin, ANGLES, 4.0),
    "ndtr": Row(special.ndtr, below, -np.concatenate([RNG.uniform(1.0, 3.0, 3000), RNG.uniform(3.0, 45.0, 1000)]), 2.0),
}
OF_ITS_SIZE = {
    "log_ndtr": Row(special.log_ndtr, log_below, np.concatenate([LEFT, RNG.uniform(1.0, 45.0, 1000)]), 8.0),
}


def largest(row: Row, size: Callable[[arb], arb]) -> float:
    """Return the largest error in u, relatively to `size` of the truth; denormal results are rounded absolutely."""
    worst = 0.0
    with ctx.workprec(BITS):
        for x, y in zip(row.arguments.tolist(), row.function(row.arguments).tolist(), strict=True):
            truth = row.truth(arb(x))
            if math.isfinite(y) and abs(y) >= SMALLEST_NORMAL:
                worst = max(worst, float((abs(arb(y) - truth) / size(truth)).upper()) / U)
    return worst


@pytest.mark.parametrize("name", RELATIVE)
def test_relatively(name: str):
    assert 0.3 < largest(RELATIVE[name], abs) <= RELATIVE[name].assumed  # an error of none would mean that nothing is measured


@pytest.mark.parametrize("name", ABSOLUTE)
def test_absolutely(name: str):
    assert 0.3 < largest(ABSOLUTE[name], lambda truth: arb(1)) <= ABSOLUTE[name].assumed


@pytest.mark.parametrize("name", OF_ITS_SIZE)
def test_of_their_size(name: str):
    assert 0.3 < largest(OF_ITS_SIZE[name], lambda truth: 1 + abs(truth)) <= OF_ITS_SIZE[name].assumed


def test_logarithms_of_sums():
    first = RNG.uniform(-700.0, 700.0, 4000)
    near = RNG.random(4000) < 0.5
    second = np.where(near, first + signed(powers(-12.0, 2.8, 4000)), RNG.uniform(-700.0, 700.0, 4000))
    with ctx.workprec(BITS):
        for x, y, found in zip(first.tolist(), second.tolist(), np.logaddexp(first, second).tolist(), strict=True):
            truth = arb(max(x, y)) + (arb(min(x, y)) - arb(max(x, y))).exp().log1p()
            assert abs(arb(found) - truth) <= 4.0 * U * (1.0 + abs(found))


def test_logarithms_of_moduli_and_arguments():
    """Near modulus 1 an absolute error counts, because it is multiplied by the number of repetitions."""
    modulus = np.concatenate([1.0 - powers(-16.0, -1.0, 1000), np.ones(300), powers(-300.0, 0.0, 700)])
    values = modulus * np.exp(1j * RNG.uniform(-math.pi, math.pi, modulus.size))
    logs, arguments = np.log(np.abs(values)), np.angle(values)
    with ctx.workprec(BITS):
        for z, log, argument in zip(values.tolist(), logs.tolist(), arguments.tolist(), strict=True):
            x, y = arb(z.real), arb(z.imag)
            off = abs((x * x + y * y).log() / 2 - arb(log)) + abs(arb.atan2(y, x) - arb(argument))
            assert off <= 4.0 * U * (1.0 + abs(log) + abs(argument))


@pytest.mark.parametrize("size", [200, 5000, 300_000])
def test_sums_are_taken_in_pairs(size: int):
    """Two places rely on it (M1); added one after another, as many small terms would be off by more than this."""
    values = RNG.random(size)
    off = abs(float(np.sum(values)) - math.fsum(values.tolist())) / math.fsum(values.tolist())
    assert off <= U * (128.0 / 8.0 + math.log2(size) + 8.0)
