"""Compositions written as DpEvents, where dp_accounting has an event for each of their mechanisms.

What is read back answers no less than what was written, under the relation that the event is asked under.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tightbudget.adapters.dp_accounting.events import MODULE
from tightbudget.adapters.dp_accounting.reading import NON_PRIVATE, UnsupportedEvent, from_event
from tightbudget.adapters.dp_accounting.relations import THEIRS
from tightbudget.adapters.dp_accounting.runs import mean_of
from tightbudget.adaptive.amounts import float_up
from tightbudget.errors import InvalidParameter, MissingExtra
from tightbudget.lazy import found_at
from tightbudget.mechanisms import Composition
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import REPLACE_ONE, relation_label
from tightbudget.numerics.rounding import float_above, float_below, raised
from tightbudget.pairs.base import Direction

Fields = dict[str, Any]
Writer = Callable[[Any], tuple[str, Fields]]

_REPLACED = 2  # sensitivities that a query moves where one record replaces another: their accountants double it
_ONE_RELATION = (
    "An event is asked under one relation: write composition.under(relation). Samplings in it must run mechanisms stated "
    "for add_remove."
)
_ADDED_ALONE = (
    "A sample may hold either record or neither, and an event states only what one record adds: "
    "state the sensitivity for add_remove, usually half of this one."
)


def relation_of(c: Composable) -> str:
    """Return the name of the NeighboringRelation that a composition's event must be asked under."""
    return THEIRS[_one_relation(c)]


def _one_relation(c: Composable) -> str:
    """Return the relation that all of it is for; what was made of several has no event."""
    relation = relation_label(c.relations)
    if relation not in THEIRS:
        raise UnsupportedEvent(c, f"dp_accounting has no event for {c}, which is stated for {relation}. {_ONE_RELATION}")
    return relation


def to_event(c: Composable) -> Any:
    """Return the DpEvent of a composition, to be asked under `relation_of`; needs the extra dp-accounting.

    A composition without an event raises UnsupportedEvent. Quotients are rounded towards less privacy. Noise
    multipliers are relative to what one record adds, as dp_accounting defines them.
    """
    try:
        module = found_at(MODULE)
    except ImportError:
        raise MissingExtra("dp-accounting", "dp-accounting") from None
    return _build_dp_event(event_fields(c), module)


def event_fields(c: Composable) -> Fields:
    """Return the event of a composition as dictionaries, which `from_event` reads and JSON can hold."""
    relation, written = _one_relation(c), _write_steps(c)
    try:
        from_event(written, relation)
    except (UnsupportedEvent, InvalidParameter) as problem:  # such as a rate that no float holds
        raise UnsupportedEvent(c, f"dp_accounting has no event for {c} that can be read back: {problem}") from None
    return written


def _write_steps(c: Composable) -> Fields:
    steps = [_write_repeated_event(mechanism, count) for mechanism, count in (Composition(()) + c).items]
    if len(steps) == 1:
        return steps[0]
    return _event_of_class("ComposedDpEvent", events=steps) if steps else _event_of_class("NoOpDpEvent")


def _write_repeated_event(mechanism: Mechanism, count: int) -> Fields:
    one = _write_one_event(mechanism)
    return one if count == 1 else _event_of_class("SelfComposedDpEvent", event=one, count=count)


def _write_one_event(mechanism: Mechanism) -> Fields:
    if mechanism == NON_PRIVATE:
        return _event_of_class("NonPrivateDpEvent")
    if mechanism.pair(Direction.REMOVE) is None and mechanism.pair(Direction.ADD) is None:
        return _event_of_class("NoOpDpEvent")
    writer = _WRITERS.get(mechanism.name)
    if writer is None:
        raise UnsupportedEvent(mechanism, f"dp_accounting has no event for {mechanism}.")
    kind, fields = writer(mechanism)
    return _event_of_class(kind, **fields)


def _event_of_class(kind: str, **fields: Any) -> Fields:
    return {"module_name": MODULE, "class_name": kind, **fields}


def _build_dp_event(written: Fields, module: Any) -> Any:
    """Return the event itself, its nested ones made first."""
    kind = written["class_name"]
    if not hasattr(module, kind):
        raise UnsupportedEvent(written, f"The dp_accounting that is installed has no {kind}.")
    fields = {name: value for name, value in written.items() if name not in ("class_name", "module_name")}
    if "event" in fields:
        fields["event"] = _build_dp_event(fields["event"], module)
    if "events" in fields:
        fields["events"] = [_build_dp_event(one, module) for one in fields["events"]]
    return getattr(module, kind)(**fields)


def _added_by_one_record(noise: Any) -> Fraction:
    """Return what one record adds to a query: readers of the event double it where a record is replaced.

    What is run on batches of a fixed size is read so too, under every relation. Poisson samples and allocations are
    not (`_check_sampled`).
    """
    return Fraction(noise.sensitivity) / (_REPLACED if noise.relation == REPLACE_ONE else 1)


def _written_noise_multiplier(noise: Any, scale: float) -> float:
    """Return the noise relative to what one record adds."""
    return float_below(Fraction(scale) / _added_by_one_record(noise))


def _whole_addition(noise: Any) -> int:
    """Return what one record adds to a whole number: no event says that two differ by an odd number at most."""
    added = _added_by_one_record(noise)
    if added.denominator != 1:
        hint = f"one record would add {float(added):g}, not a whole number. Write the next even sensitivity."
        raise UnsupportedEvent(noise, f"dp_accounting has no event for {noise}: {hint}")
    return int(added)


def _check_sampled(sampled: Any) -> None:
    """Refuse a sample, or an allocation, of what is stated for replaced records.

    They are read with what the event says of records that come and go, under replace_one too (M28): of a move by two
    of them an event cannot speak.
    """
    if REPLACE_ONE in sampled.mechanism.relations:
        raise UnsupportedEvent(sampled, f"dp_accounting has no event for {sampled}. {_ADDED_ALONE}")


def _write_gaussian_event(noise: Any) -> tuple[str, Fields]:
    return "GaussianDpEvent", {"noise_multiplier": _written_noise_multiplier(noise, noise.sigma)}


def _write_laplace_event(noise: Any) -> tuple[str, Fields]:
    return "LaplaceDpEvent", {"noise_multiplier": _written_noise_multiplier(noise, noise.scale)}


def _discrete_laplace(noise: Any) -> tuple[str, Fields]:
    rate = float_above(1 / Fraction(noise.scale))
    return "DiscreteLaplaceDpEvent", {"noise_parameter": rate, "sensitivity": _whole_addition(noise)}


def _discrete_gaussian(noise: Any) -> tuple[str, Fields]:
    # vectors differ by twice the length that is said, and none is shorter than 1
    added = Fraction(_whole_addition(noise)) if noise.dimension == 1 else max(Fraction(1), _added_by_one_record(noise))
    fields = {"sigma": noise.sigma, "sensitivity": float_up(added), "dimension": noise.dimension}
    return "DiscreteGaussianDpEvent", fields


def _randomized_response(response: Any) -> tuple[str, Fields]:
    values, truth = int(response.k), Fraction(response.p)
    noise = (1 - truth) * values / (values - 1)
    if noise > 1:
        raise UnsupportedEvent(response, f"dp_accounting has no event for {response}, which lies more often than at random.")
    return "RandomizedResponseDpEvent", {"noise_parameter": float_below(noise), "num_buckets": values}


def _gaussian_dp(promise: Any) -> tuple[str, Fields]:
    return "GaussianDpEvent", {"noise_multiplier": float_below(1 / Fraction(promise.mu))}


def _write_promise_event(promise: Any) -> tuple[str, Fields]:
    delta = getattr(promise, "promised_delta", 0.0)
    return "EpsilonDeltaDpEvent", {"epsilon": _float_of_promise(promise.promised_epsilon), "delta": float(delta)}


def _selection_event_writer(kind: str) -> Writer:
    return lambda selection: (kind, {"epsilon": _float_of_promise(selection.promised_epsilon)})


def _float_of_promise(value: float) -> float:
    return value if isinstance(value, float) else float_above(Fraction(value))  # a whole number may have no float


def _write_zcdp_event(promise: Any) -> tuple[str, Fields]:
    if promise.promised_delta:
        raise UnsupportedEvent(promise, f"dp_accounting has no event for {promise}: its zCDP has no delta.")
    # we read the decimal number that it prints as, they the binary one
    rho = max(float_up(promise.rho), float_above(promise.rho))
    return "ZCDpEvent", {"rho": rho}


def _write_tree_event(tree: Any) -> tuple[str, Fields]:
    if tree.participations != 1:
        raise UnsupportedEvent(tree, f"dp_accounting has no event for {tree}: its trees see a record once.")
    fields = {"noise_multiplier": _written_noise_multiplier(tree, tree.sigma), "step_counts": int(tree.steps)}
    return "SingleEpochTreeAggregationDpEvent", fields


def _write_mixture_event(mixture: Any) -> tuple[str, Fields]:
    centres, chances = list(mixture.centres), list(mixture.probabilities)
    fields = {"standard_deviation": float_below(Fraction(mixture.sigma)), "sensitivities": centres, "sampling_probs": chances}
    return "MixtureOfGaussiansDpEvent", fields


def _write_truncated_event(sampled: Any) -> tuple[str, Fields]:
    inner = _write_steps(sampled.mechanism)
    if inner["class_name"] != "GaussianDpEvent":
        raise UnsupportedEvent(sampled, f"dp_accounting has no event for {sampled}: its truncated samples get normal noise.")
    fields = {"dataset_size": int(sampled.examples), "sampling_probability": sampled.q}
    fields |= {"truncated_batch_size": int(sampled.cap), "noise_multiplier": inner["noise_multiplier"]}
    return "TruncatedSubsampledGaussianDpEvent", fields


def _write_allocation_event(allocated: Any) -> tuple[str, Fields]:
    _check_sampled(allocated)
    fields = {"num_selected": int(allocated.times), "num_steps": int(allocated.batches)}
    return "RandomAllocationDpEvent", {"event": _write_steps(allocated.mechanism), **fields}


def _write_poisson_event(sampled: Any) -> tuple[str, Fields]:
    _check_sampled(sampled)
    return "PoissonSampledDpEvent", {"sampling_probability": sampled.q, "event": _write_steps(sampled.mechanism)}


def _best_of_runs(best: Any) -> tuple[str, Fields]:
    shapes = {"poisson": math.inf, "geometric": 1.0, "logarithmic": 0.0, "negative_binomial": best.eta}
    if best.runs not in shapes:
        raise UnsupportedEvent(best, f"dp_accounting has no event for {best}: its numbers of runs are not {best.runs}.")
    shape = shapes[best.runs]
    mean = best.mean if best.mean is not None else raised(mean_of(best.gamma, shape), 64)  # more runs reveal more
    return "RepeatAndSelectDpEvent", {"event": _write_steps(best.mechanism), "mean": float(mean), "shape": float(shape)}


def _fixed_size_event_writer(kind: str) -> Writer:
    def fixed_size(sampled: Any) -> tuple[str, Fields]:
        if sampled.relation != REPLACE_ONE and not sampled.mechanism.relations:
            # theirs would be read as a promise for the relation that is asked about
            raise UnsupportedEvent(
                sampled,
                f"dp_accounting has no event for {sampled}: its batches keep a promise for replaced records. "
                "State it for them, relation='replace_one'.",
            )
        sizes = {"source_dataset_size": int(sampled.examples), "sample_size": int(sampled.batch)}
        return kind, {**sizes, "event": _write_steps(sampled.mechanism)}

    return fixed_size


_WRITERS: dict[str, Writer] = {
    "gaussian": _write_gaussian_event,
    "laplace": _write_laplace_event,
    "discrete_laplace": _discrete_laplace,
    "discrete_gaussian": _discrete_gaussian,
    "randomized_response": _randomized_response,
    "gaussian_dp": _gaussian_dp,
    "approximate_dp": _write_promise_event,
    "pure_dp": _write_promise_event,
    "zcdp": _write_zcdp_event,
    "exponential": _selection_event_writer("ExponentialMechanismDpEvent"),
    "permute_and_flip": _selection_event_writer("PermuteAndFlipDpEvent"),
    "tree_aggregation": _write_tree_event,
    "mixture_of_gaussians": _write_mixture_event,
    "truncated_poisson": _write_truncated_event,
    "random_allocation": _write_allocation_event,
    "poisson": _write_poisson_event,
    "repeat_and_select": _best_of_runs,
    "without_replacement": _fixed_size_event_writer("SampledWithoutReplacementDpEvent"),
    "with_replacement": _fixed_size_event_writer("SampledWithReplacementDpEvent"),
}
