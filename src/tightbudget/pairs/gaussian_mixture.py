"""Two mixtures of normal laws, the one above the other: what sampling makes of Gaussian noise (M27).

A = sum_i p_i N(a_i, 1) and B = sum_j q_j N(-b_j, 1) with all a_i, b_j >= 0. The loss increases with the outcome x, so
that events between two losses are those between two places.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.numerics.logs import log_sum
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import AMPLE, TINIEST, U, raised_by
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Alignment, Array, Cells, Pair
from tightbudget.pairs.cells import log_delta
from tightbudget.pairs.few_components import FewComponents, are_few
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.mixtures import Mixture
from tightbudget.pairs.moments.closed import gaussian_log_moment
from tightbudget.pairs.moments.concentrated import half_square
from tightbudget.pairs.moments.events import Events, Tail, normal_tail, point_events
from tightbudget.pairs.one_place import FEW, log_mass_at, log_ratio_at
from tightbudget.pairs.revealing import all_but_revealing

_CORE = 13.0  # sigmas around each centre that coarse cells resolve well
_CORE_STEP = 0.2
_MOST_CORE = 512  # coarse cells of all cores together
_ROUGH = 2  # of these, each so-manieth is enough for a guess
_SPARSE = 20  # coarse cells of each stretch between cores
_RARE = 80.0  # e^-80 is the weight of components that sparse cells will do for, if there are many
_PARTS = 4  # of a coarse cell, to look up places
_MANY = 8  # components, from which on the ends are looked for, and places not looked up so closely
_NEWTON = 12  # steps after which halving takes over: it cannot fail
_MOST_STEPS = 200
_FAR = 1e4  # sigmas from which on a component is told from all others at sight
_APART = 200.0  # sigmas between such components and the rest
_DROPPED = 1e-305  # mass of distant components that is not worth resolving
_EVENTS_STEP = 0.05


@dataclass(frozen=True)
class GaussianMixturePair(Pair):
    """The pair (A, B) of two mixtures, of which `bottom` to `top` are the places that are resolved."""

    above: Mixture  # A
    below: Mixture  # B, mirrored
    bottom: float
    top: float
    infinity: InfiniteMass = NOWHERE
    minus_infinity: InfiniteMass = NOWHERE
    dropped: float = 0.0  # mass of A in components beyond the places that are resolved

    @property
    def covers_b(self) -> bool:
        return not self.minus_infinity.possible

    @property
    def span(self) -> float:
        """From the lowest centre of B to the highest of A."""
        return raised_by(self.above.largest + self.below.largest, AMPLE)

    @property
    def unresolved(self) -> float:
        return NEGLIGIBLE + self.dropped

    @property
    def max_loss(self) -> float:
        return self._largest[1]

    @property
    def max_loss_lower(self) -> float:
        return self._largest[0]

    @property
    def _largest(self) -> tuple[float, float]:
        """Where A is N(0, 1) alone, B is at least its own share of that, and comes as near to it as one likes."""
        share = self.below.log_weight_of_zero
        if self.above.largest > 0.0 or share == -math.inf:
            return math.inf, math.inf
        error = self.below.errors[0] + TINIEST
        return max(0.0, -share - error), -share + error

    @property
    def alignment(self) -> Alignment | None:
        return None

    @property
    def total_variation(self) -> float:
        # N(c, 1) and N(0, 1) are less than c/2 apart
        return raised_by(self.above.mean + self.below.mean, AMPLE) + TINIEST

    @cached_property
    def _few(self) -> FewComponents | None:
        """Both mixtures at once, if that is quicker."""
        return FewComponents(self.above, self.below) if are_few(self.above, self.below) else None

    # The loss and its inverse

    def _losses(self, x: Array) -> tuple[Array, Array]:
        """Return the losses at some places, and their slopes."""
        (above, rise), (below, fall) = self._ratios(x)
        return above - below, rise + fall

    def _ratios(self, x: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return what `log_ratio` says of A and of B at some places."""
        if self._few is not None:
            f, slope = self._few.log_ratios(x)
            return (f[0], slope[0]), (f[1], slope[1])
        return self.above.log_ratio(x), self.below.log_ratio(-x)

    @cached_property
    def _coarse_ratios(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        fine = self._closer
        if fine is None:
            return self._ratios(self._coarse_places)
        (above, rise), (below, fall) = fine[1]
        return (above[::_PARTS], rise[::_PARTS]), (below[::_PARTS], fall[::_PARTS])

    @cached_property
    def _closer(self) -> tuple[Array, tuple[tuple[Array, Array], tuple[Array, Array]]] | None:
        """Coarse places and some between each two of them, of few components, and the ratios there."""
        if len(self.above.centres) + len(self.below.centres) > _MANY:
            return None
        x = self._coarse_places
        places = np.append((x[:-1, None] + np.diff(x)[:, None] * (np.arange(_PARTS) / _PARTS)).ravel(), x[-1])
        return (places, self._ratios(places)) if (places[1:] > places[:-1]).all() else None

    @cached_property
    def _nodes(self) -> "_MixtureNodes":
        places, (above, below) = self._closer or (self._coarse_places, self._coarse_ratios)
        losses = np.maximum.accumulate(above[0] - below[0])
        unknown, steepest = self._known_to(places, above, below)
        size = np.maximum(np.abs(losses[:-1]), np.abs(losses[1:]))
        error = unknown + 2.0 * U * size + TINIEST
        # two neighbouring floats are at most this far apart in loss
        grain = 4.0 * U * np.maximum(np.abs(places[:-1]), np.abs(places[1:])) * steepest
        return _MixtureNodes(places, losses, above[1] + below[1], 2.0 * error + grain, error)

    def _known_to(self, x: Array, above: tuple[Array, Array], below: tuple[Array, Array]) -> tuple[Array, Array]:
        """Return the sums of what `known_to` says of A and of B between some places, where `_ratios` are these."""
        if self._few is not None:
            return self._few.known_to(x, np.stack([above[0], below[0]]), np.stack([above[1], below[1]]))
        error_above, rise = self.above.known_to(x, above)
        turned = below[0][::-1], below[1][::-1]
        error_below, fall = (values[::-1] for values in self.below.known_to(-x[::-1], turned))
        return error_above + error_below, rise + fall

    def loss_shift(self, loss: float) -> float:
        return self._nodes.loss_shift(loss)

    def _places(self, edges: Array) -> Array:
        """Return the places at which the losses are `edges`, up to `loss_shift`."""
        nodes = self._nodes
        interval = np.clip(np.searchsorted(nodes.losses, edges, side="right") - 1, 0, nodes.places.size - 2)
        x = np.where(edges <= nodes.losses[0], self.bottom, self.top)
        todo = np.flatnonzero((edges > nodes.losses[0]) & (edges < nodes.losses[-1]))
        if todo.size:
            x[todo] = self._inverted(edges[todo], interval[todo])
        return np.maximum.accumulate(x)  # rounding may have turned neighbours round, both within the loss_shift

    def _inverted(self, edges: Array, interval: NDArray[np.intp]) -> Array:
        nodes = self._nodes
        low, high = nodes.places[interval], nodes.places[interval + 1]
        allowed = nodes.allowed[interval]
        x = nodes.between(edges, interval)
        found: Array = x.copy()
        todo = np.arange(edges.size)
        for step in range(_MOST_STEPS):
            loss, slope = self._losses(x)
            miss = loss - edges
            done = np.abs(miss) <= allowed
            found[todo[done]] = x[done]
            if done.all():
                return found
            low, high = np.where(miss < 0.0, x, low), np.where(miss > 0.0, x, high)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                newton = x - miss / slope
            inside = (newton > low) & (newton < high) & (step < _NEWTON)
            x = np.where(inside, newton, 0.5 * (low + high))
            left = ~done
            todo, x, low, high = todo[left], x[left], low[left], high[left]
            edges, allowed = edges[left], allowed[left]
        raise AssertionError("halving ends at neighbouring floats, one of which is near enough (M27)")

    def _place(self, edge: float) -> float:
        """Return what `_places` does, for one loss."""
        nodes = self._nodes
        if edge <= nodes.losses[0]:
            return self.bottom
        if not edge < nodes.losses[-1]:
            return self.top
        i = int(np.searchsorted(nodes.losses, edge, side="right")) - 1
        low, high, allowed = float(nodes.places[i]), float(nodes.places[i + 1]), float(nodes.allowed[i])
        x = nodes.near(edge, i)
        for step in range(_MOST_STEPS):
            (above, rise), (below, fall) = log_ratio_at(self.above, x), log_ratio_at(self.below, -x)
            miss, slope = above - below - edge, rise + fall
            if abs(miss) <= allowed:
                return x
            low, high = (x, high) if miss < 0.0 else (low, x)
            newton = x - miss / slope if slope > 0.0 else math.nan
            x = newton if low < newton < high and step < _NEWTON else 0.5 * (low + high)
        raise AssertionError("halving ends at neighbouring floats, one of which is near enough (M27)")

    # Cells

    def points(self) -> Cells:
        return Cells.none()

    def cells(self, edges: Array) -> Cells:
        if edges.size == 2 and self.above.likely_ones + self.below.likely_ones <= FEW:
            return self._cell(float(edges[0]), float(edges[1]))
        return self._cells_at(self._places(edges), edges[:-1], edges[1:])

    def _cell(self, low: float, high: float) -> Cells:
        """Return the one cell between two losses, as `cells` does, without arrays."""
        start = self._place(low)
        end = max(start, self._place(high))
        (log_a, error_a), (log_b, error_b) = log_mass_at(self.above, start, end), log_mass_at(self.below, -start, -end)
        return Cells(*np.array([[low], [high], [log_a], [log_b], [max(error_a, error_b)]]))

    def _cells_at(self, x: Array, low: Array, high: Array) -> Cells:
        # both masses are of the very same events, up to the rounding of a middle
        if self._few is not None:
            logs, errors = self._few.log_masses(x)
            return Cells(low, high, logs[0], logs[1], np.maximum(errors[0], errors[1]))
        (log_a, error_a), (log_b, error_b) = Mixture.log_masses_of_two(self.above, self.below, x)
        return Cells(low, high, log_a, log_b, np.maximum(error_a, error_b))

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        (above, _), (below, _) = self._coarse_ratios
        return self._cells_between(self._coarse_places, above - below)

    def coarse_edges(self) -> Array:
        (above, _), (below, _) = self._coarse_ratios
        return np.unique(above - below)

    def rough_profile(self) -> tuple[Array, Array]:
        x = self._coarse_places[::_ROUGH]
        losses = np.maximum.accumulate(self._losses(x)[0])
        logs = log_delta(losses, self.above.log_roughly_above(x), self.below.log_roughly_above(x, mirrored=True))
        some = np.isfinite(logs) & (np.diff(losses, prepend=-np.inf) > 0.0)
        return losses[some], logs[some]

    def _cells_between(self, x: Array, losses: Array) -> Cells:
        losses = np.maximum.accumulate(losses)
        low = losses[:-1]
        # a cell squeezed flat against the end of the support is still no point mass
        cells = self._cells_at(x, low, np.maximum(losses[1:], np.nextafter(low, np.inf)))
        return cells.where(cells.log_a > -math.inf)

    @cached_property
    def _coarse_places(self) -> Array:
        """Places dense where A, B and moderate tilts of them live, and sparse elsewhere."""
        above, below = self.above.likely(_RARE), self.below.likely(_RARE)
        centres = [c for c in above if c <= self.top] + [-c for c in below if -c >= self.bottom]
        cores = _merged_centres([(max(c - _CORE, self.bottom), min(c + _CORE, self.top)) for c in sorted(centres)])
        step = max(_CORE_STEP, sum(high - low for low, high in cores) / _MOST_CORE)
        parts, end = list[Array](), self.bottom
        for low, high in cores:
            parts.append(np.linspace(end, low, _SPARSE, endpoint=False))
            parts.append(np.linspace(low, high, 2 + math.ceil((high - low) / step)))
            end = high
        parts.append(np.linspace(end, self.top, 2 * _SPARSE + 1))
        return np.unique(np.concatenate(parts))

    # Moments

    @property
    def normal_ratio(self) -> float:
        return self.span

    def events(self, reach: float) -> Events:
        if self.infinity.possible or self.minus_infinity.possible:
            return super().events(reach)
        end = max(self.above.largest + REACH, reach)
        core = np.arange(self.bottom, self.top, max(_EVENTS_STEP, (self.top - self.bottom) / 8192.0))
        far = np.linspace(self.top, end, 2 + math.ceil(min(4096.0, (end - self.top) / _EVENTS_STEP)))
        x = np.unique(np.concatenate([core, far]))
        losses = self._losses(x)[0]
        cells, widest = self._cells_between(x, losses), float(np.abs(losses[[0, -1]]).max())
        return point_events(cells, self._event_shift(x, widest), NEGLIGIBLE, 0.0, self._tail_above(float(x[-1])))

    def _event_shift(self, x: Array, widest: float) -> float:
        error_above, error_below = (side.known_to(places)[0] for side, places in ((self.above, x), (self.below, -x[::-1])))
        return float((error_above + error_below[::-1]).max()) + 2.0 * U * widest + TINIEST

    def _tail_above(self, start: float) -> Tail | None:
        """Return what lies above a place beyond the highest centre: less than of that centre against the nearest of B.

        There A has at most the share of N(a, 1), a the largest centre, that it has at the place, and B at least its
        share of the component N(-b, 1) nearest to 0.
        """
        nearest, log_share = self.below.centres[0], self.below.log_weights[0] - self.below.errors[0]
        m = self.above.largest + nearest
        if m == 0.0:  # all losses are below -log_share, and what lies above is negligible
            return Tail(0.0, lambda orders: math.log(NEGLIGIBLE) + (orders - 1.0) * (-log_share) * (1.0 + AMPLE))
        inner = normal_tail(m, start + nearest)
        largest = self.above.largest
        exponent = largest * (start - 0.5 * largest)
        log_part = min(0.0, float(self.above.log_ratio(np.array([start]))[0][0]) - exponent + 1e-9 * (1.0 + abs(exponent)))

        def log_moment(orders: Array) -> Array:
            shares = orders * log_part + raised_by(-log_share, AMPLE) * (orders - 1.0)
            return inner.log_moment(orders) + shares + 1e-9 * (1.0 + orders * m)

        return Tail(max(0.0, self._loss_below(start)), log_moment)

    def _loss_below(self, place: float) -> float:
        loss = float(self._losses(np.array([place]))[0][0])
        return loss - self._event_shift(np.array([place - 1e-3, place]), abs(loss))

    def log_moment(self, orders: Array) -> Array:
        # the components two by two are no easier to tell apart than the two outermost
        return np.minimum(super().log_moment(orders), gaussian_log_moment(self.span, orders))

    @property
    def zcdp_rho(self) -> float:
        return half_square(self.span)

    @property
    def gdp_mu(self) -> float:
        return raised_by(self.span, AMPLE) + TINIEST


@dataclass(frozen=True, eq=False)
class _MixtureNodes:
    """Places that increase, their losses, and how far from a loss asked for one found between two of them may lie."""

    places: Array
    losses: Array
    slopes: Array  # of the loss
    allowed: Array  # between the loss that was computed and the one asked for
    error: Array  # of the loss that was computed

    def loss_shift(self, loss: float) -> float:
        least, largest = self._by_size
        count = int(np.searchsorted(least, abs(loss) * (1.0 + AMPLE), side="right"))
        return float(largest[max(count, 1) - 1])

    def between(self, edges: Array, interval: NDArray[np.intp]) -> Array:
        """Return about the places of losses in some intervals: cubics with the slopes there, or straight lines."""
        low, high = self.places[interval], self.places[interval + 1]
        start, rise = self.losses[interval], self.losses[interval + 1] - self.losses[interval]
        share = (edges - start) / rise  # start <= edge < end
        line = low + (high - low) * share
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            first, last = (rise / self.slopes[i] - (high - low) for i in (interval, interval + 1))
            cubic = line + share * (1.0 - share) * ((1.0 - share) * first - share * last)
        return np.where((cubic > low) & (cubic < high), cubic, line)

    def near(self, edge: float, i: int) -> float:
        """Return the same of one loss in one interval."""
        low, high, start = float(self.places[i]), float(self.places[i + 1]), float(self.losses[i])
        rise, first, last = float(self.losses[i + 1]) - start, float(self.slopes[i]), float(self.slopes[i + 1])
        share = (edge - start) / rise
        line = low + (high - low) * share
        if not (first > 1e-300 * rise and last > 1e-300 * rise):
            return line
        first, last = rise / first - (high - low), rise / last - (high - low)
        cubic = line + share * (1.0 - share) * ((1.0 - share) * first - share * last)
        return cubic if low < cubic < high else line

    @cached_property
    def _by_size(self) -> tuple[Array, Array]:
        """Sizes of losses, and the largest shift of all losses up to that size."""
        least = np.maximum(np.maximum(self.losses[:-1], -self.losses[1:]), 0.0)
        order = np.argsort(least, kind="stable")
        return least[order], np.maximum.accumulate((self.allowed + self.error)[order]) * (1.0 + AMPLE)


def gaussian_mixture_pair(above: Mixture, below: Mixture) -> Pair:
    """Return the pair of A = `above` and B = the mirror image of `below`.

    Components so far away that they are told from all others at sight have infinite loss, or minus that.
    """
    if len(above.centres) == len(below.centres) == 1:
        return GaussianPair(above.largest + below.largest)
    near_above, near_below = _near_components(above), _near_components(below)
    if near_above == 0:
        return all_but_revealing(_loss_at_sight(above.centres[0]))
    if near_below == 0:
        return all_but_revealing(_loss_at_sight(below.centres[0]))
    top, cut = _end_of_near_components(above, near_above)
    return GaussianMixturePair(
        above,
        below,
        bottom=-_end_of_near_components(below, near_below)[0],
        top=top,
        infinity=_told_at_sight(above, near_above),
        minus_infinity=_told_at_sight(below, near_below),
        dropped=_DROPPED if cut else 0.0,
    )


def replaced_gaussian_pair(m: float, q: float) -> Pair:
    """Return normal noise on a Poisson sample at rate 0 < q < 1 in which one record is another, for both directions.

    Either record moves the query by at most m sigmas: ((1-q)N(0, 1) + qN(m, 1), (1-q)N(0, 1) + qN(-m, 1)).
    """
    sampled = sampled_mixture(m, q)
    return gaussian_mixture_pair(sampled, sampled)


def sampled_mixture(m: float, q: float) -> Mixture:
    """Return (1-q)N(0, 1) + qN(m, 1)."""
    logs = math.log1p(-q), math.log(q)
    return Mixture((0.0, m), logs, (4.0 * U * -logs[0], 4.0 * U * -logs[1]))


def _near_components(mixture: Mixture) -> int:
    """Return how many components, from 0 on, are not so far that they are told from these at sight."""
    count, last = 0, 0.0
    for centre in mixture.centres:
        if centre > _FAR and centre - last > _APART:
            break
        count, last = count + 1, centre
    return count


def _end_of_near_components(mixture: Mixture, near: int) -> tuple[float, bool]:
    """Return a place above which the near components have at most 1e-305, and whether that is not next to nothing."""
    resolved = _resolved_components(mixture, near)
    end = mixture.centres[resolved - 1] + REACH
    if near <= _MANY:
        return end, resolved < near
    # The likelier components end long before the last one does: N(c, 1) has at most e^(-t^2/2) / 2 above c + t.
    centres, logs, errors = (np.array(values[:resolved]) for values in (mixture.centres, mixture.log_weights, mixture.errors))
    exponents = logs + errors - math.log(0.5 * _DROPPED / resolved)
    farthest = float((centres + np.sqrt(2.0 * np.maximum(exponents, 0.0))).max()) + 1e-6
    return max(min(farthest, end), REACH), True


def _resolved_components(mixture: Mixture, near: int) -> int:
    """Return how many components hold all of the near ones' mass but 1e-305."""
    beyond, count = 0.0, near
    while count > 1:
        beyond += math.exp(mixture.log_weights[count - 1] + mixture.errors[count - 1])
        if beyond > 0.25 * _DROPPED:
            break
        count -= 1
    return count


def _loss_at_sight(centre: float) -> float:
    """Return less than any loss of a component that is 1e4 or more away, but for less than 1e-300 of them.

    At 45 sigmas from its centre c the log of the density over that at 0 is c^2/2 - 45c, and its weight is at least
    e^-800 if it matters; the other side has a density of at least e^-2000 of its own there.
    """
    return 0.4 * min(centre, 1e150) ** 2 - 3000.0


def _told_at_sight(mixture: Mixture, first: int) -> InfiniteMass:
    if first == len(mixture.centres):
        return NOWHERE
    logs, errors = np.array(mixture.log_weights[first:]), np.array(mixture.errors[first:])
    error = float(errors.max()) + U * (16.0 + 4.0 * logs.size + 4.0 * abs(float(logs.max())))
    return InfiniteMass(Mass.about(log_sum(logs), error), _loss_at_sight(mixture.centres[first]))


def _merged_centres(intervals: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the union of intervals, given in increasing order."""
    union: list[tuple[float, float]] = []
    for low, high in intervals:
        if union and low <= union[-1][1]:
            union[-1] = union[-1][0], max(high, union[-1][1])
        else:
            union.append((low, high))
    return union
