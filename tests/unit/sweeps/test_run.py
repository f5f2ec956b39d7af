"""Sweeps: the right answers at the right points, the same on one worker and on two, in memory and on disk."""

import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import tightbudget as tb
from tightbudget.sweeps import pool
from tightbudget.sweeps.result_folder import ABOUT
from tightbudget.sweeps.run import sweep

PLAN: dict[str, Any] = {
    "composition": "gaussian(sigma={sigma}) * {steps}",
    "grid": {"sigma": [10.0, 20.0, 40.0], "steps": [1, 100]},
    "questions": [{"ask": "epsilon", "delta": [1e-6, 1e-3]}, {"ask": "delta", "epsilon": 0.5}],
    "batch": 2,
}
SAMPLED = {
    "composition": "poisson(gaussian(sigma={sigma}), q={q}) * {steps}",
    "grid": {"sigma": [1.0, 1.1, 1.2], "q": [0.01, 0.02], "steps": [100, 200]},
    "questions": [{"ask": "epsilon", "delta": 1e-6}],
    "batch": 5,
}
WITH_MISTAKES = {
    "composition": "gaussian(sigma={sigma}) * {n}",
    "grid": {"sigma": [1.0, -1.0], "n": [1, 0.5]},
    "questions": [{"ask": "epsilon", "delta": 1e-6}],
    "batch": 1,
}


def rows(result: Any) -> list[tuple[Any, ...]]:
    """Return everything but the seconds, bit for bit; NaN is equal to itself."""
    columns = [name for name in result if name != "seconds"]
    return list(zip(*(map(repr, result[name].tolist()) for name in columns), strict=True))


def true_delta(mu: float, epsilon: float) -> Any:
    """Return delta of mu-Gaussian differential privacy (Dong, Roth, Su 2022, Corollary 2.13)."""
    with mpmath.workdps(40):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        ncdf = mpmath.ncdf
        return ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * ncdf(-mu / 2 - epsilon / mu)


def test_each_row_holds_the_truth_of_its_own_point_and_question() -> None:
    result = sweep(PLAN, workers=1)
    assert list(result["point"]) == sorted([*range(6)] * 3)
    assert set(zip(result["sigma"].tolist(), result["steps"].tolist(), strict=True)) == {
        (sigma, steps) for sigma in (10.0, 20.0, 40.0) for steps in (1, 100)
    }
    seen = set()
    for i, question in enumerate(result["question"]):
        mu = math.sqrt(result["steps"][i]) / result["sigma"][i]
        name, target = result["target"][i].split("=")
        lower, upper = float(result["lower"][i]), float(result["upper"][i])
        seen.add((question, name))
        if question == "delta":
            assert lower <= true_delta(mu, float(target)) <= upper
        else:
            assert true_delta(mu, upper) <= mpmath.mpf(float(target)) <= true_delta(mu, lower)
        assert upper - lower <= 1e-3 * upper
    assert seen == {("epsilon", "delta"), ("delta", "epsilon")}
    assert result.converged
    assert not any(result["error"])


@pytest.mark.slow
def test_one_worker_and_two_and_a_file_say_the_same(tmp_path: Path) -> None:
    alone = sweep(SAMPLED, workers=1)
    stored = sweep(SAMPLED, workers=2, out=tmp_path / "results.parquet")
    assert rows(alone) == rows(sweep(SAMPLED, workers=2)) == rows(stored)
    assert stored.path == tmp_path / "results.parquet"
    assert (stored.tally.answers, stored.tally.reused) == (12, 0)
    assert rows(pickle.loads(pickle.dumps(stored))) == rows(alone)


def test_answers_do_not_depend_on_what_was_answered_before() -> None:
    """Points share work within a batch only."""
    whole = sweep(SAMPLED, workers=1)
    again = sweep(SAMPLED, workers=1)
    assert rows(whole) == rows(again)


def test_an_illegal_point_has_its_error_and_the_others_their_answers() -> None:
    result = sweep(WITH_MISTAKES, workers=1)
    errors = [error != "" for error in result["error"]]
    assert errors == [False, True, True, True]
    assert "sigma is -1.0" in result["error"][2]
    assert "A repetition must be a whole number" in result["error"][1]
    assert np.isnan(result["lower"][errors]).all()
    assert np.isnan(result["upper"][errors]).all()
    assert not result["converged"][errors].any()
    assert result["lower"][0] > 0
    assert not result.converged
    assert (result.tally.failed, result.tally.wide) == (3, 0)
    assert "3 failed. The first error: sigma is -1.0" in str(result)


def test_a_bracket_that_is_too_wide_says_why() -> None:
    plan = {"compositions": ["bounded_range(1) * 10"], "questions": [{"ask": "epsilon", "delta": 1e-6}]}
    result = sweep(plan)
    assert (result.tally.wide, result.tally.failed) == (1, 0)
    assert result["reason"][0]
    assert not result.converged


def test_a_finished_sweep_is_read_and_not_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sweep(PLAN, workers=1, out=tmp_path / "r")
    monkeypatch.setattr(pool, "answer_batch", None)
    second = sweep(PLAN, workers=1, out=tmp_path / "r")
    assert second.tally.reused == second.tally.answers == 18
    assert rows(second) == rows(first)
    assert second["seconds"].tolist() == first["seconds"].tolist()


def test_what_is_torn_or_missing_is_computed_again_and_nothing_else(tmp_path: Path) -> None:
    first = sweep(PLAN, workers=1, out=tmp_path / "r")
    parts = sorted((tmp_path / "r").glob("part-*.parquet"))
    assert len(parts) == 3
    torn = parts[1].read_bytes()
    for damaged in (torn[: len(torn) // 2], b"", _flipped(torn, first["upper"]), parts[0].read_bytes()):
        parts[1].write_bytes(damaged)
        again = sweep(PLAN, workers=1, out=tmp_path / "r")
        assert again.tally.reused == 12
        assert rows(again) == rows(first)
    parts[2].unlink()
    assert sweep(PLAN, workers=1, out=tmp_path / "r").tally.reused == 12


def _flipped(content: bytes, numbers: np.ndarray) -> bytes:
    """Change the last bit of a number that stands in the file once; without checksums another one is read."""
    written = next(one.tobytes() for one in numbers if content.count(one.tobytes()) == 1)
    place = content.index(written)
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def test_failed_points_stay_until_they_are_retried(tmp_path: Path) -> None:
    out = tmp_path / "r"
    assert sweep(WITH_MISTAKES, workers=1, out=out).tally.failed == 3
    again = sweep(WITH_MISTAKES, workers=1, out=out)
    assert (again.tally.reused, again.tally.failed) == (4, 3)
    retried = sweep(WITH_MISTAKES, workers=1, out=out, retry_failed=True)
    assert (retried.tally.reused, retried.tally.failed) == (1, 3)


def test_another_plan_is_refused_and_what_is_there_stays(tmp_path: Path) -> None:
    out = tmp_path / "r"
    sweep(PLAN, workers=1, out=out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(tb.InvalidParameter, match="results of another one"):
        sweep({**PLAN, "rtol": 1e-4}, workers=1, out=out)
    about = (out / ABOUT).read_text()
    (out / ABOUT).write_text(about.replace(tb.__version__, "0.0.1"))
    with pytest.raises(tb.InvalidParameter, match=r"begun by 0\.0\.1"):
        sweep(PLAN, workers=1, out=out)
    (out / ABOUT).write_text("[]")
    with pytest.raises(tb.InvalidParameter, match="cannot be read"):
        sweep(PLAN, workers=1, out=out)
    (out / ABOUT).write_text(about)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("mine")
    for out in ("file", "folder", "no/such/folder"):
        with pytest.raises(tb.InvalidParameter, match="out is"):
            sweep(PLAN, out=tmp_path / out)
    with pytest.raises(tb.InvalidParameter, match="the name of a folder"):
        sweep(PLAN, out="")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder", "mine.txt"]


def test_nothing_is_written_where_the_plan_or_the_workers_are_wrong(tmp_path: Path) -> None:
    for wrong in ({"workers": 0}, {"workers": 2.5}, {"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, {"scheduler": "here"}):
        with pytest.raises(tb.InvalidParameter):
            sweep(PLAN, out=tmp_path / "r", **wrong)
    with pytest.raises(tb.InvalidParameter):
        sweep({**PLAN, "grdi": {}}, out=tmp_path / "r")
    assert not list(tmp_path.iterdir())


def test_files_are_plain_parquet_that_others_read(tmp_path: Path) -> None:
    import pyarrow.parquet as parquet

    result = sweep(WITH_MISTAKES, workers=1, out=tmp_path / "r.parquet")
    table = parquet.read_table(tmp_path / "r.parquet")
    assert table.num_rows == 4
    assert table.schema.names == list(result)
    assert table.column("lower").null_count == 3
    assert result.table.sort_by("point").drop_columns("seconds") == table.sort_by("point").drop_columns("seconds")


def test_a_column_that_is_not_there_is_named() -> None:
    result = sweep({**PLAN, "grid": {"sigma": [1.0], "steps": [1]}}, workers=1)
    with pytest.raises(tb.InvalidParameter, match="Did you mean 'upper'"):
        result["uper"]
    assert dict(result).keys() == set(result)


def test_pandas_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = sweep({**PLAN, "grid": {"sigma": [1.0], "steps": [1]}}, workers=1)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tb.MissingExtra, match="pandas"):
        result.to_pandas()
    fake = type(sys)("pandas")
    fake.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", fake)
    assert list(result.to_pandas()) == list(result)


def test_pyarrow_is_needed_for_files_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert sweep(PLAN, workers=1).converged
    with pytest.raises(tb.MissingExtra, match="pyarrow"):
        sweep(PLAN, out=tmp_path / "r")
    assert not list(tmp_path.iterdir())


def test_distributed_is_needed_for_a_cluster_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(tb.MissingExtra, match="distributed"):
        sweep(PLAN, scheduler="tcp://127.0.0.1:8786")


SLOW = {**SAMPLED, "grid": {"sigma": {"from": 1, "to": 2, "points": 60}, "q": [0.01], "steps": [1000]}, "batch": 3}


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever held a batch when it was killed, the batch is answered by another, once."""
    started: list[Any] = []
    start = subprocess.Popen

    def noted(*arguments: Any, **named: Any) -> Any:
        process = start(*arguments, **named)
        started.append(process)
        return process

    monkeypatch.setattr(pool.subprocess, "Popen", noted)

    def killing(done: int, reused: int, total: int) -> None:
        if done == 6 and len(started) == 2:
            os.kill(started[0].pid, signal.SIGKILL)

    result = sweep(SLOW, workers=2, watch=killing)
    assert len(started) == 3
    assert all(process.poll() is not None for process in started)  # none is left behind
    assert rows(result) == rows(sweep(SLOW, workers=1))


@pytest.mark.slow
def test_a_batch_that_kills_every_worker_is_reported_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os; os.write(2, b'out of memory'); os._exit(7)"
    start = subprocess.Popen

    def dying(command: list[str], **named: Any) -> Any:
        return start([command[0], "-c", program], **named)

    monkeypatch.setattr(pool.subprocess, "Popen", dying)
    result = sweep(PLAN, workers=2, out=tmp_path / "r")
    assert (result.tally.lost, result.tally.failed) == (18, 18)
    assert "out of memory" in result.tally.first_error
    monkeypatch.undo()
    assert rows(sweep(PLAN, workers=2, out=tmp_path / "r")) == rows(sweep(PLAN, workers=1))


@pytest.mark.slow
def test_an_interrupted_sweep_keeps_what_is_finished_and_goes_on(tmp_path: Path) -> None:
    def interrupt(done: int, reused: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        sweep(SLOW, workers=2, out=tmp_path / "r", watch=interrupt)
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before  # and so nothing works on
    resumed = sweep(SLOW, workers=2, out=tmp_path / "r")
    assert 30 <= resumed.tally.reused < 60
    assert rows(resumed) == rows(sweep(SLOW, workers=1))
    assert not list((tmp_path / "r").glob(".*"))


@pytest.mark.slow
def test_a_script_needs_no_guard_and_a_notebook_no_file() -> None:
    """Workers do not run the program that started them."""
    program = f"from tightbudget.sweeps.run import sweep\nprint(sweep({PLAN!r}, workers=2))"
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, check=True)
    assert done.stdout == "18 answers at 6 points.\n"
    assert done.stderr == ""


def test_it_is_told_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    sweep(PLAN, workers=1, out=tmp_path / "r", watch=lambda *counts: told.append(counts))
    assert told == [(0, 0, 18), (6, 0, 18), (12, 0, 18), (18, 0, 18)]
    told.clear()
    sweep(PLAN, workers=1, out=tmp_path / "r", watch=lambda *counts: told.append(counts))
    assert told == [(18, 18, 18)]


def test_every_question_is_answered_as_by_itself() -> None:
    asked = [
        {"ask": "tpr", "fpr": 0.01},
        {"ask": "advantage"},
        {"ask": "posterior", "prior": 0.1},
        {"ask": "posterior", "prior": 0.1, "fpr": 0.01},
        {"ask": "bayes_error", "prior": 0.3},
        {"ask": "gdp_mu"},
        {"ask": "gdp_mu", "down_to": 1e-5},
    ]
    result = sweep({"compositions": ["laplace(scale=2) * 3"], "questions": asked})
    attack = tb.risk(tb.Laplace(2) * 3)
    for i, question in enumerate(asked):
        numbers = {name: value for name, value in question.items() if name != "ask"}
        alone = getattr(attack, question["ask"])(**numbers)
        assert (result["question"][i], result["target"][i]) == (
            question["ask"], ", ".join(f"{name}={value!r}" for name, value in numbers.items()),
        )  # fmt: skip
        assert result["lower"][i] <= alone.upper
        assert alone.lower <= result["upper"][i]
        assert not result["error"][i]


@pytest.mark.slow
def test_a_calibrated_number_meets_its_target_and_its_neighbour_misses_it() -> None:
    plan = {
        "composition": "gaussian(sigma=?) * {steps}",
        "grid": {"steps": [1, 16]},
        "questions": [{"ask": "calibrate", "epsilon": [1.0, 2.0], "delta": 1e-6}],
    }
    result = sweep(plan)
    assert result.converged
    for steps, target, lower, upper, value in zip(
        *(result[name] for name in ("steps", "target", "lower", "upper", "value")), strict=True
    ):
        epsilon = float(target.split("=")[1].split(",")[0])
        assert value == upper  # more noise meets it
        assert true_delta(math.sqrt(steps) / value, epsilon) <= mpmath.mpf(1e-6)
        assert true_delta(math.sqrt(steps) / lower, epsilon) > mpmath.mpf(1e-6)
        assert upper - lower <= 1e-6 * upper


def test_a_calibrated_count_is_the_lower_end() -> None:
    plan = {"composition": "gaussian(sigma=10) * ?", "questions": [{"ask": "calibrate", "epsilon": 1.0, "delta": 1e-6}]}
    result = sweep(plan)
    value = int(result["value"][0])
    assert (result["lower"][0], result["upper"][0]) == (value, value + 1)
    assert true_delta(math.sqrt(value) / 10, 1.0) <= mpmath.mpf(1e-6) < true_delta(math.sqrt(value + 1) / 10, 1.0)


@pytest.mark.slow
def test_a_target_that_cannot_be_met_is_the_error_of_its_point() -> None:
    plan = {
        "composition": "approximate_dp(epsilon=?, delta={d})",
        "grid": {"d": [1e-7, 1e-3]},
        "questions": [{"ask": "calibrate", "epsilon": 1.0, "delta": 1e-6}],
    }
    result = sweep(plan)
    assert [error != "" for error in result["error"]] == [False, True]
    assert np.isnan(result["value"][1])
