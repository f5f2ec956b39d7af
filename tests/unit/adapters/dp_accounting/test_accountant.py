"""The accountant in dp_accounting's own hands: its tests for every accountant, its calibration, and edge values."""

import copy
import math
import pickle
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting import dp_event, privacy_accountant_test
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from scipy.special import ndtr, ndtri

import tightbudget as tb
from tightbudget.adapters.dp_accounting import TightBudgetAccountant
from tightbudget.adapters.dp_accounting.asked_before import _in_few_digits, epsilon_of
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.bracket import Bracket

Relation = dp_accounting.NeighboringRelation


class TestAsTheyTestAllAccountants(privacy_accountant_test.PrivacyAccountantTest):
    """What dp_accounting asks of every accountant; its own module holds the tests."""

    def _make_test_accountants(self) -> Collection[dp_accounting.PrivacyAccountant]:
        return [TightBudgetAccountant(relation) for relation in Relation]


def sampled(noise: float, rate: float, count: int = 1) -> dp_event.DpEvent:
    return dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(noise)), count)


def test_the_answers_are_plain_floats_and_the_upper_ends_of_brackets() -> None:
    accountant = TightBudgetAccountant().compose(sampled(1.1, 0.01, 1000))
    bracket = accountant.bracket_epsilon(1e-5)
    assert type(accountant.get_epsilon(1e-5)) is float
    assert accountant.get_epsilon(1e-5) == bracket.upper
    assert bracket.lower < bracket.upper <= bracket.lower * (1 + 1.1e-5)
    assert bracket.relation == "add_remove"
    delta = accountant.bracket_delta(1.5)
    assert type(accountant.get_delta(1.5)) is float
    assert accountant.get_delta(1.5) == delta.upper
    assert accountant.composition == tb.Poisson(tb.Gaussian(1.1), 0.01) * 1000


@pytest.mark.parametrize("rtol", [1e-2, 1e-5, 1e-9])
@pytest.mark.parametrize("noise", [0.71, 5.3, 301.7])
def test_epsilon_has_as_many_digits_as_the_tolerance_leaves(noise: float, rtol: float) -> None:
    accountant = TightBudgetAccountant(rtol=rtol).compose(sampled(noise, 0.01, 100))
    found, stated = accountant.composition.epsilon(1e-6, rtol=rtol), accountant.get_epsilon(1e-6)
    assert found.lower <= stated <= found.upper * (1 + 2 * rtol)
    assert accountant.bracket_epsilon(1e-6).upper == stated
    assert float(f"{stated:.{2 - math.floor(math.log10(rtol))}e}") == stated


@pytest.mark.parametrize(
    "event", [dp_event.LaplaceDpEvent(7.3), dp_event.GaussianDpEvent(31.0), dp_event.DiscreteLaplaceDpEvent(0.13, 1)]
)
def test_what_has_a_closed_form_is_rounded_up_too(event: dp_event.DpEvent) -> None:
    accountant = TightBudgetAccountant().compose(event, 30)
    found, stated = accountant.composition.epsilon(1e-6, rtol=1e-12), accountant.get_epsilon(1e-6)
    assert found.upper <= stated <= found.upper * (1 + 1.1e-5)
    assert float(f"{stated:.7e}") == stated


def test_a_sum_of_promises_and_a_number_of_few_digits_are_not_rounded() -> None:
    event = dp_event.RandomizedResponseDpEvent(0.5, 2)
    accountant = TightBudgetAccountant(Relation.REPLACE_ONE).compose(event, 10)
    assert accountant.get_epsilon(0.0) == accountant.composition.epsilon(0.0).upper
    assert TightBudgetAccountant().compose(sampled(1.0, 0.01)).get_epsilon(0.0) == math.inf
    assert _in_few_digits(Bracket(0.2, 0.3), 1e-5) == 0.3
    assert _in_few_digits(Bracket(0.2, 0.1 + 0.2), 1e-5) == 0.30000001


@pytest.mark.parametrize("noise", [dp_event.GaussianDpEvent, dp_event.LaplaceDpEvent])
@pytest.mark.parametrize("target", [0.3, 1.0, 2.5])
def test_a_search_for_a_target_of_few_digits_hits_it(target: float, noise: Any) -> None:
    asked: list[float] = []

    def event(scale: float) -> dp_event.DpEvent:
        asked.append(scale)
        return dp_event.SelfComposedDpEvent(noise(scale), 100)

    interval = dp_accounting.ExplicitBracketInterval(1, 400)
    found = dp_accounting.calibrate_dp_mechanism(TightBudgetAccountant, event, target, 1e-6, interval)
    assert TightBudgetAccountant().compose(event(found)).bracket_epsilon(1e-6).upper <= target
    assert len(asked) <= 15


def test_of_two_tries_the_better_ends_are_taken() -> None:
    """A class has ends far apart, whose digits more effort does not pursue; less effort had."""
    event = dp_event.TruncatedSubsampledGaussianDpEvent(200, 0.1, 22, 1.5)
    accountant = TightBudgetAccountant(rtol=1e-6).compose(event, 20)
    asked = accountant.composition.asked("add_remove")
    found = epsilon_of(accountant.composition, "add_remove", 1e-6, 1e-6)
    for one in (asked.epsilon(1e-6, 1e-6, effort=1.0), asked.epsilon(1e-6, 1e-6)):
        assert one.lower <= found.lower <= found.upper <= one.upper * (1 + 1e-8)
    assert found.upper < asked.epsilon(1e-6, 1e-6).upper


def test_the_relation_is_theirs_and_is_never_guessed() -> None:
    assert TightBudgetAccountant().neighboring_relation is Relation.ADD_OR_REMOVE_ONE
    assert TightBudgetAccountant("replace_one").neighboring_relation is Relation.REPLACE_ONE
    for relation, shift in ((Relation.ADD_OR_REMOVE_ONE, 1.0), (Relation.REPLACE_ONE, 2.0), (Relation.REPLACE_SPECIAL, 1.0)):
        found = TightBudgetAccountant(relation).compose(dp_event.GaussianDpEvent(2.0)).bracket_epsilon(1e-6)
        alone = tb.Gaussian(2.0, sensitivity=shift).epsilon(1e-6)
        assert found.lower <= alone.upper
        assert alone.lower <= found.upper
        assert found.relation == {1: "add_remove", 2: "replace_one", 3: "zero_out"}[relation.value]
    with pytest.raises(tb.InvalidParameter, match="one of ADD_OR_REMOVE_ONE"):
        TightBudgetAccountant("substitute")


@pytest.mark.parametrize(
    "event",
    [
        dp_event.GaussianDpEvent(0.0),
        dp_event.LaplaceDpEvent(0),
        dp_event.DiscreteLaplaceDpEvent(0.0, 1),
        dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(0.0)),
        dp_event.MixtureOfGaussiansDpEvent(0.0, [0.0, 1.0], [0.5, 0.5]),
        dp_event.TruncatedSubsampledGaussianDpEvent(100, 0.1, 20, 0.0),
    ],
)
def test_no_noise_is_not_private_even_at_a_delta_of_1(event: dp_event.DpEvent) -> None:
    for accountant in (TightBudgetAccountant(), PLDAccountant()):
        accountant.compose(event)
        assert accountant.get_epsilon(1.0) == accountant.get_epsilon(1e-6) == math.inf
        assert accountant.get_delta(math.inf) == accountant.get_delta(3.0) == 1.0


@pytest.mark.parametrize(
    "event",
    [
        dp_event.PoissonSampledDpEvent(0, dp_event.GaussianDpEvent(0.0)),
        dp_event.PoissonSampledDpEvent(0.0, dp_event.LaplaceDpEvent(1.0)),
        dp_event.TruncatedSubsampledGaussianDpEvent(100, 0.0, 20, 0.0),
        dp_event.TruncatedSubsampledGaussianDpEvent(100, 0.1, 0, 1.0),
        dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0], [1.0]),
        dp_event.ComposedDpEvent([]),
    ],
)
def test_what_touches_no_record_costs_nothing(event: dp_event.DpEvent) -> None:
    for accountant in (TightBudgetAccountant(), PLDAccountant()):
        accountant.compose(event)
        assert accountant.get_epsilon(0.0) == accountant.get_epsilon(1e-6) == 0.0
        assert accountant.get_delta(0.0) == 0.0


def test_one_bucket_tells_nothing_and_no_noise_tells_all() -> None:
    one = TightBudgetAccountant(Relation.REPLACE_ONE).compose(dp_event.RandomizedResponseDpEvent(0.0, 1))
    assert one.get_epsilon(0.0) == 0.0
    two = TightBudgetAccountant(Relation.REPLACE_ONE).compose(dp_event.RandomizedResponseDpEvent(0.0, 2))
    assert two.get_epsilon(1.0) == math.inf


@pytest.mark.parametrize("count", [0, -1])
def test_counts_below_1_raise_what_theirs_do(count: int) -> None:
    for make in (TightBudgetAccountant, PLDAccountant):
        with pytest.raises(ValueError, match="count"):
            make().compose(dp_event.GaussianDpEvent(1.0), count)
        with pytest.raises(ValueError, match="count"):
            make().compose(dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(1.0), count))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (dp_event.GaussianDpEvent(-1.0), "sigma is -1.0, but must be"),
        (dp_event.GaussianDpEvent(math.nan), "sigma is nan, but must be"),
        (dp_event.GaussianDpEvent("1"), "sigma is '1', but must be"),
        (dp_event.LaplaceDpEvent(-0.5), "scale is -0.5, but must be"),
        (dp_event.PoissonSampledDpEvent(1.5, dp_event.GaussianDpEvent(1.0)), "sampling_probability is 1.5, but must be"),
        (dp_event.PoissonSampledDpEvent(math.nan, dp_event.GaussianDpEvent(1.0)), "sampling_probability is nan"),
        (dp_event.SampledWithoutReplacementDpEvent(10, 20, dp_event.GaussianDpEvent(1.0)), "batch is 20"),
        (dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.5, 0.6]), "sum 1"),
        (dp_event.RandomizedResponseDpEvent(1.5, 2), "noise_parameter is 1.5"),
        (dp_event.ZCDpEvent(-1.0), "rho is -1"),
        (dp_event.ZCDpEvent(0.1, -1.0), "xi is -1"),
    ],
)
def test_bad_numbers_raise_a_value_error_with_our_sentence_and_leave_no_trace(event: Any, sentence: str) -> None:
    accountant = TightBudgetAccountant(Relation.REPLACE_ONE if "Randomized" in repr(event) else Relation.ADD_OR_REMOVE_ONE)
    accountant.compose(dp_event.GaussianDpEvent(2.0))
    before = accountant.get_epsilon(1e-6), accountant.ledger
    assert not accountant.supports(event)
    with pytest.raises(ValueError, match=sentence):
        accountant.compose(event)
    assert (accountant.get_epsilon(1e-6), accountant.ledger) == before


def test_what_nests_an_unknown_event_is_refused_by_its_name() -> None:
    class HomeMadeDpEvent(dp_event.GaussianDpEvent):
        """A Gaussian, perhaps."""

    inner = HomeMadeDpEvent(1.0)
    event = dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(1.0), dp_event.PoissonSampledDpEvent(0.1, inner)])
    accountant = TightBudgetAccountant()
    assert not accountant.supports(event)
    with pytest.raises(dp_accounting.UnsupportedEventError, match=r"HomeMadeDpEvent.*caused by subevent"):
        accountant.compose(event)
    with pytest.raises(TypeError):
        accountant.compose("gaussian")
    assert accountant.get_epsilon(0.0) == 0.0


def test_randomized_response_is_counted_as_often_as_it_is_composed() -> None:
    """PLDAccountant 0.6.0 ignores the count: ten answers cost what one does."""
    event = dp_event.RandomizedResponseDpEvent(0.5, 2)
    ours = TightBudgetAccountant(Relation.REPLACE_ONE).compose(event, 10)
    one_by_one = TightBudgetAccountant(Relation.REPLACE_ONE)
    for _ in range(10):
        one_by_one.compose(event)
    assert ours.get_epsilon(0.0) == one_by_one.get_epsilon(0.0)
    assert ours.get_epsilon(0.0) == pytest.approx(10 * math.log(3), rel=1e-12)
    theirs = PLDAccountant(Relation.REPLACE_ONE).compose(event, 10)
    assert theirs.get_epsilon(0.0) < 1.1 < ours.get_epsilon(0.0)


@pytest.mark.slow
def test_replaced_records_move_a_gaussian_by_twice_as_much() -> None:
    """RdpAccountant 0.6.0 takes the same multiplier under every relation; PLDAccountant does not."""
    event = dp_event.GaussianDpEvent(2.0)
    ours, pld, rdp = (make(Relation.REPLACE_ONE).compose(event) for make in (TightBudgetAccountant, PLDAccountant, _rdp))
    assert ours.get_delta(1.0) == pytest.approx(0.1269367375, rel=2e-5)
    assert ours.get_delta(1.0) <= pld.get_delta(1.0)
    assert rdp.get_delta(1.0) < 0.5 * ours.bracket_delta(1.0).lower


def _rdp(relation: Relation) -> RdpAccountant:
    return RdpAccountant(neighboring_relation=relation)


@pytest.mark.slow
def test_their_calibration_runs_on_ours_as_on_theirs() -> None:
    target, delta = 2.0, 1e-6

    def calibrated(make: Any) -> tuple[float, int]:
        asked: list[float] = []

        def event(noise: float) -> dp_event.DpEvent:
            asked.append(noise)
            return sampled(noise, 0.01, 1000)

        interval = dp_accounting.ExplicitBracketInterval(0.5, 4.0)
        return dp_accounting.calibrate_dp_mechanism(make, event, target, delta, interval), len(asked)

    (ours, our_calls), (theirs, their_calls) = calibrated(TightBudgetAccountant), calibrated(PLDAccountant)
    assert our_calls <= their_calls
    best = tb.calibrate("poisson(gaussian(sigma=?), q=0.01) * 1000", epsilon=target, delta=delta, rtol=1e-6)
    assert best.too_little * (1 - 1e-6) <= ours <= theirs * (1 + 2e-5)


def test_attack_rates_are_bounds_and_of_the_shape_asked_for() -> None:
    accountant = TightBudgetAccountant().compose(dp_event.GaussianDpEvent(1.0))
    rates = np.array([[0.01, 0.1], [0.5, 1.0]])
    found = accountant.get_true_positive_rates(rates)
    assert found.shape == rates.shape
    truth = ndtr(ndtri(rates) + 1.0)
    assert (truth <= found * (1 + 1e-14)).all()
    assert found == pytest.approx(truth, rel=3e-5)
    assert type(accountant.get_true_positive_rates(0.01)) is float
    assert accountant.get_true_positive_rates([0.01], deltas=[1e-3]) == pytest.approx(truth[0, :1], rel=3e-5)
    assert 1.0 <= accountant.get_gdp_parameter_estimate() <= 1.0 + 2e-3
    assert 1.0 <= accountant.get_gdp_parameter_estimate(np.array([0.01, 0.1])) <= 1.0 + 2e-3
    accountant.compose(dp_event.NonPrivateDpEvent())
    assert accountant.get_true_positive_rates(0.01) == 1.0
    assert accountant.get_gdp_parameter_estimate() == math.inf


def test_threads_lose_no_step_and_a_pickle_goes_its_own_way() -> None:
    accountant = TightBudgetAccountant()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: accountant.compose(dp_event.GaussianDpEvent(10.0), 5), range(40)))
    assert accountant.composition == tb.Gaussian(10.0) * 200
    assert accountant.ledger == dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(10.0), 200)
    copy = pickle.loads(pickle.dumps(accountant))
    copy.compose(dp_event.GaussianDpEvent(10.0))
    assert copy.get_epsilon(1e-6) > accountant.get_epsilon(1e-6)
    assert copy.neighboring_relation is accountant.neighboring_relation


@pytest.mark.slow
def test_an_answer_is_remembered_for_the_next_accountant_and_no_other_question_gets_it() -> None:
    """A search makes an accountant for each trial, and tries some values twice."""
    event = sampled(1.0731, 0.0123, 77)

    def asked(
        delta: Any, event: dp_event.DpEvent = event, relation: Relation = Relation.ADD_OR_REMOVE_ONE, **more: float
    ) -> Any:
        return TightBudgetAccountant(relation, **more).compose(event).bracket_epsilon(delta)

    first = asked(1e-6)
    assert asked(1e-6) is first
    assert asked(2e-6).upper < first.lower
    assert asked(1e-6, sampled(1.0731, 0.0123, 78)).lower > first.upper
    assert asked(1e-6, relation=Relation.REPLACE_ONE).lower > first.upper
    assert asked(1e-6, rtol=1e-3).width > first.width
    accountant = TightBudgetAccountant().compose(event)
    assert accountant.bracket_delta(1.0) is TightBudgetAccountant().compose(event).bracket_delta(1.0)
    assert accountant.compose(event).bracket_delta(1.0).lower > TightBudgetAccountant().compose(event).bracket_delta(1.0).upper
    assert asked(1.0).upper == 0.0
    with pytest.raises(InvalidParameter):  # it equals 1.0, and is none
        asked(True)


@pytest.mark.slow
def test_more_effort_is_spent_where_little_is_not_enough() -> None:
    composition = tb.Poisson(tb.Gaussian(0.7), 1e-3) * 1000
    little, default = composition.epsilon(1e-8, 1e-8, effort=1.0), composition.epsilon(1e-8, 1e-8)
    assert not little.converged
    found = TightBudgetAccountant(rtol=1e-8).compose(sampled(0.7, 1e-3, 1000)).bracket_epsilon(1e-8)
    assert found.lower == default.lower
    assert default.upper <= found.upper <= default.upper * (1 + 1e-10)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_has_steps_and_a_ledger_of_its_own(copied: Any) -> None:
    accountant = TightBudgetAccountant(Relation.REPLACE_SPECIAL).compose(dp_event.GaussianDpEvent(10.0))
    before, twin = accountant.get_epsilon(1e-6), copied(accountant)
    twin.compose(dp_event.GaussianDpEvent(10.0), 3)
    assert accountant.get_epsilon(1e-6) == before < twin.get_epsilon(1e-6)
    assert accountant.ledger == dp_event.GaussianDpEvent(10.0)
    assert twin.ledger == dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(10.0), 4)


@pytest.mark.parametrize("count", [2**53 + 1, 10**30, 0, -1, 2.0, "3", None])
def test_what_cannot_be_counted_is_not_in_the_ledger_either(count: Any) -> None:
    accountant = TightBudgetAccountant().compose(dp_event.GaussianDpEvent(10.0))
    before = accountant.get_epsilon(1e-6)
    with pytest.raises((ValueError, TypeError)):
        accountant.compose(dp_event.GaussianDpEvent(10.0), count)
    assert accountant.ledger == dp_event.GaussianDpEvent(10.0)
    assert accountant.get_epsilon(1e-6) == before
