"""Laws of two and three points in fractions, and what is made of them by counting: samples, allocations, selections."""

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from tests.support.outcomes import Outcomes, exponential, swapped
from tests.support.roc_truth import hull, neyman_pearson

import tightbudget as tb

Law = tuple[Fraction, ...]
Generating = Callable[[Fraction], Fraction]
ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Case:
    """A question, and pairs of laws (with, without) that neighbours can have.

    attained  whether one of the pairs is the worst that lower ends are of
    slack     by how much masses may be off that no fraction is equal to
    """

    asked: tb.Mechanism | tb.Composition
    pairs: list[Outcomes]
    attained: bool = True
    slack: Fraction = ZERO


# Laws


def small_law(draw: random.Random) -> tuple[list[int], list[int]]:
    """Return weights of two laws on two or three points: alike, far apart, or each with points of its own."""
    cells = draw.choice([2, 3, 3])
    kind = draw.choice(["any", "any", "one side", "other side", "both sides", "rare", "very rare", "nearly equal"])
    a, b = ([draw.randint(1, 9) for _ in range(cells)] for _ in range(2))
    if kind in ("one side", "both sides"):
        b[0] = 0
    if kind in ("other side", "both sides"):
        a[-1] = 0
    if kind == "rare":
        a[draw.randrange(cells)], b[draw.randrange(cells)] = 1000, 1000
    if kind == "very rare":
        a, b = ([10**9 * weight if i else 1 for i, weight in enumerate(side)] for side in (a, b))
        b[0] = draw.choice([0, 1, 1000])
    if kind == "nearly equal":
        b = [1000 * weight + draw.randint(0, 3) for weight in a]
    return a, b


def shares(weights: Sequence[int]) -> Law:
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def discrete_laplace(scale: float, centre: int, low: int, high: int) -> Law:
    """Return noise around a centre on the integers from low to high, which end in the tails: beyond, ratios stay."""
    with mpmath.workdps(60):
        a = Fraction(mpmath.nstr(mpmath.exp(-1 / mpmath.mpf(scale)), 50))
    if low == high:
        return (ONE,)
    inside = ((1 - a) / (1 + a) * a ** abs(x - centre) for x in range(low + 1, high))
    return (a ** (centre - low) / (1 + a), *inside, a ** (high - centre) / (1 + a))


def normal(centre: float, cells: int = 24, reach: float = 7.0) -> Law:
    """Return the masses of a normal law around a centre on cells of the line: what is merged tells no more."""
    edges = [-reach + 2.0 * reach * i / (cells - 2) for i in range(cells - 1)]
    with mpmath.workdps(60):
        below = [Fraction(mpmath.nstr(mpmath.ncdf(mpmath.mpf(edge) - mpmath.mpf(centre)), 50)) for edge in edges]
    return tuple(above - under for under, above in itertools.pairwise([ZERO, *below, ONE]))


def mixed(parts: Sequence[tuple[Fraction, Law]]) -> Law:
    assert sum(share for share, _ in parts) == 1
    return tuple(sum((share * law[i] for share, law in parts), ZERO) for i in range(len(parts[0][1])))


def uniform(laws: Sequence[Law]) -> Law:
    return mixed([(Fraction(1, len(laws)), law) for law in laws])


def product(*laws: Law) -> Law:
    return tuple(math.prod(masses) for masses in itertools.product(*laws))


def pair_of(first: Sequence[Fraction], second: Sequence[Fraction]) -> Outcomes:
    return list(zip(first, second, strict=True))


def composed(*pairs: Outcomes) -> Outcomes:
    return [(math.prod(a for a, _ in cells), math.prod(b for _, b in cells)) for cells in itertools.product(*pairs)]


def both_orders(pairs: list[Outcomes]) -> list[Outcomes]:
    return [*pairs, *map(swapped, pairs)]


def sampled(cells: Outcomes, q: Fraction) -> Outcomes:
    """Return the pair of a record that is in a Poisson sample."""
    return [(q * a + (1 - q) * b, b) for a, b in cells]


# Selection


def runs(draw: random.Random) -> tuple[dict[str, object], Generating, bool]:
    """Return a law of the number of runs, its generating function, and whether there is always a run."""
    kind = draw.choice(["geometric", "negative_binomial", "logarithmic", "poisson", "binomial", "one", "eta"])
    if kind == "geometric":
        mean = draw.choice([1.0, 1.5, 4.0, 50.0])
        gamma = 1 / Fraction(mean)
        return {"runs": kind, "mean": mean}, lambda z: gamma * z / (1 - (1 - gamma) * z), True
    if kind == "one":
        return {"runs": "binomial", "trials": 1, "p": 1.0}, lambda z: z, True
    if kind == "binomial":
        trials, p = draw.choice([1, 2, 3, 20]), draw.choice([0.01, 0.25, 0.5, 0.9])
        return {"runs": kind, "trials": trials, "p": p}, lambda z: (1 - Fraction(p) + Fraction(p) * z) ** trials, False
    if kind == "poisson":
        rate = draw.choice([0.01, 0.5, 1.0, 3.0, 30.0])
        return {"runs": kind, "mean": rate}, lambda z: _numeric(lambda x: mpmath.exp(rate * (x - 1)), z), False
    gamma_float = draw.choice([0.5, 0.25, 0.75, 0.01, 0.99])
    eta = {"negative_binomial": draw.choice([2.0, 1.0, 7.0]), "eta": draw.choice([0.5, -0.5, -0.99]), "logarithmic": 0.0}[kind]

    def generating(x: mpmath.mpf) -> mpmath.mpf:
        left, gamma = 1 - (1 - mpmath.mpf(gamma_float)) * x, mpmath.mpf(gamma_float)
        return mpmath.log(left) / mpmath.log(gamma) if eta == 0 else (left**-eta - 1) / (gamma**-eta - 1)

    arguments: dict[str, object] = {"runs": "logarithmic" if kind == "logarithmic" else "negative_binomial"}
    arguments |= {"gamma": gamma_float} if eta == 0 else {"gamma": gamma_float, "eta": eta}
    return arguments, lambda z: _numeric(generating, z), True


def _numeric(function: Callable[[mpmath.mpf], mpmath.mpf], z: Fraction) -> Fraction:
    with mpmath.workdps(60):
        return Fraction(mpmath.nstr(function(mpmath.mpf(z.numerator) / z.denominator), 50))


def best_of_runs(cells: Outcomes, generating: Generating, order: Sequence[int]) -> Outcomes:
    """Return the pair of the best answer, the one last in the order; and of no answer where nothing was run."""
    below, found = (ZERO, ZERO), [(generating(ZERO),) * 2]
    for i in order:
        after = (below[0] + cells[i][0], below[1] + cells[i][1])
        found.append((generating(after[0]) - generating(below[0]), generating(after[1]) - generating(below[1])))
        below = after
    return found


def every_score(cells: Outcomes, generating: Generating) -> list[Outcomes]:
    return [best_of_runs(cells, generating, order) for order in itertools.permutations(range(len(cells)))]


# Comparison


def hockey_stick(cells: Outcomes, g: Fraction) -> Fraction:
    return sum((max(ZERO, a - g * b) for a, b in cells), ZERO)


def revealed(cells: Outcomes) -> Fraction:
    return sum((a for a, b in cells if not b), ZERO)


def deltas(pairs: Sequence[Outcomes], epsilon: float) -> tuple[Fraction, Fraction]:
    """Return bounds on the largest delta of pairs of laws, at any epsilon."""
    if epsilon == math.inf:
        return (max(map(revealed, pairs)),) * 2
    if epsilon == 0.0:
        return (max(hockey_stick(cells, ONE) for cells in pairs),) * 2
    low, high = exponential(epsilon)
    at_low, at_high = (max(hockey_stick(cells, power) for cells in pairs) for power in (low, high))
    return at_high, at_low


def epsilons_of(draw: random.Random, pairs: Sequence[Outcomes], count: int) -> list[float]:
    """Return epsilons of either sign, some of them losses."""
    cells = draw.choice(pairs)
    with mpmath.workdps(30):
        losses = [
            float(mpmath.log(mpmath.mpf(a.numerator) / a.denominator) - mpmath.log(mpmath.mpf(b.numerator) / b.denominator))
            for a, b in cells
            if a and b
        ]
    some = [*losses, *(-loss for loss in losses), 0.0, math.inf, -0.3, 0.2, draw.uniform(-2, 3), draw.expovariate(1.0)]
    return draw.sample(some, min(count, len(some)))


def check(case: Case, draw: random.Random, questions: int = 3) -> None:
    """Compare delta in each direction, epsilon, and what tests achieve, with all that was counted."""
    asked, slack = case.asked, case.slack
    ways = {"remove": case.pairs, "add": [swapped(cells) for cells in case.pairs]}
    both = ways["remove"] + ways["add"]
    for epsilon in epsilons_of(draw, case.pairs, questions):
        for direction, pairs in (("remove", ways["remove"]), ("add", ways["add"]), (None, both)):
            found, (least, most) = asked.delta(epsilon, direction=direction), deltas(pairs, epsilon)
            assert Fraction(found.upper) >= least - slack, (direction, epsilon, found, float(least))
            assert not case.attained or Fraction(found.lower) <= most + slack, (direction, epsilon, found, float(most))
    for delta in draw.sample([0.0, 1e-9, 0.01, 0.3, draw.random(), float(max(map(revealed, both)))], 2):
        answer = asked.epsilon(delta)
        if answer.upper < math.inf:
            assert deltas(both, answer.upper)[0] - slack <= Fraction(delta), (delta, answer)
        if case.attained and answer.lower == math.inf:
            assert max(map(revealed, both)) + slack >= Fraction(delta), (delta, answer)
        elif case.attained and answer.lower > 0.0:
            assert deltas(both, math.nextafter(answer.lower, 0.0))[1] + slack >= Fraction(delta), (delta, answer)
    _check_tests(case, both, draw)


def _check_tests(case: Case, both: list[Outcomes], draw: random.Random) -> None:
    risk, slack = tb.risk(case.asked), case.slack
    sides = [tuple(zip(*cells, strict=True)) for cells in both]
    for rate in draw.sample([1e-9, 0.01, 0.1, 0.25, 0.5, 0.9, draw.random()], 2):
        found, fpr = risk.tpr(rate), Fraction(rate)
        largest = max(neyman_pearson(p, q, fpr) for p, q in sides)
        assert Fraction(found.upper) >= largest - slack, (rate, found, float(largest))
        assert not case.attained or Fraction(found.lower) <= largest + slack, (rate, found, float(largest))
        p, q = draw.choice(sides)
        assert len(p) > 30 or hull(p, q, fpr) <= Fraction(found.upper) + slack, (rate, found)
    prior = draw.choice([0.5, 0.1, draw.random()])
    chance, error = Fraction(prior), risk.bayes_error(prior)
    least = min(sum(min(chance * x, (1 - chance) * y) for x, y in zip(p, q, strict=True)) for p, q in sides)
    assert Fraction(error.lower) <= least + slack, (prior, error, float(least))
    assert not case.attained or Fraction(error.upper) >= least - slack, (prior, error, float(least))
