"""A PrivacyLossDistribution of dp_accounting as a mechanism that it bounds from above (M32).

Its masses are rounded: of the default grid they exceed 1 by 2e-8, and by 2e-5 after a thousand compositions; those of
B, which follow from them, by 9e-5, or by a quarter after ten, for what a transform leaves at a loss of -40 counts e^40
times. No pair of laws has such masses.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.loss_distribution import MOST_LOSS, LossDistribution
from tightbudget.mechanisms.relations import DEFAULT, relation_named
from tightbudget.numerics.rounding import AMPLE, raised

Array = NDArray[np.float64]

_ROUNDED = 1e-6  # by which rounding leaves masses below 0 or above 1, at most


def from_pld(pld: Any, relation: str = DEFAULT) -> LossDistribution:
    """Return a mechanism that a pessimistic PrivacyLossDistribution of dp_accounting bounds: upper ends only.

    pld       what the functions of `dp_accounting.pld.privacy_loss_distribution` return
    relation  the neighbouring relation that it was made for; it does not say

    Where A has more mass than 1, the smallest losses are left out; where B would have, the smallest are raised until it
    has 1. Upper ends hold for whatever the distribution dominates, composed ones too.

    >>> from dp_accounting.pld import privacy_loss_distribution
    >>> given = from_pld(privacy_loss_distribution.from_laplace_mechanism(1.0, value_discretization_interval=1e-2))
    >>> (given * 10).epsilon(delta=1e-6).upper
    9.999...
    """
    remove, add = (getattr(pld, name, None) for name in ("_pmf_remove", "_pmf_add"))
    if remove is None or add is None:
        raise InvalidParameter("pld", type(pld).__name__, "a PrivacyLossDistribution of dp_accounting")
    first = _masses_of(remove)
    return LossDistribution(*first, *(first if add is remove else _masses_of(add)), relation_named(relation))


def _masses_of(pmf: Any) -> tuple[tuple[tuple[float, float], ...], float]:
    """Return losses with masses that a pair of laws has, in order, and the mass at infinity."""
    try:
        losses, masses = _listed(pmf)
        infinity, pessimistic = float(pmf._infinity_mass), bool(pmf._pessimistic_estimate)
    except (AttributeError, TypeError, ValueError):
        hint = "Its masses are not where dp_accounting 0.6 keeps them: give them to tb.from_loss_distribution."
        raise InvalidParameter("pld", type(pmf).__name__, "one of dp_accounting's lists of losses", hint) from None
    if not pessimistic:
        hint = "An optimistic one bounds nothing from above: make it with pessimistic_estimate=True."
        raise InvalidParameter("pld", "optimistic", "a pessimistic estimate", hint)
    # rounding makes some masses of their sums negative: without these more is revealed
    if not (np.isfinite(losses).all() and (np.abs(np.append(masses, infinity) - 0.5) <= 0.5 + _ROUNDED).all()):
        raise InvalidParameter("pld", type(pmf).__name__, "a list of finite losses with probabilities")
    masses, infinity = np.maximum(masses, 0.0), min(max(infinity, 0.0), 1.0)
    beyond = math.fsum(masses[losses > MOST_LOSS])  # raised, as what is below is
    infinity = min(1.0, raised(infinity + beyond, 4)) if beyond else infinity
    some = (masses > 0.0) & (losses <= MOST_LOSS)
    losses, masses = _raised_losses(*_cut_to_one(np.maximum(losses[some], -MOST_LOSS), masses[some], infinity))
    return tuple(zip(losses.tolist(), masses.tolist(), strict=True)), infinity


def _listed(pmf: Any) -> tuple[Array, Array]:
    """Return all losses, which increase, and their masses."""
    if hasattr(pmf, "_loss_probs"):
        places, masses = zip(*sorted(pmf._loss_probs.items()), strict=True)
    else:
        places, masses = pmf._lower_loss + np.arange(len(pmf._probs)), pmf._probs
    return float(pmf._discretization) * np.array(places, dtype=np.float64), np.array(masses, dtype=np.float64)


def _cut_to_one(losses: Array, masses: Array, infinity: float) -> tuple[Array, Array]:
    """Return increasing losses without the smallest, where A has more mass than 1: what is left has mass 1.

    What is left of the last mass that is cut goes to the next loss, at e^g. Above that the profile is as before. Below,
    it is the chord from mass 1 at 0, which the convex profile of any pair that it bounds does not exceed.
    """
    if math.fsum([*masses.tolist(), infinity]) <= 1.0:
        return losses, masses
    above = infinity + np.append(np.cumsum(masses[::-1])[::-1][1:], 0.0)  # beyond each loss
    first = min(int(np.flatnonzero(above <= 1.0)[0]) + 1, losses.size - 1)
    losses, masses = losses[first:], masses[first:].copy()
    masses[0] = max(0.0, 1.0 - math.fsum([*masses[1:].tolist(), infinity]))
    return losses, masses


def _raised_losses(losses: Array, masses: Array) -> tuple[Array, Array]:
    """Return increasing losses, of which the smallest are put at one larger one if B has more mass than 1.

    With all masses from k on as they are, and the others, of mass a, at a loss x, B has mass 1 if a e^-x is what these
    had less the excess. The profile is then max(B(g), S - g), S the sum of masses: no less than before, and that of a
    pair. k is the least with x no larger than the next loss.
    """
    of_b = masses * np.exp(-losses)
    excess = math.fsum(of_b) - 1.0
    if excess <= 0.0:
        return losses, masses
    excess += AMPLE * (1.0 + excess)
    a, b = np.cumsum(masses), np.cumsum(of_b)
    saved = b[:-1] - a[:-1] * np.exp(-losses[1:])  # if all up to k are put at the next loss
    enough = np.flatnonzero(saved >= excess * (1.0 + AMPLE))
    if not enough.size:
        raise InvalidParameter("pld", 1.0 + excess, "such that sum(mass e^-loss) is 1, but for rounding")
    k = int(enough[0])
    place = min(math.log(float(a[k]) / (float(b[k]) - excess)) + AMPLE, float(losses[k + 1]))
    return np.append(place, losses[k + 1 :]), np.append(a[k] * (1.0 + AMPLE), masses[k + 1 :])
