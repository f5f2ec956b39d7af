"""Histories of Opacus are the compositions that they say they are, and what is no history is refused."""

import itertools
import json
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.mixture_truth import DIGITS, Mixtures, mirrored

import tightbudget as tb
from tightbudget.adapters.opacus_history import (
    accumulated_step,
    add_step,
    checked_entry,
    composition_of,
    history_in,
    steps_of,
)

STEP = tb.Poisson(tb.Gaussian(1.1), q=0.01)


def added(*entries: object) -> list:
    history: list = []
    for entry in entries:
        add_step(history, checked_entry(entry))
    return history


def test_a_history_is_what_it_says() -> None:
    history = [(1.1, 0.01, 300), (0.9, 0.02, 10), (1.1, 0.01, 100), (2.0, 1.0, 5)]
    assert composition_of(history) == STEP * 400 + tb.Poisson(tb.Gaussian(0.9), q=0.02) * 10 + tb.Gaussian(2.0) * 5
    assert steps_of(history) == 415
    assert composition_of(json.loads(json.dumps(history))) == composition_of(history)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("history", "delta", "least", "most"),
    [
        ([], 1e-6, 0.0, 0.0),
        ([], 0.0, 0.0, 0.0),
        ([(1.1, 0.01, 0)], 1e-6, 0.0, 0.0),
        ([(0.0, 0.0, 7)], 1e-6, 0.0, 0.0),  # nobody is ever drawn
        ([(0.0, 0.01, 1)], 1e-6, math.inf, math.inf),
        ([(10.0, 0.001, 1)], 0.5, 0.0, 0.0),  # Opacus: -0.68
        ([(0.3, 0.5, 5000)], 1e-6, 12240.0, 12242.0),  # Opacus runs out of memory
        ([(4.0, 0.00033, 10000)], 1.1e-18, 0.0672, 0.0673),  # Opacus refuses
        ([(50.0, 1e-4, 1)], 1e-5, 0.0, 1e-5),  # Opacus: 0.01 and 0.103
    ],
)
def test_histories_that_peers_fail_on(history: list, delta: float, least: float, most: float) -> None:
    found = composition_of(history).epsilon(delta)
    assert least <= found.lower <= found.upper <= most


@pytest.mark.parametrize("number", [np.float64, np.float32, np.array, Fraction, lambda x: x])
def test_numbers_of_other_kinds_are_plain_afterwards(number) -> None:
    noise, rate, steps = checked_entry((number(1.5), number(0.25), np.int64(3)))
    assert (type(noise), type(rate), type(steps)) == (float, float, int)
    assert (noise, rate, steps) == (1.5, 0.25, 3)


def test_fractions_between_floats_go_to_the_side_that_reveals_more() -> None:
    noise, rate, _ = checked_entry((Fraction(1, 3), Fraction(1, 3), 1))
    assert Fraction(noise) < Fraction(1, 3) < Fraction(rate)


def test_equal_steps_one_after_another_are_one_entry() -> None:
    a, b = (1.1, 0.01, 1), (0.9, 0.01, 1)
    assert added(a, a, b, a, a, a) == [(1.1, 0.01, 2), (0.9, 0.01, 1), (1.1, 0.01, 3)]
    assert added((1.1, 0.01, 1, 4), a, (*a, 1), (1.1, 0.01, 2, 4)) == [(1.1, 0.01, 1, 4), (1.1, 0.01, 2), (1.1, 0.01, 2, 4)]


def mixture_delta(noise: float, rate: float, batches: int, epsilon: float) -> mpf:
    """The larger hockey-stick divergence of sum_j Bin(batches, rate)(j) N(j, noise^2) and N(0, noise^2)."""
    with mpmath.workdps(DIGITS):
        q, without = mpf(rate), [(mpf(1), mpf(0))]
        drawn = [(mpmath.binomial(batches, j) * q**j * (1 - q) ** (batches - j), j / mpf(noise)) for j in range(batches + 1)]
        remove, add = Mixtures(drawn, without), Mixtures(mirrored(without), mirrored(drawn))
        return max(remove.delta(mpf(epsilon)), add.delta(mpf(epsilon)))


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "rate", "batches"), [(1.0, 0.1, 4), (0.8, 0.01, 2), (2.0, 0.3, 7)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_gradients_accumulated_over_batches_against_their_densities(noise, rate, batches, epsilon) -> None:
    found = composition_of([(noise, rate, 1, batches)]).delta(epsilon, rtol=1e-6)
    truth = mixture_delta(noise, rate, batches, epsilon)
    assert mpf(found.lower) <= truth <= mpf(found.upper)
    assert found.converged


def divergence(one: np.ndarray, other: np.ndarray, epsilon: float, cell: float) -> float:
    return float(np.maximum(one - math.exp(epsilon) * other, 0.0).sum() * cell)


def revealed(gradients: list[tuple[float, float]], noise: float, rate: float, epsilon: float) -> float:
    """Return delta of one record with these gradients, one for each batch: all subsets of batches, on a fine grid."""
    places = np.arange(-9.0 * noise, 4.0 + 9.0 * noise, 0.05)
    x, y = places[:, None] - 2.0, places[None, :] - 2.0

    def density(centre: np.ndarray) -> np.ndarray:
        square = (x - centre[0]) ** 2 + (y - centre[1]) ** 2
        return np.exp(-square / (2.0 * noise**2)) / (2.0 * math.pi * noise**2)

    drawn = np.zeros((places.size, places.size))
    for subset in itertools.product([False, True], repeat=len(gradients)):
        weight = rate ** sum(subset) * (1.0 - rate) ** (len(gradients) - sum(subset))
        drawn += weight * density(np.array(gradients)[list(subset)].sum(axis=0))
    without = density(np.zeros(2))
    return max(divergence(drawn, without, epsilon, 0.05**2), divergence(without, drawn, epsilon, 0.05**2))


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.5])
@pytest.mark.parametrize(
    "gradients",
    [
        [(1.0, 0.0), (1.0, 0.0), (1.0, 0.0)],
        [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.0)],
        [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)],
        [(0.3, 0.0), (1.0, 0.0), (0.0, 0.0)],
    ],
)
def test_whatever_the_gradients_of_the_batches_are_the_group_reveals_no_less(gradients: list, epsilon: float) -> None:
    truth = revealed(gradients, 1.0, 0.3, epsilon)
    found = accumulated_step(1.0, 0.3, 3).delta(epsilon)
    assert truth <= found.upper + 1e-4
    if len(set(gradients)) == 1:  # all alike: attained
        assert truth >= found.lower - 1e-4
        shared = (tb.Poisson(tb.Gaussian(1.0 / math.sqrt(3.0)), 0.3) * 3).delta(epsilon)
        assert shared.lower >= truth - 1e-4  # where groups are not known
        as_counted = tb.Poisson(tb.Gaussian(1.0), 0.9).delta(epsilon)
        assert epsilon < 1.0 or as_counted.upper < truth - 1e-4  # one sample at three times the rate, as Opacus counts


def test_one_sample_at_a_higher_rate_would_be_too_little() -> None:
    """Opacus counts accumulated batches so: what is really run costs certainly more."""
    really = composition_of([(1.0, 0.01, 1000, 4)]).epsilon(1e-5)
    as_counted = composition_of([(1.0, 0.04, 1000)]).epsilon(1e-5)
    assert as_counted.upper < 8.5 < 8.89 < really.lower


@pytest.mark.parametrize(("noise", "batches"), [(1.0, 501), (0.7, 1000), (1e-300, 2), (3e-323, 2), (5e-324, 3)])
def test_where_groups_are_not_known_noise_is_shared_out(noise: float, batches: int) -> None:
    ((step, count),) = accumulated_step(noise, 0.1, batches).items
    assert (step.q, count) == (0.1, batches)
    assert Fraction(step.mechanism.sigma) ** 2 * batches <= Fraction(noise) ** 2
    assert step.mechanism.sigma >= 0.999999 * noise / math.sqrt(batches) - 1e-323


@pytest.mark.parametrize(
    ("entry", "epsilon"),
    [((0.0, 0.01, 1, 4), math.inf), ((1.0, 0.0, 1, 4), 0.0), ((math.inf, 0.01, 1, 4), 0.0), ((1.0, 1.0, 0, 4), 0.0)],
)
def test_accumulated_batches_at_the_edges(entry: tuple, epsilon: float) -> None:
    found = composition_of([entry]).epsilon(1e-5)
    assert (found.lower, found.upper) == (epsilon, epsilon)


def test_batches_of_everybody_add_up() -> None:
    assert accumulated_step(3.0, 1.0, 4) == tb.Gaussian(3.0, sensitivity=4.0)


@pytest.mark.parametrize(
    ("history", "named"),
    [
        (None, "history is None"),
        ("rdp", "history is 'rdp'"),
        ({}, "history"),
        (3.0, "history"),
        ([1.1, 0.01, 3], "history is 1.1"),
        (["abc"], "history is 'abc'"),
        ([(1.1, 0.01)], "history"),
        ([(1.1, 0.01, 1, 1, 1)], "history"),
        ([(-1.1, 0.01, 1)], "noise_multiplier is -1.1"),
        ([(math.nan, 0.01, 1)], "noise_multiplier is nan"),
        ([(True, 0.01, 1)], "noise_multiplier is True"),
        ([("1.1", 0.01, 1)], "noise_multiplier is '1.1'"),
        ([(None, 0.01, 1)], "noise_multiplier is None"),
        ([(1.1, 1.5, 1)], "sample_rate is 1.5"),
        ([(1.1, math.nan, 1)], "sample_rate is nan"),
        ([(1.1, 0.01, -1)], "steps is -1"),
        ([(1.1, 0.01, 0.5)], "steps is 0.5"),
        ([(1.1, 0.01, 10**20)], "steps is 1"),
        ([(1.1, 0.01, 1, 0)], "batches is 0"),
        ([(np.array([1.1, 1.2]), 0.01, 1)], "noise_multiplier is array"),
    ],
)
def test_what_is_no_history_is_refused(history: object, named: str) -> None:
    with pytest.raises(tb.InvalidParameter) as refused:
        composition_of(history)
    assert str(refused.value).startswith(named)


@pytest.mark.parametrize("mechanism", ["tightbudget", "rdp", "prv", "gdp"])
def test_state_dicts_of_accountants_that_count_the_same_steps_are_read(mechanism: str) -> None:
    state = {"history": [[1.1, 0.01, 300]], "mechanism": mechanism}
    assert history_in(state) == [(1.1, 0.01, 300)]


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        [],
        "state",
        {"history": []},
        {"mechanism": "rdp"},
        {"history": [], "mechanism": "mine"},
        {"history": None, "mechanism": "rdp"},
        {"history": [], "mechanism": None},
        {"history": [], "mechanism": ["rdp"]},
    ],
)
def test_other_state_dicts_are_refused(state: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        history_in(state)
