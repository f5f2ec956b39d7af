"""The games of Algorithms 1 and 2 played many times with coins (M18).

A run is: the adversary chooses, the filter or odometer is told, the mechanism answers from the bit. All runs advance
together as arrays. Randomness comes in as a NumPy Generator.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.research.games.adversaries import STOP, Adversary, View, next_steps
from tightbudget.research.games.estimate import Estimate
from tightbudget.research.games.exceeds import exceeds
from tightbudget.research.games.shared_states import PlayedFilter, PlayedOdometer, SharedStates

Progress = Callable[[int], None]


@dataclass(frozen=True)
class FilterGame:
    """How often a filter failed at its epsilon, in the two senses of M18."""

    view: Estimate  # delta(epsilon) of the stopped view, as the probability of a coin
    pointwise: Estimate  # the loss of the stopped view is above epsilon
    mean_rounds: float


@dataclass(frozen=True)
class OdometerGame:
    """How often the realised loss was ever above what the odometer showed."""

    crossing: Estimate
    mean_rounds: float


def play_filter(
    adversary: Adversary,
    meter: PlayedFilter,
    *,
    rounds: int,
    runs: int,
    rng: np.random.Generator,
    bit: int = 0,
    progress: Progress | None = None,
) -> FilterGame:
    """Play the filter game; a run ends when the adversary stops, the filter refuses, or after `rounds`."""
    check_game(rounds, runs, bit)
    loss, played = np.zeros(runs), np.zeros(runs)
    shared = SharedStates.of_filter(meter, adversary.menu)
    for table in _advance_simulation(adversary, shared, rounds, runs, rng, bit):
        loss[table.run], played[table.run] = table.loss, table.round
        _tell_progress(progress, table.round)
    epsilon = float(meter.epsilon)
    against = loss if bit == 0 else -loss  # the loss of the bit that was played against the other one
    with np.errstate(over="ignore"):
        weight = np.maximum(0.0, -np.expm1(np.minimum(epsilon - against, 0.0)))
    return FilterGame(
        view=Estimate(int((rng.random(runs) < weight).sum()), runs),
        pointwise=Estimate(int(exceeds(against, epsilon).sum()), runs),
        mean_rounds=float(played.mean()),
    )


def play_odometer(
    adversary: Adversary,
    meter: PlayedOdometer,
    *,
    rounds: int,
    runs: int,
    rng: np.random.Generator,
    bit: int = 0,
    progress: Progress | None = None,
) -> OdometerGame:
    """Play the odometer game; a run has failed as soon as its loss is above what the odometer shows."""
    check_game(rounds, runs, bit)
    failed, played = np.zeros(runs, bool), np.zeros(runs)
    shared = SharedStates.of_odometer(meter, adversary.menu)
    for table in _advance_simulation(adversary, shared, rounds, runs, rng, bit):
        against = table.loss if bit == 0 else -table.loss
        failed[table.run] |= exceeds(against, shared.bounds(table.node))
        played[table.run] = table.round
        _tell_progress(progress, table.round)
    return OdometerGame(Estimate(int(failed.sum()), runs), float(played.mean()))


def paths(
    adversary: Adversary, meter: PlayedOdometer, *, rounds: int, runs: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return losses and bounds of some runs round by round, shape (runs, rounds + 1); NaN after a run has stopped."""
    check_game(rounds, runs, 0)
    shared = SharedStates.of_odometer(meter, adversary.menu)
    losses, bounds = np.full((runs, rounds + 1), np.nan), np.full((runs, rounds + 1), np.nan)
    losses[:, 0], bounds[:, 0] = 0.0, shared.bounds(np.zeros(runs, np.intp))
    for table in _advance_simulation(adversary, shared, rounds, runs, rng, 0):
        losses[table.run, table.round], bounds[table.run, table.round] = table.loss, shared.bounds(table.node)
    return losses, bounds


@dataclass
class _SimulatedTable:
    """The runs that are still going on."""

    round: int
    run: NDArray[np.intp]
    node: NDArray[np.intp]
    loss: NDArray[np.float64]


def _advance_simulation(
    adversary: Adversary, shared: SharedStates, rounds: int, runs: int, rng: np.random.Generator, bit: int
) -> Iterator[_SimulatedTable]:
    """Yield the table after each round; runs that have ended leave it."""
    table = _SimulatedTable(0, np.arange(runs), np.zeros(runs, np.intp), np.zeros(runs))
    for finished in range(rounds):
        accepts = shared.accepts(table.node)
        choices = next_steps(adversary, View(finished, table.loss, shared.bounds(table.node), accepts))
        going = (choices != STOP) & np.take_along_axis(accepts, np.maximum(choices, 0)[:, None], axis=1)[:, 0]
        if not going.all():
            table.run, table.node, table.loss, choices = (part[going] for part in (table.run, table.node, table.loss, choices))
        if table.run.size == 0:
            return
        table.node = shared.move(table.node, choices)
        table.loss = table.loss + _drawn_losses(adversary, choices, rng, bit)
        table.round = finished + 1
        yield table


def _drawn_losses(adversary: Adversary, choices: NDArray[np.intp], rng: np.random.Generator, bit: int) -> NDArray[np.float64]:
    losses = np.empty(choices.size)
    for index, item in enumerate(adversary.menu):
        chosen = choices == index
        count = int(chosen.sum())
        if count:
            losses[chosen] = item.law.draw(rng, count, bit)
    return losses


def check_game(rounds: int, runs: int, bit: int) -> None:
    for name, value in (("rounds", rounds), ("runs", runs)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InvalidParameter(name, value, "a whole number from 1")
    if bit not in (0, 1):
        raise InvalidParameter("bit", bit, "0 or 1", "It is the bit the data hold; both must be private.")


def _tell_progress(progress: Progress | None, done: int) -> None:
    if progress is not None:
        progress(done)
