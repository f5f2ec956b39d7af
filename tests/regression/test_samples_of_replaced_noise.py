"""Poisson samples of noise that is stated for replaced records: what a sample without either record is, nobody says."""

import math

import numpy as np
import pytest

import tightbudget as tb

REPLACED = "replace_one"


def normal_delta(rate: float, first: float, second: float, epsilon: float) -> float:
    """H of (1-q) N(0, 1) + q N(u, 1) and the same with v, as a sum over a fine grid."""
    x = np.arange(-12.0, 36.0, 1e-4)
    none, one, other = (np.exp(-0.5 * (x - centre) ** 2) / math.sqrt(2.0 * math.pi) for centre in (0.0, first, second))
    above, below = ((1.0 - rate) * none + rate * law for law in (one, other))
    return float(np.maximum(above - math.exp(epsilon) * below, 0.0).sum()) * 1e-4


@pytest.mark.parametrize(("first", "second"), [(2.0, 0.0), (1.0, -1.0), (20.0, 18.0), (20.0, 22.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_two_records_far_from_none_are_within_the_bracket(first: float, second: float, epsilon: float) -> None:
    """At 0.3 it was [0.0483, 0.0483], as if no record added more than 2: those of 20 and 22 have 0.0634."""
    found = tb.Poisson(tb.Gaussian(1.0, 2.0, relation=REPLACED), q=0.1, relation=REPLACED).delta(epsilon)
    truth = normal_delta(0.1, first, second, epsilon)
    assert truth <= found.upper * (1.0 + 1e-6)
    assert found.lower <= max(truth, normal_delta(0.1, 2.0, 0.0, epsilon)) * (1.0 + 1e-6)


@pytest.mark.parametrize("q", [1e-6, 0.1, 0.5, 1.0 - 1e-9])
@pytest.mark.parametrize(
    "noise",
    [
        tb.Gaussian(1.0, 2.0, relation=REPLACED),
        tb.Laplace(1.0, 2.0, relation=REPLACED),
        tb.DiscreteLaplace(1.0, 2, relation=REPLACED),
        tb.DiscreteGaussian(1.0, 2, relation=REPLACED),
        tb.Skellam(4.0, 2, relation=REPLACED),
        tb.Gaussian(0.0, relation=REPLACED),
    ],
    ids=str,
)
def test_the_upper_end_is_that_of_who_is_told_whether_the_record_is_drawn(noise: tb.Mechanism, q: float) -> None:
    sampled = tb.Poisson(noise, q=q, relation=REPLACED)
    one_of_two = tb.Poisson(noise.__class__(*noise_arguments(noise)), q=q)
    for epsilon in (0.1, 1.0):
        found = sampled.delta(epsilon)
        assert q * noise.delta(epsilon).lower <= found.upper <= q * noise.delta(epsilon).upper * (1.0 + 1e-5) + 1e-15
        assert one_of_two.delta(epsilon).lower * (1.0 - 1e-3) <= found.lower <= found.upper
    twice = (sampled * 2).delta(0.3)
    assert (one_of_two * 2).delta(0.3).lower * (1.0 - 1e-2) <= twice.lower <= twice.upper
    assert tb.parse(str(sampled)) == sampled


def noise_arguments(noise: tb.Mechanism) -> tuple[float, ...]:
    spread = next(getattr(noise, name) for name in ("sigma", "scale", "mu") if hasattr(noise, name))
    return spread, noise.sensitivity


def test_nobody_and_everybody_drawn_are_exact() -> None:
    noise = tb.Gaussian(1.0, 2.0, relation=REPLACED)
    assert tb.Poisson(noise, q=0.0, relation=REPLACED).delta(0.0).upper == 0.0
    everybody, whole = tb.Poisson(noise, q=1.0, relation=REPLACED).delta(0.3), noise.delta(0.3)
    assert max(everybody.lower, whole.lower) <= min(everybody.upper, whole.upper)
    assert everybody.width <= 1e-6


@pytest.mark.parametrize(
    "inner",
    [
        tb.DiscreteGaussian(1.0, 2.0, 3),
        tb.DiscreteGaussian(1.0, 2.0, 3, relation=REPLACED),
        tb.RandomizedResponse(0.7),
        tb.MixtureOfGaussians(1.0, [0.0, 1.0], [0.5, 0.5]),
        tb.PureDP(1.0),
    ],
    ids=str,
)
def test_mixing_relations_does_not_stand_in_for_a_third_law(inner: tb.Mechanism) -> None:
    """Vectors were answered by one shift of one entry, mixtures by a bare NotImplementedError."""
    with pytest.raises(tb.TightBudgetError, match="A sample may hold the record, another in its place, or neither"):
        tb.Poisson(inner, q=0.1, relation=REPLACED, mix_relations=True)


def test_batches_of_what_is_stated_for_replaced_records_are_not_mixed_either() -> None:
    noise = tb.Gaussian(1.0, 2.0, relation=REPLACED)
    with pytest.raises(tb.TightBudgetError, match="another in its place, or neither"):
        tb.RandomAllocation(noise, batches=4, relation=REPLACED, mix_relations=True)
    assert tb.RandomAllocation(noise, batches=1, relation=REPLACED, mix_relations=True).delta(0.3).upper > 0.6
    assert tb.RandomAllocation(tb.Gaussian(1.0), batches=4, relation=REPLACED, mix_relations=True).delta(0.3).upper < 0.5
