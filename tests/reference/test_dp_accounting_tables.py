"""The published tables of dp_accounting: exact numbers lie in our brackets, looser ones are above our upper end.

What is published has eight digits or more, compared by its tests to seven decimals.
"""

import math

import pytest
from tests.reference.dp_accounting_tables import (
    CAPPED,
    DELTAS,
    LEAST_NOISE,
    LOSSES,
    LOSSES_AT,
    PURE_NOISE,
    TWO_MIXTURES,
    Deltas,
    Losses,
    bracket,
)
from tests.support.engine_answers import delta_of

import tightbudget as tb
from tightbudget.numerics.rounding import U
from tightbudget.pairs.gaussian_mixture import gaussian_mixture_pair
from tightbudget.pairs.mixtures import Mixture

PUBLISHED = 1e-8  # of masses and of deltas: half a unit of the last digit, and sums of a few of them


def half_a_digit(value: str) -> float:
    return 0.5 * 10.0 ** -len(value.partition(".")[2]) if "." in value else 0.0


@pytest.mark.parametrize("row", DELTAS, ids=lambda row: f"{row.asked[:60]}-{row.direction}")
def test_deltas(row: Deltas) -> None:
    for epsilon, value in row.deltas.items():
        answer, digit = bracket(row.asked, row.direction, epsilon), half_a_digit(value)
        assert answer.lower <= float(value) + digit, epsilon
        assert float(value) - digit <= answer.upper, epsilon
        assert answer.upper - answer.lower <= 1e-8 * answer.upper + 1e-14, epsilon


@pytest.mark.parametrize(("centres", "weights", "others", "other_weights", "value"), TWO_MIXTURES)
def test_two_mixtures(
    centres: list[float], weights: list[float], others: list[float], other_weights: list[float], value: str
) -> None:
    above, below = (
        Mixture(tuple(places), tuple(map(math.log, shares)), tuple(16.0 * U for _ in shares))
        for places, shares in ((centres, weights), (others, other_weights))
    )
    answer = delta_of(gaussian_mixture_pair(above, below), 1, 1.0)
    assert answer.lower <= float(value) + half_a_digit(value)
    assert float(value) - half_a_digit(value) <= answer.upper
    assert answer.upper - answer.lower <= 1e-9


@pytest.mark.parametrize(("template", "epsilon", "delta", "found"), LEAST_NOISE)
def test_the_least_noise(template: str, epsilon: float, delta: float, found: float) -> None:
    """Theirs is to three decimals."""
    ours = tb.calibrate(template, epsilon=epsilon, delta=delta)
    assert ours.too_little is not None
    assert ours.too_little <= found + 1.5e-3
    assert found - 1.5e-3 <= ours.value


@pytest.mark.parametrize(("template", "epsilon", "delta", "found"), PURE_NOISE)
def test_laplace_noise_that_leaves_delta_unused(template: str, epsilon: float, delta: float, found: float) -> None:
    assert tb.calibrate(template, epsilon=epsilon, delta=delta).value < found
    pure = tb.parse(template.replace("?", repr(found * (1 + 1e-7)))).epsilon(delta=0.0)
    assert pure.upper == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("row", LOSSES, ids=lambda row: f"{row.asked[:60]}-{row.direction}-{row.rounding}-{row.interval}")
def test_losses_on_a_grid(row: Losses) -> None:
    for epsilon in LOSSES_AT:
        answer, theirs = bracket(row.asked, row.direction, epsilon), row.delta(epsilon)
        if row.rounding == "down":
            assert theirs <= answer.lower + PUBLISHED * 4, epsilon
        else:
            assert answer.upper <= theirs + PUBLISHED * 4, epsilon
        if row.rounding == "chords" and (epsilon / row.interval).is_integer():  # chords meet the profile there
            assert theirs == pytest.approx(answer.upper, abs=PUBLISHED * 4)


@pytest.mark.parametrize(("asked", "epsilon", "theirs"), CAPPED)
def test_samples_with_a_cap(asked: str, epsilon: float, theirs: float) -> None:
    assert bracket(asked, "remove", epsilon).upper < 0.95 * theirs
