"""Random batches of a mechanism that tells next to everything for certain, which ended in an IndexError."""

import pytest

import tightbudget as tb

TOLD = {
    "all of it": tb.Histograms([1e-60, 1.0], [1e-60, 0.0]),
    "both ways": tb.Histograms([0.0, 1.0, 1e-60], [1.0, 0.0, 1e-60]),
    "one way, but for a little": tb.Histograms([0.0, 1e150], [5.0, 1e-200]),
}


@pytest.mark.parametrize("name", TOLD)
def test_all_but_certain_answers_in_random_batches(name: str):
    base = TOLD[name]
    for direction in ("remove", "add"):
        alone, allocated = (
            base.delta(1.0, direction=direction),
            tb.RandomAllocation(base, batches=4).delta(1.0, direction=direction),
        )
        assert allocated.lower <= alone.upper  # to tell the batch only adds to what is revealed
        assert allocated.upper >= allocated.lower
    found = tb.RandomAllocation(base, batches=4).epsilon(0.3)
    assert found.lower <= found.upper


def test_finite_losses_that_matter_are_followed():
    """At either side of the limit, 1e-30 of a distribution, answers agree."""
    ends = [tb.RandomAllocation(tb.Histograms([share, 1.0], [1.0, 0.0]), batches=2).delta(1.0) for share in (0.9e-30, 1.1e-30)]
    assert ends[0].lower <= ends[1].upper
    assert ends[1].lower <= ends[0].upper
