"""The table of filters: the largest count stands first, and odd rows give their reason."""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any, ClassVar

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters import registry, residual
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.filters import BasicFilter

best_filters: Any = import_module("tightbudget.adaptive.filters.best_filters")


@pytest.mark.slow
def test_a_count_that_was_cut_off_says_so_and_stands_where_it_got_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residual, "MOST_WORK", 300)
    rows = tb.filters.best(1, 1e-6, tb.PureDP(0.01))
    (cut,) = (row for row in rows if row.or_more)
    assert (cut.name, cut.note) == ("residual", "or more: counting stopped")
    assert cut.count < rows[0].count == 562
    counts = [row.count for row in rows]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.slow
def test_subsampling_is_seen_by_renyi_and_by_plans_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residual, "MOST_WORK", 100)
    rows = {row.name: row for row in tb.filters.best(1, 1e-6, tb.Poisson(tb.Gaussian(4), 0.01))}
    assert rows["slots"].count >= rows["rdp, one order"].count > 7000
    assert (tb.Poisson(tb.Gaussian(4), 0.01) * int(1.01 * rows["slots"].count)).delta(1.0).lower > 1e-6
    for kind in ("zcdp", "gdp"):
        assert rows[kind].count == 0
        assert "does not see" in rows[kind].note
    assert "does not see" not in next(row.note for row in tb.filters.best(1, 1e-6, tb.Gaussian(40)) if row.name == "gdp")


def test_an_uncertain_price_is_not_called_a_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = tb.Gaussian(1)
    wide = tb.Bracket(0.0, 1.0, converged=False, reason="too hard")
    monkeypatch.setattr(tb.Composition, "delta", lambda *args, **kwargs: wide)
    with pytest.raises(tb.InvalidParameter, match="could only be certified to delta 1:"):
        tb.filters.SlotFilter(1, 1e-6, plan=plan)
    monkeypatch.undo()
    with pytest.raises(tb.InvalidParameter, match=r"Its delta is 0\.\d+:"):
        tb.filters.SlotFilter(1, 1e-6, plan=plan)


class Cautious(BasicFilter):
    """Basic composition, with a tenth of epsilon kept in reserve."""

    kind: ClassVar[str] = "cautious"

    def _limits(self) -> Limits:
        limits = super()._limits()
        return replace(limits, enough=(Cap("epsilon", self._epsilon * Fraction(9, 10)),))


def test_a_kind_that_is_registered_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line in the registry: the table, states and the tests' list of all filters read it."""
    monkeypatch.setattr(best_filters, "ALL", (*best_filters.ALL[:1], Cautious))
    rows = {row.name: row for row in tb.filters.best(1, 1e-6, tb.PureDP(0.1))}
    assert {name: row.count for name, row in rows.items()} == {"basic": 10, "cautious": 9}
    made = rows["cautious"].filter
    assert isinstance(made, Cautious)
    monkeypatch.setitem(registry.BY_KIND, "cautious", Cautious)
    assert tb.filters.from_state(made.state()) == made


def test_every_kind_has_a_row() -> None:
    names = [row.name for row in tb.filters.best(1, 1e-6, tb.PureDP(0.2))]
    assert {name.partition(",")[0] for name in names} == set(registry.BY_KIND)
