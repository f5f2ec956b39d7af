"""Our accountant in the real Opacus: training, checkpoints, the search for noise, and its own accountants beside it."""

import copy
import io
import math
import pickle
import sys
import threading
from pathlib import Path

import pytest
import torch
from opacus import PrivacyEngine
from opacus.accountants import create_accountant
from opacus.accountants.utils import get_noise_multiplier
from opacus.utils.batch_memory_manager import BatchMemoryManager
from tests.opacus.training import BATCH, NOISE, RATE, STEPS_AN_EPOCH, Run, examples, private_run

import tightbudget as tb
from tightbudget.adapters.opacus import TightBudgetAccountant

pytestmark = pytest.mark.filterwarnings("ignore")  # what PyTorch and Opacus warn of is theirs

STEP = tb.Poisson(tb.Gaussian(NOISE), q=RATE)


def of(history: list, mechanism: str = "tightbudget"):
    accountant = create_accountant(mechanism)
    accountant.history = history
    return accountant


@pytest.fixture(scope="module")
def trained() -> Run:
    run = private_run()
    for _ in range(2):
        run.epoch()
    return run


def test_two_epochs_are_accounted_for(trained: Run) -> None:
    accountant = trained.engine.accountant
    assert isinstance(accountant, TightBudgetAccountant)
    assert accountant.history == [(NOISE, RATE, 2 * STEPS_AN_EPOCH)]
    assert len(accountant) == 20
    assert accountant.composition == STEP * 20
    found = trained.engine.get_epsilon(1e-5)
    assert type(found) is float
    bracket = accountant.bracket_epsilon(1e-5)
    assert found == bracket.upper
    assert bracket.upper - bracket.lower <= 1e-4 * bracket.upper
    assert (STEP * 20).delta(bracket.lower * (1 - 1e-9), rtol=1e-6).upper >= 1e-5 >= (STEP * 20).delta(found, rtol=1e-6).lower


def test_asking_changes_nothing(trained: Run) -> None:
    accountant = trained.engine.accountant
    before = copy.deepcopy(accountant.history)
    first = accountant.get_epsilon(1e-5)
    _ = repr(accountant), len(accountant), accountant.state_dict()
    assert accountant.get_epsilon(delta=1e-5) == first
    assert accountant.history == before


@pytest.mark.parametrize("peer", ["prv", "rdp"])
@pytest.mark.parametrize(
    "history",
    [
        [(NOISE, RATE, 20)],
        [(1.0, 0.01, 1000)],
        [(0.8, 0.004, 5000)],
        [(4.0, 0.05, 2000)],
        [(1.2, 0.02, 300), (0.9, 0.04, 100), (1.2, 0.02, 50)],
        [(2.0, 1.0, 10)],
    ],
)
@pytest.mark.parametrize("delta", [1e-5, 1e-9])
def test_ours_is_at_most_theirs(peer: str, history: list, delta: float) -> None:
    ours = of(history).bracket_epsilon(delta)
    theirs = of(list(history), peer).get_epsilon(delta)
    assert ours.upper <= theirs
    assert ours.lower > 0.97 * theirs or peer == "rdp"  # and theirs is not far off


@pytest.mark.parametrize(
    ("history", "delta", "least", "most"),
    [
        ([], 1e-5, 0.0, 0.0),
        ([(0.0, 0.1, 1)], 1e-5, math.inf, math.inf),
        ([(10.0, 0.001, 1)], 0.5, 0.0, 0.0),
        ([(0.3, 0.5, 5000)], 1e-6, 12240.0, 12242.0),
        ([(4.0, 0.00033, 10000)], 1.1e-18, 0.0672, 0.0673),
        ([(1.0, 0.01, 100)], 1, 0.0, 0.0),
        ([(1.0, 0.01, 100)], 0, math.inf, math.inf),
        ([(1.0 + i / 1000, 0.01, 1) for i in range(100)], 1e-5, 0.3, 0.8),
    ],
)
def test_what_opacus_cannot_answer(history: list, delta: float, least: float, most: float) -> None:
    found = of(history).get_epsilon(delta)
    assert type(found) is float
    assert least <= found <= most


def test_a_checkpoint_goes_on_where_it_was(trained: Run, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    trained.engine.save_checkpoint(path=path, module=trained.model, optimizer=trained.optimizer)
    resumed = private_run()
    resumed.engine.load_checkpoint(path=path, module=resumed.model, optimizer=resumed.optimizer)
    assert resumed.weights() == trained.weights()
    assert resumed.engine.get_epsilon(1e-5) == trained.engine.get_epsilon(1e-5)
    resumed.epoch()
    assert resumed.engine.accountant.history == [(NOISE, RATE, 30)]
    assert trained.engine.accountant.history == [(NOISE, RATE, 20)]  # nothing is shared
    assert resumed.engine.get_epsilon(1e-5) > trained.engine.get_epsilon(1e-5)


@pytest.mark.parametrize("mechanism", ["prv", "rdp", "gdp"])
def test_a_checkpoint_of_another_accountant_goes_on_with_ours(mechanism: str, tmp_path: Path) -> None:
    theirs, path = private_run(mechanism), tmp_path / "checkpoint.pt"
    theirs.epoch()
    theirs.engine.save_checkpoint(path=path, module=theirs.model, optimizer=theirs.optimizer)
    ours = private_run()
    ours.engine.load_checkpoint(path=path, module=ours.model, optimizer=ours.optimizer)
    ours.epoch()
    assert ours.engine.accountant.history == [(NOISE, RATE, 20)]


def test_states_are_plain_and_strict(trained: Run) -> None:
    accountant = trained.engine.accountant
    state = accountant.state_dict()
    assert state == {"history": [(NOISE, RATE, 20)], "mechanism": "tightbudget"}
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    assert torch.load(file, weights_only=True) == state
    filled: dict = {"mine": 1}
    assert accountant.state_dict(filled) is filled
    assert filled == {"mine": 1, **state}
    fresh = TightBudgetAccountant()
    for bad in (None, {}, {"history": []}, {**state, "mechanism": "other"}, {**state, "history": [(1.0, 2.0, 3)]}):
        with pytest.raises(ValueError, match="but must be"):
            fresh.load_state_dict(bad)
        assert fresh.history == []
    state["history"].append((0.1, 1.0, 10))
    assert len(accountant) == 20


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_count_apart(trained: Run, twin) -> None:
    other = twin(trained.engine.accountant)
    other.step(noise_multiplier=NOISE, sample_rate=RATE)
    assert (len(other), len(trained.engine.accountant)) == (21, 20)


@pytest.mark.parametrize(("target", "rate", "steps"), [(2.0, 0.01, 1000), (8.0, 0.05, 400), (50.0, 0.01, 1000)])
def test_the_noise_that_opacus_finds_with_us_keeps_the_target(target: float, rate: float, steps: int) -> None:
    task = {"target_epsilon": target, "target_delta": 1e-5, "sample_rate": rate, "steps": steps}
    found = get_noise_multiplier(**task, accountant="tightbudget")
    assert of([(found, rate, steps)]).get_epsilon(1e-5) <= target
    assert found <= get_noise_multiplier(**task, accountant="rdp")
    exact = tb.calibrate(f"poisson(gaussian(sigma=?), q={rate}) * {steps}", epsilon=target, delta=1e-5)
    assert exact.too_little < found
    assert found < 1.01 * exact.value  # Opacus is content with 0.01 too little


def test_noise_is_found_for_targets_that_are_too_low_for_rdp() -> None:
    task = {"target_epsilon": 0.02, "target_delta": 1e-5, "sample_rate": 0.01, "steps": 10}
    with pytest.raises(ValueError, match="too low"):
        get_noise_multiplier(**task, accountant="rdp")
    found = get_noise_multiplier(**task, accountant="tightbudget")
    assert found < 20
    assert of([(found, 0.01, 10)]).get_epsilon(1e-5) <= 0.02


ADAPTIVE = {"clipping": "adaptive", "target_unclipped_quantile": 0.5, "clipbound_learning_rate": 0.2}
ADAPTIVE |= {"max_clipbound": 10.0, "min_clipbound": 0.1, "unclipped_num_std": 10.0}


@pytest.mark.parametrize("settings", [{}, ADAPTIVE])
def test_make_private_with_epsilon(settings: dict) -> None:
    model = torch.nn.Linear(5, 2)
    engine = PrivacyEngine(accountant="tightbudget")
    private, optimizer, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=torch.utils.data.DataLoader(examples(), batch_size=BATCH),
        target_epsilon=3.0,
        target_delta=1e-5,
        epochs=2,
        max_grad_norm=1.0,
        **settings,
    )
    noise = optimizer.noise_multiplier
    assert of([(noise, RATE, 20)]).get_epsilon(1e-5) <= 3.0
    Run(engine, private, optimizer, loader).epoch()
    assert engine.accountant.history == [(noise, RATE, 10)]


def test_pieces_of_a_batch_are_one_step() -> None:
    run = private_run()
    with BatchMemoryManager(data_loader=run.loader, max_physical_batch_size=8, optimizer=run.optimizer) as pieces:
        for features, labels in pieces:
            run.step(features, labels)
    assert run.engine.accountant.history == [(NOISE, RATE, STEPS_AN_EPOCH)]


def test_accumulated_batches_are_not_one_sample_at_a_higher_rate() -> None:
    run, theirs = (private_run(name, poisson_sampling=False) for name in ("tightbudget", "rdp"))
    for each in (run, theirs):
        for number, (features, labels) in enumerate(each.loader, start=1):
            torch.nn.functional.cross_entropy(each.model(features), labels).backward()
            if number % 2 == 0:
                each.optimizer.step()
                each.optimizer.zero_grad()
    assert run.engine.accountant.history == [(NOISE, RATE, 5, 2)]
    assert theirs.engine.accountant.history == [(NOISE, 2 * RATE, 5)]
    assert run.engine.accountant.composition == STEP.group(2) * 5
    assert len(run.engine.accountant) == 5
    as_counted_there = of([(NOISE, 2 * RATE, 5)]).bracket_epsilon(1e-5)
    assert run.engine.accountant.bracket_epsilon(1e-5).lower > as_counted_there.upper
    fresh = TightBudgetAccountant()
    fresh.load_state_dict(run.engine.accountant.state_dict())
    assert fresh.history == run.engine.accountant.history


@pytest.mark.parametrize("noise", [torch.tensor(1.5), torch.tensor([1.5])[0], 1.5])
def test_tensors_of_one_number_are_numbers(noise: object) -> None:
    accountant = TightBudgetAccountant()
    accountant.step(noise_multiplier=noise, sample_rate=torch.tensor(0.25))
    assert accountant.history == [(1.5, 0.25, 1)]
    assert {type(number) for number in accountant.history[0]} == {float, int}


@pytest.mark.parametrize(
    "step",
    [
        {"noise_multiplier": -1.0, "sample_rate": 0.1},
        {"noise_multiplier": math.nan, "sample_rate": 0.1},
        {"noise_multiplier": 1.0, "sample_rate": 1.5},
        {"noise_multiplier": "1", "sample_rate": 0.1},
        {"noise_multiplier": torch.tensor([1.0, 2.0]), "sample_rate": 0.1},
    ],
)
def test_bad_steps_are_refused_and_not_counted(step: dict) -> None:
    accountant = TightBudgetAccountant()
    with pytest.raises(tb.InvalidParameter):
        accountant.step(**step)
    assert accountant.history == []


def test_settings_of_other_accountants_are_taken_only_if_they_change_no_meaning() -> None:
    accountant = of([(NOISE, RATE, 20)])
    plain = accountant.get_epsilon(1e-5)
    assert accountant.get_epsilon(1e-5, alphas=[2, 3], eps_error=0.1, delta_error=1e-9, poisson=True) == plain
    for settings in ({"poisson": False}, {"poisson": 0}, {"poisson": None}):
        with pytest.raises(tb.InvalidParameter):
            accountant.get_epsilon(1e-5, **settings)
    for delta in (-1e-5, 2, math.nan, "1e-5", None):
        with pytest.raises(tb.InvalidParameter):
            accountant.get_epsilon(delta)
    accountant.history = [(1.0, 0.1)]
    with pytest.raises(tb.InvalidParameter):
        accountant.get_epsilon(1e-5)


def test_no_step_of_any_thread_is_lost() -> None:
    accountant, together, usual = TightBudgetAccountant(), threading.Barrier(8), sys.getswitchinterval()

    def count() -> None:
        together.wait()
        for _ in range(2000):
            accountant.step(noise_multiplier=1.0, sample_rate=0.1)

    threads = [threading.Thread(target=count) for _ in range(8)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)
    assert len(accountant) == 16000


def test_a_history_that_was_assigned_is_counted_on() -> None:
    accountant = of(((1.0, 0.1, 3),))
    accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    assert accountant.history == [(1.0, 0.1, 4)]
