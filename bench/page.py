"""A page with one table, for measurements that stand beside RESULTS.md."""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path


def write_page(name: str, title: str, measured: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table; `measured` says how it came about, with places for the date and the number of cores."""
    told = measured.format(date=f"{datetime.now(UTC):%Y-%m-%d}", cores=os.cpu_count())
    table = [columns, ["---"] * len(columns), *rows]
    lines = [f"# {title}", "", told, "", *(f"| {' | '.join(row)} |" for row in table), ""]
    Path(__file__).with_name(name).write_text("\n".join(lines), encoding="utf-8")
    print(f"written: {name}")
