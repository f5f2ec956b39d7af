"""The law of a composed loss, roughly, where it is far from a normal one: where an answer is, and what makes it (M9).

Nothing here is certified or needs to be: a poor guess makes a wide bracket, never a wrong one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.engine.saddle import SaddlePoint, plain_numbers
from tightbudget.pairs.base import Cells

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

MOST_EPSILON = 150.0
"""For which a law is made: e to the power of all its losses is a float."""

_SIZE = 1024  # entries of a transform
_SEEN = 25.0  # e^-25 is well above what transforms round: so small a delta is seen without a tilt
_CUT, _PERIOD = 1.5, 4.0  # times the saddle point's epsilon, which is too large: losses that are looked at, and the period
_BLUR = 0.03  # of epsilon: it is known no better, and cells are as wide


class Aim(NamedTuple):
    """What makes delta at one epsilon: of each item the shares of its cells in it, and the density there over delta."""

    epsilon: float
    shares: tuple[Array, ...]
    density: float


@dataclass(frozen=True, eq=False)
class RoughLaw:
    """Losses with their tilted masses, item by item, and the transform of their sum on an even grid."""

    losses: tuple[Array, ...]
    masses: tuple[Array, ...]  # each adds up to 1
    counts: tuple[int, ...]
    theta: float
    log_scale: float  # log E_A e^{theta L} of the sum
    step: float
    log_transforms: tuple[Complex, ...]

    @classmethod
    @plain_numbers
    def of(cls, cells: Sequence[Cells], counts: Sequence[int], point: SaddlePoint) -> "RoughLaw":
        """Return the law of a composition for answers near a saddle point.

        It is tilted no more than it takes to see them: a tilt makes much of losses that play no part in them.
        """
        step = _PERIOD * point.epsilon / _SIZE
        theta = point.theta * max(0.0, 1.0 - _SEEN / max(-point.log_delta, _SEEN))
        losses, masses, log_scale = list[Array](), list[Array](), 0.0
        for one, count in zip(cells, counts, strict=True):
            loss = one.mean_losses
            exponent = one.log_a + theta * loss
            peak = float(exponent.max())
            mass = np.exp(exponent - peak)
            total = float(mass.sum())
            losses.append(loss)
            masses.append(mass / total)
            log_scale += count * (peak + math.log(total))
        cut = _CUT * point.epsilon
        transforms = tuple(_log_transform(loss, mass, step, cut) for loss, mass in zip(losses, masses, strict=True))
        return cls(tuple(losses), tuple(masses), tuple(counts), theta, log_scale, step, transforms)

    @property
    def farthest(self) -> float:
        """The largest loss that is followed."""
        return max(float(losses[-1]) for losses in self.losses)

    def _product(self, less: int | None = None) -> Complex:
        """Return the transform of the sum, without one step of an item if that is asked for."""
        counts = [count - (i == less) for i, count in enumerate(self.counts)]
        product: Complex = np.exp(sum(count * log for log, count in zip(self.log_transforms, counts, strict=True)))
        return product

    @cached_property
    @plain_numbers
    def _tails(self) -> tuple[Array, Array, Array]:
        """Losses from 0 on, and above each of them the sums of A and of B, up to the same factor."""
        loss = self.step * np.arange(_SIZE // 2, dtype=np.float64)
        density = np.fft.irfft(self._product(), _SIZE)[: loss.size]
        a, b = (np.cumsum((density * np.exp(-tilt * loss))[::-1])[::-1] for tilt in (self.theta, self.theta + 1.0))
        return loss, a, b

    @cached_property
    @plain_numbers
    def _log_deltas(self) -> Array:
        loss, a, b = self._tails
        falling: Array = np.minimum.accumulate(np.log(np.maximum(a - np.exp(loss) * b, 1e-300)))
        return falling + self.log_scale

    def for_delta(self, log_delta: float) -> tuple[float, float] | None:
        """Return epsilon at a delta, and how fast log delta falls there; None if it is not in sight."""
        loss, a, b = self._tails
        logs = self._log_deltas
        if not logs[-1] < log_delta < logs[0]:
            return None
        epsilon = float(np.interp(-log_delta, -logs, loss))
        paid = math.exp(epsilon) * float(np.interp(epsilon, loss, b))
        rest = float(np.interp(epsilon, loss, a)) - paid
        return (epsilon, paid / rest) if rest > 0.0 < paid else None

    @plain_numbers
    def aimed_at(self, epsilon: float) -> Aim | None:
        """Return what makes delta at an epsilon; None if it is not in sight.

        To move one loss by a little, without moving the mean of e^-loss, changes delta by half its square times the
        density of a sum that is epsilon.
        """
        angles = 2.0 * math.pi / (_SIZE * self.step) * np.arange(_SIZE // 2 + 1)
        blur = np.exp(-0.5 * (_BLUR * epsilon * angles) ** 2)
        shares, density = list[Array](), 0.0
        for i, (losses, masses) in enumerate(zip(self.losses, self.masses, strict=True)):
            others = np.fft.irfft(self._product(less=i) * blur, _SIZE)
            rest = (epsilon - losses) / self.step
            near = np.abs(rest) < 0.49 * _SIZE
            share = masses * np.maximum(others[np.rint(np.where(near, rest, 0.0)).astype(np.intp)], 0.0) * near
            density = float(share.sum())
            if not 0.0 < density < math.inf:
                return None
            shares.append(share / density)
        log_delta = float(np.interp(epsilon, self._tails[0], self._log_deltas))
        log_density = math.log(density / self.step) + self.log_scale - self.theta * epsilon
        if not abs(log_density - log_delta) < 100.0:
            return None
        return Aim(epsilon, tuple(shares), math.exp(log_density - log_delta))


def _log_transform(loss: Array, mass: Array, step: float, cut: float) -> Complex:
    """Return the log of the transform of losses up to a cut, each on three places with its mean and variance.

    Steps are many, and their losses far smaller than the distance of places: what counts are these two.
    """
    near = np.abs(loss) < cut
    place, mass = loss[near] / step, mass[near]
    middle = np.rint(place)
    rest, index = place - middle, middle.astype(np.intp)
    row = np.zeros(_SIZE)
    for away, part in ((-1, 0.5 * (rest * rest - rest)), (0, 1.0 - rest * rest), (1, 0.5 * (rest * rest + rest))):
        row += np.bincount((index + away) % _SIZE, mass * part, _SIZE)
    transform: Complex = np.log(np.fft.rfft(row))
    return transform
