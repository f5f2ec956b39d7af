"""The best of a random number of runs: against laws written out from the probabilities of every number of runs."""

import itertools
import math
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import tightbudget as tb
from tightbudget.pairs.runs import BinomialRuns, NegativeBinomial, PoissonRuns, Runs

Pgf = Callable[[Any], Any]
LAWS: dict[str, dict[str, Any]] = {
    "geometric": {"gamma": 0.1},
    "geometric by its mean": {"runs": "geometric", "mean": 2.5},
    "logarithmic": {"runs": "logarithmic", "gamma": 0.2},
    "negative binomial": {"runs": "negative_binomial", "eta": 2.5, "gamma": 0.3},
    "with eta below 0": {"runs": "negative_binomial", "eta": -0.75, "gamma": 0.05},
    "poisson": {"runs": "poisson", "mean": 3.0},
    "seldom": {"runs": "poisson", "mean": 0.2},
    "binomial": {"runs": "binomial", "trials": 6, "p": 0.4},
    "at most once": {"runs": "binomial", "trials": 1, "p": 0.3},
    "nearly always": {"runs": "binomial", "trials": 3, "p": 0.95},
}


def probabilities(law: dict[str, Any]) -> list[Any]:
    """Return Pr[K = k] for k = 0, 1, ..., as the laws are defined, to 30 digits."""
    if law.get("runs") == "poisson":
        m = mp.mpf(law["mean"])
        return [mp.exp(-m) * m**k / mp.factorial(k) for k in range(200)]
    if law.get("runs") == "binomial":
        n, p = law["trials"], mp.mpf(law["p"])
        return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    gamma = mp.mpf(law["gamma"]) if "gamma" in law else 1 / mp.mpf(law["mean"])
    eta = mp.mpf(law.get("eta", 0 if law.get("runs") == "logarithmic" else 1))
    terms, product = [mp.mpf(0)], eta or mp.mpf(1)  # (1-gamma)^k prod (l+eta)/(l+1), over gamma^-eta - 1 or log(1/gamma)
    for k in range(1, 50 + int(80 / -mp.log(1 - gamma))):
        terms.append((1 - gamma) ** k * product / k if eta == 0 else (1 - gamma) ** k * product)
        product = product if eta == 0 else product * (k + eta) / (k + 1)
    whole = -mp.log(gamma) if eta == 0 else gamma**-eta - 1
    return [term / whole for term in terms]


def generating(law: dict[str, Any]) -> Pgf:
    some = probabilities(law)[::-1]

    def at(z: Any) -> Any:
        value = mp.mpf(0)
        for probability in some:
            value = value * z + probability
        return value

    return at


def best(pgf: Pgf, masses: list[Fraction]) -> list[Any]:
    """Return how likely each outcome is the best; they are given in the order of their scores. Last, no run at all."""
    sums = [mp.mpf(0)]
    for mass in masses:
        sums.append(sums[-1] + mp.mpf(mass.numerator) / mass.denominator)
    values = [pgf(z) for z in sums]
    return [*(high - low for low, high in itertools.pairwise(values)), values[0]]


def divergence(p: list[Any], q: list[Any], epsilon: float) -> Any:
    g = mp.exp(mp.mpf(epsilon))
    return mp.fsum(max(mp.mpf(0), a - g * b) for a, b in zip(p, q, strict=True))


def random_law(rng: random.Random, size: int) -> list[Fraction]:
    weights = [rng.choice([1, 2, 5, rng.randint(1, 40)]) for _ in range(size)]
    return [Fraction(weight, sum(weights)) for weight in weights]


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_probabilities_add_up(law: dict[str, Any]) -> None:
    with mp.workdps(30):
        assert abs(mp.fsum(probabilities(law)) - 1) < 1e-20


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_no_score_exceeds_the_upper_end(law: dict[str, Any]) -> None:
    rng = random.Random(36)
    with mp.workdps(30):
        pgf = generating(law)
        for _ in range(6):
            p, q = random_law(rng, 5), random_law(rng, 5)
            selected = tb.RepeatAndSelect(tb.Histograms(tuple(map(float, p)), tuple(map(float, q))), **law)
            for _ in range(4):
                order = rng.sample(range(5), 5)
                a, b = best(pgf, [p[i] for i in order]), best(pgf, [q[i] for i in order])
                for epsilon in (0.0, 0.3, 1.0, 2.0):
                    exact = max(divergence(a, b, epsilon), divergence(b, a, epsilon))
                    assert exact <= mp.mpf(selected.delta(epsilon).upper) * (1 + mp.mpf(1e-12))


def test_two_selections_composed() -> None:
    rng = random.Random(2)
    law = LAWS["geometric"]
    with mp.workdps(30):
        pgf = generating(law)
        p, q = random_law(rng, 4), random_law(rng, 4)
        a, b = best(pgf, p), best(pgf, q)
        twice = tb.RepeatAndSelect(tb.Histograms(tuple(map(float, p)), tuple(map(float, q))), **law) * 2
        for epsilon in (0.2, 1.0, 2.5):
            both = [[x * y for x in one for y in one] for one in (a, b)]
            exact = max(divergence(both[0], both[1], epsilon), divergence(both[1], both[0], epsilon))
            answer = twice.delta(epsilon)
            assert exact <= mp.mpf(answer.upper)
            assert answer.lower <= answer.upper


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_lower_end_is_that_of_a_score(law: dict[str, Any]) -> None:
    """Normal noise with the answer for a score, in both orders, by cells so small that merging them does not matter."""
    m, epsilon = 0.5, 0.4
    with mp.workdps(25):
        pgf = generating({**law})
        x = [mp.mpf(k) / 8 for k in range(-56, 61)]
        with_record, without = ([pgf(mp.ncdf(y - shift)) for y in x] for shift in (m, 0))
        a, b = (
            [values[0], *(high - low for low, high in itertools.pairwise(values)), 1 - values[-1]]
            for values in (with_record, without)
        )
        coarse = max(divergence(a, b, epsilon), divergence(b, a, epsilon))  # merged: a little below what is attained
    answer = tb.RepeatAndSelect(tb.Gaussian(sigma=2.0), **law).delta(epsilon)
    assert float(coarse) * (1 - 1e-4) <= answer.lower <= float(coarse) * 1.01


@pytest.mark.slow
def test_the_lower_end_of_finitely_many_answers_is_exact() -> None:
    p, q = [Fraction(1, 8), Fraction(1, 4), Fraction(5, 8)], [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    base = tb.Histograms(tuple(map(float, p)), tuple(map(float, q)))
    for law in LAWS.values():
        with mp.workdps(30):
            a, b = best(generating(law), p), best(generating(law), q)  # losses rise along the list
            for epsilon in (0.1, 0.5):
                exact = max(divergence(a, b, epsilon), divergence(b, a, epsilon))
                lower = tb.RepeatAndSelect(base, **law).delta(epsilon).lower
                assert exact * (1 - mp.mpf(1e-9)) <= mp.mpf(lower) <= exact


def test_what_is_not_run_counts_in_compositions() -> None:
    p, q = [Fraction(1, 8), Fraction(1, 4), Fraction(5, 8)], [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    base = tb.Histograms(tuple(map(float, p)), tuple(map(float, q)))
    with mp.workdps(30):
        a, b = (best(generating(LAWS["seldom"]), law) for law in (p, q))
        both = [[x * y for x in one for y in one] for one in (a, b)]
        exact = max(divergence(both[0], both[1], 0.3), divergence(both[1], both[0], 0.3))
        lower = (tb.RepeatAndSelect(base, **LAWS["seldom"]) * 2).delta(0.3).lower
        assert exact * (1 - mp.mpf(1e-3)) <= mp.mpf(lower) <= exact


LAW_OBJECTS: list[tuple[Runs, dict[str, Any]]] = [
    (NegativeBinomial(9.0, 1.0), {"gamma": 0.1}),
    (NegativeBinomial(4.0, 0.0), {"runs": "logarithmic", "gamma": 0.2}),
    (NegativeBinomial(3.0, -0.5), {"runs": "negative_binomial", "eta": -0.5, "gamma": 0.25}),
    (NegativeBinomial(3.0, 7.0), {"runs": "negative_binomial", "eta": 7.0, "gamma": 0.25}),
    (PoissonRuns(3.0), {"runs": "poisson", "mean": 3.0}),
    (BinomialRuns(6, 0.4), {"runs": "binomial", "trials": 6, "p": 0.4}),
    (BinomialRuns(4, 0.9999), {"runs": "binomial", "trials": 4, "p": 0.9999}),
]


@pytest.mark.parametrize(("runs", "law"), LAW_OBJECTS, ids=str)
def test_means_and_differences(runs: Runs, law: dict[str, Any]) -> None:
    if law.get("gamma") in (0.1, 0.2):  # no float: exactly 1/10 and 1/5 are meant
        law = {**law, "gamma": mp.mpf(1) / (10 if law["gamma"] == 0.1 else 5)}
    with mp.workdps(30):
        some = probabilities(law)
        mean = mp.fsum(k * p for k, p in enumerate(some))
        assert mean <= mp.mpf(runs.mean) * (1 + mp.mpf(1e-25)) <= mean * (1 + mp.mpf(1e-9))
        assert 1 - some[0] <= mp.mpf(runs.some)
        pgf = generating(law)
        for mass, above in ((0.25, 0.0), (0.25, 0.5), (1e-9, 1e-6), (1e-200, 0.125), (0.5, 0.5), (1.0, 0.0)):
            end = mp.mpf(1) - mp.mpf(above)
            truth = mp.log(pgf(end) - pgf(end - mp.mpf(mass))) if mass > 1e-100 else None
            found = float(runs.log_gain(np.array([mass]), np.array([above]))[0])
            error = float(runs.error(np.zeros(1))[0]) + 1e-15 * abs(found)
            if truth is not None:
                assert abs(truth - mp.mpf(found)) <= error < 1e-8
            else:  # the slope times the mass
                slope = mp.diff(pgf, end)
                assert found == pytest.approx(float(mp.log(slope)) + math.log(mass), rel=1e-10)


def test_slopes_of_pure_noise_have_an_end() -> None:
    selected = tb.RepeatAndSelect(tb.RandomizedResponse(p=0.75), gamma=0.1)
    assert math.log(3.0) < selected.pure_epsilon < 3.0 * math.log(3.0)  # Liu and Talwar's bound is 3 times that of a run
    with mp.workdps(30):
        pgf = generating({"gamma": mp.mpf(1) / 10})
        a, b = (best(pgf, law)[:2] for law in ([Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 4), Fraction(1, 4)]))
        largest = max(abs(mp.log(x / y)) for x, y in zip(a, b, strict=True))
    assert float(largest) <= selected.pure_epsilon
    assert tb.filters.ZCDPFilter(epsilon=40, delta=1e-6).remaining(selected) > 2
    assert selected.delta(selected.pure_epsilon).upper < 1e-6
    assert tb.RepeatAndSelect(tb.Gaussian(sigma=1.0), gamma=0.1).pure_epsilon == math.inf


def test_one_run_is_the_mechanism_itself() -> None:
    base = tb.Gaussian(sigma=2.0)
    for law in (
        {"gamma": 1},
        {"mean": 1},
        {"runs": "negative_binomial", "eta": 5, "gamma": 1.0},
        {"runs": "binomial", "trials": 1, "p": 1},
    ):
        assert tb.RepeatAndSelect(base, **law).delta(0.5) == base.delta(0.5)
    for law in (
        {"runs": "poisson", "mean": 0},
        {"runs": "binomial", "trials": 0, "p": 0.5},
        {"runs": "binomial", "trials": 9, "p": 0},
    ):
        assert tb.RepeatAndSelect(base, **law).delta(0.0).upper == 0.0


def test_a_run_that_may_not_happen_is_a_share_of_the_whole() -> None:
    once, base = tb.RepeatAndSelect(tb.Gaussian(sigma=1.0), runs="binomial", trials=1, p=0.25), tb.Gaussian(sigma=1.0)
    for epsilon in (0.0, 0.5, 2.0):
        truth = 0.25 * base.delta(epsilon, rtol=1e-9).upper
        answer = once.delta(epsilon)
        assert truth * (1 - 1e-3) <= answer.lower <= truth * (1 + 1e-9)
        assert truth * (1 - 1e-9) <= answer.upper <= truth * (1 + 1e-3)


def test_few_runs_of_little_noise_reveal_everything() -> None:
    assert tb.RepeatAndSelect(tb.Gaussian(sigma=0.01), mean=10**6).delta(1.0).upper == 1.0
    seldom = tb.RepeatAndSelect(tb.Gaussian(sigma=1e-9), runs="poisson", mean=1e-3).delta(1.0)
    assert seldom.lower <= -math.expm1(-1e-3) <= seldom.upper < 1.01e-3


def test_rare_runs_of_many_trials_are_about_a_poisson_number() -> None:
    base = tb.Gaussian(sigma=3.0)
    many = tb.RepeatAndSelect(base, runs="binomial", trials=10**9, p=1e-9).delta(0.5)
    poisson = tb.RepeatAndSelect(base, runs="poisson", mean=1).delta(0.5)
    assert many.lower == pytest.approx(poisson.lower, rel=1e-5)
    assert many.lower < many.upper < 1.1 * poisson.upper


def test_hardly_ever_a_run() -> None:
    seldom = tb.RepeatAndSelect(tb.Gaussian(sigma=3.0), runs="poisson", mean=1e-10).delta(0.5)
    assert 0.99 * seldom.upper <= seldom.lower <= 1e-10 * tb.Gaussian(sigma=3.0).delta(0.5).upper


def test_several_releases_in_one_run() -> None:
    several = tb.RepeatAndSelect(tb.Gaussian(sigma=4.0) * 4, mean=10)
    assert several.delta(2.0).upper == pytest.approx(tb.RepeatAndSelect(tb.Gaussian(sigma=2.0), mean=10).delta(2.0).upper)
    twice, once = (tb.RepeatAndSelect(tb.Laplace(scale=2.0) * count, mean=10).delta(2.0).upper for count in (2, 1))
    assert twice > once


def test_members_of_what_is_run_several_times_are_members_here() -> None:
    losses = tb.from_loss_distribution({-1.0: 0.2689414, 1.0: 0.7310585})
    listed = tb.RepeatAndSelect(losses, mean=3)
    assert listed.delta(0.2).lower == 0.0 < listed.delta(0.2).upper
    # two rounds of shuffled reports: their pair is no law of reports, that of bits is
    rounds = tb.Shuffled(epsilon0=1.0, users=5) * 2
    selected = tb.RepeatAndSelect(rounds, gamma=1)
    assert selected.delta(0.2).lower == pytest.approx(rounds.delta(0.2).lower, rel=1e-3)
    sampled = tb.Poisson(losses, q=0.5) * 2
    assert sampled.delta(0.2).lower == 0.0 < sampled.delta(0.2).upper
    assert not sampled.delta(0.2).converged


@pytest.mark.slow
def test_it_is_used_like_any_other() -> None:
    selected = tb.RepeatAndSelect(tb.Gaussian(sigma=9.0), mean=10)
    assert tb.parse(str(selected)) == selected
    assert pickle.loads(pickle.dumps(selected)) == selected
    assert selected.relation == "add_remove"
    replaced = selected.under("replace_one")
    assert replaced == tb.RepeatAndSelect(tb.Gaussian(9.0, 2.0, relation="replace_one"), mean=10)
    assert selected.delta(1.0, relation="replace_one").upper == replaced.delta(1.0).upper
    assert (selected * 3 + tb.Gaussian(sigma=4.0)).epsilon(1e-6).upper > selected.epsilon(1e-6).upper
    assert tb.compare(selected, delta=1e-6).rows
    stronger = tb.RepeatAndSelect(tb.Shuffled(epsilon0=1.0, users=9, clone="stronger"), mean=3)
    assert "not certified" in stronger.delta(0.1).reason
    stronger = tb.RepeatAndSelect(tb.Shuffled(epsilon0=1.0, users=9, clone="stronger") * 2, mean=3)
    assert "not certified" in stronger.delta(0.1).reason


@pytest.mark.parametrize(
    "bad",
    [
        {}, {"mean": 0.5}, {"mean": math.nan}, {"mean": math.inf}, {"mean": True}, {"mean": "10"}, {"mean": 2, "gamma": 0.5},
        {"gamma": 0}, {"gamma": 1.5}, {"gamma": -1}, {"gamma": 5e-324}, {"gamma": 0.5, "eta": 1}, {"runs": "often", "mean": 2},
        {"runs": None, "mean": 2}, {"runs": ["poisson"], "mean": 2}, {"runs": "poisson", "gamma": 0.5},
        {"runs": "poisson", "mean": -1}, {"runs": "poisson", "mean": 5e-324}, {"runs": "binomial", "trials": 3, "p": 5e-324},
        {"runs": "negative_binomial", "gamma": 0.5},
        {"runs": "negative_binomial", "gamma": 0.5, "eta": -1}, {"runs": "negative_binomial", "gamma": 0.5, "eta": math.nan},
        {"runs": "binomial", "trials": 2.5, "p": 0.5}, {"runs": "binomial", "trials": 2, "p": 1},
        {"runs": "binomial", "trials": 2, "p": 1.1}, {"runs": "binomial", "trials": 10**13, "p": 0.5},
    ],
)  # fmt: skip
def test_what_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.RepeatAndSelect(tb.Gaussian(sigma=1.0), **bad)


def test_a_mechanism_is_needed() -> None:
    for bad in ("gaussian(1)", 3, None):
        with pytest.raises(tb.InvalidParameter):
            tb.RepeatAndSelect(bad, mean=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("sigma", [1e-16, 1.0, 1e16])
def test_next_to_no_runs_are_answered_without_a_warning(sigma: float) -> None:
    best = tb.RepeatAndSelect(tb.Gaussian(sigma), runs="poisson", mean=1e-100)
    for asked in (best, best * 3):
        assert 0.0 <= asked.delta(0.5).upper <= 3.1e-100
