"""The best of a random number of runs by a score: an upper bound for every score, and the law of two of them (M39)."""

import math

import numpy as np

from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U, strictly_raised
from tightbudget.pairs.base import Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE, mass_known_well
from tightbudget.pairs.points import PointPair, point_pair
from tightbudget.pairs.profile_grid import MOST_LOSS, Profile, pair_of_profiles
from tightbudget.pairs.profile_of import profile_above
from tightbudget.pairs.revealing import revealing_pair
from tightbudget.pairs.runs import Runs

_FINER = 32  # parts of a coarse cell
_MOST_ERROR = 1e-3  # events that are known less well get the lowest score, and are left out


def best_of_runs_pair(key: tuple[object, ...], runs: Runs, there: Pair | None, back: Pair | None) -> PointPair | None:
    """Return a pair that dominates the best of several runs, whatever the score; None if one run reveals nothing.

    One run has a pair (A, B) that `there` dominates, and `back` dominates (B, A).
    """
    if there is None and back is None:
        return None
    profile, reverse = _profile_of_one_run(there), _profile_of_one_run(back)
    costs = runs.slopes_apart(profile, reverse), runs.slopes_apart(reverse, profile)
    if min(costs) > MOST_LOSS:
        return revealing_pair(runs.some)
    first, second = (
        _selected_run_profile(runs, costs[0], profile, reverse),
        _selected_run_profile(runs, costs[1], reverse, profile),
    )
    return pair_of_profiles(key, first, second)


def slopes_apart(runs: Runs, there: Pair | None, back: Pair | None) -> float:
    """Return a bound on the logarithm of the ratio of two slopes, those of the generating function for A and for B."""
    return runs.slopes_apart(_profile_of_one_run(there), _profile_of_one_run(back))


def _profile_of_one_run(pair: Pair | None) -> Profile:
    return np.zeros_like if pair is None else profile_above(pair)


def _selected_run_profile(runs: Runs, cost: float, profile: Profile, reverse: Profile) -> Profile:
    """Return the profile m H_g(A||B) at losses that are larger by the cost; at most the probability of any run."""

    def bounds(losses: Array) -> Array:
        inner = losses - cost - 4.0 * U * (losses + cost)
        above, value = inner >= 0.0, np.ones(losses.size)
        if above.any():
            value[above] = profile(inner[above])
        if cost < math.inf and not above.all():  # H_g(A||B) = 1 - g + g H_{1/g}(B||A)
            less = -inner[~above]
            value[~above] = strictly_raised(-np.expm1(-less) + np.exp(-less) * reverse(less), 16)
        return np.minimum(strictly_raised(runs.mean * value, 4), runs.some)

    return bounds


def scored_by_loss_pair(key: tuple[object, ...], runs: Runs, pair: Pair, rising: bool) -> PointPair:
    """Return the pair of the best run where the score is the loss of its answer, or falls with it.

    Answers are merged into events, and some with little mass left out, which can only lower what is told.
    """
    events = _run_events(pair)
    order = np.argsort(events.low if rising else -events.low, kind="stable")[::-1]  # the best first
    surely, doubt = mass_known_well(pair.infinity) if rising else (0.0, 0.0)
    log_a, log_b = (
        runs.log_gain(masses, best + np.cumsum(np.append(0.0, masses[:-1])))
        for masses, best in ((np.exp(events.log_a[order]), surely), (np.exp(events.log_b[order]), 0.0))
    )
    relative = events.error[order] + float(events.error.max(initial=0.0)) + doubt
    relative = relative + U * (16.0 + 2.0 * order.size + np.abs(events.log_a[order]) + np.abs(events.log_b[order]))
    doubts = runs.error(relative) + 8.0 * U * (np.abs(log_a) + np.abs(log_b))
    if runs.log_none > -math.inf:  # without a run nothing is released, whatever the data
        none = np.array([runs.log_none])
        log_a, log_b = np.append(log_a, none), np.append(log_b, none)
        doubts = np.append(doubts, 16.0 * U * (1.0 - runs.log_none))
    # of all runs, any may have an answer that the other law hardly ever gives; of A some run has it if any run is made
    nearer = math.log(runs.mean / runs.some) + 1.0
    infinity = pair.infinity.nearer(nearer, _infinity_of_best_run(runs, surely, doubt)) if surely > 0.0 else NOWHERE
    loss_error = 2.0 * float(doubts.max(initial=0.0))
    return point_pair(key, log_a - log_b, log_a, log_b, error=doubts, infinity=infinity, loss_error=loss_error)


def _infinity_of_best_run(runs: Runs, surely: float, doubt: float) -> Mass:
    log = float(runs.log_gain(np.array([surely]), np.zeros(1))[0])
    return Mass.about(log, float(runs.error(np.array([doubt + 16.0 * U]))[0]) + 8.0 * U * abs(log))


def _run_events(pair: Pair) -> Cells:
    """Return points and narrow cells of a pair, those that are known well and have mass on both sides."""
    points, coarse = pair.points(), pair.coarse_cells()
    wide = coarse.where(coarse.high > coarse.low)
    edges = np.unique(np.concatenate([wide.low, wide.high]))
    found = [points]
    if edges.size > 1:
        parts = np.linspace(0.0, 1.0, _FINER, endpoint=False)
        fine = np.unique(np.append((edges[:-1, None] + np.diff(edges)[:, None] * parts).ravel(), edges[-1]))
        found.append(pair.cells(fine))
    events = Cells.join(*found)
    known = (events.log_a > -700.0) & (events.log_b > -700.0) & (events.error < _MOST_ERROR)
    return events.where(known)
