"""Pairs with a density against 50 digits: masses between edges, where losses lie, and that nothing is missing."""

from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import pair_truth as truth
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.poisson import poisson_pair


class Known(NamedTuple):
    mechanism: tb.Mechanism
    law: truth.Law
    top: float  # losses of interest lie between -top and top


def _known() -> dict[str, Known]:
    cases = {}
    for sigma in (1e3, 2.0, 1.0 / 3.0, 0.06):
        m = 1.0 / sigma
        cases[f"gaussian {sigma:.3g}"] = Known(tb.Gaussian(sigma), truth.gaussian(m), 8.0 * m + 0.5 * m * m)
    for sigma, bound in ((1.0, 4.0), (10.0, 0.6), (0.5, 0.75), (7.0, 90.0)):
        m, cut = 1.0 / sigma, bound / sigma
        cases[f"truncated gaussian {sigma} {bound}"] = Known(
            tb.TruncatedGaussian(sigma, bound), truth.gaussian(m, cut), m * abs(cut - m / 2)
        )
    for scale in (100.0, 1.0, 0.05):
        cases[f"laplace {scale}"] = Known(tb.Laplace(scale), truth.laplace(scale), 1.0 / scale)
    for scale, bound in ((2.0, 5.0), (0.5, 0.8), (0.4997407431679453, 61.535876923914266), (1.0, 1.0)):
        reach = (1.0 if bound > 1.0 else 2.0 * bound - 1.0) / scale
        cases[f"truncated laplace {scale:.3g} {bound:.3g}"] = Known(
            tb.TruncatedLaplace(scale, bound), truth.laplace(scale, bound), reach
        )
    for eta in (0.01, 2.0, 30.0):
        cases[f"bounded range {eta}"] = Known(tb.BoundedRange(eta), truth.bounded_range(eta), eta)
    return cases


KNOWN = _known()
RATES = (1e-6, 0.01, 0.5, 0.999)
CASES = [(name, None) for name in KNOWN] + [(name, q) for name in KNOWN for q in RATES]


def make(name: str, q: float | None, direction: Direction) -> tuple[Pair, truth.Law, float, float]:
    """Return the pair, its law and a range of losses that holds nearly all of it."""
    mechanism, law, top = KNOWN[name]
    pair = mechanism.pair(direction)
    assert pair is not None
    if q is None:
        return pair, law, -top, top
    remove = direction is Direction.REMOVE
    sign = 1.0 if remove else -1.0
    ends = sorted(sign * float(mpmath.log1p(mpf(q) * mpmath.expm1(sign * loss))) for loss in (-top, top))
    return poisson_pair(pair, q, direction), truth.subsampled(law, q, remove=remove), *ends


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("name", "q"), mostly_slow(CASES, every=3))
def test_masses(name: str, q: float | None, direction: Direction):
    """A cell holds what lies between its edges, give or take the loss_shift of the edges and the error of the
    masses.
    """
    pair, law, low, high = make(name, q, direction)
    # strictly inside, so that no point mass sits on an edge
    edges = np.linspace(low + 1e-3 * (high - low), high - 1e-3 * (high - low), 12)
    cells = pair.cells(edges)
    loss_shift = mpf(max(pair.loss_shift(low), pair.loss_shift(high)))
    with mpmath.workdps(truth.DIGITS):
        inner = (
            [law.tails(mpf(x) + loss_shift) for x in edges.tolist()],
            [law.tails(mpf(x) - loss_shift) for x in edges.tolist()],
        )
        for i in range(edges.size - 1):
            error = mpf(cells.error[i])
            for side, log_mass in enumerate((cells.log_a[i], cells.log_b[i])):
                least = inner[0][i][side] - inner[1][i + 1][side]
                most = inner[1][i][side] - inner[0][i + 1][side]
                assert least > 0
                assert mpmath.log(least) - error <= mpf(log_mass) <= mpmath.log(most) + error


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("name", "q"), mostly_slow(CASES, every=3))
def test_losses_lie_between_the_edges(name: str, q: float | None, direction: Direction):
    """log a/b of a cell is a mean of its losses."""
    pair, _, low, high = make(name, q, direction)
    edges = np.linspace(low, high, 500)
    cells = pair.cells(edges)
    some = cells.log_a > -np.inf
    ratio = (cells.log_a - cells.log_b)[some]
    error_bound = 2.0 * cells.error[some] + max(pair.loss_shift(low), pair.loss_shift(high)) + 1e-15 * np.abs(ratio)
    assert some.any()
    assert (ratio >= cells.low[some] - error_bound).all()
    assert (ratio <= cells.high[some] + error_bound).all()
    assert error_bound.max() < 1e-10 * (1.0 + max(abs(low), abs(high)))


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("name", "q"), mostly_slow(CASES, every=3))
def test_nothing_is_missing(name: str, q: float | None, direction: Direction):
    """Cells, points and what has infinite loss make up all of A, and of B; so do the coarse cells."""
    pair, _law, low, high = make(name, q, direction)
    wide = 60.0 * (high - low)  # Gaussian losses go on for ever; beyond 45 deviations is `unresolved`
    edges = np.unique(
        np.concatenate([[low - wide, high + wide], np.linspace(low, high, 300), np.linspace(low - 6, high + 6, 400)])
    )
    cells, points, survey = pair.cells(edges), pair.points(), pair.coarse_cells()
    error = 1e-11
    for side, rest in (("log_a", pair.infinity.upper), ("log_b", pair.minus_infinity.upper)):
        whole = np.exp(getattr(cells, side)).sum() + np.exp(getattr(points, side)).sum() + rest
        surveyed = np.exp(getattr(survey, side)).sum() + rest
        assert whole == pytest.approx(1.0, rel=error)
        assert surveyed == pytest.approx(1.0, rel=error)
    assert pair.unresolved < 1e-290
    assert (np.diff(survey.low) >= 0.0).all()


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("name", "q"), mostly_slow(CASES, every=3))
def test_what_has_infinite_loss(name: str, q: float | None, direction: Direction):
    pair, law, _, _ = make(name, q, direction)
    with mpmath.workdps(truth.DIGITS):
        for mass, true in ((pair.infinity, law.infinity), (pair.minus_infinity, law.minus_infinity)):
            assert mpf(mass.infinite.lower) <= true <= mpf(mass.upper)
            assert mpf(mass.upper) - mpf(mass.infinite.lower) <= true * mpf(10) ** -10


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("name", "q"), mostly_slow([case for case in CASES if "laplace" in case[0]], every=3))
def test_point_masses(name: str, q: float | None, direction: Direction):
    """A point holds what the tails lose at its exact loss; `error` bounds its log, `loss_shift` its place."""
    pair, law, _, _ = make(name, q, direction)
    points = pair.points()
    mechanism = KNOWN[name].mechanism
    with mpmath.workdps(truth.DIGITS):
        hair = mpf(10) ** -250
        top = mpf(mechanism.sensitivity) / mpf(mechanism.scale)
        places = [exact_loss(loss, q, direction) for loss in (-top, top)]
        if q is not None and law.infinity + law.minus_infinity < KNOWN[name].law.infinity:
            # what one side alone could produce is now a point at the end of the support
            places.append(mpmath.log(1 - mpf(q)) * (1 if direction is Direction.REMOVE else -1))
        jumps = [
            (place, [x - y for x, y in zip(law.tails(place - hair), law.tails(place + hair), strict=True)]) for place in places
        ]
        expected = sorted((place, *jump) for place, jump in jumps if jump[0] > mpf(10) ** -200)
        assert points.size == len(expected)
        for i, (place, mass_a, mass_b) in enumerate(expected):
            assert abs(mpf(points.low[i]) - place) <= pair.loss_shift(float(place))
            assert abs(mpf(points.log_a[i]) - mpmath.log(mass_a)) <= points.error[i]
            assert abs(mpf(points.log_b[i]) - mpmath.log(mass_b)) <= points.error[i]


def exact_loss(loss: mpf, q: float | None, direction: Direction) -> mpf:
    """Return what a loss becomes under subsampling."""
    sign = 1 if direction is Direction.REMOVE else -1
    return loss if q is None else sign * mpmath.log1p(mpf(q) * mpmath.expm1(sign * loss))


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(
    ("name", "q"), mostly_slow([case for case in CASES if KNOWN[case[0]].mechanism.name != "gaussian"], every=3)
)
def test_no_loss_exceeds_the_largest(name: str, q: float | None, direction: Direction):
    pair, law, _, _high = make(name, q, direction)
    with mpmath.workdps(truth.DIGITS):
        a, _ = law.tails(mpf(pair.max_loss))
        assert a <= law.infinity
        # and it is the supremum, not just a bound
        assert law.tails(mpf(pair.max_loss_lower) * (1 - mpf(10) ** -30))[0] > law.infinity
        assert pair.max_loss - pair.max_loss_lower <= 1e-9 * pair.max_loss + 1e-12


# noise that is cut at its shift or closer has no point masses
SPIKED = [name for name, known in KNOWN.items() if "laplace" in name and getattr(known.mechanism, "bound", np.inf) > 1.0]


@pytest.mark.parametrize("name", SPIKED)
def test_alignment_hits_the_points(name: str):
    pair = KNOWN[name].mechanism.pair(Direction.REMOVE)
    points, alignment = pair.points(), pair.alignment
    assert points.size
    assert alignment is not None
    steps = (points.low - alignment.anchor) / alignment.period
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-12)
