"""Figures 15 and 18: Vuvuzela's bounds as the number of rounds grows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tightbudget.research.published import tree_pair
from tightbudget.research.reproduce.figures import vuvuzela_noise as noise
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.sources import bucket_number
from tightbudget.research.reproduce.verdicts import bracket_in_verdict, exact_ends, orders_of_magnitude, verdict_within
from tightbudget.research.studies.vuvuzela import Setting

Dot = tuple[float, float]  # epsilon and delta of the original analysis


@dataclass(frozen=True)
class Growth:
    """Noise of the paper, `ours`, beside that of Vuvuzela, `theirs`, for 2^first to 2^last rounds.

    The last of theirs has an (epsilon, delta) for each number of rounds, at which ours is asked.
    """

    ours: str
    theirs: Sequence[str]
    first: int
    last: int
    section: str

    def figure(self, name: str, title: str) -> Figure:
        saved = noise.SETTINGS[self.theirs[-1]].mean / self.setting.mean
        caption = (
            f"{self.ours} has {saved:.1f} times fewer dummies than {self.theirs[-1]}. Original analysis: advanced composition "
            f"with slack {noise.SLACK:g}. The paper's own noise is compared at the (ε, δ) of {self.theirs[-1]} for the same r."
        )
        return Figure(name, title, caption, self.figure_settings, self.compute_figure, self.claims)

    @property
    def setting(self) -> Setting:
        return noise.SETTINGS[self.ours]

    def rounds(self, quick: bool) -> list[int]:
        return [2**k for k in range(self.first, self.last + 1, 2 if quick else 1)]

    def figure_settings(self, quick: bool) -> dict[str, Any]:
        return {
            "rounds": self.rounds(quick),
            "noise": {each: str(noise.SETTINGS[each]) for each in (self.ours, *self.theirs)},
            "slack of advanced composition": noise.SLACK,
            "n": bucket_number(quick),
        }

    def compute_figure(self, quick: bool) -> Data:
        steps = self.rounds(quick)
        dots = {each: [noise.original_analysis(noise.SETTINGS[each], r) for r in steps] for each in self.theirs}
        asked = dots[self.theirs[-1]]
        deltas = {reading: self._deltas(reading, steps, asked) for reading in noise.noise_readings(self.setting)}
        facts = {f"{reading} worst": _least_gain(asked, found) for reading, found in deltas.items()}
        facts.update(_printed_growth_facts(self.setting.protocol))
        return Data([self._left(steps, dots), self._right(steps, dots, deltas, bucket_number(quick))], facts)

    def _deltas(self, reading: str, steps: Sequence[int], asked: Sequence[Dot]) -> list[Number]:
        return [noise.noise_delta(self.setting, r, reading, epsilon) for r, (epsilon, _) in zip(steps, asked, strict=True)]

    def _left(self, steps: Sequence[int], dots: Mapping[str, Sequence[Dot]]) -> Panel:
        """Return e^epsilon at the deltas of theirs, of the readings that have an epsilon."""
        series = [
            _original_growth_series(each, place, steps, [math.exp(e) for e, _ in dots[each]]) for place, each in enumerate(dots)
        ]
        for colour, reading in enumerate(noise.noise_readings(self.setting)):
            if reading != "observed":
                asked = zip(steps, dots[self.theirs[-1]], strict=True)
                found = [noise.noise_epsilon(self.setting, r, reading, level) for r, (_, level) in asked]
                series.append(self._band(reading, steps, [(math.exp(low), math.exp(high)) for low, high in found], colour))
        title = f"e^ε; for {self.ours} at the δ of {self.theirs[-1]}"
        return Panel(title, "rounds r", "e^ε", series, x_log=True, y_log=False, ceiling=6.0)

    def _right(
        self, steps: Sequence[int], dots: Mapping[str, Sequence[Dot]], deltas: Mapping[str, Sequence[Number]], n: int
    ) -> Panel:
        """Return delta at the epsilons of theirs, of every reading and by privacy buckets."""
        series = [
            _original_growth_series(each, place, steps, [delta for _, delta in dots[each]]) for place, each in enumerate(dots)
        ]
        series += [self._band(reading, steps, found, _growth_colour(reading)) for reading, found in deltas.items()]
        series.append(self._buckets(steps, [epsilon for epsilon, _ in dots[self.theirs[-1]]], n))
        title = f"δ; for {self.ours} at the ε of {self.theirs[-1]}"
        return Panel(title, "rounds r", "δ", series, x_log=True, floor=1e-12, ceiling=2.0)

    def _band(self, reading: str, steps: Sequence[int], found: Sequence[Number], colour: int) -> Series:
        upper, lower = [high for _, high in found], [low for low, _ in found]
        return Series(
            f"{self.ours}: {noise.READINGS[reading]}", "bracket", _growth_steps_as_floats(steps), upper, lower, colour
        )

    def _buckets(self, steps: Sequence[int], epsilons: Sequence[float], n: int) -> Series:
        pairs = zip(steps, epsilons, strict=True)
        brackets = [tree_pair(self.setting.published(r), n).delta(epsilon) for r, epsilon in pairs]
        upper, lower = [bracket.upper for bracket in brackets], [bracket.lower for bracket in brackets]
        return Series(f"{self.ours}: privacy buckets", "buckets", _growth_steps_as_floats(steps), upper, lower, 6)

    def claims(self, facts: Mapping[str, Number]) -> list[Claim]:
        return claims_about_slips(facts) + [
            Claim(
                self.section,
                f"The bounds of {self.ours} are below the previous bounds of {self.theirs[-1]}",
                f"least gain in δ over the rounds shown: {bracket_in_verdict(facts[f'{reading} worst'])} orders",
                verdict_within(facts[f"{reading} worst"], 0.0),
                noise.READINGS[reading],
            )
            for reading in noise.noise_readings(self.setting)
        ]


def _original_growth_series(name: str, place: int, steps: Sequence[int], values: list[float]) -> Series:
    return Series(f"{name}: original analysis", "upper", _growth_steps_as_floats(steps), values, None, place + 2, 1)


def _least_gain(before: Sequence[Dot], after: Sequence[Number]) -> Number:
    """Return how many orders of magnitude delta has fallen, where it has fallen least."""
    gains = [orders_of_magnitude(exact_ends(delta), found) for (_, delta), found in zip(before, after, strict=True)]
    return min(low for low, _ in gains), min(high for _, high in gains)


def _growth_steps_as_floats(steps: Sequence[int]) -> list[float]:
    return [float(r) for r in steps]


# Numbers that the paper prints in two ways: the one that is not used here.
PRINTED = {
    "dialing": (Setting("dialing", "gaussian", 4_100, 320), 8_192, Setting("dialing", "laplace", 13_000, 770_000), 1),
    "conversation": (Setting("conversation", "laplace", 150_000, 7_500), 65_536, None, 0),
}


def _printed_growth_facts(protocol: str) -> dict[str, Number]:
    first, rounds, second, few = PRINTED[protocol]
    facts = {f"{protocol} printed": noise.noise_delta(first, rounds, "published", noise.TARGET_EPSILON)}
    if second is not None:
        facts["wide"] = noise.noise_delta(second, few, "observed", noise.TARGET_EPSILON)
    else:
        used = math.exp(noise.original_analysis(noise.SETTINGS["LP-low"], rounds)[0])
        facts["dot used"], facts["dot printed"] = (
            exact_ends(used),
            exact_ends(math.exp(noise.original_analysis(first, rounds)[0])),
        )
    return facts


def claims_about_slips(facts: Mapping[str, Number]) -> list[Claim]:
    """Judge numbers that differ from those elsewhere in the paper."""
    claims = []
    if (found := facts.get("dialing printed")) is not None:
        claims.append(
            Claim(
                "Figure 15",
                "The magenta line is Gaussian noise with μ = 4.1k, σ = 320, and meets the target",
                f"δ at e^ε = 2, r = 8,192: {bracket_in_verdict(found)}",
                verdict_within(found, most=noise.TARGET_DELTA),
                noise.READINGS["published"],
                "σ = 833 in the text; 320 belongs to μ = 1.6k",
                slip=True,
            )
        )
    if (found := facts.get("wide")) is not None:
        claims.append(
            Claim(
                "Figure 15",
                "One of Vuvuzela's settings is μ = 13k, γ = 770k",
                f"δ at e^ε = 2 after one round: {bracket_in_verdict(found)}",
                verdict_within(found, most=noise.TARGET_DELTA),
                noise.READINGS["observed"],
                "γ = 770; with 770k nearly half of all counts would be clamped",
                slip=True,
            )
        )
    if "dot used" in facts:
        used, printed = facts["dot used"], facts["dot printed"]
        claims.append(
            Claim(
                "7.1",
                "Vuvuzela's smallest conversation setting has γ = 7.5k",
                f"original analysis at r = 65,536: e^ε = {printed[0]:.3f} with 7.5k, {used[0]:.3f} with 7.3k (Figure 17)",
                verdict_within(printed, 1.995, 2.005),
                "the e^ε of the setting's own analysis is its target 2",
                slip=True,
            )
        )
    return claims


def _growth_colour(reading: str) -> int:
    return {"published": 0, "alone": 1, "observed": 5}[reading]


FIGURE_15 = Growth("GS 4.1k", ("LP 8k", "LP 13k", "LP 20k"), 9, 14, "7.2, Figure 15").figure(
    "figure-15", "Figure 15: the dialing protocol over the rounds"
)
FIGURE_18 = Growth("GS-new2", ("LP-low", "LP-medium", "LP-high"), 13, 20, "7.3, Figure 18").figure(
    "figure-18", "Figure 18: the conversation protocol over the rounds"
)
