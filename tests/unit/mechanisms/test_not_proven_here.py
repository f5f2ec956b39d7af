"""What rests on a theorem that is not proven here: only single brackets say so, and all else refuses it (M37)."""

from collections.abc import Callable

import pytest

import tightbudget as tb
from tightbudget import classic, divergences, published

STRONGER = tb.Shuffled(epsilon0=1.0, users=50, clone="stronger")
STANDARD = tb.Shuffled(epsilon0=1.0, users=50)
ALONE = tb.Shuffled(epsilon0=1.0, users=1, clone="stronger")  # one report, with which the theorem has nothing to do

WAYS: dict[str, Callable[[tb.Composition], object]] = {
    "a Rényi divergence": lambda asked: divergences.renyi(asked, 2.0),
    "rho of zCDP": divergences.zcdp,
    "mu of GDP": divergences.gdp,
    "the largest loss": divergences.pure_epsilon,
    **{f"{bound.name}, delta": (lambda asked, bound=bound: bound.delta(asked, 0.1)) for bound in classic.ALL},
    **{f"{bound.name}, epsilon": (lambda asked, bound=bound: bound.epsilon(asked, 1e-6)) for bound in classic.ALL},
    **{f"{bound.name}, curve": (lambda asked, bound=bound: bound.curve(asked, [1.0])) for bound in classic.ALL},
    "a comparison": lambda asked: tb.compare(asked, delta=1e-6),
    "a risk": lambda asked: tb.risk(asked).advantage(),
    "a plan of several": lambda asked: tb.filters.SlotFilter(3.0, 0.5, plan=asked + tb.PureDP(0.1)),
    "a plan of slots": lambda asked: tb.filters.SlotFilter(3.0, 0.5, plan=asked),
    "a leaf of a tree": lambda asked: published.embed(asked.items[0][0], 200),
    "trees": lambda asked: published.tree_pair(asked, n=200),
    "a curve": lambda asked: asked.curve([0.1]),
    "a step of a filter": lambda asked: tb.filters.ZCDPFilter(3.0, 0.5).spend(asked),
    "a step of an odometer": lambda asked: tb.odometers.MixtureOdometer(0.1).spend(asked),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_number_that_cannot_say_so_is_refused(way: str) -> None:
    for steps in (STRONGER * 1, tb.RepeatAndSelect(STRONGER, mean=2) * 1, tb.WithoutReplacement(STRONGER, 50, 100) * 1):
        with pytest.raises(tb.InvalidParameter, match="has not been checked"):
            WAYS[way](steps)
    for steps in (STANDARD * 1, ALONE * 1):
        WAYS[way](steps)


def test_a_single_bracket_says_so() -> None:
    for steps in (STRONGER, tb.RepeatAndSelect(STRONGER, mean=2), STRONGER * 2):
        answer = steps.delta(0.1)
        assert not answer.converged
        assert "Feldman, McMillan and Talwar 2022" in answer.reason
    assert ALONE.delta(0.1).reason == ""
