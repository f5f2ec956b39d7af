"""What is allowed, in words: a range says both of its ends, and the least is the one that is taken."""

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adapters.budget import BudgetAccountant

SAMPLED = tb.Gaussian(1.0)


@pytest.mark.parametrize(
    ("ask", "allowed"),
    [
        (lambda: tb.Gaussian(-1), "sigma is -1, but must be a number, 0 or more."),
        (lambda: tb.PureDP(1).epsilon(0, atol=-1), "atol is -1, but must be a finite number, 0 or more."),
        (lambda: tb.filters.BasicFilter(epsilon=-1, delta=0), "epsilon is -1, but must be a finite number, 0 or more."),
        (lambda: tb.DiscreteLaplace(1, 1.5), "sensitivity is 1.5, but must be a whole number, 0 or more."),
        (lambda: tb.Gaussian(1) * -1, "count is -1, but must be a whole number from 0 to 9007199254740992."),
        (lambda: tb.TruncatedPoisson(SAMPLED, 0.1, 2.5, 10), "cap is 2.5, but must be a whole number from 1 to 90071992547"),
        (lambda: tb.TruncatedPoisson(SAMPLED, 0.1, 0, 10), "cap is 0, but must be a whole number from 1 to 90071992547"),
        (lambda: tb.WithoutReplacement(SAMPLED, 0, 0), "examples is 0, but must be a whole number from 1 to 90071992547"),
        (lambda: BudgetAccountant(1, 0).remaining(0), "k is 0, but must be a whole number from 1 to 90071992547"),
        (
            lambda: tb.dpsgd(examples=0.5, batch=1, epochs=1, delta=1e-5),
            "examples is 0.5, but must be a whole number from 1 to 9007",
        ),
        (
            lambda: tb.dpsgd(examples=100, batch=0, epochs=1, delta=1e-5),
            "batch is 0, but must be a whole number from 1 to the number of",
        ),
        (
            lambda: tb.dpsgd(examples=100, batch=2.5, epochs=1, delta=1e-5),
            "batch is 2.5, but must be a whole number from 1 to the",
        ),
    ],
)
def test_the_sentence_names_the_range(ask: object, allowed: str) -> None:
    with pytest.raises(tb.InvalidParameter) as caught:
        ask()  # type: ignore[operator]
    assert str(caught.value).startswith(allowed)


class _Tensor:
    """A tensor that keeps track of gradients: NumPy may not read it."""

    def __init__(self, held: object) -> None:
        self._held = held

    def __array__(self, *_: object, **__: object) -> None:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def item(self) -> object:
        return self._held


@pytest.mark.parametrize("held", [2, 2.5])
def test_a_tensor_of_one_number_is_told_its_item(held: float) -> None:
    for make in (lambda: tb.Gaussian(_Tensor(held)), lambda: tb.Gaussian(1) * _Tensor(held)):
        with pytest.raises(tb.InvalidParameter, match=r"It holds one number: give its \.item\(\)\."):
            make()


@pytest.mark.parametrize("value", [_Tensor("2"), _Tensor(True), np.array([1.0, 2.0]), object()])
def test_what_holds_no_number_is_not(value: object) -> None:
    with pytest.raises(tb.InvalidParameter) as refused:
        tb.Gaussian(value)
    assert "item" not in str(refused.value)
