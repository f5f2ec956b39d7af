"""JAX Privacy with our accountant in place of its own: the page as printed, plans, training accountants, copies."""

import copy
import math
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from jax_privacy import accounting
from jax_privacy.accounting import calibrate
from jax_privacy.experimental import accounting as events
from jax_privacy.experimental import execution_plan
from tests.opacus.pages import PAGES, run_page

import tightbudget as tb
from tightbudget.adapters.dp_accounting import TightBudgetAccountant
from tightbudget.adapters.jax_privacy import TightBudgetAccountantConfig

Relation = dp_accounting.NeighboringRelation
PARAMS = accounting.DpParams(noise_multipliers=1.1, batch_size=256, num_samples=60000, delta=1e-5)

pytestmark = pytest.mark.filterwarnings("ignore")  # what JAX warns of is its own


def test_the_page_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    names = run_page("jax-privacy.md", {})
    page = (PAGES / "jax-privacy.md").read_text(encoding="utf-8")
    first, noise, event, training = capsys.readouterr().out.splitlines()
    assert f"It prints `{first}`" in page
    assert f"It prints {noise}." in page
    assert f"It prints {training}." in page
    chosen = names["plan"].dp_event
    assert str(chosen) == event
    sample = chosen.event
    told = f"{chosen.count} samples at a rate of {sample.sampling_probability}"
    assert f"{told}, with a noise multiplier of {sample.event.noise_multiplier:.2f}" in page


@pytest.mark.parametrize(
    "event",
    [
        events.dpsgd_event(1.1, 100, sampling_prob=0.01),
        events.truncated_dpsgd_event(1.1, 100, sampling_prob=0.01, num_examples=1000, truncated_batch_size=20),
        events.amplified_bandmf_event(2.0, 100, num_bands=4, sampling_prob=0.1),
    ],
)
@pytest.mark.parametrize("relation", [Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_SPECIAL])
def test_its_events_cost_no_more_than_there(event: dp_accounting.DpEvent, relation: Relation) -> None:
    ours = TightBudgetAccountant(relation, rtol=1e-6).compose(event).get_epsilon(1e-6)
    assert ours <= PLDAccountant(relation).compose(event).get_epsilon(1e-6) * (1 + 2e-6)


@pytest.mark.parametrize("truncated", [{}, {"truncated_batch_size": 128, "num_examples": 1000}])
def test_a_plan_chooses_its_noise_by_it(truncated: dict[str, int]) -> None:
    def noise(accountant: dp_accounting.PrivacyAccountant) -> float:
        config = execution_plan.BandMFExecutionPlanConfig(
            strategy=np.array([1.0, 0.5]),
            iterations=60,
            epsilon=1.0,
            delta=1e-5,
            sampling_prob=0.2,
            accountant=accountant,
            **truncated,
        )
        one = config.plan.dp_event.event
        return float(getattr(one, "event", one).noise_multiplier)

    ours, theirs = (noise(make(Relation.REPLACE_SPECIAL)) for make in (TightBudgetAccountant, PLDAccountant))
    assert 0.9 * theirs < ours <= theirs * (1 + 2e-5)


def test_a_deep_copy_goes_its_own_way() -> None:
    """Plans make every trial a copy of the accountant that they were given."""
    accountant = TightBudgetAccountant(Relation.REPLACE_SPECIAL)
    trial = copy.deepcopy(accountant)
    trial.compose(events.dpsgd_event(1.0, 10, sampling_prob=0.1))
    assert isinstance(accountant.ledger, dp_accounting.NoOpDpEvent)
    assert accountant.get_epsilon(1e-6) == 0.0 < trial.get_epsilon(1e-6)
    assert trial.neighboring_relation is Relation.REPLACE_SPECIAL


def test_training_is_accounted_for_by_the_configuration() -> None:
    ours = accounting.DpsgdTrainingAccountant(TightBudgetAccountantConfig())
    theirs = accounting.DpsgdTrainingAccountant(accounting.PldAccountantConfig())
    found = ours.compute_epsilon(4688, PARAMS)
    bracket = (tb.Poisson(tb.Gaussian(1.1), 256 / 60000) * 4688).epsilon(1e-5, rtol=1e-6)
    assert bracket.lower <= found <= bracket.upper * (1 + 1e-5)
    assert found <= theirs.compute_epsilon(4688, PARAMS) * (1 + 2e-5)
    cached = accounting.CachedExperimentAccountant(ours, max_num_updates=4688)
    assert cached.compute_epsilon(4688, PARAMS) == found
    asked: dict[str, Any] = {"num_updates": 1000, "num_samples": 60000, "target_delta": 1e-5}
    noise = calibrate.calibrate_noise_multiplier(target_epsilon=2.0, accountant=ours, batch_sizes=256, **asked)
    kept = tb.Poisson(tb.Gaussian(noise), 256 / 60000) * 1000
    assert kept.epsilon(1e-5, rtol=1e-6).upper == pytest.approx(2.0, rel=1e-2)  # its search ends there


def test_truncated_batches_and_the_edges_of_a_configuration() -> None:
    truncated = accounting.DpParams(
        noise_multipliers=1.1, batch_size=100, num_samples=10000, delta=1e-5, truncated_batch_size=128
    )
    ours = accounting.DpsgdTrainingAccountant(TightBudgetAccountantConfig(rtol=1e-4))
    theirs = accounting.DpsgdTrainingAccountant(accounting.PldAccountantConfig())
    assert 0.0 < ours.compute_epsilon(50, truncated) <= theirs.compute_epsilon(50, truncated) * (1 + 2e-4)
    assert ours.compute_epsilon(0, PARAMS) == 0.0
    with pytest.raises(tb.InvalidParameter, match="rtol"):
        TightBudgetAccountantConfig(rtol=math.nan)
    users = accounting.DpParams(noise_multipliers=1.1, batch_size=100, num_samples=10000, delta=1e-5, examples_per_user=2)
    of_users = accounting.DpsgdTrainingUserLevelAccountant(TightBudgetAccountantConfig())
    with pytest.raises(ValueError, match="PLDAccountant"):
        of_users.compute_epsilon(10, users)
