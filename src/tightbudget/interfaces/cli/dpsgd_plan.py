"""A training run as it is typed: phases on the command line, or a whole plan in a TOML file."""

import difflib
import re
from pathlib import Path
from typing import Any

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.cli.options import number_typed
from tightbudget.numerics.typed import toml_float

SETTINGS = ("examples", "batch", "sample_rate", "epochs", "steps", "noise_multiplier", "target_epsilon", "delta")
PHASE_SETTINGS = ("epochs", "steps", "batch", "sample_rate", "noise_multiplier")
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
        if name not in PHASE_SETTINGS:
            raise typer.BadParameter(f"{name!r} is not known in a phase; write {_phase_settings(name)}")
        if name in said:
            raise typer.BadParameter(f"{name!r} is there twice.")
        said[name] = int(value) if _WHOLE.fullmatch(value) else number_typed(value)
    return said


def read_training_plan(path: Path) -> dict[str, Any]:
    """Return the settings in a TOML file, with its tables [[phase]] as `phases`."""
    import tomllib

    try:
        plan = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=toml_float)
    except UnicodeDecodeError:
        raise InvalidParameter("--plan", str(path), "a TOML file in UTF-8") from None
    except tomllib.TOMLDecodeError as problem:
        raise InvalidParameter("--plan", str(path), f"a TOML file; {_plan_file_problem(problem)}") from None
    for name in plan:
        if name not in (*SETTINGS, "phase"):
            close = difflib.get_close_matches(name, [*SETTINGS, "phase"], n=1)
            hint = f"Did you mean {close[0]}?" if close else ""
            raise InvalidParameter("--plan", name, f"a file of {', '.join(SETTINGS)} and tables [[phase]]", hint)
    if "phase" not in plan:
        return plan
    phases = plan.pop("phase")
    if not isinstance(phases, list) or not phases or not all(isinstance(each, dict) for each in phases):
        raise InvalidParameter("phase", phases, f"tables [[phase]] of {', '.join(PHASE_SETTINGS)}", "Or leave it out.")
    for name in (name for each in phases for name in each):
        if name not in PHASE_SETTINGS:
            raise InvalidParameter("--plan", name, f"a file whose tables [[phase]] say {_phase_settings(name)}")
    return {**plan, "phases": phases}


def _phase_settings(meant: str) -> str:
    """Return what a phase may say, and which of it may have been meant."""
    close = difflib.get_close_matches(meant, PHASE_SETTINGS, n=1)
    return f"{', '.join(PHASE_SETTINGS[:-1])} or {PHASE_SETTINGS[-1]}" + (f". Did you mean {close[0]}?" if close else "")


def _plan_file_problem(problem: Exception) -> str:
    said = " ".join(str(problem).split()).rstrip(".")
    return f"it has: {said}"
