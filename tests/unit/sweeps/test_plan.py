"""Plans: what is misspelt or does not fit is said before any work; the same plan is cut into the same batches."""

import itertools
import pickle
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.sweeps.batches import batch, batches, rows_of
from tightbudget.sweeps.plan import SweepPlan, read_sweep_plan

ASKED = [{"ask": "epsilon", "delta": [1e-5, 1e-6]}]
GRID = {"sigma": [1, 2, 3], "q": [0.1, 0.2], "steps": [10, 20, 30, 40]}
PLAN = {"composition": "poisson(gaussian(sigma={sigma}), q={q}) * {steps}", "grid": GRID, "questions": ASKED}


def changed(**other: Any) -> dict[str, Any]:
    return {key: value for key, value in {**PLAN, **other}.items() if value is not None}


def every_point(plan: SweepPlan) -> list[Any]:
    return [point for one in batches(plan, iter(range(plan.batches))) for point in one.points]


def test_every_point_of_the_grid_is_in_one_batch_under_its_number() -> None:
    plan = read_sweep_plan(changed(batch=5))
    points = every_point(plan)
    expected = list(itertools.product(*GRID.values()))  # the last parameter changes first
    assert len(points) == len(expected) == 24
    assert {point.number: point.values for point in points} == dict(enumerate(expected))
    for point in points:
        sigma, q, steps = point.values
        assert tb.parse(point.expression) == tb.Poisson(tb.Gaussian(sigma), q=q) * steps
    assert [rows_of(plan, number) for number in range(plan.batches)] == [10, 10, 10, 10, 8]


def test_neighbours_differ_in_the_steps_first_then_in_the_noise_then_in_the_rate() -> None:
    points = [point.values for point in every_point(read_sweep_plan(PLAN))]
    assert points == sorted(points, key=lambda values: (-values[1], values[0], values[2]))


def test_the_grid_is_never_laid_out() -> None:
    axes = {name: {"from": 1, "to": 2, "points": 400} for name in ("a", "b", "c")}
    plan = read_sweep_plan(changed(composition="laplace(scale={a}, sensitivity={b}) + gaussian({c})", grid=axes))
    assert plan.space.size == 64_000_000
    last = batch(plan, plan.batches - 1)
    assert last.points[-1].values == (2.0, 2.0, 2.0)
    assert last.points[-1].number == 63_999_999


def test_points_and_compositions_are_listed() -> None:
    plan = read_sweep_plan(changed(grid=None, points=[{"sigma": 1, "q": 0.5, "steps": 2}, {"steps": 3, "q": 1, "sigma": 2.5}]))
    assert [point.values for point in every_point(plan)] == [(1.0, 0.5, 2), (2.5, 1.0, 3)]
    plan = read_sweep_plan({"compositions": ["gaussian(sigma=2) * 3", tb.Laplace(3) * 2], "questions": ASKED})
    assert [point.expression for point in every_point(plan)] == ["gaussian(sigma=2) * 3", "laplace(scale=3) * 2"]
    assert plan.space.names == ("composition",)
    plan = read_sweep_plan({"composition": "gaussian(sigma=2)", "questions": ASKED})
    assert [point.expression for point in every_point(plan)] == ["gaussian(sigma=2)"]


def test_a_file_is_the_same_plan(tmp_path: Path) -> None:
    path = tmp_path / "plän.toml"
    path.write_text(
        'composition = "poisson(gaussian(sigma={sigma}), q={q}) * {steps}"\n'
        "[grid]\nsigma = [1, 2, 3]\nq = [0.1, 0.2]\nsteps = { from = 10, to = 40, step = 10 }\n"
        '[[questions]]\nask = "epsilon"\ndelta = [1e-5, 1e-6]\n',
        encoding="utf-8",
    )
    plan = read_sweep_plan(path)
    assert plan.fingerprint == read_sweep_plan(str(path)).fingerprint == read_sweep_plan(PLAN).fingerprint
    assert pickle.loads(pickle.dumps(plan)).fingerprint == plan.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        {"grid": {**GRID, "sigma": [1, 2, 3.5]}},
        {"grid": {**GRID, "q": [0.1, 0.2000000000000001]}},
        {"grid": dict(reversed(GRID.items()))},
        {"questions": [{"ask": "epsilon", "delta": [1e-5, 1e-7]}]},
        {"questions": [{"ask": "epsilon", "delta": 1e-5}]},
        {"rtol": 1e-4},
        {"effort": 2},
        {"batch": 5},
        {"mix_relations": True},
        {"composition": "poisson(gaussian(sigma={sigma}), q={q})*{steps}"},
    ],
)
def test_a_plan_with_other_answers_has_another_fingerprint(other: dict[str, Any]) -> None:
    assert read_sweep_plan(changed(**other)).fingerprint != read_sweep_plan(PLAN).fingerprint


@pytest.mark.slow
@pytest.mark.parametrize(
    ("points", "asked", "expected"),
    [(10, 1, 8), (1000, 1, 50), (10_000, 1, 500), (1_000_000, 1, 512), (1_000_000, 8, 64), (3, 2, 4)],
)
def test_batches_are_as_large_as_a_task_should_be(points: int, asked: int, expected: int) -> None:
    deltas = [10.0**-n for n in range(1, asked + 1)]
    grid = {"sigma": {"from": 1, "to": 2, "points": points}}
    plan = read_sweep_plan(
        {"composition": "gaussian({sigma})", "grid": grid, "questions": [{"ask": "epsilon", "delta": deltas}]}
    )
    assert plan.points_per_batch == expected


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"qestions": ASKED}, "Did you mean 'questions'?"),
        ({"questions": None}, "with `questions`"),
        ({"questions": []}, "at least one"),
        ({"questions": ASKED * 1000}, "asked twice"),
        ({"questions": {"ask": "epsilon"}}, "a list of tables"),
        ({"questions": [{"delta": 1}]}, "with `ask`"),
        ({"questions": [{"ask": "epsilonn", "delta": 1}]}, "Did you mean 'epsilon'?"),
        ({"questions": [{"ask": ["epsilon"], "delta": 1}]}, "one of epsilon"),
        ({"questions": [{"ask": "epsilon"}]}, "with `delta`"),
        ({"questions": [{"ask": "epsilon", "delta": 2}]}, "delta is 2"),
        ({"questions": [{"ask": "epsilon", "delta": "1e-6"}]}, "delta is '1e-6'"),
        ({"questions": [{"ask": "delta", "epsilon": float("nan")}]}, "epsilon is nan"),
        ({"questions": [{"ask": "epsilon", "dleta": 1}]}, "Did you mean 'delta'?"),
        ({"questions": [*ASKED, {"ask": "epsilon", "delta": 1e-6}]}, "asked twice"),
        ({"questions": [{"ask": "epsilon", "delta": 1e-6, "rtol": 0}]}, "rtol is 0"),
        ({"questions": [{"ask": "posterior", "fpr": 0.1}]}, "a table with `prior` or `prior` and `fpr`"),
        ({"questions": [{"ask": "tpr", "fpr": 2}]}, "fpr is 2"),
        ({"questions": [{"ask": "gdp_mu", "down_to": 0.5}]}, "below 0.5"),
        ({"questions": [{"ask": "calibrate", "epsilon": 1, "delta": 1e-6}]}, "given a `?`"),
        ({"questions": [{"ask": "calibrate", "epsilon": 1}]}, "`epsilon` and `delta` or `advantage` or `tpr` and `fpr` or"),
        ({"composition": "poisson(gaussian(sigma=?), q={q}) * {steps} + gaussian({sigma})"}, "without a `?`"),
        ({"rtol": -1}, "rtol is -1"),
        ({"mix_relations": 1}, "True or False"),
        ({"batch": 0}, "from 1 to"),
        ({"batch": 2.5}, "batch is 2.5"),
        ({"composition": None}, "one of `composition` and `compositions`"),
        ({"compositions": ["gaussian(1)"]}, "one of `composition` and `compositions`"),
        ({"composition": None, "compositions": ["gaussian(1)"]}, "absent beside `compositions`"),
        ({"composition": None, "grid": None, "compositions": []}, "a list of compositions"),
        ({"composition": 3}, "with gaps in braces"),
        ({"points": [{"sigma": 1}]}, "absent beside `grid`"),
        ({"grid": None}, "given values for {sigma}"),
        ({"grid": {**GRID, "sgima": [1]}}, "Did you mean 'sigma'?"),
        ({"grid": [1]}, "a table"),
        ({"grid": None, "points": []}, "a list of tables"),
        ({"grid": None, "points": [3]}, "a table"),
        ({"grid": None, "points": [{"sigma": 1, "q": 1, "steps": 1}, {"sigma": 1, "q": 1}]}, "given 'steps'"),
        ({"grid": None, "points": [{"sigma": 1, "q": 1, "steps": 1}, {"sgima": 1}]}, "Did you mean 'sigma'?"),
        ({"composition": "gaussian({lower})", "grid": {"lower": [1]}}, "named otherwise"),
        ({"composition": "gaussian({a}) * {b} * {c}", "grid": dict.fromkeys("abc", range(1000))}, "at most 100000000"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused_in_a_sentence(other: dict[str, Any], said: str) -> None:
    with pytest.raises(tb.InvalidParameter) as problem:
        read_sweep_plan(changed(**other))
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)
    assert len(str(problem.value)) < 400


def test_a_file_that_is_no_plan_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "torn.toml").write_text("composition = ")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name, said in (
        ("torn.toml", "it cannot be read: invalid value"),
        ("bytes.toml", "UTF-8"),
        ("missing.toml", "is there"),
        (".", "not a folder"),
    ):
        with pytest.raises(tb.InvalidParameter, match=said):
            read_sweep_plan(tmp_path / name)
    with pytest.raises(tb.InvalidParameter, match="a table, or the name of a TOML file"):
        read_sweep_plan(3)


def test_notation_that_fits_no_point_is_refused_at_its_place() -> None:
    with pytest.raises(tb.NotationError, match="did you mean 'gaussian'"):
        read_sweep_plan(changed(composition="poisson(gausian(sigma={sigma}), q={q}) * {steps}"))
