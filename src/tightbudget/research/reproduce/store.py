"""Results on disk: written whole or not at all, and used again only if they are what would be computed now."""

import csv
import hashlib
import io
import json
import math
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import scipy

from tightbudget import version
from tightbudget.numerics.decimals import decimal_at_least, decimal_at_most
from tightbudget.research.reproduce.model import Data, Figure, Panel, Series


@cache
def _hash_of_package() -> str:
    """Return a hash of the package, so that a result made by other code is not taken for ours."""
    digest = hashlib.sha256(f"{version.__version__} {numpy.__version__} {scipy.__version__}".encode())
    root = Path(version.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def result_key(figure: Figure, quick: bool) -> str:
    """Return the hash of all that a result depends on: parameters and code."""
    asked = json.dumps([figure.name, quick, figure.settings(quick), _hash_of_package()], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write under a temporary name, then rename: an interrupted run leaves the old file or none."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def save_result(folder: Path, figure: Figure, quick: bool, data: Data, seconds: float) -> None:
    """Write the table first and the data last: the data file says that the figure is finished."""
    write_whole(folder / f"{figure.name}.csv", _data_table(data))
    body = json.dumps(_plain_data(asdict(data)), allow_nan=False)
    record = {
        "key": result_key(figure, quick),
        "figure": figure.name,
        "parameters": figure.settings(quick),
        "seconds": seconds,
        "sum": hashlib.sha256(body.encode()).hexdigest(),
        "data": json.loads(body),
    }
    write_whole(folder / f"{figure.name}.json", json.dumps(record, indent=1, allow_nan=False).encode())


def load_result(folder: Path, figure: Figure, quick: bool) -> tuple[Data, float] | None:
    """Return a finished result and the seconds it took, or None if there is none that is whole and current."""
    try:
        record = json.loads((folder / f"{figure.name}.json").read_bytes())
        body = json.dumps(record["data"], allow_nan=False)
        if record["key"] != result_key(figure, quick) or record["sum"] != hashlib.sha256(body.encode()).hexdigest():
            return None
        data, seconds = _stored_data(record["data"]), float(record["seconds"])
        table = (folder / f"{figure.name}.csv").read_bytes()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (data, seconds) if table == _data_table(data) else None


def _plain_data(value: Any) -> Any:
    """Return the value with infinities as text, which JSON has no numbers for."""
    if isinstance(value, dict):
        return {name: _plain_data(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(item) for item in value]
    return repr(float(value)) if isinstance(value, float) and not math.isfinite(value) else value


def _stored_data(stored: dict[str, Any]) -> Data:
    panels = []
    for panel in stored["panels"]:
        series = [
            Series(**{**each, **{name: _stored_numbers(each[name]) for name in ("x", "upper", "lower")}})
            for each in panel["series"]
        ]
        panels.append(Panel(**{**panel, "series": series}))
    facts = {name: (float(low), float(high)) for name, (low, high) in stored["facts"].items()}
    return Data(panels, facts, stored["notes"])


def _stored_numbers(values: list[Any] | None) -> list[float] | None:
    return None if values is None else [float(value) for value in values]


def _data_table(data: Data) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["panel", "series", "kind", "x", "lower", "upper"])
    for panel in data.panels:
        for series in panel.series:
            lower = series.lower if series.lower is not None else [None] * len(series.x)
            for x, low, high in zip(series.x, lower, series.upper, strict=True):
                least = "" if low is None else decimal_at_most(float(low))
                rows.writerow([panel.title, series.name, series.kind, repr(x), least, decimal_at_least(float(high))])
    for name, (low, high) in data.facts.items():
        rows.writerow(["numbers for the claims", name, "fact", "", decimal_at_most(float(low)), decimal_at_least(float(high))])
    return text.getvalue().encode()
