"""One run under every way to sample: each row is the composition that the how-to says to write."""

import json
from pathlib import Path

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli.app import main

RUN = {"examples": 1000, "batch": 50, "epochs": 2, "noise_multiplier": 1.0, "delta": 1e-4}
TYPED = ["--examples", "1000", "--batch", "50", "--epochs", "2", "--noise-multiplier", "1", "--delta", "1e-4"]


@pytest.fixture(scope="module")
def found() -> tb.Samplings:
    return tb.samplings(**RUN)  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_row_is_what_it_says_to_write(found: tb.Samplings) -> None:
    for row in found:
        read = tb.parse(str(row.composition))
        assert read.epsilon(1e-4) == row.epsilon
        assert row.relation == row.epsilon.relation == read.relation


@pytest.mark.slow
def test_the_rows_are_those_of_the_how_to(found: tb.Samplings) -> None:
    written = {
        ("Poisson", "add_remove"): "poisson(gaussian(sigma=1), q=0.05) * 40",
        ("Poisson, at most 63", "add_remove"): "truncated_poisson(gaussian(sigma=1), q=0.05, cap=63, examples=1000) * 40",
        ("fixed size", "add_remove"): "without_replacement(gaussian(sigma=1), batch=50, examples=1000) * 40",
        ("with replacement", "add_remove"): "with_replacement(gaussian(sigma=1), batch=50, examples=1000) * 40",
        ("random allocation", "add_remove"): "random_allocation(gaussian(sigma=1), batches=20) * 2",
        ("shuffled", "zero_out"): "shuffled_batches(gaussian(sigma=1), batches=20) * 2",
    }
    answers = {(row.name, row.relation): row.epsilon for row in found}
    for key, text in written.items():
        assert answers[key] == tb.parse(text).epsilon(1e-4, relation=key[1])
    assert len({name for name, _ in answers}) == len(written)


@pytest.mark.slow
def test_shuffled_is_never_poisson(found: tb.Samplings) -> None:
    answers = {(row.name, row.relation): row.epsilon for row in found}
    assert answers["shuffled", "zero_out"].lower > answers["Poisson", "add_remove"].upper
    assert answers["Poisson", "replace_one"].lower > answers["Poisson", "add_remove"].upper
    assert answers["fixed size", "add_remove"].lower > answers["Poisson", "replace_one"].upper


@pytest.mark.slow
def test_a_cap_that_nothing_reaches_changes_nothing() -> None:
    answers = {row.name: row.epsilon for row in tb.samplings(**RUN, cap=1000) if row.relation == "add_remove"}  # type: ignore[arg-type]
    assert answers["Poisson, at most 1000"].upper == pytest.approx(answers["Poisson"].upper, rel=1e-3)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"batch": 2000}, "batch"),
        ({"batch": 0}, "batch"),
        ({"cap": 0}, "cap"),
        ({"noise_multiplier": None}, "noise_multiplier"),
        ({"examples": None}, "examples"),
        ({"epochs": None}, "epochs"),
        ({"delta": 2.0}, "delta"),
    ],
)
def test_bad_runs(changed: dict[str, object], says: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=says):
        tb.samplings(**{**RUN, **changed})  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    picture = tmp_path / "ways.png"
    assert main(["explain-sampling", *TYPED, "--plot", str(picture)]) == 0
    out = capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "poisson(gaussian(sigma=1.0), q=0.05) * 40" in out
    assert max(len(line) for line in out.splitlines() if str(tmp_path) not in line) <= 60
    assert main(["explain-sampling", *TYPED, "--json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert shape["samplings"][0]["sampling"] == "Poisson"
    assert all(row["lower"] <= row["upper"] for row in shape["samplings"])
    assert main(["explain-sampling", *TYPED[:-2]]) == 2
    assert main(["explain-sampling", *TYPED, "--batch", "5000"]) == 2


@pytest.mark.slow
def test_in_notebooks(found: tb.Samplings) -> None:
    assert "random allocation" in found._repr_html_()
    assert found.plot().get_xlabel() == "ε at δ = 0.0001"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "unknown"),
    [
        ({"batch": 2000, "examples": 10**5}, {"with replacement, add_remove"}),
        (
            {"examples": 10**10, "epochs": None, "steps": 10},
            {"random allocation, add_remove", "random allocation, replace_one", "shuffled, zero_out", "shuffled, replace_one"},
        ),
        ({"noise_multiplier": 0}, {"with replacement, add_remove"}),
    ],
)
def test_what_is_not_known_of_a_run_is_left_out_and_said(changed: dict[str, object], unknown: set[str]) -> None:
    """Large batches, as they are usual, once made all of it fail."""
    some = tb.samplings(**{**RUN, **changed})  # type: ignore[arg-type]
    assert {reason.partition(":")[0] for reason in some.left_out} == unknown
    assert {f"{row.name}, {row.relation}" for row in some}.isdisjoint(unknown)
    assert len(some.rows) + len(some.left_out) == 12
    assert all(reason in str(some) for reason in some.left_out)


def test_what_is_not_known_is_said_in_one_sentence() -> None:
    large = tb.samplings(examples=10**5, batch=2000, steps=1, noise_multiplier=1.0, delta=1e-6, rtol=0.1)
    assert large.left_out == ("with replacement, add_remove: Under add_remove a batch may have at most 1000 examples.",)


def test_an_allocation_that_takes_minutes_is_left_to_who_asks_for_it() -> None:
    many = tb.samplings(examples=20_002, batch=2, steps=10, noise_multiplier=1e3, delta=1e-6, rtol=0.1)
    allocated = [reason for reason in many.left_out if reason.startswith("random allocation")]
    assert len(allocated) == 2
    for reason in allocated:
        assert "batches is 10001, but must be at most 10000" in reason
        assert "ask about random_allocation(gaussian(sigma=1000.0), batches=10001) alone" in reason


def composed(some: tb.Samplings) -> dict[tuple[str, str], str]:
    return {(row.name, row.relation): str(row.composition) for row in some}


@pytest.mark.slow
def test_a_smaller_last_batch_and_passes_that_are_begun_count_and_are_said() -> None:
    run = {"examples": 100, "batch": 64, "noise_multiplier": 4.0, "delta": 1e-4}
    some = tb.samplings(**run, epochs=2.5)  # type: ignore[arg-type]
    assert composed(some)["shuffled", "zero_out"] == "shuffled_batches(gaussian(sigma=4.0), batches=2) * 3"
    assert composed(some)["random allocation", "add_remove"] == "random_allocation(gaussian(sigma=4.0), batches=2) * 3"
    assert [sentence.partition(":")[0] for sentence in some.rounded] == [
        "A pass has 2 batches",
        "2.5 passes count as 3 whole ones",
    ]
    assert all(sentence in str(some) for sentence in some.rounded)
    steps = tb.samplings(**run, steps=3)  # type: ignore[arg-type]
    assert composed(steps)["shuffled", "zero_out"] == "shuffled_batches(gaussian(sigma=4.0), batches=2) * 2"
    assert steps.rounded[1].startswith("1.5 passes count as 2 whole ones")


@pytest.mark.slow
def test_nothing_is_said_of_whole_passes(found: tb.Samplings) -> None:
    assert found.rounded == ()


def test_one_pass_is_written_without_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    once = ["--examples", "40", "--batch", "40", "--steps", "1", "--noise-multiplier", "4", "--delta", "1e-3"]
    assert main(["explain-sampling", *once, "--rtol", "0.1"]) == 0
    shown = capsys.readouterr().out
    assert "poisson(gaussian(sigma=4.0), q=1.0)\n" in shown
    assert "shuffled_batches(gaussian(sigma=4.0), batches=1, relation='replace_one')\n" in shown
    assert "* 1" not in shown


@pytest.mark.parametrize("length", [["--epochs", "0"], ["--steps", "0"]])
def test_a_run_without_steps_is_said_once(length: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run = ["--examples", "100", "--batch", "30", *length, "--noise-multiplier", "1", "--delta"]
    assert main(["explain-sampling", *run, "1e-4"]) == 0
    assert capsys.readouterr().out == "There are no steps and nothing is released: ε is 0 at δ = 0.0001.\n"
    assert main(["explain-sampling", *run, "1e-4", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["samplings"]) == 12
    none = tb.samplings(examples=100, batch=30, steps=0, noise_multiplier=1.0, delta=0.02)
    assert str(none).startswith("There are no steps and nothing is released: epsilon is 0 at delta = 0.02.\nWarning: ")


@pytest.mark.parametrize(("delta", "warned"), [(0.02, True), (0.010001, True), (0.01, False), (1e-4, False)])
def test_a_large_delta_is_warned_about_as_dpsgd_does(delta: float, warned: bool, capsys: pytest.CaptureFixture[str]) -> None:
    run = {"examples": 100, "batch": 100, "steps": 1, "noise_multiplier": 4.0, "delta": delta}
    some = tb.samplings(**run, rtol=0.1)  # type: ignore[arg-type]
    assert bool(some.warnings) is warned
    stated = " ".join(tb.dpsgd(**run).statement.split())  # type: ignore[arg-type]
    assert all(sentence in stated and sentence in str(some) for sentence in some.warnings)
    assert ("Warning: δ" in stated) is warned
    typed = [part for name, value in run.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    assert main(["explain-sampling", *typed, "--rtol", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == list(some.warnings)
    assert main(["explain-sampling", *typed, "--rtol", "0.1"]) == 0
    assert ("Warning: δ is larger than 1/100, one over" in capsys.readouterr().out) is warned
