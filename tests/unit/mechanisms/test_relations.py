"""Steps for different neighbouring relations are composed only by those who say that they mean it (decision 0009)."""

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import pytest
from tests.support import every_filter, every_odometer

import tightbudget as tb
from tightbudget import filters, odometers
from tightbudget.interfaces.cli.app import main

RESPONSE, NOISE = tb.RandomizedResponse(p=0.75), tb.Gaussian(sigma=1)
MIXED = "randomized_response(p=0.75) + gaussian(sigma=1)"
NESTED = "poisson(randomized_response(p=0.75), q=0.1)"
PROMISES = [tb.PureDP(0.1), tb.ApproximateDP(0.1, 1e-6), tb.GaussianDP(0.1), tb.BoundedRange(0.1)]
BOTH = "add_remove+replace_one"


@dataclass(frozen=True)
class ZeroedOut(tb.Gaussian):
    name: ClassVar[str] = "zeroed_out"
    neighbours: ClassVar[str] = "zero_out"


@pytest.mark.parametrize(
    "mix",
    [
        lambda: RESPONSE + NOISE,
        lambda: NOISE * 3 + RESPONSE * 2,
        lambda: sum([NOISE, tb.PureDP(1), RESPONSE]),
        lambda: tb.compose([NOISE, RESPONSE]),
        lambda: tb.compose([NOISE, RESPONSE], mix_relations=False),
        lambda: tb.Composition(((NOISE, 1), (RESPONSE, 2))),
        lambda: NOISE + ZeroedOut(sigma=1),
        lambda: tb.Histograms([1, 2], [2, 1]) + RESPONSE,
        lambda: tb.Poisson(tb.PureDP(1), q=0.1) + RESPONSE,
        lambda: tb.Poisson(RESPONSE, q=0.1),
        lambda: tb.Poisson(ZeroedOut(sigma=1), q=0.1),
        lambda: tb.parse(MIXED),
        lambda: tb.parse("2 * (gaussian(sigma=1) + randomized_response(p=0.75))"),
        lambda: tb.parse(NESTED),
    ],
)
def test_mixing_is_refused(mix: Callable[[], Any]) -> None:
    with pytest.raises(tb.MixedRelations, match=r"one change of the data.*mix_relations=True") as refused:
        mix().delta(1.0)
    assert isinstance(refused.value, tb.InvalidParameter)
    assert "add_remove" in str(refused.value)


def test_the_sentence_names_both_steps() -> None:
    with pytest.raises(tb.MixedRelations) as refused:
        (NOISE * 2 + tb.PureDP(1) + RESPONSE).delta(1.0)
    assert "gaussian(sigma=1) is for add_remove and randomized_response(p=0.75) for replace_one" in str(refused.value)


def test_those_who_mean_it_are_told_both_relations() -> None:
    meant = tb.compose([RESPONSE, NOISE * 2], mix_relations=True)
    assert meant.relation == meant.delta(1.0).relation == meant.curve([1.0]).relation == BOTH
    # what was mixed once stays so
    for more in (meant * 3, meant + NOISE, RESPONSE + meant, meant + meant, meant + tb.PureDP(1), copy.copy(meant)):
        assert more.relation == BOTH
    assert pickle.loads(pickle.dumps(meant)) == meant == tb.parse(str(meant), mix_relations=True)
    with pytest.raises(tb.MixedRelations):
        (meant + ZeroedOut(sigma=1)).delta(1.0)


@pytest.mark.parametrize(("rtol", "converged"), [(1e-6, False), (0.9, True)])
def test_a_class_among_mixed_steps_keeps_both_relations(rtol: float, converged: bool) -> None:
    """The lower end is that of a member of the class, composed with the same mixed steps."""
    meant = tb.compose([RESPONSE, NOISE, tb.BoundedRange(1) * 2], mix_relations=True)
    for answer in (meant.delta(1.0, rtol), meant.epsilon(1e-3, rtol)):
        assert answer.converged == converged
        assert answer.relation == BOTH


def test_a_sampled_class_among_mixed_steps_keeps_both_relations() -> None:
    meant = tb.compose([RESPONSE, tb.Poisson(tb.BoundedRange(1), q=0.5) * 2], mix_relations=True)
    assert meant.delta(1.0).relation == meant.epsilon(1e-3).relation == BOTH


@pytest.mark.parametrize("more", [[], [tb.BoundedRange(1) * 2]], ids=["known", "a class"])
def test_published_trees_keep_both_relations(more: list[tb.Composition]) -> None:
    meant = tb.published.tree_pair(tb.compose([RESPONSE, NOISE, *more], mix_relations=True), n=200)
    assert meant.relation == BOTH
    assert meant.delta(1.0).relation == meant.epsilon(0.5).relation == meant.curve([1.0]).relation == BOTH


def test_sampling_by_those_who_mean_it() -> None:
    sampled = tb.Poisson(RESPONSE, q=0.1, mix_relations=True)
    assert sampled.answers_for == sampled.epsilon(1e-6).relation == BOTH
    assert sampled == tb.parse(NESTED, mix_relations=True)
    assert str(sampled) == NESTED
    assert (sampled * 2 + NOISE).relation == tb.Poisson(sampled, q=0.5).answers_for == BOTH


@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_promises_are_made_for_any_relation(promise: tb.Mechanism) -> None:
    assert promise.relation == tb.compose([]).relation == "add_remove"
    assert (promise + RESPONSE).relation == "replace_one"
    assert (promise + NOISE).relation == "add_remove"
    assert tb.Poisson(promise, q=0.1).relation == "add_remove"
    assert (promise + ZeroedOut(sigma=1)).delta(1.0).relation == "zero_out"


def test_a_flag_is_a_truth_value() -> None:
    for mix in (lambda: tb.compose([NOISE], mix_relations="yes"), lambda: tb.parse(MIXED, mix_relations=1)):
        with pytest.raises(tb.InvalidParameter, match="mix_relations"):
            mix()


@pytest.mark.parametrize(
    "command",
    [["epsilon", "--delta", "1e-6"], ["delta", "--epsilon", "1"], ["curve", "--points", "3"], ["compare", "--delta", "1e-6"]],
)
@pytest.mark.parametrize("expression", [MIXED, NESTED])
def test_the_command_line_asks_too(command: list[str], expression: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command[0], expression, *command[1:]]) == 2
    assert "--mix-relations" in capsys.readouterr().err
    assert main([command[0], expression, *command[1:], "--mix-relations", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["relation"] == BOTH


SMALL = tb.Laplace(scale=1e4)
RARE = tb.RandomizedResponse(p=0.5001)
TOGETHER = tb.compose([SMALL, RARE], mix_relations=True)
KEPT = [
    *((make, filters.from_state) for make in every_filter.PLAIN),
    *((make, odometers.from_state) for make in every_odometer.EVERY),
]


@pytest.mark.parametrize(("make", "restore"), KEPT)
@pytest.mark.parametrize(("first", "second"), [(SMALL, RARE), (RARE, SMALL)])
def test_a_filter_or_odometer_is_for_one_relation(make: Callable[[], Any], restore: Any, first: Any, second: Any) -> None:
    made = make()
    with pytest.raises(tb.MixedRelations, match="laplace"):
        made.spend(TOGETHER)
    made.spend(tb.PureDP(1e-4))
    made.spend(first)
    for one in (made, restore(json.loads(json.dumps(made.state())))):
        before = one.state()
        limit = {"epsilon": 1} if isinstance(one, tb.odometers.Odometer) else {}
        for ask in (one.spend, one.quote, partial(one.remaining, **limit)):
            with pytest.raises(tb.MixedRelations, match="what was spent before is for"):
                ask(second)
        assert one.state() == before
        one.spend(first)


@pytest.mark.parametrize(("make", "restore"), KEPT)
def test_those_who_mean_it_say_so_at_the_start(make: Callable[[], Any], restore: Any) -> None:
    state = make().state()
    assert state["mix_relations"] is False
    made = restore({**state, "mix_relations": True})
    made.spend(TOGETHER)
    made.spend(SMALL)
    assert made.state()["relations"] == ["add_remove", "replace_one"]
    assert restore(json.loads(json.dumps(made.state()))) == made


@pytest.mark.parametrize(("make", "restore"), KEPT)
def test_a_step_that_was_mixed_itself_leaves_both_relations(make: Callable[[], Any], restore: Any) -> None:
    """Its sampling is for the relation of the step before; what is sampled is not."""
    made = restore({**make().state(), "mix_relations": True})
    made.spend(SMALL)
    made.spend(tb.Poisson(RARE, q=0.1, mix_relations=True))
    assert made.state()["relations"] == ["add_remove", "replace_one"]


def test_steps_are_for_the_relation_of_the_plan() -> None:
    plan = tb.compose([SMALL, RARE, tb.PureDP(0.1)], mix_relations=True)
    for given in (plan, str(plan)):
        with pytest.raises(tb.MixedRelations):
            filters.SlotFilter(1, 1e-6, plan=given)
        budget = filters.SlotFilter(1, 1e-6, plan=given, mix_relations=True)
        assert budget.remaining(SMALL) == budget.remaining(RARE) == 2
        assert filters.from_state(budget.state()) == budget
    with pytest.raises(tb.MixedRelations):
        filters.SlotFilter(1, 1e-6, plan=SMALL + tb.PureDP(0.1)).quote(RARE)
    assert filters.SlotFilter(1, 1e-6, plan=tb.PureDP(0.1)).quote(RARE)


@pytest.mark.slow
def test_best_takes_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    choices = filters.best(1, 1e-6, TOGETHER)
    assert all(row.filter is not None and row.filter.spend(TOGETHER) for row in choices)
    assert main(["filter", "compare", "--epsilon", "1", "--delta", "1e-6", "--each", MIXED]) == 2
    assert "mix" in capsys.readouterr().err
    assert filters.parse_increment(MIXED, mix_relations=True).relation == BOTH
