"""DpEvents read as compositions, for one neighbouring relation."""

import difflib
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tightbudget.adapters.dp_accounting.events import described
from tightbudget.adapters.dp_accounting.relations import THEIRS, our_relation
from tightbudget.adapters.dp_accounting.runs import gamma_for
from tightbudget.errors import InvalidParameter, MixedRelations, TightBudgetError, UnknownRelation
from tightbudget.mechanisms import (
    RDP,
    ZCDP,
    ApproximateDP,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    MixtureOfGaussians,
    PermuteAndFlip,
    Poisson,
    RandomAllocation,
    RandomizedResponse,
    RepeatAndSelect,
    TreeAggregation,
    TruncatedPoisson,
    WithoutReplacement,
    WithReplacement,
)
from tightbudget.mechanisms.checks import real, whole_count
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.exact_numbers import exact
from tightbudget.mechanisms.integer_vectors import MOST_DIMENSION
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.numerics.rounding import float_above, float_below

NOTHING = Composition(())
NON_PRIVATE = ApproximateDP(0.0, 1.0)
"""What a release without noise is taken for: no epsilon is enough at any delta below 1."""

_ORDERS = tuple(1.0 + k * 2.0**j for j in range(-6, 11) for k in (1.0, 1.5))
"""Of a promise (xi, rho)-zCDP, which is made for all orders: some are enough, and what they give holds."""

Read = Callable[[Any], Composition]
Reader = Callable[[Mapping[str, Any], str, Read], Composable]


class UnsupportedEvent(TightBudgetError, ValueError):
    """An event that no bound is known for, or not under this relation; `event` is that one, however deeply nested."""

    code = "unsupported_event"

    def __init__(self, event: Any, sentence: str) -> None:
        self.event = event
        super().__init__(sentence)


def from_event(event: Any, relation: Any = "add_remove") -> Composable:
    """Return the composition that a DpEvent stands for, under one neighbouring relation.

    An event is a DpEvent, its named tuple, or a dictionary; a relation a NeighboringRelation or our name of one. Events
    are known by the names of their classes: others, also deep within, raise UnsupportedEvent. Numbers that have to be
    converted are rounded towards less privacy, so that what is certified for the composition holds for the event.

    >>> event = {"class_name": "GaussianDpEvent", "noise_multiplier": 2.0}
    >>> print(from_event({"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.01, "event": event}))
    poisson(gaussian(sigma=2.0), q=0.01)
    """
    try:
        found = _read_event(event, our_relation(relation))
    except RecursionError:
        raise InvalidParameter("event", "nested too deeply", "one that fits in Python's stack") from None
    return found.items[0][0] if len(found.items) == 1 and found.items[0][1] == 1 else found


def _read_event(event: Any, relation: str) -> Composition:
    one = described(event)
    reader = _READERS.get(one.kind)
    if reader is None:
        close = difflib.get_close_matches(str(one.kind), _READERS, n=1)
        meant = f" Did you mean {close[0]}?" if close else ""
        raise UnsupportedEvent(one.given, f"No bound is known for the event {one.kind}.{meant}")
    try:
        found = reader(_EventFields(one.fields), relation, lambda inner: _read_event(inner, relation))
    except (UnknownRelation, MixedRelations) as problem:
        asked = THEIRS[relation]
        raise UnsupportedEvent(one.given, f"{one.kind} is not known under {asked}: {problem}") from None
    except InvalidParameter as problem:
        if problem.name != "mechanism":
            raise
        raise UnsupportedEvent(one.given, f"What {one.kind} runs cannot be sampled like this: {problem}") from None
    return NOTHING + found


class _EventFields(dict[str, Any]):
    """The fields of an event; one that is missing is named."""

    def __missing__(self, name: str) -> Any:
        raise InvalidParameter(name, None, "there: the event has no meaning without it")


def _read_noise_event(make: Callable[[float], Mechanism], multiplier: Any, relation: str) -> Composable:
    """Return additive noise by its multiplier, the noise relative to what one record adds."""
    return NON_PRIVATE if _is_zero(multiplier) else make(multiplier).under(relation)


def _read_gaussian_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    return _read_noise_event(Gaussian, fields["noise_multiplier"], relation)


def _read_laplace_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    return _read_noise_event(Laplace, fields["noise_multiplier"], relation)


def _discrete_laplace(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    rate = fields["noise_parameter"]

    def made(rate: float) -> Mechanism:
        return DiscreteLaplace(_quotient_below("noise_parameter", 1, rate), fields["sensitivity"])

    return NON_PRIVATE if _is_zero(rate) else made(rate).under(relation)


def _discrete_gaussian(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    sigma, sensitivity, dimension = fields["sigma"], fields.get("sensitivity", 1.0), fields.get("dimension")
    if _is_zero(sigma):
        return NON_PRIVATE
    length = exact("sensitivity", sensitivity)
    if 0 < length < 1:  # no vector of integers is that short, and what is meant may be longer
        length = Fraction(1)
    if dimension == 1:
        # of whole numbers: they differ by a whole number
        return DiscreteGaussian(sigma, math.floor(length)).under(relation)
    # not told: no vector of integers that one record adds, or two do, has more entries than its squared length is
    entries = min(MOST_DIMENSION, max(2, math.floor(4 * length**2))) if dimension is None else dimension
    return DiscreteGaussian(sigma, float_above(length), dimension=entries).under(relation)


def _randomized_response(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    noise, buckets = (
        _event_probability("noise_parameter", fields["noise_parameter"]),
        whole_count(fields["num_buckets"], "num_buckets"),
    )
    if buckets == 0:
        raise InvalidParameter("num_buckets", fields["num_buckets"], "a whole number from 1")
    if buckets == 1:
        return NOTHING
    if noise == 0:
        return NON_PRIVATE
    truth = 1 - noise + noise / buckets
    told = min(1.0, float_above(truth))
    if relation == "zero_out":  # the special record is answered at random
        return RandomizedResponse(told, buckets, relation=relation)
    return RandomizedResponse(told, buckets).under(relation)


def _read_promise_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    return ApproximateDP(fields["epsilon"], fields["delta"])


def _read_zcdp_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    rho, xi = fields["rho"], fields.get("xi", 0.0)
    if _is_zero(xi):
        return ZCDP(rho)
    slope, offset = exact("rho", rho), exact("xi", xi)
    return RDP(list(_ORDERS), [offset + slope * Fraction(order) for order in _ORDERS])


def _read_exponential_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    return Exponential(fields["epsilon"]).under(relation)


def _permute_and_flip(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    return PermuteAndFlip(fields["epsilon"]).under(relation)


def _read_tree_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    counts = fields["step_counts"]
    trees = [whole_count(one) for one in counts] if isinstance(counts, Sequence) else [whole_count(counts)]
    multiplier, longest = fields["noise_multiplier"], max(trees, default=0)
    if longest == 0:
        return NOTHING
    # a record is in one of the trees: that with the most levels decides
    return NON_PRIVATE if _is_zero(multiplier) else TreeAggregation(multiplier, longest).under(relation)


def _read_mixture_event(fields: Mapping[str, Any], relation: str, _: Read) -> Composable:
    centres = tuple(_event_list("sensitivities", fields["sensitivities"]))
    if len(centres) == 1 and _is_zero(centres[0]):
        return NOTHING
    deviation, chances = fields["standard_deviation"], tuple(_event_list("sampling_probs", fields["sampling_probs"]))
    return NON_PRIVATE if _is_zero(deviation) else MixtureOfGaussians(deviation, centres, chances).under(relation)


def _read_repeated_event(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    return read(fields["event"]) * whole_count(fields["count"])


def _read_composed_event(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    return sum(map(read, _event_list("events", fields["events"])), NOTHING)


def _read_sampled_event(
    make: Callable[[Any], Mechanism], event: Any, relation: str, empty: bool, stated: str = "add_remove"
) -> Composable:
    """Return what a sampling runs: stated as if run on all records, and then seen under the relation."""
    inner = _read_event(event, stated)
    if empty or not inner.items:
        return NOTHING
    if any(mechanism == NON_PRIVATE for mechanism, _ in inner.items):
        return NON_PRIVATE
    (first, count), *others = inner.items
    return make(inner if others or count > 1 else first).under(relation)


def _read_poisson_event(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    rate = _event_probability("sampling_probability", fields["sampling_probability"])
    return _read_sampled_event(
        lambda inner: Poisson(inner, fields["sampling_probability"]), fields["event"], relation, rate == 0
    )


def _without_replacement(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    size, batch = fields["source_dataset_size"], fields["sample_size"]

    def made(inner: Any) -> Mechanism:
        if relation != "replace_one" and not inner.relations:
            # Which records may differ is told by the accountant alone. Where a batch has a fixed size, one record takes
            # the place of another: a promise for one that is added or zeroed says less than is needed.
            allowed = f"one whose promise is for replaced records: batches differ by one, and this is for {THEIRS[relation]}"
            raise InvalidParameter("mechanism", str(inner), allowed, "Ask under REPLACE_ONE if that is what is promised.")
        return WithoutReplacement(inner, batch, size)

    return _read_sampled_event(made, fields["event"], relation, _is_zero(batch))


def _with_replacement(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    size, batch = fields["source_dataset_size"], fields["sample_size"]
    return _read_sampled_event(lambda inner: WithReplacement(inner, batch, size), fields["event"], relation, _is_zero(batch))


def _read_truncated_event(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    size, cap, rate = fields["dataset_size"], fields["truncated_batch_size"], fields["sampling_probability"]
    empty = _is_zero(size) or _is_zero(cap) or _event_probability("sampling_probability", rate) == 0
    inner = {"class_name": "GaussianDpEvent", "noise_multiplier": fields["noise_multiplier"]}
    return _read_sampled_event(lambda noise: TruncatedPoisson(noise, rate, cap, size), inner, relation, empty)


def _read_allocation_event(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    steps, times = fields["num_steps"], fields["num_selected"]
    return _read_sampled_event(lambda inner: RandomAllocation(inner, steps, times), fields["event"], relation, _is_zero(times))


def _best_of_runs(fields: Mapping[str, Any], relation: str, read: Read) -> Composable:
    mean, shape = _event_number("mean", fields["mean"]), real("shape", fields["shape"], "a number above -1, or inf")

    def made(inner: Any) -> Mechanism:
        if shape == math.inf:
            return RepeatAndSelect(inner, "poisson", mean=mean)
        if shape == 1.0:
            return RepeatAndSelect(inner, "geometric", mean=mean)
        if shape == 0.0:
            return RepeatAndSelect(inner, "logarithmic", gamma=gamma_for(mean, shape))
        if not shape > -1.0:
            raise InvalidParameter("shape", fields["shape"], "a number above -1, or inf")
        return RepeatAndSelect(inner, "negative_binomial", eta=shape, gamma=gamma_for(mean, shape))

    never = mean == 0.0 and shape == math.inf  # of other laws there always is a run
    return _read_sampled_event(made, fields["event"], relation, never, stated=relation)


_READERS: dict[str, Reader] = {
    "NoOpDpEvent": lambda fields, relation, read: NOTHING,
    "NonPrivateDpEvent": lambda fields, relation, read: NON_PRIVATE,
    "GaussianDpEvent": _read_gaussian_event,
    "LaplaceDpEvent": _read_laplace_event,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "RandomizedResponseDpEvent": _randomized_response,
    "EpsilonDeltaDpEvent": _read_promise_event,
    "ZCDpEvent": _read_zcdp_event,
    "ExponentialMechanismDpEvent": _read_exponential_event,
    "PermuteAndFlipDpEvent": _permute_and_flip,
    "SingleEpochTreeAggregationDpEvent": _read_tree_event,
    "MixtureOfGaussiansDpEvent": _read_mixture_event,
    "SelfComposedDpEvent": _read_repeated_event,
    "ComposedDpEvent": _read_composed_event,
    "PoissonSampledDpEvent": _read_poisson_event,
    "SampledWithoutReplacementDpEvent": _without_replacement,
    "SampledWithReplacementDpEvent": _with_replacement,
    "TruncatedSubsampledGaussianDpEvent": _read_truncated_event,
    "RandomAllocationDpEvent": _read_allocation_event,
    "RepeatAndSelectDpEvent": _best_of_runs,
}


def _event_list(name: str, value: Any) -> Iterable[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidParameter(name, value, "a list")
    return value


def _event_number(name: str, value: Any) -> float:
    number = real(name, value, "a finite number")
    if not math.isfinite(number):
        raise InvalidParameter(name, value, "a finite number")
    return number


def _event_probability(name: str, value: Any) -> Fraction:
    number = _event_number(name, value)
    if not 0.0 <= number <= 1.0:
        raise InvalidParameter(name, value, "a probability from 0 to 1")
    return Fraction(number)


def _is_zero(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and value == 0


def _quotient_below(name: str, dividend: int, divisor: Any) -> float:
    return float_below(Fraction(dividend) / Fraction(_event_number(name, divisor)))
