"""Print how every filter and odometer fares in every game: `python -m tightbudget.games [--runs N] [--seed N]`."""

import argparse
from collections.abc import Iterable

import numpy as np

from tightbudget.research.games import table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tightbudget.games", description=__doc__)
    parser.add_argument("--runs", type=int, default=400_000, help="runs of each game that is played with coins")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    _print_games_table(
        "Filters at epsilon 1, delta 0.01: delta(1) of the stopped view, randomised response", table.filter_rows(1.0, 0.01)
    )
    _print_games_table("The same with Gaussian steps, played with coins", table.gaussian_rows(1.0, 0.01, asked.runs, rng))
    _print_games_table(
        "Odometers at delta 0.05: Pr[the loss is ever above the bound], epsilon 0.1", table.odometer_rows(0.1, 0.05, 20_000)
    )
    _print_games_table("UNSOUND filters", table.unsound_filter_rows(asked.runs, rng))


def _print_games_table(title: str, rows: Iterable[table.GameRow]) -> None:
    print(f"\n{title}\n{'':26}{'adversary':26}{'rounds':>7}{'played':>9}{'failure':>12}{'at most':>12}{'promised':>11}")
    for row in rows:
        played = f"{row.runs}x" if row.runs else "exactly"
        figures = f"{row.rate:12.4g}{row.upper:12.4g}{row.promised:11.4g}"
        print(
            f"{table.player_label(row.meter):26}{row.adversary:26}{row.rounds:7}{played:>9}{figures}  {row.verdict}", flush=True
        )


if __name__ == "__main__":
    main()
