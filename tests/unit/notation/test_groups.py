"""`group` in the notation: what the method of that name does, and never inside of a sample."""

import re

import pytest

import tightbudget as tb


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("group(gaussian(sigma=1), 3)", tb.Gaussian(1).group(3)),
        ("group(mechanism=laplace(2), k=2) * 5", tb.Laplace(2).group(2) * 5),
        ("group(gaussian(1) * 2 + pure_dp(0.5), 3)", (tb.Gaussian(1) * 2 + tb.PureDP(0.5)).group(3)),
        ("group(group(gaussian(1), 2), 3)", tb.Gaussian(1).group(6)),
        ("group(randomized_response(0.75), 4)", tb.RandomizedResponse(0.75) * 4),
        ("group(poisson(gaussian(1), 0.1), 3)", tb.Poisson(tb.Gaussian(1), 0.1).group(3)),
        ("group(poisson(gaussian(1), 0.1), 1)", tb.Group(tb.Poisson(tb.Gaussian(1), 0.1), 1)),
        ("group(nothing, 2)", tb.compose([])),
    ],
)
def test_it_is_what_the_method_returns(text: str, same: tb.Mechanism) -> None:
    read = tb.parse(text)
    assert read == same
    assert tb.parse(str(read)) == read


@pytest.mark.parametrize(
    "text",
    [
        "poisson(group(gaussian(1), 3), q=0.1)",
        "poisson(mechanism=group(k=3, mechanism=gaussian(1)), q=0.1)",
        "without_replacement(group(laplace(1), 2), 3, 10)",
        "group(poisson(group(gaussian(1), 2), 0.1), 2)",
    ],
)
def test_a_sample_of_a_group_as_of_one_record_is_refused(text: str) -> None:
    """Each of three is drawn on its own: one of them is there with 1 - 0.9^3, not with 0.1."""
    with pytest.raises(tb.NotationError, match=re.escape("the records of a group are drawn each on their own")):
        tb.parse(text)


def test_numbers_of_groups_are_found() -> None:
    assert tb.calibrate("group(gaussian(20) * 2, k=?)", epsilon=1, delta=1e-5).value == 3
    assert tb.calibrate("group(randomized_response(0.6), k=?)", epsilon=1, delta=1e-5).value == 2
