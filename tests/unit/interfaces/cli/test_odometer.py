"""`tightbudget odometer`, without a process for each call."""

import json
from pathlib import Path

import numpy as np
import pytest

from tightbudget.interfaces import odometer_plot
from tightbudget.interfaces.cli import main
from tightbudget.research.games import players

QUICK = ["--rounds", "60", "--runs", "40"]


@pytest.mark.slow
def test_the_table_names_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = ["--kind", "mixture", "--kind", "fixed-time"]
    assert main(["odometer", "simulate", *kinds, "--rounds", "2000", "--runs", "40"]) == 0
    shown = capsys.readouterr().out
    assert "Pr[loss ever above the bound]" in shown
    lines = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert lines["mixture"].split()[-1] == "holds"
    assert lines["fixed-time"].split()[-1] == "FAILS"


def test_json_holds_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odometer", "simulate", "--all", "--json", "--seed", "3", *QUICK]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [game["odometer"] for game in answer["games"]] == list(players.every_odometer())
    for game in answer["games"]:
        assert game["lower"] <= game["rate"] <= game["upper"]
        assert game["runs"] == 40
        assert game["promised"] == 0.05
        assert 0.0 <= game["exactly"] <= 0.06
    assert answer["seed"] == 3


@pytest.mark.parametrize("adversary", players.odometer_adversaries(1.0))
def test_every_adversary_can_be_asked_for(adversary: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odometer", "simulate", "--adversary", adversary, "--json", *QUICK]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["adversary"] == adversary
    assert (game["exactly"] is None) == (adversary not in ("fixed", "stop-when-ahead"))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_drawn_and_the_same_again(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = {"png": b"\x89PNG", "svg": b"<?xml"}[suffix]
    simulate = ["odometer", "simulate", "--kind", "mixture", "--kind", "fixed-time", *QUICK]
    for name, command in (("a", simulate), ("s", ["odometer", "separation", "--rounds", "40"])):
        files = [tmp_path / f"{name}{copy}.{suffix}" for copy in (1, 2)]
        for file in files:
            assert main([*command, "--plot", str(file)]) == 0
        assert files[0].read_bytes().startswith(head)
        assert files[0].read_bytes() == files[1].read_bytes()
    assert "Wrote" in capsys.readouterr().out


def test_the_separation_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odometer", "separation", "--rounds", "300", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rounds"] == [10, 30, 100, 300]
    assert answer["failing"]["fixed-time"][-1] > 0.05 >= max(answer["failing"]["mixture"])
    needed = answer["least_constant_width"]
    assert needed == sorted(needed)
    assert needed[-1] > answer["width"]["fixed-time"][-1]


@pytest.mark.parametrize(
    "options",
    [
        ["--kind", "perfect"],
        ["--adversary", "nobody"],
        ["--delta", "0"],
        ["--delta", "nan"],
        ["--epsilon-each", "0"],
        ["--epsilon-each", "nan"],
        ["--epsilon-each", "1e200"],
        ["--epsilon-each", "1e-200"],
        ["--rounds", "0"],
        ["--runs", "-1"],
        ["--seed", "-1"],
        ["--plot", "runs.pdf"],
    ],
)
def test_bad_input_gets_one_sentence(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odometer", "simulate", *options]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Error: ")
    assert shown.err.count("\n") == 1


def test_both_spellings_of_a_kind_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("one-sided-mixture", "one_sided_mixture"):
        assert main(["odometer", "simulate", "--kind", kind, "--rounds", "50", "--runs", "5", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["games"][0]["odometer"] == "one_sided_mixture"


def test_crossings_of_every_bound_are_found() -> None:
    losses = np.array([[0.0, 1.0, 3.0, 2.0], [0.0, 1.0, 1.0, 6.0], [0.0, -1.0, 0.0, 1.0]])
    bounds = {"unsound": np.array([0.0, 2.0, 2.0, 2.0]), "sound": np.array([0.0, 5.0, 5.0, 5.0])}
    assert odometer_plot._odometer_crossings(losses, bounds) == {"unsound": {0: 2, 1: 3}, "sound": {1: 3}}


@pytest.mark.slow
def test_the_picture_says_how_many_runs_it_shows() -> None:
    losses = np.array([[0.0, 1.0, 3.0, 2.0], [0.0, 1.0, 1.0, 6.0]])
    bounds = {"unsound": np.array([0.0, 2.0, 2.0, 2.0]), "sound": np.array([0.0, 5.0, 5.0, 5.0])}
    picture = odometer_plot.draw_paths(losses, bounds, {"unsound"}, 0.1, "title", "svg", runs=500).decode()
    assert "2 of 500 runs drawn" in picture
    assert "sound, 1 above" in picture
