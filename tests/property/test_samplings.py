"""Samplings of small data sets, every batch counted: no mechanism on the batches, and no analyst who follows the
answers, exceeds the upper end; what is known exactly lies in the bracket.

Mechanisms answer with one of three letters, with probabilities that are fractions and depend on the batch as a draw of
Hypothesis says. All that is promised of them is the largest ratio of two neighbouring batches: pure DP. Randomised
response to the question whether I am in the batch keeps the same promise and is always among the choices.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import mpmath
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import epsilons, examples, rates
from tests.support.outcomes import Outcomes, exponential

import tightbudget as tb

Law = tuple[Fraction, ...]
Batch = frozenset[str]
Answers = Callable[[Batch], Law]
ME, OTHER = "me", "another in my place"

weights = st.one_of(st.integers(1, 12), st.sampled_from([1, 100]))
laws = st.lists(weights, min_size=3, max_size=3).map(lambda cells: tuple(Fraction(cell, sum(cells)) for cell in cells))
pairs = st.tuples(laws, laws).map(lambda two: list(zip(*two, strict=True)))
small_epsilons = st.one_of(epsilons.filter(lambda epsilon: epsilon < 5.0), st.floats(0.0, 1.5))


@st.composite
def answers(draw: st.DrawFn, batches: Iterable[Batch]) -> dict[Batch, Law]:
    """Return a mechanism on all batches; few different laws, so that extreme mechanisms are among them."""
    known = draw(st.lists(laws, min_size=2, max_size=4))
    return {batch: draw(st.sampled_from(known)) for batch in batches}


def subsets(records: Sequence[str], size: int | None = None) -> list[Batch]:
    sizes = range(len(records) + 1) if size is None else [size]
    return [frozenset(batch) for count in sizes for batch in itertools.combinations(records, count)]


def largest_ratio(neighbours: Iterable[tuple[Law, Law]]) -> Fraction:
    return max((max(x / y, y / x) for one, other in neighbours for x, y in zip(one, other, strict=True)), default=Fraction(1))


def promise(ratio: Fraction) -> tb.PureDP:
    """Return the smallest promise that bounds such a ratio, rounded up."""
    with mpmath.workdps(40):
        epsilon = float(mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator))
    return tb.PureDP(epsilon=max(1e-6, math.nextafter(math.nextafter(epsilon, math.inf), math.inf)))


def response(ratio: Fraction) -> tuple[Law, Law]:
    """Return the laws of the answers yes and no to a question: as far apart as the ratio allows."""
    more, less = ratio / (1 + ratio), 1 / (1 + ratio)
    return (more, less, Fraction(0)), (less, more, Fraction(0))


def mixed(shares: Iterable[tuple[Fraction, Law]]) -> Law:
    parts = list(shares)
    assert sum(share for share, _ in parts) == 1
    return tuple(sum((share * law[cell] for share, law in parts), start=Fraction(0)) for cell in range(3))


def followed(options: list[Outcomes], steps: int, g: Fraction) -> Fraction:
    """Return the largest H_g that an analyst attains who chooses each step among the options by the answers before."""

    def best(left: int, a: Fraction, b: Fraction) -> Fraction:
        if not left:
            return max(Fraction(0), a - g * b)
        return max(sum((best(left - 1, a * x, b * y) for x, y in cells), start=Fraction(0)) for cells in options)

    return best(steps, Fraction(1), Fraction(1))


def check(asked: tb.Mechanism, options: list[Outcomes], steps: int, epsilon: float) -> None:
    """Check that the analyst stays below the upper end, in each direction."""
    _, above = exponential(epsilon)
    for direction, ways in (("remove", options), ("add", [[(b, a) for a, b in cells] for cells in options])):
        answer = (asked * steps).delta(epsilon, direction=direction)
        assert followed(ways, steps, above) <= Fraction(answer.upper), direction


def law_of(batches: Iterable[tuple[Fraction, Batch]], given_answers: dict[Batch, Law]) -> Law:
    return mixed((share, given_answers[batch]) for share, batch in batches)


@given(st.integers(0, 3), rates, st.data(), st.integers(1, 2), small_epsilons)
@examples()
def test_poisson_samples(others: int, rate: float, data: st.DataObject, steps: int, epsilon: float) -> None:
    records, q = [f"record {i}" for i in range(others)], Fraction(rate)
    options, neighbours = [], []
    for _ in range(2):
        answer = data.draw(answers(subsets([ME, *records])))
        drawn = [(q ** len(batch) * (1 - q) ** (others - len(batch)), batch) for batch in subsets(records)]
        without = law_of(drawn, answer)
        present = mixed(
            (share * rest, answer[batch | me]) for share, batch in drawn for rest, me in ((q, {ME}), (1 - q, set()))
        )
        neighbours += [(answer[batch | {ME}], answer[batch]) for batch in subsets(records)]
        options.append(list(zip(present, without, strict=True)))
    ratio = largest_ratio(neighbours)
    yes, no = response(ratio)
    options.append([(q * x + (1 - q) * y, y) for x, y in zip(yes, no, strict=True)])
    check(tb.Poisson(promise(ratio), rate), options, steps, epsilon)


@given(
    st.integers(2, 4), st.sampled_from(["add_remove", "replace_one", "zero_out"]), st.data(), st.integers(1, 2), small_epsilons
)
@examples()
def test_fixed_batches(examples: int, relation: str, data: st.DataObject, steps: int, epsilon: float) -> None:
    """With me against without me, or against another in my place: the record of no contribution is one of these."""
    records = [f"record {i}" for i in range(examples - 1)]
    batch = data.draw(st.integers(1, examples - (relation == "add_remove")))
    here = subsets([ME, *records], batch)
    there = subsets(records if relation == "add_remove" else [OTHER, *records], batch)
    every = list(dict.fromkeys([*here, *there]))
    options, neighbours = [], []
    for _ in range(2):
        answer = data.draw(answers(every))
        present, absent = (law_of(((Fraction(1, len(side)), drawn) for drawn in side), answer) for side in (here, there))
        neighbours += [(answer[s], answer[t]) for s, t in itertools.combinations(every, 2) if len(s & t) == batch - 1]
        options.append(list(zip(present, absent, strict=True)))
    ratio, share = largest_ratio(neighbours), Fraction(batch, examples)
    yes, no = response(ratio)
    options.append([(share * x + (1 - share) * y, y) for x, y in zip(yes, no, strict=True)])
    if relation != "add_remove":  # is the other one in the batch? no of batches that I am in, and of those without both
        options.append([(y, share * x + (1 - share) * y) for x, y in zip(yes, no, strict=True)])
    check(tb.WithoutReplacement(promise(ratio), batch, examples, relation=relation), options, steps, epsilon)


def allocated(options: list[Outcomes], batches: int, times: int, g: Fraction, *, remove: bool) -> Fraction:
    """Return H_g of an epoch whose steps are chosen by the answers before: me in `times` of the batches, or in none."""
    ways = math.comb(batches, times)

    def best(left: int, used: tuple[Fraction, ...], without: Fraction) -> Fraction:
        """`used[j]` adds up the probabilities of the answers so far over all choices of j batches so far."""
        if not left:
            present = used[times] / ways
            return max(Fraction(0), present - g * without if remove else without - g * present)
        return max(
            sum(
                (
                    best(left - 1, (used[0] * y, *(u * y + v * x for u, v in zip(used[1:], used, strict=False))), without * y)
                    for x, y in cells
                ),
                start=Fraction(0),
            )
            for cells in options
        )

    return best(batches, (Fraction(1), *[Fraction(0)] * times), Fraction(1))


@given(st.integers(2, 3), st.data(), st.lists(pairs, min_size=2, max_size=2), small_epsilons)
@examples()
def test_allocation(batches: int, data: st.DataObject, options: list[Outcomes], epsilon: float) -> None:
    times = data.draw(st.integers(1, batches))
    promised = promise(largest_ratio([tuple(zip(*cells, strict=True)) for cells in options]))  # type: ignore[misc]
    epoch = tb.RandomAllocation(promised, batches, times)
    _, above = exponential(epsilon)
    for direction in ("remove", "add"):
        truth = allocated(options, batches, times, above, remove=direction == "remove")
        assert truth <= Fraction(epoch.delta(epsilon, direction=direction).upper), direction


@given(st.integers(2, 4), st.data(), pairs, small_epsilons)
@examples()
def test_allocation_of_a_known_pair(batches: int, data: st.DataObject, cells: Outcomes, epsilon: float) -> None:
    times = data.draw(st.integers(1, batches))
    whole = math.lcm(*(cell.denominator for pair in cells for cell in pair))
    epoch = tb.RandomAllocation(
        tb.Histograms(*([int(x * whole) for x in law] for law in zip(*cells, strict=True))), batches, times
    )
    below, above = exponential(epsilon)
    for direction in ("remove", "add"):
        least, most = (allocated([cells], batches, times, g, remove=direction == "remove") for g in (above, below))
        answer = epoch.delta(epsilon, direction=direction)
        assert Fraction(answer.lower) <= most
        assert least <= Fraction(answer.upper)
        assert times > 1 or answer.upper - answer.lower <= 0.01 * answer.upper + 1e-3  # few points far apart
