"""More epsilon, more noise and a rarer sample never cost more delta."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import (
    base_mechanisms,
    compositions,
    counts,
    deltas,
    epsilons,
    examples,
    histograms,
    log_uniform,
    mechanisms,
    overlap,
    questions,
    rates,
    scales,
    sensitivities,
    subsampled,
    together,
    whole_sensitivities,
)

import tightbudget as tb

Pair = tuple[tb.Mechanism, tb.Mechanism]


def ordered(numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, Any]]:
    return st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair)))


@st.composite
def noisy_and_noisier(draw: st.DrawFn) -> Pair:
    """Return two mechanisms of a kind of which the first hides less.

    Only where that is a theorem: noise of the same law and more of it, a smaller shift of log-concave noise, a weaker
    promise. Truncated or clamped noise with a larger scale may hide less, since its bounds do not grow with it.
    """
    small, large = draw(ordered(scales))
    little, much = draw(ordered(sensitivities))
    few, many = draw(ordered(whole_sensitivities))
    low, high = draw(ordered(log_uniform(1e-3, 4.0)))
    rare, frequent = draw(ordered(log_uniform(1e-12, 1e-2)))
    bound = much * draw(st.floats(0.6, 8.0))
    p, k = draw(ordered(st.floats(0.5, 0.95))), draw(st.integers(2, 10))
    kinds: list[Pair] = [
        (tb.Gaussian(small, much), tb.Gaussian(large, little)),
        (tb.Laplace(small, much), tb.Laplace(large, little)),
        (tb.TruncatedGaussian(small, bound, much), tb.TruncatedGaussian(small, bound, little)),
        (tb.TruncatedLaplace(small, bound, much), tb.TruncatedLaplace(small, bound, little)),
        (tb.DiscreteGaussian(small, many), tb.DiscreteGaussian(small, few)),
        (tb.DiscreteLaplace(small, many), tb.DiscreteLaplace(large, few)),
        (tb.RandomizedResponse(p[1], k), tb.RandomizedResponse(p[0], k)),
        (tb.BoundedRange(high), tb.BoundedRange(low)),
        (tb.PureDP(high), tb.PureDP(low)),
        (tb.ApproximateDP(high, frequent), tb.ApproximateDP(low, rare)),
        (tb.GaussianDP(high), tb.GaussianDP(low)),
    ]
    return draw(st.sampled_from(kinds))


@given(st.one_of(mechanisms, compositions()), ordered(epsilons))
@examples()
def test_delta_falls_with_epsilon(c: Any, pair: tuple[float, float]) -> None:
    small, large = pair
    assert c.delta(large).lower <= c.delta(small).upper


@given(questions(compositions()), st.floats(1.0, 1.001))
@examples()
def test_delta_falls_with_epsilon_even_a_little(question: tuple[tb.Composition, float], factor: float) -> None:
    c, epsilon = question
    assert c.delta(epsilon * factor).lower <= c.delta(epsilon).upper


@given(st.one_of(mechanisms, compositions()), ordered(deltas))
@examples()
def test_epsilon_falls_with_delta(c: Any, pair: tuple[float, float]) -> None:
    small, large = pair
    assert c.epsilon(large).lower <= c.epsilon(small).upper


@given(noisy_and_noisier(), counts, st.one_of(st.just(1.0), rates), compositions(most_items=1), st.integers(0, 1), deltas)
@examples(4)
def test_more_noise_never_costs_more(
    pair: Pair, count: int, rate: float, rest: tb.Composition, beside: int, delta: float
) -> None:
    noisy, noisier = (together(tb.Poisson(one, rate, mix_relations=True) * count, rest * beside) for one in pair)
    first = noisy.epsilon(delta)
    assert noisier.epsilon(delta).lower <= first.upper
    epsilon = first.lower if first.lower < float("inf") else 1.0
    assert noisier.delta(epsilon).lower <= noisy.delta(epsilon).upper


@given(histograms(most_weight=100), st.integers(1, 5), st.integers(1, 5), counts, deltas)
@examples()
def test_blurring_a_histogram_never_costs_more(pair: tb.Histograms, sharp: int, blurred: int, count: int, delta: float) -> None:
    """Both lists are moved towards each other; whole numbers keep the mixtures exact."""
    total_a, total_b = int(sum(pair.a)), int(sum(pair.b))
    first, second = ([x * total_b for x in pair.a], [x * total_a for x in pair.b])
    mixed = tb.Histograms(first, [sharp * x + blurred * y for x, y in zip(second, first, strict=True)])
    assert (mixed * count).epsilon(delta).lower <= (pair * count).epsilon(delta).upper
    assert mixed.delta(0.1).lower <= pair.delta(0.1).upper


@given(histograms(), st.data(), counts, deltas)
@examples()
def test_forgetting_which_cell_never_costs_more(pair: tb.Histograms, data: st.DataObject, count: int, delta: float) -> None:
    cells = len(pair.a)
    place = data.draw(st.integers(0, cells - 2))

    def merged(weights: tuple[float, ...]) -> list[float]:
        return [*weights[:place], weights[place] + weights[place + 1], *weights[place + 2 :]]

    coarse = tb.Histograms(merged(pair.a), merged(pair.b))
    assert (coarse * count).epsilon(delta).lower <= (pair * count).epsilon(delta).upper


@given(questions(st.one_of(base_mechanisms, subsampled)), rates, counts, deltas)
@examples()
def test_sampling_never_costs_more(question: tuple[tb.Mechanism, float], rate: float, count: int, delta: float) -> None:
    mechanism, epsilon = question
    sampled = tb.Poisson(mechanism, rate, mix_relations=True)
    assert sampled.delta(epsilon).lower <= mechanism.delta(epsilon).upper
    assert (sampled * count).delta(epsilon).lower <= (mechanism * count).delta(epsilon).upper
    assert (sampled * count).epsilon(delta).lower <= (mechanism * count).epsilon(delta).upper


@given(st.one_of(base_mechanisms, subsampled), ordered(rates), counts, deltas)
@examples()
def test_a_rarer_sample_never_costs_more(mechanism: tb.Mechanism, pair: tuple[float, float], count: int, delta: float) -> None:
    rarely, often = (tb.Poisson(mechanism, rate, mix_relations=True) * count for rate in pair)
    assert rarely.epsilon(delta).lower <= often.epsilon(delta).upper


@given(base_mechanisms, st.integers(1, 2**10), st.integers(1, 2**10), counts, deltas)
@examples()
def test_a_sample_of_a_sample_is_a_sample(mechanism: tb.Mechanism, first: int, second: int, count: int, delta: float) -> None:
    one, other = first / 2**10, second / 2**10  # so that their product is exact
    twice = tb.Poisson(tb.Poisson(mechanism, one, mix_relations=True), other) * count
    assert overlap(twice.epsilon(delta), (tb.Poisson(mechanism, one * other, mix_relations=True) * count).epsilon(delta))


@given(mechanisms, epsilons, deltas, counts)
@examples()
def test_a_sample_of_all_is_no_sample(mechanism: tb.Mechanism, epsilon: float, delta: float, count: int) -> None:
    everyone = tb.Poisson(mechanism, 1.0, mix_relations=True)
    sampled, whole = everyone.delta(epsilon), mechanism.delta(epsilon)
    assert (sampled.lower, sampled.upper, sampled.converged) == (whole.lower, whole.upper, whole.converged)
    sampled, whole = (everyone * count).epsilon(delta), (mechanism * count).epsilon(delta)
    assert (sampled.lower, sampled.upper, sampled.converged) == (whole.lower, whole.upper, whole.converged)


@given(mechanisms, epsilons, st.one_of(deltas, st.just(0.0)), counts)
@examples()
def test_a_sample_of_none_reveals_nothing(mechanism: tb.Mechanism, epsilon: float, delta: float, count: int) -> None:
    nobody = tb.Poisson(mechanism, 0.0, mix_relations=True) * count
    for found in (nobody.delta(epsilon), nobody.epsilon(delta)):
        assert (found.lower, found.upper, found.converged) == (0.0, 0.0, True)


@given(mechanisms, log_uniform(1e-3, 5.0), st.integers(1, 50), deltas)
@examples()
def test_a_promise_is_the_worst_that_keeps_it(mechanism: tb.Mechanism, epsilon: float, count: int, delta: float) -> None:
    promise = tb.ApproximateDP(epsilon, mechanism.delta(epsilon).upper)
    assert (mechanism * count).epsilon(delta).lower <= (promise * count).epsilon(delta).upper
