"""Errors of commands name options as they are typed."""

from pathlib import Path

import pytest

from tightbudget.interfaces.cli.app import main
from tightbudget.interfaces.cli.dpsgd_plan import PHASE_SETTINGS
from tightbudget.training.phases import NAMES

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
    # what the library calls otherwise
    (
        ["calibrate", "gaussian(sigma=9) * ?", "--epsilon", "1", "--delta", "0.1", "--min", "0.5", "--max", "2"],
        "--min is 0.5, but must be a whole number",
    ),
    (
        ["calibrate", "gaussian(sigma=9) * ?", "--epsilon", "1", "--delta", "0.1", "--min", "1", "--max", "2.5"],
        "--max is 2.5, but must be a whole number",
    ),
    ([*RUN, "--phase", "epoch=1 noise_multiplier=3", "--delta", "1e-5"], "'epoch' is not known in a phase; write epochs, "),
    ([*RUN, "--phase", "epoch=1 noise_multiplier=3", "--delta", "1e-5"], "Did you mean epochs?"),
    (
        [*RUN, "--phase", "epochs=1 noise_multiplier=1", "--target-epsilon", "1", "--delta", "1e-5"],
        "noise_multiplier is 1, but must be left out in at least one phase where --target-epsilon is given.",
    ),
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


PLAN = "examples = 100\nbatch = 10\ndelta = 1e-5\n"


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (PLAN + "phase = 3\n", "phase is 3, but must be tables [[phase]] of epochs, steps, "),
        (PLAN + "phase = []\n", "phase is [], but must be tables [[phase]]"),
        (PLAN + "phase = [1, 2]\n", "phase is [1, 2], but must be tables [[phase]]"),
        (PLAN + "[[phase]]\nepoch = 1\n", "--plan is 'epoch', but must be a file whose tables [[phase]] say epochs, "),
        (PLAN + "[[phase]]\nepochs = 1\nnoise_multiplier = -3\n", "noise_multiplier is -3, but must be"),
        (PLAN + "epochs = -1\nnoise_multiplier = 3\n", "epochs is -1, but must be"),
    ],
)
def test_keys_of_a_plan_are_named_as_they_are_written(
    plan: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plan.toml").write_text(plan)
    assert main(["dpsgd", "--plan", str(tmp_path / "plan.toml")]) == 2
    assert said in capsys.readouterr().err


def test_what_a_phase_may_say_is_what_the_library_knows() -> None:
    assert set(PHASE_SETTINGS) == set(NAMES)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["budget", "create", "a/b"], "NAME is 'a/b', but must be 1 to 100 printable characters"),
        (["budget", "create", "b", "--filter", "rdp"], "--setting is missing; it must be those of the rdp filter: orders, "),
        (["budget", "create", "b", "--filter", "rdp"], "; orders must be given. Such as orders=8;"),
        (
            ["budget", "create", "b", "--setting", "order=8"],
            "--setting is {'order': '8'}, but must be those of the zcdp filter: ",
        ),
        (["budget", "create", "b", "--odometer", "renyi", "--odometer", "best"], "--odometer is 'best', but must be one of "),
        (["budget", "create", "b", "--description", "x" * 1001], "--description is 'of 1001 characters', but must be"),
        (["budget", "lower", "census", "--epsilon", "2"], "or tightbudget ledger budget extend."),
        (["budget", "list", "--limit", "-1"], "--limit is -1, but must be"),
        (["quote", "basic", "gaussian(sigma=50)"], "EXPR is 'gaussian(sigma=50)', but must be a step with an epsilon"),
        (["charge", "census", "gaussian(sigma=50)", "--purpose", "x" * 1001], "--purpose is 'of 1001 characters'"),
    ],
)
def test_a_ledger_names_what_was_typed(
    typed: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIGHTBUDGET_LEDGER", f"sqlite:///{tmp_path / 'budget.db'}")
    budget = ["--epsilon", "1", "--delta", "1e-6"]
    assert main(["ledger", "init"]) == 0
    for name, kind in (("census", "zcdp"), ("basic", "basic")):
        assert main(["ledger", "budget", "create", name, *budget, "--filter", kind]) == 0
    capsys.readouterr()
    assert main(["ledger", *typed, *(budget if "create" in typed else [])]) == 2
    assert said in capsys.readouterr().err
