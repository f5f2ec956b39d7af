"""Bounds on the modulus of characteristic functions between angles, against the modulus at many angles in between."""

import math

import numpy as np
import pytest

from tightbudget.engine.spectral.blocks import Block, block_of
from tightbudget.engine.spectral.modulus import _square_bound, core_bound, exp_up, law_core
from tightbudget.numerics.characteristic import turns


def moduli(block: Block, places: np.ndarray, angles: np.ndarray) -> np.ndarray:
    return np.abs(block.rows @ np.exp(-1j * np.multiply.outer(places, angles)))


@pytest.mark.parametrize("seed", range(12))
def test_between_two_angles_no_modulus_is_above_its_bound(seed: int):
    source = np.random.default_rng(seed)
    size = int(source.integers(2, 7))
    places = np.sort(source.choice(np.arange(-12.0, 13.0), size, replace=False))
    block = block_of(source.dirichlet(np.full(size, 0.5), 3), np.ones(1), places)
    angles = np.cumsum(source.uniform(0.0, 0.4, 30))
    bound = _square_bound(block, angles, moduli(block, places, angles), np.zeros((3, angles.size)), np.arange(29))
    inner = np.linspace(angles[:-1], angles[1:], 101)
    largest = (moduli(block, places, inner.ravel()) ** 2).reshape(3, 101, 29).max(axis=1)
    assert (largest <= bound).all()
    ends = moduli(block, places, angles) ** 2
    flat = np.maximum(ends[:, :-1], ends[:, 1:]) + 0.25 * np.multiply.outer(block.variances, np.diff(angles) ** 2)
    assert (bound <= flat * (1 + 1e-8) + 1e-12).all()


def test_the_bound_between_two_angles_is_attained():
    """Of a fair coin |phi|^2 is the squared cosine: nearly a parabola of the largest curvature about 0, and falling."""
    places = np.array([-1.0, 1.0])
    block = block_of(np.full((3, 2), 0.5), np.ones(1), places)
    around, behind = np.array([-1e-2, 1e-2]), np.array([1e-2, 2e-2])
    for angles, largest in ((around, 1.0), (behind, math.cos(1e-2) ** 2)):
        bound = _square_bound(block, angles, moduli(block, places, angles), np.zeros((3, 2)), np.array([0]))
        assert largest <= bound.min() <= bound.max() <= largest + 1e-7


def test_exponentials_are_rounded_up():
    logs = np.concatenate([-np.geomspace(1e-12, 700.0, 200), [-math.inf]])
    found = exp_up(logs)
    assert (found[:-1] > np.exp(logs[:-1])).all()
    assert (found <= np.exp(logs) * (1.0 + 1e-6)).all()


def bell(places: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * ((places - mean) / deviation) ** 2)


WIDE = np.arange(-100.0, 101.0)
COMB = np.where(WIDE % 8 == 0, 1.0 / 26.0, 0.0)
BELL = bell(WIDE, 0.0, 8.0)


@pytest.mark.parametrize(
    ("name", "weights", "gap"),
    [
        ("a comb around a bell", 0.2 * BELL / BELL.sum() + 0.8 * COMB, 0.05),
        ("a bell", bell(WIDE, 3.0, 20.0), 0.05),
        ("two atoms", np.where(np.abs(WIDE) == 31.0, 1.0, 1e-9), 0.2),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_few_points_bound_the_modulus_of_all(name: str, weights: np.ndarray, gap: float):
    """|phi| <= 1 - w + w |phi_core| at every angle between two that were looked at."""
    rows = np.tile(weights / weights.sum(), (3, 1))
    block = block_of(rows, np.array([5.0]), WIDE)
    core = law_core([block], WIDE)
    assert core.places.size < WIDE.size
    edges = np.arange(0.1, math.pi, gap)
    bound = core_bound(core, turns(WIDE[core.few], edges), np.arange(edges.size - 1))
    for part in np.linspace(0.0, 1.0, 11):
        angles = edges[:-1] + part * np.diff(edges)
        modulus = np.abs(np.exp(-1j * np.multiply.outer(angles, WIDE)) @ rows[0])
        assert (5.0 * np.log(modulus) <= bound[0] + 1e-9).all(), name
