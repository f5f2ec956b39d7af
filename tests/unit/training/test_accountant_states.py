"""The state of an accountant: exact, fit for JSON, read strictly."""

import json
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.mechanisms import ALL

STATE = {"version": 1, "kind": "accountant", "mix_relations": False, "counts": [["gaussian(sigma=2)", 3]]}


def through_json(accountant: tb.Accountant) -> tb.Accountant:
    return tb.Accountant.from_state(json.loads(json.dumps(accountant.state(), allow_nan=False)))


def test_the_state_is_this() -> None:
    accountant = tb.Accountant()
    accountant.step("gaussian(sigma=2) * 3")
    assert accountant.state() == STATE


EVERY = [
    "gaussian(sigma=0.1, sensitivity=1e-300)", "gaussian(sigma=inf)", "laplace(scale=3)",
    "truncated_gaussian(sigma=2, bound=7)", "truncated_laplace(scale=2, bound=7)",
    "clamped_gaussian(mean=10, sigma=3, sensitivity=1)", "clamped_laplace(mean=10, scale=3, sensitivity=1)",
    "discrete_gaussian(sigma=2)", "discrete_laplace(scale=2)", "skellam(mu=4)", "bounded_range(eta=0.1)",
    "pure_dp(epsilon=5e-324)", "approximate_dp(epsilon=0.1, delta=1e-9)", "gaussian_dp(mu=0.3)",
    "tree_aggregation(sigma=6, steps=8)", "matrix_mechanism(sigma=6, strategy=[[1, 0], [1, 1]])",
    "random_allocation(gaussian(sigma=3), batches=3)", "group(poisson(gaussian(sigma=3), q=0.2), k=2)",
    "sampled_group(gaussian(sigma=3), rates=[0.2, 0.1])",
    "mixture_of_gaussians(sigma=3, centres=[0, 1], probabilities=[0.5, 0.5])",
    "truncated_poisson(gaussian(sigma=3), q=0.2, cap=4, examples=10)",
    "without_replacement(gaussian(sigma=3), batch=2, examples=10)",
    "with_replacement(gaussian(sigma=3), batch=2, examples=10, relation='add_remove')",
    "repeat_and_select(gaussian(sigma=9), runs='negative_binomial', gamma=0.5, eta=-0.5)",
    "exponential(epsilon=0.4)", "permute_and_flip(epsilon=0.4)", "report_noisy_max(epsilon=0.4)",
    "sparse_vector(threshold_epsilon=0.2, query_epsilon=0.2)", "zcdp(rho=0.05)", "rdp(alpha=[4, 16], epsilon=[0.1, 0.5])",
    "histograms([1, 2], [2, 1])", "poisson(poisson(gaussian(sigma=1.0000000000000002), q=0.1), q=0.004266666666666667)",
]  # fmt: skip


def test_every_mechanism_survives() -> None:
    accountant = tb.Accountant()
    for count, text in enumerate(EVERY, start=1):
        accountant.step(text, count=count)
    again = through_json(accountant)
    assert again == accountant
    assert again.composition == accountant.composition
    assert again.state() == accountant.state()
    mixed = tb.Accountant(mix_relations=True)
    mixed.step("randomized_response(p=0.75)")
    mixed.step("shuffled_batches(gaussian(sigma=3), batches=2)")
    mixed.step("shuffled(randomized_response(p=0.75), users=20, clone='stronger')")
    mixed.step(tb.Poisson(tb.RandomizedResponse(0.75), 0.1, mix_relations=True))
    mixed.step(tb.Gaussian(2.0), count=2**53)
    assert through_json(mixed) == mixed
    assert {type(one) for one, _ in [*accountant.composition.items, *mixed.composition.items]} == set(ALL)


def test_the_numbers_of_a_file_are_in_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pair.csv").write_text("3,1\n1,3\n")
    accountant = tb.Accountant()
    accountant.step('poisson(histograms("pair.csv"), q=0.5)')
    Path("pair.csv").write_text("1,1\n1,1\n")
    accountant.step('poisson(histograms("pair.csv"), q=0.5)')  # another one by now
    Path("pair.csv").unlink()
    assert through_json(accountant) == accountant
    assert [count for _, count in accountant.composition.items] == [1, 1]


BAD: dict[str, Any] = {
    "no dictionary": [STATE],
    "text": json.dumps(STATE),
    "nothing": {},
    "no version": {key: value for key, value in STATE.items() if key != "version"},
    "another version": {**STATE, "version": 2},
    "a version that is true": {**STATE, "version": True},
    "a version in words": {**STATE, "version": "1"},
    "another kind": {**STATE, "kind": "zcdp"},
    "no counts": {key: value for key, value in STATE.items() if key != "counts"},
    "one key more": {**STATE, "epsilon": 1},
    "mixing in words": {**STATE, "mix_relations": "false"},
    "counts by name": {**STATE, "counts": {"gaussian(sigma=2)": 3}},
    "a count alone": {**STATE, "counts": [3]},
    "no count": {**STATE, "counts": [["gaussian(sigma=2)"]]},
    "a count of 0": {**STATE, "counts": [["gaussian(sigma=2)", 0]]},
    "less than nothing": {**STATE, "counts": [["gaussian(sigma=2)", -1]]},
    "a count with a point": {**STATE, "counts": [["gaussian(sigma=2)", 3.0]]},
    "a count that is true": {**STATE, "counts": [["gaussian(sigma=2)", True]]},
    "too large a count": {**STATE, "counts": [["gaussian(sigma=2)", 2**53 + 1]]},
    "a composition": {**STATE, "counts": [["gaussian(sigma=2) * 2", 3]]},
    "the same twice": {**STATE, "counts": [["gaussian(sigma=2)", 3], ["gaussian(2.0)", 3]]},
    "no mechanism": {**STATE, "counts": [[2, 3]]},
    "two relations": {**STATE, "counts": [["gaussian(sigma=2)", 3], ["randomized_response(p=0.75)", 1]]},
}


@pytest.mark.parametrize("state", BAD.values(), ids=BAD.keys())
def test_what_is_no_state_is_refused(state: Any) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.Accountant.from_state(state)


def test_a_step_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(tb.NotationError):
        tb.Accountant.from_state({**STATE, "counts": [["gausian(sigma=2)", 3]]})


def test_a_state_that_could_not_be_read_back_is_not_written() -> None:
    accountant = tb.Accountant()
    accountant.step(tb.Histograms([1.0 + k / 7 for k in range(60_000)], [1.0] * 60_000))
    with pytest.raises(tb.InvalidParameter, match="to be read back"):
        accountant.state()
