"""Who plays is read from the registries: what is registered plays, under its own name."""

import numpy as np
import pytest

from tightbudget.adaptive.filters import BasicFilter
from tightbudget.adaptive.filters import registry as filters
from tightbudget.adaptive.odometers import BasicOdometer
from tightbudget.adaptive.odometers import registry as odometers
from tightbudget.research.games import players
from tightbudget.research.games.table import gaussian_rows


class NewFilter(BasicFilter):
    kind = "new"


class NewOdometer(BasicOdometer):
    kind = "new"


def test_what_is_registered_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "ALL", (*filters.ALL, NewFilter))
    monkeypatch.setitem(odometers.BY_KIND, NewOdometer.kind, NewOdometer)
    assert type(players.shipped_filters()["new"](1.0, 0.01)) is NewFilter
    assert type(players.shipped_odometers()["new"](0.01)) is NewOdometer
    assert "new" in players.every_odometer()


def test_gaussian_steps_are_played_by_the_filters_that_take_them() -> None:
    rows = gaussian_rows(1.0, 0.01, runs=10, rng=np.random.default_rng(0), rounds=2)
    assert list(dict.fromkeys(row.meter for row in rows)) == ["zcdp", "rdp, order 8", "rdp, 9 orders", "gdp"]
