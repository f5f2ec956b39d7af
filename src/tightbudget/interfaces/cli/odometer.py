"""`tightbudget odometer`: play odometers against adversaries, and draw why they cost more than a fixed-time bound."""

from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import odometer_plot, wire
from tightbudget.interfaces.cli.files import check_targets, written
from tightbudget.interfaces.cli.options import Json, number, whole
from tightbudget.interfaces.cli.plain import Command, group
from tightbudget.interfaces.cli.tables import Column, blocks, folded, table
from tightbudget.interfaces.cli.terminal import show, show_styled, watched
from tightbudget.numerics.decimals import rounded
from tightbudget.research.games import paths, walk
from tightbudget.research.games import table as roster
from tightbudget.research.games.separation import Separation, separation
from tightbudget.version import __version__

PATHS_DRAWN = 60
SMALLEST_STEP, LARGEST_STEP = 1e-100, 1e100  # squares of ε, and sums of them, are floats
MOST_ROUNDS, MOST_RUNS = 10_000_000, 100_000_000
FIXED = ("fixed", "stop-when-ahead")  # adversaries whose game is also worked out exactly

STYLES = {"FAILS": "red", "not caught here": "yellow"}

app = group(help="Play odometers against adversaries who stop when it suits them.")

EpsilonEach = Annotated[float, typer.Option("--epsilon-each", help="The ε of an ordinary step.", parser=number, metavar="E")]
Delta = Annotated[
    float,
    typer.Option(help="The failure probability each odometer promises.", parser=number, metavar="D"),
]
Rounds = Annotated[int, typer.Option(help="Rounds of each game.", parser=whole, metavar="N")]
Plot = Annotated[Path | None, typer.Option(help="Draw to this .png or .svg file.", metavar="FILE")]


@app.command(cls=Command, short_help="How often a loss is ever above the bound.")
def simulate(
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="An odometer; may be given several times. fixed-time and fixed-time-drv are unsound.",
            metavar="K",
            show_default="mixture",
        ),
    ] = None,
    epsilon_each: EpsilonEach = 0.1,
    delta: Delta = 0.05,
    rounds: Rounds = 20_000,
    runs: Annotated[int, typer.Option(help="Independent runs.", parser=whole, metavar="N")] = 1000,
    adversary: Annotated[
        str, typer.Option(help=f"One of {', '.join(roster.odometer_adversaries(1.0))}.", metavar="A")
    ] = "stop-when-ahead",
    everything: Annotated[bool, typer.Option("--all", help="Every odometer, the unsound ones too.")] = False,
    seed: Annotated[int, typer.Option(help="Of the coins; the same seed gives the same runs.", parser=whole, metavar="N")] = 0,
    plot: Plot = None,
    as_json: Json = False,
) -> int:
    """Estimate how often the realised privacy loss is ever above what an odometer shows.

    The game of adaptive composition with randomised response, the worst mechanism of its ε. The limits are exact
    binomial ones, each with confidence 99 %. Where every step is the same, the answer is also worked out exactly.

    \b
    holds            the exact probability, or the upper limit, is within what is promised
    not refuted      the estimate is too rough to say; more runs narrow it
    FAILS            the exact probability is above what is promised, or the estimate is
                     beyond doubt
    not caught here  an UNSOUND odometer that this game happens to miss: it promises nothing

    \b
    Example:
      tightbudget odometer simulate --kind mixture --kind fixed-time --rounds 2000
    """
    chosen = _chosen(kind, everything)
    _check(epsilon_each, delta, rounds, runs, seed, adversary, plot)
    for make in chosen.values():
        make(delta)  # a delta that an odometer cannot promise is refused before any work
    rows = [_played(name, make, adversary, epsilon_each, delta, rounds, runs, seed) for name, make in chosen.items()]
    exactly = {name: _exactly(make, epsilon_each, delta, rounds) for name, make in chosen.items()} if adversary in FIXED else {}
    done = []
    if plot is not None:
        done = written({plot: _picture(chosen, epsilon_each, delta, rounds, runs, seed, plot.suffix[1:].lower())})
    if as_json:
        show(wire.dumps(_shape(rows, exactly, epsilon_each, seed)))
    else:
        show_styled([*_as_table(rows, exactly, epsilon_each), *((line, "") for line in done)])
    return 0


@app.command("separation", cls=Command, short_help="What an odometer must cost.")
def separation_command(
    epsilon_each: EpsilonEach = 0.1,
    delta: Delta = 0.05,
    rounds: Rounds = 20_000,
    plot: Plot = None,
    as_json: Json = False,
) -> int:
    """Show that an odometer must cost more than a bound for a fixed time (Theorem 6.1), by exact probabilities.

    \b
    Example:
      tightbudget odometer separation --rounds 3000 --plot separation.png
    """
    _check(epsilon_each, delta, rounds, 1, 0, "fixed", plot)
    unsound = roster.unsound_odometers()
    names = ("fixed-time", "line", "mixture", "one_sided_mixture", "stitched", "renyi", "rogers")
    every = {**roster.shipped_odometers(), **unsound}
    meters = {name: every[name] for name in names}
    result = watched(
        lambda progress: separation(meters, epsilon_each, delta, rounds, progress), "working out probabilities", len(meters)
    )
    done = []
    if plot is not None:
        done = written({plot: odometer_plot.draw_separation(result, set(unsound), plot.suffix[1:].lower())})
    if as_json:
        show(wire.dumps(_separation_shape(result)))
    else:
        show("\n".join([*_separation_text(result), *done]))
    return 0


def _chosen(kind: list[str] | None, everything: bool) -> dict[str, roster.MakeOdometer]:
    every = {**roster.shipped_odometers(), **roster.unsound_odometers()}
    if everything:
        return every
    spelt = {name.replace("_", "-"): name for name in every}
    names = []
    for name in kind or ["mixture"]:
        if name.replace("_", "-") not in spelt:
            raise InvalidParameter("--kind", name, f"one of {', '.join(every)}")
        names.append(spelt[name.replace("_", "-")])
    return {name: every[name] for name in names}


def _check(epsilon: float, delta: float, rounds: int, runs: int, seed: int, adversary: str, plot: Path | None) -> None:
    if not SMALLEST_STEP <= epsilon <= LARGEST_STEP:
        raise InvalidParameter("--epsilon-each", epsilon, f"a number from {SMALLEST_STEP:g} to {LARGEST_STEP:g}")
    if not 0.0 < delta < 1.0:
        raise InvalidParameter("--delta", delta, "a number between 0 and 1", "0.05 makes failures visible.")
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InvalidParameter("--rounds", rounds, f"a whole number from 1 to {MOST_ROUNDS}")
    if not 1 <= runs <= MOST_RUNS:
        raise InvalidParameter("--runs", runs, f"a whole number from 1 to {MOST_RUNS}")
    if seed < 0:
        raise InvalidParameter("--seed", seed, "a whole number from 0")
    names = roster.odometer_adversaries(1.0)
    if adversary not in names:
        raise InvalidParameter("--adversary", adversary, f"one of {', '.join(names)}")
    check_targets(plot)


def _played(
    name: str, make: roster.MakeOdometer, adversary: str, epsilon: float, delta: float, rounds: int, runs: int, seed: int
) -> roster.Row:
    rng = np.random.default_rng(seed)  # the same coins for every odometer
    return watched(
        lambda tell: roster.odometer_row(name, make, adversary, epsilon, delta, rounds, runs, rng, tell),
        f"playing {name}",
        rounds,
    )


def _exactly(make: roster.MakeOdometer, epsilon: float, delta: float, rounds: int) -> float:
    return roster.crossing_row("", make, epsilon, delta, rounds).rate


def _picture(
    chosen: dict[str, roster.MakeOdometer], epsilon: float, delta: float, rounds: int, runs: int, seed: int, suffix: str
) -> bytes:
    """Draw the same step in every round, so that one bound serves all runs."""
    rng = np.random.default_rng(seed)
    step = roster.odometer_adversaries(epsilon)["fixed"]
    some = next(iter(chosen.values()))(delta)
    losses, _ = paths(step, some, rounds=rounds, runs=min(runs, PATHS_DRAWN), rng=rng)
    bounds = {name: np.concatenate([[0.0], walk.bounds_of(make(delta), epsilon, rounds)]) for name, make in chosen.items()}
    title = f"pure_dp(epsilon={epsilon:g}) in every round, δ = {delta:g}"
    return odometer_plot.draw_paths(losses, bounds, set(roster.unsound_odometers()), epsilon, title, suffix, runs)


def _as_table(rows: list[roster.Row], exactly: dict[str, float], epsilon: float) -> list[tuple[str, str]]:
    first = rows[0]
    title = f"Pr[loss ever above the bound]: ε = {epsilon:g} each, {first.rounds} rounds, {first.runs} runs, {first.adversary}"
    columns = [Column("odometer"), Column("failed", right=True), Column("99 % limits", right=True)]
    columns += [Column("exactly", right=True)] if exactly else []
    columns += [Column("promised", right=True), Column("verdict")]
    verdicts = [roster.verdict(row.meter, _fails(row, exactly), bool(exactly) or row.upper <= row.promised) for row in rows]
    heading, shown = table(columns, [_cells(row, exactly, said) for row, said in zip(rows, verdicts, strict=True)])
    lines = [*((line, "") for line in folded(title).split("\n")), *((line, "bold") for line in heading)]
    for said, record in zip(verdicts, shown, strict=True):
        lines += [(line, STYLES.get(said, "")) for line in record]
    return lines


def _cells(row: roster.Row, exactly: dict[str, float], verdict: str) -> list[str]:
    limits = f"{rounded(row.lower, 3, ROUND_FLOOR)} – {rounded(row.upper, 3, ROUND_CEILING)}"
    worked_out = [f"{exactly[row.meter]:.4g}"] if exactly else []
    return [roster.label(row.meter), f"{row.rate:.4g}", limits, *worked_out, f"{row.promised:g}", verdict]


def _fails(row: roster.Row, exactly: dict[str, float]) -> bool:
    return row.certainly_fails or exactly.get(row.meter, 0.0) > row.promised


def _shape(rows: list[roster.Row], exactly: dict[str, float], epsilon: float, seed: int) -> wire.Wire:
    games = [
        {
            "odometer": row.meter,
            "unsound": row.meter in roster.unsound_odometers(),
            "adversary": row.adversary,
            "rounds": row.rounds,
            "runs": row.runs,
            "rate": row.rate,
            "lower": wire.lower_end(row.lower),
            "upper": wire.upper_end(row.upper),
            "confidence": roster.SHOWN_CONFIDENCE,
            "exactly": exactly.get(row.meter),
            "promised": row.promised,
            "fails": _fails(row, exactly),
        }
        for row in rows
    ]
    return {"epsilon_each": epsilon, "seed": seed, "games": games, "version": __version__}


def _separation_shape(result: Separation) -> wire.Wire:
    marks = result.needed_rounds.tolist()
    return {
        "epsilon_each": result.epsilon,
        "delta": result.delta,
        "rounds": marks,
        "unsound": [name for name in result.failing if name in roster.unsound_odometers()],
        "failing": {name: [float(values[mark - 1]) for mark in marks] for name, values in result.failing.items()},
        "width": {name: [float(values[mark - 1]) for mark in marks] for name, values in result.widths.items()},
        "least_constant_width": result.needed.tolist(),
        "version": __version__,
    }


def _separation_text(result: Separation) -> list[str]:
    marks = result.needed_rounds.tolist()
    columns = [Column("rounds"), *(Column(str(mark), right=True) for mark in marks)]
    title = f"Pr[loss was above the bound], exactly; ε = {result.epsilon:g} each, promised δ = {result.delta:g}"
    failing = [[roster.label(name), *(f"{values[mark - 1]:.2g}" for mark in marks)] for name, values in result.failing.items()]
    widths = [[roster.label(name), *(_width(values[mark - 1]) for mark in marks)] for name, values in result.widths.items()]
    needed = ["least constant width", *map(_width, result.needed)]
    return [
        *folded(title).split("\n"),
        *blocks(columns, failing),
        "",
        "Width (bound - mean loss) / sqrt(V)",
        *blocks(columns, [*widths, needed]),
    ]


def _width(value: float) -> str:
    """Return a width in few characters; huge ones, where a bound says nothing, as a power of ten."""
    return f"{value:.3f}" if abs(value) < 1e5 else f"{value:.2e}"
