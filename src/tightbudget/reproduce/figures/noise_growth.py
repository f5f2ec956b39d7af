"""Figures 15 and 18: Vuvuzela's bounds as the number of rounds grows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.published import tree_pair
from tightbudget.reproduce.figures import noise
from tightbudget.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.reproduce.sources import bucket_number
from tightbudget.reproduce.verdicts import exact, orders, shown, within
from tightbudget.studies.vuvuzela import Setting


def figure(name: str, title: str, ours: str, theirs: Sequence[str], first: int, last: int, section: str) -> Figure:
    setting, high = noise.SETTINGS[ours], noise.SETTINGS[theirs[-1]]

    def rounds(quick: bool) -> list[int]:
        return [2**k for k in range(first, last + 1, 2 if quick else 1)]

    def parameters(quick: bool) -> dict[str, Any]:
        return {
            "rounds": rounds(quick),
            "noise": {each: str(noise.SETTINGS[each]) for each in (ours, *theirs)},
            "slack of advanced composition": noise.SLACK,
            "n": bucket_number(quick),
        }

    def compute(quick: bool) -> Data:
        steps = rounds(quick)
        x = [float(r) for r in steps]
        dots = {each: [noise.original(noise.SETTINGS[each], r) for r in steps] for each in theirs}
        asked = dots[theirs[-1]]
        left = [
            Series(
                f"{each}: original analysis", "upper", x, [math.exp(epsilon) for epsilon, _ in dots[each]], None, place + 2, 1
            )
            for place, each in enumerate(theirs)
        ]
        right = [
            Series(f"{each}: original analysis", "upper", x, [delta for _, delta in dots[each]], None, place + 2, 1)
            for place, each in enumerate(theirs)
        ]
        facts: dict[str, Number] = {}
        for colour, reading in enumerate(noise.readings(setting)):
            if reading != "observed":
                found = [noise.epsilon(setting, r, reading, level) for r, (_, level) in zip(steps, asked, strict=True)]
                upper, lower = [math.exp(high) for _, high in found], [math.exp(low) for low, _ in found]
                left.append(Series(f"{ours}: {noise.READINGS[reading]}", "bracket", x, upper, lower, colour))
            deltas = [noise.delta(setting, r, reading, epsilon) for r, (epsilon, _) in zip(steps, asked, strict=True)]
            upper, lower = [end for _, end in deltas], [end for end, _ in deltas]
            right.append(Series(f"{ours}: {noise.READINGS[reading]}", "bracket", x, upper, lower, _colour(reading)))
            gains = [orders(exact(before), after) for (_, before), after in zip(asked, deltas, strict=True)]
            facts[f"{reading} worst"] = min(low for low, _ in gains), min(high for _, high in gains)
        facts.update(_printed(setting.protocol))
        right.append(_buckets(quick, steps, [epsilon for epsilon, _ in asked]))
        return Data(
            [
                Panel(
                    f"e^ε; for {ours} at the δ of {theirs[-1]}", "rounds r", "e^ε", left, x_log=True, y_log=False, ceiling=6.0
                ),
                Panel(f"δ; for {ours} at the ε of {theirs[-1]}", "rounds r", "δ", right, x_log=True, floor=1e-12, ceiling=2.0),
            ],
            facts,
        )

    def _buckets(quick: bool, steps: Sequence[int], epsilons: Sequence[float]) -> Series:
        pairs = zip(steps, epsilons, strict=True)
        brackets = [tree_pair(setting.published(r), bucket_number(quick)).delta(epsilon) for r, epsilon in pairs]
        upper, lower = [bracket.upper for bracket in brackets], [bracket.lower for bracket in brackets]
        return Series(f"{ours}: privacy buckets", "buckets", [float(r) for r in steps], upper, lower, 6)

    def claims(facts: Mapping[str, Number]) -> list[Claim]:
        return slips(facts) + [
            Claim(
                section,
                f"The bounds of {ours} are below the previous bounds of {theirs[-1]}",
                f"least gain in δ over the rounds shown: {shown(facts[f'{reading} worst'])} orders",
                within(facts[f"{reading} worst"], 0.0),
                noise.READINGS[reading],
            )
            for reading in noise.readings(setting)
        ]

    saved = high.mean / setting.mean
    caption = (
        f"{ours} has {saved:.1f} times fewer dummies than {theirs[-1]}. Original analysis: advanced composition with slack "
        f"{noise.SLACK:g}. The paper's own noise is compared at the (ε, δ) of {theirs[-1]} for the same r."
    )
    return Figure(name, title, caption, parameters, compute, claims)


# Numbers that the paper prints in two ways: the one that is not used here.
PRINTED = {
    "dialing": (Setting("dialing", "gaussian", 4_100, 320), 8_192, Setting("dialing", "laplace", 13_000, 770_000), 1),
    "conversation": (Setting("conversation", "laplace", 150_000, 7_500), 65_536, None, 0),
}


def _printed(protocol: str) -> dict[str, Number]:
    first, rounds, second, few = PRINTED[protocol]
    facts = {f"{protocol} printed": noise.delta(first, rounds, "published", noise.TARGET_EPSILON)}
    if second is not None:
        facts["wide"] = noise.delta(second, few, "observed", noise.TARGET_EPSILON)
    else:
        used = math.exp(noise.original(noise.SETTINGS["LP-low"], rounds)[0])
        facts["dot used"], facts["dot printed"] = exact(used), exact(math.exp(noise.original(first, rounds)[0]))
    return facts


def slips(facts: Mapping[str, Number]) -> list[Claim]:
    """Judge numbers that differ from those elsewhere in the paper."""
    claims = []
    if (found := facts.get("dialing printed")) is not None:
        claims.append(
            Claim(
                "Figure 15",
                "The magenta line is Gaussian noise with μ = 4.1k, σ = 320, and meets the target",
                f"δ at e^ε = 2, r = 8,192: {shown(found)}",
                within(found, most=noise.TARGET_DELTA),
                noise.READINGS["published"],
                "σ = 833 in the text; 320 belongs to μ = 1.6k",
            )
        )
    if (found := facts.get("wide")) is not None:
        claims.append(
            Claim(
                "Figure 15",
                "One of Vuvuzela's settings is μ = 13k, γ = 770k",
                f"δ at e^ε = 2 after one round: {shown(found)}",
                within(found, most=noise.TARGET_DELTA),
                noise.READINGS["observed"],
                "γ = 770; with 770k nearly half of all counts would be clamped",
            )
        )
    if "dot used" in facts:
        used, printed = facts["dot used"], facts["dot printed"]
        claims.append(
            Claim(
                "7.1",
                "Vuvuzela's smallest conversation setting has γ = 7.5k",
                f"original analysis at r = 65,536: e^ε = {printed[0]:.3f} with 7.5k, {used[0]:.3f} with 7.3k (Figure 17)",
                within(printed, 1.995, 2.005),
                "the e^ε of the setting's own analysis is its target 2",
            )
        )
    return claims


def _colour(reading: str) -> int:
    return {"published": 0, "alone": 1, "observed": 5}[reading]


FIGURE_15 = figure(
    "figure-15",
    "Figure 15: the dialing protocol over the rounds",
    "GS 4.1k",
    ("LP 8k", "LP 13k", "LP 20k"),
    9,
    14,
    "7.2, Figure 15",
)
FIGURE_18 = figure(
    "figure-18",
    "Figure 18: the conversation protocol over the rounds",
    "GS-new2",
    ("LP-low", "LP-medium", "LP-high"),
    13,
    20,
    "7.3, Figure 18",
)
