"""Text to composition and back, and every mistake with its position."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tightbudget as tb
from tightbudget.mechanisms import BY_NAME
from tightbudget.notation import MAX_CHARACTERS, parse

POSITIVE = st.floats(1e-3, 1e6) | st.integers(1, 10**6)
SENSITIVITY = st.floats(0.5, 2.0) | st.just(1)
SHARE = st.floats(1e-6, 1.0)
CELLS = st.lists(st.floats(1e-6, 1.0) | st.integers(1, 1000), min_size=3, max_size=3).map(tuple)

SIMPLE = {
    "gaussian": st.builds(tb.Gaussian, POSITIVE, SENSITIVITY),
    "laplace": st.builds(tb.Laplace, POSITIVE, SENSITIVITY),
    "truncated_gaussian": st.builds(tb.TruncatedGaussian, POSITIVE, st.floats(3.0, 1e4), SENSITIVITY),
    "truncated_laplace": st.builds(tb.TruncatedLaplace, POSITIVE, st.floats(3.0, 1e4), SENSITIVITY),
    "clamped_gaussian": st.builds(tb.ClampedGaussian, st.floats(-5.0, 100.0), POSITIVE, st.integers(1, 5)),
    "clamped_laplace": st.builds(tb.ClampedLaplace, st.floats(-5.0, 100.0), POSITIVE, st.integers(1, 5)),
    "discrete_gaussian": st.builds(tb.DiscreteGaussian, POSITIVE, st.integers(1, 5), st.integers(1, 9)),
    "shuffled_batches": st.builds(tb.ShuffledBatches, st.builds(tb.Gaussian, st.floats(0.1, 9.0)), st.integers(1, 9)),
    "tree_aggregation": st.builds(tb.TreeAggregation, st.floats(0.1, 9.0), st.integers(1, 99)),
    "matrix_mechanism": st.builds(
        tb.MatrixMechanism, st.floats(0.1, 9.0), st.lists(st.tuples(st.floats(1, 2), st.floats(-2, 2)), min_size=1, max_size=3)
    ),
    "random_allocation": st.builds(tb.RandomAllocation, st.builds(tb.Gaussian, st.floats(0.1, 9.0)), st.integers(2, 9)),
    "skellam": st.builds(tb.Skellam, st.floats(1e-3, 1e6), st.integers(0, 5)),
    "discrete_laplace": st.builds(tb.DiscreteLaplace, POSITIVE, st.integers(1, 5)),
    "randomized_response": st.builds(tb.RandomizedResponse, st.floats(0.5, 0.999), st.integers(2, 9)),
    "bounded_range": st.builds(tb.BoundedRange, st.floats(1e-6, 50.0)),
    "pure_dp": st.builds(tb.PureDP, st.floats(1e-6, 50.0)),
    "approximate_dp": st.builds(tb.ApproximateDP, st.floats(1e-6, 50.0), st.floats(0.0, 0.5)),
    "gaussian_dp": st.builds(tb.GaussianDP, st.floats(1e-6, 50.0)),
    "histograms": st.builds(tb.Histograms, CELLS, CELLS),
    "zcdp": st.builds(tb.ZCDP, st.floats(1e-6, 50.0)),
    "rdp": st.builds(
        lambda values: tb.RDP(range(2, len(values) + 2), values), st.lists(st.floats(0.0, 9.0), min_size=1, max_size=3)
    ),
    "exponential": st.builds(tb.Exponential, st.floats(1e-6, 50.0)),
    "permute_and_flip": st.builds(tb.PermuteAndFlip, st.floats(1e-6, 50.0)),
    "report_noisy_max": st.builds(tb.ReportNoisyMax, st.floats(1e-6, 50.0)),
    "sparse_vector": st.builds(tb.SparseVector, st.floats(1e-6, 50.0), st.floats(1e-6, 50.0)),
    "repeat_and_select": st.builds(
        lambda base, law: tb.RepeatAndSelect(base, **law),
        st.builds(tb.Gaussian, POSITIVE) | st.builds(tb.Gaussian, POSITIVE).map(lambda base: base * 3),
        st.sampled_from(
            [
                {"mean": 10},
                {"gamma": 0.1},
                {"runs": "poisson", "mean": 2.5},
                {"runs": "binomial", "trials": 4, "p": 0.3},
                {"runs": "negative_binomial", "eta": -0.5, "gamma": 0.25},
            ]
        ),
    ),
    "shuffled": st.builds(
        tb.Shuffled, epsilon0=st.floats(1e-6, 50.0), users=st.integers(1, 99), clone=st.sampled_from(["standard", "stronger"])
    ),
    "with_replacement": st.builds(tb.WithReplacement, st.builds(tb.Gaussian, POSITIVE), st.integers(0, 10), st.integers(2, 9)),
    "without_replacement": st.builds(
        tb.WithoutReplacement,
        st.builds(tb.Gaussian, POSITIVE),
        st.integers(0, 10),
        st.integers(10, 100),
        relation=st.sampled_from(["add_remove", "replace_one", "zero_out"]),
    ),
    "group": st.builds(
        tb.Group, st.builds(tb.Poisson, st.builds(tb.Gaussian, POSITIVE), st.floats(1e-6, 0.9)), st.integers(1, 9)
    ),
    "sampled_group": st.builds(
        tb.SampledGroup,
        st.builds(tb.Gaussian, POSITIVE),
        st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4),
        relation=st.sampled_from(["add_remove", "replace_one", "zero_out"]),
    ),
    "truncated_poisson": st.builds(
        tb.TruncatedPoisson,
        st.builds(tb.Gaussian, POSITIVE),
        SHARE,
        st.integers(1, 10),
        st.integers(1, 100),
        relation=st.sampled_from(["add_remove", "replace_one", "zero_out"]),
    ),
    "mixture_of_gaussians": st.builds(
        lambda sigma, centres, p: tb.MixtureOfGaussians(sigma, centres, (p, (1.0 - p) / 4, 3 * (1.0 - p) / 4)),
        POSITIVE,
        CELLS,
        SHARE,
    ),
}
MECHANISMS = st.recursive(
    st.one_of(*SIMPLE.values()),
    lambda inner: st.builds(
        tb.Poisson,
        inner.filter(lambda one: not (one.of_several or one.of_many_steps or one.counts_examples)),
        SHARE,
        mix_relations=st.just(True),
    ),
    max_leaves=3,
)
COMPOSITIONS = st.lists(st.tuples(MECHANISMS, st.integers(0, 10**7)), max_size=5).map(
    lambda items: tb.compose([mechanism * count for mechanism, count in items], mix_relations=True)
)


def test_every_mechanism_is_in_the_round_trip() -> None:
    assert {*SIMPLE, "poisson"} == set(BY_NAME)


@given(MECHANISMS)
def test_a_mechanism_is_read_back_exactly(mechanism: tb.Mechanism) -> None:
    read = parse(str(mechanism), mix_relations=True)
    assert read == mechanism
    assert str(read) == str(mechanism)


@given(COMPOSITIONS)
def test_a_composition_is_read_back_exactly(composition: tb.Composition) -> None:
    read = parse(str(composition), mix_relations=True)
    assert read == composition
    assert str(read) == str(composition)


def test_histograms_remember_their_file(tmp_path: Path) -> None:
    file = tmp_path / 'a "strange" näme\\.csv'
    file.write_text("1,2\n3,4\n")
    pair = tb.Histograms.from_csv(str(file))
    assert parse(str(pair)) == pair
    assert parse(str(pair * 3)) == pair * 3


G1, G2, L2 = tb.Gaussian(sigma=1), tb.Gaussian(sigma=2), tb.Laplace(scale=2)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("gaussian(sigma=1)", G1),
        ("gaussian(1)", G1),
        ("gaussian(1, sensitivity=2)", tb.Gaussian(1, 2)),
        ("  gaussian ( sigma = 1 )\n", G1),
        ("gaussian(sigma=1) * 512 + laplace(scale=2) * 10", G1 * 512 + L2 * 10),
        ("512 * gaussian(sigma=1)", G1 * 512),
        ("gaussian(sigma=1) * 1e6", G1 * 10**6),
        ("gaussian(sigma=1) * 10**6", G1 * 10**6),
        ("gaussian(sigma=1) * 0", tb.Composition(())),
        ("2 * 3 * gaussian(sigma=1)", G1 * 6),
        ("(gaussian(sigma=1) + laplace(scale=2)) * 10", G1 * 10 + L2 * 10),
        ("((gaussian(sigma=1) * 2 + nothing) * 3 + gaussian(sigma=2)) * 2", G1 * 12 + G2 * 2),
        ("gaussian(sigma=1) +\n  laplace(scale=2)", G1 + L2),
        ("gaussian(sigma=1)\u00a0+ laplace(scale=2)", G1 + L2),  # pasted from a web page
        ("nothing", tb.Composition(())),
        ("poisson(gaussian(sigma=1), q=256/60000)", tb.Poisson(G1, 256 / 60000)),
        ("poisson(poisson(gaussian(sigma=1), 0.5), q=0.1)", tb.Poisson(tb.Poisson(G1, 0.5), 0.1)),
        ("gaussian(sigma=2**0.5)", tb.Gaussian(2**0.5)),
        ("gaussian(sigma=sqrt(2))", tb.Gaussian(2**0.5)),
        ("gaussian(sigma=200*sqrt(2))", tb.Gaussian(200 * 2**0.5)),
        ("gaussian(sigma=1 + 2 - 1)", G2),
        ("gaussian(sigma=0.1 + 0.2 + 0.3)", tb.Gaussian(0.1 + 0.2 + 0.3)),
        ("gaussian(sigma=-(-1))", G1),
        ("gaussian(sigma=1e+3)", tb.Gaussian(1e3)),
        ("gaussian(sigma=1_000)", tb.Gaussian(1000)),
        ("histograms([1, 2], [0.5, 0.25 + 0.25])", tb.Histograms((1, 2), (0.5, 0.5))),
        ("histograms(b=[1, 2], a=[3, 4])", tb.Histograms((3, 4), (1, 2))),
    ],
)
def test_what_a_text_means(text: str, meaning: object) -> None:
    assert parse(text) == meaning


def test_infinite_noise_is_noise() -> None:
    assert str(parse("gaussian(sigma=inf)")) == "gaussian(sigma=inf)"


@pytest.mark.slow
def test_a_sum_may_be_long() -> None:
    text = " + ".join(f"gaussian(sigma={i + 1})" for i in range(5000))
    composition = parse(text)
    assert str(composition) == text
    assert parse(f"({' + '.join(['gaussian(sigma=1)'] * 900)}) * 2") == G1 * 1800


@pytest.mark.parametrize(
    ("text", "position", "part"),
    [
        ("", 0, "missing"),
        ("   ", 0, "missing"),
        ("gaussian(1) +", 13, "missing"),
        ("gaussian(1) + + gaussian(2)", 16, "number is needed"),
        ("gausian(1)", 0, "did you mean 'gaussian'"),
        ("gaussian(1) + Laplace(1)", 14, "did you mean 'laplace'"),
        ("gaussian", 0, "gaussian(sigma, sensitivity=1.0, relation='add_remove')"),
        ("gaussian()", 0, "lacks its argument 'sigma'"),
        ("gaussian(1, 2, 3)", 15, "too many"),
        ("gaussian(1, 2, 'zero_out')", 15, "relation='add_remove'), and relation is given by its name"),
        ("pure_dp(1, 2)", 11, "it is pure_dp(epsilon)"),
        ("gaussian(sigm=1)", 9, "did you mean 'sigma'"),
        ("gaussian(1, foo=1)", 12, "gaussian(sigma, sensitivity=1.0, relation='add_remove')"),
        ("gaussian(1, sigma=1)", 12, "twice"),
        ("gaussian(sigma=1, sigma=1)", 18, "twice"),
        ("gaussian(x)", 9, "'x' is not known"),
        ("gaussian('1')", 9, "this is a string"),
        ("gaussian([1])", 9, "this is a list"),
        ("gaussian(gaussian(1))", 9, "this is a mechanism"),
        ("gaussian(True)", 9, "True"),
        ("gaussian(1j)", 9, "number cannot be read"),
        ("gaussian(1e)", 9, "number cannot be read"),
        ("gaussian(0x10)", 9, "number cannot be read"),
        ("gaussian(1) * 1.5", 14, "whole number"),
        ("gaussian(1) * -1", 14, "whole number"),
        ("gaussian(1) * inf", 14, "whole number"),
        ("gaussian(1) * nan", 14, "whole number"),
        ("gaussian(1) * gaussian(2)", 0, "added (+) and repeated"),
        ("gaussian(1) - gaussian(2)", 0, "added (+) and repeated"),
        ("gaussian(1) / 2", 0, "added (+) and repeated"),
        ("gaussian(1) ** 2", 0, "added (+) and repeated"),
        ("-gaussian(1)", 1, "number is needed"),
        ("gaussian(1) + 3", 14, "the number 3"),
        ("gaussian(1 + gaussian(2))", 13, "this is a mechanism"),
        ("(gaussian(1) + 3) * 2", 15, "the number 3"),
        ("3", 0, "the number 3"),
        ("gaussian(1/0)", 9, "divides by zero"),
        ("gaussian(1e308**2)", 9, "too large"),
        ("gaussian(7 // 2)", 9, "numbers know"),
        ("gaussian((-1)**0.5)", 9, "root of a negative"),
        ("gaussian(sqrt(-1))", 9, "root of a negative"),
        ("gaussian(sqrt(1, 2))", 9, "sqrt takes one number"),
        ("poisson(3, 0.1)", 8, "the number 3"),
        ("histograms(1, 2)", 11, "list of numbers"),
        ("histograms([gaussian(1)], [1])", 12, "this is a mechanism"),
        ("gaussian(1", 8, "never closed"),
        ("gaussian(1))", 11, "closes nothing"),
        ("gaussian(1]", 10, "closes nothing"),
        ("histograms('a)", 11, "never closed"),
        (r"histograms('C:\data')", 11, "written twice"),
        ("gaussian(1) gaussian(2)", 12, "cannot be read here"),
        ("gaussian(1) # + gaussian(2)", 12, "'#' is not part"),
        ("gaussian(σ=1)", 9, "did you mean 'sigma'"),
        ("gaussian(1).sigma", 11, "'.' is not part"),
        ("gaussian(1)[0]", 0, "not part"),
        ("gaussian(1), gaussian(2)", 11, "composed with +"),
        ("gaussian(1) if gaussian(1) else nothing", 0, "not part"),
        ("gaussian(*[1])", 9, "* is not part"),
        ("gaussian(**gaussian)", 9, "** is not part"),
        ("lambda: 1", 6, "':' is not part"),
        ("__import__('os')", 0, "no mechanism '__import__'"),
        ("histograms(f'x')", 11, "not part"),
        ("histograms('é', 3) + gaussian(x)", 11, "list of numbers"),
    ],
)
def test_a_mistake_is_named_at_its_position(text: str, position: int, part: str) -> None:
    with pytest.raises(tb.NotationError) as caught:
        parse(text)
    assert caught.value.position == position
    assert caught.value.text == text
    sentence, *place = str(caught.value).splitlines()
    assert part in sentence
    assert sentence.endswith(f"(column {position + 1}).")
    assert place[1].index("^") == 2 + position


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(9**9**9)",
        "gaussian(1) * 9**9**9",
        "gaussian(2**-9**9**9)",
        "gaussian(" + "9" * 5000 + ")",
        "gaussian(" + "9" * 400 + " * 9)",
        "gaussian(1) * " + "9" * 400,
        "(" * 100_000 + ")" * 100_000,
        "(" * 150 + "gaussian(1)" + ")" * 150,
        "poisson(" * 100 + "gaussian(1)" + ", 0.5)" * 100,
        "gaussian(" + "-" * 100_000 + "1)",
        "gaussian(1" + "**1" * 50_000 + ")",
        "gaussian(1)" + " * 1" * 2000,
        "x" * (MAX_CHARACTERS + 1),
    ],
    ids=lambda text: text[:20],
)
def test_huge_and_deep_texts_fail_fast(text: str) -> None:
    # were they evaluated or nested without limit, this would not come back
    with pytest.raises(tb.NotationError) as caught:
        parse(text)
    assert len(str(caught.value)) < 500


@given(st.text(alphabet="gaussinlpce_()[]=,.+-*/0123456789 \"'e\n#σ", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = parse(text)
    except (tb.NotationError, tb.InvalidParameter):
        return
    assert parse(str(read)) == read


def test_a_value_that_is_not_allowed_shows_its_place() -> None:
    with pytest.raises(tb.InvalidParameter, match="sigma is -1") as caught:
        parse("laplace(2) + gaussian(sigma=-1)")
    assert caught.value.__notes__ == ["  laplace(2) + gaussian(sigma=-1)\n               ^"]


def test_only_text_is_read() -> None:
    with pytest.raises(tb.InvalidParameter, match="string in the notation"):
        parse(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "place"), [("2**60 * gaussian(1)", 0), ("histograms('missing.csv')", 11), ("poisson(gaussian(1), 2)", 0)]
)
def test_so_do_counts_and_files(text: str, place: int) -> None:
    with pytest.raises(tb.InvalidParameter) as caught:
        parse(text)
    assert caught.value.__notes__ == [f"  {text}\n  {' ' * place}^"]


@pytest.mark.parametrize("text", ["pure_dp(epsilon=1e-400)", "gaussian(sigma=1e400)", "laplace(0.001e-330) * 3"])
def test_a_number_no_float_is_near_is_refused(text: str):
    """Read as 0 or infinite it would stand for no loss, or no noise, at all."""
    with pytest.raises(tb.NotationError, match=r"too (small|large) for a float"):
        tb.parse(text)


@pytest.mark.parametrize("text", ["gaussian(sigma=0.0)", "laplace(scale=0.00e-5)", "pure_dp(epsilon=0.)"])
def test_zero_may_be_written_in_any_way(text: str):
    assert "0.0" in str(tb.parse(text))


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(1, 10**400), Fraction(0.1), Fraction(2, 7)])
def test_promises_given_as_fractions_are_rounded_up(value: Fraction):
    pure, gaussian = tb.PureDP(value), tb.GaussianDP(value)
    for kept in (pure.promised_epsilon, gaussian.mu, tb.ApproximateDP(1.0, value).promised_delta):
        assert min(Fraction(kept), Fraction(repr(kept))) >= value
        assert kept <= float(value) * (1.0 + 1e-15) + 5e-324
