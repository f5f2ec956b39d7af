"""What computes, over HTTP: the answers of the command's --json, bit for bit."""

import json
import math
from typing import Any

import pytest
from tests.support.service import TRAINING, Served

import tightbudget as tb
from tightbudget.interfaces.api.answers import answer
from tightbudget.interfaces.api.bodies import CurveAsked
from tightbudget.interfaces.cli import main

WEEK = "gaussian(sigma=80) * 512 + laplace(scale=200) * 100"
ASKED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("epsilon", {"expression": TRAINING, "delta": 1e-6}, ["epsilon", TRAINING, "--delta", "1e-6"]),
    ("delta", {"expression": WEEK, "epsilon": 0.5, "rtol": 1e-6}, ["delta", WEEK, "--epsilon", "0.5", "--rtol", "1e-6"]),
    ("delta", {"expression": WEEK, "epsilon": "inf"}, ["delta", WEEK, "--epsilon", "inf"]),
    (
        "epsilon",
        {"expression": "gaussian(sigma=2)", "delta": 1e-6, "relation": "replace_one", "direction": "add"},
        ["epsilon", "gaussian(sigma=2)", "--delta", "1e-6", "--relation", "replace_one", "--direction", "add"],
    ),
    ("curve", {"expression": WEEK, "max": 3, "points": 5}, ["curve", WEEK, "--max", "3", "--points", "5"]),
    (
        "compare",
        {"expression": "gaussian(sigma=9) * 12", "delta": 1e-5},
        ["compare", "gaussian(sigma=9) * 12", "--delta", "1e-5"],
    ),
    (
        "calibrate",
        {"expression": "gaussian(sigma=100) * ?", "epsilon": 2, "delta": 1e-6},
        ["calibrate", "gaussian(sigma=100) * ?", "--epsilon", "2", "--delta", "1e-6"],
    ),
    (
        "risk",
        {"expression": "gaussian(sigma=2)", "delta": 1e-6, "unit": "person", "prior": 0.1},
        ["explain", "gaussian(sigma=2)", "--delta", "1e-6", "--unit", "person", "--prior", "0.1"],
    ),
    (
        "dpsgd",
        {"examples": 60000, "batch": 256, "epochs": 2, "noise_multiplier": 1.1, "delta": 1e-5},
        ["dpsgd", "--examples", "60000", "--batch", "256", "--epochs", "2", "--noise-multiplier", "1.1", "--delta", "1e-5"],
    ),
]


@pytest.mark.parametrize(("kind", "body", "typed"), ASKED, ids=lambda value: value if isinstance(value, str) else "")
def test_the_answer_is_what_the_command_prints(
    service: Served, kind: str, body: dict[str, Any], typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    answered = service.http.post(f"/v1/{kind}", json=body)
    assert answered.status_code == 200, answered.text
    assert main([*typed, "--json"]) in (0, 3)
    printed = capsys.readouterr().out.strip()
    assert _without_times(json.loads(answered.text)) == _without_times(json.loads(printed))


def _without_times(shape: dict[str, Any]) -> dict[str, Any]:
    for attempt in shape.get("trace", []):
        del attempt["seconds"]
    return {name: _in_few_digits(value) for name, value in shape.items()}


def _in_few_digits(value: Any) -> Any:
    """Round floats: the last digits depend on how many threads add up products, here or in the pool."""
    if isinstance(value, float):
        return float(f"{value:.8e}")
    if isinstance(value, list):
        return [_in_few_digits(each) for each in value]
    return {name: _in_few_digits(each) for name, each in value.items()} if isinstance(value, dict) else value


def test_a_roc_curve_comes_with_the_risk_if_asked_for(service: Served) -> None:
    roc = service.ask("risk", "gaussian(sigma=2)", fprs=[0, 0.01, 0.5, 1]).json()["roc"]
    expected = tb.risk("gaussian(sigma=2)").roc([0, 0.01, 0.5, 1])
    assert roc["fpr"] == [0, 0.01, 0.5, 1]
    assert (roc["lower"], roc["upper"]) == (expected.lower.tolist(), expected.upper.tolist())


def test_what_is_infinite_is_a_text(service: Served) -> None:
    found = service.ask("epsilon", "gaussian(sigma=0)", delta=1e-6).json()
    assert (found["lower"], found["upper"]) == ("inf", "inf")
    assert service.ask("epsilon", "nothing", delta=0).json()["upper"] == 0.0


def test_numbers_may_be_texts(service: Served) -> None:
    step = "gaussian(sigma=8)"
    assert service.ask("epsilon", step, delta="1e-6").json() == service.ask("epsilon", step, delta=1e-6).json()
    assert "is too small for a float" in service.ask("epsilon", step, delta="1e-400").json()["fields"]["delta"]
    for wrong in ("", "1e-400", "1/3", " 1e-6", "0x1", "1_000", "nan", "٣", "1" * 100, "1e-6\n"):
        refused = service.ask("epsilon", step, delta=wrong)
        assert (refused.status_code, list(refused.json()["fields"])) == (422, ["delta"]), wrong


def test_equal_questions_are_computed_once(service: Served) -> None:
    first, second = (service.ask("epsilon", "gaussian(sigma=3) * 7", delta=1e-7) for _ in range(2))
    assert first.content == second.content  # the times in the trace, too


@pytest.mark.parametrize("points", [1, 0, -1, 2.5, 10**6])
def test_a_curve_has_some_points_and_not_too_many(service: Served, points: float) -> None:
    refused = service.ask("curve", "gaussian(sigma=3)", points=points)
    assert refused.status_code == 422
    assert "points" in refused.json()["fields"]


@pytest.mark.parametrize(
    "ends", [{"min": 1, "max": 1}, {"min": "-inf"}, {"min": "inf"}, {"max": "inf"}, {"min": 1, "max": 0.5}, {"epsilons": []}]
)
def test_the_range_of_a_curve_is_checked(service: Served, ends: dict[str, Any]) -> None:
    refused = service.ask("curve", "gaussian(sigma=3)", **ends)
    assert refused.status_code == 422
    assert refused.json()["fields"]


def test_files_of_the_service_are_not_read(service: Served) -> None:
    for name in ("/etc/passwd", "/nowhere"):
        for text in (f'histograms("{name}")', f'ｈistograms("{name}")', f'poisson(histograms("{name}"), q=0.1)'):
            refused = service.ask("epsilon", text, delta=1e-6)
            assert refused.status_code == 422
            assert "root" not in refused.text
            assert "files are not read here" in refused.text or "notation" in refused.text
    assert service.ask("calibrate", 'histograms("/etc/passwd") * ?', epsilon=1, delta=1e-6).status_code == 422
    assert service.ask("epsilon", "histograms([6, 3, 1], [5, 3, 2])", delta=1e-3).status_code == 200
    assert math.isclose(service.ask("epsilon", "pure_dp(0.25)", delta=0).json()["upper"], 0.25)


@pytest.mark.parametrize("ends", [{"min": 10**30}, {"max": 10**30}, {"min": 2**64, "max": 10**30}])
@pytest.mark.parametrize("how", ["as asked", "cheap", "free"])
def test_curves_with_ends_beyond_whole_numbers_of_a_machine(ends: dict[str, int], how: str) -> None:
    question = CurveAsked(expression="histograms([1, 2], [2, 1])", points=3, **ends).model_dump()
    assert answer("curve", question, how).status in (200, 422)
