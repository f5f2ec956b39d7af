"""An accountant for Opacus: `PrivacyEngine(accountant="tightbudget")`, once this module is imported.

Opacus' own accountants answer with an estimate (PRV), a looser bound (RDP) or an approximation that may be too small
(GDP); this one with the upper end of a certified bracket. It is for Poisson samples, as Opacus' are unless
`poisson_sampling=False`.
"""

import math
from collections.abc import Callable, MutableMapping
from typing import Any

from tightbudget.adapters.loops import BudgetGuard, checked_guard
from tightbudget.adapters.opacus_history import (
    OURS,
    Entry,
    add_step,
    checked_entry,
    checked_history,
    composition_of,
    history_in,
    steps_of,
)
from tightbudget.adaptive.sharing import Locks, lock_of
from tightbudget.errors import InvalidParameter, MissingExtra
from tightbudget.mechanisms import Composition
from tightbudget.numerics.bracket import Bracket

try:
    from opacus.accountants import IAccountant, register_accountant
    from opacus.optimizers import DPOptimizer
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "opacus":  # Opacus is there, and something that it needs is not
        raise
    raise MissingExtra("opacus", "opacus") from missing

RTOL, WIDEST, NARROWEST = 1e-4, 5e-3, 1e-7
"""Relative, absolute and again relative: Opacus' search for the noise does not end unless epsilon is found to 0.01."""


class TightBudgetAccountant(IAccountant):  # type: ignore[misc]  # Opacus ships no types
    """What the steps in `history` cost together: `get_epsilon` is the upper end of `bracket_epsilon`.

    All answers are worked out from `history` when they are asked for, and nothing is changed by asking. Threads may
    share an accountant.
    """

    def __init__(self) -> None:
        super().__init__()
        self._locks: Locks = {}

    @classmethod
    def mechanism(cls) -> str:
        return OURS

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Count one step of the optimizer."""
        self._count((noise_multiplier, sample_rate, 1))

    def get_epsilon(self, delta: float, **settings: Any) -> float:
        """Return a number that epsilon at this delta is certified not to exceed."""
        return self.bracket_epsilon(delta, **settings).upper

    def bracket_epsilon(self, delta: float, *, rtol: float | None = None, **settings: Any) -> Bracket:
        """Return a bracket of the smallest epsilon at this delta; settings of Opacus' accountants are not needed."""
        _check_settings(settings)
        composition = self.composition
        if rtol is not None:
            return composition.epsilon(delta, rtol)
        found = composition.epsilon(delta, RTOL)
        if not WIDEST < found.width < math.inf:
            return found
        finer = composition.epsilon(delta, max(NARROWEST, WIDEST / found.upper))
        return min(found, finer, key=lambda bracket: bracket.upper)

    @property
    def composition(self) -> Composition:
        """All steps so far, for every question that a composition answers: delta, curves, risks."""
        return composition_of(self._entries())

    def __len__(self) -> int:
        return steps_of(self._entries())

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[DPOptimizer], None]:
        """Return what an optimizer calls before each of its steps."""

        def count(optimizer: DPOptimizer) -> None:
            self._count((optimizer.noise_multiplier, sample_rate, 1, optimizer.accumulated_iterations))

        return count

    def state_dict(self, destination: MutableMapping[str, Any] | None = None) -> MutableMapping[str, Any]:
        """Return all there is to know, in plain numbers."""
        state: MutableMapping[str, Any] = {} if destination is None else destination
        state["history"] = self._entries()
        state["mechanism"] = self.mechanism()
        return state

    def load_state_dict(self, state_dict: MutableMapping[str, Any]) -> None:
        """Go on from what this accountant, or one of Opacus' own, wrote down; anything else is refused."""
        history = history_in(state_dict)
        with lock_of(self._locks):
            self.history = history

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "history": self._entries(), "_locks": {}}

    def __repr__(self) -> str:
        return f"<TightBudgetAccountant of {len(self)} steps: {self.composition}>"

    def _count(self, entry: object) -> None:
        step = checked_entry(entry)
        with lock_of(self._locks):
            if type(self.history) is not list:  # it was assigned
                self.history = checked_history(self.history)
            add_step(self.history, step)

    def _entries(self) -> list[Entry]:
        with lock_of(self._locks):
            return checked_history(self.history)


def refuse_beyond(guard: BudgetGuard, optimizer: DPOptimizer) -> None:
    """Have an optimizer raise BudgetRefused in place of a step that the guard does not admit.

    It asks when gradients and noise are added up and no parameter has changed yet, once for each step of the whole
    batch, however small the pieces are that a BatchMemoryManager cuts it into.
    """
    asked, count = checked_guard(guard), optimizer.step_hook

    def ask(asking: DPOptimizer) -> None:
        asked.admit()
        if count is not None:
            count(asking)

    optimizer.attach_step_hook(ask)


def _check_settings(settings: dict[str, Any]) -> None:
    """Refuse a setting that asks about other steps; Opacus hands on whatever `make_private_with_epsilon` is given."""
    if settings.get("poisson", True) is not True:
        hint = "For other samplings see tightbudget explain-sampling."
        raise InvalidParameter("poisson", settings["poisson"], "True: these steps are Poisson samples", hint)


register_accountant(OURS, TightBudgetAccountant, force=True)  # also if this module is loaded again
