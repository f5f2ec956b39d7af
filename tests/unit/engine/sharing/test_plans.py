"""What a context keeps: pairs that come back know what was asked of them before, and long lists are not kept twice."""

import tightbudget as tb
from tightbudget.engine.sharing.plans import SharedPlans
from tightbudget.engine.steps import engine_steps
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.pairs.base import Direction, Pair


def pair_of(mechanism: Mechanism) -> Pair:
    pair = mechanism.pair(Direction.REMOVE)
    assert pair is not None
    return pair


def test_pairs_that_come_back_are_the_same_and_share_their_base() -> None:
    plans = SharedPlans()

    def known(q: float) -> Pair:
        ((pair, count),) = plans.known(engine_steps([(pair_of(tb.Poisson(tb.Gaussian(2.0), q)), 7)])).items
        assert count == 7
        return pair

    first = known(0.1)
    assert known(0.1) is first
    assert known(0.2) is not first
    assert known(0.2).base is first.base  # type: ignore[attr-defined]


def test_lists_of_points_are_not_kept() -> None:
    plans = SharedPlans()
    pairs = [pair_of(tb.Histograms([0.5, 0.5], [0.4, 0.6])) for _ in range(2)]
    for pair in pairs:
        assert plans.known(engine_steps([(pair, 1)])).items[0][0] is pair
