"""The picture of a comparison: drawn for any composition, and the same again."""

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.comparison_plot import draw_comparison

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "text",
    mostly_slow(["gaussian(20) * 50", "nothing", "gaussian(0)", "laplace(5) + approximate_dp(0.1, 0.01)"], every=4, first=3),
)
@pytest.mark.parametrize("file_format", mostly_slow(["png", "svg"], every=2))
def test_any_comparison_can_be_drawn(text: str, file_format: str) -> None:
    composition = tb.parse(text)
    table = tb.compare(composition, delta=1e-3)
    curves = tb.compare_curves(composition, np.linspace(0.0, 1.0, 5))
    first = draw_comparison(curves, table, 1e-8, file_format)
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml"}[file_format])
    assert draw_comparison(curves, table, 1e-8, file_format) == first
