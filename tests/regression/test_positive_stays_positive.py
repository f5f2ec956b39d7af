"""Events that give everything away made epsilon finite, and delta 0, where their probability was below the smallest
float.
"""

import math

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.divergences import pure_epsilon, renyi

TINY = 5e-324

CASES = {  # with the probability of such an event, in the worse direction
    "promise": (tb.Poisson(tb.ApproximateDP(1, 1e-320), q=1e-5), mpf(1e-320) * mpf(1e-5)),
    "histograms": (tb.Histograms([1e300, 1e-30], [1, 0]), mpf(1e-30) / (mpf(1e300) + mpf(1e-30))),
    "histograms, many": (tb.Histograms([1e300, *[1e-30] * 50], [1, *[0] * 50]), 50 * mpf(1e-30) / mpf(1e300)),
    "twice": (
        tb.Poisson(tb.Poisson(tb.TruncatedGaussian(1, 36), q=2e-6), q=4e-7),
        mpf(2e-6) * mpf(4e-7) * (mpmath.ncdf(-35) - mpmath.ncdf(-36)) / (1 - 2 * mpmath.ncdf(-36)),
    ),
    "wide": (tb.TruncatedGaussian(1, 300), mpmath.exp(-(mpf(299) ** 2) / 2)),
    "laplace": (tb.TruncatedLaplace(1, 2000), mpmath.exp(-1999) / 2 * (1 - mpmath.exp(-1))),
    "rarely": (tb.Poisson(tb.RandomizedResponse(1.0), q=TINY, mix_relations=True), mpf(TINY)),
}
LOOSE = {"wide"}  # the truth above is good for an order of magnitude only


@pytest.mark.parametrize("name", CASES)
def test_epsilon_is_infinite(name: str):
    composition, _ = CASES[name]
    for repeated in (composition, composition * 3, composition * 10**15, composition + tb.Laplace(scale=1)):
        answer = repeated.epsilon(0)
        assert (answer.lower, answer.upper) == (math.inf, math.inf)
        assert pure_epsilon(repeated) == math.inf
        assert renyi(repeated, math.inf) == math.inf
        assert renyi(repeated, 2.0) == math.inf


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", [1, 3, 10**15])
def test_the_mass_at_infinity(name: str, count: int):
    composition, mass = CASES[name]
    answer = (composition * count).delta(math.inf)
    with mpmath.workdps(700):
        true = mass if count == 1 else -mpmath.expm1(count * mpmath.log1p(-mass))
        assert answer.upper > 0
        if name not in LOOSE:
            assert mpf(answer.lower) <= true <= mpf(answer.upper)
            assert mpf(answer.upper) - mpf(answer.lower) <= true * mpf(10) ** -9 + mpf(10) ** -322


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_classic_bounds_know_it_too(name: str):
    composition, _ = CASES[name]
    table = tb.compare(composition * 2, delta=0.0)
    assert all(row.value == math.inf for row in table.rows if row.value is not None)
