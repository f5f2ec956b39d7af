"""What `tightbudget dpsgd` prints and writes: the bracket, the statement, their shape for machines."""

from pathlib import Path

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.tables import folded_text, shown_width
from tightbudget.training import TrainingRun
from tightbudget.training.layout import statement_as_text

WIDEST = 80


def dpsgd_shape(run: TrainingRun, rtol: float) -> wire.Wire:
    """Return the run fit for JSON, the ends of brackets in digits that lie outside them."""
    ends = {"lower": wire.lower_end(run.epsilon.lower), "upper": wire.upper_end(run.epsilon.upper)}
    trace = [wire.attempt_shape(one) for one in run.epsilon.trace]
    plain = run.as_dict()
    if run.shuffled is not None:
        bounds = {name: wire.upper_end(getattr(run.shuffled, name)) for name in ("zero_out", "replace_one")}
        plain["shuffled"] = {**plain["shuffled"], **bounds}
    return {**plain, **ends, "rtol": rtol, "trace": trace}


def dpsgd_text(run: TrainingRun) -> str:
    """Return the bracket in a line, and the statement below it, no wider than is good to read."""
    most = min(shown_width(), WIDEST)
    found = "" if run.calibrated is None else f"noise multiplier {run.calibrated!r}: "
    line = f"{found}ε in {run.epsilon} at δ = {run.delta!r} ({run.epsilon.relation})"
    return f"{folded_text(line, most)}\n\n{statement_as_text(run.sections, most)}"


def statement_file(run: TrainingRun, path: Path) -> bytes:
    """Return the statement as the name of its file asks for it."""
    written = run.markdown if path.suffix.lower() == ".md" else run.statement
    return f"{written}\n".encode()
