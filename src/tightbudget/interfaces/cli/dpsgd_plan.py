"""A training run as it is typed: phases on the command line, or a whole plan in a TOML file."""

import difflib
import re
from pathlib import Path
from typing import Any

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.cli.options import number_typed

SETTINGS = ("examples", "batch", "sample_rate", "epochs", "steps", "noise_multiplier", "target_epsilon", "delta")
_WHOLE = re.compile(r"[0-9][0-9_]*")


def phase_typed(text: str) -> dict[str, float]:
    """Return a phase that was typed as "epochs=5 noise_multiplier=1.2 batch=256".

    >>> phase_typed("epochs=5 noise-multiplier=1.2, batch=1e3")
    {'epochs': 5, 'noise_multiplier': 1.2, 'batch': 1000.0}
    """
    said: dict[str, float] = {}
    for part in re.split(r"[\s,]+", text.strip(" ,\t\n")):
        name, equals, value = part.partition("=")
        name = name.replace("-", "_")
        if not (name and equals and value):
            raise typer.BadParameter(f"{part!r} is not of the form name=number, as in epochs=5.")
        if name in said:
            raise typer.BadParameter(f"{name!r} is there twice.")
        said[name] = int(value) if _WHOLE.fullmatch(value) else number_typed(value)
    return said


def read_training_plan(path: Path) -> dict[str, Any]:
    """Return the settings in a TOML file, with its tables [[phase]] as `phases`."""
    import tomllib

    try:
        plan = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise InvalidParameter("--plan", str(path), "a TOML file in UTF-8") from None
    except tomllib.TOMLDecodeError as problem:
        raise InvalidParameter("--plan", str(path), f"a TOML file; {_plan_file_problem(problem)}") from None
    for name in plan:
        if name not in (*SETTINGS, "phase"):
            close = difflib.get_close_matches(name, [*SETTINGS, "phase"], n=1)
            hint = f"Did you mean {close[0]}?" if close else ""
            raise InvalidParameter("--plan", name, f"a file of {', '.join(SETTINGS)} and tables [[phase]]", hint)
    phases = plan.pop("phase", None)
    return plan if phases is None else {**plan, "phases": phases}


def _plan_file_problem(problem: Exception) -> str:
    said = " ".join(str(problem).split()).rstrip(".")
    return f"it has: {said}"
