"""How many dummy messages does Vuvuzela need? (M13, `docs/how-to/vuvuzela.md`)

A server hides what one user does among dummies: it adds N = ceil(max(0, noise)) of them, the noise Laplace or normal
with a mean and a scale. An observer counts requests each round. Dialing: one count, changed by at most 2. Conversation:
the count of single requests, changed by at most 2, with noise (mean, scale), and the count of pairs of requests,
changed by at most 1, with noise (mean / 2, scale / 2).

Clamping at 0 costs privacy: a count below 2 cannot come from a user who adds 2. So the mean must be large enough to
make clamping rare, and the scale large enough to hide the change.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from scipy import special

from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.mechanisms import ClampedGaussian, ClampedLaplace, Composition, Gaussian, Laplace, Mechanism, compose
from tightbudget.mechanisms.checks import asked_width, delta_asked, epsilon_asked, limit_below, positive, whole_count
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import AMPLE, lowered, raised_by
from tightbudget.pairs.base import Direction, Pair

Protocol = Literal["dialing", "conversation"]
Noise = Literal["laplace", "gaussian"]

PROTOCOLS: tuple[Protocol, ...] = ("dialing", "conversation")
NOISES: tuple[Noise, ...] = ("laplace", "gaussian")

# For each count that is observed in a round: the divisor of mean and scale, the largest change, requests per dummy.
_COUNTS = {"dialing": ((1, 2, 1),), "conversation": ((1, 2, 1), (2, 1, 2))}

_UNCLAMPED: dict[str, type[Laplace] | type[Gaussian]] = {"laplace": Laplace, "gaussian": Gaussian}
_CLAMPED: dict[str, type[ClampedLaplace] | type[ClampedGaussian]] = {"laplace": ClampedLaplace, "gaussian": ClampedGaussian}

_LONGEST_SIGMA = 4096.0  # in units of the counts that the lower end works with
_MOST_MEAN = 2**40  # a search that gets here will not end well
_FAILING = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # how much less noise is tried, until it provably fails


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidParameter(name, value, " or ".join(repr(word) for word in allowed))


@dataclass(frozen=True)
class _OneWayCounts(Mechanism):
    """The counts without the change first, against those with it; never the other way round."""

    name: ClassVar[str] = "one_way"
    neighbours: ClassVar[str] = "one user's requests"

    base: Mechanism

    def pair(self, direction: Direction) -> Pair | None:
        return self.base.pair(Direction.ADD)


@dataclass(frozen=True)
class Setting:
    """One choice of noise: `mean` is its mean, about the number of dummies; `scale` is sigma for "gaussian"."""

    protocol: Protocol
    noise: Noise
    mean: float
    scale: float

    def __post_init__(self) -> None:
        _one_of("protocol", self.protocol, PROTOCOLS)
        _one_of("noise", self.noise, NOISES)
        object.__setattr__(self, "mean", positive("mean", self.mean, zero=True))
        object.__setattr__(self, "scale", positive("scale", self.scale))

    @property
    def ratio(self) -> float:
        return self.mean / self.scale

    @property
    def requests(self) -> float:
        """Expected dummy requests of one server in a round; rounding up adds 1/2 to each count, clamping next to 0."""
        return math.fsum(each * (self.mean / part + 0.5) for part, _, each in _COUNTS[self.protocol])

    def published(self, rounds: int) -> Composition:
        """Return the composition that the papers analyse: ceil(max(0, noise)) against the same with the mean moved.

        In it clamping hides rather than reveals, so a small mean looks harmless. `delta` charges for clamping.
        """
        return compose(self._counts(unit=1)) * whole_count(rounds, "rounds")

    def _counts(self, unit: int) -> list[ClampedLaplace | ClampedGaussian]:
        kind, counts = _CLAMPED[self.noise], _COUNTS[self.protocol]
        return [kind(self.mean / part / unit, self.scale / part / unit, shift / unit) for part, shift, _ in counts]

    def delta(self, epsilon: float, rounds: int, rtol: float = 1e-3) -> Bracket:
        """Return a bracket of delta(epsilon) for what is observed: true counts plus dummies, for `rounds` rounds.

        Upper end: holds whatever the user does, each round anew (any change up to the largest, in either direction).
        Lower end: the user whose counts are larger by the largest change in every round.
        """
        upper = self._upper(epsilon_asked(epsilon), whole_count(rounds, "rounds"), rtol)
        lower = self._lower(epsilon_asked(epsilon), whole_count(rounds, "rounds"), rtol)
        if lower > upper:
            raise Contradiction(lower, upper)
        converged = upper - lower <= rtol * upper
        reason = "" if converged else "the lower end is for one way to change the counts, the upper end for all of them"
        return Bracket(lower, upper, converged, reason, _OneWayCounts.neighbours)

    def _upper(self, epsilon: float, rounds: int, rtol: float) -> float:
        """Unclamped noise, which post-processing clamps unless the count is cut, plus P(ever cut) (M13)."""
        kind = _UNCLAMPED[self.noise]
        unclamped = compose([kind(self.scale / part, shift) for part, shift, _ in _COUNTS[self.protocol]]) * rounds
        return min(1.0, math.nextafter(unclamped.delta(epsilon, rtol=rtol).upper + self._cut(rounds)[1], math.inf))

    def _lower(self, epsilon: float, rounds: int, rtol: float) -> float:
        """Where no noise is cut, what is observed has the published probabilities; other sets are given up (M13)."""
        # Wide normal noise is counted in larger units: the observer can do so, and the lists stay short.
        wide = self.noise == "gaussian" and self.scale > _LONGEST_SIGMA
        coarse = 2 ** math.ceil(math.log2(self.scale / _LONGEST_SIGMA)) if wide else 1  # a power of 2 divides exactly
        published = compose([_OneWayCounts(mechanism) for mechanism in self._counts(coarse)]) * rounds
        cut = self._cut(rounds)[1]
        # Of the best set, what involves a cut is at most P(cut somewhere) P(the other losses make up the rest of
        # epsilon).
        rest = epsilon - self._largest_loss()
        if rest > 0.0 and cut < 1.0:
            others = published.delta(rest / 2.0, rtol=rtol).upper / -math.expm1(-rest / 2.0)
            cut = min(cut, raised_by(-math.log1p(-cut) * others, AMPLE))
        kept = max(0.0, published.delta(epsilon, rtol=rtol).lower - cut)
        return lowered(kept + self._revealing(rounds)[0], 4)  # a difference, a sum and this product

    def _largest_loss(self) -> float:
        """Return at least the largest loss of one published count: that of a count clamped to 0."""
        losses = []
        for part, shift, _ in _COUNTS[self.protocol]:
            at_zero, below = -self.mean / self.scale, -self.mean / self.scale - shift * part / self.scale
            losses.append(_log_below(self.noise, at_zero) - _log_below(self.noise, below))
        return max(losses) + AMPLE * (1.0 + self.ratio * self.ratio)

    def _cut(self, rounds: int) -> tuple[float, float]:
        """Bounds of the probability that in some round some noise lies at or below the largest change."""
        return self._ever(rounds, {part: float(shift) for part, shift, _ in _COUNTS[self.protocol]})

    def _revealing(self, rounds: int) -> tuple[float, float]:
        """Bounds of the probability that some count is below the largest change: the other user cannot cause it."""
        return self._ever(rounds, {part: float(shift - 1) for part, shift, _ in _COUNTS[self.protocol]})

    def _ever(self, rounds: int, levels: dict[int, float]) -> tuple[float, float]:
        quantiles = [(level - self.mean / part) / (self.scale / part) for part, level in levels.items()]
        never = math.fsum(math.log1p(-min(_noise_below(self.noise, z), 1.0 - 1e-16)) for z in quantiles)
        probability = -math.expm1(rounds * never)
        # A quantile is good to a few roundings, so its probability to about z^2 of them; 1e-14 is 90 roundings.
        doubt = 1e-14 * (16.0 + max(z * z for z in quantiles))
        return max(0.0, probability * (1.0 - doubt) - 1e-300), min(1.0, probability * (1.0 + doubt) + 1e-300)

    def __str__(self) -> str:
        return f"{self.protocol}: {self.noise} noise, mean {self.mean:.12g}, scale {self.scale:.12g}"


# Vuvuzela's own settings, and those proposed in "Tight on Budget?" (section 7) with the rounds they are meant for.
# Where that paper gives two numbers for one setting we take the one of its figures' captions.
ORIGINAL: dict[str, Setting] = {
    "dialing low": Setting("dialing", "laplace", 8_000, 500),
    "dialing medium": Setting("dialing", "laplace", 13_000, 770),
    "dialing high": Setting("dialing", "laplace", 20_000, 1_130),
    "conversation low": Setting("conversation", "laplace", 150_000, 7_300),
    "conversation medium": Setting("conversation", "laplace", 300_000, 13_800),
    "conversation high": Setting("conversation", "laplace", 450_000, 20_000),
}
PROPOSED: dict[str, tuple[Setting, int]] = {
    "GS 1.6k": (Setting("dialing", "gaussian", 1_600, 320), 1_024),
    "GS 4.1k": (Setting("dialing", "gaussian", 4_100, 833), 8_192),
    "LP 4k": (Setting("dialing", "laplace", 4_000, 330), 1_024),
    "LP 10k": (Setting("dialing", "laplace", 10_000, 827), 8_192),
    "GS-new1": (Setting("conversation", "gaussian", 15_000, 2_500), 65_536),
    "GS-new2": (Setting("conversation", "gaussian", 45_000, 7_500), 524_288),
    "LP 37.5k": (Setting("conversation", "laplace", 37_500, 2_300), 65_536),
    "LP 112.5k": (Setting("conversation", "laplace", 112_500, 6_900), 524_288),
}
_LOW_ROUNDS = {"dialing": 1_024, "conversation": 65_536}  # the paper compares "low" up to here and "high" beyond


@dataclass(frozen=True)
class Answer:
    """The least noise found, what it achieves, and how much less provably fails."""

    setting: Setting
    rounds: int
    epsilon: float
    delta: float
    achieved: Bracket
    fails: Setting | None  # less noise of the same shape whose lower bound misses the target; None if none was found

    @property
    def original(self) -> Setting:
        """Vuvuzela's own setting for about this many rounds."""
        return ORIGINAL[self.original_name]

    @property
    def original_name(self) -> str:
        """Which of Vuvuzela's settings `saved` compares with: low up to 1024 (dialing) or 65536 rounds, high beyond."""
        low = self.rounds <= _LOW_ROUNDS[self.setting.protocol]
        return f"{self.setting.protocol} {'low' if low else 'high'}"

    @property
    def saved(self) -> float:
        """Share of the original's dummy requests that is not needed; negative if more are."""
        return 1.0 - self.setting.requests / self.original.requests


def smallest(
    protocol: Protocol,
    noise: Noise = "gaussian",
    rounds: int = 65_536,
    epsilon: float = math.log(2.0),
    delta: float = 1e-4,
    ratio: float | None = None,
    rtol: float = 1e-3,
) -> Answer:
    """Return the setting with the fewest dummies that is certified to meet (epsilon, delta) over the rounds.

    `ratio` is mean / scale; if it is not given, one is chosen that needs few dummies. With a fixed ratio the upper
    bound falls as the mean grows (M13), so the smallest mean is found by halving, up to `rtol`.
    """
    _one_of("protocol", protocol, PROTOCOLS)
    _one_of("noise", noise, NOISES)
    rounds = whole_count(rounds, "rounds")
    epsilon, delta = limit_below(epsilon, epsilon_asked(epsilon)), limit_below(delta, delta_asked(delta))
    rtol, _, _ = asked_width(rtol, 0.0)
    if rounds == 0:
        raise InvalidParameter("rounds", rounds, "a whole number above 0", "Without observations no noise is needed.")
    if math.isinf(epsilon):
        raise InvalidParameter("epsilon", epsilon, "a finite number, 0 or more", "log(2) is what Vuvuzela asks for.")
    if not 0.0 < delta < 1.0:
        raise InvalidParameter("delta", delta, "between 0 and 1, both excluded", "Counts clamped at 0 always reveal something.")
    counts = rounds * len(_COUNTS[protocol])
    guess, chosen = _estimated_dummies(noise, counts, epsilon, delta)
    ratio = chosen if ratio is None else positive("ratio", ratio)
    ever = -math.expm1(counts * math.log1p(-_noise_below(noise, -ratio)))
    if ever >= delta:  # however large the scale, clamping alone costs this much
        needed = f"above {math.ceil(1000.0 * _dummy_noise_quantile(noise, delta, counts)) / 1000.0} for this target"
        raise InvalidParameter("ratio", ratio, needed, "It is mean / scale; a small one means counts clamped at 0.")

    def at(mean: int) -> Setting:
        return Setting(protocol, noise, mean, float(f"{mean / ratio:.6g}"))  # what is printed is what was certified

    def meets(mean: int) -> bool:
        return at(mean)._upper(epsilon, rounds, 1e-3) <= delta

    step = len(_COUNTS[protocol])  # so that the mean of each count is a whole number
    smallest_mean = _least_multiple(meets, step, max(step, step * round(guess * ratio / step)), rtol)
    if smallest_mean is None:
        raise InvalidParameter("delta", delta, "large enough for a mean below 1e12", "Ask for a larger epsilon or delta.")
    found = at(smallest_mean)
    return Answer(found, rounds, epsilon, delta, found.delta(epsilon, rounds), _failing_setting(found, epsilon, delta, rounds))


def _least_multiple(meets: Callable[[int], bool], step: int, guess: int, rtol: float) -> int | None:
    """Return a multiple of `step` that meets the target, within `rtol` of one that does not (or the step itself).

    None if there is none below 1e12.
    """
    low, high = 0, guess
    while not meets(high):
        low, high = high, step * math.ceil(high * 1.02 / step) if low == 0 else 2 * high
        if high > _MOST_MEAN:
            return None
    below = step * (math.floor(high * 0.98) // step)
    while below > low and meets(below):
        high, below = below, step * (below // (2 * step))
    low = max(low, below)
    while high - low > max(step, rtol * high):
        middle = step * ((low + high) // (2 * step))
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _failing_setting(found: Setting, epsilon: float, delta: float, rounds: int) -> Setting | None:
    for less in _FAILING:
        mean = float(f"{found.mean * (1.0 - less):.6g}")
        tried = Setting(found.protocol, found.noise, mean, float(f"{mean / found.ratio:.6g}"))
        if tried._lower(epsilon, rounds, 1e-3) > delta:
            return tried
    return None


def _estimated_dummies(noise: str, counts: int, epsilon: float, delta: float) -> tuple[float, float]:
    """Return a scale and a ratio that about meet the target with few dummies.

    Only a guess: many rounds look like one Gaussian mechanism with m = 2 sqrt(counts) / scale for either noise. A share
    of delta goes to clamping; the share that makes mean = 2 + scale * quantile smallest is taken.
    """

    def scale(share: float) -> float:
        low, high = math.log(1e-12), math.log(1e6)
        for _ in range(50):
            middle = 0.5 * (low + high)
            m = math.exp(middle)
            reached = special.ndtr(m / 2 - epsilon / m) - math.exp(epsilon + special.log_ndtr(-m / 2 - epsilon / m))
            low, high = (low, middle) if reached > (1.0 - share) * delta else (middle, high)
        return 2.0 * math.sqrt(counts) / math.exp(high)

    def mean(share: float) -> float:
        return 2.0 + scale(share) * _dummy_noise_quantile(noise, share * delta, counts)

    best = min((share / 40 for share in range(1, 40)), key=mean)
    return scale(best), max(0.5, mean(best) / scale(best))  # a large delta asks for no dummies at all


def _dummy_noise_quantile(noise: str, ever: float, counts: int) -> float:
    """Return z so that one of `counts` standard noises falls below -z with probability `ever`; an estimate."""
    each = -math.expm1(math.log1p(-ever) / counts)
    return -math.log(2.0 * each) if noise == "laplace" else -float(special.ndtri(each))


def _noise_below(noise: str, z: float) -> float:
    """Return P(standard noise <= z)."""
    return math.exp(_log_below(noise, z))


def _log_below(noise: str, z: float) -> float:
    if noise == "gaussian":
        return float(special.log_ndtr(z))
    return z - math.log(2.0) if z <= 0.0 else math.log1p(-0.5 * math.exp(-z))
