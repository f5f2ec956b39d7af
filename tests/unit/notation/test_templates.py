"""Templates: one number left open, wherever a number stands, and nowhere else."""

import pytest

import tightbudget as tb
from tightbudget.notation import Template


@pytest.mark.parametrize(
    ("text", "argument", "whole", "filled"),
    [
        ("gaussian(sigma=?)", "sigma", False, "gaussian(sigma=2)"),
        ("gaussian(?) * 10", "sigma", False, "gaussian(sigma=2) * 10"),
        ("gaussian(4, ?)", "sensitivity", False, "gaussian(sigma=4, sensitivity=2)"),
        ("poisson(gaussian(sigma=?), q=0.5) * 3", "sigma", False, "poisson(gaussian(sigma=2), q=0.5) * 3"),
        ("poisson(gaussian(4), q=?/8)", "q", False, "poisson(gaussian(sigma=4), q=0.25)"),
        ("gaussian(4) * ?", "count", True, "gaussian(sigma=4) * 2"),
        ("? * gaussian(4)", "count", True, "gaussian(sigma=4) * 2"),
        ("laplace(3) + 2 * (? * gaussian(4))", "count", True, "laplace(scale=3) + gaussian(sigma=4) * 4"),
        ("laplace(3) + gaussian(sqrt(? + 2))", "sigma", False, "laplace(scale=3) + gaussian(sigma=2.0)"),
        ("discrete_gaussian(3, ?)", "sensitivity", True, "discrete_gaussian(sigma=3, sensitivity=2)"),
        ("randomized_response(0.5, k=?)", "k", True, "randomized_response(p=0.5)"),
        ("pure_dp(epsilon=?)", "epsilon", False, "pure_dp(epsilon=2)"),
        ("histograms([1, ?], [1, 1])", "a", False, "histograms([1.0, 2.0], [1.0, 1.0])"),
    ],
)  # fmt: skip
def test_the_open_number_is_found_and_filled_in(text: str, argument: str, whole: bool, filled: str) -> None:
    template = Template.of(text)
    assert (template.argument, template.whole) == (argument, whole)
    assert str(template.filled(2)) == filled
    assert template.filled(2) == tb.parse(template.written(2))


def test_a_question_mark_in_a_file_name_is_no_open_number() -> None:
    with pytest.raises(tb.NotationError, match="nothing to solve for"):
        Template.of("histograms('?.csv')")


@pytest.mark.parametrize(
    ("text", "said", "position"),
    [
        ("gaussian(2)", "nothing to solve for", 0),
        ("gaussian(?, ?)", "Only one", 12),
        ("gaussian(?) * ?", "Only one", 14),
        ("gaussian(?=3)", "not for the name of an argument", 9),
        ("?(3)", "not for a mechanism", 0),
        ("gaussian(2?)", "operator is missing before", 10),
        ("gaussian(sigma?)", "operator is missing before", 14),
        ("gaussian(? 2)", "operator is missing after", 11),
        ("gaussian(?) + ", "missing here", 13),
        ("gaussian(?) + laplac(2)", "did you mean 'laplace'", 14),
        ("gaussian(ʔ) + laplace(?)", "no 'ʔ'", 9),
        ("gaussian(?!)", "'!' is not part", 10),
    ],
)
def test_what_is_no_template_is_refused_at_its_place(text: str, said: str, position: int) -> None:
    with pytest.raises(tb.NotationError, match=said) as caught:
        Template.of(text)
    assert caught.value.position == position
    assert "ʔ" not in str(caught.value).replace(text, "").replace("no 'ʔ'", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [("gaussian(sigm=?)", "no argument 'sigm'"), ("gaussian(1, 2, ?)", "too many"), ("?", "mechanism is needed")],
)
def test_what_cannot_be_filled_says_so(text: str, said: str) -> None:
    with pytest.raises(tb.NotationError, match=said):
        Template.of(text).filled(2)


def test_parse_itself_knows_no_open_number() -> None:
    with pytest.raises(tb.NotationError, match="let calibrate find it"):
        tb.parse("gaussian(sigma=?)")


@pytest.mark.parametrize("text", [5, None, tb.Gaussian(2.0)])
def test_a_template_is_a_string(text: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="template"):
        Template.of(text)  # type: ignore[arg-type]
