"""Masses counted as infinite, against the events they stand for: B has at most e^-beyond times what A has (M2)."""

import math
import random

import mpmath
import pytest
from mpmath import mpf

from tightbudget.numerics.mass import NONE, Mass
from tightbudget.pairs.infinite_mass import (
    MODERATE,
    NOWHERE,
    InfiniteMass,
    either_infinite,
    mass_known_well,
    some_infinite,
)

MARGIN = 800.0
_RANDOM = random.Random(2026)


def adds(a: mpf, beyond: float, epsilon: float) -> mpf:
    """Return what an event adds to delta(epsilon) at least, of mass a under A and e^-beyond a under B."""
    return max(mpf(0), a * (1 - mpmath.exp(mpf(epsilon) - mpf(beyond))))


def test_a_mass_counts_only_far_below_its_losses():
    mass = InfiniteMass(Mass.exactly(0.5), 5000.0)
    below, limit = math.nextafter(5000.0 - MARGIN, 0.0), 5000.0 - MARGIN
    assert mass.certain_below == limit
    assert 0.5 * (1.0 - 4e-15) < mass.at(below).lower < 0.5
    for epsilon in (limit, 5000.0, 1e300, math.inf):
        assert mass.at(epsilon).lower == 0.0
        assert not mass.at(epsilon).certain
    for epsilon in (0.0, below, limit, math.inf):
        assert mass.at(epsilon).upper >= 0.5
    assert mass.infinite.lower == 0.0
    assert mass.infinite.exact is None


def test_a_truly_infinite_loss_counts_everywhere():
    mass = InfiniteMass(Mass.exactly(0.25))
    assert mass.certain_below == math.inf
    for epsilon in (0.0, 1e300, math.inf):
        assert mass.at(epsilon).exact == 0.25
    assert mass.elsewhere == 0.0
    assert mass.infinite.exact == 0.25


@pytest.mark.parametrize("beyond", [801.0, 900.0, 2000.0, 1e5])
@pytest.mark.parametrize("log_mass", [0.0, -0.7, -50.0, -740.0])
def test_the_mass_itself_bounds_delta_below_its_range(beyond: float, log_mass: float):
    with mpmath.workdps(400):
        a = mpmath.exp(mpf(log_mass))
        mass = InfiniteMass(Mass.about(log_mass, 1e-15), beyond)
        for epsilon in (0.0, 0.5 * beyond, beyond - MARGIN - 1.0, math.nextafter(beyond - MARGIN, 0.0), beyond - MARGIN):
            assert mass.at(epsilon).lower <= adds(a, beyond, epsilon)
            assert mass.at(epsilon).upper >= a


@pytest.mark.parametrize("q", [0.5, 1 - 2.0**-53, 1e-10, 1e-300])
@pytest.mark.parametrize("beyond", [900.0, 1500.0, 3e4])
def test_on_a_sample(q: float, beyond: float):
    """A becomes qA + (1-q)B, at most q + e^-beyond of what A had; B has e^-beyond / q times that at most."""
    with mpmath.workdps(700):
        a, b = mpf("0.3"), mpf("0.3") * mpmath.exp(-mpf(beyond))
        mixed = q * a + (1 - mpf(q)) * b
        sampled = InfiniteMass(Mass.exactly(0.3), beyond).times(q)
        assert sampled.upper >= mixed
        assert b <= mpmath.exp(-mpf(sampled.beyond)) * mixed
        for epsilon in (0.0, 50.0, sampled.certain_below - 1.0, sampled.certain_below + 1.0):
            assert sampled.at(epsilon).lower <= max(mpf(0), mixed - mpmath.exp(mpf(epsilon)) * b)
    assert InfiniteMass(Mass.exactly(0.25)).times(0.5).infinite.exact == 0.125


@pytest.mark.parametrize("share", [0.5, 2.0**-53, 1e-10])
@pytest.mark.parametrize("beyond", [20.0, 900.0])
def test_the_other_law_mixed_in(share: float, beyond: float):
    """B' = (1-share) B + share A: its mass is `share` times A's, and up to e^-beyond more."""
    with mpmath.workdps(60):
        a, b = mpf("0.3"), mpf("0.3") * mpmath.exp(-mpf(beyond))
        log, error = InfiniteMass(Mass.exactly(0.3), beyond).mixed_log(share)
        assert abs(mpmath.log((share * a + (1 - mpf(share)) * b) / (share * a))) <= error
        assert abs(log - mpmath.log(a)) <= error


def test_what_the_other_law_has():
    assert InfiniteMass(Mass.exactly(1.0), 100.0).elsewhere >= math.exp(-100.0)
    assert 0.0 < InfiniteMass(Mass.exactly(1.0), 1e6).elsewhere <= 5e-324
    assert InfiniteMass(NONE, 100.0).elsewhere == 0.0


def test_some_of_many_steps():
    """The least of the limits counts for all; a truly infinite loss beside another is no longer certain beyond it."""
    for _ in range(40):
        items = [
            (_RANDOM.choice([1.0, 0.5, 1e-3, 1e-200]), _RANDOM.choice([900.0, 2000.0, math.inf]), _RANDOM.choice([1, 3, 10**9]))
        ]
        items.append((_RANDOM.choice([0.9, 1e-5]), _RANDOM.choice([1000.0, math.inf]), _RANDOM.choice([1, 2, 10**6])))
        found = some_infinite((InfiniteMass(Mass.exactly(mass), beyond), count) for mass, beyond, count in items)
        assert found.beyond == min(beyond for _, beyond, _ in items)
        with mpmath.workdps(500):
            certain = 1 - mpmath.fprod((1 - mpf(mass)) ** count for mass, _, count in items)
            spent = mpmath.fsum(
                count * mpf(mass) * mpmath.exp(-mpf(beyond)) for mass, beyond, count in items if beyond < math.inf
            )
            for epsilon in (0.0, 99.0, 101.0, 199.0, 1000.0):
                least = certain - mpmath.exp(mpf(epsilon)) * spent
                assert found.at(epsilon).lower <= max(mpf(0), least)
                assert found.upper >= certain
    assert some_infinite([(NOWHERE, 5)]).upper == 0.0


def test_disjoint_events_together():
    parts = [(InfiniteMass(Mass.exactly(0.5), 900.0), math.log(0.25)), (InfiniteMass(Mass.exactly(0.1)), math.log(0.75))]
    found = either_infinite(parts, 1e-15)
    assert found.beyond == 900.0
    assert found.at(0.0).lower <= 0.2 <= found.upper
    assert found.at(0.0).lower > 0.2 * (1 - 1e-12)
    assert found.at(101.0).lower == 0.0
    assert either_infinite([(NOWHERE, 0.0)], 0.0) is NOWHERE


def test_a_mass_that_is_to_be_dominated_is_known_well_or_left_out():
    """It stands for an infinite loss at epsilons up to MODERATE: its losses are MODERATE + 800 at least."""
    at_limit = MODERATE + MARGIN
    assert mass_known_well(InfiniteMass(Mass.exactly(0.5), at_limit))[0] == 0.0
    mass, error = mass_known_well(InfiniteMass(Mass.exactly(0.5), math.nextafter(at_limit, math.inf)))
    assert abs(mass - 0.5) <= error
    assert error < 1e-12
    badly, well = Mass.about(math.log(0.5), 2e-3), Mass.about(math.log(0.5), 0.9e-3)
    assert mass_known_well(InfiniteMass(badly))[0] == 0.0
    assert mass_known_well(InfiniteMass(well))[0] > 0.0
    assert mass_known_well(InfiniteMass(Mass.exactly(1e-305)))[0] == 0.0  # floats so small lose digits in products
    assert mass_known_well(InfiniteMass(Mass.exactly(1e-300)))[0] > 0.0
    assert mass_known_well(InfiniteMass(Mass(-math.inf, -1.0))) == (0.0, 0.0)


def test_an_event_made_of_another():
    mass = InfiniteMass(Mass.exactly(0.5), 1000.0).nearer(math.log(8.0), Mass.exactly(0.25))
    assert mass.beyond == pytest.approx(1000.0 - math.log(8.0))
    assert mass.at(100.0).lower > 0.2
    assert mass.at(mass.certain_below).lower == 0.0


def test_more_and_less_than_a_mass():
    mass = InfiniteMass(Mass.exactly(0.5), 5000.0)
    assert (mass.or_more().at(0.0).lower, mass.or_more().upper) == (mass.at(0.0).lower, 1.0)
    assert mass.or_less().at(0.0).lower == 0.0
    assert mass.upper <= mass.or_less().upper < mass.upper * (1.0 + 1e-14)
    assert InfiniteMass(Mass.exactly(1.0)).or_more().infinite.exact == 1
    assert NOWHERE.or_less() is NOWHERE


@pytest.mark.parametrize("share", [0.5, 1e-10])
def test_what_is_mixed_is_known_only_where_the_other_law_has_next_to_nothing(share: float):
    """The loss of the event is off by as much as its mass: e^-beyond / share, which is below e^-800 or anything."""
    limit = MARGIN - math.log(share)
    mass = Mass.exactly(0.5)
    assert InfiniteMass(mass, limit * (1 + 1e-12)).mixed_log(share)[1] < 1e-14
    assert InfiniteMass(mass, limit * (1 - 1e-12)).mixed_log(share)[1] >= 100.0
    assert InfiniteMass(mass).mixed_log(share)[1] < 1e-14


def test_masses_that_may_be_nothing_are_below_floats_up_to_a_limit():
    assert InfiniteMass(Mass.about(-math.inf, 0.0)).below_floats
    assert InfiniteMass(Mass(-math.inf, math.log(0.99e-300))).below_floats
    assert not InfiniteMass(Mass(-math.inf, math.log(1.01e-300))).below_floats
    assert not InfiniteMass(Mass.about(-800.0, 1e-9)).below_floats  # it is not nothing
    assert not NOWHERE.below_floats
