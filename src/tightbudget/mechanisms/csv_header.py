"""Whether a CSV file begins with a header: names of columns, or numbers with a slip of the pen."""

import re
from collections.abc import Sequence

_WORDS = re.compile(r"[(\[]?[^\W\d][\w ()\[\]/%-]*")


def is_heading(fields: Sequence[str]) -> bool:
    """Whether every field is a name: it begins with a letter and has neither the dot nor the sign of a number.

    To drop `O.5,O.4`, two numbers with the letter O, would change the answer without a word.

    >>> is_heading(["count", "delay (ms)"]), is_heading(["O.5", "O.4"]), is_heading(["1o", "2"])
    (True, False, False)
    """
    return all(_WORDS.fullmatch(field.strip()) and not _is_number(field) for field in fields)


def _is_number(text: str) -> bool:
    """Return whether Python reads a number: nan and infinity are words too."""
    try:
        float(text)
    except ValueError:
        return False
    return True
