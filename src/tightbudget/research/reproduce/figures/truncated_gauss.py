"""Figure 1: delta(epsilon) of one truncated Gauss mechanism, and delta as an area."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import integrate, special

from tightbudget.mechanisms import TruncatedGaussian
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number, Panel, Series
from tightbudget.research.reproduce.sources import bucket_curve, bucket_number, engine_curve
from tightbudget.research.reproduce.verdicts import bracket_ends, bracket_in_verdict, verdict_within

SIGMA, BOUND, EPSILON = 1.0, 2.5, 0.5
MECHANISM = TruncatedGaussian(SIGMA, BOUND)


def figure_settings(quick: bool) -> dict[str, Any]:
    return {"mechanism": str(MECHANISM), "r": 1, "epsilon": EPSILON, "n": bucket_number(quick)}


def compute_figure(quick: bool) -> Data:
    epsilons = np.linspace(0.0, 2.5, 26 if quick else 101).tolist()
    left = Panel(
        "δ(ε), one observation",
        "e^ε",
        "δ",
        [
            engine_curve(MECHANISM, epsilons),
            bucket_curve(MECHANISM, epsilons[::2], bucket_number(quick), colour=6),
        ],
        y_log=False,
    )
    x = np.linspace(-BOUND, BOUND + 1.0, 201)
    a, b = _truncated_gauss_density(x, 0.0), _truncated_gauss_density(x, 1.0)
    right = Panel(
        f"δ is the area of B above e^ε · A (ε = {EPSILON})",
        "x",
        "density",
        [
            Series("A: mean 0", "line", x.tolist(), a.tolist(), colour=0),
            Series("B: mean 1", "line", x.tolist(), b.tolist(), colour=1),
            Series("e^ε · A", "line", x.tolist(), (math.exp(EPSILON) * a).tolist(), colour=2, dash=1),
            Series("δ", "area", x.tolist(), np.maximum(b, math.exp(EPSILON) * a).tolist(), (math.exp(EPSILON) * a).tolist(), 4),
        ],
        y_log=False,
    )
    return Data([left, right], {"delta": bracket_ends(MECHANISM.delta(EPSILON, rtol=1e-9)), "area": _truncated_gauss_area()})


def _truncated_gauss_density(x: np.ndarray[Any, np.dtype[np.float64]], mean: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    total = special.ndtr(BOUND / SIGMA) - special.ndtr(-BOUND / SIGMA)
    inside = np.abs(x - mean) <= BOUND
    density = np.exp(-(((x - mean) / SIGMA) ** 2) / 2.0) / (math.sqrt(2.0 * math.pi) * SIGMA * total)
    return np.where(inside, density, 0.0)


def _truncated_gauss_area() -> Number:
    """Return Lemma 1's integral by quadrature between the point where the curves cross and the ends of the supports."""
    crossing = 0.5 + EPSILON * SIGMA * SIGMA

    def above(x: float) -> float:
        b, a = (float(_truncated_gauss_density(np.array([x]), mean)[0]) for mean in (1.0, 0.0))
        return max(0.0, b - math.exp(EPSILON) * a)

    pieces = [integrate.quad(above, low, high) for low, high in ((crossing, BOUND), (BOUND, BOUND + 1.0))]
    value, error = sum(piece[0] for piece in pieces), sum(piece[1] for piece in pieces)
    return value - error, value + error


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    delta, area = facts["delta"], facts["area"]
    return [
        Claim(
            "2.2, Lemma 1",
            "δ(ε) is the area where B exceeds e^ε · A",
            f"area by quadrature {bracket_in_verdict(area, 9)}, our bracket {bracket_in_verdict(delta, 9)}",
            verdict_within((area[0] / delta[1], area[1] / delta[0]), 1.0 - 1e-6, 1.0 + 1e-6),
        )
    ]


FIGURE = Figure(
    "figure-01",
    "Figure 1: δ(ε) of the truncated Gauss mechanism",
    "Left: tight δ for every ε. Right: why. The paper gives no parameters for this figure; ours let the area be seen.",
    figure_settings,
    compute_figure,
    claims,
)
