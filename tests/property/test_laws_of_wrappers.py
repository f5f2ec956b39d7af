"""Every wrapper around small laws, against all outcomes counted in fractions.

Laws have two or three points, often with points that only one of them has; data sets have a few records. Draws are
seeded; TIGHTBUDGET_LAWS says how many there are of each wrapper, TIGHTBUDGET_LAWS_SEED where they begin.
"""

import itertools
import math
import os
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from tests.support.outcomes import Outcomes
from tests.support.small_laws import (
    ZERO,
    Case,
    Law,
    best_of_runs,
    both_orders,
    check,
    composed,
    discrete_laplace,
    every_score,
    mixed,
    normal,
    pair_of,
    product,
    runs,
    sampled,
    shares,
    small_law,
    uniform,
)

import tightbudget as tb

DRAWS = int(os.environ.get("TIGHTBUDGET_LAWS", "3"))
SEED = int(os.environ.get("TIGHTBUDGET_LAWS_SEED", "0"))
ROUNDED = Fraction(1, 10**40)  # fractions in place of exponentials and powers
RATES = [1e-4, 0.01, 0.1, 0.5, 0.9]


def histograms(draw: random.Random) -> tuple[tb.Histograms, Outcomes]:
    a, b = small_law(draw)
    return tb.Histograms(a, b), pair_of(shares(a), shares(b))


def histograms_alike(draw: random.Random) -> tuple[tb.Histograms, Outcomes]:
    """Return histograms whose cells both have weight."""
    while True:
        base, cells = histograms(draw)
        if all(a and b for a, b in cells):
            return base, cells


def any_base(draw: random.Random) -> tuple[tb.Mechanism, Outcomes]:
    """Return a mechanism for records that come and go with its pair (with, without): histograms, sampled or not."""
    base, cells = histograms(draw)
    if draw.random() < 0.3:
        q = draw.choice(RATES)
        return tb.Poisson(base, q), sampled(cells, Fraction(q))
    return base, cells


def poisson(draw: random.Random) -> Case:
    base, cells = any_base(draw)
    q, count = draw.choice(RATES), draw.randint(1, 3)
    return Case(tb.Poisson(base, q) * count, [composed(*[sampled(cells, Fraction(q))] * count)])


def several_on_one_sample(draw: random.Random) -> Case:
    (one, first), (other, second) = (histograms_alike(draw) for _ in range(2))
    q, count = draw.choice(RATES), draw.randint(1, 2)
    asked = tb.Poisson(one + other, q) * count
    return Case(asked, [composed(*[sampled(composed(first, second), Fraction(q))] * count)])


def poisson_replaced(draw: random.Random) -> Case:
    a, b = small_law(draw)
    without = [draw.randint(0, 5) for _ in a]
    without[draw.randrange(len(a))] += 1
    q, count = draw.choice(RATES), draw.randint(1, 2)
    rest, rate = shares(without), Fraction(q)
    present, other = (mixed([(1 - rate, rest), (rate, shares(law))]) for law in (a, b))
    asked = tb.Poisson(tb.Histograms(a, b, without=without), q, relation="replace_one") * count
    return Case(asked, [composed(*[pair_of(present, other)] * count)])


def noise(draw: random.Random, shift: int = 1) -> tuple[tb.DiscreteLaplace, float]:
    scale = draw.choice([0.3, 1.0, 1.0, 2.5])
    return tb.DiscreteLaplace(scale, shift), scale


def poisson_of_noise(draw: random.Random) -> Case:
    base, scale = noise(draw)
    q, count, relation = draw.choice(RATES), draw.randint(1, 3), draw.choice(["add_remove", "zero_out", "replace_one"])
    rate = Fraction(q)
    none, up, down = (discrete_laplace(scale, centre, -1, 1) for centre in (0, 1, -1))
    here = mixed([(1 - rate, none), (rate, up)])
    there = mixed([(1 - rate, none), (rate, down)]) if relation == "replace_one" else none
    pairs = [composed(*[pair_of(here, there)] * count)]
    asked = tb.Poisson(base, q, relation=relation, mix_relations=True) * count
    return Case(asked, both_orders(pairs) if relation == "replace_one" else pairs, slack=ROUNDED)


def moved_sums(records: list[int], batch: int, scale: float, reach: int) -> Law:
    """Return the law of a noisy sum over a batch drawn without replacement."""
    drawn = itertools.combinations(records, batch)
    return uniform([discrete_laplace(scale, sum(chosen), -reach, reach) for chosen in drawn])


def without_replacement(draw: random.Random) -> Case:
    base, scale = noise(draw)
    examples, relation = draw.randint(2, 3), draw.choice(["add_remove", "zero_out", "replace_one"])
    batch, count = draw.randint(1, examples - (relation == "add_remove")), draw.randint(1, 2)
    pairs = []
    for others in itertools.combinations_with_replacement((-1, 0, 1), examples - 1):
        for mine in (-1, 1):
            for other in {"add_remove": [[]], "zero_out": [[0]], "replace_one": [[0], [-mine]]}[relation]:
                data = ([*others, mine], [*others, *other])
                pairs.append(pair_of(*(moved_sums(records, batch, scale, batch) for records in data)))
    asked = tb.WithoutReplacement(base, batch, examples, relation=relation) * count
    if count == 2:  # an analyst who follows the answers has more: the lower end may be above what these have
        pairs = [composed(one, draw.choice([one, *pairs])) for one in draw.sample(pairs, min(6, len(pairs)))]
    return Case(asked, both_orders(pairs) if relation == "replace_one" else pairs, slack=ROUNDED, attained=count == 1)


def allocated(cells: list[Outcomes] | Outcomes, batches: int, times: int) -> Outcomes:
    present, absent = zip(*cells, strict=True)
    chosen = list(itertools.combinations(range(batches), times))
    here = uniform([product(*(present if i in some else absent for i in range(batches))) for some in chosen])
    return pair_of(here, product(*[absent] * batches))


def random_allocation(draw: random.Random) -> Case:
    base, cells = any_base(draw)
    batches = draw.randint(1, 3)
    times = draw.randint(1, batches)
    asked = tb.RandomAllocation(base, batches, times)
    try:
        asked.delta(1.0)
    except tb.InvalidParameter:  # several batches of losses that have no end
        asked, times = tb.RandomAllocation(base, batches), 1
    return Case(asked, [allocated(cells, batches, times)])


def allocation_replaced(draw: random.Random) -> Case:
    base, scale = noise(draw)
    batches = draw.randint(2, 3)
    none, up, down = (discrete_laplace(scale, centre, -1, 1) for centre in (0, 1, -1))
    sides = (allocated(pair_of(law, none), batches, 1) for law in (up, down))
    present, other = ([a for a, _ in cells] for cells in sides)
    asked = tb.RandomAllocation(base, batches, relation="replace_one")
    return Case(asked, both_orders([pair_of(tuple(present), tuple(other))]), slack=ROUNDED, attained=False)


def shuffled_batches(draw: random.Random) -> Case:
    base, scale = noise(draw)
    relation, each = draw.choice(["zero_out", "replace_one"]), draw.choice([1, 2])
    records = 2 * each
    pairs = []

    def law(data: list[int]) -> Law:
        halves = itertools.permutations(data)
        return uniform(
            [
                product(*(discrete_laplace(scale, sum(half), -each, each) for half in (order[:each], order[each:])))
                for order in halves
            ]
        )

    for others in itertools.combinations_with_replacement((-1, 0, 1), records - 1):
        for mine, other in ((1, 0), (1, -1)) if relation == "replace_one" else ((1, 0), (-1, 0)):
            pairs.append(pair_of(law([*others, mine]), law([*others, other])))
    asked = tb.ShuffledBatches(base, 2, relation=relation)
    return Case(asked, both_orders(pairs) if relation == "replace_one" else pairs, slack=ROUNDED)


def selected(draw: random.Random) -> Case:
    base, cells = any_base(draw)
    arguments, generating, always = runs(draw)
    scores = every_score(cells, generating) + ([cells] if always else [])
    asked = tb.RepeatAndSelect(base, **arguments)
    if draw.random() < 0.3:
        twice = [composed(score, score) for score in scores] + [composed(*draw.sample(scores, 2))]
        return Case(asked * 2, twice, slack=ROUNDED)
    return Case(asked * 1, scores, slack=ROUNDED)


def selected_run_of_several(draw: random.Random) -> Case:
    (one, first), (other, second) = histograms(draw), histograms(draw)
    arguments, generating, _ = runs(draw)
    cells = composed(first, second)
    order = list(range(len(cells)))
    orders = [draw.sample(order, len(order)) for _ in range(20)]
    by_loss = sorted(order, key=lambda i: cells[i][0] / cells[i][1] if cells[i][1] else Fraction(10**9))
    scores = [best_of_runs(cells, generating, order) for order in (*orders, by_loss, by_loss[::-1])]
    # the score of a lower end may put answers that one law never gives first or last
    return Case(tb.RepeatAndSelect(one + other, **arguments) * 1, scores, attained=False, slack=ROUNDED)


def sampled_selection(draw: random.Random) -> Case:
    base, cells = histograms(draw)
    arguments, generating, always = runs(draw)
    q = draw.choice(RATES)
    scores = every_score(cells, generating) + ([cells] if always else [])
    asked = tb.Poisson(tb.RepeatAndSelect(base, **arguments), q)
    return Case(asked, [sampled(score, Fraction(q)) for score in scores], slack=ROUNDED)


def allocated_selection(draw: random.Random) -> Case:
    base, cells = histograms(draw)
    arguments, generating, always = runs(draw)
    scores = every_score(cells, generating) + ([cells] if always else [])
    asked = tb.RandomAllocation(tb.RepeatAndSelect(base, **arguments), 2)
    return Case(asked, [allocated(score, 2, 1) for score in scores], slack=ROUNDED)


def response_laws(p: float, k: int) -> list[Law]:
    truth = Fraction(p)
    lie = (1 - truth) / (k - 1)
    return [tuple(truth if i == j else lie for i in range(k)) for j in range(k)]


def shuffled_reports(draw: random.Random) -> Case:
    p, k, users = draw.choice([0.6, 0.75, 0.9, 0.999]), draw.choice([2, 3]), draw.randint(1, 3)
    laws = response_laws(p, k)

    def counted(values: tuple[int, ...]) -> Law:
        masses: dict[tuple[int, ...], Fraction] = {}
        for answers in itertools.product(range(k), repeat=users):
            mass = math.prod((laws[value][answer] for value, answer in zip(values, answers, strict=True)), start=Fraction(1))
            key = tuple(sorted(answers))
            masses[key] = masses.get(key, ZERO) + mass
        return tuple(masses[key] for key in sorted(masses))

    pairs = [
        pair_of(counted((mine, *others)), counted((other, *others)))
        for others in itertools.product(range(k), repeat=users - 1)
        for mine, other in itertools.permutations(range(k), 2)
    ]
    return Case(tb.Shuffled(tb.RandomizedResponse(p, k), users=users), pairs)


def responses_of_a_group(draw: random.Random) -> Case:
    p, k, size = draw.choice([0.6, 0.75, 0.9]), draw.choice([2, 3]), draw.randint(1, 3)
    laws = response_laws(p, k)
    pairs = [composed(*[pair_of(laws[0], laws[1])] * size)]
    return Case(tb.RandomizedResponse(p, k).group(size), both_orders(pairs))


def zeroed_response(draw: random.Random) -> Case:
    p, k, count = draw.choice([0.6, 0.75, 1.0]), draw.choice([2, 3]), draw.randint(1, 3)
    none = (Fraction(1, k),) * k
    pairs = [composed(*[pair_of(response_laws(p, k)[0], none)] * count)]
    return Case(tb.RandomizedResponse(p, k, relation="zero_out") * count, pairs)


def noise_of_a_group(draw: random.Random) -> Case:
    base, scale = noise(draw)
    size, count = draw.randint(1, 3), draw.randint(1, 2)
    cells = pair_of(*(discrete_laplace(scale, centre, 0, size) for centre in (size, 0)))
    return Case((base * count).group(size), both_orders([composed(*[cells] * count)]), slack=ROUNDED)


def mixed_relations(draw: random.Random) -> Case:
    base, cells = any_base(draw)
    p, k = draw.choice([0.6, 0.75]), draw.choice([2, 3])
    laws = response_laws(p, k)
    count = draw.randint(1, 2)
    asked = tb.compose([base * count, tb.RandomizedResponse(p, k)], mix_relations=True)
    return Case(asked, [composed(*[cells] * count, pair_of(laws[0], laws[1]))])


def different_steps(draw: random.Random) -> Case:
    (one, first), (other, second) = any_base(draw), any_base(draw)
    n, m = draw.randint(1, 2), draw.randint(1, 2)
    return Case(one * n + other * m, [composed(*[first] * n, *[second] * m)])


def loss_distribution(draw: random.Random) -> Case:
    """Masses of what users have as a loss distribution in both directions: the upper end alone says something."""
    _, cells = histograms(draw)
    both = [(a, b) for a, b in cells if a and b]
    losses = [(math.nextafter(math.log(a / b), math.inf) + 1e-15, a, b) for a, b in both]
    remove, add = {}, {}  # type: ignore[var-annotated]
    for loss, a, b in losses:  # rounded up: masses of the other law are no larger than they are
        remove[loss] = remove.get(loss, 0.0) + float(a) * (1.0 - 1e-15)
        add[2e-15 + 1e-15 * abs(loss) - loss] = add.get(2e-15 + 1e-15 * abs(loss) - loss, 0.0) + float(b) * (1.0 - 1e-15)
    only_a, only_b = (float(sum((x[side] for x in cells if not x[1 - side]), ZERO)) for side in (0, 1))
    base = tb.from_loss_distribution(remove, only_a, add, only_b)
    kind = draw.choice(["alone", "sampled", "twice", "allocated", "selected"])
    if kind == "sampled":
        q = draw.choice(RATES)
        return Case(tb.Poisson(base, q), [sampled(cells, Fraction(q))], attained=False)
    if kind == "allocated":
        return Case(tb.RandomAllocation(base, 2), [allocated(cells, 2, 1)], attained=False)
    if kind == "selected":
        arguments, generating, _ = runs(draw)
        return Case(tb.RepeatAndSelect(base, **arguments), every_score(cells, generating), attained=False, slack=ROUNDED)
    return Case(base * 2, [composed(cells, cells)], attained=False) if kind == "twice" else Case(base, [cells], attained=False)


# Normal noise: answers are merged into cells, which tells less, so that only upper ends are compared


def gaussian(draw: random.Random) -> tuple[tb.Gaussian, float]:
    sigma = draw.choice([0.5, 1.0, 2.0])
    return tb.Gaussian(sigma), 1.0 / sigma


def kept_sum(records: tuple[int, ...], q: Fraction, cap: int, m: float) -> Law:
    """Return the law of the noisy sum over a Poisson sample of which no more than `cap` are kept."""
    shares: dict[int, Fraction] = {}
    for drawn in itertools.product((0, 1), repeat=len(records)):
        chance = math.prod((q if one else 1 - q for one in drawn), start=Fraction(1))
        values = [value for value, one in zip(records, drawn, strict=True) if one]
        batches = list(itertools.combinations(values, min(cap, len(values))))
        for batch in batches:
            shares[sum(batch)] = shares.get(sum(batch), ZERO) + chance / len(batches)
    return mixed([(share, normal(total * m)) for total, share in shares.items()])


def truncated_poisson(draw: random.Random) -> Case:
    base, m = gaussian(draw)
    q, cap, examples = draw.choice([0.01, 0.3, 0.9, 1.0]), draw.randint(1, 3), draw.randint(2, 3)
    relation = draw.choice(["add_remove", "zero_out", "replace_one"])
    others = tuple(draw.choice([(-1,) * (examples - 1), (0,) * (examples - 1), (1,) * (examples - 1)]))
    there = {"add_remove": others, "zero_out": (*others, 0), "replace_one": (*others, -1)}[relation]
    pair = pair_of(kept_sum((*others, 1), Fraction(q), cap, m), kept_sum(there, Fraction(q), cap, m))
    asked = tb.TruncatedPoisson(base, q, cap=cap, examples=examples, relation=relation)
    return Case(asked, both_orders([pair]) if relation == "replace_one" else [pair], attained=False, slack=ROUNDED)


def binomial_moves(weights: list[float], m: float) -> Law:
    """Return the law of as many moves as records are drawn, each at its rate."""
    shares = [Fraction(1)]
    for weight in map(Fraction, weights):
        more = [ZERO, *(weight * share for share in shares)]
        shares = [rest + moved for rest, moved in zip([*((1 - weight) * share for share in shares), ZERO], more, strict=True)]
    return mixed([(share, normal(i * m)) for i, share in enumerate(shares)])


def with_replacement(draw: random.Random) -> Case:
    base, m = gaussian(draw)
    batch, examples, relation = draw.randint(1, 4), draw.randint(2, 5), draw.choice(["add_remove", "replace_one"])
    drawn = [Fraction(1, examples)] * batch
    pair = pair_of(binomial_moves(drawn, 2.0 * m), normal(0.0))  # type: ignore[arg-type]
    asked = tb.WithReplacement(base, batch, examples, relation=relation)
    return Case(asked, both_orders([pair]) if relation == "replace_one" else [pair], attained=False, slack=ROUNDED)


def sampled_group(draw: random.Random) -> Case:
    base, m = gaussian(draw)
    rates, count = [draw.choice([0.01, 0.3, 0.9]) for _ in range(draw.randint(1, 3))], draw.randint(1, 2)
    relation = draw.choice(["add_remove", "zero_out", "replace_one"])
    other = binomial_moves(rates, -m) if relation == "replace_one" else normal(0.0)
    pair = composed(*[pair_of(binomial_moves(rates, m), other)] * count)
    alike = len(set(rates)) == 1 and relation != "zero_out"
    asked = tb.SampledGroup(base, rates, relation=relation)
    if alike:
        asked = tb.Poisson(base, rates[0], relation=relation).group(len(rates))
    return Case(asked * count, both_orders([pair]) if relation == "replace_one" else [pair], attained=False, slack=ROUNDED)


def selected_noise(draw: random.Random) -> Case:
    base, m = gaussian(draw)
    arguments, generating, _ = runs(draw)
    cells = pair_of(normal(m, 12), normal(0.0, 12))
    pairs = [best_of_runs(cells, generating, order) for order in (range(12), range(11, -1, -1))]
    return Case(tb.RepeatAndSelect(base, **arguments), pairs, attained=False, slack=ROUNDED)


def allocated_noise(draw: random.Random) -> Case:
    base, m = gaussian(draw)
    batches = draw.randint(2, 3)
    times, relation = draw.randint(1, 2), draw.choice(["add_remove", "zero_out", "replace_one"])
    up, down, none = (normal(centre, 8, 4.0) for centre in (m, -m, 0.0))
    (here, absent), (other, _) = (zip(*allocated(pair_of(law, none), batches, times), strict=True) for law in (up, down))
    pair = pair_of(here, other if relation == "replace_one" else absent)
    asked = tb.RandomAllocation(base, batches, times, relation=relation)
    return Case(asked, both_orders([pair]) if relation == "replace_one" else [pair], attained=False, slack=ROUNDED)


WRAPPERS: list[Callable[[random.Random], Case]] = [
    poisson,
    several_on_one_sample,
    poisson_replaced,
    poisson_of_noise,
    without_replacement,
    random_allocation,
    allocation_replaced,
    shuffled_batches,
    selected,
    selected_run_of_several,
    sampled_selection,
    allocated_selection,
    shuffled_reports,
    responses_of_a_group,
    zeroed_response,
    noise_of_a_group,
    mixed_relations,
    different_steps,
    loss_distribution,
    truncated_poisson,
    with_replacement,
    sampled_group,
    selected_noise,
    allocated_noise,
]


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda wrapper: wrapper.__name__)
def test_brackets_hold_what_is_counted(wrapper: Callable[[random.Random], Case]) -> None:
    for number in range(SEED, SEED + DRAWS):
        draw = random.Random(f"{wrapper.__name__} {number}")
        case = wrapper(draw)
        try:
            check(case, draw)
        except AssertionError as problem:
            raise AssertionError(f"draw {number}: {case.asked}: {problem}") from problem
