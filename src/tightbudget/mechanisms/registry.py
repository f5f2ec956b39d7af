"""Every mechanism that the notation knows, by its name there: imported when it is first used (decision 0018)."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tightbudget.lazy import found_at

if TYPE_CHECKING:
    from tightbudget.mechanisms.mechanism import Mechanism

_FILES = {  # the file and the class of each name, in the order of lists
    "gaussian": "gaussian:Gaussian",
    "laplace": "laplace:Laplace",
    "tree_aggregation": "matrix:TreeAggregation",
    "matrix_mechanism": "matrix:MatrixMechanism",
    "truncated_gaussian": "gaussian:TruncatedGaussian",
    "truncated_laplace": "laplace:TruncatedLaplace",
    "clamped_gaussian": "clamped:ClampedGaussian",
    "clamped_laplace": "clamped:ClampedLaplace",
    "discrete_gaussian": "discrete:DiscreteGaussian",
    "discrete_laplace": "discrete:DiscreteLaplace",
    "shuffled_batches": "shuffled_batches:ShuffledBatches",
    "skellam": "skellam:Skellam",
    "random_allocation": "random_allocation:RandomAllocation",
    "randomized_response": "randomized_response:RandomizedResponse",
    "bounded_range": "bounded_range:BoundedRange",
    "pure_dp": "promise:PureDP",
    "approximate_dp": "promise:ApproximateDP",
    "gaussian_dp": "gaussian:GaussianDP",
    "histograms": "histograms:Histograms",
    "mixture_of_gaussians": "mixture_of_gaussians:MixtureOfGaussians",
    "poisson": "poisson:Poisson",
    "truncated_poisson": "truncated_poisson:TruncatedPoisson",
    "group": "group:Group",
    "sampled_group": "sampled_group:SampledGroup",
    "without_replacement": "without_replacement:WithoutReplacement",
    "exponential": "selection:Exponential",
    "permute_and_flip": "selection:PermuteAndFlip",
    "report_noisy_max": "selection:ReportNoisyMax",
    "zcdp": "renyi_promises:ZCDP",
    "rdp": "renyi_promises:RDP",
    "with_replacement": "with_replacement:WithReplacement",
    "sparse_vector": "sparse_vector:SparseVector",
    "shuffled": "shuffled:Shuffled",
    "repeat_and_select": "repeat_and_select:RepeatAndSelect",
}
PLACES = tuple(_FILES.values())


class _MechanismsByName(Mapping[str, "type[Mechanism]"]):
    """Classes by their name; to ask whether there is one, or for all names, imports nothing."""

    def __init__(self) -> None:
        self._imported: dict[str, type[Mechanism]] = {}

    def __getitem__(self, name: str) -> "type[Mechanism]":
        if name not in self._imported:
            self._imported[name] = found_at(f"{__package__}.{_FILES[name]}")
        return self._imported[name]

    def __contains__(self, name: object) -> bool:
        return name in _FILES

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


BY_NAME: Mapping[str, "type[Mechanism]"] = _MechanismsByName()

if TYPE_CHECKING:
    ALL: tuple[type[Mechanism], ...]


def __getattr__(name: str) -> Any:
    if name == "ALL":
        return tuple(BY_NAME.values())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
