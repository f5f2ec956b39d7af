"""One direction by the number of its large losses (M20).

With a ceiling for the losses of a step, delta is a sum over how many steps lose more, and which. Each term is a
composition of its own, of small losses alone and large losses alone; none has to make rare losses common, as a tilt of
the whole would.
"""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.direction import MOST_DECADES, WIDEST, OneDirection, width_index_of
from tightbudget.engine.large_losses.apart import SplitDirection, has_large_losses, loss_ceilings
from tightbudget.engine.pursuit import Profile
from tightbudget.engine.steps import Steps
from tightbudget.numerics.rounding import GENEROUS, lowered, raised, raised_by
from tightbudget.pairs.above import AbovePair
from tightbudget.pairs.base import Cells, Pair
from tightbudget.pairs.below import BelowPair, can_be_cut

Array = NDArray[np.float64]

_MOST_LARGE = 8  # large losses in one composition
_MOST_LAYERS = 16  # ways to have large losses: each takes a computation of its own
NEGLIGIBLE = 1e-3  # of the tolerance: what compositions with more large losses may weigh
_MOST_EPSILON = 300.0  # as in `apart`: e^epsilon times what is negligible stays negligible
_RISE = 0.5  # in log density, of a hump that is worth a layer of its own
_TURNS, _FINER = 3, -24  # refinements of a layer, and quarter octaves of one
_MOST_POINTS = 2.0**15  # of a layer: one that takes longer lists is no easier than the whole


@dataclass(frozen=True, eq=False)
class _LossLayer:
    """Compositions with given numbers of large losses: `ways` of them, all alike."""

    ways: int
    direction: OneDirection

    def decades(self, decades: int) -> int:
        """Return how many decades it takes: more by as many as the number of compositions that the layer stands for."""
        return min(decades + 3 * math.ceil(math.log10(self.ways) / 3.0), MOST_DECADES)


@dataclass(frozen=True, eq=False)
class LayeredProfile:
    """Sums of readings, each times the number of compositions it stands for."""

    parts: tuple[tuple[float, Profile], ...]
    beyond: float  # mass of A with more large losses
    points: float

    route = "large losses counted"
    tilt = None

    def delta_upper(self, epsilon: float) -> float:
        total = math.fsum(ways * reading.delta_upper(epsilon) for ways, reading in self.parts)
        return min(1.0, raised(total + self.beyond, 8))

    def delta_lower(self, epsilon: float) -> float:
        return lowered(math.fsum(ways * reading.delta_lower(epsilon) for ways, reading in self.parts), 8)


class LayeredDirection:
    """Profiles of the whole composition, made of those of its layers and sharp near `epsilon`.

    What is larger than anything the layers hold is added as `split` does.
    """

    route = "large losses counted"

    def __init__(
        self, layers: list[_LossLayer], ceilings: tuple[float, ...], beyond: float, epsilon: float, split: SplitDirection | None
    ) -> None:
        self._layers, self.ceilings, self._beyond, self.epsilon, self._split = layers, ceilings, beyond, epsilon, split

    def profile(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> Profile | None:
        # what overflows is no answer
        with contextlib.suppress(ArithmeticError), np.errstate(all="raise", under="ignore"):
            reading = self._reading(decades, width_index, min(most_points, _MOST_POINTS))
            return self._split.with_large(reading) if self._split else reading
        return None

    def in_reach(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> bool:
        return most_points < _MOST_POINTS  # beyond, the effort changes nothing

    def _reading(self, decades: int, width_index: int, most_points: float) -> LayeredProfile | None:
        parts = [_LayerPart.of(layer, layer.decades(decades), self.epsilon, most_points) for layer in self._layers]
        made = [part for part in parts if part is not None]
        if len(made) < len(parts):  # every layer is needed
            return None
        for _ in range(_TURNS):
            allowed = 2.0 ** (width_index / 4.0) * math.fsum(part.upper for part in made)
            poor = [part for part in made if part.gap > allowed / len(made) and not part.final]
            if not poor or math.fsum(part.gap for part in made) <= allowed:
                break
            for part in poor:
                part.refine(allowed / len(made))
        points = math.fsum(part.reading.points for part in made)
        return LayeredProfile(tuple((float(part.layer.ways), part.reading) for part in made), self._beyond, points)


class _LayerPart:
    """The profile of a layer, made finer until it is known as well as the whole takes."""

    def __init__(self, layer: _LossLayer, reading: Profile, tilt: tuple[int, int], epsilon: float, most_points: float) -> None:
        self.layer, self._tilt, self._epsilon, self._most = layer, tilt, epsilon, most_points
        self._width_index, self.final = width_index_of(WIDEST), False
        self._take(reading)

    @staticmethod
    def of(layer: _LossLayer, decades: int, epsilon: float, most_points: float) -> "_LayerPart | None":
        tilt = (decades, layer.direction.saddle(decades).for_epsilon(epsilon).tilt_index)
        reading = layer.direction.profile(*tilt, width_index_of(WIDEST), most_points)
        return None if reading is None else _LayerPart(layer, reading, tilt, epsilon, most_points)

    def _take(self, reading: Profile) -> None:
        self.reading = reading
        self.upper = self.layer.ways * reading.delta_upper(self._epsilon)
        self.gap = self.upper - self.layer.ways * reading.delta_lower(self._epsilon)

    def refine(self, allowed: float) -> None:
        self._width_index += max(_FINER, min(-2, math.floor(4.0 * math.log2(0.7 * allowed / self.gap))))
        finer = self.layer.direction.profile(*self._tilt, self._width_index, self._most)
        if finer is None:
            self.final = True
        else:
            self._take(finer)


def layered_direction(steps: Steps, epsilon: float, decades: int, allowed: float) -> LayeredDirection | None:
    """Return the composition by the number of its large losses; those far beyond epsilon are taken apart before.

    None if no losses stand out under the tilt that epsilon takes, or if more of them than we can follow would weigh
    more than `allowed`.
    """
    if not epsilon < _MOST_EPSILON or any(pair.infinity.possible for pair, _ in steps.items):
        return None
    split = SplitDirection(steps, loss_ceilings(steps, epsilon)) if has_large_losses(steps, epsilon) else None
    whole = split.small if split else OneDirection(steps)
    theta = whole.saddle(decades).for_epsilon(epsilon).theta
    tops = tuple(_thinnest_loss(pair.coarse_cells(), theta) for pair, _ in whole.steps.items)
    if not all(can_be_cut(pair, top) for (pair, _), top in zip(whole.steps.items, tops, strict=True)):
        return None
    parts = _parts_of_layers(whole.steps, tops)
    masses = [math.log(count) + large.log_mass for _, large, count in parts if large is not None]
    if not masses:
        return None
    log_mean = float(np.logaddexp.reduce(masses))
    for most in range(_MOST_LARGE + 1):
        # at least most + 1 large losses: the mean number of sets of so many (M20)
        log_beyond = (most + 1) * log_mean - math.lgamma(most + 2.0)
        if log_beyond < math.log(max(allowed, 1e-300)):
            if math.comb(len(masses) + most, most) > _MOST_LAYERS:
                return None
            chosen = [_LossLayer(ways, OneDirection(Steps(items))) for ways, items in _large_loss_selections(parts, most)]
            return LayeredDirection(chosen, tops, raised_by(math.exp(log_beyond), GENEROUS), epsilon, split)
    return None


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # only to choose where to part the losses
def _thinnest_loss(cells: Cells, theta: float) -> float:
    """Return the loss at which the tilted law is thinnest between its bulk and its large losses; inf if nowhere."""
    wide = cells.high > cells.low
    if not wide.all() or cells.size < 3:
        return math.inf
    density = cells.log_a - np.log(cells.high - cells.low) + theta * (0.5 * cells.low + 0.5 * cells.high)
    bulk = int(np.argmax(cells.log_a))
    # walking up from the bulk: the lowest point so far, and how high the law rises again beyond it
    lowest = np.minimum.accumulate(density[bulk:])
    rise = density[bulk:] - lowest
    top = bulk + int(np.argmax(rise))
    if not rise[top - bulk] > _RISE:
        return math.inf
    bottom = bulk + int(np.argmin(density[bulk : top + 1]))
    return float(cells.high[bottom])


_Halves = tuple[Pair, AbovePair | None, int]


def _parts_of_layers(steps: Steps, ceilings: tuple[float, ...]) -> list[_Halves]:
    parts: list[_Halves] = []
    for (pair, count), top in zip(steps.items, ceilings, strict=True):
        below = BelowPair(pair, top) if math.isfinite(top) else None
        parts.append((below or pair, AbovePair(below) if below else None, count))
    return parts


def _large_loss_selections(parts: list[_Halves], most: int) -> Iterator[tuple[int, tuple[tuple[Pair, int], ...]]]:
    """Yield how many ways there are to have some numbers of large losses, `most` in all at most, and the steps then."""
    if not parts:
        yield 1, ()
        return
    (small, large, count), rest = parts[0], parts[1:]
    for number in range(min(most, count) + 1 if large is not None else 1):
        mine = tuple((pair, times) for pair, times in ((small, count - number), (large, number)) if times and pair is not None)
        for ways, others in _large_loss_selections(rest, most - number):
            yield math.comb(count, number) * ways, (*mine, *others)
