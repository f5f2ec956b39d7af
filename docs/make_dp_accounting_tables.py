"""Write docs/reference/dp-accounting-tables.md, what dp_accounting's tests expect beside our brackets.

`python docs/make_dp_accounting_tables.py`; it takes a few seconds. The numbers of others are in
tests/reference/dp_accounting_tables.py.
"""

import runpy
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import tightbudget as tb

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "dp-accounting-tables.md"

HEAD = """\
# The published tables of dp_accounting

The tests of `dp_accounting` (`privacy_loss_mechanism_test.py`, `privacy_loss_distribution_test.py`) have tables of
expected values. Here they are beside our brackets: exact values lie inside, and where theirs is an upper bound it is no
smaller than our upper end. `tests/reference/test_dp_accounting_tables.py` checks every number.

This page is made by `python docs/make_dp_accounting_tables.py`; a test sees that it is current.
"""

EXACT = """
## Exact values

δ at given ε, negative ones included, direction by direction. Every one of them lies in our bracket, to half a unit of
the last digit that is published.
"""

MIXTURES = """\
Five more are of two mixtures of normal laws against each other. We have no name for such a mechanism; the pair that
serves groups of replaced records ([M27](../maths/M27-gaussian-mixtures.md)) has these values too.
"""

GRID = """
## Losses on a grid

A distribution of privacy losses on a grid is an upper bound on δ if losses are rounded up, or if the profile is
replaced by its chords; the tests publish such distributions on grids so coarse that they can be read. What they say of
δ, and by how much that is above our upper end, or how many times it:
"""

NOISE = """
## Noise for a target

The least noise that meets (ε, δ). For normal noise theirs is ours to its three decimals. Laplace noise is made pure
there, however large δ is:
"""

CAPS = """
## Samples with a cap

Where the cap is reached a record displaces another. `dp_accounting` takes it to do so always; our pair
([M30](../maths/M30-truncated-poisson.md)) knows how often. No table has these values: they are what its pair gives.
"""

LEFT_OUT = """
## What is not compared

Two mixtures of Laplace laws against each other (five values), and what is inside: cumulative probabilities, inverse
losses, where tails are cut off.
"""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = list(head)
    yield "| " + " | ".join(names) + " |"
    yield "|" + " --- |" * len(names)
    yield from ("| " + " | ".join(row) + " |" for row in rows)


def looser(theirs: float, ours: float) -> str:
    """Return by how much a bound is above ours."""
    share = theirs / ours - 1.0 if ours else theirs
    if abs(share) < 1e-6:
        return "equal"
    return f"{100.0 * share:.2g} %" if share < 1.0 else f"{1.0 + share:.1f} times"


def kind_of(asked: str) -> str:
    """Return what is asked about, by its names in the notation."""
    first, second = asked.split("(")[:2]
    return f"{first}({second})" if second.isidentifier() else first


def exact_rows(known: dict[str, Any]) -> Iterator[list[str]]:
    found = defaultdict(list)
    for row in known["DELTAS"]:
        found[kind_of(row.asked)] += [known["bracket"](row.asked, row.direction, epsilon) for epsilon in row.deltas]
    for kind, answers in found.items():
        widest = max((answer.width / answer.upper for answer in answers if answer.upper), default=0.0)
        yield [f"`{kind}`", str(len(answers)), f"10^{exponent_above(widest)}"]


def exponent_above(number: float) -> int:
    """Return the least power of ten that is not below a number between 1e-300 and 1."""
    return next(k for k in range(-300, 1) if 10.0**k >= number)


def grid_rows(known: dict[str, Any]) -> Iterator[list[str]]:
    rows: dict[tuple[str, str, float], dict[str, Any]] = defaultdict(dict)
    for row in known["LOSSES"]:
        rows[row.asked, row.direction, row.interval][row.rounding] = row
    for (asked, direction, interval), ways in rows.items():
        for epsilon in known["LOSSES_AT"]:
            answer = known["bracket"](asked, direction, epsilon)
            said = {way: f"{row.delta(epsilon):.6f}" for way, row in ways.items()}
            above = {way: f" ({looser(row.delta(epsilon), answer.upper)})" for way, row in ways.items() if way != "down"}
            shown = [said.get(way, "") + above.get(way, "") for way in ("up", "chords", "down")]
            yield [f"`{asked}`", direction, f"{interval:g}", f"{epsilon:g}", f"{answer:.6g}", *shown]


def noise_rows(known: dict[str, Any]) -> Iterator[list[str]]:
    for template, epsilon, delta, theirs in [*known["LEAST_NOISE"], *known["PURE_NOISE"]]:
        ours = float(tb.calibrate(template, epsilon=epsilon, delta=delta).value)
        same = abs(theirs - ours) < 1.5e-3
        more = "equal" if same else f"{100.0 * (theirs / ours - 1.0):.2g} % more"
        yield [f"`{template}`", f"{epsilon:g}", f"{delta:.6g}", f"{ours:.4f}", f"{theirs:.4f}", more]


def cap_rows(known: dict[str, Any]) -> Iterator[list[str]]:
    for asked, epsilon, theirs in known["CAPPED"]:
        ours = known["bracket"](asked, "remove", epsilon).upper
        yield [f"`{asked}`", f"{epsilon:g}", f"{ours:.6g}", f"{theirs:.6g}", looser(theirs, ours)]


def page() -> str:
    known = runpy.run_path(str(ROOT / "tests" / "reference" / "dp_accounting_tables.py"))
    parts = [HEAD.rstrip("\n"), EXACT.rstrip("\n"), ""]
    parts += table(["mechanism", "values", "brackets at most this wide, relatively"], exact_rows(known))
    parts += ["", MIXTURES.rstrip("\n"), GRID.rstrip("\n"), ""]
    parts += table(
        ["question", "direction", "grid", "ε", "our bracket", "rounded up", "chords", "rounded down"], grid_rows(known)
    )
    parts += [NOISE.rstrip("\n"), ""]
    parts += table(["question", "ε", "δ", "ours", "theirs", "theirs is"], noise_rows(known))
    parts += [CAPS.rstrip("\n"), ""]
    parts += table(["question", "ε", "our upper end", "theirs", "looser by"], cap_rows(known))
    return "\n".join([*parts, LEFT_OUT.rstrip("\n"), ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written.")
