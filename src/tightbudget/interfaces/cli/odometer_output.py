"""What `tightbudget odometer` prints: tables for people, shapes for machines."""

from decimal import ROUND_CEILING, ROUND_FLOOR

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text, table_blocks
from tightbudget.numerics.decimals import decimal_rounded
from tightbudget.research.games import players
from tightbudget.research.games.separation import Separation
from tightbudget.research.games.table import SHOWN_CONFIDENCE, GameRow, game_verdict, player_label
from tightbudget.version import __version__

STYLES = {"FAILS": "red", "not caught here": "yellow"}


def simulated_lines(rows: list[GameRow], exactly: dict[str, float], epsilon: float) -> list[tuple[str, str]]:
    first = rows[0]
    title = f"Pr[loss ever above the bound]: ε = {epsilon:g} each, {first.rounds} rounds, {first.runs} runs, {first.adversary}"
    columns = [Column("odometer"), Column("failed", right=True), Column("99 % limits", right=True)]
    columns += [Column("exactly", right=True)] if exactly else []
    columns += [Column("promised", right=True), Column("verdict")]
    verdicts = [
        game_verdict(row.meter, _odometer_fails(row, exactly), bool(exactly) or row.upper <= row.promised) for row in rows
    ]
    heading, shown = fitted_table(
        columns, [_odometer_cells(row, exactly, said) for row, said in zip(rows, verdicts, strict=True)]
    )
    lines = [*((line, "") for line in folded_text(title).split("\n")), *((line, "bold") for line in heading)]
    for said, record in zip(verdicts, shown, strict=True):
        lines += [(line, STYLES.get(said, "")) for line in record]
    return lines


def _odometer_cells(row: GameRow, exactly: dict[str, float], verdict: str) -> list[str]:
    limits = f"{decimal_rounded(row.lower, 3, ROUND_FLOOR)} – {decimal_rounded(row.upper, 3, ROUND_CEILING)}"
    worked_out = [f"{exactly[row.meter]:.4g}"] if exactly else []
    return [player_label(row.meter), f"{row.rate:.4g}", limits, *worked_out, f"{row.promised:g}", verdict]


def _odometer_fails(row: GameRow, exactly: dict[str, float]) -> bool:
    return row.certainly_fails or exactly.get(row.meter, 0.0) > row.promised


def simulated_shape(rows: list[GameRow], exactly: dict[str, float], epsilon: float, seed: int) -> wire.Wire:
    games = [
        {
            "odometer": row.meter,
            "unsound": row.meter in players.unsound_odometers(),
            "adversary": row.adversary,
            "rounds": row.rounds,
            "runs": row.runs,
            "rate": row.rate,
            "lower": wire.lower_end(row.lower),
            "upper": wire.upper_end(row.upper),
            "confidence": SHOWN_CONFIDENCE,
            "exactly": exactly.get(row.meter),
            "promised": row.promised,
            "fails": _odometer_fails(row, exactly),
        }
        for row in rows
    ]
    return {"epsilon_each": epsilon, "seed": seed, "games": games, "version": __version__}


def separation_shape(result: Separation) -> wire.Wire:
    marks = result.needed_rounds.tolist()
    return {
        "epsilon_each": result.epsilon,
        "delta": result.delta,
        "rounds": marks,
        "unsound": [name for name in result.failing if name in players.unsound_odometers()],
        "failing": {name: [float(values[mark - 1]) for mark in marks] for name, values in result.failing.items()},
        "width": {name: [float(values[mark - 1]) for mark in marks] for name, values in result.widths.items()},
        "least_constant_width": result.needed.tolist(),
        "version": __version__,
    }


def separation_lines(result: Separation) -> list[str]:
    marks = result.needed_rounds.tolist()
    columns = [Column("rounds"), *(Column(str(mark), right=True) for mark in marks)]
    title = f"Pr[loss was above the bound], exactly; ε = {result.epsilon:g} each, promised δ = {result.delta:g}"
    failing = [[player_label(name), *(f"{values[mark - 1]:.2g}" for mark in marks)] for name, values in result.failing.items()]
    widths = [
        [player_label(name), *(_odometer_width(values[mark - 1]) for mark in marks)] for name, values in result.widths.items()
    ]
    needed = ["least constant width", *map(_odometer_width, result.needed)]
    return [
        *folded_text(title).split("\n"),
        *table_blocks(columns, failing),
        "",
        "Width (bound - mean loss) / sqrt(V)",
        *table_blocks(columns, [*widths, needed]),
    ]


def _odometer_width(value: float) -> str:
    """Return a width in few characters; huge ones, where a bound says nothing, as a power of ten."""
    return f"{value:.3f}" if abs(value) < 1e5 else f"{value:.2e}"
