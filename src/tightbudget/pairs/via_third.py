"""Two laws told apart by way of a third: a profile from the profiles on both sides of it (M29).

H_{g1 g2}(P||Q) <= H_{g1}(P||N) + g1 H_{g2}(N||Q): every split of g holds, and the least is taken.
"""

import numpy as np

from tightbudget.numerics.rounding import TINIEST, U, strictly_raised
from tightbudget.pairs.base import Array
from tightbudget.pairs.profile_grid import MOST_LOSS, Profile

_TABLE = 1500  # losses at which splits are tried
_SHARES = np.linspace(0.0, 1.0, 65)
_CHUNK = 2048


def profile_via_third(first: Profile, second: Profile) -> Profile:
    """Return bounds on H_g(P||Q) from those on H_g(P||N) and H_g(N||Q)."""
    places = np.concatenate([[0.0], np.geomspace(1e-9, MOST_LOSS, _TABLE)])
    tables = [np.log(np.maximum(profile(places), TINIEST)) for profile in (first, second)]

    def profile(losses: Array) -> Array:
        chunks = [losses[start : start + _CHUNK] for start in range(0, losses.size, _CHUNK)]
        ahead = np.concatenate([_best_split(chunk, places, tables) for chunk in chunks]) if chunks else losses
        # the rest is rounded down, so that both together are no more than the loss
        behind = np.maximum(0.0, (losses - ahead) - 2.0 * U * losses)
        with np.errstate(over="ignore"):
            bound = strictly_raised(first(ahead) + np.exp(ahead) * second(behind), 16)
        bounded: Array = np.minimum(bound, 1.0)
        return bounded

    return profile


def _best_split(losses: Array, places: Array, tables: list[Array]) -> Array:
    """Return about the best part of each loss for the first profile: any is sound, a poor one only loosens."""
    ahead = losses[:, None] * _SHARES
    for _ in range(2):
        heights = (
            np.interp(ahead, places, tables[0]),
            ahead + np.interp(losses[:, None] - ahead, places, tables[1]),
        )
        best = np.logaddexp(*heights).argmin(axis=1)
        chosen: Array = ahead[np.arange(losses.size), best]
        width = losses / (_SHARES.size - 1)
        ahead = np.clip(chosen[:, None] + width[:, None] * (2.0 * _SHARES - 1.0), 0.0, losses[:, None])
    return chosen
