"""Vuvuzela's noise over many epsilons: quick brackets hold what slow ones hold; the original analysis is the printed
one.
"""

import math

import pytest

from tightbudget.research.reproduce.figures import vuvuzela_noise as noise
from tightbudget.research.studies.vuvuzela import Setting

EPSILONS = (0.0, math.log(1.5), math.log(2.0))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
@pytest.mark.parametrize("reading", ["published", "alone"])
def test_wide_noise_is_bracketed_without_its_own_pair(kind: str, reading: str):
    setting = Setting("conversation", kind, 4_000, 700)  # type: ignore[arg-type]
    assert setting.scale > noise.FINE, "the shortcut would not be taken"
    brackets = noise.noise_curve(setting, 4_096, reading, EPSILONS)
    for epsilon, (low, high) in zip(EPSILONS, brackets, strict=True):
        truth = noise.noise_composition(setting, 4_096, reading).delta(epsilon, rtol=1e-4)
        assert low <= truth.upper, "the lower end must lie below the pair itself"
        assert high >= truth.lower, "the upper end must lie above the pair itself"
        assert high <= 1.05 * low, "a bracket so wide would leave claims open"


def test_the_epsilon_of_wide_noise_is_bracketed_too():
    setting = Setting("dialing", "gaussian", 4_100, 833)
    low, high = noise.noise_epsilon(setting, 8_192, "published", 1e-4)
    truth = setting.published(8_192).epsilon(1e-4, rtol=1e-4)
    assert low <= truth.upper
    assert high >= truth.lower
    assert high <= 1.05 * low


def test_narrow_noise_is_asked_itself():
    setting = Setting("dialing", "gaussian", 1_600, 320)
    ((low, high),) = noise.noise_curve(setting, 1_024, "published", (math.log(2.0),))
    truth = setting.published(1_024).delta(math.log(2.0), rtol=0.01)
    assert (low, high) == (truth.lower, truth.upper)


def test_what_is_observed_is_the_study_s_own_bracket():
    setting = Setting("dialing", "gaussian", 1_600, 320)
    assert noise.noise_delta(setting, 1_024, "observed", math.log(2.0)) == (
        setting.delta(math.log(2.0), 1_024, noise.RTOL).lower,
        setting.delta(math.log(2.0), 1_024, noise.RTOL).upper,
    )


@pytest.mark.parametrize("name", ["LP-low", "LP-medium", "LP-high"])
def test_the_original_analysis_of_conversations(name: str):
    """Vuvuzela's theorem: one round is (4 / b, exp((2 - mu) / b)); then advanced composition."""
    setting, rounds = noise.SETTINGS[name], 65_536
    step, lost = 4.0 / setting.scale, math.exp((2.0 - setting.mean) / setting.scale)
    epsilon = math.sqrt(2.0 * rounds * math.log(1e5)) * step + rounds * step * (math.exp(step) - 1.0)
    assert noise.original_analysis(setting, rounds) == pytest.approx((epsilon, rounds * lost + 1e-5), rel=1e-9)


def test_the_original_analysis_meets_its_own_target_where_the_paper_puts_the_dot():
    epsilon, delta = noise.original_analysis(noise.SETTINGS["LP-low"], 65_536)
    assert math.exp(epsilon) == pytest.approx(2.0, abs=0.005)
    assert delta < 1e-4


def test_every_reading_of_a_setting_is_named():
    for setting in noise.SETTINGS.values():
        assert set(noise.noise_readings(setting)) <= set(noise.READINGS)
