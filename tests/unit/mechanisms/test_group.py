"""Groups of records: digits of others, what follows from sensitivities and promises, and what is refused."""

import math
from collections.abc import Callable

import pytest

import tightbudget as tb

SAMPLED = tb.Poisson(tb.Gaussian(1.0), 0.1)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 0.0353962909075436), (1.0, 0.0133868274048543), (2.0, 0.00238733046560881)]
)
def test_three_records_at_a_tenth(epsilon: float, delta: float) -> None:
    answer = SAMPLED.group(3).delta(epsilon, rtol=1e-9, direction="remove")
    assert answer.lower * (1 - 1e-14) <= delta <= answer.upper * (1 + 1e-14)
    assert answer.upper - answer.lower <= 1e-9 * answer.upper
    assert SAMPLED.group(3).delta(epsilon, direction="add").upper <= 1e-290 if epsilon > 0.3161 else True


def test_two_replaced() -> None:
    answer = SAMPLED.group(2).delta(1.0, rtol=1e-9, relation="replace_one")
    assert answer.lower * (1 - 1e-14) <= 0.00642545252501663 <= answer.upper * (1 + 1e-14)


def test_one_record_is_the_thing_itself() -> None:
    for one in (SAMPLED, SAMPLED * 7 + tb.Laplace(3.0), tb.Histograms([1, 2], [2, 1])):
        assert one.group(1) is one
    assert tb.Group(SAMPLED, 1).delta(0.5) == SAMPLED.delta(0.5)


def test_samples_of_everybody_and_of_nobody() -> None:
    for noise in (tb.Gaussian(2.0), tb.Laplace(3.0, 0.5), tb.PureDP(0.25)):
        assert tb.Poisson(noise, 1).group(3) == noise.group(3)
        assert (tb.Poisson(noise, 1) * 4).group(3) == noise.group(3) * 4
        assert tb.Poisson(noise, 0).group(3).delta(0.0).upper == 0.0
    assert tb.parse("group(poisson(gaussian(sigma=2), q=1), k=3)") == tb.Gaussian(2.0, 3.0)
    replaced = tb.Poisson(tb.Gaussian(2.0), 1, relation="replace_one").group(3)
    assert replaced == tb.Gaussian(2.0, 6.0, relation="replace_one")


def test_noise_and_promises() -> None:
    assert tb.Gaussian(2.0).group(3) == tb.Gaussian(2.0, 3.0)
    assert tb.DiscreteLaplace(2.0, 2).group(3) == tb.DiscreteLaplace(2.0, 6)
    assert tb.Laplace(1.0, 0.1).group(3).sensitivity >= 0.3  # type: ignore[attr-defined]
    assert tb.PureDP(0.5).group(4) == tb.PureDP(2.0)
    approximate = tb.ApproximateDP(0.5, 1e-6).group(3)
    assert approximate.promised_epsilon == 1.5  # type: ignore[attr-defined]
    exact = 1e-6 * (1 + math.exp(0.5) + math.exp(1.0))
    assert exact <= approximate.promised_delta <= exact * (1 + 1e-11)  # type: ignore[attr-defined]
    assert tb.ApproximateDP(0.0, 0.25).group(8).promised_delta == 1.0  # type: ignore[attr-defined]
    assert tb.ApproximateDP(500.0, 1e-9).group(2).promised_delta == 1.0  # type: ignore[attr-defined]
    assert tb.GaussianDP(0.5).group(4) == tb.GaussianDP(2.0)
    assert tb.RandomizedResponse(0.75).group(4) == tb.RandomizedResponse(0.75) * 4
    assert str((tb.Gaussian(2.0) * 5 + SAMPLED * 9).group(2)) == (
        "gaussian(sigma=2.0, sensitivity=2.0) * 5 + group(poisson(gaussian(sigma=1.0), q=0.1), k=2) * 9"
    )


def test_a_group_is_hidden_less_than_one_and_better_than_by_multiplying() -> None:
    steps = tb.Poisson(tb.Gaussian(4.0), 0.01) * 1000
    one, three = steps.epsilon(1e-6), steps.group(3).epsilon(1e-6)
    assert one.upper < three.lower


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tb.Histograms([1, 2], [2, 1]).group(2),
        lambda: tb.Poisson(tb.Laplace(1.0), 0.1).group(2),
        lambda: SAMPLED.group(0),
        lambda: SAMPLED.group(2.5),
        lambda: SAMPLED.group(501),
        lambda: tb.Group(tb.Gaussian(1.0), 2),
        lambda: tb.Poisson(tb.Group(SAMPLED, 2), 0.1),
        lambda: tb.Poisson(SAMPLED.group(2) + tb.Gaussian(1.0), 0.1),
        lambda: tb.RandomAllocation(SAMPLED.group(2), 10),
        lambda: tb.WithoutReplacement(tb.Group(SAMPLED, 2), 3, 10),
    ],
)
def test_what_is_refused(ask: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        ask()  # type: ignore[operator]


@pytest.mark.parametrize(
    "ask", [lambda step: step.group(2), lambda step: tb.Group(step, 2), lambda step: tb.parse(f"group({step}, 2)")]
)
def test_the_sentence_says_for_which_steps_groups_are_known(ask: Callable[[tb.Mechanism], object]) -> None:
    with pytest.raises(tb.InvalidParameter) as caught:
        ask(tb.Poisson(tb.Laplace(2), 0.01))
    assert str(caught.value).startswith(
        "mechanism is 'poisson(laplace(scale=2), q=0.01)', but must be a step for which group privacy is known: "
    )


@pytest.mark.parametrize("k", [0, -1, 2.5, math.nan, 2**53 + 1])
@pytest.mark.parametrize(
    "ask", [SAMPLED.group, lambda k: tb.Group(SAMPLED, k), lambda k: tb.parse(f"group(gaussian(1), {k!r})")]
)
def test_every_size_is_refused_with_the_same_range(ask: Callable[[object], object], k: float) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"k is .*, but must be a whole number from 1 to 9007199254740992"):
        ask(k)
