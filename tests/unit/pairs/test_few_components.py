"""Two mixtures of few normal laws at once against each of them alone, which is tested against 60 digits."""

import math

import numpy as np
import pytest

from tightbudget.numerics.rounding import U
from tightbudget.pairs.few_components import FewComponents, are_few
from tightbudget.pairs.mixtures import CHUNK, NORMAL, Mixture


def mixture(*parts: tuple[float, float]) -> Mixture:
    """Return a mixture of (weight, centre)."""
    logs = tuple(math.log(weight) for weight, _ in parts)
    return Mixture(tuple(centre for _, centre in parts), logs, tuple(2.0 * U * (1.0 - log) for log in logs))


SAMPLED = mixture((0.9, 0.0), (0.1, 1.0))
CASES = {
    "removed": (SAMPLED, NORMAL),
    "added": (NORMAL, SAMPLED),
    "replaced": (SAMPLED, mixture((0.8, 0.0), (0.2, 1.7))),
    "mostly drawn": (mixture((1e-6, 0.0), (1.0 - 1e-6, 2.0)), mixture((0.1, 0.0), (0.9, 0.5))),
    "of other numbers": (mixture((0.5, 0.0), (0.3, 0.1), (0.2, 4.0)), mixture((0.7, 0.3), (0.3, 2.0))),
    "hardly any noise": (mixture((0.5, 0.0), (0.5, 40.0)), mixture((0.9, 0.0), (0.1, 25.0))),
    "always moved": (mixture((1.0, 1.5)), mixture((0.5, 0.5), (0.5, 2.0))),
}
PLACES = np.unique(np.concatenate([np.linspace(-60.0, 90.0, 400), np.random.default_rng(2).normal(size=300)]))


@pytest.mark.parametrize("name", CASES)
def test_losses_of_both_at_once(name: str):
    above, below = CASES[name]
    few = FewComponents(above, below)
    f, slope = few.log_ratios(PLACES)
    alone = above.log_ratio(PLACES), below.log_ratio(-PLACES)
    stated, steepest = few.known_to(PLACES, f, slope)
    error_above, rise = above.known_to(PLACES, alone[0])
    turned = alone[1][0][::-1], alone[1][1][::-1]
    error_below, fall = (values[::-1] for values in below.known_to(-PLACES[::-1], turned))
    np.testing.assert_allclose(stated, error_above + error_below, rtol=1e-6, atol=1e-300)
    np.testing.assert_allclose(steepest, rise + fall, rtol=1e-6, atol=1e-14)
    off = sum(np.abs(f[i] - alone[i][0]) for i in (0, 1))
    assert (off[1:] <= stated).all()
    assert (off[:-1] <= stated).all()
    for i in (0, 1):
        np.testing.assert_allclose(slope[i], alone[i][1], rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_masses_of_both_at_once(name: str):
    above, below = CASES[name]
    logs, errors = FewComponents(above, below).log_masses(PLACES)
    for i, (log, error) in enumerate((above.log_masses(PLACES), below.log_masses(-PLACES))):
        assert (np.abs(logs[i] - log) <= error).all()
        np.testing.assert_allclose(errors[i], error, rtol=1e-6)


def test_many_places_are_taken_in_turns():
    few, places = FewComponents(SAMPLED, SAMPLED), np.linspace(-9.0, 9.0, 2 * CHUNK + 5)
    for whole, part in (
        (few.log_ratios(places), few.log_ratios(places[-10:])),
        (few.log_masses(places), few.log_masses(places[-10:])),
    ):
        for values, last in zip(whole, part, strict=True):
            np.testing.assert_allclose(values[:, -last.shape[1] :], last, rtol=1e-12)
    assert few.log_ratios(places)[0].shape == (2, places.size)
    assert few.log_masses(places)[0].shape == (2, places.size - 1)


def test_which_are_few():
    assert are_few(SAMPLED, SAMPLED)
    assert not are_few(SAMPLED, mixture((0.5, 0.0), (0.5, 1e5)))  # told at sight: its squares are left to others
    assert not are_few(mixture(*((0.125, float(k)) for k in range(8))), NORMAL)
