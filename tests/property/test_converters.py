"""What other tools' words say of a composition, read back, answers no less than the composition that was written.

Brackets that overlap would not show a loss that is smaller than they are wide, nor one of a class, whose ends are far
apart. So the same end of both is compared, in each direction, and what dp_accounting's own accountants say of the
event.

Many more are drawn by HYPOTHESIS_PROFILE=deep.
"""

import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import dp_accounting
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution as their_losses
from hypothesis import settings

import tightbudget as tb
from tightbudget.adapters import prv
from tightbudget.adapters.convert import convert
from tightbudget.adapters.dp_accounting import (
    UnsupportedEvent,
    event_from_json,
    event_to_json,
    from_event,
    from_pld,
    relation_of,
    to_event,
)
from tightbudget.adapters.dp_accounting.writing import event_fields
from tightbudget.adapters.opacus_history import composition_of

Relation = dp_accounting.NeighboringRelation
RELATIONS = ("add_remove", "replace_one", "zero_out")
MOST = 2000
ROOM = 3e-3  # relative, of two brackets that are asked for at 1e-3
NOISE = 1e-11  # absolute, of sums of theirs
EPSILONS = (0.0, 0.1, 0.7, 2.0)
DELTAS = (1e-5, 1e-2)


def drawn(seed: int, times: int) -> Iterator[random.Random]:
    """Yield generators of random numbers, `times` as many as the profile has examples."""
    for number in range(min(MOST, times * settings.default.max_examples)):
        yield random.Random(f"{seed}: {number}")


def size(draw: random.Random, low: float = 0.4, high: float = 8.0) -> float:
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def noise_on_a_query(draw: random.Random, relation: str) -> tb.Mechanism:
    """Return noise stated for a relation, with a sensitivity that halves to a whole number or does not."""
    moved = draw.choice([1.0, 2.0, size(draw, 0.3, 3.0)])
    return draw.choice(
        [
            tb.Gaussian(size(draw) * moved, moved, relation=relation),
            tb.Laplace(size(draw) * moved, moved, relation=relation),
            tb.DiscreteLaplace(size(draw) * 2.0, draw.randint(1, 4), relation=relation),
            tb.DiscreteGaussian(size(draw) * 2.0, draw.randint(1, 4), relation=relation),
            tb.DiscreteGaussian(size(draw) * 2.0, draw.choice([1.0, math.sqrt(2.0), 1.9, 2.0]), 3, relation=relation),
        ]
    )


def promise(draw: random.Random) -> tb.Mechanism:
    epsilon = size(draw, 0.05, 2.0)
    return draw.choice(
        [
            tb.PureDP(epsilon),
            tb.ApproximateDP(epsilon, 10.0 ** draw.uniform(-9, -2)),
            tb.GaussianDP(epsilon),
            tb.ZCDP(rho=0.3 * epsilon**2),
            tb.Exponential(epsilon),
            tb.PermuteAndFlip(epsilon),
        ]
    )


def release(draw: random.Random, relation: str) -> tb.Mechanism:
    """Return a mechanism that is not sampled, for a relation."""
    makers: list[Callable[[], tb.Mechanism]] = [
        lambda: noise_on_a_query(draw, relation),
        lambda: noise_on_a_query(draw, relation),
        lambda: noise_on_a_query(draw, "add_remove").under(relation),
        lambda: promise(draw),
        lambda: tb.TreeAggregation(size(draw) * 2.0, draw.randint(1, 40), sensitivity=size(draw, 0.5, 2.0), relation=relation),
    ]
    if relation != "add_remove":
        values = draw.randint(2, 9)
        makers.append(lambda: tb.RandomizedResponse(draw.uniform(1.0 / values, 0.99), values, relation=relation))
    if relation != "replace_one":
        share = draw.uniform(0.05, 0.95)
        makers.append(
            lambda: tb.MixtureOfGaussians(size(draw) * 2.0, [0.0, size(draw)], [1.0 - share, share], relation=relation)
        )
    return draw.choice(makers)()


def sampled(draw: random.Random, relation: str) -> tb.Mechanism:
    """Return a mechanism on samples or batches; what it runs is stated for any of the relations that it takes."""
    stated = draw.choice(["add_remove", "add_remove", relation])
    inner = draw.choice([noise_on_a_query, release])(draw, stated)
    gaussian = tb.Gaussian(size(draw), draw.choice([1.0, 2.0]), relation=stated)
    rate, examples = draw.choice([1.0, 10.0 ** draw.uniform(-2, -0.1)]), draw.randint(5, 60)
    batch = draw.randint(1, examples)
    makers: list[Callable[[], tb.Mechanism]] = [
        lambda: tb.Poisson(inner, rate, relation=relation),
        lambda: tb.Poisson(inner, rate, relation=relation, mix_relations=True),
        lambda: tb.WithoutReplacement(inner, batch, examples, relation=relation),
        lambda: tb.WithReplacement(gaussian, batch, examples, relation=relation),
        lambda: tb.TruncatedPoisson(gaussian, min(rate, 0.9), batch, examples, relation=relation),
        lambda: tb.RandomAllocation(gaussian, draw.randint(1, 5), relation=relation, mix_relations=draw.random() < 0.5),
        lambda: tb.Poisson(tb.Poisson(inner, rate), rate, relation=relation),
    ]
    return draw.choice(makers)()


def selected(draw: random.Random, relation: str) -> tb.Mechanism:
    inner = tb.Gaussian(size(draw), draw.choice([1.0, 2.0]), relation=relation)
    return draw.choice(
        [
            lambda: tb.RepeatAndSelect(inner, mean=size(draw, 1.0, 9.0)),
            lambda: tb.RepeatAndSelect(inner, gamma=draw.uniform(0.1, 1.0)),
            lambda: tb.RepeatAndSelect(inner, "poisson", mean=size(draw, 0.5, 9.0)),
            lambda: tb.RepeatAndSelect(inner, "logarithmic", gamma=draw.uniform(0.1, 0.9)),
            lambda: tb.RepeatAndSelect(inner, "negative_binomial", eta=draw.uniform(-0.5, 2.0), gamma=draw.uniform(0.2, 0.9)),
        ]
    )()


def any_composition(draw: random.Random) -> tb.Composition | None:
    """Return one to three steps for a relation; None where what was drawn is none."""
    relation = draw.choice(RELATIONS)
    kinds = draw.choices([release, sampled, selected], [4, 5, 0.5], k=draw.choice([1, 1, 2, 3]))
    try:
        return tb.compose([kind(draw, relation) * draw.choice([1, 1, 2, 5]) for kind in kinds])
    except tb.TightBudgetError:  # not known under the relation
        return None


def answers(c: tb.Composition, relation: str) -> dict[tuple[str, float], tb.Bracket]:
    """Return all that is compared: delta in either direction, and epsilon."""
    found = {
        (direction, epsilon): c.delta(epsilon, relation=relation, direction=direction)
        for direction in ("remove", "add")
        for epsilon in EPSILONS
    }
    return found | {("epsilon", delta): c.epsilon(delta, relation=relation) for delta in DELTAS}


def check_no_less(read: tb.Composition, written: tb.Composition, relation: str) -> None:
    """Raise if what is read answers less than what was written, at the same end of a bracket."""
    before, after = answers(written, relation), answers(read, relation)
    for question, one in before.items():
        other = after[question]
        assert other.lower * (1.0 + ROOM) + NOISE >= one.lower, (str(written), str(read), question, one, other)
        assert other.upper * (1.0 + ROOM) + NOISE >= one.upper, (str(written), str(read), question, one, other)


def check_theirs(event: dp_event.DpEvent, relation: str, written: tb.Composition) -> int:
    """Raise if an accountant of theirs, sound for the event, claims less than was written; return how many do not."""
    asked, theirs = Relation[relation_of(written)], 0
    accountants = [dp_accounting.pld.PLDAccountant(asked, value_discretization_interval=1e-2)]
    if "RandomizedResponse" in repr(event):
        accountants = []  # it counts one, however many there are
    if asked is not Relation.REPLACE_ONE:  # under which theirs takes normal noise for what it is under add_remove
        accountants.append(dp_accounting.rdp.RdpAccountant(neighboring_relation=asked))
    for accountant in accountants:
        if not accountant.supports(event):
            continue
        try:
            accountant.compose(event)
        except ValueError:  # a shape below 0 is supported until it is composed
            continue
        for epsilon in EPSILONS[1:]:
            certain = written.delta(epsilon, relation=relation).lower
            assert accountant.get_delta(epsilon) * (1.0 + 1e-6) + NOISE >= certain, (str(written), event, epsilon)
        theirs += 1
    return theirs


def test_an_event_of_any_composition_is_read_back_as_no_less() -> None:
    made = refused = theirs = 0
    for draw in drawn(1, times=4):
        c = any_composition(draw)
        if c is None:
            continue
        made += 1
        try:
            fields = event_fields(c)
        except UnsupportedEvent:
            refused += 1
            continue
        relation = next(iter(c.relations), "add_remove")
        check_no_less(tb.compose([from_event(fields, relation)]), c, relation)
        try:
            event = to_event(c)
        except UnsupportedEvent:  # the version that is installed has not all of them
            continue
        assert from_event(event, relation) == from_event(fields, relation)
        theirs += check_theirs(event, relation, c)
    print(f"{made} compositions, {refused} without an event, {theirs} beside their accountants")
    assert made > 2 * refused
    assert theirs > made // 10


def test_each_language_of_a_composition_says_no_less() -> None:
    """The text of one form is read as another: notation, event, and the history where there is one."""
    for draw in drawn(2, times=2):
        step = tb.Gaussian(size(draw), draw.choice([1.0, 2.0, size(draw)]))
        steps = [tb.Poisson(step, 10.0 ** draw.uniform(-3, 0)) * draw.randint(1, 50), step * draw.randint(1, 5)]
        c = tb.compose(draw.sample(steps, draw.randint(1, 2)))
        relation = draw.choice([None, "add_remove", "replace_one", "zero_out"])
        written = convert(str(c), relation)
        assert written.event is not None
        texts = [event_to_json(written.event)]
        if written.history is not None:
            assert relation in (None, "add_remove")
            texts.append(json.dumps({"history": written.history, "mechanism": "rdp"}))
        name = relation or "add_remove"
        for text in texts:
            again = convert(text, name)
            check_no_less(tb.compose([again.composition]), tb.compose([written.composition]), name)


def their_lower_bound(event: dict[str, Any], relation: Relation) -> Any:
    """Return an optimistic loss distribution of theirs: it claims no more than the event means under the relation."""
    fields = event.get("event", event)
    chosen = {"value_discretization_interval": 1e-3, "pessimistic_estimate": False, "use_connect_dots": False}
    if "event" in event:
        chosen["sampling_prob"] = event["sampling_probability"]
    if fields["class_name"] == "GaussianDpEvent":
        noise = fields["noise_multiplier"]
        return their_losses.from_gaussian_mechanism(noise, neighboring_relation=relation, **chosen)
    if fields["class_name"] == "LaplaceDpEvent":
        return their_losses.from_laplace_mechanism(fields["noise_multiplier"], **chosen)
    return their_losses.from_discrete_laplace_mechanism(fields["noise_parameter"], fields["sensitivity"], **chosen)


def test_an_event_is_read_as_no_less_than_it_means_there() -> None:
    for draw in drawn(3, times=2):
        relation = draw.choice(RELATIONS)
        kind = "Gaussian" if relation == "replace_one" else draw.choice(["Gaussian", "Laplace", "DiscreteLaplace"])
        fields: dict[str, Any] = {"class_name": f"{kind}DpEvent", "noise_multiplier": size(draw)}
        if kind == "DiscreteLaplace":
            fields = {"class_name": f"{kind}DpEvent", "noise_parameter": 1.0 / size(draw), "sensitivity": draw.randint(1, 3)}
        event = fields
        if draw.random() < 0.6:
            event = {
                "class_name": "PoissonSampledDpEvent",
                "sampling_probability": 10.0 ** draw.uniform(-2, 0),
                "event": fields,
            }
        count = draw.choice([1, 3])
        read = from_event(event_from_json(json.dumps(event)), relation) * count
        theirs = their_lower_bound(event, Relation[relation_of(read)]).self_compose(count)
        for epsilon in EPSILONS:
            assert read.delta(epsilon).upper * (1.0 + 1e-9) + 1e-9 >= theirs.get_delta_for_epsilon(epsilon), (event, epsilon)


def noise_in_both_languages(draw: random.Random) -> tuple[tb.Mechanism, Any]:
    """Return a mechanism, and a pessimistic loss distribution of theirs for it."""
    noise, chosen = size(draw, 0.7), {"value_discretization_interval": 10.0 ** draw.uniform(-3, -1)}
    kind = draw.choice(["gaussian", "laplace", "sampled", "discrete"])
    if kind == "gaussian":
        return tb.Gaussian(noise), their_losses.from_gaussian_mechanism(noise, **chosen)
    if kind == "laplace":
        return tb.Laplace(noise), their_losses.from_laplace_mechanism(noise, **chosen)
    if kind == "sampled":
        return tb.Poisson(tb.Gaussian(noise), 0.1), their_losses.from_gaussian_mechanism(noise, sampling_prob=0.1, **chosen)
    rate = 1.0 / noise
    return tb.DiscreteLaplace(1.0 / rate, 2), their_losses.from_discrete_laplace_mechanism(rate, 2, **chosen)


def test_a_loss_distribution_of_theirs_is_read_as_no_less() -> None:
    for draw in drawn(4, times=1):
        mechanism, pld = noise_in_both_languages(draw)
        inside, outside = draw.choice([1, 2, 5]), draw.choice([1, 3])
        read, truth = from_pld(pld.self_compose(inside)) * outside, mechanism * (inside * outside)
        for epsilon in EPSILONS:
            certain = truth.delta(epsilon)
            for direction in ("remove", "add"):
                told, sure = (c.delta(epsilon, direction=direction) for c in (read, truth))
                assert told.upper * (1.0 + 1e-9) >= sure.lower, (str(truth), epsilon, direction)
            # theirs of one composition: its masses exceed 1 by rounding, which no pair of laws has
            theirs = pld.self_compose(inside * outside).get_delta_for_epsilon(epsilon)
            assert read.delta(epsilon).upper * (1.0 + 1e-3) + 1e-6 >= min(theirs, certain.upper)


def test_a_history_with_accumulated_batches_is_no_less_than_any_way_to_draw_them() -> None:
    """One noisy sum over several samples reveals at least what one sample does, and at most the answers apart."""
    for draw in drawn(5, times=1):
        noise, rate, batches = size(draw), 10.0 ** draw.uniform(-2, -0.3), draw.randint(1, 6)
        steps = draw.randint(1, 4)
        read = composition_of([(noise, rate, steps, batches)])
        one = composition_of([(noise, rate, steps)])
        assert one == tb.Poisson(tb.Gaussian(noise), rate) * steps
        apart = tb.Poisson(tb.Gaussian(noise / math.sqrt(batches)), rate) * (steps * batches)
        for epsilon in EPSILONS:
            found = read.delta(epsilon)
            assert found.upper * (1.0 + ROOM) + NOISE >= one.delta(epsilon).lower
            assert found.lower <= apart.delta(epsilon).upper * (1.0 + ROOM) + NOISE


@pytest.mark.parametrize(
    ("variable", "mechanism"),
    [
        (prv.PoissonSubsampledGaussianMechanism(0.3, 0.7), tb.Poisson(tb.Gaussian(0.7), 0.3)),
        (prv.GaussianMechanism(0.7, l2_sensitivity=3.0), tb.Gaussian(0.7, 3.0)),
        (prv.LaplaceMechanism(mu=0.7), tb.Laplace(1.0, 0.7)),
        (prv.PureDPMechanism(0.7), tb.PureDP(0.7)),
        (prv.ApproximateDPMechanism(0.7, 1e-3), tb.ApproximateDP(0.7, 1e-3)),
    ],
    ids=str,
)
def test_a_random_variable_is_the_mechanism_that_it_names(variable: Any, mechanism: tb.Mechanism) -> None:
    assert variable.mechanism == mechanism
