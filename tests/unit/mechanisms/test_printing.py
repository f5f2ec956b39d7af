"""What is printed are bounds too: lower ends are rounded down, upper ends up."""

import re
from decimal import Decimal

import numpy as np

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
