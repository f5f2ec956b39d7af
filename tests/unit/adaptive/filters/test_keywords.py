"""After epsilon and delta the arguments of a filter have names; for this version they are also taken by position."""

import inspect
from collections.abc import Callable

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.filters import Filter

PLAN = tb.PureDP(0.1) * 3
BOTH: list[tuple[Callable[[], Filter], Callable[[], Filter]]] = [
    (lambda: tb.filters.AdvancedFilter(1, 1e-6, True), lambda: tb.filters.AdvancedFilter(1, 1e-6, or_basic=True)),
    (
        lambda: tb.filters.SharpenedFilter(1, 1e-6, 1e-7, True, 0.1),
        lambda: tb.filters.SharpenedFilter(1, 1e-6, delta_for_steps=1e-7, or_basic=True, beta=0.1),
    ),
    (
        lambda: tb.filters.WhitehouseFilter(1, 1e-6, 1e-7, True),
        lambda: tb.filters.WhitehouseFilter(1, 1e-6, delta_for_steps=1e-7, or_basic=True),
    ),
    (lambda: tb.filters.ZCDPFilter(1, 1e-6, 1e-7), lambda: tb.filters.ZCDPFilter(1, 1e-6, delta_for_steps=1e-7)),
    (
        lambda: tb.filters.RDPFilter(1, 1e-6, [16, 32], [0.5, 0.25], 1e-7, True),
        lambda: tb.filters.RDPFilter(1, 1e-6, orders=[16, 32], weights=[0.5, 0.25], delta_for_steps=1e-7, or_basic=True),
    ),
    (lambda: tb.filters.GDPFilter(1, 1e-6, 1e-7), lambda: tb.filters.GDPFilter(1, 1e-6, delta_for_steps=1e-7)),
    (
        lambda: tb.filters.ResidualFilter(1, 1e-6, 1e-7, 2**-7),
        lambda: tb.filters.ResidualFilter(1, 1e-6, delta_for_steps=1e-7, step=2**-7),
    ),
    (
        lambda: tb.filters.SlotFilter(1, 1e-6, PLAN, 1e-7),
        lambda: tb.filters.SlotFilter(1, 1e-6, plan=PLAN, delta_for_steps=1e-7),
    ),
]


@pytest.mark.parametrize(("by_position", "by_name"), BOTH)
def test_arguments_by_position_work_with_a_warning(by_position: Callable[[], Filter], by_name: Callable[[], Filter]) -> None:
    with pytest.warns(DeprecationWarning, match="by position will not work in the next version"):
        made = by_position()
    assert made == by_name()


@pytest.mark.parametrize("kind", ALL)
def test_the_two_numbers_of_the_guarantee_come_first_and_all_else_has_a_name(kind: type[Filter]) -> None:
    parameters = list(inspect.signature(kind).parameters.values())
    assert [each.name for each in parameters[:2]] == ["epsilon", "delta"]
    assert all(each.kind is each.KEYWORD_ONLY for each in parameters[2:])
    assert "mix_relations" in {each.name for each in parameters}


@pytest.mark.parametrize("kind", ALL)
def test_the_verbs_are_the_same_everywhere(kind: type[Filter]) -> None:
    for verb in ("quote", "spend", "remaining"):
        assert list(inspect.signature(getattr(kind, verb)).parameters) == ["self", "increment"]
    assert list(inspect.signature(kind.from_state).parameters) == ["state"]
    assert isinstance(inspect.getattr_static(kind, "spent"), property)
