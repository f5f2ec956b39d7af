"""Privacy loss distributions of others: sums by hand, missing mass, and what is refused."""

import math
import pickle

import numpy as np
import pytest

import tightbudget as tb

RESPONSE = {1.0: 1.0 / (1.0 + math.exp(-1.0)), -1.0: 1.0 / (1.0 + math.exp(1.0))}


def test_the_upper_end_is_that_of_the_list_and_the_lower_end_that_of_nothing() -> None:
    given = tb.from_loss_distribution(RESPONSE)
    for count in (1, 5):
        answer, true = (given * count).delta(0.5), (tb.PureDP(1.0) * count).delta(0.5)
        assert answer.upper >= true.lower
        assert answer.upper == pytest.approx(true.upper, rel=1e-3)
        assert answer.lower == 0.0
        assert not answer.converged


def test_a_pessimistic_list_of_normal_noise_stays_above_it() -> None:
    edges = np.linspace(-8.0, 10.0, 1801)  # losses of sigma = 1, rounded up to the next edge
    z = edges + 0.5
    from scipy import special

    cells = np.diff(special.ndtr(z - 1.0))
    given = tb.from_loss_distribution(dict(zip(edges[1:].tolist(), cells.tolist(), strict=True)))
    for count in (1, 10):
        for epsilon in (0.5, 3.0):
            upper, true = (given * count).delta(epsilon).upper, (tb.Gaussian(sigma=1) * count).delta(epsilon).lower
            assert true <= upper <= true * 1.2


def test_what_masses_lack_of_1_is_revealed() -> None:
    answer = tb.from_loss_distribution({0.0: 0.75}).delta(3.0)
    assert answer.upper == pytest.approx(0.25)
    assert tb.from_loss_distribution({0.0: 0.5}, infinity=0.5).delta(3.0).upper == pytest.approx(0.5)


def test_directions_are_asked_apart() -> None:
    given = tb.from_loss_distribution({0.5: 1.0}, add={0.25: 1.0})
    assert given.delta(0.3, direction="remove").upper > 0.18
    assert given.delta(0.3, direction="add").upper < 1e-12


@pytest.mark.parametrize(
    "masses", [{0.0: 1.1}, {0.0: 0.6, 1.0: 0.6}, {-1.0: 1.0}, {math.nan: 0.5}, {700.0: 0.5}, {0.0: -0.1}, [0.5, 0.5], {"a": 1}]
)
def test_what_is_no_distribution_is_refused(masses: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.from_loss_distribution(masses).delta(1.0)


def test_it_has_no_notation_and_says_so() -> None:
    given = tb.from_loss_distribution(RESPONSE)
    assert (str(given), repr(given)) == ("loss_distribution(losses=2)", "LossDistribution(losses=2)")
    for text in (str(given), "poisson(loss_distribution('masses.csv'), q=0.1)"):
        with pytest.raises(tb.NotationError, match=r"not part.*tb\.from_loss_distribution"):
            tb.parse(text)
    accountant = tb.Accountant()
    accountant.step(tb.Poisson(given, 0.5))
    assert accountant.epsilon(1e-3).upper < 1.0
    for written in (accountant.state, lambda: tb.filters.SlotFilter(8, 1e-3, plan=given)):
        with pytest.raises(tb.InvalidParameter, match="one with a notation to be written down"):
            written()
    assert pickle.loads(pickle.dumps(given * 3)) == given * 3
