"""Slips of the pen, pasted signs and numbers beyond floats: each is named, with what to write instead."""

import re

import pytest

import tightbudget as tb


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gaußian(2)", "did you mean 'gaussian'?"),
        ("Gaussián(2)", "did you mean 'gaussian'?"),
        ("gаussian(2)", "did you mean 'gaussian'?"),  # a Cyrillic а
        ("gaussian(σ=2)", "did you mean 'sigma'?"),
        ("pure_dp(ε=2)", "did you mean 'epsilon'?"),
        ("laplace(2) + поссон(1)", "plain letters"),
        ("gaussian(2) × 3", "write *"),
        ("gaussian(2) · 3", "write *"),
        ("gaussian(2^0.5)", "write **"),
        ("laplace(2) – laplace(3)", "write -"),
        ("histograms(“a.csv”)", 'write "'),
        ("gaussian(2) * 65,536", "write 65536 or 65_536"),
        ("1,000,000 * gaussian(2)", "write 1000000 or 1_000_000"),
        ("(gaussian(2) * 65,536) + laplace(2)", "write 65536 or 65_536"),
        ("gaussian(sigma=65,536)", "65,536"),
        ("0,001 * gaussian(2)", "not inside a number; write 0.001, with a decimal point"),
        ("gaussian(sigma=0,001)", "not inside a number; write 0.001, with a decimal point"),
        ("gaussian(sigma=1,050)", "write 1050 or 1_050, or with a decimal point 1.050"),
        ("gaussian(2) * 2345,678", "write 2345.678, with a decimal point"),
        ("gaussian(2) * 1,2,3", "composed with +"),
        ("gaussian(sigma=007)", "does not begin with 0; write a decimal point"),
        ("gaussian(2), laplace(3)", "composed with +"),
        ("gaussian(2); laplace(3)", "';' is not part of the notation; write + between mechanisms"),
        ("gaussian(2; 3)", "write ,"),
        ("poisson(gaussian(2), q=1%)", "write 0.01"),
        ("poisson(gaussian(2), q=0.5 %)", "write 0.005"),
        ("gaussian(sigma=x%)", "'%' is not part of the notation ("),
        ("svt(1, 1)", "did you mean 'sparse_vector'?"),
        ("RR(0.75)", "did you mean 'randomized_response'?"),
        ("dpsgd(1, 2)", "the command tightbudget dpsgd"),
        ("gaussian(noise_multiplier=2)", "did you mean 'sigma'?"),
        ("poisson(gaussian(2), sample_rate=0.1)", "did you mean 'q'?"),
        ("sparse_vector(epsilon=1)", "did you mean threshold_epsilon and query_epsilon?"),
        ("skellam(variance=4)", "did you mean mu?"),
        ("exponential(eta=1)", "did you mean 'epsilon'?"),
        ("matrix_mechanism(1, C=[[1]])", "did you mean 'strategy'?"),
        ("gaussian_dp(variance=4)", "it is gaussian_dp(mu)"),
        ("gaussian(2, relation=add_remove)", 'Words are written in quotes: relation="add_remove"'),
        ("gaussian(2, relation=replace)", 'relation is a word in quotes, one of "add_remove", "replace_one", "zero_out"'),
        ("shuffled(pure_dp(1), users=9, clone=stronger)", 'clone="stronger"'),
        ("repeat_and_select(gaussian(2), runs=poisson, mean=3)", 'runs="poisson"'),
        ("repeat_and_select(gaussian(2), runs=3, mean=3)", "as in 'geometric'"),
        ("poisson(gaussian(2), rate=0.1)", "it is poisson(mechanism, q, relation='add_remove')"),
        ("gaussian(1e-400)", "too small for a float"),
        ("gaussian(0.000_01e-390)", "too small for a float"),
        ("gaussian(1e400)", "too large for a float"),
        ("gaussian(1e-200 * 1e-200)", "too small for a float"),
        ("gaussian(1e-200 / 1e200)", "too small for a float"),
        ("gaussian(1e-200 ** 2)", "too small for a float"),
        ("gaussian(2 ** -2000)", "too small for a float"),
        ("gaussian(1e200 * 1e200)", "too large"),
        ("gaussian(1e200 / 1e-200)", "too large"),
        ("gaussian(1e308 + 1e308)", "too large"),
        ("gaussian(1 - 1e308 - 1e308)", "too large"),
        ("zcdp(1e-400)", "too small for a float"),
    ],
)
def test_the_slip_is_named_and_pointed_at(text: str, said: str) -> None:
    with pytest.raises(tb.NotationError, match=re.escape(said)) as caught:
        tb.parse(text) if not text.startswith("zcdp") else tb.filters.parse_increment(text)
    assert 0 <= caught.value.position <= len(text)


def test_the_caret_stands_under_the_comma_or_word() -> None:
    for text, sign in (("gaussian(2) * 65,536", ","), ("laplace(1) + gaußian(2)", "g")):
        with pytest.raises(tb.NotationError) as caught:
            tb.parse(text)
        assert text[caught.value.position] == sign


@pytest.mark.parametrize(
    ("text", "sigma"),
    [
        ("gaussian(inf)", float("inf")),
        ("gaussian(00)", 0.0),
        ("gaussian(00.5)", 0.5),
        ("gaussian(1 / inf)", 0.0),
        ("gaussian(0 * 5.0)", 0.0),
        ("gaussian(3.0 - 3.0)", 0.0),
        ("gaussian(0e-999)", 0.0),
        ("gaussian(0.0)", 0.0),
        ("gaussian(2 ** -1074)", 5e-324),
        ("gaussian(5e-324)", 5e-324),
        ("gaussian(1_000.5)", 1000.5),
        ("gaussian(inf * 1e300)", float("inf")),
    ],
)
def test_zero_and_infinity_that_were_meant_are_taken(text: str, sigma: float) -> None:
    assert tb.parse(text) == tb.Gaussian(sigma)
