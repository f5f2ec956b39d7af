"""Loops of the real Opacus, Lightning and Keras end before the step that would exceed a budget."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import keras
import lightning
import numpy as np
import pytest
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from opacus.utils.batch_memory_manager import BatchMemoryManager
from tests.opacus.training import BATCH, NOISE, RATE, examples, private_run
from torch import nn
from torch.utils.data import DataLoader

import tightbudget as tb
from tightbudget.adapters.keras import StopBeforeBudget as StopKeras
from tightbudget.adapters.lightning import StopBeforeBudget as StopLightning
from tightbudget.adapters.loops import BudgetGuard
from tightbudget.adapters.opacus import refuse_beyond

pytestmark = pytest.mark.filterwarnings("ignore")  # what PyTorch and its friends warn of is theirs

STEP = tb.Poisson(tb.Gaussian(NOISE), q=RATE)
FITTING = 23


def guard(**settings: Any) -> BudgetGuard:
    """A guard of a budget in which 23 steps fit."""
    budget = {"epsilon": 1.001 * (STEP * FITTING).epsilon(1e-5).upper, "delta": 1e-5}
    return BudgetGuard(**{"noise_multiplier": NOISE, "sample_rate": RATE} | budget | settings)


def test_an_opacus_loop_with_admitted_batches() -> None:
    run, guarding = private_run(), guard()
    for _ in range(5):
        for features, labels in guarding.admitted(run.loader):
            run.step(features, labels)
    assert len(run.engine.accountant) == guarding.accountant.steps == FITTING
    assert run.engine.get_epsilon(1e-5) <= guarding.epsilon
    assert run.engine.accountant.composition == guarding.accountant.composition


def test_an_opacus_optimizer_raises_in_place_of_the_step() -> None:
    run, guarding = private_run(), guard()
    refuse_beyond(guarding, run.optimizer)
    seen: list[list[float]] = []

    def train() -> None:
        for features, labels in chain.from_iterable([run.loader] * 5):
            seen.append(run.weights())
            run.step(features, labels)

    with pytest.raises(tb.BudgetRefused):
        train()
    assert len(seen) == FITTING + 1
    assert run.weights() == seen[-1] != seen[-2]  # the last step moved nothing
    assert len(run.engine.accountant) == guarding.accountant.steps == FITTING


def test_pieces_of_a_batch_are_one_step_of_the_guard() -> None:
    run, guarding = private_run(), guard()
    refuse_beyond(guarding, run.optimizer)
    with BatchMemoryManager(data_loader=run.loader, max_physical_batch_size=8, optimizer=run.optimizer) as pieces:
        for features, labels in pieces:
            run.step(features, labels)
    assert len(run.engine.accountant) == guarding.accountant.steps == 10


class Model(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.steps = nn.Linear(5, 2), 0

    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        return nn.functional.cross_entropy(self.layer(batch[0]), batch[1])

    def optimizer_step(self, *arguments: Any, **settings: Any) -> None:
        super().optimizer_step(*arguments, **settings)
        self.steps += 1

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def trainer(*callbacks: Any, **settings: Any) -> lightning.Trainer:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    return lightning.Trainer(**quiet | {"enable_checkpointing": False, "max_epochs": 10} | settings, callbacks=list(callbacks))


def loader() -> DataLoader:
    return DataLoader(examples(), batch_size=BATCH)


def test_lightning_stops_before_the_budget() -> None:
    model, guarding = Model(), guard()
    trainer(StopLightning(guarding)).fit(model, loader())
    assert model.steps == guarding.accountant.steps == FITTING


def test_lightning_counts_steps_of_the_optimizer_not_batches() -> None:
    model, guarding = Model(), guard()
    trainer(StopLightning(guarding), accumulate_grad_batches=2, max_epochs=3).fit(model, loader())
    assert model.steps == guarding.accountant.steps == 15


def test_lightning_runs_nothing_if_nothing_fits() -> None:
    model, guarding = Model(), guard(epsilon=0.01)
    before = [each.clone() for each in model.parameters()]
    trainer(StopLightning(guarding)).fit(model, loader())
    assert model.steps == guarding.accountant.steps == 0
    assert all(torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True))


def test_lightning_is_refused_the_step_if_it_will_not_stop() -> None:
    model, guarding = Model(), guard()
    with pytest.raises(tb.BudgetRefused):
        trainer(StopLightning(guarding), min_epochs=8).fit(model, loader())
    assert model.steps == guarding.accountant.steps == FITTING


def test_lightning_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    first = guard()
    saving = ModelCheckpoint(dirpath=tmp_path, filename="last")
    trainer(StopLightning(first), saving, max_epochs=1, enable_checkpointing=True).fit(Model(), loader())
    assert first.accountant.steps == 10
    model, second = Model(), guard()
    trainer(StopLightning(second)).fit(model, loader(), ckpt_path=saving.best_model_path)
    assert second.accountant.steps == FITTING
    assert model.steps == FITTING - 10


def keras_model(**settings: Any) -> keras.Model:
    model = keras.Sequential([keras.layers.Input((5,)), keras.layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss=loss, **settings)
    return model


class Steps(keras.callbacks.Callback):
    """Counts batches that were run."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.count += 1


FEATURES, LABELS = np.ones((640, 5), dtype=np.float32), np.zeros(640, dtype=np.int64)


def fit(model: keras.Model, *callbacks: Any) -> None:
    model.fit(FEATURES, LABELS, batch_size=BATCH, epochs=10, verbose=0, callbacks=list(callbacks))


def test_keras_stops_before_the_budget() -> None:
    guarding, steps, model = guard(), Steps(), keras_model()
    fit(model, StopKeras(guarding), steps)
    assert steps.count == guarding.accountant.steps == FITTING
    weights = [each.copy() for each in model.get_weights()]
    with pytest.raises(tb.BudgetRefused):
        fit(model, StopKeras(guarding), steps)
    assert steps.count == FITTING
    assert all(np.array_equal(one, other) for one, other in zip(weights, model.get_weights(), strict=True))


def test_keras_steps_that_run_at_once_must_all_fit() -> None:
    """With PyTorch behind it Keras runs one step at a time, so the calls of `fit` are made here."""
    model, stopping = keras_model(steps_per_execution=5), StopKeras(guard())
    stopping.set_model(model)
    for begin in (0, 5, 10, 15):
        assert not model.stop_training
        stopping.on_train_batch_begin(begin)
        stopping.on_train_batch_end(begin + 4)
    assert model.stop_training
    assert stopping.guard.accountant.steps == 20
    with pytest.raises(tb.BudgetRefused, match="After 20 steps 5 more steps"):
        stopping.on_train_batch_begin(20)


@pytest.mark.parametrize("callback", [StopLightning, StopKeras, lambda odd: refuse_beyond(odd, private_run().optimizer)])
@pytest.mark.parametrize("odd", [None, 3.0, tb.Accountant()])
def test_a_callback_takes_a_guard(callback: Callable[[object], object], odd: object) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"^guard is"):
        callback(odd)
