"""A privacy loss distribution accountant, certified on both sides: brackets of epsilon and delta of any composition.

Belongs here: public names, and what every room may use (errors, lazy imports, the version).
Elsewhere: all code that computes, in the rooms below.

Every name is imported when it is first used: what asks only for the version does not wait for NumPy.
"""

from typing import TYPE_CHECKING

from tightbudget.lazy import imported_when_used
from tightbudget.version import __version__

if TYPE_CHECKING:
    from tightbudget import classic, client, divergences, filters, games, individual, ledger, odometers, published, studies
    from tightbudget.calibration import Calibration, calibrate
    from tightbudget.comparison import Comparison, compare, compare_curves
    from tightbudget.errors import (
        BudgetClosed,
        BudgetExists,
        BudgetRefused,
        CannotShare,
        ChargeRefused,
        ChargeSettled,
        ClockWentBack,
        DoesNotApply,
        InvalidParameter,
        KeyReused,
        LedgerBusy,
        LedgerCorrupt,
        LedgerError,
        LedgerUnavailable,
        MissingExtra,
        MixedRelations,
        NoLedger,
        NotationError,
        TightBudgetError,
        UnknownBudget,
        UnknownCharge,
        UnknownRelation,
    )
    from tightbudget.mechanisms import (
        RDP,
        ZCDP,
        ApproximateDP,
        BoundedRange,
        ClampedGaussian,
        ClampedLaplace,
        DiscreteGaussian,
        DiscreteLaplace,
        Exponential,
        Gaussian,
        GaussianDP,
        Group,
        Histograms,
        Laplace,
        MatrixMechanism,
        MixtureOfGaussians,
        PermuteAndFlip,
        Poisson,
        PureDP,
        RandomAllocation,
        RandomizedResponse,
        RepeatAndSelect,
        ReportNoisyMax,
        SampledGroup,
        Shuffled,
        ShuffledBatches,
        Skellam,
        SparseVector,
        TreeAggregation,
        TruncatedGaussian,
        TruncatedLaplace,
        TruncatedPoisson,
        WithoutReplacement,
        WithReplacement,
        from_loss_distribution,
    )
    from tightbudget.mechanisms.answers import Brackets, Curve
    from tightbudget.mechanisms.composition import Composition, compose
    from tightbudget.mechanisms.mechanism import Mechanism
    from tightbudget.notation import parse
    from tightbudget.numerics.attempt import Attempt
    from tightbudget.numerics.bracket import Bracket
    from tightbudget.sweeps.results import SweepResult
    from tightbudget.sweeps.run import sweep
    from tightbudget.tradeoff import Risk, Roc, risk
    from tightbudget.training import Accountant, Samplings, TrainingRun, dpsgd, samplings

__all__ = [
    "RDP",
    "ZCDP",
    "Accountant",
    "ApproximateDP",
    "Attempt",
    "BoundedRange",
    "Bracket",
    "Brackets",
    "BudgetClosed",
    "BudgetExists",
    "BudgetRefused",
    "Calibration",
    "CannotShare",
    "ChargeRefused",
    "ChargeSettled",
    "ClampedGaussian",
    "ClampedLaplace",
    "ClockWentBack",
    "Comparison",
    "Composition",
    "Curve",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DoesNotApply",
    "Exponential",
    "Gaussian",
    "GaussianDP",
    "Group",
    "Histograms",
    "InvalidParameter",
    "KeyReused",
    "Laplace",
    "LedgerBusy",
    "LedgerCorrupt",
    "LedgerError",
    "LedgerUnavailable",
    "MatrixMechanism",
    "Mechanism",
    "MissingExtra",
    "MixedRelations",
    "MixtureOfGaussians",
    "NoLedger",
    "NotationError",
    "PermuteAndFlip",
    "Poisson",
    "PureDP",
    "RandomAllocation",
    "RandomizedResponse",
    "RepeatAndSelect",
    "ReportNoisyMax",
    "Risk",
    "Roc",
    "SampledGroup",
    "Samplings",
    "Shuffled",
    "ShuffledBatches",
    "Skellam",
    "SparseVector",
    "SweepResult",
    "TightBudgetError",
    "TrainingRun",
    "TreeAggregation",
    "TruncatedGaussian",
    "TruncatedLaplace",
    "TruncatedPoisson",
    "UnknownBudget",
    "UnknownCharge",
    "UnknownRelation",
    "WithReplacement",
    "WithoutReplacement",
    "__version__",
    "calibrate",
    "classic",
    "client",
    "compare",
    "compare_curves",
    "compose",
    "divergences",
    "dpsgd",
    "filters",
    "from_loss_distribution",
    "games",
    "individual",
    "ledger",
    "odometers",
    "parse",
    "published",
    "risk",
    "samplings",
    "studies",
    "sweep",
]

_PARTS = ("classic", "client", "divergences", "filters", "games", "individual", "ledger", "odometers", "published", "studies")
_ROOMS = ("engine", "errors", "mechanisms", "notation", "numerics", "pairs")  # not public, but met by these names
_ELSEWHERE = {
    **dict.fromkeys(("Calibration", "calibrate"), "calibration"),
    **dict.fromkeys(("Comparison", "compare", "compare_curves"), "comparison"),
    **dict.fromkeys(("BudgetRefused", "CannotShare", "DoesNotApply", "InvalidParameter"), "errors"),
    **dict.fromkeys(("MissingExtra", "MixedRelations", "NotationError", "TightBudgetError", "UnknownRelation"), "errors"),
    **dict.fromkeys(("BudgetClosed", "BudgetExists", "ChargeRefused", "ChargeSettled", "ClockWentBack", "KeyReused"), "errors"),
    **dict.fromkeys(("LedgerBusy", "LedgerCorrupt", "LedgerError", "LedgerUnavailable", "NoLedger"), "errors"),
    **dict.fromkeys(("UnknownBudget", "UnknownCharge"), "errors"),
    **dict.fromkeys(("Brackets", "Curve"), "mechanisms.answers"),
    **dict.fromkeys(("Accountant", "Samplings", "TrainingRun", "dpsgd", "samplings"), "training"),
    **dict.fromkeys(("Risk", "Roc", "risk"), "tradeoff"),
    "Attempt": "numerics.attempt",
    "Bracket": "numerics.bracket",
    "SweepResult": "sweeps.results",
    "parse": "notation",
    "sweep": "sweeps.run",
}

if not TYPE_CHECKING:  # so that type checkers know these names and no others
    __getattr__ = imported_when_used(
        __name__,
        {name: f"{__name__}.{_ELSEWHERE.get(name, 'mechanisms')}:{name}" for name in __all__}
        | {name: f"{__name__}.{name}" for name in (*_PARTS, *_ROOMS)},
    )


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
