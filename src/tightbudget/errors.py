"""Everything the package raises.

TightBudgetError
├── InvalidParameter   a value outside what is allowed (also a ValueError)
│   ├── MixedRelations steps that are meant for different neighbouring relations
│   └── UnknownRelation a neighbouring relation that a step says nothing of
├── NotationError      text that is not a composition (also a ValueError)
├── BudgetRefused      a filter does not admit a step; nothing was spent
├── CannotShare        a budget would be spent in two places that do not know of each other
├── LedgerError        a ledger could not do what was asked
│   ├── UnknownBudget     no budget of that name
│   ├── BudgetExists      a budget of that name is there already
│   ├── BudgetClosed      it takes no more charges
│   ├── ChargeRefused     its filter does not admit the step (also a BudgetRefused)
│   ├── KeyReused         a key stands for another charge already
│   ├── UnknownCharge     no charge has that key
│   ├── ChargeSettled     it was committed, aborted or refunded before
│   ├── ClockWentBack     the clock shows an earlier time than the log
│   ├── LedgerBusy        others held the budget for too long
│   ├── LedgerUnavailable the database cannot be reached, read or written
│   │   └── NoLedger      there is none at the address
│   └── LedgerCorrupt     what is stored cannot be what was written
├── MissingExtra       an optional package is not installed (also an ImportError)
├── DoesNotApply       a theorem says nothing about the composition asked about
└── Contradiction      two certified bounds exclude each other: a bug of ours, so no answer is given
"""

from collections.abc import Iterable
from typing import Any


class TightBudgetError(Exception):
    """Base of everything we raise; `code` is stable, the sentence may improve."""

    code = "error"

    def __reduce__(self) -> tuple[Any, ...]:
        """Make it again of its sentence and fields: a pool of processes waits for ever for one it cannot read back."""
        return _unpickled_error, (type(self), str(self), vars(self))


class InvalidParameter(TightBudgetError, ValueError):
    """A parameter has a value that is not allowed."""

    code = "invalid_parameter"

    def __init__(self, name: str, value: object, allowed: str, hint: str = "") -> None:
        self.name, self.value, self.allowed = name, value, allowed
        super().__init__(f"{name} is {_shown_value(value)}, but must be {allowed}." + (f" {hint}" if hint else ""))


class MixedRelations(InvalidParameter):
    """Steps for different neighbouring relations were to be composed, and nobody said so (decision 0009)."""

    code = "mixed_relations"

    def __init__(self, relations: Iterable[str], why: str, shared: Iterable[str] = ()) -> None:
        allowed = f"one relation for all steps, since a bound is about one change of the data; here {why}"
        known = list(shared)
        hint = (
            "State all steps for one relation (promises such as pure_dp fit any), or compose them with mix_relations=True, as "
            "in tb.compose([a, b], mix_relations=True), on the command line --mix-relations, if the relations describe the "
            "same change of your data."
        )
        if known:
            asked = f"ask with relation={known[0]!r}, on the command line --relation {known[0]}"
            hint = f"All of them know {' and '.join(known)}: {asked}. Or s{hint[1:]}"
        super().__init__("relation", "+".join(sorted(relations)), allowed, hint)


class UnknownRelation(InvalidParameter):
    """A step says nothing of the neighbouring relation asked for; `known` are those that it does know."""

    code = "unknown_relation"

    def __init__(self, relation: str, step: object, known: Iterable[str], hint: str, name: str = "relation") -> None:
        self.step, self.known, self.hint = str(step), tuple(known), hint
        allowed = f"a relation that every step is known under, and {step} is known under {' and '.join(self.known) or 'none'}"
        super().__init__(name, relation, allowed, hint)


class NotationError(TightBudgetError, ValueError):
    """A text could not be read as a mechanism or composition; `position` counts characters from 0."""

    code = "notation"

    def __init__(self, message: str, text: str, position: int) -> None:
        self.text, self.position = text, position
        super().__init__(message)


class BudgetRefused(TightBudgetError):
    """A filter does not admit a step. Nothing was spent, and it stays usable; `quote` says what was asked and left."""

    code = "budget_refused"

    def __init__(self, quote: Any) -> None:
        self.quote = quote
        super().__init__(quote.reason)


class CannotShare(TightBudgetError):
    """A budget would be spent in two places that do not know of each other: in a copy, or from a file already open."""

    code = "cannot_share"

    def __init__(self, problem: str, hint: str) -> None:
        self.problem, self.hint = problem, hint
        super().__init__(f"{problem} {hint}")


class LedgerError(TightBudgetError):
    """A ledger could not do what was asked; unless the sentence says otherwise, nothing was spent."""

    code = "ledger"

    def __init__(self, problem: str, hint: str = "") -> None:
        self.problem, self.hint = problem, hint
        super().__init__(f"{problem} {hint}" if hint else problem)


class UnknownBudget(LedgerError):
    """No budget of the ledger has this name."""

    code = "unknown_budget"

    def __init__(self, name: object, close: Iterable[str] = ()) -> None:
        self.name = name
        similar = next(iter(close), None)
        listed = "The names there are: tightbudget ledger budget list, or names of the ledger in Python."
        hint = f"Did you mean {similar!r}?" if similar is not None else listed
        super().__init__(f"There is no budget called {name!r} in this ledger.", hint)


class BudgetExists(LedgerError):
    """A budget of this name is there already, and its terms are fixed."""

    code = "budget_exists"

    def __init__(self, name: str) -> None:
        self.name = name
        hint = "Take that one, or give the new one another name: terms are fixed when a budget is made."
        super().__init__(f"There is a budget called {name!r} already.", hint)


class BudgetClosed(LedgerError):
    """The budget was closed and takes no more charges."""

    code = "budget_closed"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"The budget {name!r} was closed.", "Nothing was spent, and nothing more will be admitted.")


class ChargeRefused(BudgetRefused, LedgerError):
    """The filter of a budget in a ledger does not admit a step; nothing was spent, and the refusal is in the log.

    `budget` is the name of the one that refused, which may be a parent of the one that was asked; `fits` says how much
    less would fit, in words.
    """

    def __init__(self, quote: Any, budget: str, fits: str) -> None:
        self.quote, self.budget, self.fits = quote, budget, fits
        self.problem, self.hint = f"Budget {budget!r}: {quote.reason}", f"Nothing was spent. {fits}".strip()
        Exception.__init__(self, f"{self.problem} {self.hint}")


class KeyReused(LedgerError):
    """A key stands for another charge already: retries have the same key, other charges another one."""

    code = "key_reused"

    def __init__(self, key: str, why: str) -> None:
        self.key = key
        super().__init__(f"The key {key!r} {why}.", "Nothing was spent. Take a new key for a new charge.")


class UnknownCharge(LedgerError):
    """No charge of the budget has this key."""

    code = "unknown_charge"

    def __init__(self, key: str, budget: str) -> None:
        self.key, self.budget = key, budget
        super().__init__(f"No charge on {budget!r} has the key {key!r}.", "Reserve or charge first.")


class ChargeSettled(LedgerError):
    """A charge was committed, aborted, refunded or has expired, and cannot become something else."""

    code = "charge_settled"

    def __init__(self, key: str, state: str, asked: str, hint: str = "") -> None:
        self.key, self.state = key, state
        super().__init__(f"The charge {key!r} cannot be {asked}: it {state}.", hint)


class ClockWentBack(LedgerError):
    """The clock shows an earlier time than the last entry of the log; reservations could be kept open for ever."""

    code = "clock_went_back"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        hint = "Nothing was spent. Set the clock right, on all machines that use this ledger, and try again."
        super().__init__(f"The clock is {seconds:.0f} s behind the last entry of this budget.", hint)


class LedgerBusy(LedgerError):
    """Others held what was needed for so long that the attempt was given up; it may succeed later."""

    code = "ledger_busy"

    def __init__(self, seconds: float, last: str) -> None:
        self.seconds = seconds
        hint = "Try again with the same key: if it was spent after all, the same receipt comes back."
        super().__init__(f"The ledger gave no answer within {seconds:g} s ({last}).", hint)


class LedgerUnavailable(LedgerError):
    """The database cannot be reached, read or written."""

    code = "ledger_unavailable"


class NoLedger(LedgerUnavailable):
    """There is a place for a ledger, and none in it."""

    code = "no_ledger"


class LedgerCorrupt(LedgerError):
    """What is stored cannot be what was written."""

    code = "ledger_corrupt"


class MissingExtra(TightBudgetError, ImportError):
    """A feature needs a package that a plain install does not bring."""

    code = "missing_extra"

    def __init__(self, extra: str, package: str) -> None:
        self.extra, self.package = extra, package
        super().__init__(
            f"This needs {package}, which is not installed. Run: pip install {package} (in a clone of tightbudget: "
            f"pip install '.[{extra}]')."
        )


class DoesNotApply(TightBudgetError):
    """A theorem does not cover this composition; `reason` says why."""

    code = "does_not_apply"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The bound does not apply: {reason}.")


class Contradiction(TightBudgetError):
    """Two certified bounds exclude each other. Rather than choose between them we give no answer."""

    code = "contradiction"

    def __init__(self, lower: float, upper: float) -> None:
        self.lower, self.upper = lower, upper
        super().__init__(f"Bounds contradict each other: {lower!r} > {upper!r}. Please report this expression as a bug.")


def _unpickled_error(kind: type[TightBudgetError], sentence: str, fields: dict[str, Any]) -> TightBudgetError:
    problem = kind.__new__(kind, sentence)
    vars(problem).update(fields)
    return problem


_LONGEST_SHOWN = 1000


def _shown_value(value: object) -> str:
    """Return the value as a person would type it: a number of NumPy as a plain one."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()  # type: ignore[attr-defined]
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # more digits, or levels, than Python writes out
        return f"a {type(value).__name__} that is too long to be shown"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN // 2]}... ({len(text)} characters)"
