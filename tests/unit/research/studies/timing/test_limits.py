"""Confidence limits against exact binomial sums."""

import itertools

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.numerics.clopper_pearson import clopper_pearson
from tightbudget.research.studies.timing import from_counts, samples_to_exclude
from tightbudget.research.studies.timing.limits import each_error

TIGHT = mpf(10) ** -4  # floats next to 1 are some 1e-5 of the distance apart


def at_least(seen: int, total: int, p: float) -> mpf:
    return mpmath.fsum(mpmath.binomial(total, k) * mpf(p) ** k * (1 - mpf(p)) ** (total - k) for k in range(seen, total + 1))


@pytest.mark.parametrize("error", [0.1, 1e-3, 1e-9])
@pytest.mark.parametrize("counts", [(0, 5), (1, 0), (3, 4, 0, 13), (1, 199), (100, 100)])
def test_a_limit_errs_no_more_than_it_says_and_hardly_less(counts: tuple[int, ...], error: float):
    low, high = clopper_pearson(np.array(counts), error)
    total = sum(counts)
    with mpmath.workdps(40):
        for seen, lower, upper in zip(counts, low.tolist(), high.tolist(), strict=True):
            if seen == 0:
                assert lower == 0.0
            else:
                assert mpf(error) * (1 - TIGHT) <= at_least(seen, total, lower) <= mpf(error)
            if seen == total:
                assert upper == 1.0
            else:
                assert mpf(error) * (1 - TIGHT) <= 1 - at_least(seen + 1, total, upper) <= mpf(error)


def test_all_limits_together_err_as_asked():
    assert each_error(0.99, 16) * 16 * 2 * 2 == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize(("mass", "cells"), [(0.1, 2), (1e-3, 16), (1e-7, 100)])
def test_so_many_samples_exclude_an_unseen_cell(mass: float, cells: int):
    size = samples_to_exclude(mass, cells, confidence=0.95)
    error = 0.05 / (4 * cells)
    assert (1 - mass) ** size <= error * (1 + 1e-9) < (1 - mass) ** (size - 1) * (1 + 1e-8)
    _, high = clopper_pearson(np.array([0, size]), each_error(0.95, cells))
    assert high[0] <= mass * (1 + 1e-8)


@pytest.mark.parametrize(
    "arguments",
    [
        (0.0, 2),
        (1.0, 2),
        (1e-3, 0),
        (1e-3, 2.5),
        ("1", 2),
        (1e-3, 2**54),
        (1e-3, -1),
        (1e-3, 2, 1.0),
        (1e-3, 2, 0.0),
        (1e-3, 2, "high"),
    ],
)
def test_bad_questions(arguments: tuple):
    with pytest.raises(tb.InvalidParameter):
        samples_to_exclude(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("confidence", mostly_slow([0.5, 0.95, 0.99, 1 - 2**-53], every=4, first=1))
def test_no_sample_is_missing(confidence: float):
    """(1 - mass)^size is at most the error of the floats that were given, to 700 digits; hardly fewer are too few."""
    source = np.random.default_rng(7)
    masses = [*(10.0 ** -source.uniform(0.01, 15, 400)).tolist(), 0.5, 0.25, 2.0**-40, 1e-300, 5e-324, 1 - 2**-53]
    for mass in masses:
        for cells in (1, 2, 16, 64, 1000):
            size = samples_to_exclude(mass, cells, confidence)
            with mpmath.workdps(700):
                rate, needed = mpmath.log1p(-mpf(mass)), mpmath.log((1 - mpf(confidence)) / (4 * cells))
                assert size * rate <= needed
                assert (size - 1 - mpf(size) * 2**-48) * rate > needed


@pytest.mark.parametrize("total", [10**6, 10**6 + 1, 10**9, 10**12])
def test_limits_of_large_samples(total: int) -> None:
    """Up to a million values by inverses of SciPy's; beyond, where those may be twice the estimate, by a series."""
    for seen, error in itertools.product((1, 2, 30, 1000), (1e-2, 1e-12, 2.8e-20)):
        low, high = clopper_pearson(np.array([seen, total - seen]), error)
        with mpmath.workdps(60):
            as_few = [fewer_than(seen + extra, total, mpf(float(p))) for extra, p in ((0, low[0]), (1, high[0]))]
            errors = 1 - as_few[0], as_few[1]
            assert all(0.8 * mpf(error) <= one <= mpf(error) * (1 + mpf(10) ** -12) for one in errors)
            assert 1 - (1 + 1e-6) * high[0] - 2e-9 <= low[1] <= 1 - (1 - 1e-6) * high[0]
            assert 1 - (1 + 1e-6) * low[0] <= high[1] <= min(1.0, 1 - (1 - 1e-6) * low[0] + 2e-9)


def fewer_than(count: int, total: int, p: mpf) -> mpf:
    """Pr[Bin(total, p) < count]."""
    term = sums = (1 - p) ** total
    for k in range(1, count):
        term *= mpf(total - k + 1) / k * p / (1 - p)
        sums += term
    return sums


def test_samples_of_a_billion_that_are_alike_tell_nothing() -> None:
    """The lower limit of a thousand of 10^9 was 1.9e-6, so that two equal samples revealed at least 8e-7."""
    alike = from_counts((1000, 10**9 - 1000), (1000, 10**9 - 1000)).confidence_bounds(1, 0.99)
    assert alike.delta(0.0).lower == 0.0
    assert 0.0 < alike.delta(0.0).upper < 1e-6
