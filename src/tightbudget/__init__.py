"""Certified two-sided (epsilon, delta) bounds for compositions of differentially private mechanisms."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tightbudget.errors import (
    BudgetRefused,
    CannotShare,
    DoesNotApply,
    InvalidParameter,
    MissingExtra,
    MixedRelations,
    NotationError,
    TightBudgetError,
)
from tightbudget.mechanisms import (
    ApproximateDP,
    BoundedRange,
    ClampedGaussian,
    ClampedLaplace,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GaussianDP,
    Histograms,
    Laplace,
    Poisson,
    PureDP,
    RandomizedResponse,
    TruncatedGaussian,
    TruncatedLaplace,
)
from tightbudget.mechanisms.base import Brackets, Composition, Curve, Mechanism, compose
from tightbudget.notation import parse
from tightbudget.numerics.bracket import Bracket
from tightbudget.version import __version__

if TYPE_CHECKING:
    from tightbudget import classic, divergences, filters, games, individual, odometers, published, studies
    from tightbudget.comparison import Comparison, compare, compare_curves

__all__ = [
    "ApproximateDP",
    "BoundedRange",
    "Bracket",
    "Brackets",
    "BudgetRefused",
    "CannotShare",
    "ClampedGaussian",
    "ClampedLaplace",
    "Comparison",
    "Composition",
    "Curve",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DoesNotApply",
    "Gaussian",
    "GaussianDP",
    "Histograms",
    "InvalidParameter",
    "Laplace",
    "Mechanism",
    "MissingExtra",
    "MixedRelations",
    "NotationError",
    "Poisson",
    "PureDP",
    "RandomizedResponse",
    "TightBudgetError",
    "TruncatedGaussian",
    "TruncatedLaplace",
    "__version__",
    "classic",
    "compare",
    "compare_curves",
    "compose",
    "divergences",
    "filters",
    "games",
    "individual",
    "odometers",
    "parse",
    "published",
    "studies",
]

# What most programs do not need is imported when it is first asked for.
_PARTS = frozenset({"classic", "divergences", "filters", "games", "individual", "odometers", "published", "studies"})
_FROM_COMPARISON = frozenset({"Comparison", "compare", "compare_curves"})


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"tightbudget.{name}")
    if name in _FROM_COMPARISON:
        return getattr(import_module("tightbudget.comparison"), name)
    raise AttributeError(f"module 'tightbudget' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
