"""One budget for each of many people: who may take part in the next step?

WARNING: balances, and the masks that say who takes part, are computed from people's own records. They are as private as
the records and must never be published, logged or shown to an analyst. What is released is only what the steps
themselves release.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.amounts import exact, show
from tightbudget.adaptive.filters.base import MOST
from tightbudget.adaptive.individual.balances import CHUNK, Array, balances_in_form, check_balances, fresh_balances
from tightbudget.adaptive.individual.files import Header, Hold, check_whole, checked_path, mapped_file, write_balances
from tightbudget.adaptive.individual.increments import one_for_all, one_for_each
from tightbudget.adaptive.individual.places import Place, take_place
from tightbudget.adaptive.individual.states import VERSION, filter_from_state
from tightbudget.adaptive.individual.units import GUARANTEED, Units
from tightbudget.adaptive.sharing import Locks, Shared, lock_of
from tightbudget.adaptive.states import State
from tightbudget.deprecated import deprecated, formerly_positional, renamed_argument
from tightbudget.errors import CannotShare

Mask = NDArray[np.bool_]

GIVEN: Locks = {}
"""The locks of all arrays that callers have given: two filters may have been given the same one, or parts of it."""


class IndividualFilter(Shared, ABC):
    """A filter for every person: those whose sum would exceed the budget are left out of a step and pay nothing for it.

    Call `spend` before each step and run the step on the records of those who may take part, and on no others. The
    amount of a person must bound the divergence that adding or removing that person's record can cause, given
    everything released before, whatever the other records are: it may depend on the person's own record and on what was
    released, on nothing else.

    `balances` is the state: one float64 per person, how many units of 10^-k were spent (`units`). Give your own array,
    a memory-mapped one for instance, or only the number of people.

    Threads may share a filter, and filters of one kind and budget an array of yours. A file has one filter at a time,
    which may be closed: use it in a `with` statement, or call `close`. Copies have balances of their own; one of a file
    is refused. See `adaptive/sharing.py`.
    """

    kind: ClassVar[str]
    _go_on: ClassVar[str] = "Spend it there; or, if nobody will, go on here with from_state(copy.state())."
    squares: ClassVar[bool] = False
    settings: ClassVar[tuple[str, ...]] = ("budget",)
    """Arguments of the constructor that say what balances mean; they are written with them."""

    @formerly_positional("people")
    def __init__(self, budget: Any, *, people: int | None = None, balances: Array | None = None, durable: bool = True) -> None:
        super().__init__()
        self._budget = exact("budget", budget, "a number above 0")
        self._units = Units(self._budget, self.squares)
        self._scale = float(10**self._units.digits)
        self._limit = self._units.limit
        self._durable = durable
        self._file: np.memmap[Any, Any] | None = None
        self._hold: Hold | None = None
        self._balances = fresh_balances(people) if balances is None else self._given(people, balances)
        self._place = self._taken()

    @property
    def budget(self) -> Fraction:
        return self._budget

    @property
    def people(self) -> int:
        return len(self._balances)

    @property
    def balances(self) -> Array:
        """What each person has spent, in units of 10^-k. PRIVATE: see the warning of this module."""
        return self._balances

    @property
    def units(self) -> Units:
        return self._units

    @property
    @abstractmethod
    def sums(self) -> tuple[str]:
        """The name of what is added up over the steps a person took part in."""

    @renamed_argument("amounts", "increment")
    def quote(self, increment: Any) -> Mask:
        """Return who could pay; nothing is spent. PRIVATE: see the warning of this module.

        `increment` is what the step costs: one number for all, read as the decimal that was typed, or an array with one
        for each; an infinite one leaves its person out.
        """
        with self._reading():
            return self._run(increment, spend=False)

    def spend(self, increment: Any) -> Mask:
        """Charge everybody who can pay, and return who that is; the others pay nothing. PRIVATE: see the warning above.

        `increment` is as for `quote`. If `balances` is a file, it has been written before this returns.
        """
        with self._spending():
            if self._file is not None and self._hold is None:
                raise CannotShare("These balances have been closed.", "Open their file again.")
            if self._hold is not None:
                self._hold.check()
            if not self._balances.flags.writeable:
                raise CannotShare("These balances have been made read-only.", "Nobody was charged.")
            taking = self._run(increment, spend=True)
            if self._durable and self._file is not None:
                self._file.flush()
            return taking

    def remaining(self, increment: Any = None) -> NDArray[Any]:
        """Return for each person how many more such steps could be paid for, if nothing else is asked. PRIVATE.

        Whole numbers, cut off at 2^53: that many or more. (Without an increment, as before: what `left` has.)
        """
        if increment is None:
            deprecated("remaining()", "left, or remaining(increment) for a number of steps")
            return self.left[self.sums[0]]
        with self._reading():
            balances = self._whole()
            counts = np.zeros(self.people, dtype=np.int64)
            for part, costs in self._costs(increment):
                left = (self._limit - balances[part]).astype(np.int64)
                counts[part] = np.where(costs > 0.0, left // np.maximum(costs, 1.0).astype(np.int64), MOST)
            return counts

    @property
    def spent(self) -> "Spent":
        """The sum of each person's amounts (of their squares, for GDP), rounded up, by the name of the sum. PRIVATE."""
        with self._reading():
            balances = self._whole()
            return Spent({self.sums[0]: np.nextafter(balances / self._scale, np.inf) * (balances > 0.0)})

    @property
    def left(self) -> dict[str, Array]:
        """What is left of each person's budget (of its square, for GDP), rounded down, by the sum's name. PRIVATE."""
        with self._reading():
            return {self.sums[0]: np.maximum(np.nextafter((self._limit - self._whole()) / self._scale, -np.inf), 0.0)}

    def charge(self, amounts: Any) -> Mask:
        """Do what `spend` does, by its former name."""
        deprecated("charge(amounts)", "spend(increment)")
        return self.spend(amounts)

    @abstractmethod
    def epsilon(self, delta: float) -> float:
        """Return an epsilon, rounded up, such that all that is released is (epsilon, delta)-private for each person."""

    def state(self) -> State:
        """Return all there is to know, exact and fit for JSON; `from_state` gives it back. PRIVATE.

        It has a number for each person. For millions, `save` writes a file that can be charged where it is.
        """
        with self._reading():
            spent = {self.sums[0]: self._whole().astype(np.int64).tolist()}
            frame = {"digits": self._units.digits, "spent": spent}
            return {"version": VERSION, "kind": self.kind, **self._settings(), **frame}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the filter that the state was taken of, its balances in memory; a state of another kind is refused."""
        made: Self = filter_from_state(state, {cls.kind: cls})
        return made

    def save(self, path: str | Path) -> None:
        """Write the balances to a new file and what they mean beside it, as `path`.json; see `tb.individual.open`."""
        with self._reading():
            write_balances(checked_path(path), self._header(), self._whole())

    def close(self) -> None:
        """Let go of the file, if there is one, with all charges on disk: nothing can be charged here any more."""
        with self._reading():
            if self._file is not None and self._hold is not None:
                self._file.flush()
                self._hold.let_go()
                self._hold = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _taken_along(self) -> dict[str, Any]:
        """Return what a copy or a pickle takes along, with balances of its own."""
        if self._file is not None:
            problem = "Balances in a file cannot be copied or pickled: what is charged to the copy would be lost."
            raise CannotShare(problem, "Open the file where it is needed, one filter at a time, or save() it to a new one.")
        with self._reading():
            return {**super()._taken_along(), "_balances": np.array(self._balances), "_place": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._balances.base is not None:  # pickle leaves them in memory of bytes, which is not to be written to
            self._balances = np.array(self._balances)
        self._place = self._taken()

    @property
    def guaranteed(self) -> Fraction:
        """The budget with the allowance for amounts given as binary fractions: what `epsilon` is computed from."""
        return self._budget * GUARANTEED

    @classmethod
    def _opened(cls, settings: dict[str, Any], balances: Array, durable: bool) -> Self:
        return cls(**settings, balances=balances, durable=durable)

    def _settings(self) -> dict[str, str]:
        return {"budget": show(self._budget)}

    def _header(self) -> Header:
        return Header(self.kind, self._settings(), self.people, self._units.digits)

    def _run(self, increment: Any, *, spend: bool) -> Mask:
        balances = self._whole()
        taking = np.zeros(self.people, dtype=np.bool_)  # who is not decided upon does not take part
        for part, costs in self._costs(increment):
            after = balances[part] + costs  # whole numbers below 2^53: exact
            np.less_equal(after, self._limit, out=taking[part])
            if spend:
                np.copyto(balances[part], after, where=taking[part])
        return taking

    def _costs(self, increment: Any) -> Iterator[tuple[slice, Any]]:
        """Return what a step costs the people of each chunk, in units; all of it is checked before the first one."""
        each = one_for_each(increment, self.people)
        cost = self._units.of_number(one_for_all(increment)) if each is None else 0.0
        parts = (slice(start, start + CHUNK) for start in range(0, self.people, CHUNK))
        return ((part, cost if each is None else self._units.of_array(each[part], self._scale)) for part in parts)

    def _whole(self) -> Array:
        """Return the balances, if all of them are still there."""
        if self._file is not None:
            check_whole(self._file)
        return self._balances

    def _given(self, people: int | None, balances: Array) -> Array:
        """Return the caller's array, checked; if it is a file, nobody else charges it from now on."""
        balances = balances_in_form(balances, people)
        self._file = mapped_file(balances)
        if self._file is None:
            self._locks = GIVEN
        else:
            self._hold = Hold(self._file, balances)
            self._file, balances = self._hold.file, self._hold.balances
        try:
            check_balances(balances, self._limit)
        except BaseException:
            self.close()
            raise
        return balances

    def _taken(self) -> Place | None:
        """Return the memory that is now charged here; a file is held instead."""
        if self._file is not None:
            return None
        with lock_of(GIVEN):
            return take_place(Place(self._balances, (self.kind, self._settings(), self._units), self._locks, self._home))

    def __repr__(self) -> str:
        return f"<individual {self.kind} filter for {self.people} people with a budget of {show(self._budget)} each>"

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        # no balance: they are as private as the records
        return html_record([("people", self.people), ("budget of each", show(self._budget))], f"individual {self.kind} filter")


class Spent(dict[str, Array]):
    """Sums by name. They were returned by a method once, so they can still be called."""

    def __call__(self) -> Array:
        deprecated("spent()", "spent, which has the sums by name")
        return next(iter(self.values()))
