"""Mixtures of Gaussians as a mechanism: what it takes, what it refuses, and its edges."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.errors import InvalidParameter
from tightbudget.pairs.base import Direction


def mixture(sigma: object = 1.0, centres: object = (0, 1), probabilities: object = (0.9, 0.1)) -> tb.MixtureOfGaussians:
    return tb.MixtureOfGaussians(sigma, centres, probabilities)  # type: ignore[arg-type]


def test_numbers_of_all_kinds() -> None:
    same = [
        mixture(1, [0, 1], [0.75, 0.25]),
        mixture(np.float64(1.0), np.array([0.0, 1.0]), np.array([0.75, 0.25], dtype=np.float32)),
        mixture(Fraction(1), (Fraction(0), 1.0), (Fraction(3, 4), np.float64(0.25))),
        mixture(np.array(1.0), iter([-0.0, 1.0]), [0.75, 0.25]),
    ]
    assert all(other == same[0] and hash(other) == hash(same[0]) for other in same)
    assert str(same[1]) == "mixture_of_gaussians(sigma=1.0, centres=[0.0, 1.0], probabilities=[0.75, 0.25])"
    assert tb.parse(str(same[0])) == same[0]
    for again in (pickle.loads(pickle.dumps(same[0])), copy.deepcopy(same[0])):
        assert again == same[0]
        assert again.delta(0.5) == same[0].delta(0.5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((1.0, [0, 1], [1.0]), "probabilities is 'a list of 1', but must be as long as centres, a list of 2"),
        ((1.0, [0, 1], [0.5, 0.4]), "sum 0.9"),
        ((1.0, [0, 1], [0.5, 0.5 + 1e-12]), "a list of sum 1"),
        ((1.0, [0, -1], [0.5, 0.5]), "centres[1] is -1"),
        ((1.0, [0, 1], [1.5, -0.5]), "probabilities[1] is -0.5"),
        ((1.0, [0, math.nan], [0.5, 0.5]), "centres[1] is nan"),
        ((1.0, [0, math.inf], [0.5, 0.5]), "centres[1] is inf"),
        ((1.0, [0, True], [0.5, 0.5]), "centres[1] is True"),
        ((1.0, [0, "1"], [0.5, 0.5]), "centres[1] is '1'"),
        ((1.0, "01", [0.5, 0.5]), "centres is '01'"),
        ((1.0, 1.0, 1.0), "centres is 1.0"),
        ((1.0, [], []), "an empty list"),
        ((1.0, [0, Fraction(1, 10**400)], [0.5, 0.5]), "nearer to 0 than any float"),
        ((1.0, [0, 1e-300], [0.5, 0.5]), "at least 1e-280 sigma"),
        ((-1.0, [0, 1], [0.5, 0.5]), "sigma is -1.0"),
        ((math.nan, [0, 1], [0.5, 0.5]), "sigma is nan"),
    ],
)
def test_what_is_refused(arguments: tuple[object, object, object], said: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        mixture(*arguments)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_tenths_add_up_to_one() -> None:
    """They do not as floats; what rounding leaves is shared out."""
    tenths = mixture(1.0, list(range(10)), [0.1] * 10)
    assert sum(tenths._shares.values()) == 1
    assert len(tenths._shares) == 10


def test_nothing_and_everything() -> None:
    assert mixture(1.0, [0, 0], [0.5, 0.5]).reveals_nothing
    assert mixture(math.inf).reveals_nothing
    assert mixture(1.0, [0, 1], [1.0, 0.0]).reveals_nothing
    assert mixture(0.0, [2, 1], [0.5, 0.5]).reveals_everything
    assert not mixture(0.0).reveals_everything
    silent = mixture(0.0, [0, 1], [0.75, 0.25])
    assert silent.pair(Direction.REMOVE).infinity.infinite.exact == Fraction(1, 4)  # type: ignore[union-attr]
    assert silent.delta(0.5).lower <= 0.25 <= silent.delta(0.5).upper < 0.2501
    added = silent.pair(Direction.ADD)
    assert added is not None
    assert added.max_loss_lower <= -math.log(0.75) <= added.max_loss


def test_one_centre_is_gaussian_noise() -> None:
    assert mixture(2.0, [3.0, 3.0], [0.5, 0.5]).delta(1.0) == tb.Gaussian(2.0, 3.0).delta(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [1e-3, 0.05, 1.0, 300.0])
def test_two_centres_are_poisson_sampling(sigma: float) -> None:
    q = 0.125
    mine, sampled = mixture(sigma, [0, 1], [1 - q, q]) * 7, tb.Poisson(tb.Gaussian(sigma), q) * 7
    for epsilon in (0.0, 0.01, 1.0):
        first, second = mine.delta(epsilon, rtol=1e-5), sampled.delta(epsilon, rtol=1e-5)
        assert max(first.lower, second.lower) <= min(first.upper, second.upper)
    assert mine.delta(0.01, rtol=1e-5).converged


def test_order_and_repetition_do_not_matter() -> None:
    first = mixture(2.0, [0, 1, 2], [0.5, 0.25, 0.25])
    second = mixture(2.0, [2, 1, 0, 1, 5], [0.25, 0.125, 0.5, 0.125, 0.0])
    for direction in Direction:
        assert first.pair(direction) == second.pair(direction)


def test_distances_beyond_all_floats() -> None:
    far = mixture(1e-200, [0, 1e200, 1e201, 1e-200], [0.5, 0.125, 0.125, 0.25])
    answer = far.delta(1.0)
    assert answer.lower <= 0.25 + 0.25 * 0.13 < 0.4
    assert 0.25 < answer.lower <= answer.upper < 0.3


@pytest.mark.slow
def test_more_noise_hides_more() -> None:
    assert mixture().trend("sigma").reveals is False  # type: ignore[union-attr]
    assert mixture().trend("centres") is None
    found = tb.calibrate(
        "mixture_of_gaussians(sigma=?, centres=[0, 1], probabilities=[0.99, 0.01]) * 1000", epsilon=1, delta=1e-6
    )
    same = tb.calibrate("poisson(gaussian(sigma=?), q=0.01) * 1000", epsilon=1, delta=1e-6)
    assert found.value == pytest.approx(same.value, rel=1e-4)


def test_filters_and_divergences_take_it() -> None:
    assert tb.filters.ZCDPFilter(epsilon=1, delta=1e-6).remaining(mixture(50.0)) > 0
    orders = np.array([2.0, 8.0, 64.0])
    for direction in Direction:
        mine = mixture(2.0).log_moment(direction, orders)
        theirs = tb.Poisson(tb.Gaussian(2.0), 0.1).log_moment(direction, orders)
        np.testing.assert_allclose(mine[:2], theirs[:2], rtol=5e-3)
        assert (mine >= theirs * (1 - 5e-3)).all()
