"""Every function that takes a composition takes its notation."""

from collections.abc import Callable
from typing import Any

import pytest

import tightbudget as tb

TEXT = "gaussian(sigma=2) * 3 + laplace(scale=4)"
ASK: dict[str, Callable[[Any], object]] = {
    "risk": lambda c: tb.risk(c).advantage(),
    "compare": lambda c: tb.compare(c, delta=1e-5).rows,
    "compare_curves": lambda c: tb.compare_curves(c, [0.0, 1.0], names=["zCDP"]).lines,
    "compose": lambda c: tb.compose([c, tb.PureDP(1.0)]),
    "renyi": lambda c: tb.divergences.renyi(c, 2.0),
    "zcdp": tb.divergences.zcdp,
    "gdp": tb.divergences.gdp,
    "pure_epsilon": tb.divergences.pure_epsilon,
    "naive": lambda c: tb.classic.naive.delta(c, 1.0),
    "tree_pair": lambda c: tb.published.tree_pair(c, n=100).delta(1.0),
}


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_notation_is_as_good_as_the_composition(ask: Callable[[Any], object]) -> None:
    assert ask(TEXT) == ask(tb.parse(TEXT))


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_a_mistake_in_it_is_pointed_at(ask: Callable[[Any], object]) -> None:
    with pytest.raises(tb.NotationError, match="gausian"):
        ask("gausian(sigma=2)")


@pytest.mark.parametrize("wrong", [None, 3, b"gaussian(2)", ["gaussian(2)"], tb.Gaussian])
@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_anything_else_is_refused(ask: Callable[[Any], object], wrong: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"mechanism|composition"):
        ask(wrong)


def test_a_text_is_no_list() -> None:
    with pytest.raises(tb.InvalidParameter, match="a list of mechanisms"):
        tb.compose("gaussian(2)")  # type: ignore[arg-type]
