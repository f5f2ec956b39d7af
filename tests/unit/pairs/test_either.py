"""One of two pairs, told which: divergences add up."""

import math

import numpy as np
import pytest

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.engine.steps import engine_steps
from tightbudget.pairs.either import EitherPair
from tightbudget.pairs.gaussian_mixture import replaced_gaussian_pair

FIRST, SECOND = replaced_gaussian_pair(1.0, 0.1), replaced_gaussian_pair(3.0, 0.25)
EITHER = EitherPair(FIRST, SECOND, (math.log(0.75), math.log(0.25)), 1e-15)


def delta(pair: object, epsilon: float) -> float:
    return delta_bracket((OneDirection(engine_steps([(pair, 1)]), "both"),), epsilon, 1e-9, 1e-300, None).upper  # type: ignore[list-item]


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_divergences_add_up(epsilon: float) -> None:
    assert delta(EITHER, epsilon) == pytest.approx(0.75 * delta(FIRST, epsilon) + 0.25 * delta(SECOND, epsilon), rel=1e-9)


def test_nothing_is_missing() -> None:
    for cells in (EITHER.coarse_cells(), EITHER.cells(np.linspace(-400.0, 400.0, 2001))):
        assert np.exp(cells.log_a).sum() == pytest.approx(1.0, rel=1e-12)
        assert np.exp(cells.log_b).sum() == pytest.approx(1.0, rel=1e-12)


def test_moments_add_up() -> None:
    orders = np.array([1.5, 2.0, 10.0])
    parts = [np.exp(pair.log_moment(orders)) for pair in (FIRST, SECOND)]
    assert (np.exp(EITHER.log_moment(orders)) >= 0.75 * parts[0] + 0.25 * parts[1]).all()
    np.testing.assert_allclose(np.exp(EITHER.log_moment(orders)), 0.75 * parts[0] + 0.25 * parts[1], rtol=1e-9)
