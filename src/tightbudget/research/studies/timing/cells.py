"""Measured delays: two samples counted over the same cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.cached import cached_property
from tightbudget.deprecated import deprecated
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composition, Histograms
from tightbudget.mechanisms.checks import positive, probability, real, whole_count
from tightbudget.numerics.rounding import AMPLE, lowered_by
from tightbudget.pairs.base import Array
from tightbudget.research.studies.timing.confident import Confident
from tightbudget.research.studies.timing.counts import MOST_CELLS, checked_counts


@dataclass(frozen=True)
class Measured:
    """Counts of two samples. Cell i holds values from edges[i-1] (included) to edges[i]; the outer two are unbounded.

    `edges` is empty if the counts were given as such. Confident bounds need cells that were chosen without looking at
    the samples that are counted here.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    edges: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        a, b = checked_counts(self.a, self.b)
        edges = tuple(_delay_cell_edges(self.edges).tolist()) if np.size(self.edges) else ()
        if edges and len(edges) != len(a) - 1:
            raise InvalidParameter("edges", f"{len(edges)} numbers", f"{len(a) - 1} numbers, one between two cells, or none")
        for name, value in (("a", a), ("b", b), ("edges", edges)):
            object.__setattr__(self, name, value)

    @cached_property
    def model(self) -> Histograms:
        """The histograms taken for the truth. A cell that only one sample has hit then reveals everything."""
        return Histograms(tuple(map(float, self.a)), tuple(map(float, self.b)))

    def plug_in(self, rounds: int) -> Composition:
        """Return `rounds` observations of the histograms, composed: exact for this model, a guess at the truth."""
        return self.model * whole_count(rounds, "rounds")

    def confidence_bounds(self, rounds: int, confidence: float = 0.99) -> Confident:
        """Return bounds that hold with the confidence, if samples are independent and cells fixed beforehand (M13)."""
        return Confident(self.a, self.b, whole_count(rounds, "rounds"), confidence)

    def confident(self, rounds: int, confidence: float = 0.99) -> Confident:
        """Return `confidence_bounds`, by its former name."""
        deprecated("confident()", "confidence_bounds()")
        return self.confidence_bounds(rounds, confidence)

    @property
    def revealing(self) -> tuple[float, float]:
        """Shares of either sample in cells that the other never hit: infinite losses of the plug-in model."""
        a, b = np.array(self.a), np.array(self.b)
        return float(a[b == 0].sum() / a.sum()), float(b[a == 0].sum() / b.sum())


def regular_edges(low: float, high: float, width: float) -> tuple[float, ...]:
    """Return edges from `low` to at least `high`, `width` apart. Choose them before looking at the samples."""
    low, high = (real(name, value, "a finite number") for name, value in (("low", low), ("high", high)))
    width = positive("width", width)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InvalidParameter("high", high, f"a finite number above low, which is {low!r}")
    steps = np.ceil(lowered_by((high - low) / width, AMPLE))
    if not steps + 2 <= MOST_CELLS:
        raise InvalidParameter("width", width, f"such that there are at most {MOST_CELLS} cells")
    return tuple((low + width * np.arange(steps + 1)).tolist())


def measure(
    a: ArrayLike,
    b: ArrayLike,
    edges: Sequence[float] | None = None,
    *,
    cells: int = 16,
    pilot: float = 0.1,
    seed: int = 0,
) -> Measured:
    """Count two samples over cells.

    Give `edges` if they were chosen without looking at these samples. Otherwise a share `pilot` of each sample, drawn
    with `seed`, is set aside and used only to choose `cells` cells that are about evenly filled.

    Cells are what the observer can tell apart. The lower bound holds for finer observers too, the upper bound does not.
    """
    first, second = _delay_sample("a", a), _delay_sample("b", b)
    if edges is not None:
        return _counted_in_cells(first, second, _delay_cell_edges(edges))
    cells, share = whole_count(cells, "cells"), probability("pilot", pilot)
    if not 2 <= cells <= MOST_CELLS:
        raise InvalidParameter("cells", cells, f"a whole number from 2 to {MOST_CELLS}")
    generator = np.random.default_rng(whole_count(seed, "seed"))
    pilots, rests = zip(
        *(_split_delays(name, sample, share, generator) for name, sample in (("a", first), ("b", second))), strict=True
    )
    return _counted_in_cells(rests[0], rests[1], _even_edges(pilots, cells))


def from_counts(a: Iterable[float], b: Iterable[float]) -> Measured:
    """Return counts made elsewhere, over the same cells in both lists, fixed before looking at the samples."""
    return Measured(*checked_counts(a, b))


def _split_delays(name: str, sample: Array, share: float, generator: np.random.Generator) -> tuple[Array, Array]:
    size = round(share * sample.size)
    if not 0 < size < sample.size:
        some = f"{sample.size} value{'s' if sample.size > 1 else ''}"
        needed = "at least 6 values" if share == 0.1 else f"more values, or pilot another share than {share!r}"
        raise InvalidParameter(
            f"sample {name}",
            some,
            f"{needed}, so that some can be set aside to choose the cells",
            "Or fix the cells beforehand, by edges (--low, --high and --width).",
        )
    mixed = generator.permutation(sample)
    return mixed[:size], mixed[size:]


def _even_edges(pilots: Sequence[Array], cells: int) -> Array:
    # Both pilots weigh the same, whatever their sizes: quantiles of each, merged. Edges are values that occur, so that
    # a value which occurs often has a cell of its own; below the smallest there is nothing to tell apart.
    levels = np.linspace(0.0, 1.0, 4 * cells + 1)
    pooled = np.concatenate([np.quantile(pilot, levels, method="inverted_cdf") for pilot in pilots])
    edges = np.unique(np.quantile(pooled, np.linspace(0.0, 1.0, cells + 1)[1:-1], method="inverted_cdf"))
    inner: Array = edges[edges > pooled.min()]
    return inner


def _counted_in_cells(a: Array, b: Array, edges: Array) -> Measured:
    counts = [np.bincount(np.searchsorted(edges, sample, side="right"), minlength=edges.size + 1) for sample in (a, b)]
    return Measured(tuple(counts[0].tolist()), tuple(counts[1].tolist()), tuple(edges.tolist()))


def _delay_sample(name: str, values: ArrayLike) -> Array:
    try:
        if isinstance(values, np.ma.MaskedArray):  # what is masked would count
            raise TypeError
        sample = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(name, "something else", "a list of numbers") from None
    if sample.ndim != 1 or sample.size == 0:
        raise InvalidParameter(name, f"of shape {sample.shape}", "a list with at least one number")
    if not np.isfinite(sample).all():
        raise InvalidParameter(f"{name}[{int(np.argmin(np.isfinite(sample)))}]", "not finite", "a finite number")
    return sample


def _delay_cell_edges(values: Sequence[float]) -> Array:
    edges = _delay_sample("edges", values)
    if edges.size >= MOST_CELLS:
        raise InvalidParameter("edges", f"{edges.size} numbers", f"at most {MOST_CELLS - 1} numbers")
    if not (np.diff(edges) > 0.0).all():
        raise InvalidParameter("edges", "not increasing", "an increasing list of numbers")
    return edges
