"""The worst that promises on Rényi divergences allow: two Rayleigh laws, and power laws joined by chords (M36)."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.engine_answers import delta_of
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.pairs.base import Pair
from tightbudget.pairs.power_laws import renyi_pair
from tightbudget.pairs.rayleigh import zcdp_pair


def best_order(rho: mpf, epsilon: mpf) -> mpf:
    """Where (2a - 1) rho + log(1 - 1/a) is epsilon, less 1."""
    low, high = mpf(10) ** -60, mpf(10) ** 15
    for _ in range(400):
        middle = mpmath.sqrt(low * high)
        low, high = (low, middle) if (2 * middle + 1) * rho - mpmath.log1p(1 / middle) > epsilon else (middle, high)
    return low


def zcdp_hull(rho: float, epsilon: float) -> mpf:
    """The lower hull of the best bound of all orders and of its mirror image, from tangents found in 60 digits."""
    with mpmath.workdps(60):
        exact, g = mpf(rho), mpmath.exp(mpf(epsilon))
        low, high = best_order(exact, mpf(0)), mpmath.sqrt(800 / exact)
        if mpmath.exp(-exact * low**2) + mpmath.exp(-exact * (1 + low) ** 2) > 1:
            for _ in range(400):  # where a chord from the mirror image touches: beyond it is half of all
                middle = (low + high) / 2
                over = mpmath.exp(-exact * middle**2) + mpmath.exp(-exact * (1 + middle) ** 2) > 1
                low, high = (middle, high) if over else (low, middle)
        place = max(low, best_order(exact, mpf(epsilon)))
        return mpmath.exp(-exact * place**2) - g * mpmath.exp(-exact * (1 + place) ** 2)


def renyi_hull(orders: list[float], bounds: list[float], epsilon: float) -> mpf:
    """The best chord through dots of the least bound, its mirror image and the bound on the total variation."""

    def bound(g: mpf) -> mpf:
        return min(
            (1 - 1 / mpf(a)) ** (mpf(a) - 1) / mpf(a) * mpmath.exp((mpf(a) - 1) * mpf(d)) * g ** (1 - mpf(a))
            for a, d in zip(orders, bounds, strict=True)
        )

    at = mpmath.exp(mpf(epsilon))
    places = [mpmath.exp(mpf(x) / 40) for x in range(160)] + [at]
    dots = [(g, min(mpf(1), bound(g))) for g in places]
    dots += [(1 / g, 1 - 1 / g + h / g) for g, h in dots]
    dots += [(mpf(0), mpf(1)), (mpf(1), mpmath.sqrt(-mpmath.expm1(-mpf(min(bounds)))))]
    left, right = ([dot for dot in dots if dot[0] <= at], [dot for dot in dots if dot[0] > at])
    chords = [y0 + (y1 - y0) * (at - x0) / (x1 - x0) for x0, y0 in left for x1, y1 in right]
    return min([*chords, *(y for x, y in dots if x == at)])


RHOS = [1e-14, 1e-8, 1e-3, 0.05, 0.5, 1.0, 4.0, 30.0]


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("far", [0.0, 0.2, 0.46, 0.7, 2.0, 9.0])
def test_zcdp_is_the_hull_of_the_best_orders(rho: float, far: float) -> None:
    epsilon = far * math.sqrt(rho) + (rho if far > 1.0 else 0.0)
    true = zcdp_hull(rho, epsilon)
    found = delta_of(zcdp_pair(rho), 1, epsilon, 1e-9)
    assert true <= found.upper <= true * (1 + mpf(1e-8) + mpf(1e-12) / mpmath.sqrt(rho))
    assert found.lower <= true * (1 + mpf(10) ** -11)  # it starts a little after the tangent


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.5, 6.0])
def test_zcdp_composed_with_randomised_response_is_a_mean_of_two(rho: float, epsilon: float) -> None:
    with mpmath.workdps(40):
        loss = mpf("0.7")
        truth = 1 / (1 + mpmath.exp(-loss))
        true = mpf(0)
        for share, shift in ((truth, -loss), (1 - truth, loss)):
            at = mpf(epsilon) + shift
            below = at < 0  # H_g = 1 - g + g H_{1/g}, and both orders are the same
            h = zcdp_hull(rho, float(abs(at)))
            true += share * (1 - mpmath.exp(at) + mpmath.exp(at) * h if below else h)
    answer = (tb.ZCDP(rho) + tb.RandomizedResponse(p=float(truth))).delta(epsilon, rtol=1e-7, effort=4)
    assert true * (1 - mpf(1e-14)) <= answer.upper <= true * (1 + mpf(1e-6)) + mpf(10) ** -299


PROMISES = {
    "many orders": ([2.0, 4.0, 8.0, 16.0, 32.0], [0.002, 0.004, 0.008, 0.016, 0.032]),
    "two": ([4.0, 16.0], [0.1, 0.5]),
    "one": ([3.0], [0.3]),
    "variation": ([2.0], [1e-4]),
    "useless orders": ([2.0, 3.0, 4.0, 5.0], [0.5, 0.1, 0.6, 0.6]),
    "close": ([2.0, 2.0 + 1e-9, 5.0], [0.2, 0.2, 0.3]),
    "large": ([1.5, 3.0, 8.0], [1.0, 3.0, 9.0]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.1, 0.5, 1.0, 3.0])
def test_orders_give_the_hull_of_their_bounds(name: str, epsilon: float) -> None:
    orders, bounds = PROMISES[name]
    pair = renyi_pair(tuple(orders), tuple(bounds))
    with mpmath.workdps(40):
        chords = renyi_hull(orders, bounds, epsilon)
        found = delta_of(pair, 1, epsilon, 1e-9)
        assert chords * (1 - mpf(1e-2)) <= found.upper <= chords * (1 + mpf(1e-10))  # of finitely many dots: above


@pytest.mark.parametrize("name", ["many orders", "two"])
def test_no_bound_is_below_where_an_order_is_the_best_or_on_a_chord(name: str) -> None:
    orders, bounds = PROMISES[name]
    pair = renyi_pair(tuple(orders), tuple(bounds))
    with mpmath.workdps(50):
        theta = [mpf(a) - 1 for a in orders]
        first = [mpf(d) - mpmath.log1p(1 / t) for d, t in zip(bounds, theta, strict=True)]
        ends = []
        for i in range(len(theta) - 1):
            gap = mpmath.log1p(1 / theta[i]) - mpmath.log1p(1 / theta[i + 1])
            end = (theta[i + 1] * (first[i + 1] - gap) - theta[i] * first[i]) / (theta[i + 1] - theta[i])
            ends.append((end, end + gap))
        for i, (end, begin) in enumerate(ends):
            for share in (mpf(0), mpf("0.3"), mpf(1), mpf("1.2")):
                at = float(end + share * (begin - end))
                if at <= pair.law.start[1]:
                    continue
                tail = mpmath.exp(-theta[i] * (end - first[i]))  # of A, level on the chord
                beyond = theta[i] / (1 + theta[i]) * mpmath.exp(-end) * tail
                if at > begin:
                    tail = mpmath.exp(-theta[i + 1] * (mpf(at) - first[i + 1]))
                    beyond = theta[i + 1] / (1 + theta[i + 1]) * mpmath.exp(-mpf(at)) * tail
                true = tail - mpmath.exp(mpf(at)) * beyond
                found = delta_of(pair, 1, at, 1e-9)
                assert found.lower <= true <= found.upper <= true * (1 + mpf(1e-8))


def pairs() -> list[Pair]:
    return [*map(zcdp_pair, (1e-6, 0.3, 20.0, 5000.0)), *(renyi_pair(tuple(o), tuple(b)) for o, b in PROMISES.values())]


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: str(pair.law)[:40])
def test_masses_add_up_and_both_orders_are_the_same(pair: Pair) -> None:
    cells = pair.coarse_cells()
    for logs in (cells.log_a, cells.log_b):
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(cells.low) >= 0.0).all()
    assert float(cells.error.max()) < 1e-3
    scale = max(pair.law.start[1], 1e-3)
    edges = np.sort(np.concatenate([scale * np.random.default_rng(1).normal(0, 3, 200), [-np.inf, 0.0, np.inf]]))
    fine = pair.cells(edges)
    for one in (fine.log_a, fine.log_b):
        assert math.fsum(np.exp(one)) + math.fsum(np.exp(pair.points().log_a)) == pytest.approx(1.0, abs=1e-9)
    mirrored = pair.cells(-edges[::-1])
    assert np.exp(mirrored.log_a[::-1]) == pytest.approx(np.exp(fine.log_b), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("rho", RHOS)
def test_places_are_found_to_the_shift(rho: float) -> None:
    law = zcdp_pair(rho).law
    losses = law.start[1] + np.append(np.geomspace(1e-9, 60.0, 300), 1e6) * math.sqrt(rho)
    places = law.places(losses)
    with mpmath.workdps(60):
        for loss, place in zip(losses.tolist(), places.tolist(), strict=True):
            exact = mpf(rho) * (1 + 2 * mpf(place)) - mpmath.log1p(1 / mpf(place))
            assert abs(exact - mpf(loss)) <= law.loss_shift(loss)


@pytest.mark.parametrize("rho", mostly_slow([1e-4, 0.5, 9.0], every=3, first=1))
def test_moments_hold_what_lies_beyond_the_last_place(rho: float) -> None:
    pair = zcdp_pair(rho)
    with mpmath.workdps(40):
        t, last = mpf(3), mpf(float(pair.law.coarse_places[-1]))
        ends = [last + k / (20 * mpmath.sqrt(mpf(rho))) for k in range(120)]
        beyond = mpmath.quad(lambda x: 2 * rho * x * mpmath.exp(-rho * x**2 + t * rho * (1 + 2 * x)), ends)
        assert float(mpmath.log(beyond)) <= pair.tail.log_moment(np.array([4.0]))[0] <= float(mpmath.log(beyond)) + 1e-3
    moment = pair.log_moment(np.array([2.0, 4.0]))
    assert (moment >= rho * np.array([2.0, 12.0]) * 0.5).all()
    assert (moment < rho * np.array([2.0, 12.0]) * 3.0 + 1.0).all()
    power = renyi_pair((3.0,), (0.3,))
    assert power.tail.log_moment(np.array([2.0, 4.0]))[1] == math.inf
    assert math.isfinite(power.log_moment(np.array([2.0]))[0])
