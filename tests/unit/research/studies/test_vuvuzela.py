"""Vuvuzela's dummies against exact sums over small counts, and against closed forms for the papers' settings."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.research.studies import vuvuzela
from tightbudget.research.studies.vuvuzela import Setting, smallest

CHANGES = {"dialing": (2,), "conversation": (2, 1)}
ROUNDING = 1e-12  # of the sums below, which are made of float64 masses


def below(noise: str, x: float, mean: float, scale: float) -> mpf:
    z = (mpf(x) - mpf(mean)) / mpf(scale)
    if noise == "gaussian":
        return mpmath.ncdf(z)
    return mpmath.exp(z) / 2 if z <= 0 else 1 - mpmath.exp(-z) / 2


def dummies(noise: str, mean: float, scale: float, size: int) -> np.ndarray:
    """P(ceil(max(0, noise)) = n) for n below size, straight from the definition, and what is left over in the last
    entry.
    """
    with mpmath.workdps(40):
        up_to = [below(noise, n, mean, scale) for n in range(size)]
        masses = [up_to[0], *(y - x for x, y in itertools.pairwise(up_to)), 1 - up_to[-1]]
        return np.array([float(mass) for mass in masses])


def observed(setting: Setting, changes: tuple[int, ...], size: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """The laws of the counts without and with the changes (which may be negative), over all counts of one round."""
    first, second = np.ones(1), np.ones(1)
    for part, change in enumerate(changes, start=1):
        masses = dummies(setting.noise, setting.mean / part, setting.scale / part, size)
        without, moved = np.zeros(size + 4), np.zeros(size + 4)
        start = 0 if change >= 0 else -change
        without[start : start + size + 1] += masses
        moved[start + change : start + change + size + 1] += masses
        first, second = np.multiply.outer(first, without).ravel(), np.multiply.outer(second, moved).ravel()
    return first, second


def delta(first: np.ndarray, second: np.ndarray, epsilon: float, rounds: int) -> float:
    a, b = first, second
    for _ in range(rounds - 1):
        a, b = np.multiply.outer(a, first).ravel(), np.multiply.outer(b, second).ravel()
        keep = (a > 1e-25) | (b > 1e-25)  # far below what is compared
        a, b = a[keep], b[keep]
    return float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum())


SMALL = [
    Setting("dialing", "laplace", 12, 1.5),
    Setting("dialing", "gaussian", 9, 2.0),
    Setting("dialing", "gaussian", 3, 2.0),
    Setting("dialing", "laplace", 2, 1.0),
    Setting("conversation", "laplace", 14, 2.0),
    Setting("conversation", "gaussian", 12, 3.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("setting", SMALL, ids=str)
@pytest.mark.parametrize(("epsilon", "rounds"), mostly_slow([(0.0, 1), (0.7, 1), (0.7, 2), (2.0, 2)], every=3, first=1))
def test_the_upper_end_holds_for_every_change_in_both_directions(setting: Setting, epsilon: float, rounds: int):
    size = 40 if setting.protocol == "conversation" else 90
    upper = setting.delta(epsilon, rounds).upper
    for changes in itertools.product(*(range(-most, most + 1) for most in CHANGES[setting.protocol])):
        first, second = observed(setting, changes, size)
        if rounds > 1 and setting.protocol == "conversation":
            first, second = lighter(first, second)
        assert delta(first, second, epsilon, rounds) <= upper * (1.0 + ROUNDING)


def lighter(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    keep = np.maximum(first, second) > 1e-9  # sums over pairs of rounds only lose by this, which is fair to the upper end
    return first[keep], second[keep]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "epsilon", "rounds"),
    [
        (setting, epsilon, rounds)
        for setting in SMALL
        for epsilon, rounds in [(0.0, 1), (0.7, 1), (0.7, 2), (2.0, 2)]
        if setting.protocol == "dialing" or rounds == 1  # two rounds of two counts are too many to enumerate
    ],
    ids=str,
)
def test_the_lower_end_is_reached_by_the_largest_change(setting: Setting, epsilon: float, rounds: int):
    truth = delta(*observed(setting, CHANGES[setting.protocol]), epsilon, rounds)
    assert 0.0 < setting.delta(epsilon, rounds).lower <= truth * (1.0 + ROUNDING)


def test_the_lower_end_comes_close():
    setting = Setting("dialing", "gaussian", 40, 8.0)
    truth = delta(*observed(setting, (2,), 110), 1.0, 2)
    assert 0.97 * truth <= setting.delta(1.0, 2).lower <= truth <= setting.delta(1.0, 2).upper <= 1.2 * truth


def test_wide_noise_is_counted_in_larger_units():
    wide, narrow = Setting("dialing", "gaussian", 288_000, 32_000), Setting("dialing", "gaussian", 9_000, 1_000)
    found, same = wide.delta(0.2, 2**24), narrow.delta(0.2, 2**14)
    assert found.lower == pytest.approx(same.lower, rel=3e-3)  # the same noise on another scale, but for clamping
    assert found.lower < found.upper <= 1.01 * found.lower


@pytest.mark.parametrize("noise", vuvuzela.NOISES)
@pytest.mark.parametrize("protocol", vuvuzela.PROTOCOLS)
def test_requests_are_the_expected_number_of_dummies(protocol: vuvuzela.Protocol, noise: vuvuzela.Noise):
    setting = Setting(protocol, noise, 60, 4.0)
    expected = sum(
        each * float((dummies(noise, 60 / part, 4.0 / part, 160) * np.arange(161)).sum())
        for part, each in {"dialing": ((1, 1),), "conversation": ((1, 1), (2, 2))}[protocol]
    )
    assert setting.requests == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("noise", vuvuzela.NOISES)
def test_the_least_noise_meets_the_target_and_less_does_not(noise: vuvuzela.Noise):
    answer = smallest("dialing", noise, rounds=2, epsilon=1.0, delta=0.01)
    assert answer.achieved.upper <= 0.01
    assert delta(*observed(answer.setting, (2,)), 1.0, 2) <= 0.01
    assert answer.fails is not None
    assert answer.fails.mean >= 0.79 * answer.setting.mean
    assert delta(*observed(answer.fails, (2,)), 1.0, 2) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "rounds"), [("dialing", 1_024), ("dialing", 8_192), ("conversation", 65_536), ("conversation", 524_288)]
)
@pytest.mark.parametrize("noise", mostly_slow(vuvuzela.NOISES, every=2))
def test_vuvuzelas_target(protocol: vuvuzela.Protocol, noise: vuvuzela.Noise, rounds: int):
    answer = smallest(protocol, noise, rounds)
    assert answer.achieved.upper <= 1e-4
    assert answer.achieved.lower >= 0.97e-4  # it is nearly used up
    assert answer.fails is not None
    assert answer.fails.mean >= 0.99 * answer.setting.mean
    assert answer.fails.delta(math.log(2.0), rounds).lower > 1e-4
    assert 0.2 < answer.saved < 0.9


@pytest.mark.parametrize("setting", vuvuzela.ORIGINAL.values(), ids=vuvuzela.ORIGINAL)
def test_the_original_settings_spend_delta_on_clamping(setting: Setting):
    rounds = {"dialing": 1_024, "conversation": 65_536}[setting.protocol]
    counts = rounds * len(CHANGES[setting.protocol])
    with mpmath.workdps(40):
        cut = float(1 - (1 - below("laplace", 2, setting.mean, setting.scale)) ** counts)
    low, high = setting._cut(rounds)
    assert low <= cut <= high
    assert high <= low * (1.0 + 1e-10)


@pytest.mark.slow
def test_the_proposed_settings_against_closed_forms():
    """For normal noise without clamping delta has a closed form; the published pair is a post-processing of that."""
    for name in ("GS 1.6k", "GS 4.1k", "GS-new1", "GS-new2"):
        setting, rounds = vuvuzela.PROPOSED[name]
        with mpmath.workdps(40):
            m = 2 * mpmath.sqrt(rounds * len(CHANGES[setting.protocol])) / mpf(setting.scale)
            e = mpmath.log(2)
            closed = float(mpmath.ncdf(m / 2 - e / m) - 2 * mpmath.ncdf(-m / 2 - e / m))
            cut = float(1 - (1 - below("gaussian", 1, setting.mean, setting.scale)) ** rounds)
        found = setting.published(rounds).delta(math.log(2.0))
        assert found.lower <= closed
        assert found.upper >= 0.99 * closed
        assert setting.delta(math.log(2.0), rounds).lower > 1e-4  # none of them meets the target once clamping counts
        assert setting.delta(math.log(2.0), rounds).upper >= max(cut, found.lower)


def test_a_ratio_that_clamps_too_often_is_refused():
    with pytest.raises(tb.InvalidParameter, match=r"ratio is 6.0, but must be above 6.042 for this target"):
        smallest("conversation", "gaussian", 65_536, ratio=6.0)
    assert smallest("conversation", "gaussian", 65_536, ratio=7.0).setting.ratio == pytest.approx(7.0, rel=1e-5)


@pytest.mark.slow
def test_the_chosen_ratio_is_a_good_one():
    best = smallest("dialing", "laplace", 1_024)
    for factor in (0.97, 1.1):
        other = smallest("dialing", "laplace", 1_024, ratio=best.setting.ratio * factor)
        assert other.setting.mean > best.setting.mean


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 3, 2**20])
@pytest.mark.parametrize(("epsilon", "target"), [(0.0, 0.3), (20.0, 1e-9), (0.01, 0.9)])
@pytest.mark.parametrize("noise", vuvuzela.NOISES)
def test_odd_targets_have_answers(noise: vuvuzela.Noise, epsilon: float, target: float, rounds: int):
    answer = smallest("dialing", noise, rounds, epsilon, target)
    assert 0.0 <= answer.achieved.lower <= answer.achieved.upper <= target


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"protocol": "talking"}, "protocol"),
        ({"noise": "cauchy"}, "noise"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 1.5}, "rounds"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"delta": math.nan}, "delta"),
        ({"ratio": -1.0}, "ratio"),
        ({"rtol": 0.0}, "rtol"),
    ],
)
def test_bad_questions(arguments: dict, name: str):
    with pytest.raises(tb.InvalidParameter) as caught:
        smallest(**{"protocol": "dialing", "rounds": 10, **arguments})
    assert caught.value.name == name


@pytest.mark.parametrize(("mean", "scale"), [(-1, 1), (math.nan, 1), (math.inf, 1), (1, 0), (1, math.nan), ("1", 1)])
def test_bad_settings(mean: float, scale: float):
    with pytest.raises(tb.InvalidParameter):
        Setting("dialing", "laplace", mean, scale)


def test_no_dummies_at_all_reveal_nearly_everything():
    assert Setting("dialing", "laplace", 0, 0.01).delta(1.0, 10).lower > 0.99
