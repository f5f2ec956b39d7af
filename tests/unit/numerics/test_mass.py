"""Probabilities that never become 0: both ends, products and unions against exact fractions and 400 digits."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import NONE, Mass, any_of

probabilities = st.floats(0.0, 1.0, allow_subnormal=True)
small = st.builds(lambda power, digits: Mass.about(-power, 1e-14 * digits), st.floats(0.0, 1e6), st.floats(1.0, 9.0))


@given(st.integers(1, 2**70), st.integers(1, 2**70), st.integers(-3000, 3000))
def test_logarithms_of_fractions(numerator: int, denominator: int, shift: int):
    value = Fraction(numerator, denominator) * Fraction(2) ** shift
    with mpmath.workdps(60):
        true = mpmath.log(mpf(value.numerator)) - mpmath.log(mpf(value.denominator))
        assert abs(mpf(log_fraction(value)) - true) <= 12 * mpf(2) ** -53 * abs(true)


@given(probabilities, probabilities)
def test_products_are_exact(p: float, q: float):
    both = Mass.exactly(p).times(q)
    assert both.exact == Fraction(p) * Fraction(q)
    assert both.possible == both.certain == (p > 0.0 and q > 0.0)
    assert Fraction(both.lower) <= both.exact <= Fraction(both.upper)


@given(small, st.floats(1e-300, 1.0))
def test_products_of_logarithms(mass: Mass, q: float):
    product = mass.times(q)
    with mpmath.workdps(60):
        assert mpf(product.log_lower) <= mpf(mass.log_lower) + mpmath.log(mpf(q))
        assert mpf(product.log_upper) >= min(mpf(0), mpf(mass.log_upper) + mpmath.log(mpf(q)))
    assert product.certain


@given(small)
def test_ends_as_floats(mass: Mass):
    with mpmath.workdps(400):
        assert mpf(mass.lower) <= mpmath.exp(mpf(mass.log_lower))
        assert mpmath.exp(mpf(mass.log_upper)) <= mpf(mass.upper)
    assert mass.upper > 0.0


@given(st.lists(st.tuples(st.one_of(probabilities.map(Mass.exactly), small), st.integers(0, 10**15)), max_size=4))
def test_any_of_many(masses: list[tuple[Mass, int]]):
    found = any_of(masses)
    with mpmath.workdps(120):
        lower, upper = (
            -mpmath.expm1(mpmath.fsum(n * mpmath.log1p(-min(end(mass), mpf(1))) for mass, n in masses if n))
            for end in (_low, _high)
        )
        close = mpf(10) ** -100  # relative error of the truth itself
        assert mpmath.exp(mpf(found.log_lower)) <= lower * (1 + close) + mpf(10) ** -100000
        assert mpmath.exp(mpf(found.log_upper)) >= upper * (1 - close)
    assert found.possible == any(mass.possible and n for mass, n in masses)
    assert found.certain == any(mass.certain and n for mass, n in masses)


def _low(mass: Mass) -> mpf:
    return mpf(mass.exact.numerator) / mass.exact.denominator if mass.exact is not None else mpmath.exp(mpf(mass.log_lower))


def _high(mass: Mass) -> mpf:
    return mpf(mass.exact.numerator) / mass.exact.denominator if mass.exact is not None else mpmath.exp(mpf(mass.log_upper))


def test_unions_are_known_closely():
    for mass, count in [(Mass.exactly(1e-9), 10**6), (Mass.exactly(1e-320), 10**15), (Mass.about(-5e5, 1e-12), 7)]:
        found = any_of([(mass, count)])
        assert found.log_upper - found.log_lower <= 1e-8


def test_what_may_be_nothing():
    doubtful = Mass(-math.inf, -3.0)
    assert doubtful.possible
    assert not doubtful.certain
    assert (doubtful.lower, any_of([(doubtful, 5)]).lower) == (0.0, 0.0)
    assert any_of([(doubtful, 5)]).upper >= 1 - (1 - math.exp(-3.0)) ** 5


def test_nothing():
    assert any_of([]) == any_of([(NONE, 3)]) == NONE
    assert (NONE.lower, NONE.upper, NONE.possible) == (0.0, 0.0, False)


@pytest.mark.parametrize("value", [1.0, 1.0 - 2.0**-53])
def test_all_and_all_but_all(value: float):
    assert Mass.exactly(value).lower == Mass.exactly(value).upper == value
    assert any_of([(Mass.exactly(value), 3), (Mass.exactly(0.5), 2)]).upper == 1.0


@pytest.mark.parametrize("power", [40.0, 1000.0, 1e5])
@pytest.mark.parametrize("count", [2, 7, 10**6])
def test_both_ends_of_a_union_of_rare_events(power: float, count: int):
    """Known to a rounding, the two ends still lie on either side."""
    mass = Mass(-power, -power)
    found = any_of([(mass, count)])
    with mpmath.workdps(60):
        true = mpmath.log(-mpmath.expm1(count * mpmath.log1p(-mpmath.exp(-mpf(power)))))
        assert mpf(found.log_lower) <= true <= mpf(found.log_upper)
