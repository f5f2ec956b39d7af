"""Two measured or modelled distributions over the same cells."""

import contextlib
import csv
import math
import warnings
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.csv_header import is_heading
from tightbudget.mechanisms.file_access import check_file_may_be_read
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import REPLACE_ONE, Relations, stated_relation
from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.numerics.typed import NoFloat, typed_float
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.points import PointPair, point_pair
from tightbudget.pairs.revealing import revealing_pair

_EXACT_CELLS = 1000  # of which sums of fractions are quick
_ROUNDED_OFF = 1e-6  # how far from 1 the sum of rounded probabilities may be
_RESCALED = "{name} has a sum of {total:.6g}, not 1, and was divided by it. Is a cell missing?"


_ACCEPTED: ContextVar[bool] = ContextVar("histograms_accepted", default=False)


@contextlib.contextmanager
def accepted_before() -> Iterator[None]:
    """Make histograms anew that were made before, without repeating what was said of them then."""
    token = _ACCEPTED.set(True)
    try:
        yield
    finally:
        _ACCEPTED.reset(token)


@dataclass(frozen=True)
class Histograms(Mechanism):
    """Two distributions over the same cells, as counts or probabilities.

    a        with the record: a list of numbers from 0, divided by its sum
             (with a warning if they are probabilities that do not sum to 1)
    b        without it: a list of the same length
    source   the file they were read from, if any (`from_csv`)
    without  with neither of two records, for samples: then a is with the
             one record and b with the other in its place; usually left out

    Neighbours: add_remove; with three distributions, replace_one. Cells
    where only one list has weight give everything away. Counts from samples
    are a model of what was sampled, not the thing itself: the answer is exact
    for the histograms.

    >>> from tightbudget import Histograms
    >>> print((Histograms([6, 3, 1], [5, 3, 2]) * 10).epsilon(delta=1e-3))
    [3.6510..., 3.6514...]
    """

    name: ClassVar[str] = "histograms"

    a: tuple[float, ...]
    b: tuple[float, ...]
    source: str | None = field(default=None, compare=False, repr=False)
    without: tuple[float, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", _histogram_weights("a", self.a))
        object.__setattr__(self, "b", _histogram_weights("b", self.b))
        if len(self.a) != len(self.b):
            raise InvalidParameter(
                "b", f"{len(self.b)} cells", f"as long as a, which has {len(self.a)} cells", "Give empty cells as 0."
            )
        if self.without is not None:
            object.__setattr__(self, "without", _histogram_weights("without", self.without))
            if len(self.without) != len(self.a):
                found, wanted = f"{len(self.without)} cells", f"as long as a, which has {len(self.a)} cells"
                raise InvalidParameter("without", found, wanted, "Give empty cells as 0.")
        for name in () if _ACCEPTED.get() else ("a", "b", "without"):
            if (total := _sum_that_should_be_one(vars(self)[name] or ())) is not None:
                warnings.warn(_RESCALED.format(name=name, total=total), stacklevel=3)

    @cached_property
    def relations(self) -> Relations:
        return stated_relation(self.neighbours if self.without is None else REPLACE_ONE)

    @classmethod
    def from_csv(cls, path: str | Path) -> "Histograms":
        """Read two columns of numbers, one row a cell; a first row of two words is taken as a heading."""
        check_file_may_be_read(path)
        a, b = [], []
        try:
            with open(path, newline="", encoding="utf-8") as file:
                rows = [(number, row) for number, row in enumerate(csv.reader(file), start=1) if row]
        except (OSError, UnicodeDecodeError, TypeError, ValueError) as problem:
            raise InvalidParameter("histograms", str(path), "a readable CSV file", f"Reading it failed: {problem}.") from None
        for place, (number, row) in enumerate(rows):
            try:
                first, second = (typed_float(text) for text in row)
            except NoFloat as problem:  # a weight of 0 and one of 1e-400 are worlds apart
                raise InvalidParameter(
                    f"line {number} of {path}", ",".join(row)[:60], "two numbers that floats hold", f"One is {problem}."
                ) from None
            except ValueError:
                if place == 0 and len(row) == 2 and is_heading(row):
                    continue
                shown = ",".join(row)[:60]
                raise InvalidParameter(f"line {number} of {path}", shown, "two numbers with a comma between them") from None
            a.append(first)
            b.append(second)
        try:
            return cls(tuple(a), tuple(b), source=str(path))
        except InvalidParameter as problem:
            raise InvalidParameter(f"column {problem.name} of {path}", problem.value, problem.allowed) from None

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        return None if self.a == self.b else self._pairs[direction]

    @cached_property
    def _pairs(self) -> dict[Direction, Pair | None]:
        first, second = _normalised_histogram(self.a), _normalised_histogram(self.b)
        return {
            Direction.REMOVE: _histogram_pair(first, second, (self.a, self.b)),
            Direction.ADD: _histogram_pair(second, first, (self.b, self.a)),
        }

    @property
    def replaced_in_samples(self) -> bool:
        return self.without is not None

    def sampled_replacement_of(self, direction: Direction, q: float) -> Pair | None:
        if self.without is None or self.a == self.b:
            return None
        first, second = (self.a, self.b) if direction is Direction.REMOVE else (self.b, self.a)
        return _sampled_pair(first, second, self.without, q)

    def in_numbers(self) -> "Histograms":
        with accepted_before():
            return Histograms(self.a, self.b, without=self.without)

    def __str__(self) -> str:
        if self.source is not None:
            escaped = self.source.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
            return f'histograms("{escaped}")'
        third = "" if self.without is None else f", without={list(self.without)!r}"
        return f"histograms({list(self.a)!r}, {list(self.b)!r}{third})"


def _sampled_pair(first: tuple[float, ...], second: tuple[float, ...], without: tuple[float, ...], q: float) -> PointPair:
    """Return ((1-q) R + q P1, (1-q) R + q P2) of the three distributions, in fractions (M28)."""
    if len(without) > _EXACT_CELLS:
        raise InvalidParameter("without", f"{len(without)} cells", f"at most {_EXACT_CELLS} cells", "Join some of them.")
    rate = Fraction(q)
    rest, one, other = (_histogram_shares(weights) for weights in (without, first, second))
    a, b = ([(1 - rate) * r + rate * x for r, x in zip(rest, law, strict=True)] for law in (one, other))
    both = [(x, y) for x, y in zip(a, b, strict=True) if x and y]
    log_a, log_b = (np.array([log_fraction(cell[side]) for cell in both]) for side in (0, 1))
    losses = np.array([log_fraction(x / y) for x, y in both])
    return point_pair(
        ("sampled histograms", first, second, without, q),
        losses,
        log_a,
        log_b,
        error=16.0 * U * (1.0 + np.maximum(np.abs(log_a), np.abs(log_b))),
        infinity=InfiniteMass(Mass.exactly(sum((x for x, y in zip(a, b, strict=True) if not y), Fraction(0)))),
        minus_infinity=InfiniteMass(Mass.exactly(sum((y for x, y in zip(a, b, strict=True) if not x), Fraction(0)))),
        loss_error=16.0 * U * float(np.abs(losses).max(initial=0.0)),
    )


def _histogram_shares(weights: tuple[float, ...]) -> list[Fraction]:
    total = sum(map(Fraction, weights), Fraction(0))
    return [Fraction(weight) / total for weight in weights]


def _sum_that_should_be_one(weights: tuple[float, ...]) -> float | None:
    """Return the sum of what look like probabilities, if it is not 1; None for counts, and for anything above 1."""
    if all(weight <= 1.0 for weight in weights) and any(weight % 1.0 for weight in weights):
        total = math.fsum(weights)
        return total if abs(total - 1.0) > _ROUNDED_OFF else None
    return None


def _histogram_weights(name: str, values: object) -> tuple[float, ...]:
    try:
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError
        weights = tuple(_histogram_weight(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(name, values, "a list of numbers") from None
    for place, weight in enumerate(weights):
        if not 0.0 <= weight < math.inf:
            raise InvalidParameter(f"{name}[{place}]", weight, "a finite number, 0 or more")
    if max(weights, default=0.0) == 0.0:
        raise InvalidParameter(name, "an empty histogram", "a list with at least one positive number")
    if sum(weights) == math.inf:
        raise InvalidParameter(name, "a histogram", "a list whose sum is finite")
    return weights


def _histogram_weight(value: Any) -> float:
    """Return a weight as a float; one that no float is near is none: as 0 it would make a finite loss infinite."""
    if isinstance(value, str):
        return typed_float(value)
    weight = float(value)
    if weight == 0.0 and value != 0:
        raise ValueError
    return weight


def _normalised_histogram(weights: tuple[float, ...]) -> Array:
    with np.errstate(divide="ignore"):
        logs: Array = np.log(np.array(weights)) - math.log(math.fsum(weights))
    return logs


def _log_size(weights: tuple[float, ...]) -> float:
    return abs(math.log(math.fsum(weights)))


def _share_of_cells(weights: tuple[float, ...], some: NDArray[np.bool_]) -> InfiniteMass:
    """Return the share of the weights in some of the cells."""
    chosen = [weight for weight, one in zip(weights, some.tolist(), strict=True) if one]
    if len(weights) <= _EXACT_CELLS:
        return InfiniteMass(Mass.exactly(sum(map(Fraction, chosen), start=Fraction(0)) / sum(map(Fraction, weights))))
    if not chosen:
        return NOWHERE
    log = math.log(math.fsum(chosen)) - math.log(math.fsum(weights))  # each sum is rounded once
    return InfiniteMass(Mass.about(log, 8.0 * U * (2.0 + abs(math.log(math.fsum(chosen))) + _log_size(weights))))


def _exact_losses(key: tuple[tuple[float, ...], tuple[float, ...]]) -> Array:
    """Return the losses of cells with both weights, from exact quotients: each is good to 12 roundings of its size."""
    first, second = ([Fraction(weight) for weight in weights] for weights in key)
    whole = sum(second, Fraction(0)) / sum(first, Fraction(0))
    return np.array([log_fraction(x / y * whole) for x, y in zip(first, second, strict=True) if x and y])


def _histogram_pair(log_a: Array, log_b: Array, key: tuple[tuple[float, ...], tuple[float, ...]]) -> Pair | None:
    only_a, only_b = np.isneginf(log_b) & ~np.isneginf(log_a), np.isneginf(log_a) & ~np.isneginf(log_b)
    infinity, minus_infinity = _share_of_cells(key[0], only_a), _share_of_cells(key[1], only_b)
    both = np.isfinite(log_a) & np.isfinite(log_b)
    if not both.any():
        return revealing_pair()
    losses = log_a[both] - log_b[both]
    # each log is that of a weight less that of a sum; both may be large though their difference is not
    size = float(np.abs(log_a[both]).max() + np.abs(log_b[both]).max()) + 2.0 * sum(_log_size(weights) for weights in key)
    error = 8.0 * U * (2.0 + size)
    loss_error = 2.0 * error
    if float(np.abs(losses).max()) <= loss_error:  # equal but for rounding, or all but equal
        losses = _exact_losses(key)
        loss_error = 16.0 * U * float(np.abs(losses).max())
        if not losses.any() and not infinity.possible and not minus_infinity.possible:
            return None
    return point_pair(
        ("histograms", *key),
        losses,
        log_a[both],
        log_b[both],
        error=error,
        infinity=infinity,
        minus_infinity=minus_infinity,
        loss_error=loss_error,
    )
