"""What is printed are bounds too: lower ends are rounded down, upper ends up."""

import re
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

import tightbudget as tb

ENDS = re.compile(r"\[([^,\]]+), ([^,\]]+)\]")


def test_curves_and_arrays_print_bounds() -> None:
    composition = tb.Gaussian(sigma=20) * 512
    epsilons = np.linspace(0.0, 7.0, 8)
    curve, brackets = composition.curve(epsilons), composition.delta(epsilons)
    for printed, lower, upper in ((str(curve), curve.lower, curve.upper), (str(brackets), brackets.lower, brackets.upper)):
        found = ENDS.findall(printed.replace("[[", "[").replace("\n", " "))
        assert len(found) == 8
        for (low, high), true_low, true_high in zip(found, lower.tolist(), upper.tolist(), strict=True):
            assert Decimal(low) <= Decimal(true_low) <= Decimal(true_high) <= Decimal(high)
    assert "epsilon=7.0: delta in [" in str(curve)
    assert curve.relation in str(curve)


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (lambda: tb.WithoutReplacement(tb.Gaussian(1) * 3, 3, 20), "'gaussian(sigma=1) * 3'"),  # type: ignore[arg-type]
        (lambda: tb.RandomAllocation(tb.Gaussian(1) * 2, 4), "'gaussian(sigma=1) * 2'"),  # type: ignore[arg-type]
        (lambda: tb.ShuffledBatches(tb.PureDP(1), 4), "'pure_dp(epsilon=1)'"),
        (lambda: tb.Group(tb.Gaussian(1) * 2, 4), "'gaussian(sigma=1) * 2'"),  # type: ignore[arg-type]
        (lambda: tb.RandomAllocation(3, 4), "3"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_single_mechanism_is_shown_as_it_is_written(made: Callable[[], object], shown: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=re.escape(f"mechanism is {shown}, but must be")):
        made()
