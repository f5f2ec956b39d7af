"""The trace of a bracket: every attempt is sound on its own, and together they are the bracket."""

import math
import pickle

import pytest

import tightbudget as tb
from tightbudget.engine import reasons
from tightbudget.engine.reasons import to_try
from tightbudget.numerics.attempt import Attempt

TRAINING = tb.Poisson(tb.Gaussian(4.0), 0.01) * 65536
RARE = tb.Poisson(tb.Gaussian(1.0), 1e-3) * 100
ASKED = {
    "closed form": (tb.Gaussian(1.0) * 10, 1e-6, 1e-3),
    "one step": (tb.RandomizedResponse(0.75, 3), 1e-6, 1e-3),
    "few frequencies": (TRAINING, 1e-6, 1e-3),
    "large losses apart, levels": (RARE, 1e-6, 1e-6),
    "large losses apart, few frequencies": (RARE, 1e-6, 1e-3),
    "largest loss": (tb.PureDP(0.5) * 3, 0.0, 1e-3),
    "infinite losses": (tb.Gaussian(0.0), 1e-6, 1e-3),
    "nothing to lose": (tb.Composition(), 1e-6, 1e-3),
}


def larger(trace: tuple[Attempt, ...]) -> tuple[float, float]:
    """Intersect the attempts of each direction, and return the larger direction's ends."""
    ends: dict[str, tuple[float, float]] = {}
    for one in trace:
        lower, upper = ends.get(one.direction, (0.0, math.inf))
        ends[one.direction] = max(lower, one.lower), min(upper, one.upper)
    return max(lower for lower, _ in ends.values()), max(upper for _, upper in ends.values())


@pytest.mark.parametrize("route", ASKED)
def test_the_attempts_together_are_the_bracket(route: str) -> None:
    composition, delta, rtol = ASKED[route]
    answer = composition.epsilon(delta, rtol)
    assert (answer.lower, answer.upper) == larger(answer.trace)
    assert route in {one.route for one in answer.trace}
    assert all(one.lower <= one.upper and one.seconds >= 0.0 for one in answer.trace)


def test_delta_has_a_trace_too() -> None:
    answer = TRAINING.delta(3.0)
    assert (answer.lower, answer.upper) == larger(answer.trace)
    assert {one.direction for one in answer.trace} == {"remove", "add"}


def test_what_is_the_same_both_ways_is_asked_once() -> None:
    assert [one.direction for one in (tb.Laplace(2.0) * 5).epsilon(1e-6).trace] == ["both"]


def test_grids_are_written_down() -> None:
    first = TRAINING.epsilon(1e-6).trace[0]
    assert first.tilt is not None
    assert 1.0 < first.tilt < 100.0
    assert first.width is not None
    assert 1e-3 < first.width < 0.1
    assert 50 < first.points < 5000
    assert not first.held_back


def test_a_trace_is_no_part_of_the_value() -> None:
    answer = RARE.epsilon(1e-6)
    bare = tb.Bracket(answer.lower, answer.upper, relation="add_remove")
    assert answer == bare
    assert hash(answer) == hash(bare)
    assert "trace" not in repr(answer)
    assert pickle.loads(pickle.dumps(answer)).trace == answer.trace


def test_what_held_an_attempt_back_is_written_down() -> None:
    answer = RARE.epsilon(1e-6, rtol=1e-6, effort=0.001)
    assert not answer.converged
    assert answer.reason == reasons.TOO_LONG
    assert reasons.TOO_LONG in {one.held_back for one in answer.trace}
    assert "effort" in to_try(answer.reason)


def test_the_reason_is_that_of_the_narrowest_route() -> None:
    """Others may be held back by rounding; a larger effort helps nevertheless."""
    asked = tb.Poisson(tb.Gaussian(4.0), 0.01) * 65536
    hurried = asked.epsilon(1e-6, rtol=1e-7, effort=0.01)
    assert not hurried.converged
    assert hurried.reason == reasons.TOO_LONG
    assert asked.epsilon(1e-6, rtol=1e-7, effort=0.1).converged


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["laplace(scale=1e7) * 9007199254740992", "pure_dp(epsilon=1e-8) * 9007199254740992"])
def test_more_effort_is_advised_only_where_it_may_help(expression: str) -> None:
    """So many steps take lists that no effort makes."""
    answer = tb.parse(expression).epsilon(1e-6)
    assert not answer.converged
    assert answer.reason == reasons.NO_LISTS
    assert "no effort" in to_try(answer.reason)
    most = tb.parse(expression).epsilon(1e-6, effort=64)
    assert (most.lower, most.upper) == (answer.lower, answer.upper)


@pytest.mark.slow
def test_the_longest_lists_are_out_of_reach_of_any_effort() -> None:
    fine = [RARE.epsilon(1e-6, rtol=1e-9, effort=effort) for effort in (1, 4, 16)]
    assert [one.reason for one in fine] == [reasons.TOO_LONG, reasons.NO_LISTS, reasons.NO_LISTS]
    assert fine[0].width > 2.0 * fine[1].width == 2.0 * fine[2].width


@pytest.mark.slow
def test_no_attempt_finds_a_delta_above_1() -> None:
    answer = (tb.Poisson(tb.Gaussian(4.0), 0.01) * 10**12).delta(1.0)
    chernoff = [one.upper for one in answer.trace if one.route == "Chernoff"]
    assert chernoff
    assert max(chernoff) == 1.0


def test_a_member_of_a_class_is_named() -> None:
    answer = (tb.BoundedRange(0.3) * 20).epsilon(1e-6)
    assert {one.direction for one in answer.trace} == {"both", "both, one member"}


@pytest.mark.slow
def test_more_effort_goes_further() -> None:
    """At every effort the bracket holds, and with enough of it the width asked for is reached."""
    sure = RARE.epsilon(1e-6, rtol=1e-6)
    widths = []
    for effort in (0.0005, 0.002, 4.0):
        answer = RARE.epsilon(1e-6, rtol=1e-6, effort=effort)
        assert answer.lower <= sure.upper
        assert sure.lower <= answer.upper
        assert sum(one.points for one in answer.trace if one.route.startswith("large")) <= effort * 2.0**19 * 14
        widths.append(answer.width)
    assert widths[0] > widths[1] > widths[2]
    assert answer.converged


@pytest.mark.parametrize("effort", [0.0, -1.0, math.nan, math.inf, 65.0, "much"])
def test_bad_efforts(effort: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="effort"):
        TRAINING.epsilon(1e-6, effort=effort)  # type: ignore[call-overload]


def test_every_reason_says_what_to_try() -> None:
    named = [value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)]
    named = [value for value in named if not reasons.not_certified(value)]  # a proof that is missing is nothing to try
    assert len(named) == 9
    assert all(to_try(reason) for reason in named)
    assert to_try("") == ""


def test_arrays_of_brackets_have_arrays_of_traces() -> None:
    found = RARE.delta([[0.01, 0.02]], rtol=1e-3)
    assert found.trace.shape == found.reason.shape == (1, 2)
    assert found.trace[0, 1] == found[0, 1].trace != ()
    assert found.reason.tolist() == [["", ""]]


@pytest.mark.parametrize("noise", [0.6, 0.64, 0.7])
def test_where_the_law_of_the_width_fails_large_losses_are_taken_apart_in_the_next_stage(noise: float) -> None:
    """The first stage is reached by a grid much finer than planned; there is no need to fail with finer ones still."""
    composition = tb.Poisson(tb.Gaussian(noise), 1e-3) * 1000
    coarse, fine = (composition.epsilon(1e-5, rtol) for rtol in (1e-3, 1e-5))
    assert fine.converged
    assert [one.route for one in fine.trace[: len(coarse.trace)]] == [one.route for one in coarse.trace]
    assert {one.route for one in coarse.trace} <= {"few frequencies", "Chernoff"}
    assert {one.route for one in fine.trace[len(coarse.trace) :]} == {"large losses apart, few frequencies"}


@pytest.mark.slow
def test_a_stage_plans_as_the_one_before_turned_out() -> None:
    """The first plans are a little too wide here; from then on the long lists of the last stage are made once."""
    training = tb.Poisson(tb.Gaussian(1.0), 0.01) * 100
    answer = training.epsilon(1e-6, rtol=1e-6)
    assert answer.converged
    assert [one.route for one in answer.trace].count("large losses apart, levels") == 1
