"""Brackets of questions that share work, against the same independent truth as those asked alone."""

from random import Random

import pytest
from tests.reference.cases import KINDS, random_cases
from tests.reference.test_sandwich import WIDTHS, misses
from tests.reference.truth import ends
from tests.reference.truth_contour import contour
from tests.reference.truth_subsampled import SubsampledGaussianLaw

import tightbudget as tb
from tightbudget.engine.sharing.work import sharing_work


@pytest.mark.slow
@pytest.mark.parametrize(("part", "count"), [("first", 2), pytest.param("rest", 12, marks=pytest.mark.slow)])
def test_shared_brackets_contain_the_truth_whatever_was_asked_before(part: str, count: int) -> None:
    """All kinds of compositions take turns in one context, so that plans are tried on what they were not made for."""
    rng = Random(f"sharing {part}")
    cases = [case for kinds in zip(*(random_cases(rng, kind, count) for kind in KINDS), strict=True) for case in kinds]
    with sharing_work():
        wrong = [problem for number, case in enumerate(cases) if (problem := misses(case, WIDTHS[number % len(WIDTHS)]))]
    assert not wrong, f"{len(wrong)} of {len(cases)} questions answered wrongly:\n" + "\n".join(wrong[:5])


SWEEPS = {
    "noise": [(0.8 + 0.02 * i, 0.01, 1000, 1e-6) for i in range(40)],
    "rate": [(1.5, 0.006 * 1.08**i, 2000, 1e-6) for i in range(30)],
    "count": [(1.2, 0.01, 200 + 150 * i, 1e-6) for i in range(40)],
    "rising count": [(0.95, 0.01, int(600 * 1.3**i), 1e-6) for i in range(14)],
    "falling count": [(2.0, 0.01, int(30_000 / 1.3**i), 1e-6) for i in range(20)],
    "delta": [(1.2, 0.01, 1000, 10.0 ** (-3 - i / 4)) for i in range(30)],
}


@pytest.mark.slow
@pytest.mark.parametrize("sweep", SWEEPS)
def test_a_sweep_of_private_training_contains_the_truth(sweep: str) -> None:
    with sharing_work():
        answers = [(tb.Poisson(tb.Gaussian(s), q) * n).epsilon(delta) for s, q, n, delta in SWEEPS[sweep]]
    for (sigma, q, count, delta), answer in list(zip(SWEEPS[sweep], answers, strict=True))[3::9]:
        laws = [SubsampledGaussianLaw(sigma, q, remove=remove) for remove in (True, False)]
        # delta falls with epsilon: at the lower end no direction may be below it, at the upper end none above
        at_lower, at_upper = (
            [ends(contour([(law, count)], end, digits=12)) for law in laws] for end in (answer.lower, answer.upper)
        )
        assert max(high for _, high in at_lower) >= delta
        assert max(low for low, _ in at_upper) <= delta
        assert answer.width <= 1e-3 * answer.upper
