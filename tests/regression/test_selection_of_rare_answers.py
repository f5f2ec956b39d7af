"""The best of several runs, where an answer is so rare that its probability times that of a run is no float.

B gives the best of two answers with a probability of about 1e-304. Products of it with the odds of a second run, or
with the probability of a trial, are denormal: their digits were lost, and lower ends lay above the truth.
"""

import warnings
from collections.abc import Callable

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb

RARE = [1.1537456976449605e-304, 1.3606371890891052e-304, 1.2020276102957685e-304, 3e-303, 1e-299]


def geometric(mean: float) -> Callable[[mpf], mpf]:
    gamma = 1 / mpf(mean)
    return lambda z: gamma * z / (1 - (1 - gamma) * z)


def binomial(trials: int, p: float) -> Callable[[mpf], mpf]:
    return lambda z: (1 - mpf(p) + mpf(p) * z) ** trials


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize(
    ("law", "generating"),
    [
        ({"mean": 1.0 + 2.0**-52}, lambda: geometric(1.0 + 2.0**-52)),
        ({"mean": 1.0 + 2.0**-45}, lambda: geometric(1.0 + 2.0**-45)),
        ({"runs": "binomial", "trials": 3, "p": 7.3e-18}, lambda: binomial(3, 7.3e-18)),
        ({"runs": "binomial", "trials": 2, "p": 1e-30}, lambda: binomial(2, 1e-30)),
        ({"runs": "binomial", "trials": 10**6, "p": 1e-100}, lambda: binomial(10**6, 1e-100)),
    ],
    ids=["just over one run", "a little over one run", "three rare trials", "two rarer trials", "a million trials"],
)
def test_a_rare_answer_is_no_rarer_than_it_is(
    rare: float, law: dict[str, float], generating: Callable[[], Callable[[mpf], mpf]]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        base = tb.Histograms([1.0, 1.0], [rare, 1.0])
    with mpmath.workdps(450):
        f, of_b = generating(), mpf(rare) / (1 + mpf(rare))
        best = f(mpf(1)) - f(mpf(1) / 2), f(mpf(1)) - f(1 - of_b)
        worst = f(mpf(1) / 2) - f(mpf(0)), f(of_b) - f(mpf(0))  # where the other answer has the better score
        largest = mpmath.log(best[0] / best[1])
        for epsilon in (float(largest) - 1e-9, float(largest) - 1e-3, float(largest) - 1.0, 3.0):
            g = mpmath.exp(mpf(epsilon))
            truth = max(best[0] - g * best[1], worst[0] - g * worst[1])
            found = tb.RepeatAndSelect(base, **law).delta(epsilon, direction="remove")  # type: ignore[arg-type]
            assert found.lower <= truth <= found.upper
            assert found.lower >= 0.9 * truth
