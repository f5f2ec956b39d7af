"""What calibrate refuses: one sentence that names the value, what is allowed and what to do."""

import math
from typing import Any

import numpy as np
import pytest

import tightbudget as tb

ONE = {"epsilon": 1, "delta": 1e-6}


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({}, "target is None, but must be one of"),
        ({"epsilon": 1}, "delta is None, but must be given with epsilon"),
        ({"delta": 1e-6}, "target is None"),
        ({"epsilon": 1, "delta": 1e-6, "advantage": 0.1}, "target is 'epsilon, advantage', but must be one of"),
        ({"tpr": 0.1, "advantage": 0.1, "fpr": 0.01}, "target is 'advantage, tpr'"),
        ({"tpr": 0.1}, "fpr is None, but must be given with tpr"),
        ({"posterior": 0.1}, "prior is None, but must be given with posterior"),
        ({"bayes_error": 0.1}, "prior is None"),
        ({"bayes_error": 0.1, "prior": 0.5, "fpr": 0.1}, "fpr is 0.1, but must be left out"),
        ({"epsilon": 1, "delta": 1e-6, "prior": 0.5}, "prior is 0.5, but must be left out where the target is epsilon"),
        ({"fpr": 0.1, "prior": 0.5}, "target is None"),
        ({"tpr": 0.01, "fpr": 0.01}, "tpr is 0.01, but must be above the fpr"),
        ({"tpr": 0.5, "fpr": 1}, "tpr is 0.5, but must be above the fpr"),
        ({"tpr": math.nan, "fpr": 0.01}, "tpr is nan"),
        ({"tpr": True, "fpr": 0.01}, "tpr is True"),
        ({"tpr": 0.5, "fpr": "0.01"}, "fpr is '0.01'"),
        ({"posterior": 0.2, "prior": 0.5}, "posterior is 0.2, but must be above the prior"),
        ({"posterior": 0.9, "prior": 0.5}, "posterior is 0.9, but must be a limit that some [?] meets"),
        ({"bayes_error": 0.4, "prior": 0.7}, r"bayes_error is 0.4, but must be below 0.30000000000000004"),
        ({"advantage": 0.1, "delta": 1e-6}, "delta is 1e-06, but must be left out"),
        ({"epsilon": math.nan, "delta": 1e-6}, "epsilon is nan"),
        ({"epsilon": -1, "delta": 1e-6}, "epsilon is -1"),
        ({"epsilon": math.inf, "delta": 1e-6}, "epsilon is inf, but must be a finite number"),
        ({"epsilon": "1", "delta": 1e-6}, "epsilon is '1'"),
        ({"epsilon": True, "delta": 1e-6}, "epsilon is True"),
        ({"epsilon": 1, "delta": 2}, "delta is 2"),
        ({"epsilon": 1, "delta": math.nan}, "delta is nan"),
        ({"advantage": 1.5}, "advantage is 1.5"),
        ({"advantage": math.nan}, "advantage is nan"),
        ({**ONE, "rtol": 0}, "rtol is 0"),
        ({**ONE, "rtol": math.nan}, "rtol is nan"),
        ({**ONE, "rtol": 1}, "rtol is 1"),
        ({**ONE, "effort": 0}, "effort is 0"),
        ({**ONE, "bounds": (2, 1)}, r"bounds is \(2, 1\)"),
        ({**ONE, "bounds": (1, 1)}, r"bounds is \(1, 1\)"),
        ({**ONE, "bounds": (math.nan, 1)}, "bounds is"),
        ({**ONE, "bounds": (0, math.inf)}, "bounds is"),
        ({**ONE, "bounds": 3}, "bounds is 3"),
        ({**ONE, "bounds": "ab"}, "bounds is 'ab'"),
        ({**ONE, "bounds": (1, 2, 3)}, "bounds is"),
        ({**ONE, "bounds": (-3, 4)}, "sigma is -3.0, but must be"),
    ],
)
def test_targets_and_settings(target: dict[str, Any], said: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=said):
        tb.calibrate("gaussian(sigma=?)", **target)


@pytest.mark.parametrize("template", [3, None, tb.Gaussian(2.0), ["gaussian(?)"], np.array(1.0)])
def test_what_is_no_template(template: Any) -> None:
    with pytest.raises(tb.InvalidParameter, match="template is"):
        tb.calibrate(template, **ONE)


@pytest.mark.parametrize("junk", [None, 3.0, "gaussian(2)", [tb.Gaussian(2.0)], math.nan])
def test_a_function_that_returns_junk(junk: Any) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"returns a mechanism or composition. At .* it returned"):
        tb.calibrate(lambda x: junk, **ONE)


def test_what_a_function_raises_is_passed_on() -> None:
    def broken(x: float) -> tb.Mechanism:
        raise ZeroDivisionError(x)

    with pytest.raises(ZeroDivisionError):
        tb.calibrate(broken, **ONE)


def test_a_function_that_allows_nothing() -> None:
    with pytest.raises(tb.InvalidParameter, match=r"sigma is -1\.0"):
        tb.calibrate(lambda x: tb.Gaussian(-x), **ONE)


@pytest.mark.parametrize(
    "template",
    [
        lambda x: tb.Gaussian(x if x < 3.0 else 9.0 / x),
        lambda x: tb.Gaussian(3.0 + 2.0 * math.sin(x)),
        "truncated_gaussian(sigma=?, bound=50) * 10",
    ],
)
def test_what_is_not_monotone_is_refused(template: Any) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"must be monotone.* Here it does both: .* Give bounds="):
        tb.calibrate(template, epsilon=0.5, delta=1e-6)


def test_bounds_may_make_it_monotone() -> None:
    found = tb.calibrate(lambda x: tb.Gaussian(1.0 + (x - 4.0) ** 2), epsilon=1, delta=1e-6, bounds=(4.0, 10.0))
    assert found.achieved.upper <= 1.0 < found.missed.lower


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "target", "said"),
    [
        ("gaussian(sigma=?) + laplace(scale=1)", {"epsilon": 0.5, "delta": 1e-6}, "the other steps"),
        ("gaussian(sigma=?) + approximate_dp(0.1, 1e-3)", ONE, "delta is at least 0.001 at every epsilon"),
        ("gaussian(sigma=?) + gaussian(sigma=0)", ONE, "delta is at least 1.0 at every epsilon"),
        ("truncated_gaussian(sigma=20, bound=3, sensitivity=?)", {"epsilon": 0, "delta": 0}, "some [?] meets"),
        ("gaussian(sigma=?)", {"epsilon": 0, "delta": 0}, "some [?] meets"),
        ("gaussian(sigma=?)", {"advantage": 0}, "advantage is 0.0, but must be a limit that some [?] meets"),
    ],
)
def test_targets_that_nothing_meets(template: str, target: dict[str, Any], said: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=said):
        tb.calibrate(template, **target)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "target", "said"),
    [
        ("poisson(gaussian(sigma=1), q=?)", {"epsilon": 50, "delta": 1e-6}, r"with [?] = 1.0 .*beyond, q is"),
        ("gaussian(sigma=1, sensitivity=0) * ?", ONE, "nothing to choose"),
        ("gaussian(sigma=?) * 0", ONE, "nothing to choose"),
        ("gaussian(sigma=?)", {"epsilon": 1, "delta": 1}, "some [?] misses"),
        ("randomized_response(p=?)", {"advantage": 1}, "advantage is 1.0"),
        ("gaussian(sigma=?)", {**ONE, "bounds": (50, 60)}, r"with [?] = 50.0"),
        ("pure_dp(epsilon=0.5) + laplace(scale=8 + 0 * ?)", ONE, "nothing to choose"),
    ],
)
def test_targets_that_everything_meets(template: str, target: dict[str, Any], said: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=said):
        tb.calibrate(template, **target)


def test_normal_noise_has_no_pure_epsilon() -> None:
    with pytest.raises(tb.InvalidParameter, match=r"every epsilon is exceeded at delta = 0\.0, by outcomes however rare"):
        tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=0)


def test_bounds_are_named_as_what_stands_in_the_way() -> None:
    with pytest.raises(tb.InvalidParameter, match="the bounds allow no other"):
        tb.calibrate("gaussian(sigma=?) * 10", epsilon=1, delta=1e-6, bounds=(1, 2))


def test_what_is_revealed_at_least_is_rounded_down() -> None:
    with pytest.raises(tb.InvalidParameter, match=r"delta is at least 0\.66666666666"):
        tb.calibrate("approximate_dp(epsilon=?, delta=2/3)", epsilon=1, delta=1e-6)


@pytest.mark.slow
def test_what_cannot_be_refuted_is_not_called_met_by_all() -> None:
    found = tb.calibrate("poisson(gaussian(sigma=1000), q=1e-6) * ?", epsilon=1, delta=1e-6)
    assert found.too_little is None
    assert found.missed is None
    assert not found.converged
    assert "no larger count is proven to miss the target" in found.reason
    assert "too wide to tell" in found.reason
    assert found.value >= 2**44
    assert found.composition.epsilon(1e-6).upper <= 1.0
    assert str(found).count("\n") == 1
