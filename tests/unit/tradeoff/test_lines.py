"""Lines below a convex function: no gap between points hides a sum smaller than its bound."""

import math
from fractions import Fraction

import mpmath
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf
from tests.support import roc_truth

from tightbudget.tradeoff.lines import bounds_in_gaps
from tightbudget.tradeoff.signed import ProfilePoint

MASSES = st.integers(2, 5).flatmap(
    lambda cells: st.tuples(*(st.lists(st.integers(1, 30), min_size=cells, max_size=cells) for _ in range(2)))
)


def hockey_stick(p: list[Fraction], q: list[Fraction], epsilon: float) -> mpf:
    """Return sum (p - e^epsilon q)_+ to 40 digits."""
    t = mpmath.exp(mpf(epsilon))
    return sum(
        max(mpf(0), mpf(a.numerator) / a.denominator - t * b.numerator / b.denominator) for a, b in zip(p, q, strict=True)
    )


@given(
    MASSES,
    st.lists(st.tuples(st.floats(-5.0, 5.0), st.floats(0.0, 0.1), st.floats(0.0, 0.1)), min_size=1, max_size=12),
    st.floats(1e-9, 0.999),
)
def test_no_gap_hides_a_smaller_sum(
    masses: tuple[list[int], list[int]], places: list[tuple[float, float, float]], fpr: float
) -> None:
    p, q = ([Fraction(mass, sum(side)) for mass in side] for side in masses)
    points = []
    with mpmath.workdps(40):
        for epsilon, below, above in sorted({place[0]: place for place in places}.values()):
            delta = hockey_stick(p, q, epsilon)
            points.append(
                ProfilePoint(epsilon, max(0.0, float(delta) * (1 - below) - 1e-15), float(delta) * (1 + above) + 1e-15)
            )
    power = roc_truth.neyman_pearson(p, q, Fraction(fpr))
    found = bounds_in_gaps(points, math.log(fpr), 0.0, 0, len(points) - 1)
    assert len(found) == len(points) + 1
    # each bound holds if the minimum lies in its gap; where it lies is not known here
    assert min(gap.bound for gap in found) <= power
    for gap, left, right in zip(found, [None, *points], [*points, None], strict=True):
        assert gap.left == (-math.inf if left is None else left.epsilon)
        assert gap.right == (math.inf if right is None else right.epsilon)


def test_exact_points_on_both_sides_of_a_corner_find_it() -> None:
    """Randomised response: delta is straight between its losses, and lines through exact points meet in the corner."""
    p, q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    with mpmath.workdps(40):
        values = {epsilon: float(hockey_stick(p, q, epsilon)) for epsilon in (0.2, 0.5, 1.5, 2.0)}
    points = [ProfilePoint(epsilon, delta, delta) for epsilon, delta in values.items()]
    (inner,) = [gap for gap in bounds_in_gaps(points, math.log(0.01), 0.0, 0, 3) if gap.left == 0.5]
    assert 0.03 * (1 - 1e-9) <= inner.bound <= 0.03
    assert abs(inner.lowest - math.log(3)) < 1e-9


def test_a_point_that_is_known_badly_makes_lines_flatter_not_steeper() -> None:
    """delta = 3/4 - t/4 from t = 1/3 to 3; the sum with t/2 is least at 1/3, left of all points."""
    second = 0.75 - 0.25 * math.exp(0.5)
    points = [ProfilePoint(0.0, 0.5, 0.5), ProfilePoint(0.5, 0.1, second)]
    (left, *_) = bounds_in_gaps(points, math.log(0.5), 0.0, 0, 1)
    assert 0.75 * (1 - 1e-9) <= left.bound <= 2 / 3 + 1 / 6


def test_a_farther_point_that_is_known_badly_makes_lines_steeper_not_flatter() -> None:
    """The same delta; the sum with t/10 is least at 3, between the last two points."""
    second = 0.75 - 0.25 * math.exp(0.5)
    points = [ProfilePoint(0.0, 0.3, 0.5), ProfilePoint(0.5, second, second), ProfilePoint(math.log(4.0), 0.0, 0.0)]
    (*_, inner, _) = bounds_in_gaps(points, math.log(0.1), 0.0, 0, 2)
    assert inner.left == 0.5
    assert 0.3 * (1 - 1e-9) <= inner.bound <= 0.3
