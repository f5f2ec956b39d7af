"""One sample of a matrix mechanism or of a tree is a program that nobody runs: its steps have batches of their own.

Balls-in-bins DP-MF with bands 1, 1/2, 1/4, 1/8, 100 steps, 10 batches and sigma 4 has an epsilon of at least 1.5124 at
1e-5 by one linear test; `random_allocation` of the matrix mechanism said [1.34814, 1.34822].
"""

from collections.abc import Callable

import pytest

import tightbudget as tb
from tightbudget.adapters.dp_accounting import from_event
from tightbudget.adapters.dp_accounting.reading import UnsupportedEvent
from tightbudget.interfaces.cli import main

RUNS = [
    pytest.param(tb.MatrixMechanism(4.0, [[1, 0], [0.5, 1]]), id="matrix"),
    pytest.param(tb.TreeAggregation(4.0, steps=8), id="tree"),
]
SAMPLINGS: dict[str, Callable[[tb.Mechanism], object]] = {
    "poisson": lambda run: tb.Poisson(run, q=0.1),
    "poisson of all": lambda run: tb.Poisson(run, q=1.0),
    "poisson of several": lambda run: tb.Poisson(run * 2 + tb.Gaussian(1.0), q=0.1),
    "truncated poisson": lambda run: tb.TruncatedPoisson(run, 0.1, cap=5, examples=100),
    "without replacement": lambda run: tb.WithoutReplacement(run, 1, examples=10),
    "with replacement": lambda run: tb.WithReplacement(run, 1, examples=10),
    "random allocation": lambda run: tb.RandomAllocation(run, batches=10),
    "one batch": lambda run: tb.RandomAllocation(run, batches=1),
    "shuffled batches": lambda run: tb.ShuffledBatches(run, batches=10),
    "sampled group": lambda run: tb.SampledGroup(run, [0.1, 0.2]),
    "best of runs on a sample": lambda run: tb.Poisson(tb.RepeatAndSelect(run, mean=2.0), q=0.1),
    "best of several on a sample": lambda run: tb.Poisson(tb.RepeatAndSelect(run + tb.Gaussian(1.0), mean=2.0), q=0.1),
    "best of runs in a batch": lambda run: tb.RandomAllocation(tb.RepeatAndSelect(run * 2, mean=2.0), batches=3),
    "notation": lambda run: tb.parse(f"poisson({run}, q=0.1) * 10"),
    "notation of several": lambda run: tb.parse(f"poisson({run} * 3, q=0.1)"),
    "accountant": lambda run: tb.Accountant().step(f"random_allocation({run}, batches=10)"),
    "calibration": lambda run: tb.calibrate(f"poisson({run}, q=?)", epsilon=1.0, delta=1e-6),
    "best of samples": lambda run: tb.RepeatAndSelect(tb.Poisson(run, q=0.1), mean=2.0),
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_every_sampling_refuses_and_says_what_to_write(run: tb.Mechanism, sampling: str) -> None:
    with pytest.raises(tb.TightBudgetError, match=r"noise of their own.*participations and separation"):
        SAMPLINGS[sampling](run)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("PoissonSampledDpEvent", {"sampling_probability": 0.1}),
        ("SampledWithoutReplacementDpEvent", {"source_dataset_size": 10, "sample_size": 1}),
        ("SampledWithReplacementDpEvent", {"source_dataset_size": 10, "sample_size": 1}),
        ("RandomAllocationDpEvent", {"num_steps": 10, "num_selected": 1}),
    ],
)
def test_events_that_sample_a_tree_are_refused(kind: str, fields: dict[str, object], relation: str) -> None:
    tree = {"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": 2.0, "step_counts": 8}
    both = {"class_name": "ComposedDpEvent", "events": [{"class_name": "GaussianDpEvent", "noise_multiplier": 2.0}, tree]}
    for event in (tree, both):
        with pytest.raises(UnsupportedEvent):
            from_event({"class_name": kind, "event": event, **fields}, relation)


def test_the_command_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", "random_allocation(tree_aggregation(sigma=4, steps=8), batches=4)", "--delta", "1e-6"]) == 2
    assert "participations" in capsys.readouterr().err


@pytest.mark.parametrize("run", RUNS)
def test_unsampled_they_are_answered(run: tb.Mechanism) -> None:
    """Whole runs may be repeated, selected from, composed with samples of others, and seen by groups."""
    for composition in (run * 2, run + tb.Poisson(tb.Gaussian(2.0), q=0.1), run.group(2), tb.RepeatAndSelect(run, mean=2.0)):
        assert composition.epsilon(delta=1e-6).upper > 0.0
