"""Figure 2: a mechanism known by its shape against one known only by (epsilon, delta)."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tightbudget.mechanisms import ApproximateDP, TruncatedGaussian
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.sources import bucket_growth, bucket_number, engine_growth
from tightbudget.research.reproduce.verdicts import OPEN, bracket_ends, bracket_in_verdict, verdict_on_both, verdict_within

SIGMA, BOUND, DELTA, LAST = 200.0 * math.sqrt(2.0), 2500.0, 1e-4, 512
STEP_DELTA = DELTA / (2 * LAST)  # so that what 512 steps reveal stays below delta
GAUSS = TruncatedGaussian(SIGMA, BOUND)


def plotted_rounds(quick: bool) -> list[int]:
    return [2**k for k in range(10)] if quick else sorted({round(2 ** (k / 4)) for k in range(37)})


def figure_settings(quick: bool) -> dict[str, Any]:
    return {
        "gauss": str(GAUSS),
        "delta": DELTA,
        "delta of one step": STEP_DELTA,
        "r": plotted_rounds(quick),
        "n": bucket_number(quick),
    }


def compute_figure(quick: bool) -> Data:
    steps = plotted_rounds(quick)
    promised = ApproximateDP(GAUSS.epsilon(STEP_DELTA, rtol=1e-6).upper, STEP_DELTA)
    same_start = ApproximateDP(GAUSS.epsilon(DELTA, rtol=1e-6).upper, DELTA)
    ours = engine_growth(GAUSS, steps, DELTA, "truncated Gauss (tightbudget)")
    response = engine_growth(promised, steps, DELTA, f"randomised response, δ₀ = {STEP_DELTA:.2g}", colour=1)
    first = math.exp(same_start.epsilon(DELTA, rtol=1e-6).upper)
    start = Series("randomised response, δ₀ = 1e-4 (infinite from r = 2)", "point", [1.0], [first])
    few = [r for r in steps if r & (r - 1) == 0]
    buckets = bucket_growth(GAUSS, few, DELTA, bucket_number(quick), "truncated Gauss (privacy buckets)", colour=0)
    left = Panel(
        f"e^ε at δ = {DELTA:g}", "number of compositions r", "e^ε", [ours, buckets, response, start], x_log=True, y_log=False
    )
    x = np.linspace(-3.0 * SIGMA, 3.0 * SIGMA, 121)
    density = [np.exp(-(((x - mean) / SIGMA) ** 2) / 2.0) / (math.sqrt(2.0 * math.pi) * SIGMA) for mean in (0.0, 1.0)]
    middle = Panel(
        "densities of the Gauss mechanism: σ is 283 times the change",
        "x",
        "density",
        [
            Series("A: mean 0", "line", x.tolist(), density[0].tolist(), colour=0),
            Series("B: mean 1", "line", x.tolist(), density[1].tolist(), colour=1, dash=1),
        ],
        y_log=False,
    )
    keep, grow = 1.0 - promised.promised_delta, math.exp(promised.promised_epsilon)
    a = [promised.promised_delta, keep * grow / (1.0 + grow), keep / (1.0 + grow), 0.0]
    right = Panel(
        "the four events of randomised response",
        "",
        "probability",
        [
            Series("A", "marks", [0.0, 1.0, 2.0, 3.0], a, colour=0),
            Series("B", "marks", [0.0, 1.0, 2.0, 3.0], a[::-1], colour=1, dash=2),
        ],
        ticks=("only A", "more likely under A", "more likely under B", "only B"),
        y_log=False,
    )
    facts = {
        "start gauss": bracket_ends((GAUSS * 1).epsilon(DELTA, rtol=1e-6)),
        "start same": bracket_ends((same_start * 1).epsilon(DELTA, rtol=1e-6)),
        "second same": bracket_ends((same_start * 2).epsilon(DELTA, rtol=1e-6)),
        "start response": bracket_ends((promised * 1).epsilon(DELTA, rtol=1e-6)),
        "end gauss": bracket_ends((GAUSS * LAST).epsilon(DELTA, rtol=1e-6)),
        "end response": bracket_ends((promised * LAST).epsilon(DELTA, rtol=1e-6)),
    }
    return Data([left, middle, right], facts)


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    apart = tuple(
        math.exp(one) / math.exp(other)
        for one, other in zip(facts["start response"], reversed(facts["start gauss"]), strict=True)
    )
    grown = facts["end response"][0] / facts["end gauss"][1], facts["end response"][1] / facts["end gauss"][0]
    same = facts["start same"][0] / facts["start gauss"][1], facts["start same"][1] / facts["start gauss"][0]
    return [
        Claim(
            "2.2, Figure 2",
            "Both graphs start at the same point, but quickly diverge",
            f"e^ε at r = 1 apart by a factor {bracket_in_verdict((apart[0], apart[1]), 4)}; "
            f"ε at r = {LAST} apart by {bracket_in_verdict(grown, 3)}",
            verdict_on_both(verdict_within((apart[0], apart[1]), 0.99, 1.01), verdict_within(grown, 1.5)),
            f"M(ε₀, δ₀) with δ₀ = {STEP_DELTA:.2g}, which dominates one Gauss step",
        ),
        Claim(
            "2.2, Figure 2",
            "Both graphs start at the same point, but quickly diverge",
            f"ε at r = 1 apart by a factor {bracket_in_verdict(same, 4)}; "
            f"ε of randomised response at r = 2: {bracket_in_verdict(facts['second same'])}",
            verdict_on_both(verdict_within(same, 0.999, 1.001), verdict_within(facts["second same"], 1e3)),
            "M(ε₀, δ₀) with δ₀ = δ = 1e-4",
        ),
        Claim(
            "2.2, Figure 2",
            "the curves themselves",
            "the paper states neither ε₀ and δ₀ nor σ",
            OPEN,
            note="both readings above",
        ),
    ]


FIGURE = Figure(
    "figure-02",
    "Figure 2: Gauss against randomised response under composition",
    "Only the shape of a mechanism tells how it composes: randomised response with the same promise leaks far more.",
    figure_settings,
    compute_figure,
    claims,
    columns=3,
)
