"""More than 10,000 brackets at the edges of float64 against ball arithmetic: none may miss the truth, nothing may be
raised.

Each test asks about random mechanisms and compositions of one kind, with fixed seeds. A longer run, or another one:

    EDGES_TIMES=20 EDGES_SEED=1 python -m pytest tests/reference/test_float_edges.py -n auto
"""

import math
import os
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

import pytest
from tests.reference.edge_cases import EASY_WIDTHS, FEW, KINDS, MANY, WIDTHS, composition, deltas, epsilons, mechanism
from tests.reference.edge_checks import delta_fault, epsilon_fault, pure_fault
from tests.reference.truth_edge_sums import Steps, directions

import tightbudget as tb
from tightbudget import classic, divergences
from tightbudget.errors import DoesNotApply

TIMES = int(os.environ.get("EDGES_TIMES", "1"))
SEED = os.environ.get("EDGES_SEED", "2018")


class Size(NamedTuple):
    """How many of each kind are asked about in a part, and how many brackets that gives at the least."""

    singles: int
    fews: int
    manys: int
    sures: int
    brackets: int


FEWER, MORE = Size(1, 1, 1, 3, 14), Size(18, 5, 3, 24, 209)  # four times 209 for each kind are more than 10,000
PARTS = [("fast", FEWER), *(pytest.param(part, MORE, marks=pytest.mark.slow) for part in range(4))]
Composable = tb.Mechanism | tb.Composition
PURE: dict[str, Callable[[Composable], float]] = {
    "pure_epsilon": divergences.pure_epsilon,
    "renyi(inf)": lambda c: divergences.renyi(c, math.inf),
    "naive(0)": lambda c: classic.naive.epsilon(c, 0.0),
    "adaptive(0)": lambda c: classic.adaptive.epsilon(c, 0.0),
}


Questions = Callable[[Composable, Sequence[Steps]], None]


class Asked:
    """What was asked of one composition, and every answer that is wrong or none."""

    def __init__(self, label: str) -> None:
        self.random, self.brackets, self.faults = Random(f"{SEED}/{label}"), 0, list[str]()

    def about(self, make: Callable[[], Composable], questions: Questions) -> None:
        """Make a composition and ask about it; what the package refuses by name is no edge, but no question either."""
        try:
            made = make()
            sides = directions(made)
            assert made._directions  # pairs are made when first needed, and may refuse their parameters then
        except tb.InvalidParameter:
            return
        questions(made, sides)

    def delta(self, made: Composable, sides: Sequence[Steps], epsilon: float, rtol: float) -> None:
        self._ask(f"({made}).delta({epsilon!r}, rtol={rtol})", lambda: made.delta(epsilon, rtol=rtol),
                  lambda found: delta_fault(sides, epsilon, found))  # fmt: skip

    def epsilon(self, made: Composable, sides: Sequence[Steps], delta: float, rtol: float) -> None:
        self._ask(f"({made}).epsilon({delta!r}, rtol={rtol})", lambda: made.epsilon(delta, rtol=rtol),
                  lambda found: epsilon_fault(sides, delta, found))  # fmt: skip

    def pure(self, made: Composable, sides: Sequence[Steps], name: str) -> None:
        self._ask(f"{name} of {made}", lambda: PURE[name](made), lambda found: pure_fault(sides, found))

    def _ask(self, question: str, answer: Callable[[], object], fault: Callable[[object], str | None]) -> None:
        try:
            found = answer()
        except DoesNotApply:
            return
        except Exception as problem:  # all of them are legal: raising, or warning, is one more way to be wrong
            self.faults.append(f"{question}: raised {problem!r}")
            return
        self.brackets += isinstance(found, tb.Bracket)
        wrong = fault(found)
        if wrong is not None:
            shown = f"[{found.lower!r}, {found.upper!r}]" if isinstance(found, tb.Bracket) else repr(found)
            self.faults.append(f"{question}: {shown}, but {wrong}")


def ask_all(asked: Asked, count: int, widths: Sequence[float]) -> Questions:
    """Ask `count` deltas and as many epsilons, all to the same width."""

    def questions(made: Composable, sides: Sequence[Steps]) -> None:
        rtol = asked.random.choice(widths)
        for epsilon in epsilons(asked.random, sides, count):
            asked.delta(made, sides, epsilon, rtol)
        for delta in deltas(asked.random, sides, count):
            asked.epsilon(made, sides, delta, rtol)

    return questions


def ask_what_is_sure(asked: Asked) -> Questions:
    """Ask what has a closed form for every composition: its infinite mass and its largest loss."""

    def questions(made: Composable, sides: Sequence[Steps]) -> None:
        asked.delta(made, sides, math.inf, 1e-3)
        asked.delta(made, sides, 1.5e308, 1e-3)
        asked.epsilon(made, sides, 0.0, 1e-3)
        asked.pure(made, sides, asked.random.choice(list(PURE)))

    return questions


@pytest.mark.parametrize(("part", "size"), PARTS, ids=["fast", *range(4)])
@pytest.mark.parametrize("kind", KINDS)
def test_edges(kind: str, part: str | int, size: Size) -> None:
    asked = Asked(f"{kind}/{part}")
    random = asked.random
    for _ in range(TIMES):
        for _ in range(size.singles):
            asked.about(lambda: mechanism(random, kind), ask_all(asked, 4, WIDTHS))
        for _ in range(size.fews):
            asked.about(lambda: composition(random, kind, FEW), ask_all(asked, 2, EASY_WIDTHS))
        for _ in range(size.manys):
            asked.about(lambda: composition(random, kind, MANY), ask_all(asked, 1, EASY_WIDTHS))
        for _ in range(size.sures):
            asked.about(lambda: composition(random, kind, FEW + MANY), ask_what_is_sure(asked))
    assert not asked.faults, "\n".join(asked.faults)
    assert asked.brackets >= size.brackets * TIMES  # most mechanisms are legal, or this would be no test
