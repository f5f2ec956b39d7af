"""Errors of composed lists: stated, inherited, booked. The truth is the exact convolution of the stored floats."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.support import exact
from tests.support.lanes import mostly_slow

from tightbudget.numerics.convolve import Product
from tightbudget.research.published import combine as combine_module
from tightbudget.research.published import convolution as convolution_module
from tightbudget.research.published.buckets import REAL, VIRTUAL, A, Buckets, bucket_list
from tightbudget.research.published.combine import composed_buckets, squared_buckets
from tightbudget.research.published.convolution import Convolution, bucket_convolution


def rows(columns: int, seed: int, atoms: int = 0) -> np.ndarray:
    """Return three rows of unequal sums below 1, smooth but for a few atoms."""
    rng = np.random.default_rng(seed)
    made = rng.random((3, columns)) * np.exp(-0.5 * ((np.arange(columns) - columns / 2) / (columns / 9)) ** 2)
    made *= 0.9 / made.sum(axis=1, keepdims=True)
    if atoms:
        made *= 1e-3
        made[:, rng.choice(columns, atoms, replace=False)] += 0.8 / atoms
    return made


def buckets(columns: int = 9, seed: int = 1, n: int = 2000, first: int | None = None, **others: object) -> Buckets:
    made = rows(columns, seed)
    given = {
        "log_factor": 0.001, "n": n, "u": 1, "first": -(columns // 2) if first is None else first, "rows": made,
        "infinity": 0.1, "distinguishing": 0.03, "over_b": 0.02, "loss_shift": 0.0, "error": np.zeros(3),
    }  # fmt: skip
    return bucket_list(**{**given, **others})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "atoms"), mostly_slow([(5, 0), (60, 0), (400, 0), (3000, 0), (3000, 2), (9000, 40)], every=6, first=2)
)
@pytest.mark.parametrize("same", [True, False])
def test_the_stated_error_of_a_convolution(columns: int, atoms: int, same: bool):
    p = rows(columns, 1, atoms)
    q = p if same else rows(columns, 2, atoms)
    product = bucket_convolution(p, q)
    for row in range(3):
        truth = exact.product([p[row], q[row]], [1, 1])
        gap = math.fsum(exact.gaps(product.rows[row], product.first, truth))
        assert gap <= product.error[row] < 1e-11


def test_heavy_columns_do_not_pass_through_a_transform():
    p = rows(9000, 3, atoms=3)
    thin = rows(9000, 3)
    assert bucket_convolution(p, p).error.max() < 0.1 * bucket_convolution(thin, thin).error.max()


@pytest.mark.parametrize("heavy", [0, 2])
def test_errors_of_transforms_are_handed_on(monkeypatch: pytest.MonkeyPatch, heavy: int):
    def noisy(stacks: list[np.ndarray], counts: list[int], tail: float) -> Product:
        return Product(np.zeros((3, 100)), 0, np.array([1e-5, 2e-5, 3e-5]), np.array([1e-6, 1e-6, 2e-6]))

    monkeypatch.setattr(convolution_module, "convolve_powers", noisy)
    p = rows(300, 4, atoms=heavy)
    assert (bucket_convolution(p, p).error >= np.array([2e-5, 3e-5, 5e-5]) * (1 - 1e-12)).all()  # error + sqrt(100) noise


@pytest.mark.parametrize("row", [A, REAL, VIRTUAL])
def test_a_composition_inherits_the_errors_of_its_parts(row: int):
    """Rows stored with an error stand for others, at most that far away: these must be covered too."""
    stored = buckets(9)
    shift = np.zeros((3, 9))
    shift[row] = 1e-4 / 9
    far = replace(stored, error=np.abs(shift).sum(axis=1))
    product = composed_buckets(far, far)
    true = stored.rows[row] + shift[row]
    truth = exact.product([true, true], [1, 1])
    gap = math.fsum(exact.gaps(product.rows[row], product.first - 2 * stored.first, truth))
    assert 1.5e-4 < gap <= product.error[row] < 1e-3


def test_a_composition_books_the_error_of_its_convolution(monkeypatch: pytest.MonkeyPatch):
    far = Convolution(rows(17, 5), 0, np.array([1e-5, 2e-5, 3e-5]))
    monkeypatch.setattr(combine_module, "bucket_convolution", lambda p, q: far)
    assert (composed_buckets(buckets(9), buckets(9)).error >= far.error).all()


def test_a_squaring_inherits_the_errors_of_its_child():
    child = buckets(9, error=np.array([1e-4, 2e-4, 3e-4]))
    assert (squared_buckets(child).error >= child.error).all()


def test_slack_adds_up_and_u_follows_the_corrected_rule():
    one, two = replace(buckets(9, loss_shift=1e-3), u=3), replace(buckets(9, loss_shift=2e-3), u=4)
    assert composed_buckets(one, two).loss_shift >= 3e-3
    assert composed_buckets(one, two).u == 7
    assert [squared_buckets(replace(one, u=u)).u for u in (1, 2, 3, 4, 5)] == [1, 2, 2, 3, 3]
    assert squared_buckets(one).loss_shift == 1e-3


@pytest.mark.parametrize("first", [-40, -31, -20, 0, 12, 24, 30])
def test_composition_at_the_ends_loses_nothing(first: int):
    """Indices below -n are clamped, above n they go to infinity; all rows together keep their mass."""
    one = buckets(9, first=first if first > -30 else -20, n=30 if first > -30 else 2 * (-first // 2) - 10)
    both = composed_buckets(one, one)
    total = both.rows[A].sum() + both.infinity
    assert total == pytest.approx((one.rows[A].sum() + one.infinity) ** 2, rel=1e-12)
    b_total = both.rows[VIRTUAL].sum() + both.over_b
    assert b_total == pytest.approx((one.rows[VIRTUAL].sum() + one.over_b) ** 2, rel=1e-12)
    assert both.stored.min() >= -one.n
    assert both.stored.max() <= one.n


def test_clamped_events_are_corrected_only_as_far_as_it_is_certain():
    one = buckets(9, first=-20, n=20)
    both = composed_buckets(one, one)
    corner = both.B[0]
    assert corner > 0.3
    assert both.first == -20
    assert both.rows[REAL, 0] == pytest.approx(corner * math.exp(20 * 0.001), rel=1e-9)
    assert both.rows[REAL, 0] <= corner * math.exp(20 * 0.001)


def test_distinguishing_events_of_either_part_count():
    both = composed_buckets(buckets(9, distinguishing=0.1), buckets(9, seed=2, distinguishing=0.2))
    assert both.distinguishing == pytest.approx(0.28, rel=1e-12)
    assert both.distinguishing <= 0.28


def test_what_is_trimmed_is_booked():
    made = rows(9, 1)
    made[:, 0], made[:, -1] = 1e-25, 4e-21
    trimmed = buckets(9, rows=made)
    assert trimmed.rows.shape[1] == 7
    assert trimmed.error[A] >= 4e-21
    assert trimmed.error[VIRTUAL] >= 4e-21


@pytest.mark.parametrize("error", [2e-3, math.inf, math.nan])
def test_a_hopeless_list_says_nothing(error: float):
    lost = buckets(9, error=np.full(3, error))
    assert lost.infinity == 1.0
    assert lost.over_b == 1.0
    assert not lost.rows.any()


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        buckets(9).rows[0, 0] = 1.0
