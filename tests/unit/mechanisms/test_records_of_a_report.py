"""A report is made of one record: what is promised a number of records, shuffled users among them, is no report."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

import tightbudget as tb

LAPLACE = tb.Laplace(scale=1.0)
USERS = tb.Shuffled(epsilon0=1.0, users=20)


def ones(truth: Fraction, bits: tuple[int, ...]) -> list[Fraction]:
    """How many of the bits are reported as 1, each told truly with this probability."""
    law = [Fraction(0)] * (len(bits) + 1)
    for reported in product((0, 1), repeat=len(bits)):
        law[sum(reported)] += math.prod(truth if x == y else 1 - truth for x, y in zip(reported, bits, strict=True))
    return law


def sorted_reports(others: list[Fraction], number: int, one: list[Fraction]) -> dict[tuple[int, ...], Fraction]:
    """The law of how often each of three reports is made, by one user and by others who are alike."""
    law: dict[tuple[int, ...], Fraction] = {}
    for first in range(number + 1):
        for second in range(number + 1 - first):
            counts = (first, second, number - first - second)
            ways = math.factorial(number) // math.prod(map(math.factorial, counts))
            mass = ways * math.prod(p**k for p, k in zip(others, counts, strict=True))
            for kind, share in enumerate(one):
                seen = tuple(k + (place == kind) for place, k in enumerate(counts))
                law[seen] = law.get(seen, Fraction(0)) + mass * share
    return law


def test_a_shuffle_of_shuffles_would_hide_too_little() -> None:
    """Reports of two bits, shuffled: those of other users need not be near to either report of the one user."""
    truth = Fraction(19, 20)
    first, second, others = (ones(truth, bits) for bits in ((0, 0), (0, 1), (1, 1)))
    law, other = sorted_reports(others, 59, first), sorted_reports(others, 59, second)
    attained = float(sum(max(Fraction(0), law[seen] - other[seen]) for seen in law))
    assert attained == pytest.approx(0.7376, abs=1e-4)
    inner = tb.Shuffled(tb.RandomizedResponse(0.95), users=2)
    claimed = tb.Shuffled(epsilon0=inner.pure_epsilon, users=60).delta(0.0).upper
    assert claimed < 0.4 < attained  # what was answered for it
    with pytest.raises(tb.InvalidParameter, match="takes any number of records"):
        tb.Shuffled(inner, users=60)


@pytest.mark.parametrize(
    "of_several",
    [
        lambda: USERS,
        lambda: tb.RepeatAndSelect(USERS, mean=2),
        lambda: tb.WithoutReplacement(LAPLACE, 1, 10),
        lambda: tb.RepeatAndSelect(tb.WithoutReplacement(LAPLACE, 1, 10), mean=2),
    ],
)
def test_what_is_promised_a_number_of_records_is_no_report(of_several: Callable[[], tb.Mechanism]) -> None:
    with pytest.raises(tb.InvalidParameter, match="takes any number of records"):
        tb.Shuffled(of_several(), users=100)


@pytest.mark.parametrize("report", [LAPLACE, tb.Poisson(LAPLACE, 0.1), tb.RepeatAndSelect(LAPLACE, mean=2)], ids=str)
def test_what_runs_on_one_record_is_a_report(report: tb.Mechanism) -> None:
    assert tb.Shuffled(report, users=100).delta(0.1).upper < 1.0


def test_how_many_users_a_sample_holds_is_chance() -> None:
    for sampled in (
        lambda: tb.Poisson(USERS, 0.1, mix_relations=True),
        lambda: tb.RandomAllocation(USERS, 10, mix_relations=True),
    ):
        with pytest.raises(tb.InvalidParameter, match="takes any number of records"):
            sampled()
    assert tb.Poisson(USERS, 1, mix_relations=True).delta(0.1).upper == USERS.delta(0.1).upper
