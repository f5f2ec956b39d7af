"""Which way privacy moves with each parameter: what mechanisms state, against the exact pairs of others."""

from dataclasses import MISSING, fields
from random import Random

import pytest
from tests.reference import truth
from tests.reference.truth_steps import truncated_gaussian_step, truncated_laplace_step

import tightbudget as tb
from tightbudget.mechanisms import ALL
from tightbudget.mechanisms.trends import HIDES, REVEALS


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_only_arguments_have_a_trend_and_none_has_two(kind: type[tb.Mechanism]) -> None:
    known = {field.metadata.get("argument", field.name) for field in fields(kind)}  # type: ignore[arg-type]
    assert {*kind.reveal_more, *kind.hide_more} <= known
    assert not set(kind.reveal_more) & set(kind.hide_more)


def test_what_is_no_theorem_is_not_stated() -> None:
    """Cut-off and clamped noise with a larger scale may hide less; of discrete Gaussian noise it is not known."""
    assert tb.TruncatedGaussian(1.0, 5.0).trend("sigma") is None
    assert tb.TruncatedLaplace(1.0, 5.0).trend("scale") is None
    assert tb.ClampedGaussian(1.0, 5.0, 1.0).trend("sigma") is None
    assert tb.ClampedLaplace(1.0, 5.0, 1.0).trend("mean") is None
    assert tb.DiscreteGaussian(1.0).trend("sigma") is None
    assert tb.RandomizedResponse(0.7).trend("k") is None


def test_answers_tell_more_the_farther_the_truth_is_from_chance() -> None:
    for k in (2, 3, 7, 10):
        trend = tb.RandomizedResponse(0.99, k).trend("p")
        assert trend is not None
        assert trend.reveals
        assert trend.low >= 1 / k
        assert tb.RandomizedResponse(trend.low, k).epsilon(delta=0.0).upper < 1e-14


def test_trends_of_the_others() -> None:
    assert tb.Gaussian(1.0).trend("sigma") == tb.Laplace(1.0).trend("scale") == tb.Skellam(1.0).trend("mu") == HIDES
    assert tb.Gaussian(1.0).trend("sensitivity") == tb.Poisson(tb.Gaussian(1.0), 0.5).trend("q") == REVEALS
    assert tb.GaussianDP(1.0).trend("mu") == tb.PureDP(1.0).trend("epsilon") == REVEALS
    assert all(field.default is MISSING for field in fields(tb.PureDP))  # type: ignore[arg-type]


def test_a_wider_cut_off_hides_more() -> None:
    """The theorem of M24, by the exact delta of one step."""
    draw = Random(23)
    for _ in range(150):
        scale, shift = draw.uniform(0.2, 5.0), draw.uniform(0.1, 3.0)
        narrow, wide = sorted(shift * draw.uniform(0.51, 8.0) for _ in range(2))
        epsilon = draw.uniform(0.0, 4.0)
        for step in (truncated_gaussian_step, truncated_laplace_step):
            less, more = (truth.one(step(scale, bound, shift), epsilon) for bound in (narrow, wide))
            assert truth.ends(more)[0] <= truth.ends(less)[1], (step.__name__, scale, shift, narrow, wide, epsilon)
