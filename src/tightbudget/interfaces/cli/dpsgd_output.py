"""What `tightbudget dpsgd` prints and writes: the bracket and the statement."""

from pathlib import Path

from tightbudget.interfaces.cli.tables import folded_text, shown_width
from tightbudget.training import TrainingRun
from tightbudget.training.layout import statement_as_text

WIDEST = 80


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
