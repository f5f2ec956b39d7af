"""The table: our bracket first, every bound in it, reasons where there is no value, text that still holds."""

import math

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget import classic
from tightbudget.comparison.table import Row, bound_rounded_up

GAUSSIANS = tb.Gaussian(282.84) * 512
MIXED = tb.Laplace(20.0) * 30 + tb.Gaussian(20.0) * 10 + tb.ApproximateDP(0.01, 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"delta": 1e-5}, {"epsilon": 0.2}])
@pytest.mark.parametrize("composition", [GAUSSIANS, MIXED])
def test_every_bound_has_a_row_with_a_value_or_a_reason(composition: tb.Composition, asked: dict[str, float]) -> None:
    table = tb.compare(composition, **asked)
    assert table.rows[0].name == "tightbudget"
    assert sorted(row.name for row in table.rows[1:]) == sorted(bound.name for bound in classic.ALL)
    values = [row.value for row in table.rows[1:]]
    assert values == sorted(values, key=lambda value: math.inf if value is None else value)
    assert None not in values[: len(values) - values.count(None)]  # those that do not apply come last
    assert table.ours.kind == "bracket"
    bracket = composition.epsilon(1e-5) if "delta" in asked else composition.delta(0.2)
    assert (table.ours.lower, table.ours.value) == (bracket.lower, bracket.upper)
    for row in table.rows:
        assert (row.value is None) <= bool(row.reason)
        assert row.reference
        if row.kind == "upper bound" and row.value is not None:
            assert row.value >= table.ours.value * (1 - 1e-3)
    assert table["GDP, central limit"].kind == "approximation"
    optimum = table["Murtagh-Vadhan, optimal"]
    assert optimum.lower <= optimum.value


def test_the_example_of_the_readme_shows_all_that_applies() -> None:
    table = tb.compare(GAUSSIANS, delta=1e-5)
    assert [row.name for row in table.rows if row.value is None] == ["bounded range"]
    # in the order in which the theorems were improved
    names = ["naive", "advanced", "advanced, by zCDP", "KOV, simple form", "KOV, optimal", "moments accountant", "Rényi DP"]
    values = [table[name].value for name in names]
    assert values == sorted(values, reverse=True)
    assert table["Gaussian DP"].value == pytest.approx(table.ours.value, rel=1e-6)


@pytest.mark.parametrize("asked", [{}, {"delta": 0.1, "epsilon": 1.0}, {"delta": 2.0}, {"epsilon": -1.0}, {"delta": math.nan}])
def test_one_legal_question(asked: dict[str, float]) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.compare(GAUSSIANS, **asked)


def test_only_compositions_can_be_compared() -> None:
    with pytest.raises(tb.InvalidParameter, match="its notation"):
        tb.compare(3, delta=1e-5)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        tb.compare(tb.PureDP(1.0), delta=0.1)["no such bound"]


@pytest.mark.slow
def test_text_holds_the_values_rounded_up() -> None:
    text = tb.compare(MIXED, delta=1e-5).full()
    table = tb.compare(MIXED, delta=1e-5)
    assert text.splitlines()[0] == f"{MIXED} (add_remove)"
    for row in table.rows[1:]:
        (line,) = [line for line in text.splitlines() if line.startswith(f"{row.name}  ")]
        if row.value is None:
            assert row.reason in line
        elif row.kind == "upper bound":
            shown = float(line[len(row.name) :].split()[0])
            assert row.value <= shown <= row.value * (1 + 1e-5)
        else:
            assert "≈" in line


def test_rounding_up() -> None:
    assert bound_rounded_up(0.1) == "0.100001"  # the float above one tenth
    assert bound_rounded_up(5e-324) == "4.94066e-324"
    assert bound_rounded_up(math.inf) == "inf"
    assert bound_rounded_up(0.0) == "0"
    for value in (1.0, 123456.789, 2.0**60, 1e-5 / 3):
        assert value <= float(bound_rounded_up(value)) <= value * (1 + 1e-5)


@pytest.mark.slow
def test_how_many_times_ours() -> None:
    table = tb.compare(tb.PureDP(0.1) * 10_000, epsilon=100.0)
    assert table.times_ours(table.ours) == ""
    assert float(table.times_ours(table["KOV, optimal"])) == pytest.approx(1.0, abs=2e-3)
    nothing = tb.compare(tb.Composition(), delta=0.0)
    assert {nothing.times_ours(row) for row in nothing.rows} == {""}
    assert {row.value for row in nothing.rows} == {0.0}


@pytest.mark.parametrize(
    "asked", mostly_slow([{"delta": 0.0}, {"delta": 1.0}, {"epsilon": 0.0}, {"epsilon": math.inf}], every=4, first=1)
)
@pytest.mark.parametrize(
    "composition",
    mostly_slow(
        [tb.Gaussian(0.0), tb.PureDP(math.inf) * 2, tb.PureDP(0.5) * 3, tb.Gaussian(1.0) + tb.PureDP(0.0)], every=4, first=2
    ),
)
def test_edges_have_answers(composition: tb.Composition, asked: dict[str, float]) -> None:
    table = tb.compare(composition, **asked)
    for row in table.rows:
        assert row.value is None or row.value >= 0.0
        if row.value is not None and math.isinf(row.value) and row is not table.ours:
            assert row.reason
    assert str(table)


@pytest.mark.slow
def test_curves_lie_above_our_band() -> None:
    epsilons = np.linspace(0.0, 2.0, 9)
    curves = tb.compare_curves(MIXED, epsilons)
    assert np.array_equal(curves.band.epsilons, epsilons)
    assert "naive" in {line.name for line in curves.lines}
    assert "advanced" not in {line.name for line in curves.lines}  # it does not apply
    for line in curves.lines:
        if line.kind == "upper bound":
            assert (np.array(line.deltas) >= curves.band.lower).all()


def rows(delta: float | None, *values: float | None) -> tb.Comparison:
    ours, *others = values
    bounds = (Row(f"bound {place}", value, "upper bound", "", "why") for place, value in enumerate(others))
    asked = {"delta": delta} if delta is not None else {"epsilon": 1.0}
    return tb.Comparison("nothing", "add_remove", (Row("tightbudget", ours, "bracket", lower=0.0), *bounds), **asked)


@pytest.mark.parametrize(
    ("table", "left_out"),
    [
        (rows(1e-6, 1.0, 1.0, 9.99, 10.01, math.inf, None), {2, 3, 4}),
        (rows(None, 1e-6, 9e-4, 1.1e-3, 1.0, None), {1, 2, 3}),
        (rows(None, 0.5, 0.9, 1.0), {1}),  # at most 1 is no news
        (rows(None, 1.0, 1.0), set()),  # nothing better is known
        (rows(1e-6, math.inf, math.inf), set()),
        (rows(1e-6, 0.0, 0.0, 3.0), set()),  # no multiple of 0
        (rows(None, 5e-324, 1e-322), set()),
    ],
)
def test_what_says_little_is_left_out_and_named(table: tb.Comparison, left_out: set[int]) -> None:
    names = {f"bound {place}" for place in left_out}
    assert {row.name for row in table.rows if table.says_little(row)} == names
    assert [row.name for row in table.telling] == [row.name for row in table.rows if row.name not in names]
    for row in table.rows:
        assert (f"\n{row.name} " in str(table)) == (row.name not in names)
        assert row.name in str(table)  # it is named at least
        assert f"\n{row.name} " in table.full()
    assert bool(table.left_out) == bool(names)


def test_what_is_left_out_is_said_in_a_sentence() -> None:
    table = tb.compare(GAUSSIANS, delta=1e-5)
    assert table.left_out == (
        "Left out, far above ours: naive (27.5 times); adaptive (27.5 times). This does not apply: bounded range."
    )
    assert str(table).endswith("bounded range. full() has every row.")
    assert "full()" not in table._repr_html_()
    assert "naive (27.5 times)" in table._repr_html_()


def test_the_question_must_be_one() -> None:
    with pytest.raises(
        tb.InvalidParameter, match=r"^delta is None, but must be given, or epsilon in its place\. Give exactly one"
    ):
        tb.compare(tb.Gaussian(2))
    with pytest.raises(
        tb.InvalidParameter, match=r"^epsilon is 1, but must be left out where delta is given\. Give exactly one"
    ):
        tb.compare(tb.Gaussian(2), delta=1e-6, epsilon=1)
