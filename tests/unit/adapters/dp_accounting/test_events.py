"""Events in every form, read and written: round trips, directed rounding, refusals by name."""

import inspect
import json
import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import dp_accounting
import pytest
from dp_accounting import dp_event
from mpmath import mp, mpf

import tightbudget as tb
from tightbudget.adapters.dp_accounting import (
    TightBudgetAccountant,
    UnsupportedEvent,
    event_from_json,
    event_to_json,
    from_event,
    relation_of,
    to_event,
)
from tightbudget.adapters.dp_accounting.reading import NON_PRIVATE
from tightbudget.adapters.dp_accounting.writing import event_fields

Relation = dp_accounting.NeighboringRelation
GAUSSIAN = dp_event.GaussianDpEvent(2.0)

# each event class of the package that is installed: under which relation, what it becomes
EVENTS: list[tuple[dp_event.DpEvent, str, str]] = [
    (dp_event.NoOpDpEvent(), "add_remove", ""),
    (dp_event.NonPrivateDpEvent(), "add_remove", "approximate_dp(epsilon=0.0, delta=1.0)"),
    (GAUSSIAN, "add_remove", "gaussian(sigma=2.0)"),
    (GAUSSIAN, "replace_one", "gaussian(sigma=2.0, sensitivity=2.0, relation='replace_one')"),
    (dp_event.LaplaceDpEvent(2.0), "zero_out", "laplace(scale=2.0, relation='zero_out')"),
    (dp_event.DiscreteLaplaceDpEvent(0.5, 3), "add_remove", "discrete_laplace(scale=2.0, sensitivity=3)"),
    (dp_event.RandomizedResponseDpEvent(0.5, 4), "replace_one", "randomized_response(p=0.625, k=4)"),
    (dp_event.RandomizedResponseDpEvent(0.5, 4), "zero_out", "randomized_response(p=0.625, k=4, relation='zero_out')"),
    (dp_event.SelfComposedDpEvent(GAUSSIAN, 7), "add_remove", "gaussian(sigma=2.0) * 7"),
    (
        dp_event.ComposedDpEvent([GAUSSIAN, dp_event.LaplaceDpEvent(3.0)]),
        "add_remove",
        "gaussian(sigma=2.0) + laplace(scale=3.0)",
    ),
    (dp_event.PoissonSampledDpEvent(0.25, GAUSSIAN), "add_remove", "poisson(gaussian(sigma=2.0), q=0.25)"),
    (
        dp_event.PoissonSampledDpEvent(0.25, GAUSSIAN),
        "replace_one",
        "poisson(gaussian(sigma=2.0), q=0.25, relation='replace_one')",
    ),
    (
        dp_event.SampledWithReplacementDpEvent(100, 5, GAUSSIAN),
        "replace_one",
        "with_replacement(gaussian(sigma=2.0), batch=5, examples=100)",
    ),
    (
        dp_event.SampledWithoutReplacementDpEvent(100, 5, GAUSSIAN),
        "replace_one",
        "without_replacement(gaussian(sigma=2.0), batch=5, examples=100, relation='replace_one')",
    ),
    (
        dp_event.SingleEpochTreeAggregationDpEvent(2.0, 8),
        "zero_out",
        "tree_aggregation(sigma=2.0, steps=8, relation='zero_out')",
    ),
    (
        dp_event.MixtureOfGaussiansDpEvent(1.5, [0.0, 1.0], [0.75, 0.25]),
        "add_remove",
        "mixture_of_gaussians(sigma=1.5, centres=[0.0, 1.0], probabilities=[0.75, 0.25])",
    ),
    (
        dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 10.0, 1.0),
        "add_remove",
        "repeat_and_select(gaussian(sigma=2.0), mean=10.0)",
    ),
    (
        dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 3.0, math.inf),
        "replace_one",
        "repeat_and_select(gaussian(sigma=2.0, sensitivity=2.0, relation='replace_one'), runs='poisson', mean=3.0)",
    ),
    (dp_event.ZCDpEvent(0.125), "add_remove", "zcdp(rho=0.125)"),
    (
        dp_event.TruncatedSubsampledGaussianDpEvent(100, 0.25, 30, 2.0),
        "add_remove",
        "truncated_poisson(gaussian(sigma=2.0), q=0.25, cap=30, examples=100)",
    ),
]


@pytest.mark.parametrize(("event", "relation", "written"), EVENTS, ids=lambda value: type(value).__name__)
def test_an_event_is_what_it_says_and_comes_back(event: dp_event.DpEvent, relation: str, written: str) -> None:
    read = from_event(event, relation)
    assert str(read) == (written or str(tb.compose([])))
    assert to_event(read) == event
    if not isinstance(read, tb.ApproximateDP | tb.ZCDP) and read != tb.compose([]):
        assert relation_of(read) == {"add_remove": "ADD_OR_REMOVE_ONE", "replace_one": "REPLACE_ONE"}.get(
            relation, "REPLACE_SPECIAL"
        )


@pytest.mark.parametrize("promise", [tb.PureDP(0.1), tb.ZCDP(rho=0.1), tb.Exponential(0.1)], ids=str)
def test_batches_of_a_promise_are_written_for_replaced_records_alone(promise: tb.Mechanism) -> None:
    replaced = tb.WithoutReplacement(promise, 10, examples=1000, relation="replace_one") * 3
    written = event_fields(replaced)
    assert event_fields(from_event(written, "replace_one")) == written
    with pytest.raises(UnsupportedEvent, match="promise for replaced records"):
        event_fields(tb.WithoutReplacement(promise, 10, examples=1000))


@pytest.mark.parametrize(("event", "relation", "written"), EVENTS, ids=lambda value: type(value).__name__)
def test_every_form_of_an_event_reads_alike(event: dp_event.DpEvent, relation: str, written: str) -> None:
    read = from_event(event, relation)
    assert from_event(event.to_named_tuple(), relation) == read
    assert from_event(event_from_json(event_to_json(event)), relation) == read
    assert json.loads(event_to_json(event)) == json.loads(event_to_json(event.to_named_tuple()))


def test_no_event_class_was_forgotten() -> None:
    kinds = {
        name
        for name, kind in vars(dp_event).items()
        if inspect.isclass(kind) and issubclass(kind, dp_event.DpEvent) and kind is not dp_event.DpEvent
    }
    read = {type(event).__name__ for event, _, _ in EVENTS}
    assert kinds - read == {"UnsupportedDpEvent"}


# of versions to come: by the names of their classes, and as dictionaries
@pytest.mark.parametrize(
    ("kind", "fields", "written"),
    [
        ("EpsilonDeltaDpEvent", {"epsilon": 1.0, "delta": 1e-6}, "approximate_dp(epsilon=1.0, delta=1e-06)"),
        ("ExponentialMechanismDpEvent", {"epsilon": 0.5}, "exponential(epsilon=0.5)"),
        ("PermuteAndFlipDpEvent", {"epsilon": 0.5}, "permute_and_flip(epsilon=0.5)"),
        (
            "DiscreteGaussianDpEvent",
            {"sigma": 3.0, "sensitivity": 2.9, "dimension": 1},
            "discrete_gaussian(sigma=3.0, sensitivity=2)",
        ),
        ("DiscreteGaussianDpEvent", {"sigma": 2.0}, "discrete_gaussian(sigma=2.0, dimension=4)"),
        (
            "DiscreteGaussianDpEvent",
            {"sigma": 2.0, "sensitivity": 1.5, "dimension": 3},
            "discrete_gaussian(sigma=2.0, sensitivity=1.5, dimension=3)",
        ),
        ("DiscreteGaussianDpEvent", {"sigma": 0.0, "sensitivity": 1.5, "dimension": 3}, str(NON_PRIVATE)),
        (
            "RandomAllocationDpEvent",
            {"event": GAUSSIAN, "num_selected": 2, "num_steps": 10},
            "random_allocation(gaussian(sigma=2.0), batches=10, times=2)",
        ),
    ],
)
def test_newer_events_are_read_by_name(kind: str, fields: dict[str, Any], written: str) -> None:
    assert str(from_event({"class_name": kind, **fields})) == written


def test_numbers_are_rounded_towards_less_privacy() -> None:
    for rate in (0.3, 0.7, 1e-3, 3.0, 1e-300):
        read = from_event(dp_event.DiscreteLaplaceDpEvent(rate, 1))
        assert Fraction(read.scale) * Fraction(rate) <= 1 < Fraction(math.nextafter(read.scale, math.inf)) * Fraction(rate)
    for noise, buckets in ((0.3, 3), (0.1, 7), (1e-12, 5), (0.999, 1000)):
        truth = from_event(dp_event.RandomizedResponseDpEvent(noise, buckets), "replace_one").p
        exact = 1 - Fraction(noise) + Fraction(noise) / buckets
        assert Fraction(math.nextafter(truth, 0.0)) < exact <= Fraction(truth)
    for sigma, sensitivity in ((1.0, 3.0), (0.1, 0.7), (5.0, 1.1)):
        multiplier = to_event(tb.Gaussian(sigma, sensitivity)).noise_multiplier
        assert Fraction(multiplier) * Fraction(sensitivity) <= Fraction(sigma)
    for dimension in (None, 1, 5):  # no vector of integers is as short as 0.7
        event = {"class_name": "DiscreteGaussianDpEvent", "sigma": 0.3, "sensitivity": 0.7, "dimension": dimension}
        assert from_event(event).sensitivity == 1


@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
@pytest.mark.parametrize("sensitivity", [1.0, math.sqrt(2.0), 1.9, 2.0, math.sqrt(5.0)])
def test_a_dimension_that_is_not_told_may_be_any(sensitivity: float, relation: str) -> None:
    event = {"class_name": "DiscreteGaussianDpEvent", "sigma": 1.5, "sensitivity": sensitivity}
    unknown = [from_event(event, relation).delta(epsilon).upper for epsilon in (0.0, 1.0, 3.0)]
    for dimension in (1, 2, 3, 4, 7, 30, 10**9):
        known = from_event({**event, "dimension": dimension}, relation)
        assert all(known.delta(at).lower <= up for at, up in zip((0.0, 1.0, 3.0), unknown, strict=True))
    many = from_event({**event, "dimension": 10**9}, relation)
    assert unknown == [many.delta(epsilon).upper for epsilon in (0.0, 1.0, 3.0)]


@pytest.mark.parametrize(
    "promise",
    [
        {"class_name": "EpsilonDeltaDpEvent", "epsilon": 1.0, "delta": 0.0},
        {"class_name": "ZCDpEvent", "rho": 0.5, "xi": 0.0},
        {"class_name": "ExponentialMechanismDpEvent", "epsilon": 1.0},
        {"class_name": "PermuteAndFlipDpEvent", "epsilon": 1.0},
    ],
    ids=lambda promise: promise["class_name"],
)
def test_a_promise_about_added_records_says_nothing_of_batches_that_differ_by_a_replaced_one(promise: dict[str, Any]) -> None:
    """Laplace noise keeps each of these promises, and in such a batch it costs more than they would."""
    batch = {"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 100, "sample_size": 10}
    noise = from_event({**batch, "event": dp_event.LaplaceDpEvent(1.0)})
    promised = from_event({**batch, "event": promise}, "replace_one")
    assert promised.delta(0.3).upper < noise.delta(0.3).lower
    for relation in ("add_remove", "zero_out"):
        with pytest.raises(UnsupportedEvent, match="promise is for replaced records"):
            from_event({**batch, "event": promise}, relation)


def test_an_order_of_a_promise_with_an_offset_is_at_least_what_is_promised() -> None:
    promise = from_event(dp_event.ZCDpEvent(0.1, 0.2))
    assert isinstance(promise, tb.RDP)
    for order, divergence in zip(promise.alpha, promise.divergences, strict=True):
        assert divergence >= Fraction(1, 5) + Fraction(1, 10) * order
    assert (promise * 3).epsilon(1e-5).upper < (tb.ZCDP(0.3 + 0.6)).epsilon(1e-5).upper


def test_divergences_of_a_promise_with_an_offset_are_not_rounded() -> None:
    for rho, xi in ((0.1, 0.2), (1 / 3, 1e-3), (1e-17, 0.7), (0.3, 1e-20)):
        promise = from_event(dp_event.ZCDpEvent(rho, xi))
        for order, divergence in zip(promise.alpha, promise.divergences, strict=True):
            assert Fraction(divergence) == Fraction(str(xi)) + Fraction(str(rho)) * Fraction(order)


def test_an_offset_that_no_float_holds_has_no_finite_upper_end() -> None:
    assert from_event(dp_event.ZCDpEvent(1.0, 10**400)).epsilon(1e-6).upper == math.inf


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (dp_event.RandomizedResponseDpEvent(0.5, 0), "num_buckets is 0, but must be a whole number from 1"),
        (
            dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 1e6, -0.99),
            r"mean is 1000000\.0, but must be at most 1\.30507 for a shape",
        ),
        (dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 1e11, 0.0), r"at most 3\.61912e\+10 for a shape of 0"),
        (dp_event.RepeatAndSelectDpEvent(GAUSSIAN, 0.5, 0.5), "a number from 1, below 1e12"),
    ],
)
def test_what_is_refused_is_said_by_the_fields_of_the_event(event: dp_event.DpEvent, sentence: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=sentence):
        from_event(event, "replace_one")
    assert not TightBudgetAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE).supports(event)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [0.0, 0.5, 2.0, -0.5, 1e-9])
@pytest.mark.parametrize("mean", [1.0, 1 + 1e-9, 1.5, 10.0, 1e5])
def test_there_are_as_many_runs_as_the_mean_says_and_hardly_more(mean: float, shape: float) -> None:
    read = from_event(dp_event.RepeatAndSelectDpEvent(GAUSSIAN, mean, shape))
    assert isinstance(read, tb.RepeatAndSelect)
    with mp.workdps(60):
        gamma, eta = mpf(read.gamma), mpf(read.eta or 0)
        if gamma == 1:
            found = mpf(1)
        elif eta == 0:
            found = (1 / gamma - 1) / mp.log(1 / gamma)
        else:
            found = eta * (1 - gamma) / (gamma * (1 - gamma**eta))
        assert mean <= found <= mean * (1 + mpf(10) ** -9)
    assert to_event(read).shape == shape
    assert mean <= to_event(read).mean <= mean * (1 + 1e-9)


def test_one_sample_of_two_releases_is_not_two_samples() -> None:
    both = dp_event.PoissonSampledDpEvent(0.1, dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(1.0)] * 2))
    one = from_event(both)
    assert one.delta(1.0, direction="remove").lower == pytest.approx(0.0036636549589791, rel=1e-3)


@pytest.mark.parametrize(
    ("event", "relation", "sentence"),
    [
        (dp_event.UnsupportedDpEvent(), "add_remove", "No bound is known for the event UnsupportedDpEvent"),
        (dp_event.RandomizedResponseDpEvent(0.5, 2), "add_remove", "not known under ADD_OR_REMOVE_ONE"),
        (dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.5, 0.5]), "replace_one", "not known under REPLACE_ONE"),
        (
            dp_event.PoissonSampledDpEvent(0.1, dp_event.RandomizedResponseDpEvent(0.5, 2)),
            "replace_one",
            "RandomizedResponseDpEvent is not known under",
        ),
    ],
)
def test_what_is_not_known_is_refused_by_name(event: dp_event.DpEvent, relation: str, sentence: str) -> None:
    with pytest.raises(UnsupportedEvent, match=sentence):
        from_event(event, relation)


@pytest.mark.slow
def test_what_is_no_event_is_refused_in_a_sentence() -> None:
    for given in ("gaussian", 3, None, {"noise_multiplier": 1.0}):
        with pytest.raises(tb.InvalidParameter, match="event is"):
            from_event(given)
    for broken in (
        {"class_name": "ComposedDpEvent", "events": 3},
        {"class_name": "ComposedDpEvent", "events": None},
        {"class_name": "ComposedDpEvent", "events": "ab"},
        {"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": 1.0, "sensitivities": None, "sampling_probs": [1.0]},
        {"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": 1.0, "sensitivities": [1.0], "sampling_probs": 1.0},
    ):
        with pytest.raises(tb.InvalidParameter, match="but must be a list"):
            from_event(broken)
    deep: Any = GAUSSIAN
    for _ in range(100_000):
        deep = {"class_name": "ComposedDpEvent", "events": [deep]}
    with pytest.raises(tb.InvalidParameter, match="nested too deeply"):
        from_event(deep)
    while isinstance(deep, dict):  # taken apart here: Python's own clean-up would go as deep
        deep = deep.pop("events")[0]
    with pytest.raises(tb.InvalidParameter, match="noise_multiplier is None, but must be there"):
        from_event({"class_name": "GaussianDpEvent"})
    for text in ("{", "[]", '{"noise_multiplier": 1}'):
        with pytest.raises(tb.InvalidParameter, match="but must be JSON"):
            event_from_json(text)
    with pytest.raises(tb.InvalidParameter, match="one of ADD_OR_REMOVE_ONE"):
        from_event(GAUSSIAN, "other")


@pytest.mark.parametrize("c", [tb.Histograms((0.5, 0.5), (0.4, 0.6)), tb.Skellam(3.0), tb.ZCDP(0.1, delta=1e-6)])
def test_what_has_no_event_is_not_written(c: tb.Mechanism) -> None:
    with pytest.raises(UnsupportedEvent, match="no event for"):
        to_event(c)


def test_the_installed_package_may_lack_an_event() -> None:
    with pytest.raises(UnsupportedEvent, match="that is installed has no EpsilonDeltaDpEvent"):
        to_event(tb.ApproximateDP(1.0, 1e-6))


@pytest.mark.slow
def test_events_are_read_and_written_as_json_without_the_package() -> None:
    code = (
        "import sys; sys.modules['dp_accounting'] = None\n"
        "from tightbudget.adapters.dp_accounting import from_event\n"
        "from tightbudget.adapters.dp_accounting.writing import event_fields, to_event\n"
        "c = from_event({'class_name': 'GaussianDpEvent', 'noise_multiplier': 2.0})\n"
        "print(event_fields(c)['class_name'])\n"
        "try: to_event(c)\n"
        "except ImportError as problem: print(problem)\n"
        "try: from tightbudget.adapters.dp_accounting import TightBudgetAccountant\n"
        "except ImportError as problem: print(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert done[0] == "GaussianDpEvent"
    assert done[1] == done[2]
    assert "pip install dp-accounting" in done[1]


def test_an_event_by_nearly_its_name_is_told_by_its_name() -> None:
    with pytest.raises(UnsupportedEvent, match=r"No bound is known for the event LaplaceDp\. Did you mean LaplaceDpEvent\?"):
        from_event({"class_name": "LaplaceDp", "noise_multiplier": 1.0})
