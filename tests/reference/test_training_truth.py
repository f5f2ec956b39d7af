"""Training runs against balls of rigorous contour integrals: the rate is the fraction batch / examples, not a float."""

import math
from fractions import Fraction

import pytest
from flint import arb
from tests.reference.truth_contour import contour
from tests.reference.truth_subsampled import SubsampledGaussianLaw
from tests.support.checked import contains_epsilon

import tightbudget as tb

pytestmark = pytest.mark.slow

Steps = list[tuple[float, Fraction, int]]  # noise multiplier, rate, how many


def delta(steps: Steps, epsilon: float) -> arb:
    """Return delta of the run in its worse direction."""
    ways = {remove: [(SubsampledGaussianLaw(s, q, remove=remove), n) for s, q, n in steps] for remove in (True, False)}
    removed = contour(ways[True], epsilon, digits=16, limit=2000)
    if epsilon >= -sum(n * math.log1p(-q) for _, q, n in steps) * (1 - 1e-9):
        return removed  # no loss of the other direction is as large
    return removed.max(contour(ways[False], epsilon, digits=16, limit=2000))


@pytest.mark.parametrize(
    ("said", "steps", "at"),
    [
        ({"examples": 61, "batch": 6, "epochs": 3, "noise_multiplier": 2.0}, [(2.0, Fraction(6, 61), 31)], 1e-9),
        ({"examples": 70, "batch": 9, "epochs": 8, "noise_multiplier": 3.0}, [(3.0, Fraction(9, 70), 63)], 1e-5),
        (
            {"examples": 70, "batch": 9, "phases": [{"epochs": 3, "noise_multiplier": 3}, {"steps": 9, "noise_multiplier": 2}]},
            [(3.0, Fraction(9, 70), 24), (2.0, Fraction(9, 70), 9)],
            1e-6,
        ),
    ],
)
def test_a_run(said: dict, steps: Steps, at: float) -> None:
    run = tb.dpsgd(**said, delta=at)
    assert run.steps == sum(n for _, _, n in steps)
    assert contains_epsilon(run.epsilon, at, lambda epsilon: delta(steps, epsilon))


def test_noise_for_a_target() -> None:
    run = tb.dpsgd(examples=61, batch=6, epochs=3, target_epsilon=1, delta=1e-6)
    enough, too_little = run.noise_multiplier, run.too_little
    assert enough is not None
    assert too_little is not None
    assert delta([(enough, Fraction(6, 61), 31)], 1.0) <= 1e-6
    assert delta([(too_little, Fraction(6, 61), 31)], 1.0) >= 1e-6
    assert too_little >= enough * (1 - 2e-6)
