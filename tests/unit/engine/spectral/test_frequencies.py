"""Plans of frequencies followed by neighbours: what is seen there is certified of the neighbour's own law."""

import math

import numpy as np
import pytest
from tests.support import spectra

from tightbudget.engine.spectral.blocks import Block, blocks_of
from tightbudget.engine.spectral.frequencies import ChosenNodes, FrequencyPlan, _cut_intervals, choose_nodes
from tightbudget.numerics.characteristic import EvenTurns

FINE = np.arange(-16.0, 16.0)
PLACES = np.concatenate([np.arange(-96.0, -16.0, 8.0), FINE, np.arange(16.0, 97.0, 8.0)])  # too few for a core
WIDER = np.concatenate([np.arange(-192.0, -24.0, 8.0), np.arange(-24.0, 24.0), np.arange(24.0, 193.0, 8.0)])
MORE = np.concatenate([np.arange(-960.0, -80.0, 16.0), np.arange(-80.0, 80.0), np.arange(80.0, 961.0, 16.0)])
DEPTH = 20.0
PI = math.pi


def bell(places: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * ((places - mean) / deviation) ** 2)


def atoms(places: np.ndarray, period: int) -> np.ndarray:
    """A law that is nearly on a lattice: its transform comes back at every multiple of a turn / period."""
    return np.where(places % period == 0.0, bell(places, 0.0, 9.0), 1e-3 * bell(places, 0.0, 9.0))


Case = tuple[np.ndarray, np.ndarray, np.ndarray, int, int]  # places, law planned for, law that follows, their counts
CASES: dict[str, Case] = {
    "a little wider": (PLACES, bell(PLACES, -5.0, 9.0), bell(PLACES, -5.0, 9.3), 3000, 3000),
    "rather wider": (WIDER, bell(WIDER, -5.0, 9.0), bell(WIDER, -5.0, 9.3), 3000, 3000),
    "much narrower": (PLACES, bell(PLACES, -5.0, 9.0), bell(PLACES, -5.0, 2.0), 3000, 3000),
    "one point": (PLACES, bell(PLACES, -5.0, 9.0), bell(PLACES, 0.0, 0.05), 3000, 3000),
    "fewer steps": (PLACES, bell(PLACES, -5.0, 9.0), bell(PLACES, -5.0, 9.0), 3000, 250),
    "a lattice": (PLACES, bell(PLACES, -5.0, 9.0), atoms(PLACES, 4), 3000, 3000),
    "with a core": (MORE, bell(MORE, -5.0, 90.0), bell(MORE, -4.0, 95.0), 2000, 2000),
    "beside the core": (MORE, bell(MORE, -5.0, 90.0), bell(MORE, 500.0, 60.0), 2000, 2000),
    # as wide as planned, and back at every sixteenth of a turn, where only the core looks
    "a wide lattice": (MORE, bell(MORE, -5.0, 90.0), np.where(MORE % 16 == 0, 1.0, 1e-9) * bell(MORE, -5.0, 90.0), 2000, 2000),
    "a lattice under a core": (MORE, bell(MORE, -5.0, 90.0), atoms(MORE, 16), 2000, 2000),
}


def blocks(law: np.ndarray, places: np.ndarray, count: int) -> list[Block]:
    rows = np.array([law, law + 1e-3 * bell(places, 3.0, 5.0), law + 1e-3 * bell(places, -3.0, 4.0)])
    return list(blocks_of([spectra.leaf(rows, 0, 0)], [count], places, 0))


def plan_of(law: np.ndarray, places: np.ndarray, count: int) -> tuple[FrequencyPlan, ChosenNodes]:
    made = blocks(law, places, count)
    deviation = math.sqrt(count * float(made[0].variances.max()))
    best = math.sqrt(2.0 * DEPTH) / deviation
    chosen = choose_nodes(made, places, best, DEPTH, 14.0 * deviation, to_follow=True)
    assert chosen is not None
    plan = FrequencyPlan.of(chosen)
    assert plan is not None
    return plan, chosen


def followed(name: str) -> tuple[FrequencyPlan, ChosenNodes, Block]:
    places, law, other, count, other_count = CASES[name]
    plan, _ = plan_of(law, places, count)
    mine = blocks(other, places, other_count)
    return plan, plan.follow(mine, places), mine[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_left_out_is_as_small_as_stated(name: str):
    plan, found, block = followed(name)
    left_out = np.setdiff1d(np.arange(plan.period // 2 + 1), found.nodes)
    assert left_out.size > 50
    angles = 2.0 * PI / plan.period * left_out
    modulus = np.abs(block.rows @ np.exp(-1j * np.multiply.outer(CASES[name][0], angles)))
    largest = (block.counts[0] * np.log(np.maximum(modulus, 1e-300))).max(axis=1)
    assert (largest <= np.log(found.beyond) + 1e-9).all()


@pytest.mark.parametrize("name", CASES)
def test_transforms_are_those_of_the_law_that_follows(name: str):
    plan, found, block = followed(name)
    ((values, error),) = found.transforms
    exact = block.rows @ np.exp(-1j * np.multiply.outer(CASES[name][0], 2.0 * PI / plan.period * found.nodes))
    assert found.period == plan.period
    assert (np.abs(values - exact) <= error + 1e-13).all()


@pytest.mark.parametrize("name", ["a little wider", "with a core"])
def test_the_law_it_was_made_for_sees_what_it_saw(name: str):
    places, law, _, count, _ = CASES[name]
    plan, chosen = plan_of(law, places, count)
    again = plan.follow(blocks(law, places, count), places)
    assert (np.abs(np.log(again.beyond / chosen.beyond)) < 1e-6).all()
    ((values, error),), ((first, first_error),) = again.transforms, chosen.transforms
    assert (np.abs(values - first) <= error + first_error).all()


@pytest.mark.parametrize("name", CASES)
def test_intervals_and_nodes_cover_all_angles(name: str):
    places, law, _, count, _ = CASES[name]
    plan, _ = plan_of(law, places, count)
    lows, highs = plan.at.angles[plan.near], plan.at.angles[plan.near + 1]
    if plan.far_at is not None:
        lows = np.concatenate([lows, plan.far_at.angles[plan.far]])
        highs = np.concatenate([highs, plan.far_at.angles[plan.far + 1]])
    left_out = 2.0 * PI / plan.period * np.setdiff1d(np.arange(plan.period // 2 + 1), plan.nodes)
    covered = (lows - 1e-12 <= left_out[:, None]) & (left_out[:, None] <= highs + 1e-12)
    assert covered.any(axis=1).all()


def test_some_plans_look_more_closely():
    """A lattice that is planned for has peaks between the first angles."""
    law = bell(PLACES, 0.0, 9.0) * np.where(PLACES % 4 == 0, 1.0, 1e-3)
    plan, chosen = plan_of(law, PLACES, 1000)
    assert chosen.outlook is not None
    assert len(chosen.outlook.cuts) > 1
    lows, highs = plan.at.angles[plan.near], plan.at.angles[plan.near + 1]
    left_out = 2.0 * PI / plan.period * np.setdiff1d(np.arange(plan.period // 2 + 1), plan.nodes)
    assert ((lows - 1e-12 <= left_out[:, None]) & (left_out[:, None] <= highs + 1e-12)).any(axis=1).all()


def test_some_plans_look_by_a_core_alone_at_far_angles():
    """Otherwise the tests above would not look at it."""
    assert [name for name, (places, law, _, count, _) in CASES.items() if plan_of(law, places, count)[0].far.size]


def test_a_neighbour_leaves_hardly_more_out():
    _, found, _ = followed("a little wider")
    assert found.beyond.max() <= math.exp(-DEPTH)


def test_transforms_at_all_angles_make_no_plan():
    places = np.arange(-40.0, 41.0)
    made = blocks(bell(places, 0.0, 9.0), places, 10)
    chosen = choose_nodes(made, places, 0.1, DEPTH, 800.0)
    assert chosen is not None
    assert FrequencyPlan.of(chosen) is None


# one point that holds nearly all, and a few large losses: the modulus hardly falls, and most nodes matter
RARE = np.concatenate([np.arange(-20.0, 21.0), np.arange(24.0, 2000.0, 8.0)])
RARELY = bell(RARE, 0.0, 4.0) + 1e-5 * bell(RARE, 900.0, 400.0)


def test_where_most_nodes_matter_all_of_them_are_transformed():
    made = blocks(RARELY, RARE, 12)
    chosen = choose_nodes(made, RARE, 0.4, DEPTH, 12_000.0)
    assert chosen is not None
    assert chosen.outlook is None
    assert chosen.nodes.size * RARE.size > 2 * chosen.period  # a table of them would take longer
    ((values, error),) = chosen.transforms
    turns = np.exp(-1j * np.multiply.outer(RARE, 2.0 * PI / chosen.period * np.arange(chosen.period // 2 + 1)))
    exact = made[0].rows @ turns
    assert (np.abs(values - exact[:, chosen.nodes]) <= error + 1e-12).all()
    left_out = np.setdiff1d(np.arange(chosen.period // 2 + 1), chosen.nodes)
    assert left_out.size > 50
    assert (12.0 * np.log(np.abs(exact[:, left_out])).max(axis=1) <= np.log(chosen.beyond) + 1e-9).all()


@pytest.mark.parametrize("to_follow", [False, True])
def test_places_a_period_apart_are_not_laid_on_one_another(to_follow: bool):
    made = blocks(RARELY, RARE, 12)
    chosen = choose_nodes(made, RARE, 0.4, DEPTH, 1500.0, to_follow=to_follow)
    assert chosen is not None
    ((values, error),) = chosen.transforms
    exact = made[0].rows @ np.exp(-1j * np.multiply.outer(RARE, 2.0 * PI / chosen.period * chosen.nodes))
    assert (np.abs(values - exact) <= error + 1e-12).all()


@pytest.mark.parametrize(
    ("name", "times", "short"),
    [
        ("a little wider", 1, True),
        ("rather wider", 1, True),
        ("with a core", 1, False),
        ("a wide lattice", 1, False),
        ("with a core", 4, False),
    ],
)
def test_short_periods_are_transformed_as_a_whole_unless_others_are_to_follow(name: str, times: int, short: bool):
    """What is left out is then as small as it is seen to be, and smaller than asked. Near places need no transform.

    Nor do few, of which as little is left out.
    """
    places, law, _, count, _ = CASES[name]
    count *= times
    made = blocks(law, places, count)
    deviation = math.sqrt(count * float(made[0].variances.max()))
    best, length = math.sqrt(2.0 * DEPTH) / deviation, 14.0 * deviation
    chosen, to_follow = (choose_nodes(made, places, best, DEPTH, length, to_follow=follow) for follow in (False, True))
    assert chosen is not None
    assert to_follow is not None
    assert (chosen.outlook is None) == (short and places.size > 64)
    if not short:
        return
    assert to_follow.outlook is not None
    assert chosen.beyond.max() <= math.exp(-DEPTH - 4.0)
    left_out = np.setdiff1d(np.arange(chosen.period // 2 + 1), chosen.nodes)
    modulus = np.abs(made[0].rows @ np.exp(-1j * np.multiply.outer(places, 2.0 * PI / chosen.period * left_out)))
    largest = count * np.log(np.maximum(modulus, 1e-300)).max(axis=1)
    assert (largest <= np.log(np.maximum(chosen.beyond, 1e-300)) + 1e-9).all()


@pytest.mark.parametrize("lows", [[0.5], [0.5, 0.75, 1.0], [0.1, 0.2, 0.5, 0.75, 1.0, 2.0]])
def test_pieces_of_intervals_cover_them(lows: list[float]):
    begins = np.array(lows)
    ends = begins + np.where(begins < 0.4, 0.1, 0.25)
    at, low = _cut_intervals(MORE, begins, ends)
    halves = [(float(at.angles[i]), float(at.angles[i + 1])) for i in low]
    assert len(halves) == 2 * len(lows)
    wanted = [(a + (b - a) * k / 2, a + (b - a) * (k + 1) / 2) for a, b in zip(begins, ends, strict=True) for k in range(2)]
    assert np.array(halves) == pytest.approx(np.array(wanted), abs=1e-14)


def test_a_table_of_turns_serves_all_blocks(monkeypatch: pytest.MonkeyPatch):
    """Steps that are all different fill several blocks, whose tables would be the same."""
    made: list[int] = []
    table = EvenTurns.table
    monkeypatch.setattr(EvenTurns, "table", lambda turns: made.append(turns.angles.size) or table(turns))
    one, other = (blocks(bell(MORE, -5.0, deviation), MORE, 2000)[0] for deviation in (90.0, 95.0))
    assert choose_nodes([one, other], MORE, 2e-3, DEPTH, 60_000.0) is not None
    assert len(made) == len(set(made)) > 0
