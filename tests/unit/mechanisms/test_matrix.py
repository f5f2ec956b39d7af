"""Tree aggregation and the matrix mechanism: sensitivities against all sets of steps, and brackets (M35)."""

import itertools
import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.mechanisms.participation import strategy_squares, tree_squares


def tree(steps: int) -> np.ndarray:
    """A row for each node of the binary tree that is complete."""
    rows = []
    for level in range(steps.bit_length()):
        for node in range(steps >> level):
            rows.append([float(step >> level == node) for step in range(steps)])
    return np.array(rows)


def root(steps: int) -> np.ndarray:
    """The square root of the matrix of prefix sums."""
    first = [1.0]
    for j in range(1, steps):
        first.append(first[-1] * (2 * j - 1) / (2 * j))
    return np.array([[first[i - j] if i >= j else 0.0 for j in range(steps)] for i in range(steps)])


def sets(steps: int, participations: int, separation: int) -> list[tuple[int, ...]]:
    chosen = [s for k in range(1, participations + 1) for s in itertools.combinations(range(steps), k)]
    return [s for s in chosen if all(b - a >= separation for a, b in itertools.pairwise(s))]


@pytest.mark.parametrize(
    ("matrix", "participations", "separation", "squares"),
    [
        (tree(8), 1, 1, 4.0), (tree(8), 2, 4, 10.0), (tree(8), 2, 2, 12.0), (tree(8), 4, 2, 32.0),
        (root(8), 1, 1, 1.7183792591095), (root(8), 2, 4, 4.29973912239075), (root(8), 3, 2, 8.99259114265442),
    ],
)  # fmt: skip
def test_published_sensitivities(matrix: np.ndarray, participations: int, separation: int, squares: float):
    lower, upper = strategy_squares(matrix, participations, separation)
    assert lower <= squares * (1 + 1e-12)
    assert squares * (1 - 1e-12) <= upper
    assert upper - lower <= 1e-8 * upper


def test_trees_against_all_sets():
    for steps, participations, separation in itertools.product((1, 2, 5, 8, 11, 13), (1, 2, 3), (1, 2, 3, 5)):
        if participations > steps or separation > steps:
            continue
        matrix = tree(steps)
        exact = max((matrix[:, list(s)].sum(axis=1) ** 2).sum() for s in sets(steps, participations, separation))
        lower, upper = tree_squares(steps, participations, separation)
        assert lower <= exact <= upper
    assert tree_squares(8, 2, 4) == (10, 10)
    assert tree_squares(1_000_000, 1, 1) == (20, 20)


def test_matrices_against_all_sets_and_signs(monkeypatch: pytest.MonkeyPatch):
    """Also where there are too many sets to try: the bound for those is taken here."""
    rng = np.random.default_rng(5)
    for most in (20_000, 0):
        monkeypatch.setattr("tightbudget.mechanisms.participation._MOST_SETS", most)
        for _ in range(60):
            steps, rows = rng.integers(1, 8, size=2).tolist()
            participations, separation = rng.integers(1, steps + 1, size=2).tolist()
            matrix = rng.normal(size=(rows, steps)) * rng.choice([0.0, 1.0], size=(rows, steps), p=[0.3, 0.7])
            exact = 0.0
            for chosen in sets(steps, participations, separation):
                for signs in itertools.product((-1.0, 1.0), repeat=len(chosen)):
                    exact = max(exact, float(((matrix[:, list(chosen)] @ np.array(signs)) ** 2).sum()))
            lower, upper = strategy_squares(matrix, participations, separation)
            assert lower <= exact * (1 + 1e-12)
            assert exact * (1 - 1e-12) <= upper


def test_digits():
    """sens^2 = 10, sigma = 4."""
    mechanism = tb.TreeAggregation(sigma=4.0, steps=8, participations=2, separation=4)
    for epsilon, exact in ((0.5, 0.155597119585788), (1.0, 0.0605854366528703)):
        answer = mechanism.delta(epsilon=epsilon, rtol=1e-9)
        assert answer.lower <= exact * (1 + 1e-14)
        assert exact * (1 - 1e-14) <= answer.upper
        assert answer.upper - answer.lower <= 1e-9 * exact
        same = tb.MatrixMechanism(4.0, tree(8).tolist(), participations=2, separation=4).delta(epsilon=epsilon)
        assert same.lower <= exact <= same.upper


def test_two_ends_where_the_sensitivity_is_not_known_exactly():
    mechanism = tb.TreeAggregation(sigma=4.0, steps=7, participations=3, separation=3)
    lower, upper = mechanism.squares
    answer = mechanism.delta(epsilon=0.5)
    assert lower < upper
    assert answer.lower <= tb.Gaussian(4.0, math.sqrt(lower)).delta(epsilon=0.5).upper
    assert answer.upper >= tb.Gaussian(4.0, math.sqrt(upper)).delta(epsilon=0.5).lower
    assert not answer.converged


def test_relations_and_notation():
    mechanism = tb.MatrixMechanism(2.0, [[1, 0], [0.5, 1]], participations=2)
    replaced = mechanism.under("replace_one")
    assert replaced.sensitivity == 2.0
    assert tb.parse(str(mechanism)) == mechanism
    assert str(tb.parse("tree_aggregation(sigma=2.0, steps=100) * 2")) == "tree_aggregation(sigma=2.0, steps=100) * 2"
    assert tb.TreeAggregation(2.0, 1).delta(epsilon=0.5) == tb.Gaussian(2.0).delta(epsilon=0.5)


@pytest.mark.parametrize(
    "strategy", [[], [[]], [[1, 2], [3]], "abc", 3, [1, 2], [[1, "x"]], [[math.nan]], [[math.inf]], [[1e-200]]]
)
def test_bad_matrices(strategy: object):
    with pytest.raises(tb.InvalidParameter, match="strategy"):
        tb.MatrixMechanism(1.0, strategy)  # type: ignore[arg-type]


@pytest.mark.parametrize("entry", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_an_entry_that_is_no_number_is_named_wherever_it_is(place: tuple[int, int], entry: float):
    strategy = [[1.0, 0.0], [0.0, 100.0]]
    strategy[place[0]][place[1]] = entry
    with pytest.raises(tb.InvalidParameter, match=rf"strategy\[{place[0]}\]\[{place[1]}\] is -?(nan|inf)"):
        tb.MatrixMechanism(1.0, strategy)  # type: ignore[arg-type]


def test_a_row_of_another_length_is_named():
    with pytest.raises(tb.InvalidParameter, match=r"strategy\[2\] is 'a row of 1', but must be of 2"):
        tb.MatrixMechanism(1.0, [[1, 0], [1, 1], [1]])  # type: ignore[arg-type]


def test_bad_numbers():
    for arguments in ({"steps": 0}, {"steps": 2.5}, {"steps": 4, "participations": 5}, {"steps": 4, "separation": 0}):
        with pytest.raises(tb.InvalidParameter, match="whole number from 1"):
            tb.TreeAggregation(1.0, **arguments)  # type: ignore[arg-type]
    with pytest.raises(tb.TightBudgetError, match="list of rows"):
        tb.parse("matrix_mechanism(sigma=1, strategy=[1, 2])")
