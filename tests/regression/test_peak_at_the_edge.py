"""Most of A at the lowest loss, on a long grid: the search for a window once stopped with an IndexError there."""

import pytest
from tests.reference import truth
from tests.support.checked import contains_delta

import tightbudget as tb

A, B = (0.99, 0.0013316528022862977, 0.004009131834982418), (0.985, 0.0011823068700026079, 0.0026633056045725955)


@pytest.mark.parametrize("count", [10, 40])
def test_mass_at_the_lowest_loss(count: int):
    for epsilon in (0.01, 1.0):
        exact = truth.histograms([(A, B, count)], epsilon)
        other = truth.histograms([(B, A, count)], epsilon)
        assert contains_delta((tb.Histograms(A, B) * count).delta(epsilon), exact.max(other))


@pytest.mark.parametrize("count", [100, 10_000])
def test_many_of_them(count: int):
    found = (tb.Histograms(A, B) * count).epsilon(1e-6)
    assert 0.0 < found.lower <= found.upper
    assert found.converged
