"""Estimates of the saddle point: how far a tilted loss is from a normal one."""

import numpy as np
import pytest

from tightbudget.engine.question import EpsilonQuestion
from tightbudget.engine.refine import epsilon_estimate
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.steps import engine_steps
from tightbudget.notation.expressions import parse
from tightbudget.pairs.points import point_pair


@pytest.mark.parametrize("count", [1, 4, 100])
@pytest.mark.parametrize("theta", [0.5, 2.0])
def test_the_skewness_of_a_coin_is_known(count: int, theta: float) -> None:
    losses = np.array([-1.0, 1.5])
    pair = point_pair(("coin",), losses, np.log([0.6, 0.4]), np.log([0.6, 0.4]) - losses, error=np.zeros(2))
    heads = 0.4 * np.exp(1.5 * theta) / (0.4 * np.exp(1.5 * theta) + 0.6 * np.exp(-theta))
    skewness = (1.0 - 2.0 * heads) / np.sqrt(count * heads * (1.0 - heads))
    assert Saddle(engine_steps([(pair, count)]), -700.0).skewness(theta) == pytest.approx(skewness, rel=0.1, abs=0.01)


def test_estimates_count_where_losses_are_nearly_normal() -> None:
    usual, rare = parse("poisson(gaussian(sigma=1), q=0.01) * 10000"), parse("poisson(gaussian(sigma=1), q=0.01) * 100")
    assert epsilon_estimate(usual._directions, 1e-6) == pytest.approx(usual.epsilon(1e-6).upper, rel=0.05)
    assert np.isnan(epsilon_estimate(rare._directions, 1e-6))
    question = EpsilonQuestion(rare._directions[0], 1e-6, [])
    assert not question.regular
    assert question.estimate.answer > 1.1 * rare.epsilon(1e-6).upper  # one that is not to be trusted is too large
