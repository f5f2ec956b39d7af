"""Section 7 in one figure: how much noise is needed, by the paper and as certified."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.research.reproduce.figures import vuvuzela_noise as noise
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.verdicts import bracket_in_verdict, exact_ends, verdict_on_both, verdict_within
from tightbudget.research.studies.vuvuzela import ORIGINAL, Noise, Protocol, smallest

CASES: tuple[tuple[Protocol, Noise, int, str, float, str], ...] = (
    ("dialing", "gaussian", 1_024, "GS 1.6k", 4.5, "2.3, 7.2"),
    ("dialing", "gaussian", 8_192, "GS 4.1k", 4.5, "2.3, 7.2"),
    ("dialing", "laplace", 1_024, "LP 4k", 2.0, "7.2"),
    ("dialing", "laplace", 8_192, "LP 10k", 2.0, "7.2"),
    ("conversation", "gaussian", 65_536, "GS-new1", 10.0, "2.3, 7.2"),
    ("conversation", "gaussian", 524_288, "GS-new2", 10.0, "2.3, 7.2"),
    ("conversation", "laplace", 65_536, "LP 37.5k", 4.0, "7.2, 7.3"),
    ("conversation", "laplace", 524_288, "LP 112.5k", 4.0, "7.2, 7.3"),
)
LOW = {1_024, 65_536}


def figure_settings(quick: bool) -> dict[str, Any]:
    return {
        "cases": [list(case[:4]) for case in CASES],
        "target": {"epsilon": noise.TARGET_EPSILON, "delta": noise.TARGET_DELTA},
        "rtol": _least_noise_rtol(quick),
    }


def _least_noise_rtol(quick: bool) -> float:
    return 0.02 if quick else 1e-3


def _original_noise_mean(protocol: str, rounds: int) -> float:
    return ORIGINAL[f"{protocol} {'low' if rounds in LOW else 'high'}"].mean


def compute_figure(quick: bool) -> Data:
    facts: dict[str, Number] = {}
    certified, failing = [], []
    for protocol, kind, rounds, name, _, _ in CASES:
        answer = smallest(protocol, kind, rounds, noise.TARGET_EPSILON, noise.TARGET_DELTA, rtol=_least_noise_rtol(quick))
        once = _original_noise_mean(protocol, rounds)
        certified.append(answer.setting.mean)
        failing.append(answer.fails.mean if answer.fails is not None else 0.0)
        facts[f"{name} factor"] = once / answer.setting.mean, once / failing[-1] if failing[-1] else math.inf
        for reading in noise.noise_readings(noise.SETTINGS[name]):
            facts[f"{name} {reading}"] = noise.noise_delta(noise.SETTINGS[name], rounds, reading, noise.TARGET_EPSILON)
    x = [float(place) for place in range(len(CASES))]
    before = [_original_noise_mean(protocol, rounds) for protocol, _, rounds, *_ in CASES]
    proposed = [noise.SETTINGS[case[3]].mean for case in CASES]
    panel = Panel(
        "mean of the noise, about the number of dummies",
        "",
        "dummies in a round",
        [
            Series("Vuvuzela", "marks", x, before, None, 6, 0),
            Series("proposed in the paper", "marks", x, proposed, None, 1, 1),
            Series("certified as observed", "marks", x, certified, failing, 0, 2),
        ],
        ticks=[f"{case[3]}, r = 2^{case[2].bit_length() - 1}" for case in CASES],
    )
    return Data([panel], facts)


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    result = []
    for protocol, kind, rounds, name, factor, section in CASES:
        saved = exact_ends(_original_noise_mean(protocol, rounds) / noise.SETTINGS[name].mean)
        word = f"almost 5 ({factor:g} or more)" if factor == 4.5 else f"{factor:g}"
        for reading in noise.noise_readings(noise.SETTINGS[name]):
            found = facts[f"{name} {reading}"]
            result.append(
                Claim(
                    section,
                    f"{protocol}, {kind} noise: reduced by a factor of {word} it still meets the target at r = {rounds:,}",
                    f"{name}: factor {saved[0]:.3g}, δ at e^ε = 2: {bracket_in_verdict(found)}; certified as observed: factor "
                    f"{facts[f'{name} factor'][0]:.3g}, and {facts[f'{name} factor'][1]:.3g} provably fails",
                    verdict_on_both(
                        verdict_within(saved, factor * (1.0 - 1e-9)), verdict_within(found, most=noise.TARGET_DELTA)
                    ),
                    noise.READINGS[reading],
                )
            )
    factors = [facts[f"{case[3]} factor"] for case in CASES if case[1] == "gaussian"]
    result.append(
        Claim(
            "7",
            "Already 5 to 10 times less noise suffices to achieve the same strong privacy properties",
            f"certified factors with Gaussian noise: {', '.join(f'{low:.3g}' for low, _ in factors)}",
            verdict_on_both(verdict_within(min(factors), 5.0), verdict_within(max(factors), 10.0)),
            f"{noise.READINGS['observed']}; the least noise of a shape that we choose",
        )
    )
    return result


FIGURE = Figure(
    "section-7",
    "Section 7: the noise that is needed",
    "The least mean that is certified to meet e^ε ≤ 2, δ ≤ 1e-4 for counts as observed, between Vuvuzela's own noise and the "
    "noise that the paper proposes.",
    figure_settings,
    compute_figure,
    claims,
    columns=1,
)
