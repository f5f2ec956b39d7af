"""Shuffled reports: clones against exact sums, and shuffles of random randomisers written out in fractions."""

import itertools
import math
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine.closed.one_step import single_delta
from tightbudget.numerics.binomial import binomial
from tightbudget.pairs import clones
from tightbudget.pairs.base import Direction
from tightbudget.pairs.clones import Clones, _pair_on_dots, clone_pair

Law = dict[tuple[int, ...], Fraction]


def clone_events(users: int, epsilon: float, stronger: bool = False) -> Iterator[tuple[mp.mpf, mp.mpf]]:
    """Yield the masses of P and Q of every event, to 40 digits."""
    big = mp.exp(mp.mpf(epsilon))
    share = 2 / (big + 1) if stronger else 1 / big
    for c in range(users):
        weight = math.comb(users - 1, c) * share**c * (1 - share) ** (users - 1 - c) / mp.mpf(2) ** c / (big + 1)
        for a in range(c + 2):
            first, second = math.comb(c, a - 1) if a else 0, math.comb(c, a)
            yield weight * (big * first + second), weight * (first + big * second)


def divergence(events: Iterator[tuple[mp.mpf, mp.mpf]], epsilon: float) -> mp.mpf:
    g = mp.exp(mp.mpf(epsilon))
    return mp.fsum(max(mp.mpf(0), p - g * q) for p, q in events)


@pytest.mark.parametrize(("users", "epsilon0"), [(1, 1.0), (2, 0.1), (10, 1.0), (25, 3.0), (100, 2.0)])
@pytest.mark.parametrize("stronger", [False, True])
def test_one_round_against_exact_sums(users: int, epsilon0: float, stronger: bool) -> None:
    clone = "stronger" if stronger else "standard"
    shuffled = tb.Shuffled(epsilon0=epsilon0, users=users, clone=clone)
    with mp.workdps(40):
        for share in (0.0, 0.2, 0.5, 0.9):
            truth = divergence(clone_events(users, epsilon0, stronger), share * epsilon0)
            upper = shuffled.delta(share * epsilon0, rtol=1e-9).upper
            assert truth <= mp.mpf(upper) <= truth * (1 + mp.mpf(1e-9))


def test_two_rounds_against_exact_sums() -> None:
    with mp.workdps(30):
        events = list(clone_events(6, 1.5))
        both = [(p * r, q * s) for p, q in events for r, s in events]
        for epsilon in (0.3, 1.0, 2.0):
            upper = (tb.Shuffled(epsilon0=1.5, users=6) * 2).delta(epsilon, rtol=1e-7, effort=4).upper
            assert divergence(iter(both), epsilon) <= mp.mpf(upper) <= 1.000001 * divergence(iter(both), epsilon)


@pytest.mark.parametrize("clone", ["standard", "stronger"])
def test_two_rounds_near_the_largest_loss(clone: str) -> None:
    """A tilt leaves few events there, and columns beside them empty; the upper end once was 15,000 times too low."""
    epsilon0, epsilon = 0.012413266444933771, 0.02482494262479111
    with mp.workdps(50):
        events = list(clone_events(6, epsilon0, clone == "stronger"))
        truth = divergence(((p * r, q * s) for p, q in events for r, s in events), epsilon)
        found = (tb.Shuffled(epsilon0=epsilon0, users=6, clone=clone) * 2).delta(epsilon)
        assert truth <= mp.mpf(found.upper) <= mp.mpf(1.01) * truth


@pytest.mark.slow
def test_many_clones_are_spread_and_grouped_upward(monkeypatch: pytest.MonkeyPatch) -> None:
    with mp.workdps(25):
        events = list(clone_events(300, 1.0))
        truths = {epsilon: divergence(iter(events), epsilon) for epsilon in (0.0, 0.1, 0.3, 0.6)}
    for work, least, most in ((1e6, 0.0, 1.05), (1e6, math.inf, 1.0001), (300.0, math.inf, 10.0)):
        monkeypatch.setattr(clones, "_WORK", work)
        monkeypatch.setattr(clones, "LEAST_MEAN", least)
        pair = clones.clone_pair(("test", work, least), 1.0, 300, math.exp(-1.0))
        a, b = np.exp(pair.log_a), np.exp(pair.log_b)
        assert a.sum() == pytest.approx(1.0, abs=1e-11)
        assert b.sum() == pytest.approx(1.0, abs=1e-11)
        for epsilon, truth in truths.items():
            upper = float(np.maximum(0.0, a - math.exp(epsilon) * b).sum())
            assert float(truth) * (1 - 1e-10) <= upper <= most * float(truth)


def test_losses_end_at_epsilon0_however_many_users_there_are() -> None:
    shuffled = tb.Shuffled(epsilon0=1.0, users=100_000)
    assert shuffled.pure_epsilon == 1.0
    assert shuffled.delta(1.0).upper == 0.0
    assert 0.0 < shuffled.delta(0.9999).upper < 1e-290


@pytest.mark.slow
@pytest.mark.parametrize("users", [3, 50, 40_000])
def test_the_lower_end_is_that_of_one_bit(users: int) -> None:
    epsilon0, epsilon = 1.0, 0.6 / math.sqrt(users)
    answer = tb.Shuffled(epsilon0=epsilon0, users=users).delta(epsilon)
    with mp.workdps(30):
        g, theta = mp.exp(mp.mpf(epsilon)), 1 / (mp.exp(mp.mpf(epsilon0)) + 1)
        weight, remove, add = (1 - theta) ** users, mp.mpf(0), mp.mpf(0)
        for k in range(users + 1):  # Bin(n, theta), and the ratio of the two laws at k
            ratio = (1 - theta) * k / (users * theta) + theta * (users - k) / (users * (1 - theta))
            remove, add = remove + weight * max(0, ratio - g), add + weight * max(0, 1 - g * ratio)
            weight *= mp.mpf(users - k) * theta / ((k + 1) * (1 - theta))
        truth = max(remove, add)
    assert truth * (1 - 1e-4) <= mp.mpf(answer.lower) <= truth
    assert not answer.converged


def shuffle(reports: list[list[Fraction]]) -> Law:
    """Return the law of how often each report occurs among the users."""
    law: Law = {}
    for outcome in itertools.product(*(range(len(report)) for report in reports)):
        counted = Counter(outcome)
        key = tuple(counted[value] for value in range(len(reports[0])))
        law[key] = law.get(key, Fraction(0)) + math.prod(report[o] for report, o in zip(reports, outcome, strict=True))
    return law


def exact_divergence(p: Law, q: Law, g: Fraction) -> Fraction:
    return sum((max(Fraction(0), p[key] - g * q[key]) for key in p), start=Fraction(0))


def random_randomiser(rng: random.Random, inputs: int, outputs: int, ratio: Fraction) -> list[list[Fraction]]:
    """Return rows of probabilities, in each column of which no two differ by more than the ratio."""
    while True:
        weights = [
            [rng.choice([Fraction(1), ratio, Fraction(rng.randint(1, 99), 33)]) for _ in range(outputs)] for _ in range(inputs)
        ]
        rows = [[weight / sum(row) for weight in row] for row in weights]
        if all(max(column) <= ratio * min(column) for column in zip(*rows, strict=True)):
            return rows


def test_no_shuffle_of_random_reports_exceeds_the_upper_end() -> None:
    rng, ratio = random.Random(37), Fraction(3)
    above = math.nextafter(math.log(3.0), 2.0)
    for _ in range(60):
        users = rng.randint(2, 4)
        rows = random_randomiser(rng, 3, rng.randint(2, 3), ratio)
        others = [rng.choice(rows) for _ in range(users - 1)]
        g = Fraction(rng.randint(100, 299), 100)
        exact = exact_divergence(shuffle([rows[0], *others]), shuffle([rows[1], *others]), g)
        upper = tb.Shuffled(epsilon0=above, users=users).delta(math.log(g), rtol=1e-9).upper
        assert exact <= Fraction(upper) * (1 + Fraction(1, 10**12))


def test_the_pair_of_a_randomiser_alone_is_no_bound() -> None:
    """Three-valued randomised response, E = 3, two users: the pair with clones at rate 1/(E+k-1) is exceeded."""
    p, g = Fraction(1, 5), Fraction(14, 5)
    truth, other = [3 * p, p, p], [p, 3 * p, p]
    exact = exact_divergence(shuffle([truth, truth]), shuffle([other, truth]), g)
    assert exact == Fraction(3, 125)
    kinds = {(1, 0): (3 * p, p), (0, 1): (p, 3 * p), (0, 0): (p, p)}  # of user 1; the other is of no kind, or of either
    law_p: Law = {}
    law_q: Law = {}
    for (kind, (under_p, under_q)), (clone, rate) in itertools.product(
        kinds.items(), (((1, 0), p), ((0, 1), p), ((0, 0), 1 - 2 * p))
    ):
        key = kind[0] + clone[0], kind[1] + clone[1]
        law_p[key] = law_p.get(key, Fraction(0)) + rate * under_p
        law_q[key] = law_q.get(key, Fraction(0)) + rate * under_q
    assert exact_divergence(law_p, law_q, g) == Fraction(1, 125)
    ours = tb.Shuffled(epsilon0=math.nextafter(math.log(3.0), 2.0), users=2)
    assert Fraction(ours.delta(math.log(2.8)).upper) >= Fraction(3, 125)


def test_a_mechanism_gives_its_own_epsilon_and_its_own_lower_end() -> None:
    response = tb.RandomizedResponse(p=0.75)
    shuffled = tb.Shuffled(response, users=50)
    assert shuffled.delta(0.3).upper >= tb.Shuffled(epsilon0=math.log(3.0), users=50).delta(0.3).upper * (1 - 1e-9)
    assert shuffled.delta(0.3).lower == pytest.approx(tb.Shuffled(epsilon0=math.log(3.0), users=50).delta(0.3).lower, rel=1e-9)
    # replaced, a query moves by 2; its sign alone is reported with probability 1 - e^-1/2 / 2
    noise = tb.Shuffled(tb.Laplace(scale=2.0), users=50)
    assert noise.report.pure_epsilon == pytest.approx(1.0)
    sign = 0.5 * math.exp(-0.5)
    assert noise.member().one == pytest.approx(1.0 - sign, rel=1e-12)  # type: ignore[attr-defined]
    assert noise.member().others == pytest.approx(sign, rel=1e-12)  # type: ignore[attr-defined]
    assert 0.0 < noise.delta(0.1).lower < noise.delta(0.1).upper


@pytest.mark.slow
def test_more_users_hide_more_and_more_epsilon_reveals_more() -> None:
    uppers = [tb.Shuffled(epsilon0=1.0, users=users).epsilon(1e-6).upper for users in (1, 10, 100, 280, 290, 1000, 100_000)]
    assert uppers == sorted(uppers, reverse=True)
    uppers = [
        tb.Shuffled(epsilon0=epsilon, users=1000).epsilon(1e-6).upper for epsilon in (1e-300, 1e-9, 0.1, 1.0, 5.0, 20.0, 700.0)
    ]
    assert uppers == sorted(uppers)
    assert uppers[-1] <= 700.0


def test_the_stronger_clone_says_that_it_is_not_proven() -> None:
    stronger = tb.Shuffled(epsilon0=1.0, users=10, clone="stronger")
    for answer in (stronger.delta(0.2), stronger.epsilon(1e-3), (stronger + tb.Gaussian(1.0).under("replace_one")).delta(0.2)):
        assert not answer.converged
        assert "not certified" in answer.reason
    # the lower end is proven all the same
    assert stronger.delta(0.2).lower == tb.Shuffled(epsilon0=1.0, users=10).delta(0.2).lower
    assert not tb.Shuffled(epsilon0=1.0, users=1, clone="stronger").rests_on
    filters = tb.filters.ZCDPFilter(epsilon=4, delta=1e-6)
    for ask in (
        lambda: stronger.curve([0.1]),
        lambda: tb.compare(stronger, delta=1e-6),
        lambda: tb.risk(stronger).advantage(),
        lambda: tb.calibrate("shuffled(epsilon0=?, users=100, clone='stronger')", epsilon=1, delta=1e-6),
        lambda: filters.spend(stronger),
        lambda: tb.Accountant().would_exceed(stronger, epsilon=1, delta=1e-6),
        lambda: filters.remaining(stronger * 2),
        lambda: tb.published.tree_pair(stronger, n=64),
    ):
        with pytest.raises(tb.InvalidParameter, match="proven here"):
            ask()


@pytest.mark.slow
def test_it_is_used_like_any_other() -> None:
    shuffled = tb.Shuffled(epsilon0=1.0, users=1000)
    assert shuffled.relation == "replace_one"
    assert tb.parse(str(shuffled)) == shuffled
    assert pickle.loads(pickle.dumps(shuffled)) == shuffled
    assert tb.filters.ZCDPFilter(epsilon=4, delta=1e-6).remaining(shuffled) > 100
    assert tb.filters.RDPFilter(epsilon=4, delta=1e-6, orders=[4, 16]).remaining(shuffled) > 100
    found = tb.calibrate("shuffled(epsilon0=?, users=1000) * 10", epsilon=1, delta=1e-6, rtol=1e-3)
    assert found.achieved.upper <= 1.0
    with pytest.raises(tb.UnknownRelation):
        shuffled.delta(0.1, relation="add_remove")
    for direction in Direction:
        assert shuffled.delta(0.1, direction=direction.value).upper == shuffled.delta(0.1).upper


@pytest.mark.slow
@pytest.mark.parametrize("users", [10**6, 10**9])
def test_a_million_users_and_a_billion(users: int) -> None:
    answer = tb.Shuffled(epsilon0=1.0, users=users).epsilon(1e-6)
    assert 0.0 < answer.lower < answer.upper < 20.0 / math.sqrt(users)


@pytest.mark.parametrize(
    "bad",
    [
        {"users": 0}, {"users": 2.5}, {"users": 10**9 + 1}, {"users": True}, {"users": math.nan}, {"users": "ten"},
        {"epsilon0": -1.0}, {"epsilon0": math.inf}, {"epsilon0": math.nan}, {"epsilon0": "1"}, {"epsilon0": None},
        {"clone": "strong"}, {"clone": None}, {"mechanism": tb.PureDP(1.0)},
    ],
)  # fmt: skip
def test_what_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.Shuffled(**{"epsilon0": 1.0, "users": 10, **bad})  # type: ignore[arg-type]


@pytest.mark.parametrize("mechanism", [tb.Gaussian(1.0), tb.PureDP(1.0) * 2, tb.ApproximateDP(1.0, 1e-9), "pure_dp(1)"])
def test_a_report_must_have_a_largest_loss(mechanism: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.Shuffled(mechanism, users=10)  # type: ignore[arg-type]


def test_edges() -> None:
    assert tb.Shuffled(epsilon0=0, users=10).delta(0.0).upper == 0.0
    assert tb.Shuffled(epsilon0=5e-324, users=10).delta(0.0).upper < 1e-300
    assert tb.Shuffled(epsilon0=1e308, users=10).delta(1.0).upper == 1.0
    assert Fraction(tb.Shuffled(epsilon0=Fraction(1, 3), users=7).epsilon0 or 0) >= Fraction(1, 3)
    assert tb.Shuffled(epsilon0=np.float64(0.5), users=np.array(7)) == tb.Shuffled(epsilon0=0.5, users=7)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_clones_taken_together_hide_less_and_hardly_so(epsilon: float) -> None:
    """Groups count as their fewest, beside every number of clones by itself."""
    users, share = 6000, math.exp(-epsilon) * (1.0 - 1e-9)
    law = binomial(users - 1, share)
    each = Clones(law.first + np.arange(law.logs.size, dtype=np.float64), law.logs, law.errors)
    grouped = clone_pair(("grouped", epsilon), epsilon, users, share)
    apart = _pair_on_dots(("apart", epsilon), epsilon, each)
    for loss in (0.0, 0.01 * epsilon, 0.03 * epsilon, 0.06 * epsilon):
        found, exact = (single_delta(pair, loss, (0.0, pair.infinity.upper))[1] for pair in (grouped, apart))
        assert exact * (1.0 - 1e-9) <= found <= exact * 1.02
