"""A limit with more digits than floats have is never rounded up, whichever way it comes in."""

import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.service import Served, served

import tightbudget as tb
from tightbudget.access.roles import Role
from tightbudget.calibration.verdict import verdict_on
from tightbudget.interfaces.cli import main
from tightbudget.ledger import Ledger

TEXT = "0.099999999999999999"  # the float nearest to it is 0.1
EXACT = Fraction(TEXT)
EVERY_KIND = [EXACT, Decimal(TEXT), np.array(Decimal(TEXT), dtype=object)[()]]
WHOLE = tb.PureDP(0.1)
TEMPLATE = "pure_dp(epsilon=?)"


def test_the_float_nearest_to_it_is_above_it() -> None:
    assert float(TEXT) == 0.1 > EXACT


# Calibration


@pytest.mark.parametrize("given", EVERY_KIND)
def test_calibration_in_python(given: Any) -> None:
    found = tb.calibrate(TEMPLATE, epsilon=given, delta=0.0, rtol=1e-15)
    assert Fraction(found.value) < EXACT
    assert Fraction(found.achieved.upper) <= EXACT
    assert tb.calibrate(TEMPLATE, epsilon=0.1, delta=0.0).value == 0.1  # a float is what it prints as


def test_delta_is_rounded_down_too() -> None:
    found = tb.calibrate("approximate_dp(epsilon=0, delta=?)", epsilon=0.0, delta=EXACT, rtol=1e-15)
    assert Fraction(found.value) < EXACT


@pytest.mark.parametrize(
    ("template", "limits"),
    [
        ("gaussian(sigma=?)", {"advantage": EXACT}),
        ("gaussian(sigma=?)", {"tpr": EXACT, "fpr": 0.01}),
        ("laplace(scale=?)", {"posterior": 1 - EXACT, "prior": 0.5}),
    ],
)
def test_risks_that_must_not_be_exceeded(template: str, limits: dict[str, Any]) -> None:
    found = tb.calibrate(template, **limits)
    limit = next(iter(limits.values()))
    assert Fraction(found.target.limit) < limit
    assert Fraction(found.achieved.upper) <= limit


def test_under_what_a_risk_is_kept_is_rounded_to_where_that_is_harder() -> None:
    third = Fraction(1, 3)
    target: Any = tb.calibrate("gaussian(sigma=?)", tpr=0.5, fpr=third).target
    assert Fraction(target.fpr) >= third
    target = tb.calibrate("laplace(scale=?)", posterior=0.9, prior=third).target
    assert Fraction(target.prior) >= third


@pytest.mark.parametrize("limit", [Fraction(1, 4), Fraction(1, 4) + Fraction(1, 10**18), Fraction(3, 10)])
def test_a_bayes_error_is_rounded_up_and_by_as_much_as_the_prior_is(limit: Fraction) -> None:
    prior = Fraction(1, 2) - Fraction(1, 10**17)
    target: Any = tb.calibrate("gaussian(sigma=?)", bayes_error=limit, prior=prior).target
    assert Fraction(target.bayes_error) >= limit + abs(Fraction(target.prior) - prior) > limit
    usual: Any = tb.calibrate("gaussian(sigma=?)", bayes_error=0.25, prior=0.5).target
    assert (usual.bayes_error, usual.prior) == (0.25, 0.5)


def test_calibration_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", TEMPLATE, "--epsilon", TEXT, "--delta", "0", "--rtol", "1e-15", "--json"]) in (0, 3)
    assert Fraction(json.loads(capsys.readouterr().out)["value"]) < EXACT
    main(["check", "pure_dp(epsilon=0.1)", "--epsilon", TEXT, "--delta", "0", "--json"])
    assert json.loads(capsys.readouterr().out)["verdict"] != "proven"
    main(["check", "pure_dp(epsilon=0.1)", "--epsilon", "0.1", "--delta", "0", "--json"])
    assert json.loads(capsys.readouterr().out)["verdict"] == "proven"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.mark.parametrize("written", [TEXT, f'"{TEXT}"'])
def test_calibration_over_http(service: Served, written: str) -> None:
    usual = service.ask("calibrate", TEMPLATE, epsilon=0.1, delta=0, rtol=1e-15).json()
    assert usual["value"] == 0.1
    body = f'{{"expression": "{TEMPLATE}", "epsilon": {written}, "delta": 0, "rtol": 1e-15}}'
    answer = service.http.post("/v1/calibrate", content=body, headers={"Content-Type": "application/json"}).json()
    assert Fraction(answer["value"]) < EXACT


def test_verdicts() -> None:
    assert verdict_on(WHOLE, epsilon=0.1, delta=0.0).word == "proven"
    for given in EVERY_KIND:
        assert verdict_on(WHOLE, epsilon=given, delta=0.0).word == "undecided"
    above = Fraction(1, 10) + Fraction(1, 10**17)  # 0.1 is below it: neither may be said of what lies between two floats
    assert verdict_on(tb.PureDP(0.2), epsilon=above, delta=0.0).word == "refuted"


# Training and other searches for noise


def target_of(run: Any) -> Fraction:
    return Fraction(run.target_epsilon)


@pytest.mark.parametrize("given", EVERY_KIND)
def test_noise_for_training(given: Any) -> None:
    run = tb.dpsgd(examples=1000, batch=1000, steps=1, target_epsilon=given, delta=1e-5)
    assert target_of(run) < EXACT


def test_noise_for_training_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = ["--examples", "1000", "--batch", "1000", "--steps", "1", "--delta", "1e-5"]
    assert main(["dpsgd", *loop, "--target-epsilon", TEXT, "--json"]) == 0
    assert Fraction(json.loads(capsys.readouterr().out)["target_epsilon"]) < EXACT
    plan = tmp_path / "plan.toml"
    plan.write_text(f"examples = 1000\nbatch = 1000\nsteps = 1\ndelta = 1e-5\ntarget_epsilon = {TEXT}\n")
    assert main(["dpsgd", "--plan", str(plan), "--json"]) == 0
    assert Fraction(json.loads(capsys.readouterr().out)["target_epsilon"]) < EXACT


def test_noise_for_training_over_http(service: Served) -> None:
    body = f'{{"examples": 1000, "batch": 1000, "steps": 1, "delta": 1e-5, "target_epsilon": {TEXT}}}'
    answer = service.http.post("/v1/dpsgd", content=body, headers={"Content-Type": "application/json"})
    assert Fraction(answer.json()["target_epsilon"]) < EXACT


def test_sweeps(tmp_path: Path) -> None:
    from tightbudget.sweeps.plan import read_sweep_plan

    asked = {"composition": TEMPLATE, "questions": [{"ask": "calibrate", "epsilon": EXACT, "delta": 0}]}
    file = tmp_path / "plan.toml"
    file.write_text(f"composition = '{TEMPLATE}'\nquestions = [{{ ask = 'calibrate', epsilon = {TEXT}, delta = 0 }}]\n")
    for given in (asked, file):
        (question,) = read_sweep_plan(given).questions  # type: ignore[arg-type]
        assert Fraction(dict(question.at)["epsilon"]) < EXACT


def test_loops_that_stop_before_a_budget() -> None:
    accountant = tb.Accountant()
    assert not accountant.would_exceed(WHOLE, epsilon=0.1, delta=0.0)
    for given in EVERY_KIND:
        assert accountant.would_exceed(WHOLE, epsilon=given, delta=0.0)
        assert accountant.remaining(WHOLE, epsilon=given, delta=0.0) == 0


def test_noise_for_dummies() -> None:
    from tightbudget.research.studies import vuvuzela

    given = {"protocol": "dialing", "noise": "gaussian", "rounds": 1}
    assert vuvuzela.smallest(**given, epsilon=EXACT).epsilon < EXACT  # type: ignore[arg-type]


# Budgets


def budget_of(ledger: Ledger, name: str, given: Any) -> Any:
    return ledger.create_budget(name, epsilon=given, delta=0, filter="basic")


def test_budgets_in_python(tmp_path: Path) -> None:
    with Ledger(f"sqlite:///{tmp_path}/budget.db") as ledger:
        for name, given in enumerate([*EVERY_KIND, TEXT]):
            budget = budget_of(ledger, str(name), given)
            assert budget.remaining(WHOLE) == 0
            assert budget.terms.epsilon == tb.filters.BasicFilter(epsilon=given, delta=0).state()["epsilon"]
        budget = budget_of(ledger, "usual", 0.1)
        assert budget.remaining(WHOLE) == 1
        budget.lower(epsilon=EXACT)
        assert budget.remaining(WHOLE) == 0


def test_budgets_on_the_command_line(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"sqlite:///{tmp_path}/budget.db"
    monkeypatch.setenv("TIGHTBUDGET_LEDGER", address)
    assert main(["ledger", "init"]) == 0
    make = ["ledger", "budget", "create", "a", "--epsilon", TEXT, "--delta", "0", "--filter", "basic"]
    assert main(make) == 0, capsys.readouterr().err
    with Ledger(address) as ledger:
        assert ledger.budget("a").remaining(WHOLE) == 0


@pytest.mark.parametrize("written", [TEXT, f'"{TEXT}"'])
def test_budgets_over_http(service: Served, written: str) -> None:
    head = {**service.bearer(Role.OWNER), "Content-Type": "application/json"}
    name = f"a{len(written)}"
    body = f'{{"name": "{name}", "epsilon": {written}, "delta": 0, "filter": "basic"}}'
    assert service.http.post("/v1/budgets", content=body, headers=head).status_code == 201
    asked = {"increment": "pure_dp(epsilon=0.1)"}
    found = service.http.post(f"/v1/budgets/{name}/quote", json=asked, headers=head)
    assert found.json()["accepted"] is False, found.text


def test_odometers() -> None:
    odometer = tb.odometers.BasicOdometer()
    assert odometer.remaining(WHOLE, epsilon=0.1) == 1
    for given in [*EVERY_KIND, TEXT]:
        assert odometer.remaining(WHOLE, epsilon=given) == 0


# Promises are the other side of a limit


def test_a_promise_with_many_digits_is_rounded_up() -> None:
    more = "0.1000000000000000049"
    for step in (tb.PureDP(Fraction(more)), tb.PureDP(Decimal(more)), tb.parse(f"pure_dp(epsilon={more})")):
        assert step.epsilon(0.0).upper >= Fraction(more)
        assert not tb.filters.BasicFilter(epsilon="0.1", delta=0).quote(step).accepted
