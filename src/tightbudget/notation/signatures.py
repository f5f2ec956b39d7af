"""What mechanisms are called and what arguments they take, for reading them and for saying what was meant."""

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any

from tightbudget.keywords import names_of_peers
from tightbudget.mechanisms import BY_NAME


@cache
def mechanism_arguments(name: str) -> dict[str, Field[Any]]:
    """Return the fields of a mechanism by the name of their argument; a field that is not printed is none."""
    shown = (field for field in fields(BY_NAME[name]) if field.repr)  # type: ignore[arg-type]  # all are dataclasses
    return {field.metadata.get("argument", field.name): field for field in shown}


def mechanism_signature(name: str) -> str:
    """Return the arguments in order, then those that are given by name."""
    ordered = sorted(mechanism_arguments(name).items(), key=lambda argument: argument[1].kw_only is True)
    shown = (a + (f"={p.default!r}" if p.default is not MISSING else "") for a, p in ordered)
    return f"{name}({', '.join(shown)})"


_ALSO_CALLED = {"svt": "sparse_vector", "rr": "randomized_response", "normal": "gaussian"}
_A_COMMAND = frozenset({"dpsgd", "dp_sgd"})


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a suggestion: the same thing by our name for it, or a name of nearly the same letters."""
    if name.lower() in _A_COMMAND:
        return "; for training runs there is the command tightbudget dpsgd, in Python tb.dpsgd"
    meant = [name.lower(), _ALSO_CALLED.get(name.lower(), ""), *names_of_peers(name, known)]
    close = [each for each in meant if each in known] or difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def meant_by(word: str) -> str:
    """Return a suggestion for a word in other letters: a Greek one by its name, others without their accents.

    >>> meant_by("gaußian"), meant_by("σ"), meant_by("Лаплас")
    ("; did you mean 'gaussian'?", "; did you mean 'sigma'?", '')
    """
    letters = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(_spelt_greek_letter(letter) for letter in letters if not unicodedata.combining(letter))
    return did_you_mean(
        plain, [*BY_NAME, "nothing", *dict.fromkeys(name for known in BY_NAME for name in mechanism_arguments(known))]
    )


def _spelt_greek_letter(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return name.removeprefix("GREEK SMALL LETTER ").split()[-1].lower() if name.startswith("GREEK SMALL LETTER ") else letter
