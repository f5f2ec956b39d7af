"""A callback for Lightning that ends training before the step that would exceed a budget."""

from typing import Any

from tightbudget.adapters.loops import BudgetGuard, checked_guard
from tightbudget.errors import MissingExtra

try:
    from lightning.pytorch.callbacks import Callback
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "lightning":  # Lightning is there, and something that it needs is not
        raise
    try:
        from pytorch_lightning.callbacks import Callback  # its older name
    except ModuleNotFoundError:
        raise MissingExtra("lightning", "lightning") from missing


class StopBeforeBudget(Callback):  # type: ignore[misc]  # Lightning need not be there when types are checked
    """Asks a guard before every step of the optimizer, and stops the trainer when no further step fits.

    A trainer that goes on nevertheless, such as for its `min_epochs`, gets BudgetRefused in place of the step. What was
    counted is part of the checkpoint, and a run that goes on from there counts on.
    """

    def __init__(self, guard: BudgetGuard) -> None:
        self.guard = checked_guard(guard)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self._stop_if_spent(trainer)

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        self.guard.admit()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._stop_if_spent(trainer)

    def state_dict(self) -> dict[str, Any]:
        return {"accountant": self.guard.accountant.state()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.guard.catch_up(state_dict["accountant"])

    def _stop_if_spent(self, trainer: Any) -> None:
        if not self.guard.left:
            trainer.should_stop = True
