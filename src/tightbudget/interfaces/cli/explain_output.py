"""What `tightbudget explain` prints and draws: sections of words, their shape for machines, two curves."""

import textwrap
from pathlib import Path

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.tables import folded_text, shown_width
from tightbudget.interfaces.explanation import RATES, Explanation, explained_risk
from tightbudget.interfaces.risk_plot import draw_side_by_side
from tightbudget.mechanisms import Composable
from tightbudget.numerics.bracket import Bracket
from tightbudget.tradeoff import risk
from tightbudget.version import __version__

__all__ = ["explained_risk", "explanation_picture", "explanation_shape", "explanation_text"]

WIDEST = 80


def explanation_text(of: Explanation) -> str:
    """Return the words, no wider than is good to read."""
    most = min(shown_width(), WIDEST)
    lines = folded_text(f"{of.composition} ({of.relation})", most).split("\n")
    for section in of.sections:
        lines += ["", section.heading]
        for paragraph in section.paragraphs:
            lines += _indented(paragraph, most)
    return "\n".join(lines)


def _indented(paragraph: str, most: int) -> list[str]:
    later = "    " if paragraph.startswith("- ") else "  "
    return textwrap.wrap(
        paragraph, most, initial_indent="  ", subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def explanation_shape(of: Explanation, rtol: float, note: str) -> wire.Wire:
    """Return the numbers and the words fit for JSON."""
    return {
        "expression": str(of.composition),
        "relation": of.relation,
        "unit": of.unit,
        "prior": of.prior,
        "delta": wire.json_number(of.delta),
        "epsilon": _bracket(of.epsilon),
        "advantage": _bracket(of.advantage),
        "tpr": [{"fpr": rate, **_bracket(power)} for rate, power in zip(RATES, of.tpr, strict=True)],
        "bayes_error": _bracket(of.bayes_error),
        "posterior": [{"fpr": RATES[0], **_bracket(of.posterior)}, {"fpr": None, **_bracket(of.most)}],
        "words": [{"heading": one.heading, "paragraphs": list(one.paragraphs)} for one in of.sections],
        "converged": of.converged,
        "reason": of.reason,
        "rtol": rtol,
        "note": note,
        "version": __version__,
    }


def _bracket(answer: Bracket) -> wire.Wire:
    return {
        "lower": wire.lower_end(answer.lower),
        "upper": wire.upper_end(answer.upper),
        "converged": answer.converged,
        "reason": answer.reason,
    }


def explanation_picture(private: Composable, target: Path, rtol: float, effort: float | None) -> bytes:
    attack = risk(private, rtol=max(rtol, 1e-3), effort=effort)
    return draw_side_by_side(attack, target.suffix[1:].lower())
