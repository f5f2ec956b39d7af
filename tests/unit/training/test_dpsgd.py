"""Training runs: their numbers against independent truth and what peers print, and every way to say them."""

import json
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support import float_contour
from tests.support.checked import contains_epsilon
from tests.support.lanes import mostly_slow

import tightbudget as tb

MNIST: dict[str, Any] = {"examples": 60000, "batch": 256, "epochs": 20, "noise_multiplier": 1.1, "delta": 1e-5}


def contains_the_truth(found: tb.Bracket, parts: list[float_contour.Part], delta: float) -> bool:
    def delta_at(epsilon: float) -> float:
        return max(float_contour.delta(parts, epsilon, remove=remove) for remove in (True, False))

    return contains_epsilon(found, delta, delta_at, margin=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("examples", "batch", "epochs", "noise", "delta", "steps"),
    [
        (60000, 256, 20, 1.1, 1e-5, 4688),  # 4687.5
        (60000, 256, 60, 1.1, 1e-5, 14063),  # 14062.5: the tutorial of TensorFlow Privacy
        (60000, 150, 15, 1.3, 1e-5, 6000),
        (10000, 64, 5.0, 1.0, 1e-6, 782),  # 781.25
        (100_000, 100, 30, 1.0, 1e-7, 30000),
    ],
)
def test_runs_against_an_independent_integral(
    examples: int, batch: int, epochs: float, noise: float, delta: float, steps: int
) -> None:
    run = tb.dpsgd(examples=examples, batch=batch, epochs=epochs, noise_multiplier=noise, delta=delta)
    assert run.steps == steps
    assert run.epsilon.converged
    assert contains_the_truth(run.epsilon, [(noise, batch / examples, steps)], delta)


def test_what_tensorflow_privacy_states() -> None:
    """Its test of the statement: 10000 examples, batches of 64, five epochs, noise 2 that microbatches halve, 1e-6."""
    run = tb.dpsgd(examples=10000, batch=64, epochs=5.0, noise_multiplier=1.0, delta=1e-6)
    assert run.shuffled is not None
    assert run.shuffled.passes == 5
    # by privacy loss distributions: pessimistic, and rounded to three digits
    assert run.epsilon.lower <= 1.1995
    assert math.isclose(run.epsilon.upper, 1.199, rel_tol=2e-3)
    assert math.isclose(run.shuffled.zero_out, 12.595, rel_tol=1e-4)
    # by Rényi divergences: upper bounds, so never below ours
    assert run.epsilon.upper < 1.616
    assert run.shuffled.zero_out < 13.376


@pytest.mark.parametrize(
    ("run", "renyi"),
    [
        ({"examples": 60000, "batch": 150, "epochs": 15, "noise_multiplier": 1.3, "delta": 1e-5}, 0.7242234026109595),
        ({"examples": 100_000, "batch": 100, "epochs": 30, "noise_multiplier": 1.0, "delta": 1e-7}, 1.4154988495444845),
        ({"sample_rate": 0.01, "epochs": 1.2, "noise_multiplier": 0.7, "delta": 1e-5}, 3.2391922),
    ],
)
def test_the_renyi_bounds_of_tensorflow_privacy_are_above(run: dict[str, Any], renyi: float) -> None:
    assert tb.dpsgd(**run).epsilon.upper < renyi


def test_epochs_at_a_rate_as_tensorflow_privacy_counts_them() -> None:
    """1.2 epochs at 1 % are 120 steps, and two passes; its pessimistic estimates are 2.4612381 and 10.1224946."""
    run = tb.dpsgd(sample_rate=0.01, epochs=1.2, noise_multiplier=0.7, delta=1e-5)
    assert run.steps == 120
    assert run.shuffled is not None
    assert run.shuffled.passes == 2
    assert math.isclose(run.epsilon.upper, 2.4612381, rel_tol=1.5e-3)
    assert math.isclose(run.shuffled.zero_out, 10.1224946, rel_tol=1e-4)


def test_a_run_is_the_composition_that_it_shows() -> None:
    run = tb.dpsgd(**MNIST)
    assert run.composition == tb.Poisson(tb.Gaussian(1.1), run.q) * 4688
    assert run.epsilon == run.composition.epsilon(1e-5)
    assert (run.examples, run.delta, run.noise_multiplier, run.epsilon.relation) == (60000, 1e-5, 1.1, "add_remove")


def test_the_rate_is_rounded_up() -> None:
    """So that the upper end holds for the quotient, which no float is."""
    nearest_is_below = 0
    for batch in range(1, 60):
        run = tb.dpsgd(examples=61, batch=batch, steps=0, noise_multiplier=1, delta=1e-5)
        assert run.q is not None
        assert Fraction(run.q) >= Fraction(batch, 61)
        assert run.q - batch / 61 <= 2e-16
        nearest_is_below += Fraction(batch / 61) < Fraction(batch, 61)
    assert nearest_is_below > 10


@pytest.mark.parametrize(
    ("said", "steps"),
    [
        ({"examples": 1000, "batch": 10, "epochs": 0.1}, 10),  # the float is more than a tenth
        ({"examples": 1000, "batch": 10, "epochs": Fraction(1, 3)}, 34),
        ({"examples": 1000, "batch": 10, "epochs": np.float64(0.3)}, 30),
        ({"examples": 1000, "batch": 10, "epochs": np.array(2)}, 200),
        ({"examples": np.int64(1000), "batch": 10.0, "epochs": 1}, 100),
        ({"examples": 7, "batch": 3, "epochs": 1}, 3),
        ({"examples": 7, "batch": 7, "epochs": 5}, 5),
        ({"sample_rate": 0.01, "epochs": 1.2}, 120),
        ({"sample_rate": Fraction(256, 60000), "epochs": 20}, 4688),
        ({"sample_rate": 0.1, "steps": 17}, 17),
        ({"examples": 1000, "batch": 10, "steps": 17}, 17),
        ({"examples": 2**53, "batch": 1, "epochs": 1}, 2**53),
    ],
)
def test_the_number_of_steps_is_whole_and_rounded_up(said: dict[str, Any], steps: int) -> None:
    run = tb.dpsgd(**said, noise_multiplier=math.inf, delta=1e-5)
    assert run.steps == steps
    assert type(run.steps) is int
    assert run.epsilon.upper == 0.0  # infinite noise


# Phases


PHASES = [
    {"epochs": 5, "noise_multiplier": 1.3, "batch": 250},
    {"epochs": 3, "noise_multiplier": 0.9, "batch": 500},
    {"steps": 10, "sample_rate": 0.1, "noise_multiplier": 3},
]


@pytest.mark.slow
def test_phases_are_steps_one_after_another() -> None:
    run = tb.dpsgd(examples=10000, delta=1e-6, phases=PHASES)
    assert run.composition == tb.parse(
        "poisson(gaussian(sigma=1.3), q=0.025) * 200 + poisson(gaussian(sigma=0.9), q=0.05) * 60 "
        "+ poisson(gaussian(sigma=3), q=0.1) * 10"
    )
    assert run.steps == 270
    assert run.q is run.noise_multiplier is None
    assert contains_the_truth(run.epsilon, [(1.3, 0.025, 200), (0.9, 0.05, 60), (3.0, 0.1, 10)], 1e-6)
    assert run.shuffled is not None
    assert run.shuffled.passes == 5 + 3 + 1
    mu = math.sqrt(5 / 1.3**2 + 3 / 0.9**2 + 1 / 9)
    assert math.isclose(run.shuffled.zero_out, tb.GaussianDP(mu).epsilon(1e-6, rtol=1e-9).upper, rel_tol=1e-6)
    assert math.isclose(run.shuffled.replace_one, tb.GaussianDP(2 * mu).epsilon(1e-6, rtol=1e-9).upper, rel_tol=1e-6)


def test_what_a_phase_does_not_say_comes_from_outside() -> None:
    run = tb.dpsgd(
        examples=10000, batch=250, noise_multiplier=1.3, epochs=2, delta=1e-6, phases=[{}, {"sample_rate": 0.1}, {"steps": 7}]
    )
    assert [(phase.steps, phase.sample_rate, phase.noise_multiplier) for phase in run.phases] == [
        (80, 0.025, 1.3), (20, 0.1, 1.3), (7, 0.025, 1.3),
    ]  # fmt: skip


# Noise for a target


TARGET: dict[str, Any] = {"examples": 60000, "batch": 256, "epochs": 20, "delta": 1e-5, "target_epsilon": 2}


def true_delta(run: tb.TrainingRun, noise: float, epsilon: float) -> float:
    """delta of the run with this noise where it was calibrated, by an independent integral good to 1e-8."""
    calibrated = run.phases[0].noise_multiplier
    parts = [
        (noise if one.noise_multiplier == calibrated else float(one.noise_multiplier or 0), one.sample_rate, one.steps)
        for one in run.phases
    ]
    return max(float_contour.delta(parts, epsilon, remove=remove) for remove in (True, False))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "phases"),
    mostly_slow(
        [
            ({}, None),
            ({"target_epsilon": 0.5, "delta": 1e-7}, None),
            ({"batch": None, "sample_rate": 0.02, "epochs": 3, "target_epsilon": 6}, None),
            ({"epochs": 5}, [{}, {"batch": 512}, {"noise_multiplier": 3}]),
        ],
        every=4,
    ),
)
def test_the_noise_for_a_target_is_enough_and_hardly_more(change: dict[str, Any], phases: Any) -> None:
    asked = {**TARGET, **change}
    run = tb.dpsgd(**asked, phases=phases)
    target, delta = asked["target_epsilon"], asked["delta"]
    noise = run.phases[0].noise_multiplier
    assert noise is not None
    assert run.too_little is not None
    assert run.epsilon.converged
    assert run.epsilon.upper <= target
    assert noise * (1 - 2e-6) <= run.too_little < noise
    assert true_delta(run, noise, target) <= delta * (1 + 1e-7)
    assert true_delta(run, run.too_little, target) >= delta * (1 - 1e-7)
    said = " ".join(run.statement.split())
    assert f"calibrated to ε = {target!r}: {noise!r} is enough; {run.too_little!r} provably is too little." in said
    assert run.calibrated == noise
    assert (run.target_epsilon, run.as_dict()["too_little"]) == (target, run.too_little)
    assert run.composition.epsilon(delta, rtol=1e-4).lower <= target


@pytest.mark.slow
def test_noise_that_a_phase_names_is_kept() -> None:
    run = tb.dpsgd(**{**TARGET, "epochs": 5}, phases=[{}, {"batch": 512}, {"noise_multiplier": 3}])
    first, second, third = (phase.noise_multiplier for phase in run.phases)
    assert first == second != third == 3
    assert run.noise_multiplier is None


@pytest.mark.slow
def test_a_target_that_is_a_fraction_is_not_rounded_up() -> None:
    run = tb.dpsgd(**{**TARGET, "target_epsilon": 2 - Fraction(1, 10**20)})
    assert run.target_epsilon is not None
    assert run.target_epsilon < 2


NO_TARGETS = {
    "delta of 0": {"delta": 0},
    "delta of 1": {"delta": 1},
    "epsilon of 0": {"target_epsilon": 0},
    "epsilon below 0": {"target_epsilon": -1},
    "infinite epsilon": {"target_epsilon": math.inf},
    "no number": {"target_epsilon": math.nan},
    "true": {"target_epsilon": True},
    "in words": {"target_epsilon": "2"},
    "noise too": {"noise_multiplier": 1.1},
    "noise in every phase": {"phases": [{"noise_multiplier": 1.1}, {"noise_multiplier": 1.2}]},
    "no steps": {"epochs": 0},
    "nobody sampled": {"batch": None, "epochs": None, "sample_rate": 0, "steps": 10},
    "a phase without noise": {"phases": [{}, {"noise_multiplier": 0}]},
    "a phase with too little": {"phases": [{}, {"noise_multiplier": 0.5}]},
}


@pytest.mark.parametrize("change", NO_TARGETS.values(), ids=NO_TARGETS.keys())
def test_what_is_no_target_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"^(target_epsilon|delta|noise_multiplier|steps) is ") as refused:
        tb.dpsgd(**{**TARGET, **change})
    assert "?" not in str(refused.value)


# What is at the edge


def test_no_epochs_cost_nothing() -> None:
    run = tb.dpsgd(**{**MNIST, "epochs": 0, "noise_multiplier": 0})
    assert (run.steps, run.epsilon.lower, run.epsilon.upper) == (0, 0.0, 0.0)
    assert "There are no steps and nothing is released: ε is 0" in run.statement


def test_no_noise_costs_everything() -> None:
    run = tb.dpsgd(**{**MNIST, "noise_multiplier": 0})
    assert run.epsilon.lower == math.inf
    assert run.shuffled is not None
    assert run.shuffled.zero_out == math.inf
    assert "no finite ε holds at δ = 1e-05. Without noise" in " ".join(run.statement.split())
    assert json.loads(json.dumps(run.as_dict(), allow_nan=False))["upper"] == "inf"


def test_no_delta_costs_everything() -> None:
    run = tb.dpsgd(**{**MNIST, "delta": 0})
    assert run.epsilon.lower == math.inf
    assert "choose a δ above 0" in " ".join(run.statement.split())


def test_a_rate_of_0_reveals_nothing() -> None:
    run = tb.dpsgd(sample_rate=0, steps=100, noise_multiplier=1, delta=0)
    assert run.epsilon.upper == 0.0
    assert run.shuffled is None


BAD = {
    "no epochs": {"epochs": None},
    "epochs and steps": {"steps": 100},
    "no batch": {"batch": None},
    "batch and rate": {"sample_rate": 0.1},
    "batch without examples": {"examples": None},
    "no noise": {"noise_multiplier": None},
    "batch of 0": {"batch": 0},
    "batch above examples": {"batch": 60001},
    "half a record": {"batch": 0.5},
    "no examples": {"examples": 0},
    "minus one example": {"examples": -1},
    "half an example": {"examples": 60000.5},
    "too many examples": {"examples": 2**53 + 1},
    "examples true": {"examples": True},
    "examples in words": {"examples": "60000"},
    "negative epochs": {"epochs": -1},
    "infinite epochs": {"epochs": math.inf},
    "epochs no number": {"epochs": math.nan},
    "epochs true": {"epochs": True},
    "epochs in words": {"epochs": "20"},
    "epochs in an array": {"epochs": np.array([1, 2])},
    "too many epochs": {"epochs": 1e15},
    "negative noise": {"noise_multiplier": -1.1},
    "noise no number": {"noise_multiplier": math.nan},
    "noise true": {"noise_multiplier": True},
    "noise in words": {"noise_multiplier": "1.1"},
    "delta above 1": {"delta": 1.5},
    "delta no number": {"delta": math.nan},
    "delta true": {"delta": True},
    "delta none": {"delta": None},
    "rate above 1": {"batch": None, "sample_rate": 1.5},
    "rate true": {"batch": None, "sample_rate": True},
    "rate in words": {"batch": None, "sample_rate": "0.1"},
    "rate of 0 for epochs": {"batch": None, "sample_rate": 0},
    "half a step": {"epochs": None, "steps": 0.5},
    "steps true": {"epochs": None, "steps": True},
    "too many steps": {"epochs": None, "steps": 2**53 + 1},
    "width of 0": {"rtol": 0},
    "phases by name": {"phases": {"epochs": 5}},
    "phases in words": {"phases": "epochs=5"},
    "phases a number": {"phases": 5},
    "phase in words": {"phases": ["epochs=5"]},
    "phase with both": {"phases": [{"epochs": 5, "steps": 100}]},
    "phase misspelt": {"phases": [{"epoch": 5}]},
    "phase of a peer": {"phases": [{"batch_size": 5}]},
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD.keys())
def test_what_is_no_run_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.dpsgd(**{**MNIST, **change})


@pytest.mark.parametrize(
    ("said", "meant"), [("epoch", "epochs"), ("batch_size", "batch"), ("sampling_probability", "sample_rate")]
)
def test_a_name_that_is_none_is_put_right(said: str, meant: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=f"Did you mean {meant}\\?"):
        tb.dpsgd(**MNIST, phases=[{said: 5}])


# The object


@pytest.mark.slow
def test_it_is_frozen_and_pickles() -> None:
    run = tb.dpsgd(**MNIST)
    assert pickle.loads(pickle.dumps(run)) == run
    assert hash(run) == hash(tb.dpsgd(**MNIST))
    with pytest.raises(AttributeError):
        run.delta = 1e-9  # type: ignore[misc]
    program = f"import pickle; print(pickle.loads({pickle.dumps(run)!r}).steps)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "4688\n"


def test_it_prints_in_a_line() -> None:
    run = tb.dpsgd(**MNIST)
    assert str(run) == f"ε in {run.epsilon} at δ = 1e-05 (add_remove): DP-SGD, 4688 steps at q = 0.00426667"
    many = tb.dpsgd(delta=1e-5, noise_multiplier=5, phases=[{"steps": 1, "sample_rate": k / 10} for k in range(1, 6)])
    assert str(many).endswith("; 1 steps at q = 0.3; 2 more phases")


def test_a_delta_that_is_a_fraction_is_not_rounded_up() -> None:
    for delta in (Fraction(1, 3 * 10**k) for k in range(3, 20)):
        run = tb.dpsgd(**{**MNIST, "delta": delta, "epochs": 0})
        assert Fraction(run.delta) <= delta


def test_a_notebook_shows_a_table() -> None:
    shown = tb.dpsgd(**MNIST)._repr_html_()
    for text in ("[1.31856, 1.31927]", "1e-05", "add_remove", "4688", "Poisson samples", "at most 24.9226 (zero_out)"):
        assert text in shown
    phases = tb.dpsgd(examples=10000, delta=1e-6, phases=PHASES)._repr_html_()
    assert "phase 3" in phases
    accountant = tb.Accountant()
    accountant.step("gaussian(sigma=2)", count=7)
    assert "Accountant of 7 steps" in accountant._repr_html_()
    assert "gaussian(sigma=2)</th><td" in accountant._repr_html_()


def test_all_of_it_is_fit_for_json() -> None:
    run = tb.dpsgd(**MNIST)
    shape = json.loads(json.dumps(run.as_dict(), allow_nan=False))
    assert shape == run.as_dict()
    assert (shape["lower"], shape["upper"]) == (run.epsilon.lower, run.epsilon.upper)
    assert shape["phases"] == [{"steps": 4688, "sample_rate": run.q, "noise_multiplier": 1.1, "epochs": 20.0, "batch": 256}]
    assert tb.parse(shape["expression"]) == run.composition


def test_a_shuffled_order_leaks_more_than_a_sample_and_no_more_than_its_bound() -> None:
    """One pass of two batches, noise 1: the other examples' gradients all point the other way, this one's becomes 0."""
    x = np.arange(-8.0, 10.0, 0.01)

    def density(centre: float) -> np.ndarray:
        first, second = np.exp(-((x[:, None] - centre) ** 2) / 2), np.exp(-(x[None, :] ** 2) / 2)
        return (first * second + first.T * second.T) / (4 * math.pi)  # in either batch

    # shifted so that a batch without the example is at 0: with it at 2, with its gradient zeroed at 1
    attained = float(np.maximum(density(2.0) - math.e * density(1.0), 0.0).sum()) * 0.01**2
    assert math.isclose(attained, 0.117214, rel_tol=1e-5)
    run = tb.dpsgd(examples=2, batch=1, epochs=1, noise_multiplier=1, delta=attained)
    assert run.shuffled is not None
    assert run.epsilon.upper < 1.0 < run.shuffled.zero_out  # an epsilon of 1 was attained


@pytest.mark.parametrize("first", [{"steps": 5}, {"epochs": 0.5}])
def test_a_pass_that_two_phases_share_counts_for_both(first: dict[str, float]) -> None:
    """Ten batches are a pass: steps 8 and 12 belong to different passes, and both to the second phase."""
    second = {"steps": 10} if "steps" in first else {"epochs": 1}
    phases = [{**first, "noise_multiplier": 100.0}, {**second, "noise_multiplier": 2.0}]
    run = tb.dpsgd(examples=1000, batch=100, delta=1e-5, phases=phases)
    assert run.shuffled is not None
    assert run.shuffled.zero_out >= (tb.Gaussian(2.0) * 2).epsilon(1e-5, rtol=1e-9).lower
    assert run.shuffled.replace_one >= (tb.Gaussian(2.0, 2.0) * 2).epsilon(1e-5, rtol=1e-9).lower
    assert "share" in run.statement


@pytest.mark.parametrize("none", [[], (), iter(())])
def test_an_empty_list_of_phases_is_no_run_without_steps(none: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="at least one phase"):
        tb.dpsgd(**MNIST, phases=none)
