"""What planning, tails and ceilings ask of the coarse cells of every pair, whatever it is made of (M2, M5, M20).

(i) They hold all of A but what is infinite or unresolved, and no more than all of B. (ii) Their lower ends do not
decrease. (iii) Each point mass lies in a cell that counts it, and the mean loss of a cell between its ends.
"""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.pairs.base import Direction, Pair

_CASES = 60


def _power(rng: random.Random, low: float, high: float) -> float:
    return float(10.0 ** rng.uniform(low, high))


def _histograms(rng: random.Random) -> tb.Histograms:
    def weight() -> float:
        return rng.choice([0.0, 1.0, float(rng.randint(1, 5)), _power(rng, -3, 3), _power(rng, -200, 200)])

    size = rng.choice([2, 3, 5])
    rows = [[weight() for _ in range(size)] for _ in range(2)]
    for row in rows:
        row[rng.randrange(size)] = 1.0
    return tb.Histograms(*rows)


BASES: dict[str, Callable[[random.Random], tb.Mechanism]] = {
    "gaussian": lambda r: tb.Gaussian(_power(r, -150, 150)),
    "moderate gaussian": lambda r: tb.Gaussian(_power(r, -3, 3)),
    "laplace": lambda r: tb.Laplace(_power(r, -200, 200)),
    "moderate laplace": lambda r: tb.Laplace(_power(r, -3, 3)),
    "truncated gaussian": lambda r: tb.TruncatedGaussian(_power(r, -3, 3), _power(r, -3, 4)),
    "truncated laplace": lambda r: tb.TruncatedLaplace(_power(r, -3, 3), _power(r, -3, 4)),
    "clamped gaussian": lambda r: tb.ClampedGaussian(r.uniform(-5, 50), _power(r, -3, 2), _power(r, -3, 2)),
    "clamped laplace": lambda r: tb.ClampedLaplace(r.uniform(-5, 50), _power(r, -3, 2), _power(r, -3, 2)),
    "hardly any noise": lambda r: tb.ClampedLaplace(r.choice([0.0, 3.0]), _power(r, -105, -100.1), r.choice([0.5, 1.0])),
    "discrete gaussian": lambda r: tb.DiscreteGaussian(_power(r, -2, 2), r.choice([1, 2, 5])),
    "discrete laplace": lambda r: tb.DiscreteLaplace(_power(r, -3, 3), r.choice([1, 2, 50])),
    "skellam": lambda r: tb.Skellam(_power(r, -5, 3), r.choice([1, 2, 5])),
    "bounded range": lambda r: tb.BoundedRange(_power(r, -5, 3)),
    "promise": lambda r: tb.ApproximateDP(_power(r, -5, 3), _power(r, -300, -1)),
    "mixture": lambda r: tb.MixtureOfGaussians(_power(r, -3, 2), [0.0, _power(r, -1, 6), _power(r, -1, 2)], [0.5, 0.25, 0.25]),
    "histograms": _histograms,
}
WRAPPERS: list[Callable[[tb.Mechanism, float], tb.Mechanism]] = [
    lambda base, q: base,
    lambda base, q: tb.Poisson(base, q),
    lambda base, q: tb.Poisson(tb.Poisson(base, q), 0.25),
]


def _told(pair: Pair) -> str:
    """Return what is wrong with the coarse cells of a pair."""
    cells, points = pair.coarse_cells(), pair.points()
    widest = float(np.abs(np.concatenate([cells.low, cells.high])).max(initial=0.0))
    shift, rest = pair.loss_shift(widest), pair.infinity.upper + pair.unresolved
    if float(np.exp(np.minimum(cells.log_a + cells.error, 0.0)).sum()) + rest < 1.0 - 1e-12:
        return "some of A is missing"
    if float(np.exp(cells.log_a - cells.error).sum()) + pair.infinity.at(0.0).lower > 1.0 + 1e-11:
        return "more than all of A"
    if float(np.exp(cells.log_b - cells.error).sum()) > 1.0 + 1e-11:
        return "more than all of B"
    if (np.diff(cells.low) < 0.0).any() or (cells.high < cells.low).any():
        return "out of order"
    with np.errstate(invalid="ignore"):
        loss = cells.log_a - cells.log_b
    doubt = shift + 2.0 * cells.error + 1e-12 * np.abs(loss) + 1e-13
    if (((loss < cells.low - doubt) | (loss > cells.high + doubt)) & np.isfinite(loss) & (cells.error < 50.0)).any():
        return "a mean loss outside its cell"
    if points.size:
        first = np.searchsorted(cells.low, points.low, side="right") - 1
        inside = [cells.low[i] <= x <= cells.high[max(i - 1, 0) : i + 1].max() for i, x in zip(first, points.low, strict=True)]
        if not all(inside):
            return "a point in no cell"
    if pair.max_loss < math.inf and cells.size and float(cells.high.max()) > pair.max_loss + shift:
        return "a loss above the largest"
    return ""


@pytest.mark.parametrize("name", BASES)
def test_coarse_cells_keep_their_promise(name: str):
    rng = random.Random(name)
    looked = 0
    for _ in range(_CASES):
        q = rng.choice([0.5, 0.1, 1e-3, 1e-10, 1e-300, 1.0 - 2.0**-53, rng.uniform(1e-3, 0.999)])
        mechanism = rng.choice(WRAPPERS)(BASES[name](rng), q)
        for direction in Direction:
            try:
                pair = mechanism.pair(direction)
            except tb.InvalidParameter:
                continue
            if pair is not None:
                looked += 1
                assert not _told(pair), mechanism
    assert looked > _CASES // 2
