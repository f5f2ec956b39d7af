"""Brackets of 1e-6 after 2^18 repetitions: as narrow as asked, and contour integrals on either side of them."""

import pytest
from flint import ctx
from tests.reference import truth

import tightbudget as tb

COUNT = 2**18


@pytest.mark.parametrize(("sigma", "q", "delta"), [(0.6, 0.001, 1e-8), (1.0, 0.004, 1e-5), (4.0, 0.01, 1e-5)])
def test_subsampled_noise(sigma: float, q: float, delta: float):
    found = (tb.Poisson(tb.Gaussian(sigma), q) * COUNT).epsilon(delta, rtol=1e-6)
    assert found.converged
    assert found.width <= 1e-6 * found.upper
    # the direction that counts here
    law = truth.SubsampledGaussianLaw(sigma, q, remove=True)
    with ctx.workprec(400):
        assert truth.contour([(law, COUNT)], found.lower, digits=12).upper() >= truth.ball(delta)
        assert truth.contour([(law, COUNT)], found.upper, digits=12).lower() <= truth.ball(delta)


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("laplace(2000)", 1e-10),
        ("laplace(200)", 1e-5),
        ("randomized_response(0.51)", 1e-5),
        ("discrete_gaussian(20)", 1e-5),
        ("poisson(gaussian(1), 0.0001)", 1e-6),
    ],
)
def test_noise_whose_integrals_take_too_long(text: str, delta: float):
    """Here only the width is looked at; test_sandwich.py compares such noise with truths at smaller counts."""
    found = tb.parse(f"{text} * {COUNT}").epsilon(delta, rtol=1e-6)
    assert found.converged
    assert found.width <= 1e-6 * found.upper


@pytest.mark.slow
def test_laplace_noise_to_eight_digits():
    """The truth by residues, which are exact at any count."""
    found = (tb.Laplace(200) * 512).epsilon(1e-5, rtol=1e-8)
    assert found.converged
    law = truth.laplace(200)
    with ctx.workprec(400):
        assert truth.laplace_like(law, 512, found.lower).upper() >= truth.ball(1e-5)
        assert truth.laplace_like(law, 512, found.upper).lower() <= truth.ball(1e-5)
