"""Errors of commands name options as they are typed."""

import pytest

from tightbudget.interfaces.cli.app import main

OPEN = "gaussian(sigma=?)"
RUN = ["dpsgd", "--examples", "100", "--batch", "10"]
SAID = [
    (["calibrate", OPEN, "--epsilon", "1"], "--delta is missing; it must be given with --epsilon."),
    (["calibrate", OPEN, "--tpr", "0.5"], "--fpr is missing; it must be given with --tpr."),
    (["calibrate", OPEN], "Give one target: --epsilon (with --delta), --advantage, --tpr"),
    (["calibrate", OPEN, "--epsilon", "1", "--advantage", "0.1"], "Give one target: --epsilon"),
    (
        ["calibrate", OPEN, "--epsilon", "1", "--delta", "0.1", "--min", "5", "--max", "2"],
        "--max is 2.0, but must be a finite number above --min, which is 5.0.",
    ),
    (
        ["calibrate", OPEN, "--epsilon", "1", "--delta", "0.1", "--fpr", "0.1"],
        "--fpr is 0.1, but must be left out where the target is --epsilon.",
    ),
    (["calibrate", OPEN, "--tpr", "0.5", "--fpr", "0.9"], "--tpr is 0.5, but must be above the --fpr, 0.9."),
    (["calibrate", OPEN, "--bayes-error", "0.9", "--prior", "0.5"], "--bayes-error is 0.9, but must be below 0.5."),
    (["calibrate", OPEN, "--epsilon", "1", "--delta", "0.1", "--effort", "-1"], "--effort is -1.0, but must be"),
    (["epsilon", "gaussian(1)", "--delta", "2"], "--delta is 2.0, but must be a number from 0 to 1."),
    (["epsilon", "gaussian(1)", "--delta", "0.1", "--rtol", "-1"], "--rtol is -1.0, but must be a number above 0."),
    (["delta", "gaussian(1)", "--epsilon", "nan"], "--epsilon is nan, but must be a number."),
    (["explain", "gaussian(1)", "--delta", "3"], "--delta is 3.0"),
    (["compare", "gaussian(1)", "--delta", "3"], "--delta is 3.0"),
    ([*RUN, "--epochs", "1", "--delta", "1e-5"], "--noise-multiplier is missing; it must be given for every phase."),
    ([*RUN, "--epochs", "1", "--delta", "1e-5"], "Or give --target-epsilon, to calibrate it."),
    ([*RUN, "--noise-multiplier", "1", "--delta", "1e-5"], "--epochs is missing; it must be given, or --steps in its place."),
    (
        ["dpsgd", "--batch", "10", "--epochs", "1", "--target-epsilon", "1", "--delta", "1e-5"],
        "--examples is missing; it must be given where --batch is. Or give --sample-rate in place of both.",
    ),
    (
        [*RUN, "--epochs", "1", "--steps", "5", "--noise-multiplier", "1", "--delta", "1e-5"],
        "--steps is 5, but must be left out where --epochs is given.",
    ),
    (
        ["dpsgd", "--examples", "9", "--batch", "10", "--epochs", "1", "--noise-multiplier", "1", "--delta", "1e-5"],
        "--batch is 10, but must be a whole number from 1 to the number of examples, 9. It is the expected size of a batch;",
    ),
    (["filter", "compare", "--epsilon", "1", "--delta", "2", "--each", "gaussian(50)"], "--delta is '2', but must be"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "said"), SAID)
def test_options_are_named_as_they_are_typed(typed: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(typed) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.startswith("Error: ")
    assert not captured.out


def test_arguments_of_mechanisms_keep_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["delta", "pure_dp(epsilon=-1)", "--epsilon", "1"]) == 2
    assert "--epsilon" not in capsys.readouterr().err
    assert main(["epsilon", "poisson(gaussian(sigma=-2), q=0.1)", "--delta", "0.1"]) == 2
    assert "Error: sigma is -2" in capsys.readouterr().err


@pytest.mark.parametrize("workers", ["-3", "0", "1025"])
def test_the_number_of_workers(workers: str, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('composition = "gaussian(sigma={s})"\nquestions = [{ask="advantage"}]\n[grid]\ns = [1, 2]\n')
    assert main(["sweep", str(plan), "--workers", workers]) == 2
    assert f"--workers is {workers}, but must be a whole number from 1 to 1024." in capsys.readouterr().err
