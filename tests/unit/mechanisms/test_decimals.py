"""Decimal numbers are numbers; text is not, and is told so."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

import tightbudget as tb

STEP = tb.Gaussian(2.0)


def test_questions_take_them() -> None:
    assert STEP.epsilon(delta=Decimal("1e-5")) == STEP.epsilon(delta=1e-5)
    assert STEP.delta(epsilon=Decimal("0.5")) == STEP.delta(epsilon=0.5)


def test_mechanisms_keep_plain_numbers() -> None:
    assert repr(tb.Gaussian(Decimal("1.1")).sigma) == "1.1"
    assert STEP * Decimal(3) == STEP * 3
    assert tb.Histograms([Decimal(1), 2], [2, 1]) == tb.Histograms([1, 2], [2, 1])
    assert tb.Gaussian(Decimal("Infinity")).sigma == float("inf")
    assert tb.Gaussian(Decimal("0e-999999999")).sigma == 0.0


@pytest.mark.parametrize("promised", ["0.1", "0.3", "1e-300", "2.7182818284590452353602874713527"])
def test_promises_are_rounded_up(promised: str) -> None:
    kept = tb.PureDP(Decimal(promised)).promised_epsilon
    assert min(Fraction(kept), Fraction(repr(kept))) >= Fraction(promised)
    assert kept == tb.PureDP(Fraction(promised)).promised_epsilon


PROMISES: list[tuple[Callable[..., tb.Mechanism], str]] = [
    (tb.PureDP, "promised_epsilon"),
    (tb.BoundedRange, "eta"),
    (tb.Exponential, "promised_epsilon"),
    (tb.PermuteAndFlip, "promised_epsilon"),
    (tb.GaussianDP, "mu"),
    (lambda number: tb.SparseVector(number, 0.0), "threshold_epsilon"),
    (lambda number: tb.Shuffled(epsilon0=number, users=3), "epsilon0"),
]


@pytest.mark.parametrize(("made", "field"), PROMISES)
@pytest.mark.parametrize("promised", [Fraction(1, 3), Fraction(2, 3), Fraction(10, 3), Fraction(1, 7), Fraction(1, 2)])
def test_every_promise_is_kept_by_the_float_it_becomes(
    made: Callable[..., tb.Mechanism], field: str, promised: Fraction
) -> None:
    assert Fraction(getattr(made(promised), field)) >= promised


def test_a_bounded_range_costs_no_less_than_was_typed() -> None:
    step, limit = tb.BoundedRange(Fraction(1, 3)), 1 - Fraction(1, 10**18)  # three of them are more than is left
    assert (
        tb.filters.BasicFilter(limit, 1e-6).remaining(step)
        == tb.filters.BasicFilter(limit, 1e-6).remaining(tb.PureDP(Fraction(1, 3)))
        == 2
    )


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: tb.Gaussian(Decimal("NaN")), "sigma is Decimal('NaN'), but must be"),
        (lambda: tb.Gaussian(Decimal("sNaN")), "sigma is Decimal('sNaN'), but must be"),
        (lambda: tb.Gaussian(Decimal("1e400")), "a number beyond 1e308"),
        (lambda: tb.Gaussian(Decimal("1e-999999999")), "nearer to 0 than any float"),
        (lambda: tb.PureDP(Decimal("1e-999999999")), "nearer to 0 than any float"),
        (lambda: STEP.epsilon(delta=Decimal("1e-400")), "nearer to 0 than any float"),
        (lambda: STEP.epsilon(delta=Decimal(2)), "must be a number from 0 to 1"),
        (lambda: STEP * Decimal("9007199254740993"), "must be a whole number"),
        (lambda: STEP * Decimal("3.5"), "must be a whole number"),
        (lambda: STEP * Decimal("Infinity"), "must be a whole number"),
    ],
)
def test_what_no_float_holds_is_refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(tb.InvalidParameter) as caught:
        ask()
    assert said in str(caught.value)


@pytest.mark.parametrize("ask", [lambda: tb.Gaussian("1.1"), lambda: STEP.epsilon(delta="1.1"), lambda: STEP * "1.1"])
def test_text_is_called_text(ask: Callable[[], object]) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"is '1.1', but must be a .*\. This is text: give the number itself"):
        ask()
