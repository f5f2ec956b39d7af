"""Each random variable stands for the mechanism that prv_accountant means: one step against its closed form."""

import copy
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adapters.prv import (
    ApproximateDPMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
    PureDPMechanism,
)
from tightbudget.adapters.prv.privacy_random_variables import mechanism_of

EPSILON = mpmath.mpf("0.3")


def _gaussian(mu: mpmath.mpf) -> mpmath.mpf:
    e = mpmath.exp(EPSILON)
    return mpmath.ncdf(mu / 2 - EPSILON / mu) - e * mpmath.ncdf(-mu / 2 - EPSILON / mu)


def _removed_from_samples(q: mpmath.mpf, sigma: mpmath.mpf) -> mpmath.mpf:
    """The mixture against N(0, sigma^2), beyond the point where its loss is epsilon."""
    e = mpmath.exp(EPSILON)
    point = sigma**2 * mpmath.log((e - 1 + q) / q) + mpmath.mpf(1) / 2
    above = mpmath.ncdf(-point / sigma)
    return (1 - q) * above + q * mpmath.ncdf((1 - point) / sigma) - e * above


VARIABLES = {
    "gaussian": (GaussianMechanism(noise_multiplier=2.0), lambda: _gaussian(mpmath.mpf("0.5"))),
    "sensitivity": (GaussianMechanism(2.0, l2_sensitivity=3.0), lambda: _gaussian(mpmath.mpf("1.5"))),
    "laplace": (LaplaceMechanism(mu=0.75), lambda: 1 - mpmath.exp((EPSILON - mpmath.mpf("0.75")) / 2)),
    "pure": (PureDPMechanism(eps=0.5), lambda: _response(mpmath.mpf("0.5"))),
    "approximate": (
        ApproximateDPMechanism(epsilon=0.5, delta=0.125),
        lambda: mpmath.mpf("0.125") + mpmath.mpf("0.875") * _response(mpmath.mpf("0.5")),
    ),
    "sampled": (
        PoissonSubsampledGaussianMechanism(0.25, 2.0),
        lambda: _removed_from_samples(mpmath.mpf("0.25"), mpmath.mpf(2)),
    ),
}


def _response(epsilon: mpmath.mpf) -> mpmath.mpf:
    return (mpmath.exp(epsilon) - mpmath.exp(EPSILON)) / (1 + mpmath.exp(epsilon))


@pytest.mark.parametrize("name", VARIABLES)
def test_one_step_against_its_closed_form(name: str) -> None:
    variable, truth = VARIABLES[name]
    with mpmath.workdps(50):
        below, above = (variable.mechanism.delta(float(EPSILON) + shift, rtol=1e-9) for shift in (1e-15, -1e-15))
        assert below.lower <= truth() <= above.upper
        assert below.upper >= truth() * (1 - mpmath.mpf(10) ** -8)


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_is_a_value(name: str) -> None:
    variable, _ = VARIABLES[name]
    for twin in (copy.deepcopy(variable), pickle.loads(pickle.dumps(variable))):
        assert twin == variable
        assert twin.mechanism == variable.mechanism
    assert type(variable).__name__ in repr(variable)
    assert "mechanism=" not in repr(variable)


def test_numbers_that_no_float_holds_reveal_more_rather_than_less() -> None:
    third = Fraction(1, 3)
    sampled = PoissonSubsampledGaussianMechanism(sampling_probability=third, noise_multiplier=third).mechanism
    assert isinstance(sampled, tb.Poisson)
    assert isinstance(sampled.mechanism, tb.Gaussian)
    assert Fraction(sampled.mechanism.sigma) <= third <= Fraction(sampled.q)
    tenths = np.longdouble(3) / np.longdouble(10)  # the nearest float is below
    for shifted in (LaplaceMechanism(tenths).mechanism, GaussianMechanism(1.0, tenths).mechanism):
        assert Fraction(shifted.sensitivity) >= Fraction(*tenths.as_integer_ratio())  # type: ignore[attr-defined]


def test_an_array_of_one_number_is_read_once() -> None:
    mu = np.array(0.5)
    variable = LaplaceMechanism(mu)
    mu[...] = 9.0
    assert variable.mechanism == tb.Laplace(scale=1.0, sensitivity=0.5)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda bad: PoissonSubsampledGaussianMechanism(0.5, bad), "noise_multiplier"),
        (lambda bad: PoissonSubsampledGaussianMechanism(bad, 1.0), "sampling_probability"),
        (lambda bad: GaussianMechanism(bad), "noise_multiplier"),
        (lambda bad: GaussianMechanism(1.0, bad), "l2_sensitivity"),
        (lambda bad: LaplaceMechanism(bad), "mu"),
        (lambda bad: PureDPMechanism(bad), "eps"),
        (lambda bad: ApproximateDPMechanism(bad, 0.0), "epsilon"),
        (lambda bad: ApproximateDPMechanism(1.0, bad), "delta"),
    ],
)
@pytest.mark.parametrize("bad", [-1.0, math.nan, "1", True, None, [1.0]], ids=repr)
def test_bad_numbers_are_named_as_they_are_there(make, name: str, bad: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=f"^{name} is "):
        make(bad)


def test_a_cdf_of_ones_own_is_not_the_loss_of_the_class_it_was_added_to() -> None:
    class Mine(GaussianMechanism):
        def cdf(self, t: float) -> float:
            return 0.5

    assert mechanism_of(GaussianMechanism(1.0)) == tb.Gaussian(1.0)
    assert mechanism_of(Mine(1.0)) is None
