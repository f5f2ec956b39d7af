"""Two laws told apart by way of a third, against three laws in fractions (M29)."""

import math
from fractions import Fraction

import numpy as np

from tightbudget.pairs.base import Array
from tightbudget.pairs.profile_grid import Profile
from tightbudget.pairs.via_third import profile_via_third

LAWS = [([5, 3, 2, 1], [1, 1, 1, 1], [1, 2, 3, 5]), ([90, 9, 1], [30, 40, 30], [1, 9, 90]), ([1, 1], [1, 1], [1, 1])]


def shares(masses: list[int]) -> list[Fraction]:
    return [Fraction(x, sum(masses)) for x in masses]


def exact(first: list[int], second: list[int], g: Fraction) -> Fraction:
    return sum((max(a - g * b, Fraction(0)) for a, b in zip(shares(first), shares(second), strict=True)), start=Fraction(0))


def profile_of(first: list[int], second: list[int]) -> Profile:
    def profile(losses: Array) -> Array:
        values = [exact(first, second, Fraction(math.exp(loss))) for loss in losses.tolist()]
        return np.array([math.nextafter(float(value), 1.0) * (1 + 1e-15) for value in values])

    return profile


def test_the_bound_is_no_less_than_the_truth_and_no_more_than_any_split():
    for p, n, q in LAWS:
        profile = profile_via_third(profile_of(p, n), profile_of(n, q))
        losses = np.array([0.0, 1e-3, 0.3, 1.0, 2.5, 6.0])
        found = profile(losses)
        for loss, bound in zip(losses.tolist(), found.tolist(), strict=True):
            g = Fraction(math.exp(loss))
            assert exact(p, q, g * (1 + Fraction(1, 10**13))) <= Fraction(bound)
            splits = (Fraction(math.exp(share * loss)) for share in (0.0, 0.3, 0.5, 1.0))
            least = min(exact(p, n, one) + one * exact(n, q, g / one) for one in splits)
            assert bound <= float(least) * (1 + 1e-9) + 1e-300


def test_a_split_that_is_exact_is_found():
    """With P = N all of the loss is on one side, with N = Q on the other."""
    for p, n, q in (([3, 1], [3, 1], [1, 3]), ([3, 1], [1, 3], [1, 3])):
        losses = np.array([0.0, 0.4, 1.0])
        found = profile_via_third(profile_of(p, n), profile_of(n, q))(losses)
        for loss, bound in zip(losses.tolist(), found.tolist(), strict=True):
            truth = float(exact(p, q, Fraction(math.exp(loss))))
            assert truth * (1 - 1e-12) <= bound <= truth * (1 + 1e-6)
