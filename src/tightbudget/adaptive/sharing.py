"""One budget is spent in one place: by any number of threads, in one process.

Threads. Every decision is taken and recorded under the lock of its object, so that together threads are admitted what
one of them would have been. What is read is of one moment. A signal handler, which runs in the middle of what its
thread does, may read but not spend then.

Processes. A forked child and whoever reads a pickle have a copy of the balance, which knows nothing of what the
original spends from then on: both together could spend twice the budget. So an object is spent only in the process it
was made in, and what was read from a pickle nowhere, not in that process either; it can be read, and its `state()` says
how to go on, on purpose.

Copies made by `copy` in the same process are budgets of their own, to try something out.
"""

import copy
import os
import threading
import uuid
from typing import Any, ClassVar, Self

from tightbudget.errors import CannotShare

Locks = dict[str, threading.RLock]
"""One for each process: a child may be forked while a thread that it does not have holds the lock."""

PICKLED = "a pickle"
"""The home of what was read from one: no process is called so."""


class _SpendingProcess:
    """The process we are in. Its number would not do: a container gives the same one to every run."""

    token = uuid.uuid4().hex

    @classmethod
    def renew(cls) -> None:
        cls.token = uuid.uuid4().hex


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SpendingProcess.renew)


def lock_of(locks: Locks) -> threading.RLock:
    """Return the one of this process."""
    lock = locks.get(_SpendingProcess.token)
    return lock if lock is not None else locks.setdefault(_SpendingProcess.token, threading.RLock())


class Shared:
    """What threads may share, and other processes may only look at."""

    _go_on: ClassVar[str] = "Spend it there; or, if nothing more will be, go on here with from_state(copy.state())."

    def __init__(self) -> None:
        self._home = _SpendingProcess.token
        self._locks: Locks = {}

    def _reading(self) -> threading.RLock:
        """Return the lock of this process."""
        return lock_of(self._locks)

    def _spending(self) -> threading.RLock:
        """Return the lock of this process, if it is the one in which the budget is spent."""
        if self._home != _SpendingProcess.token:
            how, where = ("pickle", "elsewhere") if self._home == PICKLED else ("fork", "in another process")
            problem = f"This is a copy, by {how}, of a budget that is kept {where} and does not know what is spent there."
            raise CannotShare(problem, self._go_on)
        lock = self._reading()
        if lock._is_owned():  # type: ignore[attr-defined]  # as threading.Condition asks it
            raise CannotShare(
                "This thread is in the middle of another decision about the same budget.",
                "A signal handler or finalizer interrupted it; spend after it has returned.",
            )
        return lock

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__setstate__(self._taken_along())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__setstate__(copy.deepcopy(self._taken_along(), memo))
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle takes along: it may be read anywhere, any number of times, so none can be spent."""
        return {**self._taken_along(), "_home": PICKLED}

    def _taken_along(self) -> dict[str, Any]:
        """Return what a copy or a pickle takes along, of one moment: everything but the locks."""
        with self._reading():
            kept = {name: value for name, value in self.__dict__.items() if name != "_locks"}
            return {name: value.copy() if type(value) is dict else value for name, value in kept.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._locks = {}
