"""Signs that an encoding lacks, in words: two of them shown as ? could not be told apart."""

import codecs
import sys

SPELT_OUT = "tightbudget.spelt"  # for streams: errors=SPELT_OUT

SPELT = {
    "ε": "epsilon",
    "δ": "delta",
    "σ": "sigma",
    "√": "sqrt ",
    "≈": "~",
    "≤": "<=",
    "≥": ">=",
    "×": "x",
    "–": "-",
    "−": "-",
    "─": "-",
    "█": "#",
    "▒": "+",
    "░": ".",
    "…": "...",
    "é": "e",
}


def as_printed(text: str) -> str:
    """Return the text as standard output will show it, so that columns can be as wide as what stands in them."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, SPELT_OUT).decode(encoding)


def _spell_out(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeEncodeError)
    signs = problem.object[problem.start : problem.end]
    return "".join(SPELT.get(sign, "?") for sign in signs), problem.end


codecs.register_error(SPELT_OUT, _spell_out)
