"""Compositions with gaps: filled so that they mean what the values say, in an order in which neighbours are alike."""

import itertools

import pytest

import tightbudget as tb
from tightbudget.sweeps.spaces import grid_space
from tightbudget.sweeps.template import SweepTemplate

DP_SGD = SweepTemplate("poisson(gaussian(sigma={sigma}), q={q}) * {steps}")


def test_names_stand_in_their_order_and_once() -> None:
    assert DP_SGD.names == ("sigma", "q", "steps")
    assert SweepTemplate("gaussian({s}) + gaussian({ s })").names == ("s",)
    assert SweepTemplate("gaussian(sigma=2)").names == ()


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        (DP_SGD.text, {"sigma": 0.1, "q": 1e-300, "steps": 2**53}, tb.Poisson(tb.Gaussian(0.1), q=1e-300) * 2**53),
        ("gaussian(sigma={x}**2)", {"x": -3}, tb.Gaussian(9)),
        ("{m} * 3", {"m": "gaussian(1) + laplace(2)"}, (tb.Gaussian(1) + tb.Laplace(2)) * 3),
        ("poisson({m}, q=0.5)", {"m": "laplace(2)"}, tb.Poisson(tb.Laplace(2), q=0.5)),
        ("{composition}", {"composition": "gaussian(sigma=2)"}, tb.Gaussian(2)),
    ],
)
def test_what_is_filled_in_means_what_it_says(text: str, values: dict[str, object], expected: object) -> None:
    assert tb.parse(SweepTemplate(text).filled(values)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("poisson(gaussian(sigma={sigma}), q={q}) * {steps}", ("q", "sigma", "steps")),
        ("{steps} * poisson(gaussian({sigma}), {q})", ("q", "sigma", "steps")),
        ("laplace(scale=2 * {sigma}, sensitivity={q}) * {steps}", ("q", "sigma", "steps")),
        ("not( python {steps} {sigma} {q}", ("steps", "sigma", "q")),
    ],
)
def test_what_changes_least_comes_last(text: str, expected: tuple[str, ...]) -> None:
    assert SweepTemplate(text).by_sharing(("steps", "sigma", "q")) == expected


def test_those_that_dominate_come_first() -> None:
    template = SweepTemplate("poisson(gaussian(sigma={sigma}), q={q}) * {steps}")
    assert template.backwards("q", (0.01, 0.02))
    assert template.backwards("sigma", (4, 0.5))
    assert not template.backwards("q", (0.02, 0.01))
    assert not template.backwards("sigma", (0.5, 4))
    assert not template.backwards("steps", (100, 1000))
    assert not template.backwards("steps", (1000, 100))
    assert not template.backwards("q", (0.01,))
    assert not SweepTemplate("poisson({what}, q={q})").backwards("q", ("a", "b"))


def test_every_point_of_a_grid_is_evaluated_once() -> None:
    template = SweepTemplate("poisson(gaussian(sigma={sigma}), q={q}) * {steps}")
    axes = {"q": [0.01, 0.02, 0.03], "steps": [10, 20], "sigma": [2, 1]}
    space = grid_space(axes, template)
    found = [space.at(place) for place in range(space.size)]
    assert found[0] == (space.size - 1 - 2, (0.03, 10, 1))  # the largest sample, the least noise
    in_order = list(itertools.product(*axes.values()))
    assert sorted(number for number, _ in found) == list(range(12))
    assert all(in_order[number] == values for number, values in found)


def test_a_template_that_fits_nothing_is_refused_and_one_that_fits_ones_is_not() -> None:
    with pytest.raises(tb.NotationError, match="did you mean 'gaussian'"):
        SweepTemplate("gausian(sigma={sigma})").check({"sigma": 1}, False)
    SweepTemplate("gaussian(sigma={sigma})").check({"sigma": -1}, False)  # only this point is wrong
    SweepTemplate("gaussian(sigma=1) * {n}").check({"n": 0.5}, False)
    SweepTemplate("gaussian(sigma=1/({q} - 1))").check({"q": 3}, False)  # ones divide by zero, the point does not
    SweepTemplate("{m} * 2").check({"m": "gaussian(1)"}, False)


def test_an_unknown_is_seen_but_not_in_the_name_of_a_file() -> None:
    assert SweepTemplate("gaussian(sigma=?) * {n}").calibrates
    assert not SweepTemplate('histograms("what?.csv") * {n}').calibrates
