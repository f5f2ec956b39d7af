"""Where to bound a privacy profile: dots close together where it bends (M32).

Nothing here is certified or needs to be: poor dots make a wide bracket, never a wrong one.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from tightbudget.numerics.rounding import GENEROUS, raised_by
from tightbudget.pairs.base import Array
from tightbudget.pairs.from_profile import losses_below, pair_from_profile
from tightbudget.pairs.points import PointPair

Profile = Callable[[Array], Array]
"""Upper bounds on H_g at losses log g from 0 on."""

MOST_LOSS = 650.0  # e^650 and its products are floats
_ENDS = np.geomspace(1e-12, MOST_LOSS, 601)  # where a profile may end
_STRIDE = 25  # of a first look at these
_NOTHING = 1e-280  # profiles are not followed below
_FIRST = 2000  # dots of the first look, at most
_MOST = 2**14  # dots of each side
_FINE, _COARSE = np.log(1e-7), np.log(1e-3)  # relative height of a chord above the profile where it is large, and small
_FINEST, _BULK = np.log(3e-9), 7.0  # the same where all but e^-7 of the losses are: of many steps they make the sum
_NOISE = 1e-9  # of bounds, relative: rounding bends them too
_LARGE, _SMALL = np.log(1e-20), np.log(1e-60)


def pair_of_profiles(
    key: tuple[object, ...], profile: Profile, reverse: Profile | None = None, most: int = _MOST
) -> PointPair | None:
    """Return a pair that dominates every pair with at most these profiles in its two orders; None if all are equal.

    Without `reverse` both are the same. There are `most` dots on each side, or a few more.
    """
    ratios = np.exp(_profile_grid_losses(profile, reverse or profile, most))
    ratios = np.unique(ratios[ratios > 1.0])
    losses = np.append(0.0, losses_below(ratios))
    bounds = profile(np.maximum(losses, 0.0))
    return pair_from_profile(key, ratios, bounds, bounds if reverse is None else reverse(np.maximum(losses, 0.0)))


def _profile_grid_losses(profile: Profile, reverse: Profile, most: int) -> Array:
    """Return losses at which chords of both profiles are good."""
    end = max(_end_of_profile(profile), _end_of_profile(reverse))
    looks = min(_FIRST, max(400, most // 6))
    first = end * _first_look(looks)
    density = np.maximum(_profile_dot_density(profile, first), _profile_dot_density(reverse, first))
    counts = np.concatenate([[0.0], (density * (first[1:] - first[:-1])).cumsum()])
    size = int(min(most, max(64.0, counts[-1])))
    return np.unique(np.concatenate([np.interp(np.linspace(0.0, counts[-1], size), counts, first), first[:: looks // 100]]))


@lru_cache(maxsize=8)
def _first_look(looks: int) -> Array:
    """Return where the profile is looked at first, relative to its end."""
    return np.unique(np.concatenate([[0.0], np.geomspace(1e-9, 1.0, looks), np.linspace(0.0, 1.0, looks)]))


def _end_of_profile(profile: Profile) -> float:
    """Return a loss beyond which there is nothing to see."""
    far = profile(_ENDS[::_STRIDE])
    nothing = max(_NOTHING, raised_by(float(far[-1]), GENEROUS))
    first = int((far <= nothing).argmax()) * _STRIDE  # profiles fall: the end lies behind the place before
    near = _ENDS[max(0, first - _STRIDE + 1) : first + 1]
    return float(near[(profile(near) <= nothing).argmax()])


def _profile_dot_density(profile: Profile, losses: Array) -> Array:
    """Return how many dots there should be per unit of loss between the losses."""
    bounds = np.maximum(profile(losses), 1e-300)
    slopes = (bounds[1:] - bounds[:-1]) / (losses[1:] - losses[:-1])
    # the second derivative in g times g^2, at the inner dots: that in the loss, less the first
    gaps = 0.5 * (losses[2:] - losses[:-2])
    bend = np.abs((slopes[1:] - slopes[:-1]) / gaps - 0.5 * (slopes[1:] + slopes[:-1]))
    bend = np.where(bend > _NOISE * bounds[1:-1] / gaps**2, bend, 0.0)
    log_bounds = np.log(bounds[1:-1])
    finest = np.where(log_bounds > np.log(bounds[0]) - _BULK, _FINEST, _FINE)
    tolerance = np.exp(np.maximum(np.interp(-log_bounds, [-_LARGE, -_SMALL], [_FINE, _COARSE]) + finest - _FINE, finest))
    with np.errstate(over="ignore"):  # where a profile falls to nothing at once, all dots will do
        inner = np.minimum(np.sqrt(bend / (8.0 * tolerance * bounds[1:-1])), _MOST / gaps)
    padded = np.concatenate([inner[:1], inner, inner[-1:]])
    density: Array = np.maximum(padded[1:], padded[:-1])
    return density
