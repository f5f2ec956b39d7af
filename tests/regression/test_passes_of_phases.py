"""A phase of 3 steps was taken for a pass of 10 examples in batches of 3: with the last batch kept a pass has 4."""

import math
import random
from typing import Any

import pytest

import tightbudget as tb

DELTA = 1e-5


def worst_mu(noises: list[float], batches: int) -> float:
    """Return mu for the worst place of the example in every pass: one step of each pass, that with least noise."""
    passes = (noises[start : start + batches] for start in range(0, len(noises), batches))
    return math.sqrt(math.fsum(min(each) ** -2.0 for each in passes))


def check_both_loaders(examples: int, batch: int, phases: list[dict[str, Any]]) -> None:
    run = tb.dpsgd(examples=examples, delta=DELTA, phases=[{**phase, "batch": batch} for phase in phases])
    noises = [phase["noise_multiplier"] for phase in phases for _ in range(phase["steps"])]
    assert run.shuffled is not None
    for batches in {examples // batch, -(-examples // batch)}:  # the last batch is dropped, or kept
        mu = worst_mu(noises, batches)
        assert run.shuffled.zero_out >= tb.GaussianDP(mu).epsilon(DELTA).lower
        assert run.shuffled.replace_one >= tb.GaussianDP(2.0 * mu).epsilon(DELTA).lower


def test_a_phase_that_ends_before_a_smaller_last_batch():
    phases = [{"steps": 3, "noise_multiplier": 10.0}, {"steps": 3, "noise_multiplier": 0.5}]
    check_both_loaders(10, 3, phases)
    run = tb.dpsgd(examples=10, batch=3, delta=DELTA, phases=phases)
    assert run.shuffled is not None
    assert run.shuffled.passes == 3


@pytest.mark.parametrize(("examples", "passes"), [(9, 2), (10, 3), (8, 3)])
def test_where_a_pass_is_cut_evenly_a_phase_may_end_with_it(examples: int, passes: int):
    phases = [{"steps": examples // 3, "noise_multiplier": 2.0}] * 2
    run = tb.dpsgd(examples=examples, batch=3, delta=DELTA, phases=phases)
    assert run.shuffled is not None
    assert run.shuffled.passes == passes


def test_random_phases():
    rng = random.Random(20)
    for _ in range(60):
        examples, batch = rng.choice([(5, 2), (6, 2), (7, 2), (7, 3), (8, 3)])
        noises = rng.choices([0.5, 10.0], k=rng.randint(2, 3))
        check_both_loaders(examples, batch, [{"steps": rng.randint(0, 4), "noise_multiplier": noise} for noise in noises])
