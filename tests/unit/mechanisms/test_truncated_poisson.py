"""Poisson samples with a cap: digits of others, every batch of small data sets, edges."""

import itertools
import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.errors import InvalidParameter
from tightbudget.pairs.base import Direction

NOISE = tb.Gaussian(1.0)


def test_published_digits() -> None:
    step = tb.TruncatedPoisson(NOISE, 0.1, 3, 20)
    assert math.exp(step._capped.log) == pytest.approx(0.294555214104104, rel=1e-13)
    assert math.exp(step._kept_if_capped.log) == pytest.approx(0.0677054676346753, rel=1e-13)
    for epsilon, delta in ((0.5, 0.00689387976999014), (1.0, 0.00317231958549176)):
        answer = step.delta(epsilon, rtol=1e-9)
        assert delta * (1 - 1e-13) <= answer.upper <= delta * (1 + 1e-8)
        assert not answer.converged
        assert answer.reason
        rate = 0.1 * (1 - 0.294555214104104) + 0.294555214104104 * 0.0677054676346753
        plain = tb.Poisson(NOISE, rate).delta(epsilon, rtol=1e-9)
        assert answer.lower == pytest.approx(plain.lower, rel=1e-9)


def law(records: list[float], q: float, cap: int) -> dict[float, float]:
    """Return the law of the sum over the batch: all samples, and all choices among those that are too many."""
    sums: dict[float, float] = {}
    for drawn in itertools.product([False, True], repeat=len(records)):
        chosen = [record for record, taken in zip(records, drawn, strict=True) if taken]
        probability = math.prod(q if taken else 1.0 - q for taken in drawn)
        batches = list(itertools.combinations(chosen, min(cap, len(chosen))))
        for batch in batches:
            sums[sum(batch)] = sums.get(sum(batch), 0.0) + probability / len(batches)
    return sums


def attained(first: dict[float, float], second: dict[float, float], epsilon: float) -> float:
    x = np.linspace(-16.0, 16.0, 64001)
    a, b = (sum(w * np.exp(-0.5 * (x - c) ** 2) for c, w in sums.items()) for sums in (first, second))
    return float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() * (x[1] - x[0]) / math.sqrt(2.0 * math.pi))


@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
@pytest.mark.parametrize("seed", range(5))
def test_no_data_set_exceeds_it(relation: str, seed: int) -> None:
    """Small data sets of records between -1 and 1, extreme ones among them."""
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(2, 5)), float(rng.uniform(0.1, 0.9))
    cap = int(rng.integers(1, n))
    step = tb.TruncatedPoisson(NOISE, q, cap, n, relation=relation)
    bounds = {epsilon: step.delta(epsilon).upper for epsilon in (0.0, 0.3, 1.0)}
    for others in [[1.0] * (n - 1), [-1.0] * (n - 1), [0.0] * (n - 1), rng.uniform(-1.0, 1.0, n - 1).tolist()]:
        here = law([1.0, *others], q, cap)
        there = {
            "add_remove": law(others, q, cap),
            "replace_one": law([-1.0, *others], q, cap),
            "zero_out": law([0.0, *others], q, cap),
        }[relation]
        for epsilon, bound in bounds.items():
            assert max(attained(here, there, epsilon), attained(there, here, epsilon)) <= bound * (1 + 1e-5)
            if not any(others):
                lower = step.delta(epsilon).lower
                assert max(attained(here, there, epsilon), attained(there, here, epsilon)) >= lower * (1 - 1e-5)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
def test_a_cap_that_is_never_reached(relation: str) -> None:
    plain = tb.Poisson(NOISE, 0.1).under(relation)
    for cap in (20, 21, 10**9):
        answer = (tb.TruncatedPoisson(NOISE, 0.1, cap, 20, relation=relation) * 5).delta(0.5)
        assert answer.converged
        assert (answer.lower, answer.upper) == ((plain * 5).delta(0.5).lower, (plain * 5).delta(0.5).upper)
    far = tb.TruncatedPoisson(NOISE, 1e-5, 5000, 10**6, relation=relation).delta(0.1, rtol=1e-6)
    hardly = tb.Poisson(NOISE, 1e-5).under(relation).delta(0.1, rtol=1e-6)
    assert far.upper == pytest.approx(hardly.upper, rel=1e-5)


def test_under_a_relation() -> None:
    step = tb.TruncatedPoisson(NOISE, 0.1, 3, 20)
    assert step.under("replace_one") == tb.TruncatedPoisson(NOISE, 0.1, 3, 20, relation="replace_one")
    answers = [(step * 10).epsilon(1e-6, relation=relation) for relation in ("add_remove", "zero_out", "replace_one")]
    assert answers[0].upper < answers[1].upper < answers[2].upper
    assert tb.parse(str(step)) == step


def test_edges() -> None:
    assert tb.TruncatedPoisson(NOISE, 0.0, 3, 20).reveals_nothing
    assert tb.TruncatedPoisson(tb.Gaussian(math.inf), 0.1, 3, 20).reveals_nothing
    everyone = tb.TruncatedPoisson(NOISE, 1.0, 5, 20)
    fixed = tb.WithoutReplacement(NOISE, 5, 20)
    assert everyone.delta(0.5).upper == pytest.approx(fixed.delta(0.5).upper, rel=1e-6)
    silent = tb.TruncatedPoisson(tb.Gaussian(0.0), 0.5, 1, 2)
    kept = 0.5 * 0.5 + 0.5 * 0.25
    assert silent.delta(1.0).upper == pytest.approx(kept, rel=1e-12)
    assert all(
        step.log_moment(Direction.REMOVE, np.array([2.0]))[0] < 4.0
        for step in (everyone, tb.TruncatedPoisson(NOISE, 0.1, 3, 20))
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((tb.Laplace(1.0), 0.1, 3, 20), "Gaussian noise"),
        ((tb.Gaussian(1.0, relation="replace_one"), 0.1, 3, 20), "stated for add_remove"),
        (("gaussian", 0.1, 3, 20), "Gaussian noise"),
        ((NOISE, 1.5, 3, 20), "q is 1.5"),
        ((NOISE, 0.1, 0, 20), "cap is 0"),
        ((NOISE, 0.1, 2.5, 20), "cap is 2.5"),
        ((NOISE, 0.1, 3, 0), "examples is 0"),
        ((NOISE, 0.5, 3, 10**15), "examples is"),
    ],
)
def test_what_is_refused(arguments: tuple[object, ...], said: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        tb.TruncatedPoisson(*arguments)  # type: ignore[arg-type]
    assert said in str(refused.value)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
@pytest.mark.parametrize("count", [1, 10])
def test_where_all_are_drawn_it_is_a_batch_of_a_fixed_size(relation: str, count: int) -> None:
    noise = tb.Gaussian(sigma=2.0)
    capped = tb.TruncatedPoisson(noise, q=1.0, cap=10, examples=100, relation=relation) * count
    fixed = tb.WithoutReplacement(noise, batch=10, examples=100, relation=relation) * count
    for epsilon in (0.1, 1.0):
        answer, expected = capped.delta(epsilon), fixed.delta(epsilon)
        assert (answer.lower, answer.upper, answer.converged) == (expected.lower, expected.upper, expected.converged)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one", "zero_out"])
@pytest.mark.parametrize("sigma", [1e-160, 1e-20, 5e-5, 9.9e-5, 1e-4, 1.5e-4, 3e-4])
def test_next_to_no_noise_tells_whether_the_record_is_drawn(sigma: float, relation: str) -> None:
    step = tb.TruncatedPoisson(tb.Gaussian(sigma), q=0.9, cap=1, examples=2, relation=relation)
    # the first record is kept with probability 0.9 (0.1 + 0.9 / 2); zeroed, or absent, it may cost the other its place
    for count, told in ((1, 0.495), (2, 1 - 0.505**2)):
        answer = (step * count).delta(0.5)
        assert answer.lower <= told * (1 + 1e-12)
        assert answer.upper >= told * (1 - 1e-12)
    beside = (step + tb.Gaussian(1.0, relation=relation)).delta(0.5)
    assert 0.495 <= beside.upper <= 1.0
    if relation == "replace_one":  # one that is not drawn tells nothing; a record more or less may have been drawn
        true = 0.495 + 0.505 * tb.Gaussian(1.0, relation=relation).delta(0.5).lower
        assert beside.lower <= true * (1 + 1e-6)
        assert true * (1 - 1e-6) <= beside.upper
