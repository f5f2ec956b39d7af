"""Certified two-sided (epsilon, delta) bounds for compositions of differentially private mechanisms."""

from tightbudget import published, studies
from tightbudget.comparison import Comparison, compare, compare_curves
from tightbudget.errors import DoesNotApply, InvalidParameter, MissingExtra, NotationError, TightBudgetError
from tightbudget import filters
from tightbudget import filters, odometers
from tightbudget import filters, individual, odometers
from tightbudget.errors import BudgetRefused, InvalidParameter, MissingExtra, NotationError, TightBudgetError
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

__version__ = "0.1.0"

__all__ = [
    "ApproximateDP",
    "BoundedRange",
    "Bracket",
    "Brackets",
    "BudgetRefused",
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
    "NotationError",
    "Poisson",
    "PureDP",
    "RandomizedResponse",
    "TightBudgetError",
    "TruncatedGaussian",
    "TruncatedLaplace",
    "__version__",
    "compare",
    "compare_curves",
    "compose",
    "filters",
    "individual",
    "odometers",
    "parse",
    "published",
    "studies",
]
