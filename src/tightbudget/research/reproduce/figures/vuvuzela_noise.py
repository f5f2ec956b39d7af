"""Vuvuzela's dummies under three readings, over many epsilons.

published  the pair that the paper analyses: ceil(max(0, noise)) against the same with the mean moved, both counts of
           a round composed (dialing has only one count)
alone      the same for the first count of a conversation round only, whose largest change is 2
observed   what is really seen: true counts plus dummies, clamped counts charged (M13)
"""

import math
from collections.abc import Sequence
from functools import cache

from tightbudget.mechanisms import ClampedGaussian, ClampedLaplace, Composition, Gaussian, Laplace, compose
from tightbudget.numerics.bracket import Bracket
from tightbudget.research.published import tree_pair
from tightbudget.research.reproduce.model import Number
from tightbudget.research.reproduce.verdicts import bracket_ends
from tightbudget.research.studies.vuvuzela import ORIGINAL, PROPOSED, Setting

READINGS = {
    "published": "the paper's pair",
    "alone": "the paper's pair, shift-2 noise alone",
    "observed": "counts as observed",
}
TARGET_EPSILON, TARGET_DELTA = math.log(2.0), 1e-4
SLACK = 1e-5  # Vuvuzela's d in the advanced composition theorem
FINE = 512.0  # wider noise is counted in larger units for the lower end
RTOL = 0.01

SETTINGS: dict[str, Setting] = {
    **{name: setting for name, (setting, _) in PROPOSED.items()},
    "LP 8k": ORIGINAL["dialing low"],
    "LP 13k": ORIGINAL["dialing medium"],
    "LP 20k": ORIGINAL["dialing high"],
    "GS 8k": Setting("dialing", "gaussian", 8_000, 707),
    "GS 20k": Setting("dialing", "gaussian", 20_000, 1_598),
    "LP-low": ORIGINAL["conversation low"],
    "LP-medium": ORIGINAL["conversation medium"],
    "LP-high": ORIGINAL["conversation high"],
    "GS-low": Setting("conversation", "gaussian", 150_000, 10_300),
    "GS-high": Setting("conversation", "gaussian", 450_000, 28_200),
}


def noise_readings(setting: Setting) -> list[str]:
    """Return the readings that differ: dialing has one count, so nothing is left out of it."""
    return ["published", "observed"] if setting.protocol == "dialing" else ["published", "alone", "observed"]


def noise_composition(setting: Setting, rounds: int, reading: str) -> Composition:
    """Return the paper's pair, composed."""
    published = setting.published(rounds)
    return published if reading == "published" else published.items[0][0] * rounds


@cache
def noise_curve(setting: Setting, rounds: int, reading: str, epsilons: tuple[float, ...]) -> list[Number]:
    """Return brackets of delta at every epsilon."""
    if reading == "observed":
        brackets = [setting.delta(epsilon, rounds, RTOL) for epsilon in epsilons]
        return [(bracket.lower, bracket.upper) for bracket in brackets]
    above, below = _bounding_compositions(setting, rounds, reading)
    upper = above.curve(list(epsilons), RTOL).upper.tolist()
    lower = below.curve(list(epsilons), RTOL).lower.tolist()
    return list(zip(lower, upper, strict=True))


def noise_delta(setting: Setting, rounds: int, reading: str, epsilon: float) -> Number:
    return noise_curve(setting, rounds, reading, (epsilon,))[0]


def noise_epsilon(setting: Setting, rounds: int, reading: str, level: float) -> Number:
    """Return a bracket of the smallest epsilon at a delta; not for what is observed."""
    above, below = _bounding_compositions(setting, rounds, reading)
    upper: Bracket = above.epsilon(level, RTOL)
    return below.epsilon(level, RTOL).lower, upper.upper


def _bounding_compositions(setting: Setting, rounds: int, reading: str) -> tuple[Composition, Composition]:
    """Return compositions whose deltas lie above and below those of the paper's pair; the pair itself if it is quick.

    ceil(max(0, X)) is a function of X, so noise that is not clamped reveals at least as much. Counts in units of 2^k
    are a function of the counts, ceil(ceil(x) / u) = ceil(x / u), so they reveal at most as much. Dividing by 2^k is
    exact.
    """
    exact = noise_composition(setting, rounds, reading)
    if setting.scale <= FINE:
        return exact, exact
    unit = 2.0 ** math.ceil(math.log2(setting.scale / FINE))
    above: list[Laplace | Gaussian] = []
    below: list[ClampedLaplace | ClampedGaussian] = []
    for mechanism, _ in exact.items:
        if isinstance(mechanism, ClampedLaplace):  # the paper has counts of two kinds
            above.append(Laplace(mechanism.scale, mechanism.sensitivity))
            below.append(ClampedLaplace(mechanism.mean / unit, mechanism.scale / unit, mechanism.sensitivity / unit))
        else:
            assert isinstance(mechanism, ClampedGaussian)
            above.append(Gaussian(mechanism.sigma, mechanism.sensitivity))
            below.append(ClampedGaussian(mechanism.mean / unit, mechanism.sigma / unit, mechanism.sensitivity / unit))
    return compose(above) * rounds, compose(below) * rounds


@cache
def bucket_brackets(setting: Setting, rounds: int, n: int, epsilons: tuple[float, ...], level: float) -> list[Number]:
    """Return the published buckets' brackets of delta at every epsilon, and last that of epsilon at one delta."""
    trees = tree_pair(setting.published(rounds), n)
    return [bracket_ends(bracket) for bracket in (*map(trees.delta, epsilons), trees.epsilon(level))]


def original_analysis(setting: Setting, rounds: int) -> tuple[float, float]:
    """Return (epsilon, delta) by Vuvuzela's own analysis: each count's promise, then advanced composition at 1e-5.

    A count with Laplace noise (mean, scale) that changes by s: epsilon = s / scale, delta = exp((s - mean) / scale)
    / 2.
    """
    counts = [mechanism for mechanism, _ in setting.published(1).items]
    assert all(isinstance(mechanism, ClampedLaplace) for mechanism in counts)  # Vuvuzela's analysis is about this noise
    step = math.fsum(mechanism.sensitivity / mechanism.scale for mechanism in counts if isinstance(mechanism, ClampedLaplace))
    lost = math.fsum(
        0.5 * math.exp((mechanism.sensitivity - mechanism.mean) / mechanism.scale)
        for mechanism in counts
        if isinstance(mechanism, ClampedLaplace)
    )
    total = step * math.sqrt(2.0 * rounds * math.log(1.0 / SLACK)) + rounds * step * math.expm1(step)
    return total, min(1.0, rounds * lost + SLACK)


def named_settings(names: Sequence[str]) -> list[tuple[str, Setting]]:
    return [(name, SETTINGS[name]) for name in names]
