"""Arguments by names of other packages: the error says which arguments there are, and which was meant."""

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.adapters.loops import BudgetGuard
from tightbudget.mechanisms.registry import ALL

STEP = tb.Gaussian(2.0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: tb.Gaussian(noise_multiplier=1), "Gaussian has no argument 'noise_multiplier'; it is Gaussian(sigma, sensi"),
        (lambda: tb.Gaussian(noise_multiplier=1), " Did you mean sigma?"),
        (lambda: tb.Gaussian(2.0, sensitvity=1), " Did you mean sensitivity?"),
        (lambda: tb.Laplace(epsilon=1), "it is Laplace(scale, sensitivity=1.0, *, relation='add_remove')."),
        (lambda: tb.Poisson(STEP, sampling_probability=0.1), " Did you mean q?"),
        (lambda: tb.PureDP(eps=1), "it is PureDP(epsilon). Did you mean epsilon?"),
        (lambda: tb.RDP(order=8, value=1), " Did you mean alpha?"),
        (lambda: tb.dpsgd(batch_size=8), "dpsgd has no argument 'batch_size'; it is dpsgd(*, examples=None, batch=None, "),
        (lambda: tb.TruncatedPoisson(STEP, 0.1, examples=9, truncated_batch_size=4), " Did you mean cap?"),
        (lambda: tb.MixtureOfGaussians(1, sensitivities=[1], sampling_probs=[1]), " Did you mean centres?"),
        (lambda: tb.MixtureOfGaussians(1, [1], sampling_probs=[1]), " Did you mean probabilities?"),
        (lambda: tb.MatrixMechanism(1, C=[[1]]), " Did you mean strategy?"),
        (lambda: tb.Skellam(variance=4), " Did you mean mu?"),
        (lambda: tb.Exponential(eta=1), " Did you mean epsilon?"),
        (lambda: tb.SparseVector(epsilon=1), " Did you mean threshold_epsilon and query_epsilon?"),
        (lambda: tb.samplings(sigma=1), "samplings has no argument 'sigma'; it is samplings(*, examples, batch, delta, "),
        (lambda: tb.samplings(batch_size=20), " Did you mean batch?"),
        (lambda: tb.dpsgd(batch_size=8), " Did you mean batch?"),
        (lambda: tb.dpsgd(sigma=1), " Did you mean noise_multiplier?"),
        (lambda: tb.dpsgd(nonsense=1), "effort=None)."),
        (lambda: tb.calibrate("gaussian(sigma=?)", target_epsilon=2, delta=1e-5), " Did you mean epsilon?"),
        (lambda: STEP.epsilon(epsilon=1), "epsilon has no argument 'epsilon'; it is epsilon(delta, rtol=0.001, "),
        (lambda: (STEP * 3).delta(eps=1), " Did you mean epsilon?"),
        (lambda: tb.Accountant().step(STEP, steps=3), " Did you mean count?"),
        (lambda: tb.sweep({}, delta=1e-5), "sweep has no argument 'delta'; it is sweep(plan, scheduler=None, "),
        (lambda: BudgetGuard(epsilon=1, delta=1e-5, q=0.1), "BudgetGuard has no argument 'q'; it is BudgetGuard(step=None, "),
        (lambda: BudgetGuard(epsilon=1, delta=1e-5, q=0.1), " Did you mean sample_rate?"),
        (lambda: tb.filters.ZCDPFilter(eps=1), "ZCDPFilter has no argument 'eps'; it is ZCDPFilter(epsilon, delta, *, "),
        (lambda: tb.filters.SlotFilter(1, 0, plans=[]), " Did you mean plan?"),
        (lambda: tb.filters.BasicFilter(1, 0).spend(STEP, count=3), "spend has no argument 'count'; it is spend(increment)."),
        (lambda: tb.filters.best(eps=1), "best has no argument 'eps'; it is best(epsilon, delta, expected, "),
    ],
)
def test_the_sentence_names_the_signature_and_what_was_meant(make: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        make()
    assert said in str(caught.value)


@pytest.mark.parametrize("kind", ALL)
def test_every_mechanism_answers_so_and_keeps_its_signature(kind: Any) -> None:
    with pytest.raises(TypeError, match=f"^{kind.__name__} has no argument 'nonsense'; it is {kind.__name__}[(]"):
        kind(nonsense=1)
    assert list(inspect.signature(kind).parameters) == list(inspect.signature(kind.__init__).parameters)[1:]


def test_copies_and_missing_arguments_are_as_ever() -> None:
    assert pickle.loads(pickle.dumps(STEP)) == copy.copy(STEP) == copy.deepcopy(STEP) == STEP
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'sigma'"):
        tb.Gaussian()  # type: ignore[call-arg]
