"""Every mechanism of the registry in every filter, odometer and comparison: answered soundly, or refused in a sentence.

A new mechanism must say here what is known of it, and have an example among those of `test_embeddings.py`.
"""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.lanes import mostly_slow
from tests.unit.research.published.test_embeddings import EXAMPLES

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL as FILTERS
from tightbudget.adaptive.odometers.registry import ALL as ODOMETERS
from tightbudget.mechanisms.registry import BY_NAME

EPSILON, RHO, RENYI, MU = "an epsilon", "a rho", "Rényi divergences", "a mu"
EVERYTHING, NO_EPSILON = {EPSILON, RHO, RENYI, MU}, {RHO, RENYI, MU}
KNOWN: dict[str, set[str]] = {
    "gaussian": NO_EPSILON,
    "laplace": EVERYTHING,
    "tree_aggregation": NO_EPSILON,
    "matrix_mechanism": NO_EPSILON,
    "truncated_gaussian": set(),  # what is cut off shows: its moments are infinite
    "truncated_laplace": set(),
    "clamped_gaussian": NO_EPSILON,
    "clamped_laplace": EVERYTHING,
    "discrete_gaussian": {RHO, RENYI},
    "discrete_laplace": EVERYTHING,
    "shuffled_batches": NO_EPSILON,
    "skellam": {RHO, RENYI},
    "random_allocation": set(),  # its pairs are upper ends with mass at infinity
    "randomized_response": EVERYTHING,
    "bounded_range": EVERYTHING,
    "pure_dp": EVERYTHING,
    "approximate_dp": EVERYTHING,  # after removal of an event
    "gaussian_dp": NO_EPSILON,
    "histograms": set(),  # a cell that only one of the two has
    "mixture_of_gaussians": NO_EPSILON,
    "poisson": EVERYTHING,  # of Laplace noise
    "truncated_poisson": NO_EPSILON,
    "group": NO_EPSILON,
    "sampled_group": NO_EPSILON,
    "without_replacement": {RHO, MU},
    "with_replacement": set(),
    "exponential": EVERYTHING,
    "permute_and_flip": EVERYTHING,
    "report_noisy_max": EVERYTHING,
    "sparse_vector": EVERYTHING,
    "shuffled": EVERYTHING,
    "repeat_and_select": set(),  # of Gaussian noise: its profile is followed to a mass at infinity
    "zcdp": {RHO, RENYI},
    "rdp": {RENYI},
}
"""What is known at least; whoever finds more need not say so here."""

NEEDED = {
    **dict.fromkeys(("basic", "advanced", "sharpened", "whitehouse", "rogers", "mixture"), EPSILON),
    **dict.fromkeys(("zcdp", "line", "one_sided_mixture", "stitched"), RHO),
    **dict.fromkeys(("rdp", "renyi"), RENYI),
    "gdp": MU,
}
ANYTHING = ("residual", "slots")  # they ask for pairs

OTHERS = {
    "a sampled promise": (tb.Poisson(tb.ZCDP(0.1), 0.05), {RHO, RENYI}),
    "a sampled curve": (tb.Poisson(tb.RDP((4, 16), (0.1, 0.5)), 0.05), {RENYI}),
    "several releases on a sample": (tb.Poisson(tb.Gaussian(3) * 2, 0.1), NO_EPSILON),
    "a promise after removal of an event": (tb.ZCDP(0.05, 1e-8), {RHO, RENYI}),
    "queries that take more": (tb.SparseVector(0.1, 0.3), EVERYTHING),
    "masses of someone else": (tb.from_loss_distribution({-1.0: 0.25, 1.0: 0.75}), set()),
}
STEPS = {**{name: (EXAMPLES.get(name), KNOWN.get(name, set())) for name in BY_NAME}, **OTHERS}
WHOLE, DELTA, MOST = 2.0, 1e-3, 25


def test_somebody_has_thought_of_every_mechanism() -> None:
    assert set(KNOWN) == set(BY_NAME)
    assert set(EXAMPLES) == set(BY_NAME)


def test_somebody_has_thought_of_every_filter_and_odometer() -> None:
    assert {kind.kind for kind in (*FILTERS, *ODOMETERS)} == set(NEEDED) | set(ANYTHING)


def made_filter(kind: Any, step: tb.Mechanism) -> tb.filters.Filter:
    settings: dict[str, Any] = {"rdp": {"orders": [4, 8]}, "slots": {"plan": step}}.get(kind.kind, {})
    if kind.kind not in ("basic", "advanced"):
        settings = {**settings, "delta_for_steps": DELTA / 4}
    return kind(WHOLE, DELTA, **settings)  # type: ignore[no-any-return]


def refused(error: tb.InvalidParameter, step: tb.Mechanism) -> None:
    """A refusal names the step or plan, what is allowed and what to do."""
    assert str(step) in str(error) or "plan" in str(error)
    assert "but must be" in str(error)
    assert str(error).endswith(".")


def answered_or_refused(needed: str | None, name: str, ask: Callable[[], Any]) -> Any:
    step, known = STEPS[name]
    if needed in known:
        return ask()
    try:
        return ask()
    except tb.InvalidParameter as error:
        refused(error, step)
        return None


@pytest.mark.parametrize("kind", FILTERS, ids=lambda kind: kind.kind)
@pytest.mark.parametrize("name", mostly_slow(list(STEPS), every=4))
def test_every_filter_admits_no_more_than_it_promises(kind: Any, name: str) -> None:
    step, _ = STEPS[name]
    budget = answered_or_refused(None, name, lambda: made_filter(kind, step))
    if budget is None:
        assert kind.kind == "slots"  # one such step is more than the whole budget, or has no notation
        return
    quote = answered_or_refused(NEEDED.get(kind.kind), name, lambda: budget.quote(step))
    if quote is None:
        return
    count = 0
    while count < MOST and budget.quote(step):
        budget.spend(step)
        count += 1
    assert (step * count).delta(WHOLE).lower <= DELTA
    assert quote.accepted == (count > 0)


@pytest.mark.parametrize("kind", ODOMETERS, ids=lambda kind: kind.kind)
@pytest.mark.parametrize("name", mostly_slow(list(STEPS), every=4))
def test_every_odometer_reads_no_less_than_was_lost(kind: Any, name: str) -> None:
    step, _ = STEPS[name]
    settings: dict[str, Any] = {"basic": {}, "rogers": {"n": 100}}.get(kind.kind, {"delta_for_steps": DELTA / 4})
    odometer = kind(DELTA, **settings)
    for count in (1, 2, 3):
        reading = answered_or_refused(NEEDED.get(kind.kind), name, lambda: odometer.spend(step))
        if reading is None:
            assert count == 1
            return
        assert (step * count).delta(float(reading)).lower <= DELTA


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(list(STEPS), every=4))
def test_no_bound_of_a_comparison_is_below_the_truth(name: str) -> None:
    step, _ = STEPS[name]
    for table in (tb.compare(step * 3, delta=1e-3), tb.compare(step * 3, epsilon=0.5)):
        ours = table.rows[0]
        for row in table.rows[1:]:
            assert row.value is not None or row.reason
            if row.value is not None and row.kind == "upper bound":
                assert row.value >= (ours.lower or 0.0) * (1.0 - 1e-12), row.name
