"""A mixture of normal laws of variance 1, seen from N(0, 1): density and masses, and how well both are known (M27)."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.cached import cached_property
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import AMPLE, TINIEST, U
from tightbudget.pairs.cells import Array

_CHUNK = 4096  # places at a time
_MANY, _SPAN, _MOST_SPANS = 8, 20.0, 64  # components of which few matter within so many sigmas
_FEW = 3  # components that are never worth choosing from
IRRELEVANT = 45.0  # e^-45 is less than half a rounding
_HARDLY = 80.0  # e^-80 of the likeliest component is too little to take time
OVERFLOW = 600.0  # exponents beyond this are handled by their logs
HALF = -0.5  # 1 + s is not computed below: digits would cancel


@dataclass(frozen=True)
class Mixture:
    """The law sum_i w_i N(c_i, 1), with 0 <= c_0 < c_1 < ... known to six roundings each.

    `log_weights` are the logs of the weights, each good to its number in `errors`. The exact weights add up to 1.
    """

    centres: tuple[float, ...]
    log_weights: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def largest(self) -> float:
        return self.centres[-1]

    @property
    def log_weight_of_zero(self) -> float:
        """Log of the weight of N(0, 1) itself; -inf if it is no component."""
        return self.log_weights[0] if self.centres[0] == 0.0 else -math.inf

    @cached_property
    def mean(self) -> float:
        """The mean of the centres, of which the total variation from N(0, 1) is less than half."""
        return math.fsum(c * math.exp(log) for c, log in zip(self.centres, self.log_weights, strict=True))

    # Arrays of all components, and of those away from 0

    @cached_property
    def _all(self) -> tuple[Array, Array, Array]:
        return np.array(self.centres), np.array(self.log_weights), np.array(self.errors)

    @cached_property
    def _away(self) -> tuple[Array, Array, Array]:
        """Centres above 0, the logs of their weights, and bounds on the errors of these that grow with the centre."""
        first = 1 if self.centres[0] == 0.0 else 0
        centres, logs, errors = (values[first:] for values in self._all)
        return centres, logs, np.maximum.accumulate(errors) if errors.size else errors

    @cached_property
    def weights_away(self) -> tuple[tuple[float, float, float], ...]:
        """Centres above 0, their weights, and bounds on the weight of each and all that are further away."""
        centres, logs, errors = self._away
        weights = np.exp(logs)
        rest = np.cumsum((weights * (1.0 + 2.0 * errors))[::-1])[::-1] * (1.0 + AMPLE) + TINIEST
        return tuple(zip(centres.tolist(), weights.tolist(), rest.tolist(), strict=True))

    def _together(self, y: Array) -> list[tuple[int, int]]:
        """Return where to cut places that increase or decrease: few of many components matter to neighbours."""
        cuts = np.arange(_CHUNK, y.size, _CHUNK)
        if len(self.centres) > _MANY and y.size > 2:
            away = np.abs(y - y[0])
            spans = np.arange(_SPAN, min(float(away[-1]), _SPAN * _MOST_SPANS), _SPAN)
            cuts = np.union1d(cuts, np.searchsorted(np.maximum.accumulate(away), spans))
        ends = [0, *(cut for cut in cuts.tolist() if 0 < cut < y.size), y.size]
        return list(pairwise(ends))

    @property
    def _margin(self) -> float:
        return IRRELEVANT + math.log(len(self.centres))

    # The density

    def log_ratio(self, y: Array) -> tuple[Array, Array]:
        """Return the log of the density over that of N(0, 1), f(y), and its slope: the mean centre, given y.

        With t_i = c_i (y - c_i/2), f = log(1 + sum_i w_i (e^t_i - 1)), relatively accurate where it is small.
        """
        parts = [self._log_ratio(y[start:end]) for start, end in self._together(y)]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([f for f, _ in parts]), np.concatenate([slope for _, slope in parts])

    def _log_ratio(self, y: Array) -> tuple[Array, Array]:
        centres, logs, _ = self._away
        if not centres.size:
            return np.zeros(y.size), np.zeros(y.size)
        kept, flat = self._relevant(float(y.min()), float(y.max()))
        c, w = centres[kept], np.exp(logs[kept])
        t = c[:, None] * (y - 0.5 * c[:, None])
        growth = np.expm1(np.minimum(t, OVERFLOW))
        s = w @ growth - float(np.exp(logs[flat]).sum())
        near = (s > HALF) & (t.max(axis=0, initial=-math.inf) <= OVERFLOW)
        safe = np.where(near, s, 0.0)
        weighted = w * c
        f, slope = np.log1p(safe), (weighted @ growth + float(weighted.sum())) / (1.0 + safe)
        if not near.all():
            f[~near], slope[~near] = self._log_ratio_by_logs(y[~near])
        return f, slope

    def _relevant(self, low: float, high: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which components count between two places, and of which others e^t - 1 is -1 there."""
        centres, logs, _ = self._away
        if centres.size <= _FEW:
            return np.ones(centres.size, dtype=bool), np.zeros(centres.size, dtype=bool)
        at_low, at_high = (centres * (place - 0.5 * centres) for place in (low, high))
        with np.errstate(divide="ignore"):
            # the error that is stated has a term of u times at least this, however the places lie
            floor = np.logaddexp.reduce(logs + at_low + 2.0 * np.log(centres)) - math.log(2.0)
        nothing = logs + np.maximum(at_high, 0.0) <= floor - self._margin
        flat = ~nothing & (at_high <= -IRRELEVANT)
        return ~nothing & ~flat, flat

    def _log_ratio_by_logs(self, y: Array) -> tuple[Array, Array]:
        centres, logs, _ = self._all
        terms = logs[:, None] + centres[:, None] * (y - 0.5 * centres[:, None])
        peak = terms.max(axis=0)
        shares = np.exp(terms - peak)
        total = shares.sum(axis=0)
        return peak + np.log(total), (centres @ shares) / total

    @cached_property
    def likely_ones(self) -> int:
        """How many components are likelier than e^-80 of the likeliest."""
        least = max(self.log_weights) - _HARDLY
        return sum(log > least for log in self.log_weights)

    def likely(self, rare: float) -> tuple[float, ...]:
        """Return all centres of few; of many those whose weight is at least e^-rare of the largest."""
        if len(self.centres) <= _MANY:
            return self.centres
        least = max(self.log_weights) - rare
        return tuple(c for c, log in zip(self.centres, self.log_weights, strict=True) if log >= least)

    def known_to(self, y: Array, at_places: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        """Return bounds on the error of `log_ratio`, and on its slope, between each two of increasing places (M27).

        `at_places` is what `log_ratio` returns there, for who has it.

        Given y, larger centres are the likelier the larger y is. So means of what grows with the centre are largest at
        the right ends, and what only small y make large is largest at the left ends.
        """
        centres, logs, errors = self._away
        if not centres.size:
            return np.zeros(y.size - 1), np.zeros(y.size - 1)
        f, slope = self.log_ratio(y) if at_places is None else at_places
        c, e = centres[:, None], errors[:, None] + (8.0 + centres.size) * U
        with np.errstate(over="ignore"):
            t = c * (y - 0.5 * c)
            given = np.exp(np.minimum(logs[:, None] + t - f, 0.0))  # no probability is above 1
            farthest = np.maximum(np.abs(y[:-1]), np.abs(y[1:]))
            moved = (given[:, 1:] * (c * farthest + 0.5 * c * c)).sum(axis=0)
            weighed = (given[:, 1:] * e).sum(axis=0)
            fallen = (np.exp(logs)[:, None] * e * -np.expm1(np.minimum(t[:, :-1], 0.0))).sum(axis=0)
        size = np.maximum(np.abs(f[:-1]), np.abs(f[1:]))
        direct = weighed + fallen * np.minimum(np.exp(np.minimum(-f[:-1], 1.0)), 2.1)
        by_logs = max(self.errors) + (len(self.centres) + 16.0) * U * (1.0 + size) + 3.0 * U * math.log(len(self.centres))
        uses_logs = (f[:-1] < -0.68) | (t[:, 1:].max(axis=0) > OVERFLOW - 1.0)
        never_direct = f[1:] < -0.70
        error = 20.0 * U * moved + 4.0 * U * size + 16.0 * len(self.centres) * TINIEST
        error += np.where(never_direct, 0.0, direct) + np.where(uses_logs, by_logs, 0.0)
        return (1.0 + AMPLE) * error, (1.0 + AMPLE) * slope[1:]

    # Masses

    def log_masses(self, y: Array) -> tuple[Array, Array]:
        """Return the logs of the masses between places that increase, or decrease, and bounds on their errors."""
        parts = [self._log_masses(y[start : end + 1]) for start, end in self._together(y[:-1])]
        return np.concatenate([log for log, _ in parts]), np.concatenate([error for _, error in parts])

    def _log_masses(self, y: Array) -> tuple[Array, Array]:
        width, middle = np.abs(np.diff(y)), 0.5 * (y[:-1] + y[1:])
        weighty = self._weighty(float(y.min()), float(y.max()))
        centres, logs, errors = (values[weighty] for values in self._all)
        z = middle - centres[:, None]
        masses, rounding = log_normal_mass(z, np.broadcast_to(width, z.shape))
        masses = masses + logs[:, None]
        with np.errstate(over="ignore"):  # an error beyond all floats is one that says nothing
            # the middle is good to u|y|, a centre to 6u of itself: log phi moves by at most 8u (|y| + c)^2
            moved = 8.0 * (np.abs(middle) + centres[:, None]) ** 2 + 16.0
            added = np.abs(logs)[:, None] + np.minimum(np.abs(masses), 1e5)
            rounding = rounding + errors[:, None] + U * (moved + added)
        if centres.size == 1:
            return masses[0], rounding[0]
        return joined_masses(masses, rounding)

    def log_roughly_above(self, y: Array, *, mirrored: bool = False) -> Array:
        """Return about the logs of the masses above some places, of its mirror image if asked: nothing is certified."""
        centres, logs, _ = self._all
        kept = logs > logs.max() - _HARDLY  # more than a guess needs
        sign = -1.0 if mirrored else 1.0
        parts: Array = logs[kept][:, None] + special.log_ndtr(sign * centres[kept][:, None] - y)
        masses: Array = np.logaddexp.reduce(parts, axis=0)
        return masses

    def _weighty(self, low: float, high: float) -> NDArray[np.bool_]:
        """Return which components are more than e^-45 of the density anywhere between two places."""
        centres, logs, _ = self._all
        if centres.size <= _FEW:
            return np.ones(centres.size, dtype=bool)
        most, least = (logs + centres * (place - 0.5 * centres) for place in (high, low))
        return most > float(least.max()) - self._margin


NORMAL = Mixture((0.0,), (0.0,), (0.0,))
"""N(0, 1) itself."""


def joined_masses(logs: Array, errors: Array) -> tuple[Array, Array]:
    """Return logs of sums of masses, down the rows, and bounds on their errors.

    If each term is off by a factor e^x with |x| at most its error d, the log of the sum is off by at most the mean of
    e^d - 1, by the terms as they are.
    """
    peak = logs.max(axis=0)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    shares = np.exp(logs - peak)
    total = shares.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        joined = peak + np.log(total)
        error = (shares * np.expm1(np.minimum(errors, 700.0))).sum(axis=0) / total
    error = np.where(total > 0.0, error, errors.max(axis=0))
    return joined, (1.0 + AMPLE) * error + U * (8.0 + 2.0 * logs.shape[0] + 4.0 * np.minimum(np.abs(joined), 1e4))
