"""Figures 3, 16, 19, 20 and 21: delta over e^epsilon for Vuvuzela's noise, a row of panels a number of rounds."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tightbudget.classic import kov
from tightbudget.mechanisms import Laplace
from tightbudget.research.reproduce.figures import vuvuzela_noise as noise
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.sources import bucket_number, by_buckets, classic_epsilon, e_to, epsilon_grid
from tightbudget.research.reproduce.verdicts import (
    OPEN,
    bracket_ends,
    bracket_in_verdict,
    bracket_ratio,
    exact_ends,
    orders_of_magnitude,
    verdict_within,
)

QUICK_POINTS = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.5)  # values of e^epsilon, more of them where the target is
TIGHT_DOWN_TO = {"GS 4.1k": 1e-4, "LP 20k": 1e-6, "GS 20k": 1e-8}  # section 7.2

UNRESOLVED = "δ is below what untilted buckets resolve with their rounding errors booked; the paper books none"


@dataclass(frozen=True)
class PanelRow:
    """One number of rounds: the noises compared, and Vuvuzela's own setting that the dot stands for."""

    rounds: int
    names: tuple[str, ...]
    dot: str


def curves_figure(
    name: str, title: str, caption: str, rows: Sequence[PanelRow], claims: Callable[[Mapping[str, Number]], Sequence[Claim]]
) -> Figure:
    readings = noise.noise_readings(noise.SETTINGS[rows[0].dot])

    def figure_settings(quick: bool) -> dict[str, Any]:
        return {
            "rounds": [row.rounds for row in rows],
            "noise": {each: str(noise.SETTINGS[each]) for row in rows for each in (*row.names, row.dot)},
            "target": {"epsilon": noise.TARGET_EPSILON, "delta": noise.TARGET_DELTA},
            "e^epsilon": e_to(_plotted_epsilons(quick)),
            "n": bucket_number(quick),
        }

    def compute_figure(quick: bool) -> Data:
        panels, facts = [], {"n": exact_ends(float(bucket_number(quick)))}
        for row in rows:
            for reading in readings:
                panels.append(_vuvuzela_curve_panel(row, reading, quick, facts))
            _add_facts(row, readings, facts)
        return Data(panels, facts)

    return Figure(name, title, caption, figure_settings, compute_figure, claims, columns=len(readings))


def _plotted_epsilons(quick: bool) -> list[float]:
    return [math.log(value) for value in QUICK_POINTS] if quick else epsilon_grid(1.0, 3.5, 26)


def _vuvuzela_curve_panel(row: PanelRow, reading: str, quick: bool, facts: dict[str, Number]) -> Panel:
    epsilons = tuple(_plotted_epsilons(quick))
    series = []
    for colour, (name, setting) in enumerate(noise.named_settings(row.names)):
        brackets = noise.noise_curve(setting, row.rounds, reading, epsilons)
        lower, upper = [low for low, _ in brackets], [high for _, high in brackets]
        series.append(Series(name, "bracket", e_to(epsilons), upper, lower, colour, colour))
        if reading == "published":
            series.append(_vuvuzela_bucket_series(row, name, colour, quick, facts))
    dot = noise.original_analysis(noise.SETTINGS[row.dot], row.rounds)
    series.append(Series(f"{row.dot}: original analysis", "point", [math.exp(dot[0])], [dot[1]]))
    title = f"r = {row.rounds:,}: {noise.READINGS[reading]}"
    return Panel(title, "e^ε", "δ", series, floor=1e-12, ceiling=2.0, target=True)


def _vuvuzela_bucket_series(row: PanelRow, name: str, colour: int, quick: bool, facts: dict[str, Number]) -> Series:
    """Return the published buckets' bounds; keep what the claims need of them."""
    setting = noise.SETTINGS[name]
    epsilons = _plotted_epsilons(True)
    dot, _ = noise.original_analysis(noise.SETTINGS[row.dot], row.rounds)
    level = TIGHT_DOWN_TO.get(name, noise.TARGET_DELTA)
    *brackets, at_dot, tight_at = noise.bucket_brackets(setting, row.rounds, bucket_number(quick), (*epsilons, dot), level)
    facts[_fact_key("buckets at dot", row.rounds, name)] = at_dot
    if name in TIGHT_DOWN_TO:
        facts[_fact_key("buckets tight", row.rounds, name)] = tight_at
    upper, lower = [high for _, high in brackets], [low for low, _ in brackets]
    return Series(f"{name} by buckets", "buckets", e_to(epsilons), upper, lower, colour)


def _add_facts(row: PanelRow, readings: Sequence[str], facts: dict[str, Number]) -> None:
    dot = noise.original_analysis(noise.SETTINGS[row.dot], row.rounds)
    facts[_fact_key("dot epsilon", row.rounds, row.dot)], facts[_fact_key("dot delta", row.rounds, row.dot)] = (
        exact_ends(dot[0]),
        exact_ends(dot[1]),
    )
    dotted = noise.SETTINGS[row.dot]
    unclamped = Laplace(dotted.scale, 2.0) * row.rounds
    facts[_fact_key("kov", row.rounds, row.dot)] = exact_ends(classic_epsilon(kov, unclamped, noise.TARGET_DELTA))
    facts[_fact_key("engine", row.rounds, row.dot)] = bracket_ends(unclamped.epsilon(noise.TARGET_DELTA, rtol=1e-4))
    for name, setting in noise.named_settings(row.names):
        for reading in readings:
            at_target, at_dot, at_less = noise.noise_curve(
                setting, row.rounds, reading, (noise.TARGET_EPSILON, dot[0], math.log(1.5))
            )
            facts[_fact_key(f"{reading} at target", row.rounds, name)] = at_target
            facts[_fact_key(f"{reading} at dot", row.rounds, name)] = at_dot
            facts[_fact_key(f"{reading} at 1.5", row.rounds, name)] = at_less


def _fact_key(what: str, rounds: int, name: str) -> str:
    return f"{what}: {name}, r = {rounds}"


# ---- claims, judged by
# facts ------------------------------------------------------------------------------------------------


def claim_noise_meets_target(
    facts: Mapping[str, Number], section: str, name: str, rounds: int, statement: str = "", note: str = "", slip: bool = False
) -> list[Claim]:
    """Judge "this noise meets e^eps <= 2 and delta <= 1e-4" in every reading."""
    said = statement or f"{name} meets e^ε ≤ 2, δ ≤ 1e-4 at r = {rounds:,}"
    return [
        Claim(
            section,
            said,
            f"δ at e^ε = 2: {bracket_in_verdict(found)}",
            verdict_within(found, most=noise.TARGET_DELTA),
            noise.READINGS[reading],
            note,
            slip,
        )
        for reading in noise.noise_readings(noise.SETTINGS[name])
        if (found := facts.get(_fact_key(f"{reading} at target", rounds, name))) is not None
    ]


def claim_delta_lower_by(
    facts: Mapping[str, Number], section: str, statement: str, name: str, dot: str, rounds: int, least: float
) -> list[Claim]:
    """Judge "delta is so many orders of magnitude below the original analysis" in every reading and for the buckets."""
    before = facts[_fact_key("dot delta", rounds, dot)]
    claims = []
    for reading in (*noise.noise_readings(noise.SETTINGS[name]), "buckets"):
        after = facts[_fact_key(f"{reading} at dot", rounds, name)]
        found = orders_of_magnitude(before, after)
        label = noise.READINGS.get(reading, f"the paper's pair, privacy buckets with n = {facts['n'][0]:.0f}")
        note = UNRESOLVED if after[0] == 0.0 else ""
        text = f"δ from {before[1]:.2g} to {bracket_in_verdict(after)}: {bracket_in_verdict(found)} orders"
        claims.append(Claim(section, statement, text, verdict_within(found, least), label, note))
    return claims


def claim_buckets_are_tight(facts: Mapping[str, Number], name: str, rounds: int) -> Claim:
    low, high = facts[_fact_key("buckets tight", rounds, name)]
    level, n = TIGHT_DOWN_TO[name], facts["n"][0]
    resolved = 0.0 < low <= high < math.inf
    return Claim(
        "7.2",
        f"The lower bounds show that the result for {name} is tight down to δ = {level:g} (100,000 buckets)",
        f"ε at that δ by buckets: {bracket_in_verdict((low, high))}",
        by_buckets(verdict_within(exact_ends(high / low), 1.0, 1.1), n) if resolved else OPEN,
        f"within 10 % of ε, n = {n:.0f}",
        "" if resolved else UNRESOLVED,
    )


def dialing_claims(facts: Mapping[str, Number]) -> list[Claim]:
    """Judge what sections 2.3 and 7.2 say of the dialing protocol's curves."""
    claims = claim_delta_lower_by(
        facts, "2.3, 7.2", "Laplace noise LP(20k, 1130) gives a δ almost 3 orders lower", "LP 20k", "LP 20k", 8_192, 2.5
    )
    claims += claim_delta_lower_by(
        facts, "2.3, 7.2", "Gaussian noise GS(20k, 1598²) gives a δ more than 4 orders lower", "GS 20k", "LP 20k", 8_192, 4.0
    )
    claims += claim_delta_lower_by(facts, "7.2", "For LP(8k, 500) the bound is 2 orders lower", "LP 8k", "LP 8k", 1_024, 1.5)
    for reading in noise.noise_readings(noise.SETTINGS["GS 20k"]):
        found = facts[_fact_key(f"{reading} at 1.5", 8_192, "GS 20k")]
        claims.append(
            Claim(
                "7.2",
                "GS(20k, 1598²) has δ ≤ 1e-4 for less than e^ε = 1.5 after 8,192 observations",
                f"δ at e^ε = 1.5: {bracket_in_verdict(found)}",
                verdict_within(found, most=noise.TARGET_DELTA),
                noise.READINGS[reading],
            )
        )
    claims += claim_noise_meets_target(facts, "7.2", "GS 1.6k", 1_024) + claim_noise_meets_target(
        facts, "2.3, 7.2", "GS 4.1k", 8_192
    )
    claims += [claim_buckets_are_tight(facts, name, 8_192) for name in TIGHT_DOWN_TO]
    claims += [kov_is_tight(facts, "LP 8k", 1_024), kov_is_tight(facts, "LP 20k", 8_192)]
    for name, variance in (("GS 8k", "LP 8k"), ("GS 20k", "LP 20k")):
        claims.append(same_variance(name, variance))
    return claims


def kov_is_tight(facts: Mapping[str, Number], name: str, rounds: int) -> Claim:
    theirs, ours = facts[_fact_key("kov", rounds, name)], facts[_fact_key("engine", rounds, name)]
    return Claim(
        "7, footnote 14",
        f"For the Laplace noise previous results (KOV) would already yield tight results: {name}, r = {rounds:,}",
        f"ε at δ = 1e-4 without clamping: KOV {theirs[1]:.5g}, our bracket {bracket_in_verdict(ours, 5)}",
        verdict_within(bracket_ratio(theirs, exact_ends(ours[0])), 0.999, 1.01),
        "noise with a change of 2, within 1 % of ε",
    )


def same_variance(gauss: str, laplace: str) -> Claim:
    sigma, gamma = noise.SETTINGS[gauss].scale, noise.SETTINGS[laplace].scale
    found = exact_ends(sigma / (math.sqrt(2.0) * gamma))
    return Claim(
        "7.2, footnote 16",
        f"{gauss} has the variance of {laplace}",
        f"σ / (√2 γ) = {sigma:g} / (√2 · {gamma:g}) = {found[0]:.5f}",
        verdict_within(found, 0.997, 1.003),
        "to the digits printed",
    )


def conversation_claims(facts: Mapping[str, Number]) -> list[Claim]:
    """Judge what sections 2.3 and 7.3 say of the conversation protocol's curves."""
    claims = claim_delta_lower_by(
        facts, "2.3, 7.3", "LP-high gives a δ almost 4 orders lower", "LP-high", "LP-high", 524_288, 3.5
    )
    claims += claim_delta_lower_by(
        facts, "2.3, 7.3", "GS-high gives a δ more than 6 orders lower", "GS-high", "LP-high", 524_288, 6.0
    )
    claims += claim_delta_lower_by(
        facts, "7.3", "GS-low is more than 7 orders lower than the previous bound", "GS-low", "LP-low", 65_536, 7.0
    )
    claims += claim_noise_meets_target(facts, "2.3", "GS-new1", 65_536)
    claims += claim_noise_meets_target(facts, "Figure 19b", "GS-new2", 524_288)
    swapped = "the text of 7.3 swaps the two; Figures 17 and 19 do not"
    for name, rounds in (("GS-new1", 524_288), ("GS-new2", 65_536)):
        claims += claim_noise_meets_target(facts, "7.3", name, rounds, note=swapped, slip=True)
    claims += [kov_is_tight(facts, "LP-low", 65_536), kov_is_tight(facts, "LP-high", 524_288)]
    claims += [same_variance("GS-low", "LP-low"), same_variance("GS-high", "LP-high")]
    return claims


def claim_proposed_noise_is_better(facts: Mapping[str, Number]) -> list[Claim]:
    """Figure 3: the proposed noise against the original analysis of ten times as much."""
    claims = []
    for name, dot, rounds in (("GS-new1", "LP-low", 65_536), ("GS-new2", "LP-high", 524_288)):
        before = facts[_fact_key("dot delta", rounds, dot)]
        for reading in noise.noise_readings(noise.SETTINGS[name]):
            after = facts[_fact_key(f"{reading} at dot", rounds, name)]
            e = math.exp(facts[_fact_key("dot epsilon", rounds, dot)][0])
            claims.append(
                Claim(
                    "2.3",
                    f"With {name}, ten times fewer dummies, better privacy bounds than {dot} had in the original analysis",
                    f"δ at e^ε = {e:.3g}, r = {rounds:,}: {bracket_in_verdict(after)}, before {before[1]:.2g}",
                    verdict_within(after, most=before[1]),
                    noise.READINGS[reading],
                )
            )
    return claims


def laplace_claims(
    facts: Mapping[str, Number], rows: Sequence[PanelRow], gauss: Mapping[str, str], section: str
) -> list[Claim]:
    """Figures 20 and 21: reduced Laplace noise, beside reduced Gaussian noise."""
    claims = []
    for row in rows:
        name, other = row.names[0], gauss[row.names[0]]
        claims += claim_noise_meets_target(facts, section, name, row.rounds)
        mean = exact_ends(noise.SETTINGS[name].mean / noise.SETTINGS[other].mean)
        claims.append(
            Claim(
                section,
                f"The range of {name} is 2.5 times wider than that of {other}",
                f"ratio of means {mean[0]:.3g}",
                verdict_within(mean, 2.4, 2.6),
            )
        )
        for reading in noise.noise_readings(noise.SETTINGS[name]):
            found = orders_of_magnitude(
                facts[_fact_key(f"{reading} at target", row.rounds, name)],
                facts[_fact_key(f"{reading} at target", row.rounds, other)],
            )
            claims.append(
                Claim(
                    section,
                    f"{name} achieves the same privacy bounds as {other}",
                    f"δ at e^ε = 2 differ by {bracket_in_verdict(found)} orders",
                    verdict_within(found, -0.5, 0.5),
                    f"{noise.READINGS[reading]}; up to half an order",
                )
            )
    return claims


DIALING = (PanelRow(1_024, ("GS 1.6k", "LP 8k", "GS 8k"), "LP 8k"), PanelRow(8_192, ("GS 4.1k", "LP 20k", "GS 20k"), "LP 20k"))
CONVERSATION = (
    PanelRow(65_536, ("GS-new1", "LP-low", "GS-low", "GS-new2"), "LP-low"),
    PanelRow(524_288, ("GS-new2", "LP-high", "GS-high", "GS-new1"), "LP-high"),
)
PROPOSAL = (PanelRow(65_536, ("GS-new1", "LP-low"), "LP-low"), PanelRow(524_288, ("GS-new2", "LP-high"), "LP-high"))
DIALING_LAPLACE = (
    PanelRow(1_024, ("LP 4k", "LP 8k", "GS 8k", "GS 1.6k"), "LP 8k"),
    PanelRow(8_192, ("LP 10k", "LP 20k", "GS 20k", "GS 4.1k"), "LP 20k"),
)
CONVERSATION_LAPLACE = (
    PanelRow(65_536, ("LP 37.5k", "LP-low", "GS-low", "GS-new1"), "LP-low"),
    PanelRow(524_288, ("LP 112.5k", "LP-high", "GS-high", "GS-new2"), "LP-high"),
)

_READING = (
    "Columns are readings. The paper's pair moves the mean inside the clamp at 0, so that clamping hides; as observed, a count "
    "below the largest change reveals everything. "
)
_CONVERSATION = "A conversation round shows two counts, with two noises; the middle column has only the one that changes by 2. "
_DOT = "The dot is Vuvuzela's own analysis by advanced composition."

FIGURE_3 = curves_figure(
    "figure-03",
    "Figure 3: Vuvuzela's conversation protocol, in short",
    _READING + _CONVERSATION + _DOT,
    PROPOSAL,
    claim_proposed_noise_is_better,
)
FIGURE_16 = curves_figure("figure-16", "Figure 16: Vuvuzela's dialing protocol", _READING + _DOT, DIALING, dialing_claims)
FIGURE_19 = curves_figure(
    "figure-19",
    "Figure 19: Vuvuzela's conversation protocol",
    _READING + _CONVERSATION + _DOT,
    CONVERSATION,
    conversation_claims,
)
FIGURE_20 = curves_figure(
    "figure-20",
    "Figure 20: the conversation protocol with reduced Laplace noise",
    _READING + _CONVERSATION + _DOT,
    CONVERSATION_LAPLACE,
    lambda facts: laplace_claims(facts, CONVERSATION_LAPLACE, {"LP 37.5k": "GS-new1", "LP 112.5k": "GS-new2"}, "7.3"),
)
FIGURE_21 = curves_figure(
    "figure-21",
    "Figure 21: the dialing protocol with reduced Laplace noise",
    _READING + _DOT,
    DIALING_LAPLACE,
    lambda facts: laplace_claims(facts, DIALING_LAPLACE, {"LP 4k": "GS 1.6k", "LP 10k": "GS 4.1k"}, "7.2"),
)
