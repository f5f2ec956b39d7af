"""The bound on the rounding of mixed masses beside their exact error; a bracket may hide a bound that is too small."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tightbudget.pairs.base import Direction
from tightbudget.pairs.poisson import _mixed_masses, _poisson_mass_rounding


def used(size: float, q: float, direction: Direction) -> list[mpf]:
    """Return exact error over bound, for masses with logarithms as far from 0 as `size` and losses up to 3."""
    source = np.random.default_rng(5)
    log_a = -size * source.random(60)
    log_b = np.minimum(0.0, log_a + source.uniform(-3.0, 3.0, log_a.size))
    mixed_a, mixed_b = _mixed_masses(log_a, log_b, q, direction)
    bounds = _poisson_mass_rounding(mixed_a, mixed_b, direction)
    sampled, rest, mixed = (log_a, log_b, mixed_a) if direction is Direction.REMOVE else (log_b, log_a, mixed_b)
    with mpmath.workdps(60):
        rate, shares = mpf(q), []
        for s, r, m, bound in zip(sampled, rest, mixed, bounds, strict=True):
            true = mpmath.log(rate * mpmath.exp(mpf(s)) + (1 - rate) * mpmath.exp(mpf(r)))
            shares.append(abs(mpf(m) - true) / mpf(bound))
    return shares


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("q", [1e-300, 1e-6, 0.01, 0.3, 0.999, 1.0 - 2.0**-40])
@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0, 700.0, 9000.0])
def test_no_mixed_mass_is_further_off_than_its_bound(size: float, q: float, direction: Direction) -> None:
    assert max(used(size, q, direction)) <= 1


@pytest.mark.parametrize("direction", Direction)
def test_the_bound_is_used_and_not_wasteful(direction: Direction) -> None:
    assert max(used(9000.0, 0.3, direction)) > 0.1
