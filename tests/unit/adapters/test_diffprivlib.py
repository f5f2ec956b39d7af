"""diffprivlib's own tools and models with our accountant in place of theirs."""

import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adapters import budget

diffprivlib = pytest.importorskip("diffprivlib")
from diffprivlib.utils import BudgetError as TheirError  # noqa: E402
from diffprivlib.utils import DiffprivlibCompatibilityWarning, PrivacyLeakWarning  # noqa: E402
from sklearn.base import clone  # noqa: E402

from tightbudget.adapters.diffprivlib import BudgetAccountant, BudgetError  # noqa: E402

DATA = np.linspace(0.0, 1.0, 50)


@pytest.fixture(autouse=True)
def no_default() -> Iterator[None]:
    yield
    diffprivlib.BudgetAccountant.pop_default()


def _mean(**settings: object) -> float:
    return float(diffprivlib.tools.mean(DATA, bounds=(0, 1), **settings))


def test_tools_take_it_as_an_argument() -> None:
    accountant = BudgetAccountant(epsilon=1.5, delta=0)
    _mean(accountant=accountant)
    diffprivlib.tools.std(DATA, bounds=(0, 1), epsilon=0.25, accountant=accountant)
    assert accountant.total() == (1.25, 0.0)
    with pytest.raises(TheirError, match="is refused") as refusal:
        _mean(epsilon=0.5, accountant=accountant)
    assert isinstance(refusal.value, BudgetError)
    assert isinstance(refusal.value, tb.BudgetRefused)
    assert accountant.total() == (1.25, 0.0)


def test_tools_find_the_default() -> None:
    accountant = BudgetAccountant().set_default()
    _mean(epsilon=0.5)
    with BudgetAccountant(epsilon=1) as inner:
        _mean(epsilon=0.25)
        with pytest.raises(TheirError):
            _mean(epsilon=0.8)
    _mean(epsilon=0.5)
    assert inner.total() == (0.25, 0.0)
    assert accountant.total() == (1.0, 0.0)
    assert BudgetAccountant.load_default(None) is BudgetAccountant.pop_default() is accountant
    theirs = diffprivlib.BudgetAccountant().set_default()
    assert BudgetAccountant.load_default(None) is theirs


def test_a_default_of_ours_is_made_if_there_is_none() -> None:
    assert type(BudgetAccountant.load_default(None)) is BudgetAccountant
    with pytest.raises(tb.InvalidParameter):
        BudgetAccountant.load_default(budget.BudgetAccountant())  # which diffprivlib would refuse


def test_models_that_are_cloned_spend_the_same_budget() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random((40, 2)), rng.integers(0, 2, 40)
    accountant = BudgetAccountant(epsilon=2, delta=0)
    model = diffprivlib.models.GaussianNB(epsilon=1.0, bounds=(0, 1), accountant=accountant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x, y)
        clone(model).fit(x, y)
        assert accountant.total() == (2.0, 0.0)
        with pytest.raises(TheirError):
            clone(model).fit(x, y)


def test_eight_threads_of_tools_release_no_more_than_there_is() -> None:
    accountant = BudgetAccountant(epsilon=1, delta=0)
    together = threading.Barrier(8)

    def released(_: int) -> int:
        together.wait()
        count = 0
        for _ in range(20):
            try:
                _mean(epsilon=0.02, accountant=accountant)
            except TheirError:
                return count
            count += 1
        return count

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(released, range(8))) == 50
    assert accountant.total() == (1.0, 0.0)


@pytest.mark.parametrize("seed", range(12))
def test_our_total_is_at_most_theirs(seed: int) -> None:
    """Where spends are fixed beforehand, which is all that theirs is proven for."""
    rng = np.random.default_rng(seed)
    slack = float(10 ** rng.uniform(-9, -3))
    count = int(10 ** rng.uniform(0, 3))
    spends = [(float(10 ** rng.uniform(-3, -0.5)), float(10 ** rng.uniform(-12, -9))) for _ in range(count)]
    ours, theirs = (kind(slack=slack, spent_budget=spends).total() for kind in (BudgetAccountant, diffprivlib.BudgetAccountant))
    assert ours[0] <= theirs[0] * (1 + 1e-9)
    assert theirs[1] <= ours[1] * (1 + 1e-9)  # deltas are added, where theirs are joined as independent
    assert ours[1] <= theirs[1] * (1 + 1e-5)


def test_every_public_name_of_theirs_is_ours() -> None:
    named = {name for name in vars(diffprivlib.BudgetAccountant) if not name.startswith("_")}
    assert named
    assert named <= set(vars(budget.BudgetAccountant))


def test_nothing_warns_about_leaks() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyLeakWarning)
        warnings.simplefilter("error", DiffprivlibCompatibilityWarning)
        _mean(accountant=BudgetAccountant())


@pytest.mark.slow
def test_without_diffprivlib_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['diffprivlib'] = None; import tightbudget as tb\n"
        "try: import tightbudget.adapters.diffprivlib\n"
        "except tb.MissingExtra as problem: print(problem)\n"
        "import tightbudget.adapters.budget"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install '.[diffprivlib]'" in said
