"""Points are added where a picture would show that they are missing, and what is drawn stays certified."""

import numpy as np
import pytest
from scipy.stats import norm

import tightbudget as tb
from tightbudget.interfaces import band
from tightbudget.interfaces.comparison_view import MOST_DIFFERENT, view_around
from tightbudget.interfaces.refined import VISIBLE, points_between, refined_curve


def drawn(curve: tb.Curve) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points = band.increasing_places(curve.epsilons)
    epsilons, lower, upper = (np.ravel(values)[points] for values in (curve.epsilons, curve.lower, curve.upper))
    places = band.places_between(epsilons)
    return places, band.lower_line(places, epsilons, lower, upper), band.upper_line(places, epsilons, upper)


def widest(curve: tb.Curve) -> float:
    """How wide the band is drawn at worst, as a part of the picture's height."""
    _, lower, upper = drawn(curve)
    return float(np.log(upper / lower).max() / np.log(9.0 * upper.max() / upper.min()))


@pytest.mark.parametrize("sigma", [0.05, 0.3, 1.0, 20.0])
def test_few_points_become_a_thin_band(sigma: float) -> None:
    end = tb.Gaussian(sigma).epsilon(1e-10).upper
    coarse = tb.Gaussian(sigma).curve(np.linspace(0.0, end, 9))
    assert widest(coarse) > 20 * VISIBLE
    fine = refined_curve(coarse)
    assert widest(fine) < 3 * VISIBLE
    assert fine.epsilons.size <= 9 + 240
    assert set(coarse.epsilons) <= set(fine.epsilons)


def test_the_band_of_added_points_holds_the_truth() -> None:
    sigma = 0.3
    places, lower, upper = drawn(refined_curve(tb.Gaussian(sigma).curve([0.0, 4.0, 12.0])))
    at = 0.5 * (places[:-1] + places[1:])
    truth = norm.cdf(0.5 / sigma - at * sigma) - np.exp(at) * norm.cdf(-0.5 / sigma - at * sigma)
    slack = 1e-9  # of the truth, which is in floats
    assert (np.interp(at, places, np.log(lower)) <= np.log(truth * (1 + slack))).all()
    assert (np.interp(at, places, np.log(upper)) >= np.log(truth * (1 - slack))).all()


def test_a_curve_that_ends_is_followed_to_its_end() -> None:
    fine = refined_curve(tb.Laplace(scale=1).curve([0.0, 0.5, 1.0]))
    inside = fine.epsilons[fine.epsilons < 1.0]
    assert 0.98 < inside.max() < 1.0
    assert fine.epsilons.size < 100


@pytest.mark.parametrize("epsilons", [[1.0], [np.inf], [0.0, np.inf], [0.5, 0.5], []])
def test_what_has_no_inside_stays_as_it_is(epsilons: list[float]) -> None:
    curve = tb.Gaussian(sigma=1).curve(epsilons)
    assert refined_curve(curve) == curve


def test_where_no_more_is_known_nothing_is_asked() -> None:
    assert refined_curve(tb.Composition().curve([0.0, 1.0])).epsilons.size == 2
    curve = tb.Gaussian(sigma=1).curve([0.0, 1.0])
    unknown = tb.Curve(curve.epsilons, curve.lower, curve.upper, True, curve.relation)
    assert refined_curve(unknown) is unknown


def test_points_are_few_however_much_is_seen() -> None:
    epsilons = np.linspace(0.0, 1.0, 11)
    assert points_between(epsilons, np.full(10, 50.0), 30).size <= 30
    assert points_between(epsilons, np.zeros(10), 30).size == 0
    assert points_between(np.array([0.0, 1e-9, 1.0]), np.array([1.0, 0.0]), 30).size == 0  # nothing to be seen


def test_points_are_asked_as_precisely_as_the_picture_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    curve = tb.Gaussian(sigma=1).curve([0.0, 4.0])
    whole = tb.Gaussian.curve
    monkeypatch.setattr(tb.Gaussian, "curve", lambda self, *a, **k: asked.append((a[1], k)) or whole(self, *a, **k))
    refined_curve(curve, 1e-5, 3.0)
    assert asked
    assert all(one == (1e-5, {"effort": 3.0}) for one in asked)


@pytest.mark.slow
def test_lines_of_a_comparison_do_not_bulge_between_points() -> None:
    view = view_around(tb.compare(tb.Gaussian(sigma=0.3), delta=1e-5))
    ours = np.asarray(view.curves.band.upper)
    naive = next(np.array(line.deltas) for line in view.curves.lines if line.name == "naive")
    assert np.log(naive / ours).max() < 0.01  # one step keeps just what it promises
    epsilons = np.asarray(view.curves.band.epsilons)
    places = band.places_between(epsilons)
    for line in view.curves.lines:
        deltas = np.minimum.accumulate(line.deltas)
        straight = np.interp(places, epsilons, np.log(deltas))
        bulge = np.log(band.upper_line(places, epsilons, deltas)) - straight
        assert bulge.max() / np.log(2.0 / view.floor) < 2 * VISIBLE, line.name


@pytest.mark.slow
def test_the_optimum_of_dozens_of_steps_is_not_drawn_and_this_is_said() -> None:
    many = tb.compose([tb.Gaussian(20.0 + i) for i in range(MOST_DIFFERENT + 1)])
    view = view_around(tb.compare(many, delta=1e-5))
    assert "Murtagh-Vadhan, optimal" not in [line.name for line in view.curves.lines]
    assert "Not drawn: Murtagh-Vadhan, optimal, which takes long for 17 different steps; the table has it." in view.left_out
    few = view_around(tb.compare(tb.Gaussian(20.0) + tb.Gaussian(21.0), delta=1e-5))
    assert "Murtagh-Vadhan, optimal" in [line.name for line in few.curves.lines]
    assert "Not drawn" not in few.left_out
