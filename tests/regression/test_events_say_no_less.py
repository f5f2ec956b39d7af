"""Events that once said less than the composition they were written for, or were read as less than they say."""

import json
import math
from fractions import Fraction

import pytest
from dp_accounting import dp_event

import tightbudget as tb
from tightbudget.adapters.convert import convert
from tightbudget.adapters.dp_accounting import (
    TightBudgetAccountant,
    UnsupportedEvent,
    from_event,
    relation_of,
    to_event,
)
from tightbudget.adapters.dp_accounting.writing import event_fields
from tightbudget.interfaces.cli import main

REPLACED = "replace_one"
NOISES = [
    tb.Gaussian(1.0, 2.0, relation=REPLACED),
    tb.Laplace(1.0, 2.0, relation=REPLACED),
    tb.DiscreteLaplace(1.0, 2, relation=REPLACED),
    tb.DiscreteGaussian(1.0, 2, relation=REPLACED),
]
ADDED = [tb.Gaussian(1.0), tb.Laplace(1.0), tb.DiscreteLaplace(1.0), tb.DiscreteGaussian(1.0)]


def read_back(c: tb.Mechanism | tb.Composition) -> tb.Composition:
    return from_event(event_fields(c), relation_of(c))


@pytest.mark.parametrize(("noise", "added"), list(zip(NOISES, ADDED, strict=True)), ids=str)
def test_a_sample_of_noise_that_is_stated_for_replaced_records_has_no_event(noise: tb.Mechanism, added: tb.Mechanism) -> None:
    """Gaussian noise came back with a delta(0.3) of 0.0097, where a neighbour of the written has 0.0418."""
    written = tb.Poisson(noise, q=0.1, relation=REPLACED)
    for convert_it in (to_event, event_fields):
        with pytest.raises(UnsupportedEvent, match="state the sensitivity for add_remove, usually half of this one"):
            convert_it(written)
    stated = tb.Poisson(added, q=0.1, relation=REPLACED)
    assert read_back(stated) == stated
    assert read_back(noise) == noise  # what is not sampled is halved, and doubled when it is read


def test_the_command_refuses_such_an_event_too(capsys: pytest.CaptureFixture[str]) -> None:
    text = "poisson(gaussian(sigma=1.0, sensitivity=2.0, relation='replace_one'), q=0.1, relation='replace_one')"
    assert convert(text).event is None
    assert main(["convert", text, "--to", "event"]) == 2
    assert "state the sensitivity for add_remove" in capsys.readouterr().err


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_a_batch_of_a_fixed_size_is_read_with_what_replacing_does(noise: tb.Mechanism) -> None:
    written = tb.WithoutReplacement(noise, 5, examples=50, relation=REPLACED)
    read = read_back(written)
    for epsilon in (0.3, 2.0):
        assert read.delta(epsilon).lower >= written.delta(epsilon).lower * (1.0 - 1e-9)


@pytest.mark.parametrize(
    "mixed",
    [
        tb.Poisson(NOISES[0], q=0.1, mix_relations=True),
        tb.RandomAllocation(NOISES[0], batches=4, mix_relations=True),
        tb.Gaussian(1.0) + NOISES[0],
    ],
    ids=str,
)
def test_what_is_for_several_relations_has_no_event(mixed: tb.Mechanism | tb.Composition) -> None:
    """The sample came back with a delta(0.3) of 0.0056 for 0.0418, the allocation with 0.128 for 0.447."""
    for convert_it in (event_fields, relation_of):
        with pytest.raises(UnsupportedEvent, match=r"for add_remove\+replace_one\. An event is asked under one"):
            convert_it(mixed)


def test_a_sum_of_several_relations_is_converted_without_an_event() -> None:
    text = "gaussian(sigma=1.0) + gaussian(sigma=1.0, sensitivity=2.0, relation='replace_one')"
    found = convert(text)
    assert (found.event, found.relation) == (None, "add_remove+replace_one")
    assert "An event is asked under one" in found.no_event
    under = convert(text, REPLACED)
    assert under.event is not None
    assert str(convert(json.dumps(under.event), REPLACED).composition) == str(NOISES[0] * 2)


@pytest.mark.parametrize("sensitivity", [1, 2, 3, 4])
@pytest.mark.parametrize("noise", [tb.DiscreteGaussian, tb.DiscreteLaplace])
def test_an_odd_distance_of_replaced_records_has_no_event(noise: type[tb.Mechanism], sensitivity: int) -> None:
    """Normal noise with 3 came back with 2: a delta(0.3) of 0.620 for 0.862."""
    written = noise(1.0, sensitivity, relation=REPLACED)
    if sensitivity % 2:
        with pytest.raises(UnsupportedEvent, match="Write the next even sensitivity"):
            event_fields(written)
    else:
        assert read_back(written) == written


@pytest.mark.parametrize("length", [1.0, math.sqrt(2.0), 1.9, 2.0, math.sqrt(5.0)])
def test_vectors_of_replaced_records_are_said_to_be_as_long_as_they_can_be(length: float) -> None:
    written = tb.DiscreteGaussian(1.0, length, 3, relation=REPLACED)
    assert event_fields(written)["sensitivity"] >= 1.0  # no vector of whole numbers that tells anything is shorter
    assert read_back(written).sensitivity >= length


@pytest.mark.parametrize("rho", ["0.100000000000000004", "1/3", "0.1", 0.1, 0.7, "1/10000000000000000000000000001"])
def test_a_promise_that_no_float_holds_is_written_as_more_in_either_notation(rho: str | float) -> None:
    """0.100000000000000004 was written as the float 0.1, which is read as one tenth."""
    promise = tb.ZCDP(rho=rho)
    told = event_fields(promise)["rho"]
    assert Fraction(told) >= promise.rho
    assert read_back(promise).rho >= promise.rho
    assert told <= float(promise.rho) * (1.0 + 1e-15)


@pytest.mark.parametrize("epsilon", [2**53, 2**53 + 1, 0.1, 3])
def test_a_promise_in_whole_numbers_is_not_rounded_down(epsilon: float) -> None:
    assert Fraction(event_fields(tb.PureDP(epsilon))["epsilon"]) >= Fraction(epsilon)


@pytest.mark.parametrize(
    "c",
    [
        tb.DiscreteLaplace(1e-320),
        tb.RepeatAndSelect(tb.Gaussian(1.0), runs="negative_binomial", eta=0.5, gamma=1e-12),
        tb.WithoutReplacement(tb.RandomizedResponse(0.7), 5, examples=50, relation=REPLACED),
    ],
    ids=str,
)
def test_what_cannot_be_read_back_has_no_event(c: tb.Mechanism) -> None:
    with pytest.raises(UnsupportedEvent, match=r"no event for .* that can be read back"):
        event_fields(c)


@pytest.mark.parametrize(("shape", "reveals"), [(math.inf, False), (1.0, True)])
def test_a_mean_of_no_runs_is_none_of_the_laws_that_always_run(shape: float, reveals: bool) -> None:
    """A geometric number of runs is 1 or more; a mean of 0 was read as no run, which reveals nothing."""
    event = dp_event.RepeatAndSelectDpEvent(dp_event.GaussianDpEvent(1.0), 0.0, shape)
    if reveals:
        with pytest.raises(tb.InvalidParameter, match="mean"):
            from_event(event)
    else:
        assert from_event(event) == tb.compose([])


def estimate(c: tb.Mechanism | tb.Composition, rates: list[float] | None = None) -> float:
    accountant = TightBudgetAccountant()
    accountant._accountant.step(c)  # the version that is installed has no event of a promise
    return accountant.get_gdp_parameter_estimate(rates)


@pytest.mark.parametrize(
    ("mass", "rates", "infinite"),
    [
        (0.28, None, True),  # it was 3.68
        (2e-12, None, True),
        (5e-13, None, False),  # so little is what cutting off a list leaves; theirs decides so too
        (0.011, [0.01, 0.1], True),
        (0.009, [0.01, 0.1], False),
        (5e-13, [0.0, 0.1], True),
        (0.28, [0.7], True),
    ],
)
def test_no_mu_is_enough_where_losses_are_infinite(mass: float, rates: list[float] | None, infinite: bool) -> None:
    found = estimate(tb.ApproximateDP(1.0, mass), rates)
    assert math.isinf(found) is infinite


def test_a_mu_of_losses_that_are_infinite_at_times() -> None:
    noise = dp_event.MixtureOfGaussiansDpEvent(0.0, [0.0, 1.0], [0.75, 0.25])
    assert TightBudgetAccountant().compose(dp_event.PoissonSampledDpEvent(0.5, noise)).get_gdp_parameter_estimate() == math.inf


@pytest.mark.parametrize(("noise", "mu"), [(0.5, 2.0), (0.11, 1 / 0.11)])
@pytest.mark.parametrize("rates", [None, [0.1], [1e-9, 0.4]])
def test_a_mu_of_noise_so_small_that_no_test_has_two_such_error_rates(
    noise: float, mu: float, rates: list[float] | None
) -> None:
    """Normal noise of 0.11 was refused: down_to is 1e-05, which nobody had asked for."""
    found = TightBudgetAccountant().compose(dp_event.GaussianDpEvent(noise)).get_gdp_parameter_estimate(rates)
    assert mu * (1.0 - 1e-9) <= found <= mu * (1.0 + 2e-3)


@pytest.mark.parametrize("rate", [-0.1, 1.5, math.nan])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(tb.InvalidParameter, match="false_positive_rates"):
        TightBudgetAccountant().compose(dp_event.GaussianDpEvent(1.0)).get_gdp_parameter_estimate([0.1, rate])


@pytest.mark.parametrize(
    ("written", "refused", "sentence"),
    [
        (tb.TreeAggregation(1.0, 8), tb.TreeAggregation(1.0, 8, participations=2), "see a record once"),
        (tb.RandomizedResponse(0.25, 4), tb.RandomizedResponse(math.nextafter(0.25, 0.0), 4), "lies more often"),
        (
            tb.RepeatAndSelect(tb.Gaussian(1.0), runs="poisson", mean=2.0),
            tb.RepeatAndSelect(tb.Gaussian(1.0), runs="binomial", trials=4, p=0.5),
            "numbers of runs are not binomial",
        ),
        (tb.ZCDP(rho=0.1), tb.ZCDP(rho=0.1, delta=1e-300), "its zCDP has no delta"),
        (
            tb.WithoutReplacement(tb.PureDP(1.0), 5, examples=50, relation=REPLACED),
            tb.WithoutReplacement(tb.PureDP(1.0), 5, examples=50),
            "promise for replaced records",
        ),
    ],
    ids=str,
)
def test_what_an_event_cannot_say_is_refused_and_what_is_beside_it_is_written(
    written: tb.Mechanism, refused: tb.Mechanism, sentence: str
) -> None:
    read = read_back(written)
    for epsilon in (0.1, 1.0):
        assert read.delta(epsilon).lower >= written.delta(epsilon).lower * (1.0 - 1e-9)
    with pytest.raises(UnsupportedEvent, match=sentence):
        event_fields(refused)


@pytest.mark.parametrize(
    ("written", "refused"),
    [
        ("gaussian(sigma=2, sensitivity=3)", "gaussian(sigma=2, sensitivity=3, relation='zero_out')"),
        ("poisson(gaussian(sigma=2), q=0.1)", "poisson(gaussian(sigma=2), q=0.1, relation='replace_one')"),
        ("gaussian(sigma=1e308)", "gaussian(sigma=inf)"),
        ("gaussian(sigma=1, sensitivity=1e-300)", "gaussian(sigma=1, sensitivity=0)"),
        ("poisson(gaussian(sigma=2), q=0.1)", "poisson(poisson(gaussian(sigma=2), q=0.5), q=0.2)"),
        ("poisson(gaussian(sigma=2), q=0.1)", "poisson(laplace(scale=2), q=0.1)"),
    ],
)
def test_a_history_holds_normal_noise_on_samples_of_add_remove_alone(written: str, refused: str) -> None:
    found = convert(written)
    assert found.history is not None
    (noise, rate, steps), (step, count) = found.history[0], found.composition._items[0]
    inner = getattr(step, "mechanism", step)
    assert Fraction(noise) * Fraction(inner.sensitivity) <= Fraction(inner.sigma)
    assert (rate, steps) == (getattr(step, "q", 1.0), count)
    assert convert(refused).history is None
