"""The JSON shapes."""

import csv
import io
import json
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tightbudget as tb
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import rows_as_csv
from tightbudget.numerics.bracket import Bracket


def test_floats_survive_and_infinities_have_names() -> None:
    answer = Bracket(0.1, math.inf, converged=False, reason="because", relation="add_remove")
    shape = json.loads(wire.json_text(wire.bracket_shape("nothing", {"delta": 1e-300}, answer, 1e-3)))
    assert shape["lower"] == 0.1
    assert shape["upper"] == "inf"
    assert shape["delta"] == 1e-300
    assert shape["converged"] is False
    assert shape["reason"] == "because"


def test_a_curve_is_three_lists() -> None:
    curve = tb.Curve(np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([0.5, 0.25]), True, "add_remove")
    shape = wire.curve_shape("nothing", curve)
    assert json.loads(wire.json_text(shape))["upper"] == [0.5, 0.25]


@given(st.floats(min_value=0.0, allow_infinity=False))
@example(0.3)
@example(2.0**-1022)
@example(5e-324)
@example(1.7976931348623157e308)
@example(1.0 + 2.0**-52)
@example(9007199254740993.0)
@example(2.0**-30)
@example(9.5367431640625e-07)
def test_ends_hold_for_readers_of_decimals_and_of_floats(value: float) -> None:
    shape = wire.bracket_shape("nothing", {"delta": 0.5}, Bracket(value, value), 1e-3)
    text = wire.json_text(shape)
    floats, decimals = json.loads(text), json.loads(text, parse_float=Decimal)
    assert floats["lower"] == floats["upper"] == value
    assert decimals["lower"] <= Decimal(value) <= decimals["upper"]


@pytest.mark.parametrize("asked", [{"delta": 1e-5}, {"epsilon": 1.0}])
def test_every_end_of_a_comparison_is_written_outwards(asked: dict[str, float]) -> None:
    answer = tb.compare(tb.Laplace(20) * 100, **asked)
    decimals = json.loads(wire.json_text(wire.comparison_shape(answer)), parse_float=Decimal)
    for row, written in zip(answer.rows, decimals["bounds"], strict=True):
        assert row.value is None or Decimal(written["upper"]) >= Decimal(row.value)
        assert row.lower is None or Decimal(written["lower"]) <= Decimal(row.lower)


def test_a_curve_is_written_outwards_as_json_and_csv() -> None:
    curve = tb.Gaussian(2).curve(np.linspace(0.0, 3.0, 40))
    decimals = json.loads(wire.json_text(wire.curve_shape("nothing", curve)), parse_float=Decimal)
    table = rows_as_csv(
        ["l", "u"], ((wire.lower_end(a), wire.upper_end(b)) for a, b in zip(curve.lower, curve.upper, strict=True))
    )
    lines = list(csv.reader(io.StringIO(table.decode())))[1:]
    for place, (lower, upper) in enumerate(zip(curve.lower.tolist(), curve.upper.tolist(), strict=True)):
        assert Decimal(decimals["lower"][place]) <= Decimal(lower) <= Decimal(upper) <= Decimal(decimals["upper"][place])
        assert Decimal(lines[place][0]) <= Decimal(lower) <= Decimal(upper) <= Decimal(lines[place][1])
        assert (float(lines[place][0]), float(lines[place][1])) == (lower, upper)


def test_json_is_json() -> None:
    shape = {"a": [], "b": {}, "c": [1, None, True, 'ε\n"', (0.5,)], "d": {"e": wire.lower_end(math.inf)}}
    assert json.loads(wire.json_text(shape)) == {"a": [], "b": {}, "c": [1, None, True, 'ε\n"', [0.5]], "d": {"e": "inf"}}
    with pytest.raises(ValueError, match="JSON"):
        wire.json_text([math.nan])
