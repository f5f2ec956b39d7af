"""A composition in one direction: counts, merged Gaussians, and bounds that are exact sums."""

from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from tests.support.doubles import RoughPair, Spikes

import tightbudget as tb
from tightbudget.engine.steps import MERGE_ERROR, engine_steps
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian import GaussianPair


def laplace(top: float) -> Pair:
    return tb.Laplace(1.0, sensitivity=top).pair(Direction.ADD)


def test_equal_pairs_are_counted_together():
    made = engine_steps([(laplace(1.0), 2), (laplace(2.0), 1), (laplace(1.0), 5)])
    assert dict(made.items) == {laplace(1.0): 7, laplace(2.0): 1}
    assert made.total == 8


@pytest.mark.parametrize("parts", [[(0.1, 3)], [(0.1, 1), (0.7, 12)], [(1e-200, 5), (1e-201, 7)], [(1e150, 2), (3.0, 1)]])
def test_gaussians_are_merged(parts: list[tuple[float, int]]):
    ((pair, count),) = engine_steps([(GaussianPair(m), n) for m, n in parts]).items
    with mpmath.workdps(60):
        true = mpmath.sqrt(mpmath.fsum(n * mpf(m) ** 2 for m, n in parts))
        assert abs(mpf(pair.m) / true - 1) <= MERGE_ERROR
    assert count == 1


def test_one_gaussian_stays_itself():
    assert engine_steps([(GaussianPair(0.3), 1)]).only_gaussian == GaussianPair(0.3)
    assert engine_steps([(GaussianPair(0.3), 1), (laplace(1.0), 1)]).only_gaussian is None
    assert engine_steps([(GaussianPair(0.3, cut=2.0), 1)]).only_gaussian is None


@pytest.mark.parametrize("parts", [[(0.1, 3)], [(0.1, 7), (0.3, 10**6 + 1)], [(1e-3, 1), (1e9, 3)]])
def test_the_largest_loss_is_rounded_up(parts: list[tuple[float, int]]):
    made = engine_steps([(laplace(top), n) for top, n in parts])
    true = sum(Fraction(top) * n for top, n in parts)
    assert true <= Fraction(made.max_loss) <= true * (1 + Fraction(1, 2**50))
    assert Fraction(made.max_loss_lower) <= true


def test_what_is_unresolved_adds_up():
    made = engine_steps([(Spikes((0.0,), (0.9,), unresolved=0.125), 3), (Spikes((0.0,), (1.0,), unresolved=0.25), 1)])
    assert made.unresolved >= 0.625


def test_infinite_masses_combine():
    parts = [(0.1, 3), (1e-9, 10)]
    made = engine_steps([(tb.ApproximateDP(1.0, delta).pair(Direction.ADD), n) for delta, n in parts])
    true = 1 - (1 - Fraction(0.1)) ** 3 * (1 - Fraction(1e-9)) ** 10
    assert made.infinity.infinite.exact == true
    assert Fraction(made.infinity.infinite.lower) <= true <= Fraction(made.infinity.upper)


def test_doubles_are_pairs_like_any_other():
    """The stand-ins used across these tests can be counted together, too."""
    rough = RoughPair(laplace(1.0), error=0.1)
    assert engine_steps([(rough, 1), (rough, 2)]).total == 3
