"""The accountant: a ceiling, spends that fit below it, and what is left.

What is admitted stays within the ceiling however the spends were chosen, also by threads together (M14). Spends add up
exactly; with slack their zero-concentrated privacy does too.
"""

import copy
import math
from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn, Self

from tightbudget.adapters.budget.budgets import Budget, BudgetError
from tightbudget.adapters.budget.spends import (
    NOTHING,
    ceiling_asked,
    float_down,
    spend_asked,
    spends_listed,
    sums_with,
    total_of,
)
from tightbudget.adapters.swapped import warn_if_swapped
from tightbudget.adaptive.amounts import amount_to_float, exact
from tightbudget.adaptive.filters.base import Filter
from tightbudget.adaptive.filters.basic import BasicFilter
from tightbudget.adaptive.filters.concentration import LARGEST_EPSILON, SMALLEST_DELTA, SMALLEST_EPSILON
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.zcdp import ZCDPFilter
from tightbudget.adaptive.sharing import Shared
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import ApproximateDP, PureDP
from tightbudget.mechanisms.checks import real, whole_count

ALMOST_ONE = 1 - exact("delta", "1e-9")
"""A ceiling of delta = 1 is none; filters that bound a tail want one below."""


class BudgetAccountant(Shared):
    """A ceiling of (epsilon, delta) for all spends together, as diffprivlib's accountant of that name.

    epsilon, delta  the ceiling; without them spends are only added up
    slack           the part of delta that pays for a smaller total epsilon; fixed before the first spend
    spent_budget    spends of an earlier accountant, as a list of (epsilon, delta)

    Guarantee: what is released by admitted spends is (epsilon, delta)-differentially private, however each spend was
    chosen after the results before it. Call `spend` before a result is released.

    Threads may share an accountant. A copy is the accountant itself, so that copied models spend the same budget; what
    was forked or read from a pickle can be read but not spent.

    >>> accountant = BudgetAccountant(epsilon=1.0, delta=1e-5)
    >>> accountant.spend(0.1, 0).spend(0.2, 1e-6).total()
    (epsilon=0.3, delta=1e-06)
    >>> accountant.remaining(k=2)
    (epsilon=0.35, delta=4.5e-06)
    >>> accountant.spend(0.8, 0)
    Traceback (most recent call last):
        ...
    tightbudget.adapters.budget.budgets.BudgetError: A spend of (epsilon=0.8, delta=0.0) is refused: ...
    """

    _default: ClassVar["BudgetAccountant | None"] = None
    _error: ClassVar[type[BudgetError]] = BudgetError
    _go_on = (
        "Spend it there; or, if nothing more will be, go on here with BudgetAccountant(epsilon, delta, slack, "
        "spent_budget=copy.spent_budget)."
    )

    def __init__(
        self,
        epsilon: float = math.inf,
        delta: float = 1.0,
        slack: float = 0.0,
        spent_budget: Iterable[tuple[float, float]] | None = None,
    ) -> None:
        super().__init__()
        self._epsilon, self._delta = ceiling_asked(epsilon, delta)
        if self._delta < 1:  # 1, the default, is no ceiling of delta
            warn_if_swapped(self._epsilon, self._delta)
        self._slack = self._slack_asked(slack)
        self._filter = self._fresh_filter()
        self._spends: list[tuple[float, float]] = []
        self._sums = NOTHING
        self._outer: list[BudgetAccountant | None] = []
        for each in [] if spent_budget is None else spends_listed(spent_budget):
            self.spend(*each)

    @property
    def epsilon(self) -> float:
        """The ceiling of epsilon."""
        return self._epsilon

    @property
    def delta(self) -> float:
        """The ceiling of delta."""
        return self._delta

    @property
    def slack(self) -> float:
        """The part of delta that pays for a smaller total epsilon; it can be set until something is spent."""
        return self._slack

    @slack.setter
    def slack(self, slack: float) -> None:
        with self._spending():
            if self._spends:
                hint = "One chosen after results were seen would void the guarantee."
                raise InvalidParameter("slack", slack, f"what it was before the first spend, {self._slack!r}", hint)
            self._slack = self._slack_asked(slack)
            self._filter = self._fresh_filter()

    @property
    def spent_budget(self) -> list[tuple[float, float]]:
        """The spends so far, in order; another accountant can start from them."""
        with self._reading():
            return list(self._spends)

    def total(self, spent_budget: Iterable[tuple[float, float]] | None = None, slack: float | None = None) -> Budget:
        """Return what is used of the ceiling: by the spends so far, or by others, with this slack or another.

        Plain sums hold at any time. With slack the total bounds what spends fixed beforehand cost; for spends that were
        chosen one after another the ceiling is what holds (`tb.odometers` track the loss itself).
        """
        if spent_budget is None and slack is None:
            return self._used()
        sums = NOTHING
        for each in self.spent_budget if spent_budget is None else spends_listed(spent_budget):
            sums = sums_with(sums, *each)
        return total_of(sums, self._slack if slack is None else self._slack_asked(slack))

    def check(self, epsilon: float, delta: float) -> bool:
        """Return True if the spend fits, else raise BudgetError; nothing is spent. Another thread may spend next."""
        asked = spend_asked(epsilon, delta)
        with self._reading():
            self._check_fits(*asked)
        return True

    def spend(self, epsilon: float, delta: float) -> Self:
        """Spend it, or raise BudgetError and change nothing; return the accountant."""
        asked = spend_asked(epsilon, delta)
        with self._spending():
            self._check_fits(*asked)
            if self._filter is not None:
                self._filter.spend(ApproximateDP(*asked))
            self._sums = sums_with(self._sums, *asked)
            self._spends.append(asked)
        return self

    def remaining(self, k: int = 1) -> Budget:
        """Return the largest epsilon and delta that k further spends may have each."""
        count = whole_count(k, "k", least=1)
        with self._reading():
            return Budget(self._epsilon_for(count), float_down((self._delta_for_steps - self._sums[1]) / count))

    @staticmethod
    def load_default(accountant: "BudgetAccountant | None") -> "BudgetAccountant":
        """Return the accountant, or the default if it is None; one without a ceiling is made if there is no default."""
        if accountant is None:
            if BudgetAccountant._default is None:
                BudgetAccountant._default = BudgetAccountant()
            return BudgetAccountant._default
        if not isinstance(accountant, BudgetAccountant):
            raise InvalidParameter("accountant", accountant, "a BudgetAccountant, or None for the default")
        return accountant

    def set_default(self) -> Self:
        """Make it what `load_default` returns, in the whole process, and return it."""
        BudgetAccountant._default = self
        return self

    @staticmethod
    def pop_default() -> "BudgetAccountant | None":
        """Return the default and have none."""
        default, BudgetAccountant._default = BudgetAccountant._default, None
        return default

    def __enter__(self) -> Self:
        """Be the default within the block; the one before is the default again after it."""
        self._outer.append(self.pop_default())
        return self.set_default()

    def __exit__(self, *problem: object) -> None:
        self.pop_default()
        before = self._outer.pop()
        if before is not None:
            before.set_default()

    def __len__(self) -> int:
        with self._reading():
            return len(self._spends)

    def __bool__(self) -> bool:
        return True  # also before the first spend

    def __repr__(self) -> str:
        usual = {"epsilon": math.inf, "delta": 1.0, "slack": 0.0}
        given = [f"{name}={getattr(self, name)!r}" for name, value in usual.items() if getattr(self, name) != value]
        spends = self.spent_budget
        if spends:
            shown = ", ".join(map(repr, spends[:5])) + (", ..." if len(spends) > 5 else "")
            given.append(f"spent_budget=[{shown}]")
        return f"BudgetAccountant({', '.join(given)})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        with self._reading():  # of one moment: a spend changes filter, sums and list
            of_now = {"_spends": list(self._spends), "_filter": copy.copy(self._filter), "_outer": []}
            return {**super().__getstate__(), **of_now}

    def _slack_asked(self, slack: object) -> float:
        allowed = f"0, or from 1e-300 to delta, which is {self._delta!r}, and below 1"
        if not 0.0 <= real("slack", slack, allowed) <= min(self._delta, amount_to_float(ALMOST_ONE)):
            raise InvalidParameter("slack", slack, allowed)
        given = float_down(exact("slack", slack))
        if slack and given < SMALLEST_DELTA:
            raise InvalidParameter("slack", slack, allowed)
        return given

    def _fresh_filter(self) -> Filter | None:
        """Return a filter of the ceiling; None if there is no ceiling of epsilon, where no theorem is needed."""
        if math.isinf(self._epsilon):
            return None
        ceiling, for_steps = exact("epsilon", self._epsilon), self._delta_for_steps
        if not self._tail_pays:
            return BasicFilter(ceiling, for_steps)
        return ZCDPFilter(ceiling, for_steps + exact("slack", self._slack), delta_for_steps=for_steps, or_basic=True)

    @property
    def _tail_pays(self) -> bool:
        """Whether slack reduces the total epsilon of spends that fit."""
        return self._slack > 0.0 and SMALLEST_EPSILON <= self._epsilon <= LARGEST_EPSILON

    @property
    def _delta_for_steps(self) -> Any:
        """What the deltas of all spends together may use, exact."""
        whole = exact("delta", self._delta)
        return (min(whole, ALMOST_ONE) if self._tail_pays else whole) - exact("slack", self._slack)

    def _check_fits(self, epsilon: float, delta: float) -> None:
        if self._filter is None:
            if self._sums[1] + exact("delta", delta) > self._delta_for_steps:
                self._refuse(epsilon, delta, None)
            return
        quote = self._filter.quote(ApproximateDP(epsilon, delta))
        if not quote.accepted:
            self._refuse(epsilon, delta, quote)

    def _refuse(self, epsilon: float, delta: float, quote: Quote | None) -> NoReturn:
        ceiling = Budget(self._epsilon, self._delta)
        raise self._error(Budget(epsilon, delta), self._used(), self.remaining(), ceiling, quote)

    def _used(self) -> Budget:
        """Return the total of what was admitted, which is within the ceiling though it is computed in floats."""
        with self._reading():
            total = total_of(self._sums, self._slack)
            return Budget(min(total.epsilon, self._epsilon), min(total.delta, self._delta))

    def _epsilon_for(self, count: int) -> float:
        """Return the largest float of which `count` spends fit, or about that."""
        judge = self._filter
        if judge is None:
            return math.inf

        def fits(epsilon: float) -> bool:
            return judge.quote(PureDP(epsilon) * count).accepted

        low = float_down((exact("epsilon", self._epsilon) - self._sums[2]) / count)  # as plain sums go
        if not fits(low):  # sums of many different fractions may be kept a little higher by the filter
            low = 0.0
        if not self._tail_pays:
            return low
        high = max(low, self._epsilon)
        while fits(high):
            low, high = high, 2.0 * high
        while (middle := 0.5 * (low + high)) not in (low, high) and high > 2.0**-60 * self._epsilon:
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low
