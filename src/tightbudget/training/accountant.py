"""Steps counted as a loop takes them, and what they cost together."""

import threading
from typing import Any, Self

from tightbudget.adaptive.sharing import Locks, lock_of
from tightbudget.adaptive.states import check_state_keys
from tightbudget.errors import CannotShare, InvalidParameter
from tightbudget.keywords import says_its_arguments
from tightbudget.markup import html_table
from tightbudget.mechanisms import Composable, Composition
from tightbudget.mechanisms.checks import MOST_REPETITIONS, whole_count
from tightbudget.mechanisms.relations import Relations, check_one_relation, mix_relations_asked
from tightbudget.numerics.bracket import Bracket
from tightbudget.training.affordable import affordable, certainly_affordable
from tightbudget.training.counts import Counted, Counts, joined_counts, times_countable, total_counts
from tightbudget.training.safe_numbers import budget_below
from tightbudget.training.step_told import step_told
from tightbudget.training.written_counts import read_counts, written_counts

State = dict[str, Any]

VERSION = 1
_NONE: Relations = frozenset()


class Accountant:
    """What the steps taken so far cost together, for a plan that was fixed before the first of them.

    Steps are counted by what they are, in whatever order they come: a million equal steps, or two kinds that alternate,
    are one or two numbers, and a question takes as long as one about the composition written down at once.

    The answers are for steps whose mechanisms do not depend on the data or on earlier answers. Where noise or sampling
    are chosen by what training shows, use a filter instead (`tightbudget.filters`). Where training stops by what it
    shows, the cost is that of all steps that were planned, not of those that were taken.

    Threads may share an accountant; but to ask and then to count are two things, and another thread may count between
    them. A copy, a forked child and whoever reads a pickle have an accountant of their own, which answers for the steps
    that it was told of.

    >>> accountant = Accountant()
    >>> for _ in range(1000):
    ...     accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    >>> print(accountant.steps, accountant.epsilon(1e-5))
    1000 [1.5150..., 1.51588]
    """

    def __init__(self, *, mix_relations: bool = False) -> None:
        self._mixes = mix_relations_asked(mix_relations)
        self._counts: Counts = {}
        self._relations = _NONE
        self._composition: Composition | None = None
        self._locks: Locks = {}

    @says_its_arguments
    def step(
        self,
        step: Composable | str | None = None,
        *,
        noise_multiplier: float | None = None,
        sample_rate: float | None = None,
        count: int = 1,
    ) -> None:
        """Count a step, or `count` of them: a mechanism, a composition, its notation, or the numbers of DP-SGD.

        A step that cannot be counted raises InvalidParameter, and nothing is counted.
        """
        parts = step_told(step, noise_multiplier, sample_rate, self._mixes)
        times = count if type(count) is int and 0 <= count <= MOST_REPETITIONS else whole_count(count)
        with self._counting():
            new = self._new_relations(parts)
            changed = total_counts(self._counts, parts, times)
            if times:
                self._composition = None
                self._relations |= new
                self._counts.update(changed)

    @property
    def steps(self) -> int:
        """How many mechanisms were run so far; a composition counts as many as it has."""
        with self._reading():
            return sum(self._counts.values())

    @property
    def composition(self) -> Composition:
        """All steps so far as one composition, equal ones together in the order in which they first came."""
        lock = self._reading()
        in_between = lock._is_owned()  # type: ignore[attr-defined]  # a signal handler, in the middle of a step
        with lock:
            if self._composition is not None:
                return self._composition
            composition = Composition(tuple(self._counts.items()), mix_relations=True)
            if not in_between:
                self._composition = composition
            return composition

    def epsilon(self, delta: float, rtol: float = 1e-3, effort: float | None = None) -> Bracket:
        """Return a bracket of the smallest epsilon at a delta, for all steps so far."""
        return self.composition.epsilon(delta, rtol, effort=effort)

    def delta(self, epsilon: float, rtol: float = 1e-3, effort: float | None = None) -> Bracket:
        """Return a bracket of the smallest delta at an epsilon, for all steps so far."""
        return self.composition.delta(epsilon, rtol, effort=effort)

    def would_exceed(
        self,
        step: Composable | str | None = None,
        *,
        epsilon: float,
        delta: float,
        noise_multiplier: float | None = None,
        sample_rate: float | None = None,
        count: int = 1,
    ) -> bool:
        """Tell whether (epsilon, delta) might no longer hold after this step too; ask before the step is run.

        Guarantee: False only if the budget is certified to hold with the step. What cannot be decided is True.
        Every step keeps a delta of 1, so that the answer is False for all: see that the two are not swapped.
        """
        budget = budget_below(epsilon, delta)
        parts = step_told(step, noise_multiplier, sample_rate, self._mixes)
        return not certainly_affordable(self._with(parts, whole_count(count)), *budget)

    def remaining(
        self,
        step: Composable | str | None = None,
        *,
        epsilon: float,
        delta: float,
        noise_multiplier: float | None = None,
        sample_rate: float | None = None,
    ) -> int:
        """Return how many more such steps are certified to fit in (epsilon, delta), after those taken so far.

        Within what can be decided it is the largest number. It is at most what an accountant can count, 2^53 of each
        mechanism, where steps reveal nothing.
        """
        budget = budget_below(epsilon, delta)
        parts = step_told(step, noise_multiplier, sample_rate, self._mixes)
        taken = self._with(parts, 0)
        return affordable(lambda times: joined_counts(taken, parts, times), times_countable(dict(taken.items), parts), *budget)

    def state(self) -> State:
        """Return all there is to know, exact and fit for JSON; `from_state` gives it back."""
        counts = written_counts(self._taken())
        return {"version": VERSION, "kind": "accountant", "mix_relations": self._mixes, "counts": counts}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return an accountant of the steps that the state holds; anything but a state is refused."""
        if not isinstance(state, dict):
            raise InvalidParameter("state", state, "a dictionary that an accountant's state() returned")
        if type(state.get("version")) is not int or state["version"] != VERSION:
            hint = "The state was written by another version of the package."
            raise InvalidParameter("version", state.get("version"), f"{VERSION}", hint)
        check_state_keys("state", state, {"version", "kind", "mix_relations", "counts"}, "as an accountant wrote it")
        if state["kind"] != "accountant":
            raise InvalidParameter("kind", state["kind"], "'accountant'")
        restored = cls(mix_relations=state["mix_relations"])
        for mechanism, count in read_counts(state["counts"], restored._mixes):
            restored.step(mechanism, count=count)
        return restored

    def __eq__(self, other: object) -> bool:
        """Accountants are equal that were told of the same steps, in whatever order."""
        if not isinstance(other, Accountant):
            return NotImplemented
        return (self._mixes, self._taken()) == (other._mixes, other._taken())

    __hash__ = None  # type: ignore[assignment]  # it changes with every step

    def __repr__(self) -> str:
        return f"<Accountant of {self.steps} steps: {self.composition}>"

    def _repr_html_(self) -> str:
        return html_table(["step", "count"], self.composition.items, caption=f"Accountant of {self.steps} steps")

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()  # mechanisms never change

    def __getstate__(self) -> State:
        with self._reading():
            return {"_mixes": self._mixes, "_counts": dict(self._counts), "_relations": self._relations}

    def __setstate__(self, state: State) -> None:
        self.__dict__.update(state)
        self._composition, self._locks = None, {}

    def _taken(self) -> Counts:
        with self._reading():
            return dict(self._counts)

    def _with(self, parts: Counted, times: int) -> Composition:
        """Return the steps so far and these, which need not be taken."""
        taken = self.composition
        with self._reading():
            self._new_relations(parts)  # for what it refuses
        return joined_counts(taken, parts, times)

    def _new_relations(self, parts: Counted) -> Relations:
        """Return what new kinds of steps are for; that of those so far, unless mixing was meant (decision 0009)."""
        new = [mechanism for mechanism, count in parts if mechanism not in self._counts and count]
        if not new:
            return _NONE
        if not self._mixes:
            check_one_relation([("what was counted before", self._relations), *((each, each.relations) for each in new)])
        return _NONE.union(*(each.relations for each in new))

    def _reading(self) -> threading.RLock:
        return lock_of(self._locks)

    def _counting(self) -> threading.RLock:
        lock = self._reading()
        if lock._is_owned():  # type: ignore[attr-defined]  # as threading.Condition asks it
            raise CannotShare(
                "This thread is in the middle of another step of the same accountant.",
                "A signal handler or finalizer interrupted it; count after it has returned.",
            )
        return lock
