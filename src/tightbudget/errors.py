"""Everything the package raises.

TightBudgetError
├── InvalidParameter   a value outside what is allowed (also a ValueError)
│   ├── MixedRelations steps that are meant for different neighbouring relations
│   └── UnknownRelation a neighbouring relation that a step says nothing of
├── NotationError      text that is not a composition (also a ValueError)
├── BudgetRefused      a filter does not admit a step; nothing was spent
├── CannotShare        a budget would be spent in two places that do not know of each other
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
        known = next(iter(shared), None)
        hint = (
            "State all steps for one relation (promises such as pure_dp fit any), or pass mix_relations=True, on the command "
            "line --mix-relations, if the relations describe the same change of your data."
        )
        if known is not None:
            hint = (
                f"All of them know {known}: ask with relation={known!r}, on the command line --relation {known}. Or s{hint[1:]}"
            )
        super().__init__("relation", "+".join(sorted(relations)), allowed, hint)


class UnknownRelation(InvalidParameter):
    """A step says nothing of the neighbouring relation asked for."""

    code = "unknown_relation"

    def __init__(self, relation: str, step: object, known: Iterable[str], hint: str) -> None:
        allowed = f"a relation that every step is known under, and {step} is known under {' and '.join(known) or 'none'}"
        super().__init__("relation", relation, allowed, hint)


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


def _shown_value(value: object) -> str:
    """Return the value as a person would type it: a number of NumPy as a plain one."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()  # type: ignore[attr-defined]
    return repr(value)
