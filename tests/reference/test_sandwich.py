"""The package's brackets against independent truth: lower <= truth <= upper, compared exactly, at any depth.

The truth is an enclosure [low, high] in exact mpmath numbers. A bracket is wrong only if it misses the whole enclosure:
`upper < low` or `lower > high`. There is no tolerance. Random compositions with fixed seeds, from cases.py.
"""

from random import Random

import mpmath
import pytest
from tests.reference.cases import KINDS, Case, random_cases

import tightbudget

# Compositions per kind and the widths asked for. Cheap truths come by the hundred, integrals by the dozen.
COUNTS = {
    "gaussian": 400,
    "mixed_gaussian": 150,
    "binary_response": 150,
    "many_response": 100,
    "promise": 150,
    "histogram": 150,
    "mixed_histograms": 60,
    "discrete_laplace": 100,
    "discrete_gaussian": 60,
    "laplace": 100,
    "truncated_laplace": 80,
    "bounded_range": 80,
    "truncated_gaussian": 40,
    "subsampled_gaussian": 80,
    "subsampled_laplace": 40,
    "mixture": 60,
}
WIDTHS = (1e-1, 1e-3, 1e-3, 1e-5)
SEED = 20180

assert COUNTS.keys() == KINDS.keys()


def shown(x: mpmath.mpf) -> str:
    """Twenty digits, of the distance to one where that is what matters."""
    with mpmath.workprec(300):
        return mpmath.nstr(x, 20) if x < 0.999 else f"1 - {mpmath.nstr(1 - x, 5)}"


def misses(case: Case, rtol: float) -> str | None:
    """Return what is wrong with the package's bracket, or None."""
    question = f"{case.expression} at epsilon={case.epsilon!r}, rtol={rtol}"
    try:
        found = tightbudget.parse(case.expression, mix_relations=True).delta(epsilon=case.epsilon, rtol=rtol)
    except Exception as problem:  # every case is legal: raising is one more way to be wrong, and the others still count
        return f"{question}: raised {problem!r}"
    lower, upper = mpmath.mpf(float(found.lower)), mpmath.mpf(float(found.upper))
    if case.lower <= upper and lower <= case.upper:
        return None
    truth = f"[{shown(case.lower)}, {shown(case.upper)}]"
    ours = f"[{found.lower!r}, {found.upper!r}]"
    return f"{question}: {ours} misses {truth}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("part", "share"), [("first", 0.1), pytest.param("rest", 0.9, marks=pytest.mark.slow)])
def test_brackets_contain_the_truth(kind: str, part: str, share: float) -> None:
    rng, count = Random(f"{SEED} {kind} {part}"), round(share * COUNTS[kind])
    wrong = [
        problem
        for number, case in enumerate(random_cases(rng, kind, count))
        if (problem := misses(case, WIDTHS[number % len(WIDTHS)]))
    ]
    assert not wrong, f"{len(wrong)} of {count} questions answered wrongly:\n" + "\n".join(wrong[:5])
