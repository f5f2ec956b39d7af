"""epsilon(delta) and delta(epsilon) are inverse to each other, and no epsilon exceeds the sum of the largest losses."""

import math
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import compositions, counts, deltas, examples, mechanisms, pure_mechanisms, questions

import tightbudget as tb


@given(st.one_of(mechanisms, compositions()), st.one_of(deltas, st.just(0.0)))
@examples(4)
def test_delta_at_epsilon_is_delta(c: Any, delta: float) -> None:
    """At the upper end delta is kept; at any epsilon below the lower end it is not."""
    found = c.epsilon(delta)
    if found.upper < math.inf:
        assert c.delta(found.upper).lower <= delta
    if found.lower > 0.0:
        assert c.delta(math.nextafter(found.lower, 0.0)).upper >= delta
        assert c.delta(0.999 * found.lower if found.lower < math.inf else 1e6).upper >= delta


@given(questions(st.one_of(mechanisms, compositions())))
@examples(4)
def test_epsilon_at_delta_is_epsilon(question: tuple[Any, float]) -> None:
    c, epsilon = question
    found = c.delta(epsilon)
    assert c.epsilon(found.upper).lower <= epsilon
    if found.lower > 0.0:
        assert c.epsilon(math.nextafter(found.lower, 0.0)).upper >= epsilon


def largest_loss(mechanism: tb.Mechanism) -> Fraction:
    """Return the largest loss, exact where it is a quotient and else just above."""
    match mechanism:
        case tb.Laplace(scale, sensitivity) | tb.DiscreteLaplace(scale, sensitivity):
            return Fraction(sensitivity) / Fraction(scale)
        case tb.BoundedRange(eta):
            return Fraction(eta)
        case tb.PureDP(promised):
            return Fraction(promised)
        case tb.RandomizedResponse(p, k):
            ratio = Fraction(p) * (k - 1) / (1 - Fraction(p))
            with mpmath.workdps(60):
                loss = abs(mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator))
                return Fraction(mpmath.nstr(loss, 50)) * (1 + Fraction(1, 10**45))
    raise AssertionError(mechanism)


def rounded_up(number: Fraction) -> float:
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)


def loss_as_float(mechanism: tb.Mechanism) -> Fraction:
    """Return the largest loss rounded up to a float, and by a few roundings more where it takes more than a
    division.
    """
    loss = Fraction(rounded_up(largest_loss(mechanism)))
    many = isinstance(mechanism, tb.DiscreteLaplace | tb.RandomizedResponse)
    return loss * (1 + Fraction(8, 2**53)) if many else loss


pure_items = st.lists(st.tuples(pure_mechanisms, counts), min_size=1, max_size=4)


@given(pure_items, st.one_of(deltas, st.just(0.0)))
@examples(6)
def test_epsilon_never_exceeds_the_sum_of_losses(items: list[tuple[tb.Mechanism, int]], delta: float) -> None:
    naive = sum((loss_as_float(mechanism) * count for mechanism, count in items), start=Fraction(0))
    assert tb.Composition(tuple(items), mix_relations=True).epsilon(delta).upper <= rounded_up(naive)


@given(pure_items)
@examples()
def test_delta_0_takes_the_sum_of_losses(items: list[tuple[tb.Mechanism, int]]) -> None:
    naive = sum((largest_loss(mechanism) * count for mechanism, count in items), start=Fraction(0))
    found = tb.Composition(tuple(items), mix_relations=True).epsilon(0.0)
    # the losses of randomised response are known to 45 digits
    assert Fraction(found.lower) <= naive
    assert naive <= Fraction(found.upper) * (1 + Fraction(1, 10**40))
