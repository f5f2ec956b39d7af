r"""The optimal composition of k equal promises.

With p = 1/(1 + e^epsilon_0) and b_l the binomial probability of l among k at p, for every epsilon >= 0

$$\delta = 1-(1-\delta_0)^k(1-D),\quad
D(\varepsilon) = \sum_{l:(k-2l)\varepsilon_0>\varepsilon} b_l\,(1-e^{\varepsilon-(k-2l)\varepsilon_0}).$$

All terms are positive. Reference: Kairouz, Oh, Viswanath 2015/2017, Theorem 3.3; at every epsilon, not only at the
multiples of epsilon_0 that the theorem lists (M12).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import PromiseBound
from tightbudget.classic.failure_probability import slack_left, some_step_fails, with_slack
from tightbudget.classic.homogeneous import only_equal_steps
from tightbudget.classic.promises import Promises, sum_up
from tightbudget.errors import DoesNotApply
from tightbudget.numerics.rounding import U, raised
from tightbudget.pairs.base import NEGLIGIBLE

Array = NDArray[np.float64]

_MOST_TERMS = 1 << 17  # about ten million steps
_THIN = 2  # of a long list of promises every so many are tried; the search then looks closer around the best


@dataclass(frozen=True)
class KOVProfile:
    """D by epsilon: with x_l = (k - 2l) epsilon_0, on [x_{l+1}, x_l] it is D_l + (1 - e^(epsilon - x_l)) G_l.

    G_l is the sum of b_j e^(-2(l - j) epsilon_0) over j <= l. The arrays begin at l = first; what lies before weighs
    less than NEGLIGIBLE.
    """

    steps: int
    epsilon: float
    first: int
    values: Array  # D_l, rounded up
    weights: Array  # G_l, rounded up

    @property
    def largest(self) -> float:
        """The largest loss k epsilon_0, rounded up; D is 0 from there on."""
        return sum_up([(self.epsilon, self.steps)])

    def knots(self, index: NDArray[np.intp]) -> Array:
        """Return x_l for positions in the arrays, good to 2 roundings."""
        return np.asarray((self.steps - 2.0 * (self.first + index)) * self.epsilon, dtype=np.float64)

    def upper(self, epsilons: Array) -> Array:
        """Return D at each epsilon >= 0, rounded up."""
        # The last l with x_l > epsilon. One too many is harmless, D at x_l <= epsilon being no smaller; so round up.
        below = np.minimum(epsilons, self.largest)  # beyond, where D is 0, the quotient may be no float
        ratio = below / self.epsilon
        last = np.ceil(0.5 * (self.steps - ratio) + 4.0 * U * (self.steps + ratio)) - 1.0 - self.first
        index = np.clip(last, 0, self.values.size - 1).astype(np.intp)
        knots = self.knots(index)
        # raising x_l raises D, so its rounding and that of the difference are added
        gap = np.maximum(knots - below + 8.0 * U * (np.abs(knots) + below), 0.0)
        values = self.values[index] + -np.expm1(-gap) * self.weights[index]
        return np.where(epsilons >= self.largest, 0.0, np.minimum(1.0, raised(values, 8) + NEGLIGIBLE))

    def epsilon_at(self, level: float) -> float:
        """Return some epsilon >= 0 with D(epsilon) <= level, close to the smallest."""
        top = self.largest
        if not level > 0.0:
            return top if level == 0.0 else math.inf
        place = int(np.searchsorted(self.values, level, side="right")) - 1  # D_l <= level < D_{l+1}
        if place < 0:
            return top
        part = min(1.0, (level - float(self.values[place])) / max(float(self.weights[place]), NEGLIGIBLE))
        knot = float(self.knots(np.array(place)))
        guess = knot + (math.log1p(-part) if part < 1.0 else -2.0 * self.epsilon)
        step = 1e-15 * (abs(knot) + self.epsilon)
        guess = max(0.0, guess)
        while guess < top:  # the guess is trusted only once D has been evaluated there
            if float(self.upper(np.array([guess]))[0]) <= level:
                return guess
            guess, step = guess + step, 4.0 * step
        return top


def kov_profile(steps: int, epsilon: float) -> KOVProfile:
    """Return D for k = steps and epsilon_0 = epsilon > 0."""
    p = math.exp(-epsilon) / (1.0 + math.exp(-epsilon))
    mode, deviation = math.floor((steps + 1.0) * p), math.sqrt(steps * p * (1.0 - p))
    mode, reach = min(mode, steps), _kov_reach(deviation)
    first, last = max(0, mode - reach), min(steps, mode + reach)
    # b_{l+1} / b_l = (k - l)/(l + 1) e^-epsilon_0, followed from the mode to both sides
    odds = math.exp(-epsilon)
    up = np.arange(mode, last, dtype=np.float64)
    down = np.arange(mode, first, -1, dtype=np.float64)
    rising = np.cumprod((steps - up) / (up + 1.0) * odds)
    with np.errstate(over="ignore"):
        falling = np.cumprod(down / (steps - down + 1.0) / odds) if odds > 0.0 else np.zeros(down.size)
    masses = np.concatenate([falling[::-1], [1.0], rising])
    # Dividing by the mass of the window alone makes each too large, never too small. Each product is good to 6u a
    # factor, the sum to one u a term: relative error below 8u times the number of terms, doubled for the quotient.
    masses = raised(masses / masses.sum(), 16.0 * (masses.size + 4.0))
    masses = masses[: max(1, steps // 2 + 1 - first)]  # only l with x_l >= 0 matter
    weights = _discounted_kov_sums(masses, math.exp(-2.0 * epsilon))
    values = np.concatenate([[0.0], np.cumsum(weights[:-1])]) * -math.expm1(-2.0 * epsilon)
    roundings = 2.0 * (masses.size + 200.0)  # the sum, and 3 for each of at most 64 doublings
    return KOVProfile(steps, epsilon, first, raised(values, roundings), raised(weights, roundings))


def _kov_reach(deviation: float) -> int:
    """Return how far from the mode the window reaches: by Bernstein less than 2 e^-700 lies outside (M12)."""
    return math.ceil(37.5 * deviation) + 1050


def _discounted_kov_sums(masses: Array, ratio: float) -> Array:
    """Return sum over j <= l of masses[j] ratio^(l - j), by doubling the number of terms that each sum holds."""
    sums, shift = masses, 1
    while shift < masses.size and ratio > 0.0:
        more = sums.copy()
        more[shift:] += ratio * sums[:-shift]
        sums, shift, ratio = more, 2 * shift, ratio * ratio
    return sums


def _kov_delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    found = np.full(epsilons.shape[0], math.inf)
    tried = _thinned_kov_rows(epsilons.shape[0])
    found[tried] = _kov_deltas(promises, epsilons[tried], deltas[tried], np.array([epsilon]))[:, 0]
    return found


def _kov_deltas(promises: Promises, epsilons: Array, deltas: Array, asked: Array) -> Array:
    steps, rows = promises.counts[0], []
    for promised, failure in zip(epsilons[:, 0].tolist(), deltas, strict=True):
        slack = kov_profile(steps, promised).upper(asked) if promised > 0.0 else np.zeros(asked.size)
        rows.append(with_slack(promises, np.repeat(failure[None, :], asked.size, axis=0), slack))
    return np.array(rows)


def _kov_epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    steps, left = promises.counts[0], slack_left(promises, deltas, delta)
    found = np.where(some_step_fails(promises, deltas) <= delta, promises.weighted(epsilons), math.inf)
    for place in _thinned_kov_rows(epsilons.shape[0]).tolist():
        promised, slack = float(epsilons[place, 0]), float(left[place])
        if promised > 0.0 and slack > 0.0:
            found[place] = min(found[place], kov_profile(steps, promised).epsilon_at(slack))
    return found


def _thinned_kov_rows(rows: int) -> NDArray[np.intp]:
    """Return the places of a list that are tried, the last among them."""
    return np.arange(rows - 1, -1, -(_THIN if rows > 64 else 1))[::-1]


def _check_number_of_terms(promises: Promises) -> None:
    only_equal_steps(promises)
    if 2 * _kov_reach(math.sqrt(promises.total) / 2.0) > _MOST_TERMS:
        raise DoesNotApply(f"its sum has more than {_MOST_TERMS} terms for so many steps")


kov = PromiseBound(
    name="KOV, optimal",
    reference="Kairouz, Oh, Viswanath 2017, Thm 3.3",
    delta_formula=_kov_delta,
    epsilon_formula=_kov_epsilon,
    at_infinity=some_step_fails,
    check=_check_number_of_terms,
    curve_formula=_kov_deltas,
)
