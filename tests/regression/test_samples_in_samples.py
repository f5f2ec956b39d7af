"""Samples of samples, of groups and of batches: what one wrapper promises must hold inside the next one too."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import tightbudget as tb

NOISE = tb.Gaussian(sigma=1.0)
Events = list[tuple[Fraction, Fraction]]


def batch_of_responses(share: Fraction, p: Fraction, steps: int) -> Events:
    """Return all events of some steps of randomised response on a batch, with the record and without it (M31)."""
    one = [(share * a + (1 - share) * b, b) for a, b in ((p, 1 - p), (1 - p, p))]
    return [tuple(map(math.prod, zip(*each, strict=True))) for each in itertools.product(one, repeat=steps)]  # type: ignore[misc]


def exact_delta(events: Events, epsilon: float, direction: str) -> Fraction:
    ratio = Fraction(math.exp(epsilon))
    return sum((max(Fraction(0), a - ratio * b if direction == "remove" else b - ratio * a) for a, b in events), Fraction(0))


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(("batch", "middle", "examples"), [(1, 2, 4), (3, 4, 8), (1, 3, 6), (2, 5, 7)])
def test_a_batch_of_a_batch_ends_on_both_sides_of_the_truth(batch: int, middle: int, examples: int, direction: str) -> None:
    """To draw some of a batch is to draw them at once. Lower ends were those of upper pairs: 0.253 for 0.210."""
    p = 0.9
    nested = tb.WithoutReplacement(tb.WithoutReplacement(tb.RandomizedResponse(p), batch, middle), middle, examples)
    for steps in (1, 3):
        events = batch_of_responses(Fraction(batch, examples), Fraction(p), steps)
        for epsilon in (0.1, 0.5):
            found = (nested * steps).delta(epsilon, direction=direction)
            truth = exact_delta(events, epsilon, direction)
            assert found.lower <= float(truth) * (1 + 1e-12) + 1e-15
            assert found.upper >= float(truth) * (1 - 1e-12)


def largest_of_all_queries(epsilon: float) -> tuple[float, float]:
    """Return the largest delta of a query on a grid, of a Poisson sample at rate 1/2 of a batch of 2 of 4 records.

    A query moves by at most 1 with each record: 0 of nothing, a of the record, b of any other one, c and d of both.
    """
    places = np.linspace(-7.0, 7.0, 701)
    values = np.arange(-2.0, 2.25, 0.25)
    density = {value: stats.norm.pdf(places, value) for value in values}
    ratio, most = math.exp(epsilon), (0.0, 0.0)
    for b in values[np.abs(values) <= 1.0]:
        near = values[np.abs(values - b) <= 1.0]
        for c, d in itertools.product(near[np.abs(near - 1.0) <= 1.0], near):
            without = 0.25 * density[0.0] + 0.5 * density[b] + 0.25 * density[d]
            with_it = 0.5 * without + 0.125 * (density[0.0] + density[1.0] + density[b] + density[c])
            pairs = (with_it, without), (without, with_it)
            most = tuple(max(old, np.maximum(a - ratio * z, 0.0).sum() * 0.02) for old, (a, z) in zip(most, pairs, strict=True))
    return most


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_the_others_of_a_batch_are_sampled_too(relation: str) -> None:
    """Those that a record replaces are there by chance: noise that the pair of the upper end does not have."""
    step = tb.WithoutReplacement(tb.Poisson(NOISE, 0.5), batch=2, examples=4)
    for epsilon in (0.2, 0.5):
        remove, add = largest_of_all_queries(epsilon)
        assert step.delta(epsilon, direction="remove").lower <= remove * 1.001
        assert step.delta(epsilon, direction="add").lower <= add * 1.001
        found = step.delta(epsilon, relation=relation)
        assert found.lower >= tb.Poisson(NOISE, 0.25).delta(epsilon, relation=relation).lower * (1 - 1e-9)
        assert not found.converged


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_others_of_a_batch_that_is_allocated_may_contribute_nothing(relation: str) -> None:
    """Then a record is there with the share of the batch, and in one of its parts: a sample of an allocation."""
    allocated = tb.RandomAllocation(NOISE, batches=3)
    zeros = tb.Poisson(allocated, 0.25)
    for inner in (allocated, tb.RandomAllocation(NOISE, batches=3, relation="replace_one")):
        found = tb.WithoutReplacement(inner, batch=2, examples=8).delta(0.5, relation=relation)
        assert zeros.delta(0.5).lower * (1 - 1e-3) <= found.lower <= zeros.delta(0.5).upper
        assert found.lower < found.upper


def test_a_batch_of_one_has_no_others() -> None:
    step = tb.WithoutReplacement(tb.Poisson(NOISE, 0.5), batch=1, examples=4)
    assert step.delta(0.5).converged
    assert step.delta(0.5, relation="replace_one").converged
    assert step.delta(0.5).lower > tb.Poisson(NOISE, 0.125).delta(0.5).upper


SEVERAL = tb.RepeatAndSelect(tb.Poisson(NOISE, 0.1).group(2), mean=2.0)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: tb.Poisson(inner, 0.5),
        lambda inner: tb.RandomAllocation(inner, 4),
        lambda inner: tb.WithoutReplacement(inner, 6, 20),
        lambda inner: tb.Poisson(tb.RepeatAndSelect(inner, mean=2.0), 0.5),
    ],
    ids=["sampled", "allocated", "in a batch", "chosen once more"],
)
def test_a_group_is_not_sampled_as_one_record_inside_a_selection_either(wrap: object) -> None:
    assert SEVERAL.delta(0.5).upper > 0.0
    with pytest.raises(tb.InvalidParameter, match="single records"):
        wrap(SEVERAL)  # type: ignore[operator]
    wrap(tb.RepeatAndSelect(tb.Poisson(NOISE, 0.1), mean=2.0))  # type: ignore[operator]


INNER = tb.WithoutReplacement(NOISE, batch=5, examples=10)


@pytest.mark.parametrize(
    ("inner", "fits", "not_so"),
    [
        (INNER, 10, 9),
        (tb.RepeatAndSelect(INNER, mean=3.0), 10, 9),
        (INNER, 10, 11),
        (tb.WithReplacement(NOISE, batch=5, examples=10), 10, 9),
        (tb.WithReplacement(NOISE, batch=5, examples=10), 10, 12),
        (tb.TruncatedPoisson(NOISE, 0.5, cap=3, examples=10), 10, 11),
        (tb.TruncatedPoisson(NOISE, 0.5, cap=3, examples=10), 10, 9),
        (tb.Shuffled(epsilon0=1.0, users=10), 10, 9),
        (tb.Shuffled(epsilon0=1.0, users=10), 10, 11),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_batch_holds_as_many_as_are_promised(inner: tb.Mechanism, fits: int, not_so: int) -> None:
    assert tb.WithoutReplacement(inner, fits, 40, relation="replace_one").examples == 40
    with pytest.raises(tb.InvalidParameter, match=f"exactly {not_so} records"):
        tb.WithoutReplacement(inner, not_so, 40, relation="replace_one")


def test_how_many_reports_a_sample_holds_is_chance() -> None:
    reports = tb.Shuffled(epsilon0=1.0, users=100)
    for wrap in (
        lambda: tb.Poisson(reports, 0.1, mix_relations=True),
        lambda: tb.RandomAllocation(reports, 3, mix_relations=True),
    ):
        with pytest.raises(tb.InvalidParameter, match="takes any number of records"):
            wrap()


def test_all_records_are_no_batch_of_a_set_that_lacks_one() -> None:
    """With batch = examples a record that comes cannot take the place of another: the lower end is that it comes."""
    whole = tb.WithoutReplacement(NOISE, 7, 7).delta(1.0)
    assert whole.lower <= NOISE.delta(1.0).upper
    assert whole.upper >= NOISE.delta(1.0, relation="replace_one").lower
    assert tb.WithoutReplacement(NOISE, 6, 7).delta(1.0).converged
    assert tb.WithoutReplacement(NOISE, 7, 7, relation="replace_one").delta(1.0).converged


def test_an_analyst_of_losses_too_large_for_quotients_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = (tb.WithoutReplacement(tb.PureDP(2000.0), 4, 16, relation="replace_one") * 2).delta(1.0)
    assert found.lower <= 1.0 - 0.75**2 <= found.upper
