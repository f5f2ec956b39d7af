"""What `tightbudget explain` prints and draws: sections of words, their shape for machines, two curves."""

import textwrap
from pathlib import Path

from tightbudget.interfaces.cli.tables import folded_text, shown_width
from tightbudget.interfaces.explanation import Explanation, explained_risk
from tightbudget.interfaces.risk_plot import draw_side_by_side
from tightbudget.mechanisms import Composable
from tightbudget.tradeoff import risk

__all__ = ["explained_risk", "explanation_picture", "explanation_text"]

WIDEST = 80


def explanation_text(of: Explanation) -> str:
    """Return the words, no wider than is good to read."""
    most = min(shown_width(), WIDEST)
    lines = folded_text(f"{of.composition} ({of.relation})", most).split("\n")
    for section in of.sections:
        lines += ["", section.heading]
        for paragraph in section.paragraphs:
            lines += _indented_explanation(paragraph, most)
    return "\n".join(lines)


def _indented_explanation(paragraph: str, most: int) -> list[str]:
    later = "    " if paragraph.startswith("- ") else "  "
    return textwrap.wrap(
        paragraph, most, initial_indent="  ", subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def explanation_picture(private: Composable, target: Path, rtol: float, effort: float | None) -> bytes:
    attack = risk(private, rtol=max(rtol, 1e-3), effort=effort)
    return draw_side_by_side(attack, target.suffix[1:].lower())
