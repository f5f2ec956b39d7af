"""The games that `tightbudget odometer` plays, and what it draws of them."""

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import odometer_plot
from tightbudget.interfaces.cli.terminal import watched
from tightbudget.research.games import paths, players, table, walk
from tightbudget.research.games.separation import Separation, separation

PATHS_DRAWN = 60


def chosen_odometers(kind: list[str] | None, everything: bool) -> dict[str, players.MakeOdometer]:
    """Return the odometers that were named, spelt either way, or all of them."""
    every = players.every_odometer()
    if everything:
        return dict(every)
    spelt = {name.replace("_", "-"): name for name in every}
    names = []
    for name in kind or ["mixture"]:
        if name.replace("_", "-") not in spelt:
            raise InvalidParameter("--kind", name, f"one of {', '.join(every)}")
        names.append(spelt[name.replace("_", "-")])
    return {name: every[name] for name in names}


def played_row(
    name: str, make: players.MakeOdometer, adversary: str, epsilon: float, delta: float, rounds: int, runs: int, seed: int
) -> table.GameRow:
    """Return one odometer's row, with a bar where a person watches."""
    rng = np.random.default_rng(seed)  # the same coins for every odometer
    return watched(
        lambda tell: table.odometer_row(name, make, adversary, epsilon, delta, rounds, runs, rng, tell),
        f"playing {name}",
        rounds,
    )


def exact_crossing(make: players.MakeOdometer, epsilon: float, delta: float, rounds: int) -> float:
    """Return the probability that the loss is ever above the bound when every step is the same."""
    return table.crossing_row("", make, epsilon, delta, rounds).rate


def paths_picture(
    chosen: dict[str, players.MakeOdometer], epsilon: float, delta: float, rounds: int, runs: int, seed: int, suffix: str
) -> bytes:
    """Draw the same step in every round, so that one bound serves all runs."""
    rng = np.random.default_rng(seed)
    step = players.odometer_adversaries(epsilon)["fixed"]
    some = next(iter(chosen.values()))(delta)
    losses, _ = paths(step, some, rounds=rounds, runs=min(runs, PATHS_DRAWN), rng=rng)
    bounds = {
        name: np.concatenate([[0.0], walk.odometer_bounds(make(delta), epsilon, rounds)]) for name, make in chosen.items()
    }
    title = f"pure_dp(epsilon={epsilon:g}) in every round, δ = {delta:g}"
    return odometer_plot.draw_paths(losses, bounds, set(players.unsound_odometers()), epsilon, title, suffix, runs)


def separation_numbers(epsilon: float, delta: float, rounds: int) -> Separation:
    """Return what odometers cost beside a bound for a fixed time, with a bar where a person watches."""
    # the sum of the epsilons is never exceeded, and far too wide to be drawn beside the others
    drawn = ("fixed-time", *(kind for kind in players.shipped_odometers() if kind != "basic"))
    meters = {name: players.every_odometer()[name] for name in drawn}
    return watched(
        lambda progress: separation(meters, epsilon, delta, rounds, progress), "working out probabilities", len(meters)
    )


def separation_picture(result: Separation, suffix: str) -> bytes:
    return odometer_plot.draw_separation(result, set(players.unsound_odometers()), suffix)
