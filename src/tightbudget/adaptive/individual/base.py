"""One budget for each of many people: who may take part in the next step?

WARNING: balances, and the masks that say who takes part, are computed from people's own records. They are as private as
the records and must never be published, logged or shown to an analyst. What is released is only what the steps
themselves release.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.amounts import exact, show
from tightbudget.adaptive.individual.files import Header, Hold, check_whole, checked_path, mapped, write
from tightbudget.adaptive.individual.places import Place, take
from tightbudget.adaptive.individual.units import GUARANTEED, Units
from tightbudget.adaptive.sharing import Locks, Shared, lock_of
from tightbudget.errors import CannotShare, InvalidParameter

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

CHUNK = 2**15  # the arrays of one chunk stay in a processor's cache: 10 million people cost megabytes, not gigabytes

GIVEN: Locks = {}
"""The locks of all arrays that callers have given: two filters may have been given the same one, or parts of it."""

MOST_PEOPLE = 10**10  # more than there are; their balances would fill 80 gigabytes


class IndividualFilter(Shared, ABC):
    """A filter for every person: those whose sum would exceed the budget are left out of a step and pay nothing for it.

    Call `charge` before each step and run the step on the records of those who may take part, and on no others. The
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
    _go_on: ClassVar[str] = "Charge there; or, if nobody will, go on here with a new filter of these balances."
    squares: ClassVar[bool] = False

    def __init__(self, budget: Any, people: int | None = None, *, balances: Array | None = None, durable: bool = True) -> None:
        super().__init__()
        self._budget = exact("budget", budget, "a number above 0")
        self._units = Units(self._budget, self.squares)
        self._scale = float(10**self._units.digits)
        self._limit = self._units.limit
        self._durable = durable
        self._file: np.memmap[Any, Any] | None = None
        self._hold: Hold | None = None
        self._balances = fresh(people) if balances is None else self._given(people, balances)
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

    def charge(self, amounts: Any) -> Mask:
        """Charge everybody who can pay, and return who that is; the others pay nothing. PRIVATE: see the warning above.

        `amounts` is one number for all, read as the decimal that was typed, or an array with one for each; an infinite
        one leaves its person out. If `balances` is a file, it has been written before this returns.
        """
        with self._spending():
            if self._file is not None and self._hold is None:
                raise CannotShare("These balances have been closed.", "Open their file again.")
            if self._hold is not None:
                self._hold.check()
            if not self._balances.flags.writeable:
                raise CannotShare("These balances have been made read-only.", "Nobody was charged.")
            taking = self._run(amounts, spend=True)
            if self._durable and self._file is not None:
                self._file.flush()
            return taking

    def quote(self, amounts: Any) -> Mask:
        """Return who could pay; nothing is spent. PRIVATE: see the warning of this module."""
        with self._reading():
            return self._run(amounts, spend=False)

    def spent(self) -> Array:
        """Return the sum of each person's amounts (of their squares, for GDP), rounded up. PRIVATE."""
        with self._reading():
            balances = self._whole()
            return np.nextafter(balances / self._scale, np.inf) * (balances > 0.0)

    def remaining(self) -> Array:
        """Return what is left of each person's budget (of its square, for GDP), rounded down. PRIVATE."""
        with self._reading():
            return np.maximum(np.nextafter((self._limit - self._whole()) / self._scale, -np.inf), 0.0)

    @abstractmethod
    def epsilon(self, delta: float) -> float:
        """Return an epsilon, rounded up, such that all that is released is (epsilon, delta)-private for every person."""

    def save(self, path: str | Path) -> None:
        """Write the balances to a new file and what they mean beside it, as `path`.json; see `tb.individual.open`."""
        with self._reading():
            write(checked_path(path), self._header(), self._whole())

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

    def _run(self, amounts: Any, *, spend: bool) -> Mask:
        each = self._each(amounts)
        cost = self._units.of_number(_one(amounts)) if each is None else 0.0
        balances = self._whole()
        taking = np.zeros(self.people, dtype=np.bool_)  # who is not decided upon does not take part
        for start in range(0, self.people, CHUNK):
            part = slice(start, start + CHUNK)
            costs = cost if each is None else self._units.of_array(each[part], self._scale)
            after = balances[part] + costs  # whole numbers below 2^53: exact
            np.less_equal(after, self._limit, out=taking[part])
            if spend:
                np.copyto(balances[part], after, where=taking[part])
        return taking

    def _whole(self) -> Array:
        """Return the balances, if all of them are still there."""
        if self._file is not None:
            check_whole(self._file)
        return self._balances

    def _each(self, amounts: Any) -> Array | None:
        """Return the amounts if there is one for each person, all checked before anything is spent; None for one number.

        They are a plain copy: what was checked is what is charged, whoever writes to the caller's array meanwhile.
        """
        _refuse_masks(amounts)
        array = _row(amounts) if isinstance(amounts, np.ndarray | list | tuple) else None
        if array is None or array.ndim == 0:
            return None
        if array.shape != (self.people,):
            raise InvalidParameter("amounts", f"of shape {array.shape}", f"one number, or {self.people} of them in a row")
        if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
            raise InvalidParameter("amounts", f"of type {array.dtype}", "whole or floating-point numbers of at most 64 bits")
        if not array.min() >= 0:  # written so that NaN is refused too
            raise InvalidParameter("amounts", float(array.min()), "numbers from 0", "Nobody was charged.")
        return array.astype(np.float64, copy=False)

    def _given(self, people: int | None, balances: Array) -> Array:
        """Return the caller's array, checked; if it is a file, nobody else charges it from now on."""
        balances = self._in_form(people, balances)
        self._file = mapped(balances)
        if self._file is None:
            self._locks = GIVEN
        else:
            self._hold = Hold(self._file, balances)
            self._file, balances = self._hold.file, self._hold.balances
        try:
            self._check_values(balances)
        except BaseException:
            self.close()
            raise
        return balances

    def _taken(self) -> Place | None:
        """Return the memory that is now charged here; a file is held instead."""
        if self._file is not None:
            return None
        with lock_of(GIVEN):
            return take(Place(self._balances, (self.kind, self._settings(), self._units), self._locks, self._home))

    def _in_form(self, people: int | None, given: Array) -> Array:
        """Return the caller's array as the array it is, whatever else its class makes of it."""
        if not isinstance(given, np.ndarray) or isinstance(given, np.ma.MaskedArray):
            raise InvalidParameter("balances", type(given).__name__, "an array of float64 in a row, not empty")
        balances = np.asarray(given)
        if balances.dtype != np.float64 or balances.ndim != 1 or not balances.size:
            found = f"of type {balances.dtype} and shape {balances.shape}"
            raise InvalidParameter("balances", found, "an array of float64 in a row, not empty")
        if people is not None and people != len(balances):
            raise InvalidParameter("people", people, f"{len(balances)}, as there are that many balances")
        if abs(balances.strides[0]) < balances.itemsize < balances.nbytes:
            raise InvalidParameter("balances", "overlapping", "an array with a place of its own for each person")
        if not balances.flags.aligned:  # or two filters of one array could each have half of a balance
            raise InvalidParameter("balances", "not aligned", "an array that starts and goes on at multiples of 8 bytes")
        if not balances.flags.writeable:
            raise InvalidParameter("balances", "read-only", "an array that may be written to")
        return balances

    def _check_values(self, balances: Array) -> None:
        for start in range(0, len(balances), CHUNK):
            part = balances[start : start + CHUNK]
            if not (np.all(part >= 0.0) and np.all(part <= self._limit) and np.all(part == np.rint(part))):
                raise InvalidParameter("balances", "damaged", f"whole numbers from 0 to {self._limit:.0f}: units of the budget")

    def __repr__(self) -> str:
        return f"<individual {self.kind} filter for {self.people} people with a budget of {show(self._budget)} each>"


def _one(amount: Any) -> Fraction:
    return exact("amounts", amount.item() if isinstance(amount, np.ndarray) else amount)


def _refuse_masks(amounts: Any) -> None:
    """Refuse what NumPy's operations leave out: a masked amount would neither be checked nor charged."""
    if any(isinstance(each, np.ma.MaskedArray) for each in (amounts if isinstance(amounts, list | tuple) else [amounts])):
        raise InvalidParameter("amounts", "masked", "numbers without a mask", "Give inf for those who are to be left out.")


def _row(amounts: NDArray[Any] | list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    try:
        return np.array(amounts, subok=False)
    except ValueError:
        raise InvalidParameter("amounts", amounts, "one number, or a list with one for each person") from None


def fresh(people: int | None) -> Array:
    if isinstance(people, bool) or not isinstance(people, int | np.integer) or not 1 <= people <= MOST_PEOPLE:
        raise InvalidParameter("people", people, f"a whole number from 1 to {MOST_PEOPLE}", "Or give their balances.")
    try:
        return np.full(int(people), 0.0)  # not zeros: its memory would only be fetched during the first charge
    except MemoryError:
        raise InvalidParameter(
            "people", people, "as many as fit in memory, 8 bytes each", "Or map a file of balances."
        ) from None
