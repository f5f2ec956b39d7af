"""Reference values in closed form or as finite sums: Gaussian, randomized response, promises, histograms.

delta(epsilon) = max over both directions of sup_S A(S) - e^epsilon B(S), for r-fold products A, B. Every result is an
`arb` ball that contains it. Nothing here shares code with the package under test.
"""

from collections.abc import Sequence
from functools import reduce

from flint import arb, ctx, fmpq
from tests.reference.truth_numbers import Number, ball, rational, sharpen

Pair = tuple[list[fmpq], list[fmpq]]


def gaussian(parts: Sequence[tuple[Number, Number, int]], epsilon: Number) -> arb:
    """Gaussian mechanisms (sigma, sensitivity, count), composed.

    delta = Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m),   m^2 = sum count (sensitivity / sigma)^2
    """
    square = sum((count * (rational(s) / rational(sigma)) ** 2 for sigma, s, count in parts), fmpq(0))
    if square == 0:
        return arb(0)

    def value() -> arb:
        m, eps = arb(square).sqrt(), ball(epsilon)
        return _normal_cdf(m / 2 - eps / m) - eps.exp() * _normal_cdf(-m / 2 - eps / m)

    return sharpen(value, 256)


def randomized_response(p: Number, k: int, count: int, epsilon: Number) -> arb:
    """k-ary randomized response, truth with probability p, repeated."""
    truth = rational(p)
    other = (1 - truth) / (k - 1)
    if k == 2:
        return promise(None, 0, count, epsilon, p=max(truth, other))
    return histograms([(([truth, other, 1 - truth - other]), [other, truth, 1 - truth - other], count)], epsilon)


def promise(epsilon0: Number | None, delta0: Number, count: int, epsilon: Number, p: Number | None = None) -> arb:
    """An (epsilon0, delta0)-DP black box, repeated (theory C.4); or binary randomized response with truth p >= 1/2.

    With P = Bin(count, p) "yes" answers the loss of j yeses is (2j - count) log(p / (1-p)); all terms are positive.
    """
    exact = None if p is None else rational(p)
    if exact is not None and exact == 1:
        return arb(1)

    def value() -> arb:
        if exact is None:
            odds = ball(epsilon0).exp()
            yes = odds / (1 + odds)
        else:
            yes = arb(exact)
            odds = yes / (1 - yes)
        finite = _binomial_delta(yes, odds, count, ball(epsilon))
        keep = (1 - ball(delta0)) ** count
        return (1 - keep) + keep * finite  # 1 - keep is exact enough: sharpen() raises the precision

    if exact is not None and exact == fmpq(1, 2):
        return arb(0)
    largest = sharpen(lambda: count * (ball(epsilon0) if exact is None else (arb(exact) / (1 - exact)).log()), 128, 60)
    if rational(delta0) == 0 and largest <= ball(epsilon):
        return arb(0)
    return sharpen(value, 256)


def _binomial_delta(yes: arb, odds: arb, count: int, eps: arb) -> arb:
    """Sum the binomial terms above the threshold outwards from the largest, tails bounded by geometric series."""
    threshold = ((eps / odds.log() + count) / 2).upper()  # smallest j with a positive term, or one less: harmless
    first = max(0, min(count, int(threshold.floor().unique_fmpz())))
    mode = min(count, int((yes * count).mid().floor().unique_fmpz()))
    start = max(first, mode)
    no = 1 - yes
    peak = arb.bin_uiui(count, start) * yes**start * no ** (count - start)
    weight = (eps - (2 * start - count) * odds.log()).exp()
    tiny = arb(2) ** (-ctx.prec // 2)

    total, term, w, step = arb(0), peak, weight, odds**-2
    for j in range(start, count + 1):
        total += term * (1 - w).nonnegative_part()
        ratio = odds * (count - j) / (j + 1)
        if j > start and ratio < 0.999 and term / (1 - ratio) < tiny * total:
            total = total.union(total + term * ratio / (1 - ratio))
            break
        term, w = term * ratio, w * step

    term, w, step = peak, weight, odds**2
    for j in range(start, first, -1):  # towards the threshold, when it lies below the mode
        ratio = j / (odds * (count - j + 1))
        term, w = term * ratio, w * step
        total += term * (1 - w).nonnegative_part()
        ratio = (j - 1) / (odds * (count - j + 2))
        if ratio < 0.999 and term / (1 - ratio) < tiny * total:
            total = total.union(total + term * ratio / (1 - ratio))
            break
    return total


def normalised(a: Sequence[Number], b: Sequence[Number]) -> Pair:
    """Return the pair as exact rationals, each side summing to one."""
    first, second = [rational(x) for x in a], [rational(x) for x in b]
    total_first, total_second = sum(first, fmpq(0)), sum(second, fmpq(0))
    return [x / total_first for x in first], [x / total_second for x in second]


def histograms(parts: Sequence[tuple[Sequence[Number], Sequence[Number], int]], epsilon: Number) -> arb:
    """Histogram pairs (a, b, count), composed; all multinomial outcomes are visited, in both directions.

    Cells empty on both sides vanish; a cell empty on one side makes the outcome's term the full mass, as it should.
    """
    pairs = [(*normalised(a, b), count) for a, b, count in parts]

    def direction(swap: bool) -> arb:
        groups = [_outcomes(*((b, a) if swap else (a, b)), count) for a, b, count in pairs]
        outcomes = reduce(_product, groups)
        e = ball(epsilon).exp()
        return sum(((a - e * b).nonnegative_part() for a, b in outcomes), arb(0))

    def value() -> arb:
        return direction(False).max(direction(True))

    try:
        return sharpen(value, 256, accuracy=80, limit=4000)
    except ArithmeticError:  # a delta of exactly zero, up to ties: the ball is [0, tiny]
        with ctx.workprec(4000):
            return value()


def _outcomes(a: list[fmpq], b: list[fmpq], count: int) -> list[tuple[arb, arb]]:
    """Return the masses (A, B) of every composition of `count` over the cells."""
    cells = [(x, y) for x, y in zip(a, b, strict=True) if x or y]
    tables = []
    for x, y in cells:
        rows, power_x, power_y, factorial = [], arb(1), arb(1), arb(1)
        for n in range(count + 1):
            rows.append((power_x / factorial, power_y / factorial))
            power_x, power_y, factorial = power_x * arb(x), power_y * arb(y), factorial * (n + 1)
        tables.append(rows)
    everything = arb(count).fac() if hasattr(arb, "fac") else arb(count + 1).gamma()
    partial = [(everything, everything, count)]
    for rows in tables[:-1]:
        partial = [(p * rows[n][0], q * rows[n][1], left - n) for p, q, left in partial for n in range(left + 1)]
    last = tables[-1]
    return [(p * last[left][0], q * last[left][1]) for p, q, left in partial]


def _product(first: list[tuple[arb, arb]], second: list[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
    return [(a * c, b * d) for a, b in first for c, d in second]


def _normal_cdf(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2
