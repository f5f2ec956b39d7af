"""`tightbudget study`: what is printed holds, and bad input is one sentence."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from tightbudget.interfaces.cli import main
from tightbudget.research.studies import timing, vuvuzela


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, active in (("active.csv", True), ("passive.csv", False)):
        delays = timing.synthetic(2000, active=active, seed=4, extra=1.0)
        Path(name).write_text("delay in ms (synthetic)\n" + "\n".join(f"{delay:.6f}" for delay in delays) + "\n")
    Path("words.csv").write_text("1\ntwo\n")
    Path("c.csv").write_text("1\n2\n")
    Path("d.csv").write_text("1\n2\n3\n")
    Path("empty.csv").write_text("")
    Path("nan.csv").write_text("1\nnan\n")
    return tmp_path


def test_vuvuzela_in_words(capsys: pytest.CaptureFixture[str]):
    assert main(["study", "vuvuzela", "dialing", "--rounds", "1024"]) == 0
    shown = capsys.readouterr().out
    setting = re.match(r"dialing: gaussian noise, mean (\d+), scale ([0-9.]+)\n", shown)
    assert setting is not None
    # the printed numbers themselves must meet the target
    mean, scale = map(float, setting.groups())
    assert vuvuzela.Setting("dialing", "gaussian", mean, scale).delta(math.log(2.0), 1024).upper <= 1e-4
    assert "80.3% fewer here" in shown


def test_vuvuzela_as_json(capsys: pytest.CaptureFixture[str]):
    arguments = ["conversation", "--rounds", "4096", "--noise", "laplace", "--epsilon", "1", "--delta", "1e-5", "--ratio", "25"]
    assert main(["study", "vuvuzela", *arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["lower"] <= answer["upper"] <= answer["delta"] == 1e-5
    assert answer["mean"] / answer["scale"] == pytest.approx(25, rel=1e-5)
    assert answer["fails"]["mean"] < answer["mean"]
    assert answer["saved"] == pytest.approx(1 - answer["requests"] / answer["original"]["requests"])


def test_more_noise_than_the_original_is_said_plainly(capsys: pytest.CaptureFixture[str]):
    assert main(["study", "vuvuzela", "dialing", "--rounds", "1024", "--delta", "1e-12", "--epsilon", "0.1"]) == 0
    assert re.search(r"\d% more here", capsys.readouterr().out)


def test_timing_in_words(files: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", "timing", "active.csv", "passive.csv", "--rounds", "8", "--epsilon", "1"]) == 0
    first, model, truth, samples = capsys.readouterr().out.splitlines()
    assert first == "δ at ε = 1.0 after 8 observations"
    ends = [tuple(map(float, re.findall(r"[\d.]+(?:e-\d+)?", line.split("]")[0]))) for line in (model, truth)]
    assert ends[1][0] < ends[0][0] < ends[0][1] < ends[1][1]
    assert "they are a model" in model
    assert "with 0.99 confidence" in truth
    assert samples == "1800 and 1800 samples counted in 16 cells"


def test_timing_as_json(files: Path, capsys: pytest.CaptureFixture[str]):
    arguments = ["active.csv", "passive.csv", "--rounds", "4", "--delta", "1e-3", "--column", "0", "--confidence", "0.9"]
    cells = ["--low", "2000", "--high", "2010", "--width", "5"]
    assert main(["study", "timing", *arguments, *cells, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["edges"] == [2000.0, 2005.0, 2010.0]
    delays = timing.read("active.csv")
    assert answer["counts"][0] == [0, *np.histogram(delays, [2000, 2005, 2010, 1e9])[0].tolist()]
    assert answer["confident"]["lower"] <= answer["plug_in"]["lower"] <= answer["plug_in"]["upper"]
    # nobody was seen below 2000, but nothing says that nobody ever is: this much may reveal everything
    assert answer["confident"]["revealing"] > 0.0
    assert answer["confident"]["upper"] == "inf"


def test_cells_that_were_never_hit_are_mentioned(files: Path, capsys: pytest.CaptureFixture[str]):
    cells = ["--low", "2000", "--high", "2100", "--width", "1"]
    assert main(["study", "timing", "active.csv", "passive.csv", "--rounds", "1", "--epsilon", "3", *cells]) == 0
    shown = capsys.readouterr().out
    assert "The model reveals everything with probability" in shown
    assert "Cells too rarely hit may reveal everything" in shown


def test_counts_made_elsewhere(files: Path, capsys: pytest.CaptureFixture[str]):
    Path("a.csv").write_text("from,count\n0,300\n1,100\n")
    Path("b.csv").write_text("from,count\n0,100\n1,300\n")
    arguments = ["a.csv", "b.csv", "--counts", "--column", "count", "--rounds", "1", "--epsilon", "0", "--json"]
    assert main(["study", "timing", *arguments]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["counts"] == [[300, 100], [100, 300]]
    assert answer["plug_in"]["lower"] <= 0.5 <= answer["plug_in"]["upper"]


BAD = {
    "unknown protocol": ["vuvuzela", "talking", "--rounds", "9"],
    "unknown noise": ["vuvuzela", "dialing", "--rounds", "9", "--noise", "cauchy"],
    "no rounds": ["vuvuzela", "dialing"],
    "zero rounds": ["vuvuzela", "dialing", "--rounds", "0"],
    "delta is zero": ["vuvuzela", "dialing", "--rounds", "9", "--delta", "0"],
    "ratio too small": ["vuvuzela", "dialing", "--rounds", "9", "--ratio", "1"],
    "unknown study": ["vuvuzella", "dialing"],
    "nothing asked": ["timing", "active.csv", "passive.csv", "--rounds", "9"],
    "both asked": ["timing", "active.csv", "passive.csv", "--rounds", "9", "--epsilon", "1", "--delta", "0.1"],
    "one file": ["timing", "active.csv", "--rounds", "9", "--epsilon", "1"],
    "no such file": ["timing", "active.csv", "missing.csv", "--rounds", "9", "--epsilon", "1"],
    "words": ["timing", "active.csv", "words.csv", "--rounds", "9", "--epsilon", "1"],
    "nan": ["timing", "active.csv", "nan.csv", "--rounds", "9", "--epsilon", "1"],
    "empty": ["timing", "empty.csv", "passive.csv", "--rounds", "9", "--epsilon", "1"],
    "no such column": ["timing", "active.csv", "passive.csv", "--rounds", "9", "--epsilon", "1", "--column", "1"],
    "half of the cells": ["timing", "active.csv", "passive.csv", "--rounds", "9", "--epsilon", "1", "--width", "1"],
    "cells of counts": [
        "timing",
        "c.csv",
        "c.csv",
        "--counts",
        "--rounds",
        "9",
        "--epsilon",
        "1",
        "--low",
        "0",
        "--high",
        "1",
        "--width",
        "1",
    ],
    "different cells": ["timing", "c.csv", "d.csv", "--counts", "--rounds", "9", "--epsilon", "1"],
    "delays for counts": ["timing", "active.csv", "passive.csv", "--counts", "--rounds", "9", "--epsilon", "1"],
    "confidence": ["timing", "active.csv", "passive.csv", "--rounds", "9", "--epsilon", "1", "--confidence", "1"],
    "negative rounds": ["timing", "active.csv", "passive.csv", "--rounds", "-9", "--epsilon", "1"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input(arguments: list[str], files: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Error: ")
    assert len(shown.err.splitlines()) == 1


@pytest.mark.parametrize("study", ["vuvuzela", "timing"])
def test_help_shows_an_example_that_works(study: str, files: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", study, "--help"]) == 0
    example = re.search(r"tightbudget (study .*--.*)", capsys.readouterr().out)
    assert example is not None
    assert main(example.group(1).split()) == 0


@pytest.mark.parametrize(
    "command", [["study", "timing", "active.csv", "passive.csv", "--rounds", "9"], ["compare", "laplace(1)"]]
)
@pytest.mark.parametrize("asked", [[], ["--epsilon", "1", "--delta", "0.1"]])
def test_one_sentence_for_one_question(command: list[str], asked: list[str], files: Path, capsys: pytest.CaptureFixture[str]):
    assert main([*command, *asked]) == 2
    assert capsys.readouterr().err == "Error: Give exactly one of --delta and --epsilon.\n"


def test_a_missing_file_is_called_missing(files: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", "timing", "active.csv", "missing.csv", "--rounds", "9", "--epsilon", "1"]) == 2
    assert capsys.readouterr().err == "Error: There is no file 'missing.csv'.\n"


def test_cells_are_chosen_or_fixed_not_both(files: Path, capsys: pytest.CaptureFixture[str]):
    both = ["--cells", "8", "--low", "0", "--high", "9", "--width", "1"]
    assert main(["study", "timing", "c.csv", "d.csv", "--rounds", "9", "--epsilon", "1", *both]) == 2
    assert "--cells or fixed cells" in capsys.readouterr().err


@pytest.mark.parametrize(("high", "warned"), [("2100", False), ("2001", True)])
def test_many_samples_outside_the_edges_are_noted(high: str, warned: bool, files: Path, capsys: pytest.CaptureFixture[str]):
    asked = ["active.csv", "passive.csv", "--rounds", "1", "--epsilon", "3", "--low", "1900", "--high", high, "--width", "1"]
    assert main(["study", "timing", *asked, "--json"]) == 0
    said = capsys.readouterr()
    assert ("of the samples fall outside" in said.err) is warned
    assert ("of the samples fall outside" in json.loads(said.out)["note"]) is warned


@pytest.mark.slow
def test_numbers_in_messages_are_plain(files: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["study", "timing", "active.csv", "passive.csv", "--counts", "--rounds", "9", "--epsilon", "1"]) == 2
    assert "np." not in capsys.readouterr().err


def test_vuvuzela_names_what_it_compares_with(capsys: pytest.CaptureFixture[str]):
    assert main(["study", "vuvuzela", "dialing", "--rounds", "1025"]) == 0
    assert "(dialing high: laplace, mean 20000, scale 1130)" in capsys.readouterr().out
