"""Figures computed: bounds in the right order, and verdicts that follow the numbers."""

import math

import pytest
from mpmath import mp

from tightbudget.research.reproduce import verdicts
from tightbudget.research.reproduce.figures import (
    FIGURES,
    delays,
    four_mechanisms,
    gauss_renyi,
    laplace_and_gauss,
    randomized_response,
    truncated_gauss,
    vuvuzela_curves,
    vuvuzela_growth,
    vuvuzela_least_noise,
)
from tightbudget.research.reproduce.model import Data, Figure
from tightbudget.research.reproduce.sources import BUCKETS, by_buckets
from tightbudget.research.reproduce.verdicts import CONFIRMED, OPEN, REFUTED

pytestmark = pytest.mark.slow

CHEAP = [
    truncated_gauss.FIGURE,
    randomized_response.FIGURE,
    gauss_renyi.FIGURE,
    laplace_and_gauss.FIGURE,
    vuvuzela_growth.FIGURE_15,
]


@pytest.fixture(scope="module", params=CHEAP, ids=lambda figure: figure.name)
def computed(request: pytest.FixtureRequest) -> tuple[Figure, Data]:
    figure: Figure = request.param
    return figure, figure.compute(True)


def test_lower_bounds_are_below_upper_bounds(computed: tuple[Figure, Data]):
    _, data = computed
    for panel in data.panels:
        for series in panel.series:
            assert len(series.x) == len(series.upper)
            if series.lower is not None:
                assert all(low <= high for low, high in zip(series.lower, series.upper, strict=True)), series.name


@pytest.mark.parametrize("figure", [randomized_response.FIGURE, gauss_renyi.FIGURE], ids=lambda figure: figure.name)
def test_no_upper_bound_is_below_our_lower_bound(figure: Figure):
    data = figure.compute(True)
    for panel in data.panels:
        ours = panel.series[0]
        assert ours.kind == "bracket"
        lower = dict(zip(ours.x, ours.lower or (), strict=True))
        compared = 0
        for series in panel.series[1:]:
            for x, upper in zip(series.x, series.upper, strict=True):
                if x in lower:
                    compared += 1
                    assert upper >= lower[x] * (1.0 - 1e-12), (series.name, x)
        assert compared >= 40


def test_every_claim_has_a_verdict(computed: tuple[Figure, Data]):
    figure, data = computed
    claims = figure.claims(data.facts)
    assert claims
    for claim in claims:
        assert claim.verdict in verdicts.ALL
        assert claim.section
        assert claim.statement
        assert claim.found


def test_the_gauss_of_figure_13_against_many_digits():
    """The closed form at 40 digits, independent of the engine."""
    facts = gauss_renyi.FIGURE.compute(True).facts
    low, high = facts["ours"]
    with mp.workdps(40):
        m = mp.sqrt(512) / (200 * mp.sqrt(2))

        def delta(epsilon: float) -> mp.mpf:
            shift = mp.mpf(epsilon) / m
            return mp.ncdf(m / 2 - shift) - mp.exp(epsilon) * mp.ncdf(-m / 2 - shift)

        assert delta(low) >= mp.mpf("1e-5") * (1 - mp.mpf("1e-12"))
        assert delta(high) <= mp.mpf("1e-5") * (1 + mp.mpf("1e-12"))


def test_a_target_that_is_missed_is_refuted_and_one_that_is_met_confirmed():
    for value, verdict in (((2e-5, 3e-5), CONFIRMED), ((2e-4, 3e-4), REFUTED), ((9e-5, 2e-4), OPEN)):
        facts = {f"{reading} at target: GS-new1, r = 65536": value for reading in ("published", "alone", "observed")}
        claims = vuvuzela_curves.claim_noise_meets_target(facts, "2.3", "GS-new1", 65_536)
        assert [claim.verdict for claim in claims] == [verdict] * 3


def test_orders_of_magnitude_follow_the_numbers():
    readings = ("published", "observed", "buckets")
    for after, verdict in (((1e-9, 2e-9), CONFIRMED), ((1e-6, 2e-6), REFUTED), ((0.0, 1e-6), OPEN)):
        facts = {f"{reading} at dot: GS 20k, r = 8192": after for reading in readings}
        facts |= {"dot delta: LP 20k, r = 8192": (1e-4, 1e-4), "n": (50_000.0, 50_000.0)}
        claims = vuvuzela_curves.claim_delta_lower_by(facts, "7.2", "more than 4 orders lower", "GS 20k", "LP 20k", 8_192, 4.0)
        assert [claim.verdict for claim in claims] == [verdict] * 3


def test_fewer_buckets_cannot_refute_what_more_achieve():
    assert by_buckets(REFUTED, BUCKETS) == REFUTED
    assert by_buckets(REFUTED, BUCKETS / 10) == OPEN
    assert by_buckets(CONFIRMED, BUCKETS / 10) == CONFIRMED


def test_delays_of_others_cannot_refute_what_the_paper_says_of_its_own():
    assert four_mechanisms.judged_panel("timing", REFUTED) == OPEN
    assert four_mechanisms.judged_panel("timing", CONFIRMED) == CONFIRMED
    assert four_mechanisms.judged_panel("sgd", REFUTED) == REFUTED


def test_buckets_that_do_not_resolve_a_delta_leave_the_claim_open():
    key = "buckets tight: GS 20k, r = 8192"
    assert (
        vuvuzela_curves.claim_buckets_are_tight({key: (0.5, math.inf), "n": (50_000.0, 50_000.0)}, "GS 20k", 8_192).verdict
        == OPEN
    )
    assert (
        vuvuzela_curves.claim_buckets_are_tight({key: (0.5, 0.51), "n": (50_000.0, 50_000.0)}, "GS 20k", 8_192).verdict
        == CONFIRMED
    )
    assert (
        vuvuzela_curves.claim_buckets_are_tight({key: (0.5, 0.9), "n": (50_000.0, 50_000.0)}, "GS 20k", 8_192).verdict
        == REFUTED
    )


@pytest.mark.slow
def test_no_claim_is_judged_without_its_numbers():
    """Every figure's verdicts that are not open turn when its facts do; none is typed."""
    fixed = {
        figure.name: _fixed(figure)
        for figure in (randomized_response.FIGURE, laplace_and_gauss.FIGURE, vuvuzela_growth.FIGURE_15)
    }
    # what remains the same whatever was computed: a comparison of two numbers of the paper itself
    assert fixed == {"figure-11": set(), "figure-14": {"A sensitivity of 1 (means 0 and 2)"}, "figure-15": set()}


def _fixed(figure: Figure) -> set[str]:
    facts = figure.compute(True).facts
    undone = {name: (math.nan, math.nan) for name in facts}
    return {claim.statement for claim in figure.claims(undone) if claim.verdict != OPEN}


def test_delays_without_measurements_are_called_synthetic(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(delays.VARIABLE, raising=False)
    assert "SYNTHETIC" in delays.delays_description()
    assert "SYNTHETIC" in four_mechanisms.figure_settings(True)["timing"]


def test_measured_delays_are_named_and_part_of_the_parameters(monkeypatch: pytest.MonkeyPatch, tmp_path):
    folder = tmp_path / delays.CASE
    folder.mkdir()
    monkeypatch.setenv(delays.VARIABLE, str(tmp_path))
    with pytest.raises(delays.InvalidParameter, match=r"one file with\*\.csv"):
        delays.delays_fingerprint()
    (folder / "withExt.csv").write_text("1.0\n2.0\n")
    (folder / "woExt.csv").write_text("1.0\n3.0\n")
    before = four_mechanisms.figure_settings(True)
    assert "SYNTHETIC" not in before["timing"]
    (folder / "woExt.csv").write_text("1.0\n4.0\n")
    assert four_mechanisms.figure_settings(True) != before


def test_the_noise_needed_names_all_of_the_paper_s_proposals():
    assert len(vuvuzela_least_noise.CASES) == 8
    assert len({case[3] for case in vuvuzela_least_noise.CASES}) == 8


@pytest.mark.slow
def test_the_table_of_claims_is_complete():
    """Every figure of the quick run has claims, and each has a verdict and our numbers."""
    for figure in FIGURES:
        claims = figure.claims(figure.compute(True).facts)
        assert claims, figure.name
        for claim in claims:
            assert claim.verdict in verdicts.ALL
            assert claim.section
            assert claim.found
