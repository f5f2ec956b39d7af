"""A callback for Keras that ends training before the step that would exceed a budget."""

from typing import Any

from tightbudget.adapters.loops import BudgetGuard, checked_guard
from tightbudget.errors import MissingExtra

try:
    from keras.callbacks import Callback
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "keras":  # Keras is there, and what is to compute for it is not
        raise
    raise MissingExtra("keras", "keras") from missing


class StopBeforeBudget(Callback):  # type: ignore[misc]  # Keras need not be there when types are checked
    """Asks a guard before every batch, and has `fit` stop when no further one fits.

    A batch is a step; where `steps_per_execution` runs several of them at once, all of them must fit. If not even the
    first one does, `fit` raises BudgetRefused before anything is run.
    """

    def __init__(self, guard: BudgetGuard) -> None:
        super().__init__()
        self.guard = checked_guard(guard)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.guard.admit(self._at_once())

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self.guard.left < self._at_once():
            self.model.stop_training = True

    def _at_once(self) -> int:
        return int(getattr(self.model, "steps_per_execution", 1) or 1)
