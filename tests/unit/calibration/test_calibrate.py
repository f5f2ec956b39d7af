"""Calibration: the value meets the target, its neighbour misses it, and both by independent truth."""

import copy
import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from tests.reference import truth

import tightbudget as tb
from tightbudget.calibration.targets import stated_sum

OPTIMUM = 2.3556174829232126  # of poisson(gaussian(sigma=?), q=0.01) * 10000 at (2, 1e-6), by the contour integral below


def exact(sigma: float, epsilon: float = 2.0) -> tuple[object, object]:
    """delta of 10,000 steps of DP-SGD at q = 0.01, the larger of both directions, by contour integrals."""
    ends = [
        truth.ends(truth.contour([(truth.SubsampledGaussianLaw(sigma, 0.01, remove=remove), 10_000)], epsilon, digits=14))
        for remove in (True, False)
    ]
    return max(end[0] for end in ends), max(end[1] for end in ends)


def test_dp_sgd_is_calibrated_as_well_as_asked() -> None:
    found = tb.calibrate("poisson(gaussian(sigma=?), q=0.01) * 10000", epsilon=2, delta=1e-6)
    assert found.converged
    assert OPTIMUM < found.value <= OPTIMUM * (1 + 1e-6)
    assert OPTIMUM * (1 - 1e-6) <= found.too_little < OPTIMUM
    assert exact(found.value)[1] <= 1e-6 < exact(found.too_little)[0]
    assert found.achieved.upper <= 2.0 < found.missed.lower
    assert found.evaluations <= 10


@pytest.mark.parametrize("rtol", [0.3, 1e-2, 1e-4, 1e-6, 1e-8])
def test_the_two_values_are_as_near_as_asked(rtol: float) -> None:
    found = tb.calibrate("gaussian(sigma=?) * 7", epsilon=1.5, delta=1e-7, rtol=rtol)
    assert found.converged
    assert 0 < found.value - found.too_little <= rtol * found.value
    for sigma, met in ((found.value, True), (found.too_little, False)):
        low, high = truth.ends(truth.gaussian([(sigma, 1, 7)], 1.5))
        assert high <= 1e-7 if met else low > 1e-7


@pytest.mark.parametrize(
    "template",
    [
        "poisson(gaussian(sigma=2), q=?) * 10000",  # a wide bracket ends just at the target
        "randomized_response(p=?, k=4) * 10",  # at p = 1/4 epsilon is 0, which no logarithm leads to
        "randomized_response(p=?, k=9) * 1000",
    ],
)
def test_a_poor_guess_is_no_reason_to_stop(template: str) -> None:
    found = tb.calibrate(template, epsilon=2 if "q=?" in template else 1, delta=1e-6)
    assert found.converged
    assert 0 < found.too_little - found.value <= 1e-6 * found.too_little


@pytest.mark.parametrize(
    ("template", "epsilon", "said"),
    [
        ("zcdp(rho=?) * 3", 2, r"which are 0\.1\d? of the larger apart$"),
        ("shuffled_batches(gaussian(sigma=?), batches=10) * 30", 0.1, r"of which one is 5(\.\d+)? times the other$"),
    ],
)
def test_how_far_values_of_a_class_are_apart_is_said(template: str, epsilon: float, said: str) -> None:
    found = tb.calibrate(template, epsilon=epsilon, delta=1e-5)
    assert not found.converged
    assert re.search(said, found.reason)


def test_what_cannot_be_decided_is_said() -> None:
    found = tb.calibrate("gaussian(sigma=?) * 7", epsilon=1.5, delta=1e-7, rtol=1e-15)
    assert not found.converged
    assert re.search(r"between the two values, which are \S+ of the larger apart$", found.reason)
    assert found.achieved.upper <= 1.5 < found.missed.lower
    assert found.value - found.too_little < 1e-9 * found.value
    assert "not as near as asked" in str(found)


def test_counts_are_exact() -> None:
    found = tb.calibrate("gaussian(sigma=100) * ?", epsilon=2, delta=1e-6)
    assert (found.value, found.too_little) == (2010, 2011)
    assert type(found.value) is int
    for count, met in ((2010, True), (2011, False)):
        low, high = truth.ends(truth.gaussian([(100, 1, count)], 2))
        assert high <= 1e-6 if met else low > 1e-6


def test_huge_counts_are_exact_too() -> None:
    found = tb.calibrate("gaussian(sigma=1e5) * ?", epsilon=2, delta=1e-6)
    assert found.too_little == found.value + 1
    for count, met in ((found.value, True), (found.too_little, False)):
        low, high = truth.ends(truth.gaussian([(1e5, 1, count)], 2))
        assert high <= 1e-6 if met else low > 1e-6


@pytest.mark.slow
def test_a_count_that_cannot_be_decided_is_marked() -> None:
    found = tb.calibrate("poisson(gaussian(sigma=4), q=0.001) * ?", epsilon=2, delta=1e-6)
    assert not found.converged
    assert f"between {found.value} and {found.too_little}" in found.reason
    assert 1 < found.too_little - found.value < 30
    assert found.achieved.upper <= 2.0 < found.missed.lower


def test_not_even_one_step_is_a_count_of_zero() -> None:
    found = tb.calibrate("gaussian(sigma=1) * ?", epsilon=0.01, delta=1e-6)
    assert (found.value, found.too_little) == (0, 1)


def test_ten_tenths_are_one() -> None:
    """Rounded losses would leave it open: the sum of what the parameters state is exact."""
    assert tb.calibrate("laplace(scale=?) * 100", epsilon=1, delta=0).value == 100.0
    found = tb.calibrate("laplace(scale=10) * ?", epsilon=2, delta=0)
    assert (found.value, found.too_little, found.achieved.upper) == (20, 21, 2.0)


def test_the_sum_of_what_is_stated_never_rounds_down() -> None:
    """Ten times the float 0.1 is more than 1, by less than a float can tell."""
    found = tb.calibrate("pure_dp(epsilon=?) * 10", epsilon=1, delta=0)
    assert Fraction(found.value) * 10 <= 1 < Fraction(found.too_little) * 10


def test_only_what_all_steps_state_is_added_up() -> None:
    assert stated_sum(tb.Laplace(10) * 20) == stated_sum(tb.PureDP(1) + tb.BoundedRange(1)) == 2.0
    assert stated_sum(tb.Laplace(10) + tb.Gaussian(1e9)) is None
    assert stated_sum(tb.Laplace(10) + tb.Laplace(0)) is None
    assert stated_sum(tb.parse("nothing")) == 0.0


def test_a_promise_that_may_be_broken_states_no_epsilon() -> None:
    """approximate_dp(0.1, 1e-9) reveals all with probability 1e-9: below that no epsilon is enough."""
    assert stated_sum(tb.ApproximateDP(0.1, 1e-9)) is None
    assert stated_sum(tb.Laplace(10) + tb.ApproximateDP(0.1, 5e-324)) is None
    assert stated_sum(tb.ApproximateDP(0.5, 0.0) * 2) == 1.0
    found = tb.calibrate("approximate_dp(epsilon=0.1, delta=?) * 10", epsilon=2, delta=1e-5)
    for delta, met in ((found.value, True), (found.too_little, False)):
        low, high = truth.ends(truth.promise(0.1, delta, 10, 2))
        assert high <= 1e-5 if met else low > 1e-5


def test_an_integer_argument() -> None:
    found = tb.calibrate("randomized_response(p=0.7, k=?)", epsilon=3, delta=0)
    # p (k - 1) / (1 - p) is 18.67 for k = 9 and 21 for k = 10, and e^3 = 20.09
    assert (found.value, found.too_little) == (9, 10)
    found = tb.calibrate("discrete_laplace(scale=3, sensitivity=?)", epsilon=2, delta=0)
    assert (found.value, found.too_little) == (6, 7)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_randomized_response_is_calibrated_above_chance(k: int) -> None:
    found = tb.calibrate(f"randomized_response(p=?, k={k})", epsilon=1, delta=0)
    best = math.e / (math.e + k - 1)
    assert best * (1 - 1e-6) <= found.value < best < found.too_little <= best * (1 + 1e-6)


def test_below_chance_with_bounds() -> None:
    found = tb.calibrate("randomized_response(p=?, k=10)", epsilon=1, delta=0, bounds=(1e-6, 0.1))
    best = 1 / (1 + 9 * math.e)
    assert best * (1 - 1e-6) <= found.too_little < best < found.value <= best * (1 + 1e-6)


def test_a_plateau_of_infinite_losses() -> None:
    """Below some bound no epsilon is enough; just above it is."""
    found = tb.calibrate("truncated_laplace(scale=20, bound=?) * 10", epsilon=1, delta=1e-6)
    assert found.converged
    for bound, met in ((found.value, True), (found.too_little, False)):
        low, high = truth.ends(truth.laplace_like(truth.truncated_laplace(20, bound), 10, 1))
        assert high <= 1e-6 if met else low > 1e-6


def test_advantage_is_delta_at_zero() -> None:
    found = tb.calibrate("gaussian(sigma=?)", advantage=0.1)
    assert found == tb.calibrate("gaussian(sigma=?)", advantage=np.float64(0.1))
    assert found.value == tb.calibrate("gaussian(sigma=?)", epsilon=0, delta=0.1).value
    for sigma, met in ((found.value, True), (found.too_little, False)):
        low, high = truth.ends(truth.gaussian([(sigma, 1, 1)], 0))
        assert high <= 0.1 if met else low > 0.1


@pytest.mark.slow
def test_functions_of_one_number() -> None:
    by_text = tb.calibrate("poisson(gaussian(sigma=?), q=0.25) * 10", epsilon=1, delta=1e-6)
    by_function = tb.calibrate(lambda sigma: tb.Poisson(tb.Gaussian(sigma), 0.25) * 10, epsilon=1, delta=1e-6)
    assert (by_function.value, by_function.too_little) == (by_text.value, by_text.too_little)
    assert tb.calibrate(tb.Gaussian, epsilon=1, delta=1e-6).value == tb.calibrate("gaussian(?)", epsilon=1, delta=1e-6).value
    count = tb.calibrate(lambda n: tb.Gaussian(10.0) * n, epsilon=1, delta=1e-6)
    assert (count.value, count.too_little) == (5, 6)
    assert tb.calibrate(lambda n: tb.Gaussian(10.0) * int(n), epsilon=1, delta=1e-6, whole=True).value == 5
    rate = tb.calibrate(lambda q: tb.Poisson(tb.Gaussian(1.0), q) * 10, epsilon=1, delta=1e-6)
    assert rate.achieved.upper <= 1.0 < rate.missed.lower
    negative = tb.calibrate(lambda x: tb.Gaussian(-x), epsilon=1, delta=1e-6, bounds=(-100.0, -1.0))
    assert math.isclose(-negative.value, by := tb.calibrate("gaussian(?)", epsilon=1, delta=1e-6).value, rel_tol=2e-6), by


@pytest.mark.slow
def test_numbers_may_be_computed_with() -> None:
    batch = tb.calibrate("poisson(gaussian(sigma=2), q=?/60000) * 100", epsilon=1, delta=1e-6)
    rate = tb.calibrate("poisson(gaussian(sigma=2), q=?) * 100", epsilon=1, delta=1e-6)
    assert math.isclose(batch.value / 60000, rate.value, rel_tol=2e-6)
    inverse = tb.calibrate("gaussian(sigma=1/?)", epsilon=1, delta=1e-6)
    assert inverse.value < inverse.too_little


def test_the_result_is_a_plain_frozen_value() -> None:
    found = tb.calibrate("gaussian(sigma=?) + laplace(scale=5)", epsilon=1, delta=1e-6, rtol=1e-3)
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found
    assert found.composition == tb.Gaussian(found.value) + tb.Laplace(5)
    assert str(found.target) == "epsilon <= 1.0 at delta = 1e-06"
    assert (found.template, found.argument, found.relation) == ("gaussian(sigma=?) + laplace(scale=5)", "sigma", "add_remove")
    assert str(found).splitlines()[0].startswith(f"? = {found.value!r} keeps epsilon <= 1.0 at delta = 1e-06: epsilon in [0.99")
    with pytest.raises(AttributeError):
        found.value = 1.0  # type: ignore[misc]


def test_other_kinds_of_numbers_ask_the_same() -> None:
    plain = tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-6)
    assert plain == tb.calibrate("gaussian(sigma=?)", epsilon=np.int64(1), delta=np.array(1e-6))
    assert plain == tb.calibrate("gaussian(sigma=?)", epsilon=Fraction(1), delta=Fraction(1e-6), rtol=Fraction(1, 10**6))


def test_a_class_of_mechanisms_is_met_for_every_member() -> None:
    found = tb.calibrate("bounded_range(eta=?) * 10", epsilon=1, delta=1e-6)
    assert not found.converged  # the upper end is for all of the class, the lower end for one of it
    assert found.achieved.upper <= 1.0 < found.missed.lower
    assert found.achieved.upper > 0.99
    assert found.missed.lower < 1.01


@pytest.mark.parametrize(
    ("template", "target", "more"),
    [
        ("shuffled_batches(gaussian(sigma=?), batches=235) * 20", {"epsilon": 4, "delta": 1e-5}, 0.999),
        ("shuffled(randomized_response(p=?), users=10000)", {"epsilon": 0.5, "delta": 1e-6}, 1.001),
    ],
)
def test_where_brackets_stay_wide_each_end_is_as_near_as_asked(template: str, target: dict[str, float], more: float) -> None:
    found = tb.calibrate(template, **target, rtol=1e-4)
    assert not found.converged
    assert found.achieved.upper <= target["epsilon"] < found.missed.lower
    exposed = tb.parse(template.replace("?", repr(found.value * more))).epsilon(target["delta"])
    hidden = tb.parse(template.replace("?", repr(found.too_little / more))).epsilon(target["delta"])
    assert exposed.upper > target["epsilon"] >= hidden.lower  # neither end was to be had nearer


def test_a_value_is_found_where_nothing_is_refuted() -> None:
    # the threshold of so much noise has no lower end
    found = tb.calibrate("sparse_vector(threshold_epsilon=1e-9, query_epsilon=?)", epsilon=1, delta=0)
    assert 0.9999 < found.value <= 1.0
    assert (found.too_little, found.missed, found.converged) == (None, None, False)
    assert found.reason.startswith("no ? is proven to miss the target: at ? = ")
    between = tb.calibrate(
        "shuffled_batches(gaussian(sigma=?), batches=235) * 20", epsilon=4, delta=1e-5, bounds=(4, 6), rtol=1e-4
    )
    assert between.too_little is None
    assert 4.8 < between.value < 4.9


def test_steps_for_two_relations() -> None:
    text = "gaussian(sigma=?) + randomized_response(p=0.51)"
    with pytest.raises(tb.MixedRelations):
        tb.calibrate(text, epsilon=1, delta=1e-6)
    found = tb.calibrate(text, epsilon=1, delta=1e-6, mix_relations=True, rtol=1e-3)
    assert found.relation == "add_remove+replace_one"
