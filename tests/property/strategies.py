"""What the laws are tried on: every mechanism, subsampled and not, and compositions of them.

Ranges are those that people use, and a little beyond; the edges of float64 have tests of their own in regression/.
"""

import copy
import math

from hypothesis import settings
from hypothesis import strategies as st

import tightbudget as tb

MOST_CELLS = 5


def examples(times: int = 3) -> settings:
    """Return settings to try a law so many times as often as the profile says: one answer takes milliseconds."""
    return settings(max_examples=times * settings.default.max_examples)


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    """Return numbers between two positive ones, each order of magnitude as likely."""
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


scales = log_uniform(0.2, 200.0)
sensitivities = st.one_of(st.just(1.0), log_uniform(0.1, 5.0))
rates = st.one_of(log_uniform(1e-4, 0.9), st.sampled_from([0.5, 1e-8, 0.999]))
whole_sensitivities = st.integers(1, 5)

gaussians = st.builds(tb.Gaussian, scales, sensitivities)
laplaces = st.builds(tb.Laplace, scales, sensitivities)
# from bounds that only leave a sliver in common to those that cut off next to nothing
truncated_gaussians = st.builds(
    lambda sigma, widths, shift: tb.TruncatedGaussian(sigma, shift + widths * sigma, shift),
    scales,
    st.floats(0.1, 12.0),
    sensitivities,
)
truncated_laplaces = st.builds(
    lambda scale, widths, part, shift: tb.TruncatedLaplace(scale, part * shift + widths * scale, shift),
    scales,
    st.floats(0.1, 30.0),
    st.floats(0.5, 1.0),
    sensitivities,
)
clamped_gaussians = st.builds(tb.ClampedGaussian, st.floats(-5.0, 40.0), log_uniform(0.3, 20.0), sensitivities)
clamped_laplaces = st.builds(tb.ClampedLaplace, st.floats(-5.0, 40.0), log_uniform(0.3, 20.0), sensitivities)
discrete_gaussians = st.builds(tb.DiscreteGaussian, log_uniform(0.3, 50.0), whole_sensitivities)
discrete_laplaces = st.builds(tb.DiscreteLaplace, log_uniform(0.2, 50.0), whole_sensitivities)
randomized_responses = st.builds(tb.RandomizedResponse, st.floats(0.05, 0.95), st.integers(2, 10))
bounded_ranges = st.builds(tb.BoundedRange, log_uniform(1e-3, 4.0))
pure_promises = st.builds(tb.PureDP, log_uniform(1e-3, 4.0))
approximate_promises = st.builds(tb.ApproximateDP, log_uniform(1e-3, 4.0), log_uniform(1e-12, 1e-2))
gaussian_promises = st.builds(tb.GaussianDP, log_uniform(1e-3, 4.0))


@st.composite
def histograms(draw: st.DrawFn, most_cells: int = MOST_CELLS, most_weight: int = 1000) -> tb.Histograms:
    """Return two histograms of counts; some cells are empty in one of them or in both."""
    cells = draw(st.integers(2, most_cells))
    weights = st.one_of(st.integers(1, most_weight), st.integers(0, most_weight))
    lists = st.lists(weights, min_size=cells, max_size=cells).filter(any)
    return tb.Histograms(tuple(draw(lists)), tuple(draw(lists)))


# Answers at delta 0 are the sum of largest losses here.
pure_mechanisms = st.one_of(laplaces, discrete_laplaces, randomized_responses, bounded_ranges, pure_promises)

base_mechanisms = st.one_of(
    gaussians,
    laplaces,
    truncated_gaussians,
    truncated_laplaces,
    clamped_gaussians,
    clamped_laplaces,
    discrete_gaussians,
    discrete_laplaces,
    randomized_responses,
    bounded_ranges,
    pure_promises,
    approximate_promises,
    gaussian_promises,
    histograms(),
)
# Numbers are checked here, not what they mean: relations are mixed freely.
subsampled = st.builds(tb.Poisson, base_mechanisms, rates, mix_relations=st.just(True))
nested = st.builds(tb.Poisson, subsampled, rates)
mechanisms = st.one_of(base_mechanisms, base_mechanisms, subsampled, nested)

counts = st.one_of(st.integers(1, 10), st.integers(1, 1000))


@st.composite
def compositions(draw: st.DrawFn, most_items: int = 4) -> tb.Composition:
    items = draw(st.lists(st.tuples(mechanisms, counts), min_size=1, max_size=most_items))
    return tb.Composition(tuple(items), mix_relations=True)


def together(*parts: tb.Mechanism | tb.Composition) -> tb.Composition:
    return tb.compose(parts, mix_relations=True)


epsilons = st.one_of(st.just(0.0), log_uniform(1e-4, 50.0), st.floats(0.0, 10.0))
deltas = st.one_of(log_uniform(1e-15, 0.9), log_uniform(1e-8, 1e-2))


@st.composite
def questions(
    draw: st.DrawFn, asked: st.SearchStrategy[tb.Mechanism | tb.Composition]
) -> tuple[tb.Mechanism | tb.Composition, float]:
    """Return something to ask about and an epsilon at which its delta is neither 0 nor 1, more often than not."""
    composition = draw(asked)
    if draw(st.booleans()):
        return composition, draw(epsilons)
    near = copy.deepcopy(composition).epsilon(draw(deltas), rtol=0.1).upper
    part = draw(st.floats(0.0, 1.2))
    return composition, part * near if math.isfinite(near) else draw(epsilons)


def overlap(one: tb.Bracket, other: tb.Bracket) -> bool:
    """Return whether both may be brackets of the same number."""
    return max(one.lower, other.lower) <= min(one.upper, other.upper)
