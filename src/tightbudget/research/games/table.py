"""The table of games: every filter and odometer against every adversary, with a verdict on each.

`python -m tightbudget.games` prints it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import GENEROUS, lowered_by, raised_by
from tightbudget.research.games import naive, walk
from tightbudget.research.games.adversaries import Fixed, Greedy, SpendTheRest, counterexample
from tightbudget.research.games.estimate import CERTAIN
from tightbudget.research.games.exact import exact_filter, exact_odometer
from tightbudget.research.games.players import (
    OR_BASIC,
    MakeFilter,
    MakeOdometer,
    every_odometer,
    filter_adversaries,
    odometer_adversaries,
    shipped_filters,
    unsound_odometers,
)
from tightbudget.research.games.simulate import play_filter, play_odometer
from tightbudget.research.games.steps import gaussian, response
from tightbudget.research.games.worst_case import worst_crossing, worst_view

SHOWN_CONFIDENCE = 0.99  # of each limit that is shown; a claim that something fails needs CERTAIN
ORDERED = ("residual",)  # the order of the steps matters, so states double with every choice: few rounds only


@dataclass(frozen=True)
class GameRow:
    """One game: how often it failed, between which limits, and what was promised."""

    meter: str
    adversary: str
    rounds: int
    runs: int  # 0: worked out exactly, the limits are certain
    rate: float
    lower: float
    upper: float
    promised: float
    certainly_fails: bool

    @property
    def verdict(self) -> str:
        return game_verdict(self.meter, self.certainly_fails, self.upper <= self.promised)


def player_label(meter: str) -> str:
    """Return the name of an odometer or filter as it is shown: those that are there to fail say so."""
    return f"{meter} (UNSOUND)" if meter in unsound_odometers() else meter


def game_verdict(meter: str, fails: bool, within: bool) -> str:
    """Return what one game says of a meter; one that is unsound has not held because one adversary misses it."""
    if fails:
        return "FAILS"
    if meter in unsound_odometers():
        return "not caught here"
    return "holds" if within else "not refuted"


def filter_rows(epsilon: float, delta: float) -> Iterator[GameRow]:
    """Yield every shipped filter against every adversary, worked out exactly, in the worse of the two directions."""
    menu = [response(epsilon / 10), response(epsilon / 4), response(0.0, delta / 5)]
    for name, make in shipped_filters().items():
        ordered = name in ORDERED
        most = 5 if ordered else 30
        for label, adversary in filter_adversaries(epsilon, delta).items():
            rounds = 12 if ordered and len(adversary.menu) > 1 else 400
            views = [exact_filter(adversary, make(epsilon, delta), rounds=rounds, bit=bit).view for bit in (0, 1)]
            yield _worked_out(name, label, rounds, max(views, key=lambda bracket: bracket.upper), delta)
        yield _worked_out(
            name, "best possible on a menu", most, worst_view(menu, make(epsilon, delta), rounds=most).value, delta
        )


def gaussian_rows(epsilon: float, delta: float, runs: int, rng: np.random.Generator, rounds: int = 400) -> Iterator[GameRow]:
    """Yield the filters that take Gaussian steps, played with coins: delta(epsilon) is near what they promise."""
    for name, make in shipped_filters().items():
        if not _takes_gaussian(name, make, epsilon, delta):
            continue
        for adversary in (Fixed(gaussian(epsilon / 20)), Greedy([gaussian(epsilon / 40), gaussian(epsilon / 8)])):
            played = play_filter(adversary, make(epsilon, delta), rounds=rounds, runs=runs, rng=rng).view
            yield _simulated_game_row(name, f"{adversary.name}, Gaussian", rounds, played, delta)


def _takes_gaussian(name: str, make: MakeFilter, epsilon: float, delta: float) -> bool:
    """Tell whether Gaussian steps are admitted in long games. They have no epsilon to add up, so "or basic" is idle."""
    if name in ORDERED or name.endswith(OR_BASIC):
        return False
    try:
        return bool(make(epsilon, delta).quote(gaussian(epsilon / 40).increment).accepted)
    except InvalidParameter:
        return False


def odometer_row(
    name: str,
    make: MakeOdometer,
    label: str,
    epsilon: float,
    delta: float,
    rounds: int,
    runs: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> GameRow:
    """Return one odometer against one adversary, played with coins."""
    adversaries = odometer_adversaries(epsilon)
    if label not in adversaries:
        raise InvalidParameter("adversary", label, f"one of {', '.join(adversaries)}")
    played = play_odometer(adversaries[label], make(delta), rounds=rounds, runs=runs, rng=rng, progress=progress)
    return _simulated_game_row(name, label, rounds, played.crossing, delta)


def crossing_row(name: str, make: MakeOdometer, epsilon: float, delta: float, rounds: int) -> GameRow:
    """Return the same step in every round, worked out exactly: the best moment to stop is the first above the bound."""
    meter = make(delta)
    failing = float(walk.crossing_probabilities(epsilon, walk.odometer_bounds(meter, epsilon, rounds))[-1])
    return GameRow(name, "stop-when-ahead", rounds, 0, failing, failing, failing, delta, failing > delta)


def odometer_rows(epsilon: float, delta: float, rounds: int) -> Iterator[GameRow]:
    """Yield every odometer, shipped or not, against the adversaries that can be worked out exactly."""
    for name, make in every_odometer().items():
        yield crossing_row(name, make, epsilon, delta, rounds)
        growing = odometer_adversaries(epsilon)["tiny-then-large"]
        grown = exact_odometer(growing, make(delta), rounds=400)
        yield _worked_out(name, growing.name, 400, grown, delta)
        worst = worst_crossing([response(epsilon), response(4 * epsilon)], make(delta), rounds=12).value
        yield _worked_out(name, "best possible on a menu", 12, worst, delta)


def unsound_filter_rows(runs: int, rng: np.random.Generator) -> Iterator[GameRow]:
    """Yield the two filters that people make of a composition theorem, with the adversary that breaks each."""
    trap, exact = counterexample()
    delta = exact * (1.0 + 1e-6)  # both plans of the adversary have exactly this delta; give the filter room for rounding
    natural = naive.UnsoundNaturalFilter(0.5, delta)
    view = exact_filter(trap, natural, rounds=3).view
    yield _worked_out(natural.kind, trap.name, 3, view, delta)
    yield _simulated_game_row(natural.kind, trap.name, 3, play_filter(trap, natural, rounds=3, runs=runs, rng=rng).view, delta)
    split_delta = raised_by(naive.plain_gaussian_delta(0.5**0.5, 1.0), GENEROUS)
    rest = split_delta - naive.plain_gaussian_delta(0.5, 1.0)
    divide = SpendTheRest(0.5, 0.5, lowered_by(rest, GENEROUS), threshold=-0.2)
    split = naive.UnsoundSplitFilter(1.0, split_delta)
    yield _simulated_game_row(
        split.kind, divide.name, 3, play_filter(divide, split, rounds=3, runs=runs, rng=rng).view, split_delta
    )


def _worked_out(name: str, label: str, rounds: int, bracket: Bracket, promised: float) -> GameRow:
    middle = 0.5 * (bracket.lower + bracket.upper) if bracket.lower else 0.0  # only rounding is left
    return GameRow(name, label, rounds, 0, middle, bracket.lower, bracket.upper, promised, bracket.lower > promised)


def _simulated_game_row(name: str, label: str, rounds: int, estimate: Any, promised: float) -> GameRow:
    low, high = estimate.lower(SHOWN_CONFIDENCE), estimate.upper(SHOWN_CONFIDENCE)
    fails = estimate.lower(CERTAIN) > promised
    return GameRow(name, label, rounds, estimate.runs, estimate.rate, low, high, promised, fails)
