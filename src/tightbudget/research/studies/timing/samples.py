"""Samples of delays: from files, or synthetic."""

import csv
import math
import re
from pathlib import Path

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, probability, whole_count
from tightbudget.mechanisms.csv_header import is_heading
from tightbudget.numerics.typed import NoFloat, typed_float
from tightbudget.pairs.base import Array

_SEPARATORS = re.compile(r"[,;\t ]")


def read(path: str | Path, column: int | str = 0) -> Array:
    """Return the numbers in one column of a text file: the first, unless its number (from 0) or heading is given.

    Fields are separated by commas, semicolons, tabs or spaces. Blank lines and lines that begin with # are skipped. A
    first line of words is a heading. Anything else that is not a finite number is an error: a sample that is left out
    silently changes the distribution.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InvalidParameter("samples", str(path), "a readable text file", f"There is no file {str(path)!r}.") from None
    except (OSError, UnicodeDecodeError, TypeError, ValueError) as problem:
        raise InvalidParameter("samples", str(path), "a readable text file", f"Reading it failed: {problem}.") from None
    rows = [(number, line) for number, line in enumerate(lines, start=1) if line.strip() and not line.lstrip().startswith("#")]
    if not rows:
        raise InvalidParameter("samples", str(path), "a file with at least one number")
    separator = _sample_separator(rows[0][1])
    table = [(number, _sample_fields(line, separator)) for number, line in rows]
    heading = table[0][1] if is_heading(table[0][1]) else None
    place = _sample_column_place(path, column, heading, len(table[0][1]))
    values = [_sample_value(path, number, fields, place) for number, fields in (table[1:] if heading else table)]
    if not values:
        raise InvalidParameter("samples", str(path), "a file with at least one number below its heading")
    return np.array(values)


def _sample_separator(line: str) -> str | None:
    """Return the separator of the first line; None stands for any run of spaces."""
    found = _SEPARATORS.search(line.strip())
    return None if found is None or found.group() == " " else found.group()


def _sample_fields(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    return [text.strip() for text in next(csv.reader([line], delimiter=separator))]


def _sample_column_place(path: str | Path, column: int | str, heading: list[str] | None, width: int) -> int:
    if isinstance(column, str) and not column.isdecimal():
        if heading is None or column not in heading:
            names = "a number: the file has no heading" if heading is None else f"one of {', '.join(heading)}"
            raise InvalidParameter("column", column, names)
        return heading.index(column)
    place = int(column) if isinstance(column, str) else whole_count(column)
    if place >= width:
        raise InvalidParameter("column", column, f"from 0 to {width - 1}", f"{str(path)!r} has {width} columns.")
    return place


def _sample_value(path: str | Path, number: int, fields: list[str], place: int) -> float:
    try:
        value = typed_float(fields[place])
    except NoFloat as problem:
        raise InvalidParameter(
            f"line {number} of {path}", fields[place][:60], "a number that a float holds", f"It is {problem}."
        ) from None
    except (IndexError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        shown = fields[place][:60] if place < len(fields) else f"without column {place}"
        raise InvalidParameter(f"line {number} of {path}", shown, "a finite number")
    return value


def synthetic(
    size: int,
    *,
    active: bool,
    seed: int,
    base: float = 2000.0,
    spread: float = 3.0,
    extra: float = 0.2,
    stalls: float = 0.01,
) -> Array:
    """Return SYNTHETIC delays in milliseconds, for trying things out; they describe no real system.

    A delay is `base`, a gamma-distributed part (shape 3, standard deviation `spread`), and in a share `stalls` of the
    cases a stall, exponential with mean 10 * `spread`. Who is `active` does additional work, exponential with mean
    `extra`. The same seed gives the same delays; the two kinds of participant draw from separate streams.
    """
    count = whole_count(size)
    spread, extra = positive("spread", spread), positive("extra", extra, zero=True)
    chance = probability("stalls", stalls)
    generator = np.random.default_rng([whole_count(seed), int(bool(active))])
    delays = positive("base", base, zero=True) + generator.gamma(3.0, spread / math.sqrt(3.0), count)
    delays += np.where(generator.random(count) < chance, generator.exponential(10.0 * spread, count), 0.0)
    if active:
        delays += generator.exponential(extra, count) if extra else 0.0
    return delays
