"""A composition asked about under a relation, in one direction, and at negative epsilon (decision 0027)."""

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest

import tightbudget as tb

NOISE = [
    tb.Gaussian(sigma=2),
    tb.Laplace(scale=3),
    tb.TruncatedGaussian(sigma=2, bound=20),
    tb.TruncatedLaplace(scale=2, bound=30),
    tb.DiscreteGaussian(sigma=3),
    tb.DiscreteLaplace(scale=3),
    tb.Skellam(mu=9),
]
SAMPLED = tb.Poisson(tb.Gaussian(sigma=1), q=0.1)
RESPONSE = tb.RandomizedResponse(p=0.6)


def normal_delta(shift: float, epsilon: float) -> mpmath.mpf:
    """Return H_{e^epsilon}(N(shift, 1) || N(0, 1)), at any epsilon."""
    with mpmath.workdps(40):
        m, e = mpmath.mpf(shift), mpmath.mpf(epsilon)
        return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


def sampled_delta(sigma: float, q: float, epsilon: float, remove: bool) -> mpmath.mpf:
    """Return the same of (1-q) N(0) + q N(1) against N(0), or of the other order, by quadrature."""
    with mpmath.workdps(30):
        s, rate, g = mpmath.mpf(sigma), mpmath.mpf(q), mpmath.exp(mpmath.mpf(epsilon))
        without = lambda x: mpmath.npdf(x, 0, s)  # noqa: E731
        with_it = lambda x: (1 - rate) * without(x) + rate * mpmath.npdf(x, 1, s)  # noqa: E731
        first, second = (with_it, without) if remove else (without, with_it)
        ratio = g if remove else 1 / g  # of with to without, where first = g second
        inner = (ratio - 1 + rate) / rate
        edge = None if inner <= 0 else s * s * mpmath.log(inner) + mpmath.mpf(1) / 2
        low, high = (-40 * s, edge) if not remove else (edge, 40 * s)
        if edge is None:  # the ratio is above the threshold everywhere, or nowhere
            low, high = (-40 * s, 40 * s) if remove else (0, 0)
        cuts = sorted({low, *(x for x in (-2 * s, 0, 1, 2 * s) if low < x < high), high})
        return mpmath.quad(lambda x: first(x) - g * second(x), cuts)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISE, ids=str)
def test_noise_counts_once_or_twice(noise: Any) -> None:
    assert noise.under("add_remove") is noise
    assert noise.under("zero_out").sensitivity == noise.sensitivity == 1
    assert noise.under("replace_one").sensitivity == 2
    twice = replace(noise, sensitivity=2)
    for relation, same in (("add_remove", noise), ("zero_out", noise), ("replace_one", twice)):
        found = (noise * 3).delta(1.0, relation=relation)
        assert found == (noise * 3).under(relation).delta(1.0)
        assert (found.lower, found.upper) == ((same * 3).delta(1.0).lower, (same * 3).delta(1.0).upper)
        assert found.relation == relation
        assert str(noise.under(relation)) == str(tb.parse(str(noise.under(relation))))
        assert tb.parse(str(noise.under(relation))) == noise.under(relation)


@pytest.mark.parametrize("relation", ["add_remove", "zero_out", "replace_one"])
@pytest.mark.parametrize("epsilon", [-3.0, -0.7, 0.0, 0.7])
def test_gaussian_truth(relation: str, epsilon: float) -> None:
    found = tb.Gaussian(sigma=1.7).delta(epsilon, rtol=1e-9, relation=relation)
    truth = normal_delta((2 if relation == "replace_one" else 1) / mpmath.mpf(1.7), epsilon)
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower <= 1e-9 * found.upper


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [-2.0, -0.3, -0.05, 0.05, 0.3, 1.5])
@pytest.mark.parametrize("direction", ["remove", "add", None])
@pytest.mark.parametrize(("sigma", "q"), [(1.0, 0.1), (0.7, 0.4)])
def test_sampled_truth_in_each_direction(sigma: float, q: float, direction: str | None, epsilon: float) -> None:
    found = tb.Poisson(tb.Gaussian(sigma=sigma), q=q).delta(epsilon, rtol=1e-6, direction=direction)
    both = [sampled_delta(sigma, q, epsilon, remove) for remove in (True, False)]
    truth = {"remove": both[0], "add": both[1], None: max(both)}[direction]
    assert found.lower <= truth * (1 + mpmath.mpf(10) ** -18)
    assert truth * (1 - mpmath.mpf(10) ** -18) <= found.upper
    assert found.upper - found.lower <= 1e-6 * found.upper


@pytest.mark.slow
def test_composed_directions_are_mirrored() -> None:
    run = SAMPLED * 20
    for epsilon in (0.2, 1.0):
        for one, other in (("remove", "add"), ("add", "remove")):
            here, there = run.delta(-epsilon, 1e-6, direction=one), run.delta(epsilon, 1e-6, direction=other)
            for low, high in ((here.lower, there.upper), (there.lower, here.upper)):
                g = math.exp(-epsilon)
                first, second = (low, 1 - g + g * high) if low == here.lower else (1 - g + g * low, high)
                assert first <= second * (1 + 1e-12)
    assert run.delta(0.5) == run.delta(0.5, direction="remove")
    assert run.epsilon(1e-6, direction="add").upper < run.epsilon(1e-6).lower
    curve = run.curve([-1.0, 0.0, 1.0], direction="add")
    assert curve.upper[0] >= run.delta(-1.0, direction="add").lower
    assert curve.relation == "add_remove"


def test_the_ends_of_the_profile() -> None:
    assert SAMPLED.delta(-math.inf) == tb.Bracket(1.0, 1.0, relation="add_remove")
    tiny = SAMPLED.delta(-5e-324)
    assert tiny.lower <= SAMPLED.delta(0.0).upper
    assert tiny.upper >= SAMPLED.delta(0.0).lower
    assert (tb.Gaussian(sigma=1) * 0).delta(-1.0).lower == pytest.approx(-math.expm1(-1.0), rel=1e-15)
    with pytest.raises(tb.InvalidParameter, match="epsilon"):
        SAMPLED.delta(math.nan)


def test_zero_out_and_sampling() -> None:
    for relation in ("add_remove", "zero_out"):
        assert (SAMPLED * 9).epsilon(1e-6, relation=relation).upper == (SAMPLED * 9).epsilon(1e-6).upper
    assert SAMPLED.under("zero_out") == tb.parse("poisson(gaussian(sigma=1), q=0.1, relation='zero_out')")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: RESPONSE.epsilon(1e-6, relation="add_remove"), "known under replace_one"),
        (lambda: tb.Gaussian(sigma=1, relation="replace_one").delta(1.0, relation="add_remove"), "for add_remove"),
        (lambda: tb.Histograms([1, 2], [2, 1]).delta(1.0, relation="zero_out"), "known under add_remove"),
        (lambda: tb.Poisson(tb.PureDP(1), q=0.1).delta(1.0, relation="zero_out"), "stated for add_remove"),
        (lambda: tb.Poisson(tb.Gaussian(sigma=1, sensitivity=2, relation="replace_one"), q=0.1), "for replace_one"),
        (lambda: tb.ClampedGaussian(10, 2, 1).delta(1.0, relation="replace_one"), "known under add_remove"),
        (lambda: SAMPLED.delta(1.0, relation="substitute"), "one of add_remove, replace_one, zero_out"),
        (lambda: SAMPLED.delta(1.0, relation=["add_remove"]), "one of add_remove, replace_one, zero_out"),
        (lambda: SAMPLED.delta(1.0, direction="both"), "remove or add"),
        (lambda: tb.Gaussian(sigma=1, relation="any"), "one of add_remove"),
        (lambda: tb.risk(RESPONSE, relation="zero_out"), "known under replace_one"),
        (lambda: tb.calibrate("randomized_response(p=?)", epsilon=1, delta=0, relation="zero_out"), "known under replace_one"),
        (lambda: tb.compare(RESPONSE, delta=1e-6, relation="zero_out"), "known under replace_one"),
    ],
)
def test_what_is_not_known_is_refused(ask: Callable[[], object], says: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=says):
        ask()


def test_steps_for_two_relations_under_the_one_they_share() -> None:
    both = tb.Gaussian(sigma=2) + RESPONSE * 2 + tb.PureDP(0.1)
    found = both.epsilon(1e-6, relation="replace_one")
    stated = tb.Gaussian(sigma=2, sensitivity=2, relation="replace_one") + RESPONSE * 2 + tb.PureDP(0.1)
    assert found == stated.epsilon(1e-6)
    assert found.relation == "replace_one"
    with pytest.raises(tb.MixedRelations, match="All of them know replace_one: ask with relation='replace_one'"):
        both.epsilon(1e-6)
    for more in (both * 2, both + both, copy.deepcopy(both), pickle.loads(pickle.dumps(both))):
        assert more.delta(1.0, relation="replace_one").relation == "replace_one"
        with pytest.raises(tb.MixedRelations):
            more.delta(1.0)
    for ask in (tb.risk, tb.divergences.renyi):
        with pytest.raises(tb.InvalidParameter):
            ask(both, orders=[2.0]) if ask is tb.divergences.renyi else ask(both).advantage()


def test_a_view_survives_pickling_and_is_kept() -> None:
    view = (SAMPLED * 5).asked("zero_out", "add")
    again = pickle.loads(pickle.dumps(view))
    assert again.delta(0.1) == view.delta(0.1) == (SAMPLED * 5).delta(0.1, relation="zero_out", direction="add")
    assert (again.answers_for, str(again)) == (view.answers_for, str(view))
    run = SAMPLED * 5
    assert run.asked("zero_out") is run.asked("zero_out")
    assert run.asked() is run


def test_promises_are_labelled_by_what_was_asked() -> None:
    promise = tb.PureDP(0.5)
    assert promise.delta(0.1, relation="replace_one").relation == "replace_one"
    assert tb.risk(promise, relation="zero_out").advantage().relation == "zero_out"


def test_decisions_take_the_relation() -> None:
    found = tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-6, relation="replace_one")
    once = tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-6)
    assert found.value == pytest.approx(2 * once.value, rel=1e-5)
    assert found.relation == "replace_one"
    assert tb.risk(tb.Gaussian(sigma=2), relation="replace_one").advantage() == tb.Gaussian(sigma=2).delta(
        0.0, relation="replace_one"
    )
    table = tb.compare(tb.Gaussian(sigma=2), delta=1e-6, relation="replace_one")
    assert table.relation == "replace_one"
    assert table.rows[0].value == tb.Gaussian(sigma=2).epsilon(1e-6, relation="replace_one").upper
    assert min(row.value for row in table.rows[1:] if row.value and row.kind == "upper bound") >= table.rows[0].lower


@pytest.mark.parametrize("relation", [np.array([1.0, 2.0]), np.array([]), ["add_remove"], b"add_remove", 3, {}])
def test_a_relation_is_a_word(relation: Any) -> None:
    for ask in (
        lambda: tb.Gaussian(sigma=2, relation=relation),
        lambda: SAMPLED.delta(1.0, relation=relation),
        lambda: (SAMPLED * 3).epsilon(1e-6, relation=relation),
        lambda: SAMPLED.curve([1.0], relation=relation),
    ):
        with pytest.raises(tb.InvalidParameter, match="relation is"):
            ask()
