"""The former name of an adversary's method."""

from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import games

VIEW = games.View(0, np.zeros(2), np.full(2, 9.0), np.ones((2, 1), bool))


def once(view: games.View) -> Any:
    return np.full(view.loss.size, 0 if view.round == 0 else games.STOP)


class Former:
    name, menu = "former", (games.response(0.5),)

    def choose(self, view: games.View) -> Any:
        return once(view)


class Both(Former):
    def next_step(self, view: games.View) -> Any:
        return once(view)


class Overriding(games.Fixed):
    """A strategy of the package, changed under the former name: the change must not be lost."""

    def choose(self, view: games.View) -> Any:
        return once(view)


def rounds_of(adversary: Any) -> int:
    losses, _ = games.paths(adversary, tb.odometers.BasicOdometer(), rounds=3, runs=2, rng=np.random.default_rng(0))
    return int(np.isfinite(losses[0]).sum()) - 1


@pytest.mark.parametrize("adversary", [Former(), Overriding(games.response(0.5))])
def test_an_adversary_with_the_former_name_plays_and_is_told(adversary: Any) -> None:
    with pytest.warns(DeprecationWarning, match="The method choose of an adversary .* write next_step"):
        assert rounds_of(adversary) == 1


@pytest.mark.filterwarnings("error")
def test_the_present_name_is_preferred_without_a_word() -> None:
    assert rounds_of(Both()) == 1
    assert rounds_of(games.Fixed(games.response(0.5))) == 3


def test_the_strategies_of_the_package_answer_to_the_former_name() -> None:
    with pytest.warns(DeprecationWarning, match=r"choose\(\) .* write next_step\(\)"):
        assert games.Fixed(games.response(0.5)).choose(VIEW).tolist() == [0, 0]
