"""A guard for training loops: it stops them before the step with which a budget might no longer hold."""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from tightbudget.adapters.swapped import warn_if_swapped
from tightbudget.adaptive.sharing import Locks, lock_of
from tightbudget.errors import BudgetRefused, CannotShare, InvalidParameter
from tightbudget.keywords import says_its_arguments_as
from tightbudget.mechanisms import Composable, Composition
from tightbudget.mechanisms.checks import whole_count
from tightbudget.training.accountant import Accountant, State
from tightbudget.training.safe_numbers import budget_below

Batch = TypeVar("Batch")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a guard does not admit a step: how many it has counted, and what was to hold."""

    step: Composable
    asked: int
    steps: int
    epsilon: float
    delta: float

    @property
    def reason(self) -> str:
        asked = "one more step" if self.asked == 1 else f"{self.asked} more steps"
        return (
            f"After {self.steps} steps {asked} of {self.step} might exceed epsilon {self.epsilon} at delta {self.delta}. "
            "Nothing was counted: do not run it, and release what there is."
        )


class BudgetGuard:
    """Counts the steps of a loop as long as a budget is certified to hold with them.

    In a loop, `for batch in guard.admitted(batches)` ends before the first step that does not fit. `with guard:` round
    a step raises BudgetRefused before it, and `guard.take()` is False. A step counts when it is admitted, whether or
    not it is then finished.

    As with `tb.Accountant`, steps and budget must be fixed before the first step. Where noise or sampling are chosen by
    what training shows, a guard proves nothing: use a filter (`tightbudget.filters`). Threads may share a guard; what
    else counts on its accountant does so on its own.

    >>> guard = BudgetGuard(epsilon=1, delta=1e-5, noise_multiplier=2.0, sample_rate=0.1)
    >>> taken = [batch for batch in guard.admitted(range(100))]  # a step for each batch
    >>> len(taken), guard.left, guard.take()
    (16, 0, False)
    """

    @says_its_arguments_as("BudgetGuard")
    def __init__(
        self,
        step: Composable | str | None = None,
        *,
        epsilon: float,
        delta: float,
        noise_multiplier: float | None = None,
        sample_rate: float | None = None,
        accountant: Accountant | None = None,
    ) -> None:
        """Take one step of the loop as `tb.Accountant.step` does; an accountant has the steps taken before."""
        self._epsilon, self._delta = budget_below(epsilon, delta)
        if self._delta >= 1:
            raise InvalidParameter("delta", delta, "below 1", "With a delta of 1 every loop fits, however long.")
        warn_if_swapped(self._epsilon, self._delta, wrapped=1)
        if not isinstance(accountant, Accountant | None):
            raise InvalidParameter("accountant", accountant, "a tightbudget.Accountant, or left out")
        once = Accountant(mix_relations=accountant is not None and accountant._mixes)
        once.step(step, noise_multiplier=noise_multiplier, sample_rate=sample_rate)
        self._step = _single_loop_step(once.composition)
        self._accountant = Accountant() if accountant is None else accountant
        self._left: tuple[int, int] | None = None
        self._locks: Locks = {}

    @property
    def epsilon(self) -> float:
        """The epsilon of the budget."""
        return self._epsilon

    @property
    def delta(self) -> float:
        """The delta of the budget."""
        return self._delta

    @property
    def accountant(self) -> Accountant:
        """What was counted so far; its `state()` and `from_state` carry it across restarts."""
        return self._accountant

    @property
    def left(self) -> int:
        """How many more steps are certified to fit."""
        with lock_of(self._locks):
            steps = self._accountant.steps
            if self._left is None or self._left[0] != steps:  # the first time, or the accountant was told of others
                self._left = steps, self._accountant.remaining(self._step, epsilon=self._epsilon, delta=self._delta)
            return self._left[1]

    def take(self, count: int = 1) -> bool:
        """Count the step and return True; or return False and count nothing. Ask before the step is run."""
        times = whole_count(count)
        with self._counting():
            left = self.left
            if times > left:
                return False
            self._accountant.step(self._step, count=times)
            self._left = self._accountant.steps, left - times
            return True

    def admit(self, count: int = 1) -> None:
        """Count the step, or raise BudgetRefused and count nothing. Call it before the step is run."""
        if not self.take(count):
            steps = self._accountant.steps
            raise BudgetRefused(Refusal(self._step, whole_count(count), steps, self._epsilon, self._delta))

    def admitted(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches one by one, a step each, and end before the first step that does not fit."""
        for batch in batches:
            if not self.take():
                return
            yield batch

    def catch_up(self, state: State) -> None:
        """Count what a state of its accountant has and it has not: after a restart all, of an older checkpoint nothing.

        What was counted here since the state was written stays counted, for it was run.
        """
        saved = Accountant.from_state(state).composition
        with self._counting():
            counted = dict(self._accountant.composition.items)
            for mechanism, count in saved.items:
                self._accountant.step(mechanism, count=max(0, count - counted.get(mechanism, 0)))

    def __enter__(self) -> Self:
        self.admit()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave the step counted, also if it failed: something of it may have been seen."""

    def _counting(self) -> threading.RLock:
        lock = lock_of(self._locks)
        if lock._is_owned():  # type: ignore[attr-defined]  # as threading.Condition asks it
            raise CannotShare(
                "This thread is in the middle of another step of the same guard.",
                "A signal handler or finalizer interrupted it; ask after it has returned.",
            )
        return lock

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_locks": {}}

    def __repr__(self) -> str:
        steps = f"{self._accountant.steps} steps counted"
        return f"<BudgetGuard for epsilon {self._epsilon} at delta {self._delta}, step {self._step}: {steps}>"


def checked_guard(guard: object) -> BudgetGuard:
    """Return the guard of a callback; refuse anything else."""
    if not isinstance(guard, BudgetGuard):
        raise InvalidParameter("guard", guard, "a BudgetGuard", "It is made of a step and a budget.")
    return guard


def _single_loop_step(step: Composition) -> Composable:
    """Return the one mechanism of a step, if it is one: it prints without its count."""
    return step.items[0][0] if len(step.items) == 1 and step.items[0][1] == 1 else step
