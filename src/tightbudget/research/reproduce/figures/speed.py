"""Section 4.6: how long the published buckets take here."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.mechanisms import Gaussian
from tightbudget.research.published import gauss, power
from tightbudget.research.published.readings import delta_low, delta_with_ec
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.verdicts import (
    OPEN,
    bracket_in_verdict,
    bracket_ratio,
    exact_ends,
    verdict_on_both,
    verdict_within,
)

SIGMA = 2000.0  # 2^18 steps of it leak about as much as one with sigma 4
CASES = ((50_000, 18, 237.0), (5_000, 9, 1.2))
EPSILON = 0.5


def figure_settings(quick: bool) -> dict[str, Any]:
    return {"mechanism": str(Gaussian(SIGMA)), "cases": [list(case) for case in CASES], "epsilon": EPSILON}


def compute_figure(quick: bool) -> Data:
    facts: dict[str, Number] = {}
    for n, doublings, _ in CASES:
        started = time.perf_counter()
        buckets = power(gauss(_speed_sigma(doublings), n), 2**doublings).buckets
        facts[f"seconds {n}"] = exact_ends(time.perf_counter() - started)
        facts[f"delta {n}"] = delta_low(buckets, EPSILON), delta_with_ec(buckets, EPSILON)
        started = time.perf_counter()
        bracket = (Gaussian(_speed_sigma(doublings)) * 2**doublings).delta(EPSILON)
        facts[f"engine seconds {n}"] = exact_ends(time.perf_counter() - started)
        facts[f"engine {n}"] = bracket.lower, bracket.upper
    x = [0.0, 1.0]
    series = [
        Series("the authors (laptop, 2018)", "marks", x, [theirs for *_, theirs in CASES], colour=1, dash=1),
        Series("here, by FFT, errors booked", "marks", x, [facts[f"seconds {n}"][0] for n, _, _ in CASES], colour=0),
    ]
    ticks = [f"{2 * n:,} buckets, r = 2^{doublings}" for n, doublings, _ in CASES]
    return Data([Panel("seconds for privacy buckets of a Gauss mechanism", "", "seconds", series, ticks=ticks)], facts)


def _speed_sigma(doublings: int) -> float:
    return SIGMA * math.sqrt(2.0 ** (doublings - 18))


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    result = [
        Claim(
            "4.6",
            f"2^{doublings} compositions with {2 * n:,} buckets took {theirs:g} s on the authors' laptop",
            f"here {facts[f'seconds {n}'][0]:.2g} s by FFT, rounding errors booked; the engine needs "
            f"{facts[f'engine seconds {n}'][0]:.2g} s",
            OPEN,
            note="another machine; only our own time can be measured",
        )
        for n, doublings, theirs in CASES
    ]
    n = CASES[1][0]
    low, high = facts[f"delta {n}"]
    engine = facts[f"engine {n}"]
    inside = verdict_on_both(
        verdict_within(bracket_ratio(engine, exact_ends(low)), 1.0 - 1e-6),
        verdict_within(bracket_ratio(exact_ends(high), engine), 1.0 - 1e-6),
    )
    result.append(
        Claim(
            "4.6",
            "With 10,000 buckets tight bounds are achieved for 2^9 compositions",
            f"δ(0.5) by buckets {bracket_in_verdict((low, high), 4)}, by the engine {bracket_in_verdict(engine, 6)}",
            verdict_on_both(inside, verdict_within(exact_ends(high / low), 1.0, 1.1)),
            "within 10 % of δ",
        )
    )
    return result


FIGURE = Figure(
    "section-4-6",
    "Section 4.6: time for privacy buckets",
    "Measured once, on whatever machine made this report.",
    figure_settings,
    compute_figure,
    claims,
    columns=1,
)
