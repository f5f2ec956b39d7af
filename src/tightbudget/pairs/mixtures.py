"""A mixture of normal laws of variance 1, seen from N(0, 1): density and masses, and how well both are known (M27)."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.cached import cached_property
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import AMPLE, TINIEST, U
from tightbudget.pairs.cells import Array

CHUNK = 4096
"""Places at a time."""

_MANY = 8  # components, of which few matter at any one place
_AT_ONCE = 2**17  # components times places, then
_FEW = 3  # components that are never worth choosing from
_SMALL = 0.5  # errors d up to this have e^d - 1 < d + d^2
_SHORT = 2**16  # components times places: to choose among so few takes longer than to take them all
IRRELEVANT = 45.0  # e^-45 is less than half a rounding
_HARDLY = 80.0  # e^-80 of the likeliest component is too little to take time
_IMPOSSIBLE = 745.0  # e^-745 is below all floats
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
    def away(self) -> tuple[Array, Array, Array]:
        """Centres above 0, the logs of their weights, and bounds on the errors of these that grow with the centre."""
        first = 1 if self.centres[0] == 0.0 else 0
        centres, logs, errors = (values[first:] for values in self._all)
        return centres, logs, np.maximum.accumulate(errors) if errors.size else errors

    @cached_property
    def weights_away(self) -> tuple[tuple[float, float, float], ...]:
        """Centres above 0, their weights, and bounds on the weight of each and all that are further away."""
        centres, logs, errors = self.away
        weights = np.exp(logs)
        rest = np.cumsum((weights * (1.0 + 2.0 * errors))[::-1])[::-1] * (1.0 + AMPLE) + TINIEST
        return tuple(zip(centres.tolist(), weights.tolist(), rest.tolist(), strict=True))

    def _together(self, y: Array) -> list[tuple[int, int]]:
        """Return where to cut the places: so many are worked on at a time."""
        size = CHUNK if len(self.centres) <= _MANY else max(1, _AT_ONCE // len(self.centres))
        return list(pairwise([*range(0, max(1, y.size), size), y.size]))

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
        centres, logs, _ = self.away
        if not centres.size:
            return np.zeros(y.size), np.zeros(y.size)
        squares = self._log_squares
        if centres.size > _FEW:
            possible = self._possible(float(y.min()), float(y.max()))
            if not possible.all():
                centres, logs, squares = centres[possible], logs[possible], squares[possible]
        few = centres.size <= _FEW or centres.size * y.size <= _SHORT
        w = np.exp(logs)
        t = centres[:, None] * (y - 0.5 * centres[:, None])
        if few:
            growth = np.expm1(np.minimum(t, OVERFLOW))
            s, rise = w @ growth, (w * centres) @ growth + float((w * centres).sum())
        else:
            kept, flat = self._relevant(logs[:, None], squares[:, None], t)
            component, place = entries_of(kept)
            growth = w[component] * np.expm1(np.minimum(t[kept], OVERFLOW))
            s = np.bincount(place, growth, y.size) - w @ flat
            rise = np.bincount(place, centres[component] * (growth + w[component]), y.size).astype(np.float64)
        near = (s > HALF) & (t.max(axis=0, initial=-math.inf) <= OVERFLOW)
        safe = np.where(near, s, 0.0)
        f, slope = np.log1p(safe), rise / (1.0 + safe)
        if not near.all():
            f[~near], slope[~near] = self.log_ratio_by_logs(y[~near])
        return f, slope

    def _possible(self, low: float, high: float) -> NDArray[np.bool_]:
        """Return which components may count somewhere between two places: what they have to exceed grows with those."""
        centres, logs, _ = self.away
        at_low, at_high = (centres * (place - 0.5 * centres) for place in (low, high))
        found: NDArray[np.bool_] = logs + np.maximum(at_high, 0.0) > (self._log_squares + at_low).max() - self._margin
        return found

    def _relevant(self, logs: Array, squares: Array, t: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which components count at which places, by their exponents t, and of which others e^t - 1 is -1."""
        some = logs + np.maximum(t, 0.0) > (squares + t).max(axis=0) - self._margin
        flat = some & (t <= -IRRELEVANT)
        return some & ~flat, flat

    @cached_property
    def _log_squares(self) -> Array:
        """Of components away from 0, the logs of w c^2 / 2: u w c^2 e^t / 2 is less than a term of the error stated."""
        centres, logs, _ = self.away
        squares: Array = logs + (2.0 * np.log(centres) - math.log(2.0))
        return squares

    def log_ratio_by_logs(self, y: Array) -> tuple[Array, Array]:
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
        centres, logs, errors = self.away
        if not centres.size:
            return np.zeros(y.size - 1), np.zeros(y.size - 1)
        f, slope = self.log_ratio(y) if at_places is None else at_places
        e = errors + (8.0 + centres.size) * U
        t = centres[:, None] * (y - 0.5 * centres[:, None])
        logs_given = logs[:, None] + t[:, 1:] - f[1:]
        with np.errstate(over="ignore"):
            farthest = np.maximum(np.abs(y[:-1]), np.abs(y[1:]))
            component, interval = entries_of(logs_given > -_IMPOSSIBLE)
            c, given = centres[component], np.exp(np.minimum(logs_given[component, interval], 0.0))  # at most 1
            moved = 0.0 + np.bincount(interval, given * c * (farthest[interval] + 0.5 * c), f.size - 1)
            weighed = 0.0 + np.bincount(interval, given * e[component], f.size - 1)
            # 1 - e^t is at most 1, and at most -t
            fallen = (np.exp(logs) * e) @ np.clip(-t[:, :-1], 0.0, 1.0)
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
        parts = self._weighty_parts(y)
        return self._added_up(parts, *log_normal_mass(parts.away, parts.width))

    def _weighty_parts(self, y: Array) -> "_Parts":
        """Return the components that matter between which neighbouring places."""
        middle, width = 0.5 * (y[:-1] + y[1:]), np.abs(y[1:] - y[:-1])
        if len(self.centres) == 1:
            one = np.zeros(middle.size, dtype=np.intp)
            return _Parts(one, np.arange(middle.size), middle, *self._all, middle - self.centres[0], width, (1, middle.size))
        weighty = self._weighty_between(float(y.min()), float(y.max()))
        law = tuple(values[weighty] for values in self._all)
        component, cell = entries_of(self._weighty(y, *law[:2]))
        middle = middle[cell]
        centres, logs, errors = (values[component] for values in law)
        return _Parts(component, cell, middle, centres, logs, errors, middle - centres, width[cell], (law[0].size, y.size - 1))

    def _added_up(self, parts: "_Parts", masses: Array, rounding: Array) -> tuple[Array, Array]:
        """Return the sums over components, of which these are the logs of the masses without their weights."""
        masses = masses + parts.logs
        with np.errstate(over="ignore"):  # an error beyond all floats is one that says nothing
            # the middle is good to u|y|, a centre to 6u of itself: log phi moves by at most 8u (|y| + c)^2
            moved = 8.0 * (np.abs(parts.middle) + parts.centres) ** 2 + 16.0
            added = np.abs(parts.logs) + np.minimum(np.abs(masses), 1e5)
            rounding = rounding + parts.errors + U * (moved + added)
        if len(self.centres) == 1:
            return masses, rounding
        return sums_by_cell(masses, rounding, parts.component, parts.cell, parts.shape)

    @staticmethod
    def log_masses_of_two(first: "Mixture", second: "Mixture", y: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return what `log_masses` says of one mixture at some places, and of another one at minus these."""
        if len(first._together(y[:-1])) > 1 or len(second._together(y[:-1])) > 1:
            return first.log_masses(y), second.log_masses(-y)
        one, two = first._weighty_parts(y), second._weighty_parts(-y)
        masses, rounding = log_normal_mass(np.concatenate([one.away, two.away]), np.concatenate([one.width, two.width]))
        size = one.away.size
        return first._added_up(one, masses[:size], rounding[:size]), second._added_up(two, masses[size:], rounding[size:])

    def log_roughly_above(self, y: Array, *, mirrored: bool = False) -> Array:
        """Return about the logs of the masses above some places, of its mirror image if asked: nothing is certified."""
        centres, logs, _ = self._all
        kept = logs > logs.max() - _HARDLY  # more than a guess needs
        sign = -1.0 if mirrored else 1.0
        parts: Array = logs[kept][:, None] + special.log_ndtr(sign * centres[kept][:, None] - y)
        masses: Array = np.logaddexp.reduce(parts, axis=0)
        return masses

    def _weighty_between(self, low: float, high: float) -> NDArray[np.bool_]:
        """Return which components are more than e^-45 of the density anywhere between two places."""
        centres, logs, _ = self._all
        if centres.size <= _FEW:
            return np.ones(centres.size, dtype=bool)
        most, least = (logs + centres * (place - 0.5 * centres) for place in (high, low))
        return most > float(least.max()) - self._margin

    def _weighty(self, y: Array, centres: Array, logs: Array) -> NDArray[np.bool_]:
        """Return the same of some components between each two neighbouring places."""
        if centres.size <= _FEW:
            return np.ones((centres.size, y.size - 1), dtype=bool)
        # over the density of N(0, 1): they grow with the place
        heights = logs[:, None] + centres[:, None] * (y - 0.5 * centres[:, None])
        most, least = (end(heights[:, 1:], heights[:, :-1]) for end in (np.maximum, np.minimum))
        kept: NDArray[np.bool_] = most > least.max(axis=0) - self._margin
        return kept


class _Parts(NamedTuple):
    """Components in cells, one after the other: their numbers, and what their masses go by."""

    component: NDArray[np.intp]
    cell: NDArray[np.intp]
    middle: Array
    centres: Array
    logs: Array  # of the weights
    errors: Array
    away: Array  # of the middle from the centre
    width: Array
    shape: tuple[int, int]  # components, cells


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
        error = (shares * _shares_off(errors)).sum(axis=0) / total
    error = np.where(total > 0.0, error, errors.max(axis=0))
    return joined, (1.0 + AMPLE) * error + U * (8.0 + 2.0 * logs.shape[0] + 4.0 * np.minimum(np.abs(joined), 1e4))


def _shares_off(errors: Array) -> Array:
    """Return e^errors - 1, or a little more: small ones need no exponential."""
    if not errors.size or float(errors.max()) < _SMALL:
        small: Array = errors * (1.0 + errors)
        return small
    return np.expm1(np.minimum(errors, 700.0))


def entries_of(table: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of what is true in a table, row by row: as np.nonzero does, which takes longer."""
    flat = np.flatnonzero(table)
    rows = flat // table.shape[1]
    return rows, flat - rows * table.shape[1]


def sums_by_cell(
    logs: Array, errors: Array, row: NDArray[np.intp], cell: NDArray[np.intp], shape: tuple[int, int]
) -> tuple[Array, Array]:
    """Return what `joined_masses` does of a table, down its rows, that has masses at some places alone."""
    table = np.full(shape, -math.inf)
    table[row, cell] = logs
    peak = table.max(axis=0)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    shares = np.exp(logs - peak[cell])
    total = np.bincount(cell, shares, shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        joined = peak + np.log(total)
        error = np.bincount(cell, shares * _shares_off(errors), shape[1]) / total
    some = total > 0.0
    if not some.all():
        table[:] = 0.0
        table[row, cell] = errors
        error = np.where(some, error, table.max(axis=0))
    return joined, (1.0 + AMPLE) * error + U * (8.0 + 2.0 * shape[0] + 4.0 * np.minimum(np.abs(joined), 1e4))


def sums_by_run(logs: Array, errors: Array, cell: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return what `joined_masses` does of the masses of each cell, which follow one another, of several laws in rows.

    `cell` is that of each column, 0, 0, 1, 2, 2 and so on: none is left out. The errors are the same for all laws.
    """
    ends = np.concatenate([[0], np.flatnonzero(cell[1:] != cell[:-1]) + 1, [cell.size]])
    starts, lengths = ends[:-1], ends[1:] - ends[:-1]
    peak = np.maximum.reduceat(logs, starts, axis=1)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    shares = logs - np.repeat(peak, lengths, axis=1)
    np.exp(shares, out=shares)
    total = np.add.reduceat(shares, starts, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        joined = peak + np.log(total)
        error = np.add.reduceat(shares * _shares_off(errors), starts, axis=1) / total
    if not total.all():
        error = np.where(total > 0.0, error, np.maximum.reduceat(errors, starts))
    longest = float(lengths.max())
    return joined, (1.0 + AMPLE) * error + U * (8.0 + 2.0 * longest + 4.0 * np.minimum(np.abs(joined), 1e4))
