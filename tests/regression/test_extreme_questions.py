"""Extreme parameters and questions: an answer, or a sentence that refuses; never a traceback or a NumPy warning."""

import math
import random
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import classic
from tightbudget.divergences import gdp, pure_epsilon, renyi, zcdp
from tightbudget.errors import Contradiction
from tightbudget.mechanisms import Composable
from tightbudget.pairs.base import Cells
from tightbudget.pairs.moments.events import Events, point_events

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("inner", ["gaussian(0.01)", "pure_dp(800)", "discrete_gaussian(0.001)"])
def test_a_selection_of_which_no_loss_is_followed_hides_nothing_of_the_steps_beside_it(inner: str) -> None:
    """IndexError before; the lower end is that of the other step, 0.126936... for Gaussian noise of 1."""
    found = tb.parse(f"repeat_and_select({inner}, mean=2.0) + gaussian(1.0)").delta(1.0)
    assert 0.1269 < found.lower < 0.12694
    assert found.upper == 1.0


def test_noise_beyond_all_integers_is_refused_like_noise_a_little_smaller() -> None:
    for sigma in (1e6, 1e300, 1e308):
        with pytest.raises(tb.InvalidParameter, match="use gaussian"):
            tb.DiscreteGaussian(sigma).delta(1.0)


def test_ratios_beyond_floats_are_answered() -> None:
    found = (tb.WithoutReplacement(tb.DiscreteLaplace(1.0, 1000), 1, 10) * 2).delta(1e-3, relation="replace_one")
    assert 0.18 < found.lower <= 0.19 <= found.upper < 0.191  # 1 - 0.9^2, but for e^-1000


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        ("poisson(permute_and_flip(1e308), q=0.5)", lambda c: [c.epsilon(delta) for delta in (0.0, 1e-6, 0.9)]),
        ("poisson(laplace(1, 1.7e308), q=0.5) * 2", lambda c: c.delta(0)),
        ("repeat_and_select(bounded_range(1.7e308), mean=1) * 2", lambda c: c.delta(1.0)),
        ("random_allocation(zcdp(1e300), batches=10) * 3", lambda c: c.delta(1.0)),
        ("random_allocation(exponential(1.7e308), batches=5, times=2) * 2", gdp),
        ("without_replacement(exponential(1.7e308), 1, 10) + gaussian(1.0)", zcdp),
        ("repeat_and_select(report_noisy_max(1.7e308), mean=2.0)", lambda c: renyi(c, [1.0, 2.0, 1e6])),
        ("pure_dp(1e308)", lambda c: [bound.delta(c, 1.0) for bound in classic.ALL if bound.kind == "upper bound"]),
        ("poisson(repeat_and_select(gaussian(0.01), mean=2.0), q=0.1) * 5 + gaussian(1.0)", lambda c: c.epsilon(0.9)),
        ("random_allocation(discrete_laplace(1e-9, 2), batches=2, times=2)", lambda c: tb.risk(c).gdp_mu()),
    ],
)
def test_warnings_of_numpy_are_gone(text: str, ask: Callable[[Composable], object]) -> None:
    ask(tb.parse(text))


@pytest.mark.parametrize("parameter", ["1.8e308", "inf"])
def test_what_is_infinite_as_a_float_is_refused(parameter: str) -> None:
    for text in (f"poisson(laplace(1, {parameter}), q=0.5)", f"repeat_and_select(bounded_range({parameter}), mean=1)"):
        with pytest.raises(tb.TightBudgetError):
            tb.parse(text)
    with pytest.raises(tb.InvalidParameter, match="finite"):
        tb.Laplace(1.0, float(parameter))


def test_products_of_losses_beyond_floats_are_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match="mechanism"):
        tb.Poisson(tb.PureDP(1.7e308) * 2, q=0.3)


def test_moments_that_no_float_holds_are_infinite() -> None:
    orders = np.array([1.5, 1e6])
    moments = Events(np.array([1e308, -1e308]), np.array([-1.0, -1e308])).log_moment(orders)
    assert moments[0] >= 5e307 - 1.0
    assert moments[1] == math.inf


def test_cells_whose_shares_are_not_known_keep_all_their_mass() -> None:
    """A share that is no number was dropped, and with it the mass of the cell."""
    cells = Cells(np.array([1.0]), np.array([3.0]), np.array([-0.1]), np.array([-2.0]), np.array([math.inf]))
    assert (point_events(cells, 0.0, 0.0, 0.0).log_moment(np.array([2.0])) == math.inf).all()
    far = Cells(np.array([1.0]), np.array([3.0]), np.array([-0.1]), np.array([-math.inf]), np.array([0.0]))
    assert point_events(far, 0.0, 0.0, 0.0).log_moment(np.array([2.0]))[0] >= 1.0 - 0.1


def test_histograms_are_complained_of_once() -> None:
    with pytest.warns(UserWarning, match="divided by it"):
        cells = tb.Histograms([0.2, 0.4], [0.5, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slots = tb.filters.SlotFilter(epsilon=5.0, delta=1e-3, plan=cells * 3)
        slots.spend(cells)
        assert tb.filters.from_state(slots.state()).remaining(cells) == 2
        accountant = tb.Accountant()
        accountant.step(cells)
        tb.Accountant.from_state(accountant.state())
        assert cells.in_numbers() == cells


SIZES = (5e-324, 1e-308, 1e-100, 1e-3, 0.3, 1.0, 50.0, 800.0, 1e17, 1e154, 1e300, 1e308, 1.7e308)
RATES = (1e-320, 1e-17, 0.1, 0.5, 1.0 - 1e-16, 1.0)
STEPS: tuple[Callable[[Callable[[], float], random.Random], str], ...] = (
    lambda x, rng: f"gaussian({x()}, {x()})",
    lambda x, rng: f"laplace({x()}, {x()})",
    lambda x, rng: f"truncated_gaussian({x()}, {x()}, {x()})",
    lambda x, rng: f"truncated_laplace({x()}, {x()}, {x()})",
    lambda x, rng: f"discrete_gaussian({x()})",
    lambda x, rng: f"discrete_laplace({x()}, {rng.choice((1, 1000))})",
    lambda x, rng: f"bounded_range({x()})",
    lambda x, rng: f"pure_dp({x()})",
    lambda x, rng: f"approximate_dp({x()}, {rng.choice(RATES)})",
    lambda x, rng: f"gaussian_dp({x()})",
    lambda x, rng: f"zcdp({x()})",
    lambda x, rng: f"exponential({x()})",
    lambda x, rng: f"permute_and_flip({x()})",
    lambda x, rng: f"mixture_of_gaussians({x()}, [0, {x()}], [0.5, 0.5])",
)
WRAPPERS: tuple[Callable[[str, random.Random], str], ...] = (
    lambda step, rng: step,
    lambda step, rng: f"poisson({step}, q={rng.choice(RATES)})",
    lambda step, rng: f"without_replacement({step}, 1, 10)",
    lambda step, rng: f"random_allocation({step}, batches={rng.choice((1, 2, 10))})",
    lambda step, rng: f"repeat_and_select({step}, mean={rng.choice((1.0, 2.0))})",
    lambda step, rng: f"poisson(repeat_and_select({step}, mean=2.0), q=0.1)",
)


@pytest.mark.parametrize("seed", [0, *range(2, 10)])
def test_random_extremes_have_an_answer_or_a_refusal(seed: int) -> None:
    """A longer search of this kind found what the tests above are about."""
    rng = random.Random(seed)
    for _ in range(4):
        step = rng.choice(STEPS)(lambda: rng.choice(SIZES), rng)
        text = rng.choice(WRAPPERS)(step, rng) + rng.choice(("", " * 2", " * 1000", " + gaussian(1.0)"))
        try:
            composition = tb.parse(text)
            at = rng.choice((0.0, 1e-3, 1.0, 1e5, 1e300, math.inf))
            found = composition.delta(at, effort=0.1)
            assert 0.0 <= found.lower <= found.upper <= 1.0
            answer = composition.epsilon(rng.choice((0.0, 1e-320, 1e-6, 0.5, 1.0)), effort=0.1)
            assert 0.0 <= answer.lower <= answer.upper
            for number in (zcdp, gdp, pure_epsilon):
                assert number(composition) >= 0.0
        except tb.TightBudgetError as refusal:
            assert not isinstance(refusal, Contradiction), text  # noqa: PT017
