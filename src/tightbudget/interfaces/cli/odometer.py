"""`tightbudget odometer`: play odometers against adversaries, and draw why they cost more than a fixed-time bound."""

from pathlib import Path
from typing import Annotated

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.files import check_targets, write_and_say
from tightbudget.interfaces.cli.options import Json, number_typed, whole_typed
from tightbudget.interfaces.cli.plain import Command, plain_group
from tightbudget.interfaces.cli.terminal import show, show_styled

SMALLEST_STEP, LARGEST_STEP = 1e-100, 1e100  # squares of ε, and sums of them, are floats
MOST_ROUNDS, MOST_RUNS = 10_000_000, 100_000_000
ADVERSARIES = ("fixed", "stop-when-ahead", "greedy", "bursts", "tiny-then-large")
FIXED = ("fixed", "stop-when-ahead")  # those whose game is also worked out exactly

app = plain_group(help="Play odometers against adversaries who stop when it suits them.")

EpsilonEach = Annotated[
    float, typer.Option("--epsilon-each", help="The ε of an ordinary step.", parser=number_typed, metavar="E")
]
Delta = Annotated[
    float,
    typer.Option(help="The failure probability each odometer promises.", parser=number_typed, metavar="D"),
]
Rounds = Annotated[int, typer.Option(help="Rounds of each game.", parser=whole_typed, metavar="N")]
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
    runs: Annotated[int, typer.Option(help="Independent runs.", parser=whole_typed, metavar="N")] = 1000,
    adversary: Annotated[str, typer.Option(help=f"One of {', '.join(ADVERSARIES)}.", metavar="A")] = "stop-when-ahead",
    everything: Annotated[bool, typer.Option("--all", help="Every odometer, the unsound ones too.")] = False,
    seed: Annotated[
        int, typer.Option(help="Of the coins; the same seed gives the same runs.", parser=whole_typed, metavar="N")
    ] = 0,
    plot: Plot = None,
    as_json: Json = False,
) -> int:
    """Estimate how often the realised privacy loss is ever above what an odometer shows.

    The game of adaptive composition with randomised response, the worst mechanism of its ε. The limits are exact
    binomial ones, each with confidence 99 %. Where every step is the same, the answer is also worked out exactly.

    An odometer "holds" where the exact probability, or the upper limit, is within what is promised. It "FAILS" where
    the exact probability is above that, or the estimate is beyond doubt. It is "not refuted" where the estimate is too
    rough to say; more runs narrow it. An UNSOUND one that this game happens to miss is "not caught here": it promises
    nothing.

    \b
    Example:
      tightbudget odometer simulate --kind mixture --kind fixed-time --rounds 2000
    """
    games, output = library.odometer_games, library.odometer_output
    chosen = games.chosen_odometers(kind, everything)
    _check_odometer_options(epsilon_each, delta, rounds, runs, seed, adversary, plot)
    for make in chosen.values():
        make(delta)  # a delta that an odometer cannot promise is refused before any work
    rows = [games.played_row(name, make, adversary, epsilon_each, delta, rounds, runs, seed) for name, make in chosen.items()]
    exactly = (
        {name: games.exact_crossing(make, epsilon_each, delta, rounds) for name, make in chosen.items()}
        if adversary in FIXED
        else {}
    )
    done = []
    if plot is not None:
        done = write_and_say(
            {plot: games.paths_picture(chosen, epsilon_each, delta, rounds, runs, seed, plot.suffix[1:].lower())}
        )
    if as_json:
        show(wire.json_text(output.simulated_shape(rows, exactly, epsilon_each, seed)))
    else:
        show_styled([*output.simulated_lines(rows, exactly, epsilon_each), *((line, "") for line in done)])
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
    _check_odometer_options(epsilon_each, delta, rounds, 1, 0, "fixed", plot)
    games, output = library.odometer_games, library.odometer_output
    result = games.separation_numbers(epsilon_each, delta, rounds)
    done = []
    if plot is not None:
        done = write_and_say({plot: games.separation_picture(result, plot.suffix[1:].lower())})
    if as_json:
        show(wire.json_text(output.separation_shape(result)))
    else:
        show("\n".join([*output.separation_lines(result), *done]))
    return 0


def _check_odometer_options(
    epsilon: float, delta: float, rounds: int, runs: int, seed: int, adversary: str, plot: Path | None
) -> None:
    if not SMALLEST_STEP <= epsilon <= LARGEST_STEP:
        raise InvalidParameter("--epsilon-each", epsilon, f"a number from {SMALLEST_STEP:g} to {LARGEST_STEP:g}")
    if not 0.0 < delta < 1.0:
        raise InvalidParameter("--delta", delta, "a number between 0 and 1", "0.05 makes failures visible.")
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InvalidParameter("--rounds", rounds, f"a whole number from 1 to {MOST_ROUNDS}")
    if not 1 <= runs <= MOST_RUNS:
        raise InvalidParameter("--runs", runs, f"a whole number from 1 to {MOST_RUNS}")
    if seed < 0:
        raise InvalidParameter("--seed", seed, "a whole number, 0 or more")
    if adversary not in ADVERSARIES:
        raise InvalidParameter("--adversary", adversary, f"one of {', '.join(ADVERSARIES)}")
    check_targets(plot)
