"""Figure 14: Laplace against Gauss noise, of the same variance and of half the variance."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.mechanisms import TruncatedGaussian, TruncatedLaplace
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.sources import bucket_curve, bucket_number, engine_curve, engine_growth, epsilon_grid
from tightbudget.research.reproduce.verdicts import (
    bracket_ends,
    bracket_in_verdict,
    bracket_ratio,
    exact_ends,
    orders_of_magnitude,
    verdict_on_both,
    verdict_within,
)

SCALE, BOUND, ROUNDS = 200.0, 2500.0, 512
DELTAS = (0.01, 0.001, 0.0001)
LAPLACE = TruncatedLaplace(SCALE, BOUND)
SAME, HALF = TruncatedGaussian(SCALE * math.sqrt(2.0), BOUND), TruncatedGaussian(SCALE, BOUND)
EARLY, MIDDLE = 8, 64
MEANS_IN_TEXT = (0.0, 2.0)
LEVEL = 50.0  # an epsilon beyond all finite losses of interest: delta is then what truncation reveals


def _noise_growth_rounds(quick: bool) -> list[int]:
    return [2**k for k in range(10)] if quick else sorted({round(2 ** (k / 3)) for k in range(28)})


def figure_settings(quick: bool) -> dict[str, Any]:
    return {
        "laplace": str(LAPLACE),
        "gauss, same variance": str(SAME),
        "gauss, half the variance": str(HALF),
        "r": ROUNDS,
        "deltas": list(DELTAS),
        "n": bucket_number(quick),
    }


def compute_figure(quick: bool) -> Data:
    panels = [
        _noise_growth_panel(quick, SAME, "Gauss of the same variance"),
        _noise_growth_panel(quick, HALF, "Gauss of half the variance"),
        _noise_graph_panel(quick, SAME, "Gauss of the same variance, r = 512"),
        _noise_graph_panel(quick, HALF, "Gauss of half the variance, r = 512"),
    ]
    facts = {}
    for name, mechanism in (("laplace", LAPLACE), ("same", SAME), ("half", HALF)):
        for r in (EARLY, MIDDLE, ROUNDS):
            facts[f"{name} epsilon {r}"] = bracket_ends((mechanism * r).epsilon(DELTAS[-1], rtol=1e-5))
        facts[f"{name} level"] = bracket_ends((mechanism * ROUNDS).delta(LEVEL, rtol=1e-4))
    return Data(panels, facts)


def _noise_growth_panel(quick: bool, gauss: TruncatedGaussian, title: str) -> Panel:
    series = []
    for dash, delta in enumerate(DELTAS):
        for name, mechanism, colour in (("Laplace", LAPLACE, 0), ("Gauss", gauss, 1)):
            line = engine_growth(mechanism, _noise_growth_rounds(quick), delta, f"{name}, δ = {delta:g}", colour)
            series.append(Series(line.name, line.kind, line.x, line.upper, line.lower, colour, dash))
    return Panel(title, "number of compositions r", "e^ε", series, x_log=True, y_log=False)


def _noise_graph_panel(quick: bool, gauss: TruncatedGaussian, title: str) -> Panel:
    epsilons = epsilon_grid(1.0, 2.0, 26 if quick else 81)
    few = epsilons[:: 3 if quick else 8]
    return Panel(
        title,
        "e^ε",
        "δ",
        [
            engine_curve(LAPLACE * ROUNDS, epsilons, "Laplace (tightbudget)", 0),
            bucket_curve(LAPLACE * ROUNDS, few, bucket_number(quick), "Laplace (privacy buckets)", 0),
            engine_curve(gauss * ROUNDS, epsilons, "Gauss (tightbudget)", 1),
            bucket_curve(gauss * ROUNDS, few, bucket_number(quick), "Gauss (privacy buckets)", 1),
        ],
        floor=1e-20,
        ceiling=2.0,
    )


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    same = bracket_ratio(facts[f"laplace epsilon {ROUNDS}"], facts[f"same epsilon {ROUNDS}"])
    half = [bracket_ratio(facts[f"laplace epsilon {r}"], facts[f"half epsilon {r}"]) for r in (EARLY, MIDDLE, ROUNDS)]
    apart = [(max(0.0, min(abs(low - 1.0), abs(high - 1.0))), max(abs(low - 1.0), abs(high - 1.0))) for low, high in half]
    level = orders_of_magnitude(facts["laplace level"], facts["same level"])
    return [
        Claim(
            "6",
            "For the same variance the Gauss mechanism provides a significantly higher degree of privacy",
            f"ε at δ = 1e-4, r = {ROUNDS}: Laplace {bracket_in_verdict(facts[f'laplace epsilon {ROUNDS}'], 5)}, "
            f"Gauss {bracket_in_verdict(facts[f'same epsilon {ROUNDS}'], 5)}, ratio {bracket_in_verdict(same, 4)}",
            verdict_within(same, 1.2),
            "ε larger by at least a fifth",
        ),
        Claim(
            "6",
            "The δ where the graph levels out is 4 orders of magnitude lower for Gaussian than for Laplace noise",
            f"Laplace {bracket_in_verdict(facts['laplace level'])}, "
            f"Gauss {bracket_in_verdict(facts['same level'])}: {bracket_in_verdict(level)} orders",
            verdict_within(level, 3.5, 4.5),
            "4 ± ½ orders",
            "a Gauss level near 1e-10 is what untilted buckets resolve, not what truncation reveals",
        ),
        Claim(
            "1.1, 6, Figure 14",
            "The graph of the Laplace mechanism converges toward that of a Gauss mechanism with half the variance",
            f"ε of Laplace / ε of Gauss at δ = 1e-4: {', '.join(bracket_in_verdict(each, 4) for each in half)} "
            f"at r = {EARLY}, {MIDDLE}, {ROUNDS}",
            verdict_on_both(
                verdict_within((apart[1][0] / apart[2][1], math.inf), 1.0),
                verdict_within((apart[0][0] / apart[1][1], math.inf), 1.0),
            ),
            "the distance from 1 falls",
        ),
        Claim(
            "6, Figure 14",
            "After 512 compositions the two graphs almost coincide",
            f"ratio of ε at δ = 1e-4: {bracket_in_verdict(half[-1], 4)}",
            verdict_within(half[-1], 0.98, 1.02),
            "within 2 % of ε",
        ),
        Claim(
            "6",
            "A sensitivity of 1 (means 0 and 2)",
            f"means 0 and 2 are {MEANS_IN_TEXT[1] - MEANS_IN_TEXT[0]:g} apart; the caption of Figure 14 has 0 and 1",
            verdict_within(exact_ends(MEANS_IN_TEXT[1] - MEANS_IN_TEXT[0]), 1.0, 1.0),
            note="a slip in the text; the figure uses 0 and 1",
            slip=True,
        ),
    ]


FIGURE = Figure(
    "figure-14",
    "Figure 14: Laplace against Gauss noise",
    "Truncated at ±2500, sensitivity 1. Above: e^ε at fixed δ as r grows. Below: δ over e^ε after 512 compositions, down to "
    "what truncation alone reveals. The published buckets end where their booked rounding errors begin.",
    figure_settings,
    compute_figure,
    claims,
)
