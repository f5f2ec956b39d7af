"""The context in which questions share work: the answers are those of questions asked alone, and nothing gets out."""

import contextvars
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.discretisation.discretise import DiscretisedPair
from tightbudget.engine.sharing import grid_plan, plans
from tightbudget.engine.sharing.work import shared_direction, sharing_work
from tightbudget.engine.steps import engine_steps
from tightbudget.numerics.bracket import Bracket
from tightbudget.pairs.base import Direction

LAPLACE = tb.Poisson(tb.Laplace(2.0), 0.1)


def dpsgd(sigma: float, q: float, count: int) -> tb.Composition:
    return tb.Poisson(tb.Gaussian(sigma), q) * count


GRID = [(sigma, q, count) for sigma in np.linspace(0.8, 3.0, 4) for q in (1e-3, 0.01, 0.0105) for count in (300, 330, 5000)]


def asked_together() -> list[Bracket]:
    with sharing_work():
        return [dpsgd(*point).epsilon(1e-6) for point in GRID]


def ends(answers: list[Bracket]) -> list[tuple[float, float]]:
    return [(answer.lower, answer.upper) for answer in answers]


@pytest.mark.slow
def test_shared_answers_are_as_narrow_as_asked_and_agree_with_those_asked_alone():
    for together, point in zip(asked_together(), GRID, strict=True):
        alone = dpsgd(*point).epsilon(1e-6, rtol=1e-5)
        assert together.converged
        assert together.width <= 1e-3 * together.upper
        assert together.lower <= alone.upper
        assert alone.lower <= together.upper


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-2, 1e-5])
def test_the_width_asked_for_is_that_of_each_question(rtol: float):
    with sharing_work():
        answers = [dpsgd(*point).epsilon(1e-6, rtol=rtol) for point in GRID[::5]]
    assert all(answer.converged and answer.width <= rtol * answer.upper for answer in answers)


@pytest.mark.slow
def test_the_same_questions_in_the_same_order_have_the_same_answers():
    first = asked_together()
    with sharing_work():
        LAPLACE.epsilon(1e-5)
    assert ends(asked_together()) == ends(first)


@pytest.mark.slow
def test_a_question_outside_has_the_answer_it_would_have_had():
    alone = ends([dpsgd(*point).epsilon(1e-6) for point in GRID])
    compositions = [dpsgd(*point) for point in GRID]
    with sharing_work():
        for composition in compositions:
            composition.epsilon(1e-6)
    assert ends([composition.epsilon(1e-6) for composition in compositions]) == alone
    assert ends([dpsgd(*point).epsilon(1e-6) for point in GRID]) == alone


@pytest.mark.slow
def test_a_context_within_another_begins_anew_and_leaves_the_other_as_it_was():
    first = asked_together()
    with sharing_work():
        before = [dpsgd(*point).epsilon(1e-6) for point in GRID[:10]]
        assert ends(asked_together()) == ends(first)
        after = [dpsgd(*point).epsilon(1e-6) for point in GRID[10:]]
    assert ends(before + after) == ends(first)


def one_direction() -> OneDirection:
    pair = LAPLACE.pair(Direction.REMOVE)
    assert pair is not None
    return OneDirection(engine_steps([(pair, 3)]), "remove")


def test_outside_a_direction_is_as_it_is():
    direction = one_direction()
    assert shared_direction(direction) is direction
    with sharing_work():
        assert shared_direction(direction) is not direction
    assert shared_direction(direction) is direction


def test_a_context_ends_with_what_is_raised_in_it():
    direction = one_direction()
    with pytest.raises(tb.InvalidParameter), sharing_work():
        LAPLACE.epsilon(2.0)
    assert shared_direction(direction) is direction


def test_other_threads_take_no_part():
    direction, found = one_direction(), []
    with sharing_work():
        context = contextvars.copy_context()
        asking = threading.Thread(target=lambda: found.append(shared_direction(direction)))
        copied = threading.Thread(target=context.run, args=(lambda: found.append(shared_direction(direction)),))
        for thread in (asking, copied):
            thread.start()
            thread.join()
    assert found == [direction, direction]


def test_a_generator_closed_by_another_thread_leaves_no_context_behind():
    def answers() -> Iterator[Bracket]:
        with sharing_work():
            yield LAPLACE.epsilon(1e-5)

    direction, generator = one_direction(), answers()
    next(generator)
    thread = threading.Thread(target=generator.close)  # as a garbage collector may do
    thread.start()
    thread.join()
    assert shared_direction(direction) is direction


def test_contexts_that_end_in_any_order_leave_none_behind():
    direction, first, second = one_direction(), sharing_work(), sharing_work()
    outer = first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert outer.ended
    assert shared_direction(direction) is direction


@pytest.mark.slow
def test_what_is_kept_is_bounded():
    with sharing_work() as work:
        for sigma in np.linspace(1.0, 2.0, 200).tolist():
            dpsgd(sigma, 0.01, 100).epsilon(1e-5)
        assert 0 < work.nbytes < 2**26
    assert work.nbytes == 0


def test_the_same_pair_on_the_same_grid_is_discretised_once(monkeypatch: pytest.MonkeyPatch):
    made = []

    def discretise(*asked: Any) -> DiscretisedPair:
        made.append(asked[:5])
        return plans.original(*asked)

    monkeypatch.setattr(plans, "original", plans.discretise, raising=False)
    monkeypatch.setattr(plans, "discretise", discretise)
    monkeypatch.setattr(grid_plan, "discretise", discretise)
    with sharing_work():
        for count in range(1000, 1040, 2):
            dpsgd(1.5, 0.01, count).epsilon(1e-6)
    assert 0 < len(made) < 15
    assert len(set(made)) == len(made)


def test_a_chernoff_bound_is_left_out_where_it_would_show_nothing():
    with sharing_work():
        close = dpsgd(4.0, 0.02, 5000).epsilon(1e-6)
        apart = dpsgd(1.0, 0.01, 1000).epsilon(1e-6)
    assert "Chernoff" not in [one.route for one in close.trace]
    assert "Chernoff" in [one.route for one in apart.trace]


def test_the_composition_asked_last_is_known():
    with sharing_work() as work:
        first = work.direction(one_direction())
        assert work.direction(one_direction()) is first
