"""Filters and odometers take a step in the notation as they take the step itself."""

from typing import Any

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters.registry import BY_KIND
from tightbudget.adaptive.odometers.registry import BY_KIND as ODOMETERS

TEXT = "pure_dp(epsilon=0.01) * 2"
STEP = tb.PureDP(0.01) * 2
SETTINGS: dict[str, dict[str, Any]] = {"rdp": {"orders": 32}, "slots": {"plan": STEP * 50}}


@pytest.mark.parametrize("kind", BY_KIND)
def test_every_filter(kind: str) -> None:
    one, other = (BY_KIND[kind](1, 1e-6, **SETTINGS.get(kind, {})) for _ in range(2))
    assert one.quote(TEXT) == other.quote(STEP)
    assert one.spend(TEXT) == other.spend(STEP)
    assert one.remaining(TEXT) == other.remaining(STEP)
    assert one == other


@pytest.mark.parametrize("kind", ODOMETERS)
def test_every_odometer(kind: str) -> None:
    settings = {} if kind == "basic" else {"delta": 1e-6}
    one, other = (ODOMETERS[kind](**settings) for _ in range(2))
    assert one.quote(TEXT) == other.quote(STEP)
    assert one.spend(TEXT) == other.spend(STEP)
    assert one.remaining(TEXT, epsilon=1) == other.remaining(STEP, epsilon=1)
    assert one == other


def test_relations_are_minded_and_may_be_mixed_on_purpose() -> None:
    strict, lax = (tb.filters.GDPFilter(9, 1e-6, mix_relations=each) for each in (False, True))
    strict.spend("gaussian(sigma=50)")
    with pytest.raises(tb.MixedRelations):
        strict.spend("gaussian(sigma=50, relation='replace_one')")
    assert strict.sequence == 1
    lax.spend("gaussian(sigma=50) + gaussian(sigma=50, relation='replace_one')")


def test_the_price_and_the_best_filter_of_a_text() -> None:
    assert tb.filters.BasicFilter(1, 0).price(TEXT) == tb.filters.BasicFilter(1, 0).price(STEP)
    best = tb.filters.best(1, 1e-6, "gaussian(sigma=100)")
    assert best.increment == tb.Gaussian(100)
    (basic,) = (row for row in best.rows if row.name == "basic")
    assert basic.note == "needs a step with an epsilon (stated as pure_dp or approximate_dp)"


def test_what_cannot_be_read_is_not_spent() -> None:
    budget = tb.filters.BasicFilter(1, 0)
    with pytest.raises(tb.NotationError, match="did you mean 'pure_dp'"):
        budget.spend("pure_pd(0.1)")
    with pytest.raises(tb.InvalidParameter, match=r"increment is 0.1, but must be a mechanism, a composition or its notation"):
        budget.spend(0.1)  # type: ignore[arg-type]
    assert budget.sequence == 0
