"""What was run: frozen data, validated once, each with its dominating pairs.

Belongs here: one file for each kind of noise or promise; composition of them, and the questions epsilon, delta and
curve; checks of parameters; neighbouring relations.
Elsewhere: distributions and their masses (`pairs`); reading mechanisms from text (`notation`).
"""

from typing import TYPE_CHECKING

from tightbudget.lazy import imported_when_used
from tightbudget.mechanisms.composition import Composable, Composition, compose
from tightbudget.mechanisms.mechanism import Mechanism

if TYPE_CHECKING:  # so that type checkers know what each name is
    from tightbudget.mechanisms.bounded_range import BoundedRange
    from tightbudget.mechanisms.clamped import ClampedGaussian, ClampedLaplace
    from tightbudget.mechanisms.discrete import DiscreteGaussian, DiscreteLaplace
    from tightbudget.mechanisms.gaussian import Gaussian, GaussianDP, TruncatedGaussian
    from tightbudget.mechanisms.group import Group
    from tightbudget.mechanisms.histograms import Histograms
    from tightbudget.mechanisms.laplace import Laplace, TruncatedLaplace
    from tightbudget.mechanisms.loss_distribution import from_loss_distribution
    from tightbudget.mechanisms.matrix import MatrixMechanism, TreeAggregation
    from tightbudget.mechanisms.mixture_of_gaussians import MixtureOfGaussians
    from tightbudget.mechanisms.poisson import Poisson
    from tightbudget.mechanisms.promise import ApproximateDP, PureDP
    from tightbudget.mechanisms.random_allocation import RandomAllocation
    from tightbudget.mechanisms.randomized_response import RandomizedResponse
    from tightbudget.mechanisms.registry import ALL, BY_NAME
    from tightbudget.mechanisms.renyi_promises import RDP, ZCDP
    from tightbudget.mechanisms.repeat_and_select import RepeatAndSelect
    from tightbudget.mechanisms.sampled_group import SampledGroup
    from tightbudget.mechanisms.selection import Exponential, PermuteAndFlip, ReportNoisyMax
    from tightbudget.mechanisms.shuffled import Shuffled
    from tightbudget.mechanisms.shuffled_batches import ShuffledBatches
    from tightbudget.mechanisms.skellam import Skellam
    from tightbudget.mechanisms.sparse_vector import SparseVector
    from tightbudget.mechanisms.truncated_poisson import TruncatedPoisson
    from tightbudget.mechanisms.with_replacement import WithReplacement
    from tightbudget.mechanisms.without_replacement import WithoutReplacement
else:
    from tightbudget.mechanisms.registry import PLACES

    __getattr__ = imported_when_used(
        __name__,
        {place.partition(":")[2]: f"{__name__}.{place}" for place in PLACES}
        | {name: f"{__name__}.registry:{name}" for name in ("ALL", "BY_NAME")}
        | {"from_loss_distribution": f"{__name__}.loss_distribution:from_loss_distribution"},
    )

__all__ = [
    "ALL",
    "BY_NAME",
    "RDP",
    "ZCDP",
    "ApproximateDP",
    "BoundedRange",
    "ClampedGaussian",
    "ClampedLaplace",
    "Composable",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Gaussian",
    "GaussianDP",
    "Group",
    "Histograms",
    "Laplace",
    "MatrixMechanism",
    "Mechanism",
    "MixtureOfGaussians",
    "PermuteAndFlip",
    "Poisson",
    "PureDP",
    "RandomAllocation",
    "RandomizedResponse",
    "RepeatAndSelect",
    "ReportNoisyMax",
    "SampledGroup",
    "Shuffled",
    "ShuffledBatches",
    "Skellam",
    "SparseVector",
    "TreeAggregation",
    "TruncatedGaussian",
    "TruncatedLaplace",
    "TruncatedPoisson",
    "WithReplacement",
    "WithoutReplacement",
    "compose",
    "from_loss_distribution",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
